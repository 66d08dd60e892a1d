import { inspect } from 'node:util';

import {
	Limiter,
	Limiters,
	type Ticket,
} from '../../../../nodes/DocumentIntelligence/service/limiter';
import type { Grant } from '../../../../nodes/DocumentIntelligence/service/rateWindow';
import { SimulatedTime } from '../../clock';

const MINUTE = 60_000;
const BEGIN = 30_000_000 * MINUTE + 10_000;
const NEVER = new AbortController().signal;

function limiterOf(limit: number) {
	const time = new SimulatedTime(BEGIN);
	const sleeps: Array<{ ms: number; signal?: AbortSignal }> = [];
	const clock = time.clock();
	const limiter = new Limiter(
		{
			...clock,
			sleep: async (ms, signal) => {
				sleeps.push({ ms, signal });
				await clock.sleep(ms);
			},
		},
		limit,
	);
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
	return { time, served, sleeps, wait, reject };
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

	test('a rejection of one makes all wait, for as long as Retry-After says', async () => {
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

	test('who waits for the next window sleeps once, and is woken by a response that opens this one', async () => {
		const { time, served, sleeps, wait, reject } = limiterOf(1);
		const first = await time.run(wait(one, 'first'));
		const second = wait(other, 'second');
		await time.run(time.sleep(1000));
		expect(sleeps.map(({ ms }) => ms)).toEqual([MINUTE + 250]);
		reject(first, 2000);
		await time.run(second);
		expect(served).toEqual(['first', 'second']);
		expect(time.now - BEGIN).toBe(3000);
		expect(sleeps.map(({ ms }) => ms)).toEqual([MINUTE + 250, 2000]);
	});

	test('when the last one who waits is stopped, nobody is woken', async () => {
		const { time, sleeps, wait } = limiterOf(1);
		await time.run(wait(one, 'uses up the minute'));
		const stops = [new AbortController(), new AbortController()];
		const waits = stops.map(async ({ signal }) => await wait(other, 'stopped', { signal }));
		stops[0]?.abort();
		expect(sleeps[0]?.signal?.aborted).toBe(false);
		stops[1]?.abort();
		expect(sleeps[0]?.signal?.aborted).toBe(true);
		expect(await time.run(Promise.all(waits))).toEqual([undefined, undefined]);
	});
});

const account = {
	apiKey: 'xtkt_live_secret_one',
	isSandbox: false,
	baseUrl: 'https://one.example',
	requestsPerMinute: 50,
	concurrentRequests: 10,
};

test('a process has a limiter for each key, address and Requests per Minute', () => {
	const limiters = new Limiters();
	const limiter = limiters.forAccount(account);
	expect(limiters.forAccount({ ...account, concurrentRequests: 1 })).toBe(limiter);
	expect(limiters.forAccount({ ...account, apiKey: 'xtkt_live_secret_two' })).not.toBe(limiter);
	expect(limiters.forAccount({ ...account, baseUrl: 'https://two.example' })).not.toBe(limiter);
	expect(limiters.forAccount({ ...account, requestsPerMinute: 60 })).not.toBe(limiter);
	expect(inspect(limiters, { depth: 10, showHidden: true })).not.toContain('secret');
});
