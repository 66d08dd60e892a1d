import { inspect } from 'node:util';

import {
	Limiter,
	Limiters,
	type Grant,
	type Ticket,
} from '../../../../nodes/DocumentIntelligence/service/limiter';
import { breaking, grid, permitted, simulate, simulateAll, SimulatedTime } from './simulation';

const MINUTE = 60_000;
const BEGIN = 30_000_000 * MINUTE + 10_000;
const NEVER = new AbortController().signal;

function limiterOf(limit: number) {
	const time = new SimulatedTime(BEGIN);
	const limiter = new Limiter(time.clock(), limit);
	const served: string[] = [];
	/** Waits in the queue and notes when it is served. */
	const wait = async (execution: object, name: string, ticket: Partial<Ticket> = {}) => {
		const usual = { execution, isRejected: false, signal: NEVER };
		const start = await limiter.acquire({ ...usual, ...ticket });
		if (start !== undefined) served.push(name);
		return start;
	};
	const reject = (start: Grant | undefined, retryAfterMs?: number) => {
		if (start === undefined) throw new Error('Nothing has started.');
		limiter.recordResponse(start, true, undefined, retryAfterMs);
	};
	const accept = (start: Grant | undefined) => {
		if (start === undefined) throw new Error('Nothing has started.');
		limiter.recordResponse(start, false, new Date(time.now).toUTCString());
	};
	return { time, served, wait, reject, accept };
}

const [one, other, third] = [{ execution: 1 }, { execution: 2 }, { execution: 3 }];

describe('The queue', () => {
	test('executions take turns, each in its own order', async () => {
		const { time, served, wait } = limiterOf(1);
		await time.run(wait({}, 'uses up the minute'));
		await time.run(
			Promise.all([
				...['a1', 'a2', 'a3', 'a4'].map(async (name) => await wait(one, name)),
				wait(other, 'b1'),
				wait(other, 'b2'),
				wait(third, 'c1'),
			]),
		);
		expect(served.slice(1)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
	});

	test('what was rejected goes first, in the order of rejection, across executions', async () => {
		const { time, served, wait } = limiterOf(1);
		await time.run(wait({}, 'uses up the minute'));
		await time.run(
			Promise.all([
				wait(one, 'a'),
				wait(other, 'b'),
				wait(third, 'c, rejected before', { isRejected: true }),
				wait(one, 'a, rejected before', { isRejected: true }),
			]),
		);
		expect(served.slice(1)).toEqual(['c, rejected before', 'a, rejected before', 'b', 'a']);
	});

	test('a stop is seen at once, and the others keep their places', async () => {
		const { time, served, wait } = limiterOf(1);
		await time.run(wait(one, 'first'));
		const stop = new AbortController();
		const stopped = wait(one, 'stopped', { signal: stop.signal });
		const others = Promise.all([wait(one, 'a'), wait(other, 'b')]);
		const before = time.now;
		stop.abort();
		expect(await time.run(stopped)).toBeUndefined();
		expect(time.now - before).toBeLessThanOrEqual(200);
		await time.run(others);
		expect(served).toEqual(['first', 'b', 'a']);
	});

	test('a rejection of one closes the window for all, for as long as Retry-After says', async () => {
		const { time, served, wait, reject } = limiterOf(50);
		reject(await time.run(wait(one, 'rejected')), 30_000);
		const rest = Promise.all([wait(other, 'b'), wait(third, 'c')]);
		await time.run(time.sleep(29_999));
		expect(served).toEqual(['rejected']);
		await time.run(rest);
		expect(served).toEqual(['rejected', 'b', 'c']);
		// Nothing had been granted, so one goes ahead of the other.
		expect(time.now - BEGIN).toBeLessThan(45_000);
	});

	test('of requests that are rejected together, the longest Retry-After counts, once', async () => {
		const { time, wait, reject } = limiterOf(50);
		const waits = Array.from({ length: 10 }, async () => await wait(one, 'rejected'));
		const starts = await time.run(Promise.all(waits));
		starts.forEach((start, number) => reject(start, number === 0 ? 5000 : 3000));
		await time.run(wait(one, 'next'));
		expect(time.now - BEGIN).toBeGreaterThanOrEqual(5000);
		expect(time.now - BEGIN).toBeLessThan(6000);
	});

	test('a rejection that comes after the reset does not close the next window', async () => {
		const { time, wait, accept, reject } = limiterOf(50);
		accept(await time.run(wait(one, 'shows when windows reset')));
		const late = await time.run(wait(one, 'late'));
		await time.run(time.sleep(MINUTE));
		await time.run(wait(one, 'after the reset'));
		reject(late);
		const before = time.now;
		await time.run(wait(one, 'next'));
		expect(time.now - before).toBeLessThanOrEqual(200);
	});

	test('a pause without Retry-After, or with a wrong one, is a window at most', async () => {
		for (const retryAfterMs of [undefined, 86_400_000]) {
			const { time, wait, reject } = limiterOf(50);
			reject(await time.run(wait(one, 'rejected')), retryAfterMs);
			await time.run(wait(one, 'next'));
			expect(time.now - BEGIN).toBeLessThanOrEqual(MINUTE + 1200);
		}
	});
});

describe('The limiters of a process', () => {
	const account = {
		apiKey: 'xtkt_live_secret_one',
		isSandbox: false,
		baseUrl: 'https://one.example',
		requestsPerMinute: 50,
		concurrentRequests: 10,
	};

	test('one for each key at an address', () => {
		const limiters = new Limiters();
		const limiter = limiters.forAccount(account);
		expect(limiters.forAccount({ ...account, concurrentRequests: 1 })).toBe(limiter);
		expect(limiters.forAccount({ ...account, apiKey: 'xtkt_live_secret_two' })).not.toBe(limiter);
		expect(limiters.forAccount({ ...account, baseUrl: 'https://two.example' })).not.toBe(limiter);
		expect(inspect(limiters, { depth: 10, showHidden: true })).not.toContain('secret');
	});
});

describe('In simulated minutes', () => {
	type Run = Awaited<ReturnType<typeof simulateAll>>[number];

	const isSoon =
		(documents: number, times = 1.05) =>
		({ seconds, settings }: Run) =>
			seconds <= times * permitted(documents, settings);

	const alone = [{ executions: [{ documents: 120 }] }];

	test.each([
		['at the limit', { phases: [0, 20, 52] }, isSoon(120)],
		// The first window ends at once, so that there is one more.
		['from the end of a minute on', { phases: [57, 59, 59.5, 59.9] }, isSoon(170)],
		// A minute after each start.
		['without a Date header', { phases: [0, 52, 59.9], date: 'none' as const }, isSoon(170)],
	])('120 documents %s: none is rejected, in the time it takes', async (_, scenario, isInTime) => {
		const runs = await simulateAll(grid(alone, scenario));
		const isKept = ({ arrived, rejected }: Run) => arrived === 120 && rejected === 0;
		expect(breaking(runs, isKept)).toEqual([]);
		expect(breaking(runs, isInTime)).toEqual([]);
	});

	test('two processes with a key: at most 5 % rejected after the first window, in the time it takes', async () => {
		const processes = [
			{ executions: [{ documents: 150 }] },
			{ executions: [{ documents: 150, afterSeconds: 0.7 }] },
		];
		const runs = await simulateAll(grid(processes, { phases: [0, 30] }));
		expect(breaking(runs, ({ arrived }) => arrived === 300)).toEqual([]);
		expect(breaking(runs, ({ laterShare }) => laterShare <= 0.05)).toEqual([]);
		expect(breaking(runs, isSoon(300, 1.1))).toEqual([]);
	});

	test('a Date header that is as old as the work is long: a few are rejected in one window, in the time it takes', async () => {
		const phases = [0, 20, 52, 57, 59.9];
		const runs = await simulateAll(grid(alone, { phases, date: 'before the work' }));
		const isKept = ({ arrived, rejected, windows }: Run) =>
			arrived === 120 && windows.some((window) => window.rejected === rejected && rejected <= 5);
		expect(breaking(runs, isKept)).toEqual([]);
		expect(breaking(runs, isSoon(170))).toEqual([]);
	});

	test('a process that finds most of a window free has few requests rejected while it takes it over', async () => {
		const several = (documents: number, afterSeconds: number) =>
			[1, 2, 3].map(() => ({ documents, afterSeconds }));
		const processes = [{ executions: several(20, 0) }, { executions: several(60, 5) }];
		const runs = await simulateAll(grid(processes, { phases: [0, 30] }));
		expect(breaking(runs, ({ arrived }) => arrived === 240)).toEqual([]);
		expect(breaking(runs, ({ laterShare }) => laterShare <= 0.03)).toEqual([]);
	});

	test('a process that is left alone soon has the whole window', async () => {
		const { windows, arrived } = await simulate({
			processes: [{ executions: [{ documents: 400 }] }, { executions: [{ documents: 60 }] }],
			phaseSeconds: 10,
		});
		expect(arrived).toBe(460);
		// No window between the first and the last is left unused, so the first process took what the other gave up.
		const granted = windows.slice(0, -1).map(({ requests, rejected }) => requests - rejected);
		expect(granted).toEqual(granted.map(() => 50));
	});
});
