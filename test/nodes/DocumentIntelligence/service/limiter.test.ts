import { inspect } from 'node:util';

import {
	Limiter,
	Limiters,
	type Ticket,
} from '../../../../nodes/DocumentIntelligence/service/limiter';
import { SimulatedTime } from '../../clock';
import { simulatedSession } from './simulatedSession';

const MINUTE = 60_000;
const BEGIN = 30_000_000 * MINUTE + 10_000;
const NEVER = new AbortController().signal;

function limiterOf(limit: number) {
	const time = new SimulatedTime(BEGIN);
	const sleeps: Array<{ ms: number; signal?: AbortSignal }> = [];
	const clock = time.clock();
	const sleep = async (ms: number, signal?: AbortSignal) => {
		sleeps.push({ ms, signal });
		await clock.sleep(ms);
	};
	const limiter = new Limiter({ ...clock, sleep }, limit);
	const served: string[] = [];
	/** Waits in the queue and notes when it is served. */
	const wait = async (turns: object, name: string, ticket: Partial<Ticket> = {}) => {
		const usual = { turns, isRejected: false, signal: NEVER };
		const grant = await limiter.acquire({ ...usual, ...ticket });
		if (grant !== undefined) served.push(name);
		return grant!;
	};
	return { limiter, time, served, sleeps, wait };
}

const [one, other, third] = [{ execution: 1 }, { execution: 2 }, { execution: 3 }];

test('executions take turns, each in its own order', async () => {
	const { time, served, wait } = limiterOf(1);
	await time.run(wait({}, 'uses up the minute'));
	const waits = [
		...['a1', 'a2', 'a3', 'a4'].map(async (name) => await wait(one, name)),
		...['b1', 'b2'].map(async (name) => await wait(other, name)),
		wait(third, 'c1'),
	];
	await time.run(Promise.all(waits));
	expect(served.slice(1)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
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
	expect(time.now).toBe(before);
	await time.run(others);
	expect(served).toEqual(['first', 'b', 'a']);
});

test('who waits for the next window sleeps once, and is woken by a response that opens this one', async () => {
	const { limiter, time, sleeps, wait } = limiterOf(1);
	const first = await time.run(wait(one, 'first'));
	const second = wait(other, 'second');
	await time.run(time.sleep(1000));
	expect(sleeps.map(({ ms }) => ms)).toEqual([MINUTE + 250]);
	limiter.recordResponse(first, true, undefined, 2000);
	await time.run(second);
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

test('a process has a limiter for each key, address and Requests per Minute, and keeps no key', () => {
	const { account } = simulatedSession(() => ({})).session;
	const limiters = new Limiters();
	const kept = jest.spyOn(Map.prototype, 'set');
	const limiterFor = (changes: object) => limiters.forAccount({ ...account, ...changes });
	const limiter = limiterFor({});
	expect(limiterFor({ concurrentRequests: 1 })).toBe(limiter);
	for (const changes of [
		{ apiKey: 'xtkt_live_other' },
		{ baseUrl: 'https://two.example' },
		{ requestsPerMinute: 60 },
	])
		expect(limiterFor(changes)).not.toBe(limiter);
	expect(inspect(kept.mock.calls)).not.toContain(account.apiKey);
});
