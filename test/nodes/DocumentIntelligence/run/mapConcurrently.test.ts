import { mapConcurrently } from '../../../../nodes/DocumentIntelligence/run/mapConcurrently';

/** Work whose end the test decides. */
function controlled(entries: number[], atATime: number) {
	const begun: number[] = [];
	const ends = new Map<number, { succeed: () => void; fail: (reason: unknown) => void }>();
	const all = mapConcurrently(entries, atATime, async (entry) => {
		begun.push(entry);
		await new Promise<void>((succeed, fail) => ends.set(entry, { succeed, fail }));
		return `result ${entry}`;
	});
	const settle = async () => await new Promise(setImmediate);
	return {
		all,
		begun,
		succeed: async (entry: number) => {
			ends.get(entry)?.succeed();
			await settle();
		},
		fail: async (entry: number, reason: unknown) => {
			ends.get(entry)?.fail(reason);
			await settle();
		},
	};
}

test('results stand in the order of the entries, whatever ends first', async () => {
	const { all, succeed } = controlled([0, 1, 2], 3);
	for (const entry of [2, 0, 1]) await succeed(entry);
	await expect(all).resolves.toEqual(['result 0', 'result 1', 'result 2']);
});

test('no more begin than may be in flight, and one for each that ends', async () => {
	const { all, begun, succeed } = controlled([0, 1, 2, 3, 4], 2);
	expect(begun).toEqual([0, 1]);
	await succeed(1);
	expect(begun).toEqual([0, 1, 2]);
	await succeed(2);
	expect(begun).toEqual([0, 1, 2, 3]);
	await succeed(0);
	await succeed(3);
	await succeed(4);
	await expect(all).resolves.toHaveLength(5);
});

test.each([[[]], [[7]]])('%j entries at fifty at a time', async (entries: number[]) => {
	await expect(
		mapConcurrently(entries, 50, (entry) => Promise.resolve(entry * 2)),
	).resolves.toEqual(entries.map((entry) => entry * 2));
});

test('after a failure nothing begins, what is in flight ends first, and the first failure in time is thrown', async () => {
	const { all, begun, succeed, fail } = controlled([0, 1, 2, 3, 4, 5], 3);
	let ended = false;
	const outcome = all
		.then(
			() => 'succeeded',
			(reason: Error) => reason.message,
		)
		.finally(() => (ended = true));
	await fail(2, new Error('first in time'));
	await succeed(1);
	expect(begun).toEqual([0, 1, 2]);
	expect(ended).toBe(false);
	await fail(0, new Error('first in order'));
	await expect(outcome).resolves.toBe('first in time');
	expect(begun).toEqual([0, 1, 2]);
});

test('a failure that is nothing at all is still thrown', async () => {
	const { all, fail } = controlled([0], 1);
	const outcome = all.then(
		() => 'succeeded',
		() => 'thrown',
	);
	await fail(0, undefined);
	await expect(outcome).resolves.toBe('thrown');
});
