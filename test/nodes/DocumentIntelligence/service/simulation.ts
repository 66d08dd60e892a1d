import { Limiter } from '../../../../nodes/DocumentIntelligence/service/limiter';
import type { Clock } from '../../../../nodes/DocumentIntelligence/waiting/waiting';

/** Minutes of waiting in milliseconds: time jumps to whatever happens next. */
export class SimulatedTime {
	#now: number;

	/** What is to happen, by time; what was planned first happens first. */
	#plans: Array<{ at: number; happen: () => void }> = [];

	constructor(start: number) {
		this.#now = start;
	}

	get now(): number {
		return this.#now;
	}

	async sleep(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.#plan(this.#now + Math.max(0, ms), resolve));
	}

	/** As a process sees it whose clock is wrong. */
	clock(wrongBy = 0): Clock {
		return { now: () => this.#now + wrongBy, sleep: async (ms) => await this.sleep(ms) };
	}

	/** Runs until the work is done. Throws where nothing more will happen, so that a lost waiter is noticed. */
	async run<T>(work: Promise<T>): Promise<T> {
		let done = false;
		const watched = work.finally(() => {
			done = true;
		});
		watched.catch(() => undefined);
		for (;;) {
			// Lets everybody act who was woken.
			await new Promise<void>((go) => process.nextTick(go));
			if (done) return await watched;
			const next = this.#plans.shift();
			if (next === undefined) throw new Error('Everybody waits, and nothing will happen any more.');
			this.#now = next.at;
			next.happen();
		}
	}

	#plan(at: number, happen: () => void): void {
		let low = 0;
		for (let high = this.#plans.length; low < high;) {
			const middle = (low + high) >> 1;
			if ((this.#plans[middle]?.at ?? 0) <= at) low = middle + 1;
			else high = middle;
		}
		this.#plans.splice(low, 0, { at, happen });
	}
}

/** The same numbers for the same seed, from 0 to 1. */
export function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

export interface SimulatedExecution {
	documents: number;
	/** Seconds after the start of the simulation. */
	afterSeconds?: number;
}

export interface SimulatedProcess {
	executions: SimulatedExecution[];
	/** How far the process's clock is ahead of the service's, in milliseconds. */
	clockWrongByMs?: number;
}

export interface Scenario {
	processes: SimulatedProcess[];
	/** Seconds into the minute, by the service's clock, at which everything starts. */
	phaseSeconds: number;
	retryAfter: boolean;
	/** When the service writes the Date header of an answer. */
	date: 'before the work' | 'after the work' | 'none';
}

export interface Outcome {
	/** Of everything, in seconds after the start. */
	seconds: number;
	arrived: number;
	/** Requests that reached the service by its windows, the first of which is that of the start, and how many of them it rejected. */
	windows: SimulatedWindow[];
}

interface SimulatedWindow {
	requests: number;
	rejected: number;
}

const NEVER = new AbortController().signal;

const WINDOW_MS = 60_000;

/** Any minute; what matters is that it is a whole one. */
const EPOCH = 30_000_000 * WINDOW_MS;

const USUAL: Omit<Scenario, 'processes'> = {
	phaseSeconds: 0,
	retryAfter: true,
	date: 'after the work',
};

const REQUESTS = 50;

const CONCURRENCY = 10;

/** Between the arrival of a request and its answer. */
const LATENCY_SECONDS = 3;

/** The service's side: a fixed window that resets on the minute (docs/internals/service-contract.md, limits). */
class SimulatedService {
	readonly windows = new Map<number, SimulatedWindow>();

	constructor(
		private readonly time: SimulatedTime,
		private readonly random: () => number,
		private readonly scenario: Scenario,
	) {}

	/** @returns whether it was rejected, its Date header and its Retry-After, as a limiter is told them */
	async request(): Promise<[boolean, string | undefined, number | undefined]> {
		const { retryAfter, date } = this.scenario;
		await this.#travel();
		const window = this.#window();
		const arrivedAt = this.time.now;
		window.requests += 1;
		const rejected = window.requests - window.rejected > REQUESTS;
		let retryAfterMs: number | undefined;
		if (rejected) {
			window.rejected += 1;
			const seconds = Math.ceil((WINDOW_MS - (this.time.now % WINDOW_MS)) / 1000);
			if (retryAfter) retryAfterMs = seconds * 1000;
		} else {
			await this.time.sleep(LATENCY_SECONDS * 1000);
		}
		const writtenAt = date === 'before the work' ? arrivedAt : this.time.now;
		const header = date === 'none' ? undefined : new Date(writtenAt).toUTCString();
		await this.#travel();
		return [rejected, header, retryAfterMs];
	}

	#window(): SimulatedWindow {
		const number = Math.floor(this.time.now / WINDOW_MS);
		const window = this.windows.get(number) ?? { requests: 0, rejected: 0 };
		this.windows.set(number, window);
		return window;
	}

	async #travel(): Promise<void> {
		await this.time.sleep(1 + this.random() * 199);
	}
}

export type Settings = Partial<Scenario> & Pick<Scenario, 'processes'>;

export async function simulate(settings: Settings): Promise<Outcome> {
	const scenario = { ...USUAL, ...settings };
	const began = EPOCH + scenario.phaseSeconds * 1000;
	const time = new SimulatedTime(began);
	const random = seededRandom(1);
	const service = new SimulatedService(time, random, scenario);
	let arrived = 0;

	/** The loop of `exchange`, with the simulated service in place of the network. */
	const send = async (limiter: Limiter, execution: SimulatedExecution): Promise<void> => {
		for (let rejections = 0; rejections < 100; rejections++) {
			const isRejected = rejections > 0;
			const start = await limiter.acquire({ execution, isRejected, signal: NEVER });
			if (start === undefined) return;
			const answer = await service.request();
			limiter.recordResponse(start, ...answer);
			if (!answer[0]) {
				arrived += 1;
				return;
			}
		}
	};

	const execute = async (limiter: Limiter, execution: SimulatedExecution) => {
		const { documents, afterSeconds = 0 } = execution;
		await time.sleep(afterSeconds * 1000);
		let left = documents;
		const worker = async () => {
			while (left > 0) {
				left -= 1;
				await send(limiter, execution);
			}
		};
		await Promise.all(Array.from({ length: Math.min(CONCURRENCY, documents) }, worker));
	};

	await time.run(
		Promise.all(
			scenario.processes.map(async ({ executions, clockWrongByMs }) => {
				const limiter = new Limiter(time.clock(clockWrongByMs), REQUESTS);
				await Promise.all(executions.map(async (execution) => await execute(limiter, execution)));
			}),
		),
	);
	return {
		seconds: (time.now - began) / 1000,
		arrived,
		windows: [...service.windows].sort(([one], [other]) => one - other).map(([, window]) => window),
	};
}

export interface SimulatedRun extends Outcome {
	settings: Settings;
	rejected: number;
	/** Of the requests after the first window in which the limit was reached. */
	laterShare: number;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

export async function simulateAll(all: Settings[]): Promise<SimulatedRun[]> {
	const runs: SimulatedRun[] = [];
	for (const settings of all) {
		const outcome = await simulate(settings);
		const firstFull = outcome.windows.findIndex(({ requests }) => requests >= 50);
		const later = outcome.windows.slice(firstFull + 1);
		const rejectedLater = sum(later.map(({ rejected }) => rejected));
		runs.push({
			...outcome,
			settings,
			rejected: sum(outcome.windows.map(({ rejected }) => rejected)),
			laterShare: rejectedLater / Math.max(1, sum(later.map(({ requests }) => requests))),
		});
	}
	return runs;
}

/** The seconds that the limit permits, if the last window takes all that it can. */
export function permitted(documents: number, { phaseSeconds = 0 }: Settings): number {
	const windows = Math.ceil(documents / REQUESTS) - 1;
	return windows * 60 - phaseSeconds + (REQUESTS / CONCURRENCY) * LATENCY_SECONDS;
}

/** The runs that break a rule, short enough to read; a test expects none. */
export function breaking(runs: SimulatedRun[], rule: (run: SimulatedRun) => boolean): string[] {
	return runs
		.filter((run) => !rule(run))
		.map(({ settings, seconds, windows }) => {
			const counts = windows.map(({ requests, rejected }) => `${requests}/${rejected}`);
			return JSON.stringify({ ...settings, seconds, windows: counts.join(' ') });
		});
}

/** The processes at each phase of the minute, with right and wrong clocks, with and without Retry-After. */
export function grid(
	processes: SimulatedProcess[],
	{ phases, ...more }: Partial<Scenario> & { phases: number[] },
): Settings[] {
	return phases.flatMap((phaseSeconds) =>
		[true, false].flatMap((retryAfter) =>
			[0, -400, 45_000].map((clock) => ({
				processes: processes.map((process, number) => ({
					...process,
					clockWrongByMs: number === 0 ? clock : -clock / 3,
				})),
				phaseSeconds,
				retryAfter,
				...more,
			})),
		),
	);
}
