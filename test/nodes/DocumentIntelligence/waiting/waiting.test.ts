import { getEventListeners, getMaxListeners } from 'node:events';

import {
	Locks,
	Slots,
	systemClock,
	unlessAborted,
} from '../../../../nodes/DocumentIntelligence/waiting/waiting';

afterEach(() => jest.restoreAllMocks());

test('two at a time, results in the order of the entries, and a failure frees its slot', async () => {
	const slots = new Slots(2);
	let atOnce = 0;
	let mostAtOnce = 0;
	const work = async (entry: number) => {
		mostAtOnce = Math.max(mostAtOnce, ++atOnce);
		for (let turns = 0; turns < 10 - entry; turns++) await Promise.resolve();
		atOnce -= 1;
		if (entry === 1) throw new Error('failed');
		return entry;
	};
	await expect(slots.map([1, 2, 3], work)).rejects.toThrow('failed');
	expect(await slots.map([2, 3, 4, 5, 6], work)).toEqual([2, 3, 4, 5, 6]);
	expect(await slots.map([7, 8, 9], work)).toEqual([7, 8, 9]);
	expect(mostAtOnce).toBe(2);
});

test('many wait for one signal without a warning of Node.js, and all of them are ended by it', async () => {
	const stop = new AbortController();
	const { signal } = stop;
	const never = new Promise<never>(() => undefined);
	const waits = Array.from({ length: 20 }, async () => await unlessAborted(never, signal));
	expect(getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(getMaxListeners(signal));
	stop.abort();
	const ends = await Promise.allSettled(waits);
	expect(ends.map(({ status }) => status)).toEqual(Array(20).fill('rejected'));
});

test('a computer whose clock is set changes no wait', () => {
	const before = systemClock.now();
	jest.spyOn(Date, 'now').mockReturnValue(0);
	const waited = systemClock.now() - before;
	expect(waited).toBeGreaterThanOrEqual(0);
	expect(waited).toBeLessThan(60_000);
});

test('a lock that nobody holds or waits for is forgotten', async () => {
	const forgotten = jest.spyOn(Map.prototype, 'delete');
	new Locks().enter(['one', 'other']).leave();
	await new Promise(setImmediate);
	expect(forgotten.mock.calls).toEqual([['one'], ['other']]);
});
