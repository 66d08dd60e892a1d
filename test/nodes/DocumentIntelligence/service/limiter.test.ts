import { inspect } from 'node:util';

import {
	Limiter,
	Limiters,
	type Ticket,
} from '../../../../nodes/DocumentIntelligence/service/limiter';
import { idealSeconds, simulate, SimulatedTime, type Outcome, type Scenario } from './simulation';

// The simulations only compute; on a busy computer that takes a while.
jest.setTimeout(120_000);

const MINUTE = 60_000;
const BEGIN = 30_000_000 * MINUTE + 10_000;

function limiterOf(requests: number) {
	const time = new SimulatedTime(BEGIN);
	const limiter = new Limiter(MINUTE, time.clock());
	const served: string[] = [];
	return {
		time,
		limiter,
		served,
		/** Waits in the queue and notes when it is served. */
		wait: async (execution: object, name: string, ticket: Partial<Ticket> = {}) => {
			const start = await limiter.acquire(execution, {
				limit: requests,
				maxRejectedMs: Infinity,
				priority: false,
				...ticket,
			});
			if ('closedForMs' in start) throw new Error(`${name} was turned away.`);
			served.push(name);
			return start;
		},
	};
}

describe('The queue', () => {
	const [one, other, third] = [{ execution: 1 }, { execution: 2 }, { execution: 3 }];

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

	test('who was rejected goes first, in the order of rejection, across executions', async () => {
		const { time, served, wait } = limiterOf(1);
		await time.run(wait({}, 'uses up the minute'));
		await time.run(
			Promise.all([
				wait(one, 'a1'),
				wait(one, 'a2'),
				wait(other, 'b1'),
				wait(third, 'c, rejected before', { priority: true }),
				wait(one, 'a, rejected before', { priority: true }),
			]),
		);
		expect(served.slice(1, 3)).toEqual(['c, rejected before', 'a, rejected before']);
		expect(served.slice(3).sort()).toEqual(['a1', 'a2', 'b1']);
	});

	test('a rejection of one closes the gate for all', async () => {
		const { time, limiter, served, wait } = limiterOf(50);
		const start = await time.run(wait(one, 'rejected'));
		const serviceDate = new Date(time.now).toUTCString();
		limiter.rejected(start, { serviceDate, retryAfterMs: 30_000 });
		const closedAt = time.now;
		const rest = Promise.all([wait(other, 'b'), wait(third, 'c')]);
		await time.run(time.sleep(29_999));
		expect(served).toEqual(['rejected']);
		await time.run(rest);
		expect(served).toEqual(['rejected', 'b', 'c']);
		// Nothing had been granted, so one goes ahead before the other.
		expect(time.now - closedAt).toBeLessThan(35_000);
	});

	test('listens once for the stop of an execution, however many of its requests wait', async () => {
		const { wait, time } = limiterOf(1);
		const stop = new AbortController();
		const listen = jest.spyOn(stop.signal, 'addEventListener');
		const names = Array.from({ length: 20 }, (_, index) => String(index));
		const waits = names.map(async (name) =>
			wait(one, name, { signal: stop.signal }).catch((reason: unknown) => reason),
		);
		stop.abort(new Error('stopped by the user'));
		const outcomes = await time.run(Promise.all(waits));
		expect(outcomes.filter((outcome) => outcome === stop.signal.reason)).toHaveLength(19);
		expect(listen).toHaveBeenCalledTimes(1);
	});

	test.each([false, true])(
		'who is stopped leaves at once, and the others keep their places (priority: %s)',
		async (priority) => {
			const { time, served, wait } = limiterOf(1);
			await time.run(wait(one, 'first'));
			const stop = new AbortController();
			const stopped = wait(one, 'stopped', { priority, signal: stop.signal }).then(
				() => 'served',
				(reason: Error) => reason.message,
			);
			const others = Promise.all([wait(one, 'a'), wait(other, 'b')]);
			const before = time.now;
			stop.abort(new Error('stopped by the user'));
			await expect(stopped).resolves.toBe('stopped by the user');
			expect(time.now).toBe(before);
			await time.run(others);
			expect(served).toEqual(['first', 'a', 'b']);
		},
	);

	test('who is stopped already does not join the queue', async () => {
		const { wait, served } = limiterOf(1);
		const reason = new Error('stopped before');
		await expect(wait(one, 'a', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
		expect(served).toEqual([]);
	});

	test('a stop after the start changes nothing', async () => {
		const { time, wait } = limiterOf(1);
		const stop = new AbortController();
		await time.run(wait(one, 'served', { signal: stop.signal }));
		stop.abort();
		// Nobody is left in the queue, so a later one is served as usual.
		await time.run(wait(other, 'later'));
	});
});

describe('A window that the service has closed', () => {
	const waiting = { limit: 50, maxRejectedMs: 10 * MINUTE, priority: false };
	const failing = { ...waiting, maxRejectedMs: 0 };

	/** A limiter whose request was rejected just now. */
	async function closedFor(seconds: number) {
		const gate = limiterOf(50);
		const { time, limiter, wait } = gate;
		const serviceDate = new Date(time.now).toUTCString();
		limiter.rejected(await time.run(wait({}, 'rejected')), {
			serviceDate,
			retryAfterMs: seconds * 1000,
		});
		return gate;
	}

	test('turns away at once who does not wait, and only while it is closed', async () => {
		const { time, limiter } = await closedFor(30);
		const closedAt = time.now;
		expect(await time.run(limiter.acquire({}, failing))).toEqual({
			closedForMs: 30_000,
			rejectedForMs: 0,
		});
		expect(time.now).toBe(closedAt);
		await time.run(time.sleep(30_000));
		expect(await time.run(limiter.acquire({}, failing))).toMatchObject({ at: time.now });
	});

	test('turns away who is in the queue already', async () => {
		const { time, limiter, wait } = limiterOf(1);
		const start = await time.run(wait({}, 'uses up the minute'));
		const execution = {};
		const [first, second] = [
			limiter.acquire(execution, { ...failing, limit: 1 }),
			limiter.acquire(execution, { ...waiting, limit: 1 }),
		];
		limiter.rejected(start, { retryAfterMs: 20_000 });
		const closedAt = time.now;
		expect(await time.run(first)).toHaveProperty('closedForMs');
		expect(time.now - closedAt).toBeLessThan(1000);
		expect(await time.run(second)).toHaveProperty('at');
		expect(time.now - closedAt).toBeGreaterThanOrEqual(20_000);
	});

	test('turns everybody away after ten minutes without an accepted request', async () => {
		const { time, limiter } = await closedFor(60);
		const since = time.now;
		const execution = {};
		for (;;) {
			const outcome = await time.run(limiter.acquire(execution, waiting));
			if ('closedForMs' in outcome) {
				expect(outcome.rejectedForMs).toBe(time.now - since);
				break;
			}
			limiter.rejected(outcome, { retryAfterMs: 60_000 });
		}
		expect(time.now - since).toBeGreaterThanOrEqual(10 * MINUTE);
		expect(time.now - since).toBeLessThan(11 * MINUTE);
	});

	test('begins to count anew with an accepted request, and after a quiet minute', async () => {
		for (const recover of ['accepted', 'quiet']) {
			const { time, limiter } = await closedFor(60);
			for (let count = 0; count < 8; count++) {
				const start = await time.run(limiter.acquire({}, waiting));
				if ('closedForMs' in start) throw new Error('Turned away too early.');
				limiter.rejected(start, { retryAfterMs: 60_000 });
			}
			await time.run(time.sleep(recover === 'quiet' ? 3 * MINUTE : MINUTE));
			const [one, other] = [
				await time.run(limiter.acquire({}, waiting)),
				await time.run(limiter.acquire({}, waiting)),
			];
			if ('closedForMs' in one || 'closedForMs' in other) throw new Error('Turned away.');
			if (recover === 'accepted') limiter.accepted(one);
			await time.run(time.sleep(10));
			limiter.rejected(other, { retryAfterMs: 60_000 });
			const outcome = limiter.acquire({}, { ...waiting, maxRejectedMs: MINUTE });
			await time.run(time.sleep(1000));
			limiter.accepted(other);
			expect(await time.run(outcome)).toHaveProperty('at');
		}
	});
});

describe('Two credentials with the same key', () => {
	test('each request waits by the number of its own credential', async () => {
		const { time, limiter } = limiterOf(50);
		const ticket = { maxRejectedMs: Infinity, priority: false };
		const began = time.now;
		const startedAt = async (execution: object, limit: number) => {
			const start = await limiter.acquire(execution, { ...ticket, limit });
			return 'at' in start ? start.at - began : undefined;
		};
		const [low, high] = [{}, {}];
		const starts = await time.run(
			Promise.all([
				...[1, 2, 3, 4].map(async () => await startedAt(low, 2)),
				...[1, 2, 3, 4].map(async () => await startedAt(high, 5)),
			]),
		);
		// They take turns; five start in the first window, and in the second the low one may go second but not third.
		expect(starts.map((at = NaN) => Math.round(at / MINUTE))).toEqual([0, 0, 1, 2, 0, 0, 0, 1]);
	});

	test('in simulated minutes: the lower number holds, and the higher one is used', async () => {
		const low = { documents: 60, requestsPerMinute: 10 };
		const high = { documents: 150, requestsPerMinute: 50 };
		for (const executions of [
			[low, high],
			[high, low],
		]) {
			const { arrived, windows } = await simulate({
				processes: [{ executions }],
				phaseSeconds: 10,
			});
			expect(arrived).toBe(210);
			const most = (execution: object) =>
				Math.max(...windows.map(({ byExecution }) => byExecution.get(execution) ?? 0));
			expect(most(low)).toBeLessThanOrEqual(10);
			expect(windows.slice(0, 3).map(({ requests }) => requests)).toEqual([50, 50, 50]);
			// With the key to itself it has all of its own number.
			expect(windows.slice(4, -1).map(({ requests }) => requests)).toEqual(
				windows.slice(4, -1).map(() => 10),
			);
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
		expect(limiters.forAccount({ ...account })).toBe(limiter);
		expect(limiters.forAccount({ ...account, requestsPerMinute: 10 })).toBe(limiter);
		expect(limiters.forAccount({ ...account, apiKey: 'xtkt_live_secret_two' })).not.toBe(limiter);
		expect(limiters.forAccount({ ...account, baseUrl: 'https://two.example' })).not.toBe(limiter);
	});

	test('keep no key', () => {
		const limiters = new Limiters();
		limiters.forAccount(account);
		const set = jest.spyOn(Map.prototype, 'set');
		limiters.forAccount(account);
		const names = set.mock.calls.map(([name]) => String(name));
		set.mockRestore();
		expect(names).toHaveLength(1);
		expect(inspect([names, limiters], { depth: 10, showHidden: true })).not.toContain('secret');
	});
});

type Settings = Partial<Scenario> & Pick<Scenario, 'processes'>;

interface Run extends Outcome {
	settings: Settings;
	ideal: number;
	rejected: number;
	/** Of the requests after the first window in which the limit was reached. */
	laterShare: number;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const table: Array<Record<string, string | number>> = [];

// `SHOW_SIMULATION=1` prints what the limiter reached.
afterAll(() => {
	if (process.env.SHOW_SIMULATION !== undefined) console.table(table);
});

const ideals = new Map<string, Promise<number>>();

/** Perfect knowledge needs no clock and no Retry-After, so these make no difference to it. */
async function idealOf({ processes, ...settings }: Settings): Promise<number> {
	const same = {
		...settings,
		processes: processes.map(({ executions }) => ({ executions })),
		retryAfter: true,
	};
	const name = JSON.stringify(same);
	const ideal = ideals.get(name) ?? idealSeconds(same);
	ideals.set(name, ideal);
	return await ideal;
}

async function runAll(name: string, all: Settings[]): Promise<Run[]> {
	const runs: Run[] = [];
	for (const settings of all) {
		const outcome = await simulate(settings);
		const firstFull = outcome.windows.findIndex(({ requests }) => requests >= 50);
		const later = outcome.windows.slice(firstFull + 1);
		const rejectedLater = sum(later.map(({ rejected }) => rejected));
		runs.push({
			...outcome,
			settings,
			ideal: await idealOf(settings),
			rejected: sum(outcome.windows.map(({ rejected }) => rejected)),
			laterShare:
				rejectedLater === 0 ? 0 : rejectedLater / sum(later.map(({ requests }) => requests)),
		});
	}
	const most = (figure: (run: Run) => number) => Math.max(...runs.map(figure));
	table.push({
		name,
		runs: runs.length,
		'rejected at most': most(({ rejected }) => rejected),
		'rejected later, % at most': (100 * most(({ laterShare }) => laterShare)).toFixed(1),
		'seconds over ideal at most': most(({ seconds, ideal }) => seconds - ideal).toFixed(1),
		'ratio at most': most(({ seconds, ideal }) => seconds / ideal).toFixed(3),
		'in a window at most': most(({ windows }) =>
			Math.max(...windows.map(({ requests }) => requests)),
		),
	});
	return runs;
}

/** The runs that break a rule, short enough to read; a test expects none. */
function breaking(runs: Run[], rule: (run: Run) => boolean) {
	return runs
		.filter((run) => !rule(run))
		.map(({ settings, seconds, ideal, windows }) =>
			JSON.stringify({
				...settings,
				seconds,
				ideal,
				windows: windows.map(({ requests, rejected }) => `${requests}/${rejected}`).join(' '),
			}),
		);
}

const LATENCIES: Array<Scenario['latencySeconds']> = [3, [1, 8], 0.05];
const PHASES = [0, 5, 30, 45, 52, 57, 59, 59.5, 59.9];
const CLOCKS = [0, 400, -400, 30_000, 90_000, -90_000];

function grid(
	process: (clockWrongByMs: number) => Scenario['processes'],
	clocks: number[],
	more: Partial<Scenario>,
): Settings[] {
	return PHASES.flatMap((phaseSeconds) =>
		[true, false].flatMap((retryAfter) =>
			clocks.map((clockWrongByMs) => ({
				processes: process(clockWrongByMs),
				phaseSeconds,
				retryAfter,
				...more,
			})),
		),
	);
}

describe('One process and 300 documents, in simulated minutes', () => {
	const alone = (clockWrongByMs: number) => [{ executions: [{ documents: 300 }], clockWrongByMs }];

	test.each(LATENCIES)(
		'latency %j s: all arrive, two are rejected at most, within 10 s of what the limit permits',
		async (latencySeconds) => {
			const runs = await runAll(
				`1 process, 10 at a time, latency ${JSON.stringify(latencySeconds)} s`,
				grid(alone, CLOCKS, { latencySeconds }),
			);
			expect(breaking(runs, ({ arrived }) => arrived === 300)).toEqual([]);
			expect(breaking(runs, ({ rejected }) => rejected <= 2)).toEqual([]);
			expect(breaking(runs, ({ seconds, ideal }) => seconds <= ideal + 10)).toEqual([]);
			const rightClock = runs.filter(({ settings }) => settings.processes[0]?.clockWrongByMs === 0);
			expect(
				breaking(rightClock, ({ windows }) => windows.every(({ requests }) => requests <= 50)),
			).toEqual([]);
		},
	);

	test.each(LATENCIES)(
		'latency %j s and 50 at a time: the same, unless a start in the last seconds of a minute counts twice',
		async (latencySeconds) => {
			const runs = await runAll(
				`1 process, 50 at a time, latency ${JSON.stringify(latencySeconds)} s`,
				grid(alone, CLOCKS, { latencySeconds, concurrency: 50 }),
			);
			expect(breaking(runs, ({ arrived, rejected }) => arrived === 300 && rejected <= 2)).toEqual(
				[],
			);
			// A wrong clock makes it uncertain in which minute the first 50 counted: this costs one window at most.
			const early = runs.filter(({ settings }) => (settings.phaseSeconds ?? 0) < 59);
			expect(breaking(early, ({ seconds, ideal }) => seconds <= ideal + 10)).toEqual([]);
			expect(breaking(runs, ({ seconds, ideal }) => seconds <= ideal + 61)).toEqual([]);
		},
	);

	test('without a Date header the limit is kept, a minute after each start', async () => {
		const runs = await runAll(
			'1 process, no Date header',
			grid(alone, [0, 30_000], { date: false }),
		);
		expect(breaking(runs, ({ arrived, rejected }) => arrived === 300 && rejected === 0)).toEqual(
			[],
		);
		expect(breaking(runs, ({ seconds, ideal }) => seconds <= ideal + 61)).toEqual([]);
	});
});

describe('Two processes that share a key, in simulated minutes', () => {
	const CLOCKS_OF_TWO = [0, -400, 45_000];
	const split = (documents: number[]) => (clockWrongByMs: number) =>
		documents.map((count, number) => ({
			executions: [{ documents: count, afterSeconds: number * 0.7 }],
			clockWrongByMs: number === 0 ? clockWrongByMs : -clockWrongByMs / 3,
		}));

	test.each([
		...LATENCIES.map((latency) => ({ documents: [150, 150], latency })),
		...LATENCIES.map((latency) => ({ documents: [250, 50], latency })),
	])(
		'$documents documents, latency $latency s: all arrive, in time, with few rejections',
		async ({ documents, latency }) => {
			const runs = await runAll(
				`2 processes, ${documents.join(' and ')}, latency ${JSON.stringify(latency)} s`,
				grid(split(documents), CLOCKS_OF_TWO, { latencySeconds: latency }),
			);
			expect(breaking(runs, ({ arrived }) => arrived === 300)).toEqual([]);
			expect(breaking(runs, ({ laterShare }) => laterShare <= 0.1)).toEqual([]);
			expect(breaking(runs, ({ seconds, ideal }) => seconds <= 1.15 * ideal)).toEqual([]);
			expect(breaking(runs, ({ mostRejections }) => mostRejections <= 5)).toEqual([]);
		},
	);

	test.each([[[150, 150]], [[250, 50]]])(
		'%j documents and 50 at a time: all arrive, in time',
		async (documents) => {
			const runs = await runAll(
				`2 processes, ${documents.join(' and ')}, 50 at a time`,
				grid(split(documents), CLOCKS_OF_TWO, { concurrency: 50 }),
			);
			expect(breaking(runs, ({ arrived }) => arrived === 300)).toEqual([]);
			expect(breaking(runs, ({ seconds, ideal }) => seconds <= 1.15 * ideal)).toEqual([]);
			// Who starts so many at once in the last seconds of a minute learns nothing from that minute.
			const early = runs.filter(({ settings }) => (settings.phaseSeconds ?? 0) < 57);
			expect(breaking(early, ({ laterShare }) => laterShare <= 0.1)).toEqual([]);
		},
	);

	test.each([
		[1, 0.33],
		[86_400, 0.1],
	])(
		'Retry-After is always %i s: all arrive, in time, and no more than %f are rejected',
		async (wrongRetryAfter, mostRejected) => {
			const runs = await runAll(
				`2 processes, 150 and 150, Retry-After always ${wrongRetryAfter} s`,
				grid(split([150, 150]), CLOCKS_OF_TWO, { wrongRetryAfter }).filter(
					({ retryAfter }) => retryAfter,
				),
			);
			expect(breaking(runs, ({ arrived }) => arrived === 300)).toEqual([]);
			expect(breaking(runs, ({ seconds, ideal }) => seconds <= 1.5 * ideal)).toEqual([]);
			expect(breaking(runs, ({ laterShare }) => laterShare <= mostRejected)).toEqual([]);
		},
	);

	test('without a Date header all arrive', async () => {
		const runs = await runAll(
			'2 processes, 150 and 150, no Date header',
			grid(split([150, 150]), [0], { date: false }),
		);
		expect(breaking(runs, ({ arrived }) => arrived === 300)).toEqual([]);
		expect(breaking(runs, ({ seconds, ideal }) => seconds <= 2 * ideal)).toEqual([]);
	});

	test('who is left alone soon has the whole window', async () => {
		const { windows, arrived } = await simulate({
			processes: [{ executions: [{ documents: 400 }] }, { executions: [{ documents: 60 }] }],
			phaseSeconds: 10,
		});
		expect(arrived).toBe(460);
		// No window between the first and the last is left unused, so the first process took what the other gave up.
		expect(windows.slice(0, -1).map(({ requests, rejected }) => requests - rejected)).toEqual(
			windows.slice(0, -1).map(() => 50),
		);
	});
});

test('three executions in a process share its limiter fairly', async () => {
	const { ends, arrived, windows } = await simulate({
		processes: [
			{
				executions: [
					{ documents: 500 },
					{ documents: 5, afterSeconds: 100 },
					{ documents: 100, afterSeconds: 20 },
				],
			},
		],
		phaseSeconds: 10,
	});
	expect(arrived).toBe(605);
	expect(sum(windows.map(({ rejected }) => rejected))).toBe(0);
	const [[long = 0, short = 0, middle = 0] = []] = ends;
	// The one with five documents begins when the window is used up: it ends early in the next one.
	expect(short).toBeLessThan(100 + 60 + 10);
	// 100 of 50 a minute shared by two, where waiting behind the long one would end after 600.
	expect(middle).toBeLessThan(300);
	expect(long).toBeGreaterThan(600);
});
