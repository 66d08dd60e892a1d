import { Slots } from '../../../../nodes/DocumentIntelligence/service/slots';

/** Work that ends when it is told to. */
function work() {
	const started: number[] = [];
	const ends: Array<() => void> = [];
	const failing: Array<(reason: Error) => void> = [];
	const begin = (number: number) => async () => {
		started.push(number);
		return await new Promise<number>((resolve, reject) => {
			ends[number] = () => resolve(number);
			failing[number] = reject;
		});
	};
	return { started, begin, end: (number: number) => ends[number]?.(), failing };
}

const settled = async () => await new Promise(setImmediate);

test('as much runs at a time as there are slots, the rest in its order', async () => {
	const slots = new Slots(2);
	const { started, begin, end } = work();
	const results = [0, 1, 2, 3].map(async (number) => await slots.use(begin(number)));
	await settled();
	expect(started).toEqual([0, 1]);
	end(1);
	await settled();
	expect(started).toEqual([0, 1, 2]);
	end(0);
	end(2);
	await settled();
	end(3);
	expect(await Promise.all(results)).toEqual([0, 1, 2, 3]);
});

test('what fails frees its slot, and fails for its caller', async () => {
	const slots = new Slots(1);
	const { started, begin, end, failing } = work();
	const first = slots.use(begin(0)).catch((thrown: Error) => thrown.message);
	const second = slots.use(begin(1));
	await settled();
	failing[0]?.(new Error('Broken'));
	expect(await first).toBe('Broken');
	await settled();
	expect(started).toEqual([0, 1]);
	end(1);
	expect(await second).toBe(1);
});

test('a slot that nobody waited for is free for the next, and only once', async () => {
	const slots = new Slots(1);
	const { started, begin, end } = work();
	const first = slots.use(begin(0));
	end(0);
	await settled();
	end(0);
	await first;
	const others = [1, 2].map(async (number) => await slots.use(begin(number)));
	await settled();
	expect(started).toEqual([0, 1]);
	end(1);
	await settled();
	end(2);
	expect(await Promise.all(others)).toEqual([1, 2]);
});
