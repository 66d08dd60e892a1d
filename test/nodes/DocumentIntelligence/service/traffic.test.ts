import { Traffic } from '../../../../nodes/DocumentIntelligence/service/traffic';

/** A clock that stands at a time, in milliseconds. */
const clock = { time: 0, now: () => clock.time, sleep: async () => await Promise.resolve() };

/** A wait that ends when it is told to. */
function wait(traffic: Traffic) {
	let end = (): void => undefined;
	let fail = (): void => undefined;
	const waited = traffic.waiting(
		clock,
		async () =>
			await new Promise<string>((resolve, reject) => {
				end = () => resolve('done');
				fail = () => reject(new Error('stopped'));
			}),
	);
	return {
		end: async () => {
			end();
			return await waited;
		},
		fail: async () => {
			fail();
			return await waited.catch((thrown: unknown) => thrown);
		},
	};
}

beforeEach(() => {
	clock.time = 1000;
});

test('begins with nothing', () => {
	expect(new Traffic().counts()).toEqual({ requests: 0, rejections: 0, retries: 0, waitedMs: 0 });
});

test('time in which several requests wait counts once', async () => {
	const traffic = new Traffic();
	const first = wait(traffic);
	clock.time = 1010;
	const second = wait(traffic);
	clock.time = 1030;
	expect(await first.end()).toBe('done');
	expect(traffic.waitedMs).toBe(0);
	clock.time = 1100;
	await second.end();
	expect(traffic.waitedMs).toBe(100);
});

test('time between two waits does not count, and a wait that is stopped does', async () => {
	const traffic = new Traffic();
	const first = wait(traffic);
	clock.time = 1010;
	await first.end();
	clock.time = 2000;
	const second = wait(traffic);
	clock.time = 2005;
	expect(await second.fail()).toEqual(new Error('stopped'));
	expect(traffic.counts()).toEqual({ requests: 0, rejections: 0, retries: 0, waitedMs: 15 });
});
