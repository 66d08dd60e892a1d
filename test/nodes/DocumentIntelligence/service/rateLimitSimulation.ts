import { readAnswer } from '../../../../nodes/DocumentIntelligence/service/envelope';
import { sendWithRetries } from '../../../../nodes/DocumentIntelligence/service/exchange';
import { Limiter } from '../../../../nodes/DocumentIntelligence/service/limiter';
import { Slots } from '../../../../nodes/DocumentIntelligence/waiting/waiting';
import { sessionWith, type SimulatedAnswer } from './simulatedSession';
import { seededRandom, SimulatedTime } from '../../clock';

interface SimulatedProcess {
	executions: Array<{ documents: number; afterSeconds?: number }>;
	/** How far the process's clock is ahead of the service's, in milliseconds. */
	clockWrongByMs?: number;
}

interface Settings {
	processes: SimulatedProcess[];
	/** Seconds into the minute, by the service's clock, at which everything starts. */
	phaseSeconds?: number;
	retryAfter?: boolean;
	/** When the service writes the Date header of an answer. */
	date?: 'before the work' | 'after the work' | 'none';
}

interface SimulatedWindow {
	requests: number;
	rejected: number;
}

export type SimulatedRun = Awaited<ReturnType<typeof simulate>>;

const WINDOW_MS = 60_000;

/** Any minute; what matters is that it is a whole one. */
const EPOCH = 30_000_000 * WINDOW_MS;

const REQUESTS = 50;

const CONCURRENCY = 10;

/** Between the arrival of a request and its answer. */
const LATENCY_SECONDS = 3;

/** The service's side: a fixed window that resets on the minute (docs/internals/service-contract.md, limits). */
function simulatedService(
	time: SimulatedTime,
	{ retryAfter = true, date = 'after the work' }: Settings,
) {
	const windows = new Map<number, SimulatedWindow>();
	const random = seededRandom(1);
	const travel = async () => await time.sleep(1 + random() * 199);
	const answer = async (): Promise<SimulatedAnswer> => {
		await travel();
		const arrivedAt = time.now;
		const number = Math.floor(arrivedAt / WINDOW_MS);
		const window = windows.get(number) ?? { requests: 0, rejected: 0 };
		windows.set(number, window);
		window.requests += 1;
		const isRejected = window.requests - window.rejected > REQUESTS;
		const headers: Record<string, string> = {};
		if (isRejected) {
			window.rejected += 1;
			const seconds = Math.ceil((WINDOW_MS - (arrivedAt % WINDOW_MS)) / 1000);
			if (retryAfter) headers['retry-after'] = String(seconds);
		} else {
			await time.sleep(LATENCY_SECONDS * 1000);
		}
		const writtenAt = date === 'before the work' ? arrivedAt : time.now;
		if (date !== 'none') headers.date = new Date(writtenAt).toUTCString();
		await travel();
		return { status: isRejected ? 429 : 200, data: isRejected ? null : {}, headers };
	};
	return { windows, answer };
}

/** One document as a run sends it, apart from its file. */
const REQUEST = {
	method: 'POST',
	path: '/Document/extraction',
	timeoutSeconds: 300,
	subject: 'a document',
	processes: 'document',
} as const;

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** The executions of all processes, by the product's own limiter and exchange; only the network and the time are simulated. */
export async function simulate(settings: Settings) {
	const { processes, phaseSeconds = 0 } = settings;
	const began = EPOCH + phaseSeconds * 1000;
	const time = new SimulatedTime(began);
	const service = simulatedService(time, settings);
	let arrived = 0;

	const executions = processes.flatMap(({ executions: own, clockWrongByMs }) => {
		const clock = time.clock(clockWrongByMs);
		const limiter = new Limiter(clock, REQUESTS);
		return own.map(async ({ documents, afterSeconds = 0 }) => {
			const session = sessionWith({ clock, limiter, answer: service.answer });
			await time.sleep(afterSeconds * 1000);
			await new Slots(CONCURRENCY).map(Array.from({ length: documents }), async () => {
				const sending = sendWithRetries(session, REQUEST, readAnswer);
				await sending.then(
					() => (arrived += 1),
					() => undefined,
				);
			});
		});
	});
	await time.run(Promise.all(executions));

	/** By the service's clock; the first is that of the start. */
	const windows = [...service.windows]
		.sort(([one], [other]) => one - other)
		.map(([, window]) => window);
	const firstFull = windows.findIndex(({ requests }) => requests >= REQUESTS);
	const later = windows.slice(firstFull + 1);
	const rejectedIn = (some: SimulatedWindow[]) => sum(some.map(({ rejected }) => rejected));
	return {
		settings,
		/** Of everything, after the start. */
		seconds: (time.now - began) / 1000,
		arrived,
		windows,
		rejected: rejectedIn(windows),
		/** Of the requests after the first window in which the limit was reached. */
		laterShare: rejectedIn(later) / Math.max(1, sum(later.map(({ requests }) => requests))),
	};
}

export async function simulateAll(all: Settings[]): Promise<SimulatedRun[]> {
	const runs: SimulatedRun[] = [];
	for (const settings of all) runs.push(await simulate(settings));
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
	{ phases, date }: Pick<Settings, 'date'> & { phases: number[] },
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
				date,
			})),
		),
	);
}
