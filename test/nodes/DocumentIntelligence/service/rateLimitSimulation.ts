import { readAnswer } from '../../../../nodes/DocumentIntelligence/service/envelope';
import {
	sendWithRetries,
	type Session,
} from '../../../../nodes/DocumentIntelligence/service/exchange';
import { Limiter } from '../../../../nodes/DocumentIntelligence/service/limiter';
import type { RequestError } from '../../../../nodes/DocumentIntelligence/service/requestError';
import { Slots } from '../../../../nodes/DocumentIntelligence/waiting/waiting';
import { sessionWith, type SimulatedAnswer } from './simulatedSession';
import { seededRandom, SimulatedTime } from '../../clock';

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

	async answer(): Promise<SimulatedAnswer> {
		const { retryAfter, date } = this.scenario;
		await this.#travel();
		const window = this.#window();
		const arrivedAt = this.time.now;
		window.requests += 1;
		const rejected = window.requests - window.rejected > REQUESTS;
		const headers: Record<string, string> = {};
		if (rejected) {
			window.rejected += 1;
			const seconds = Math.ceil((WINDOW_MS - (this.time.now % WINDOW_MS)) / 1000);
			if (retryAfter) headers['retry-after'] = String(seconds);
		} else {
			await this.time.sleep(LATENCY_SECONDS * 1000);
		}
		const writtenAt = date === 'before the work' ? arrivedAt : this.time.now;
		if (date !== 'none') headers.date = new Date(writtenAt).toUTCString();
		await this.#travel();
		return { status: rejected ? 429 : 200, data: rejected ? null : {}, headers };
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

/** One document as a run sends it, apart from its file. */
const REQUEST = {
	method: 'POST',
	path: '/Document/extraction',
	timeoutSeconds: 300,
	subject: 'a document',
	processes: 'document',
} as const;

/** The executions of all processes, by the product's own limiter and exchange; only the network and the time are simulated. */
export async function simulate(settings: Settings): Promise<Outcome> {
	const scenario = { ...USUAL, ...settings };
	const began = EPOCH + scenario.phaseSeconds * 1000;
	const time = new SimulatedTime(began);
	const service = new SimulatedService(time, seededRandom(1), scenario);
	const answer = async () => await service.answer();
	let arrived = 0;

	const execute = async (session: Session, { documents, afterSeconds = 0 }: SimulatedExecution) => {
		await time.sleep(afterSeconds * 1000);
		await new Slots(CONCURRENCY).map(Array.from({ length: documents }), async () => {
			const failed = (error: RequestError) => error;
			const result = await sendWithRetries(session, REQUEST, readAnswer).catch(failed);
			if (!(result instanceof Error)) arrived += 1;
		});
	};

	await time.run(
		Promise.all(
			scenario.processes.map(async ({ executions, clockWrongByMs }) => {
				const clock = time.clock(clockWrongByMs);
				const limiter = new Limiter(clock, REQUESTS);
				await Promise.all(
					executions.map(
						async (execution) => await execute(sessionWith({ clock, limiter, answer }), execution),
					),
				);
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
