import { DocumentError } from '../../text/errors';
import type { Session } from '../session';
import { cancelJob, getJob, listJobs, type CallSettings } from './calls';
import { hasEnded, jobKey, lacksResult, type Job, type JobList } from './job';
import { KEY_REJECTED, notAwaited, notFetched } from './jobResult';

/** Before the first check, if the service suggests nothing. */
const FIRST_PAUSE_MS = 2_000;

/** Checks grow apart from there, so that long jobs take few requests. */
const MAX_PAUSE_MS = 15_000;

const GROWTH = 1.5;

/** The longest sleep before it is seen that the execution was stopped. */
const SLICE_MS = 200;

/** After so many checks in a row that do not show it, a job is asked for by its ID: a list may lag behind, or fail. */
const MAX_UNSEEN = 2;

/** How often in a row the service may not know a job that it has accepted, or not where the result is. */
const MAX_BEHIND = 3;

/** A request that is not answered is not waited for any longer: the next check asks the same. */
const MAX_CHECK_SECONDS = 30;

/** The share of a wait that one check may take: its beginning, and the time for its answer. */
const CHECK_SHARE = 0.25;

/** How long a stop may wait for jobs to be cancelled. */
const CANCEL_MS = 700;

/** How a job is waited for. */
export interface Wait {
	/** The document, if it is known. */
	subject: string | undefined;
	/** What the service suggests to wait. */
	firstPauseMs?: number;
	/** Whether this execution has submitted it, so that a stop cancels it before it begins. */
	isOurs?: boolean;
}

interface Waiter extends Wait {
	job: Job;
	timeoutSeconds: number;
	/** By the session's clock. */
	deadline: number;
	/** Checks in a row that did not show it. */
	unseen: number;
	/** Times in a row that the service did not know it, or nothing of its result. */
	behind: number;
	resolve: (job: Job) => void;
	reject: (reason: unknown) => void;
}

/**
 * Waits for the jobs of an execution, all of them with one request for the list of jobs, at the pace that the service
 * suggests.
 */
export class JobWatch {
	/** Several may wait for the same job. */
	readonly #waiting = new Set<Waiter>();

	/** A failed request is not retried, since the next check asks the same. */
	readonly #settings: CallSettings;

	#isRunning = false;

	#isChecking = false;

	/** When the next check is due, by the session's clock. */
	#nextCheck = Infinity;

	#pauseMs = FIRST_PAUSE_MS;

	/** A copy has a place of its own in the queue of the rate limit, so that checks and submissions take turns. */
	readonly #session: Session;

	constructor(session: Session, { timeoutSeconds }: CallSettings) {
		this.#session = { ...session };
		const seconds = Math.min(Math.ceil(timeoutSeconds * CHECK_SHARE), MAX_CHECK_SECONDS);
		this.#settings = { timeoutSeconds: seconds, retries: 0 };
	}

	/**
	 * @returns the job when it has ended
	 * @throws DocumentError with the job's ID
	 */
	async ended(job: Job, timeoutSeconds: number, wait: Wait): Promise<Job> {
		if (hasEnded(job) && !lacksResult(job)) return job;
		const now = this.#session.clock.now();
		const waitMs = timeoutSeconds * 1000;
		const { firstPauseMs = 0 } = wait;
		return await new Promise((resolve, reject) => {
			const counts = { timeoutSeconds, deadline: now + waitMs, unseen: 0, behind: 0 };
			this.#waiting.add({ ...wait, ...counts, job, resolve, reject });
			this.#pauseMs = Math.min(Math.max(firstPauseMs, FIRST_PAUSE_MS), waitMs * CHECK_SHARE);
			this.#nextCheck = Math.min(this.#nextCheck, now + this.#pauseMs);
			if (!this.#isRunning) void this.#run();
		});
	}

	async #run(): Promise<void> {
		this.#isRunning = true;
		const { clock, signal } = this.#session;
		while (this.#waiting.size > 0) {
			if (signal.aborted) {
				await this.#stop();
				// Jobs that were submitted meanwhile are stopped in turn.
				continue;
			}
			for (const waiter of [...this.#waiting]) {
				if (clock.now() < waiter.deadline) continue;
				this.#giveUp(waiter, notAwaited(waiter, { seconds: waiter.timeoutSeconds }));
			}
			// Not awaited, so that deadlines are kept while a check waits for its answer.
			if (!this.#isChecking && clock.now() >= this.#nextCheck) void this.#check();
			const untilCheck = this.#isChecking ? SLICE_MS : this.#nextCheck - clock.now();
			await clock.sleep(Math.min(SLICE_MS, untilCheck));
		}
		this.#nextCheck = Infinity;
		this.#isRunning = false;
	}

	async #check(): Promise<void> {
		const before = this.#waiting.size;
		this.#isChecking = true;
		try {
			const listed = await this.#list();
			for (const waiter of [...this.#waiting])
				this.#see(waiter, listed?.get(jobKey(waiter.job.jobId)));
			// Those that the list shows as ended do not wait for these.
			for (const waiter of [...this.#waiting])
				if (waiter.unseen >= MAX_UNSEEN || lacksResult(waiter.job)) await this.#ask(waiter);
		} catch (refusal) {
			for (const waiter of [...this.#waiting]) this.#giveUp(waiter, refusal);
		}
		this.#pauseMs =
			this.#waiting.size < before ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * GROWTH, MAX_PAUSE_MS);
		this.#nextCheck = this.#session.clock.now() + this.#pauseMs;
		this.#isChecking = false;
	}

	/**
	 * @returns undefined for a failure that may pass
	 * @throws DocumentError if the service rejects the key
	 */
	async #list(): Promise<JobList['jobs'] | undefined> {
		try {
			return (await listJobs(this.#session, this.#settings)).jobs;
		} catch (thrown) {
			if (KEY_REJECTED.has(statusOf(thrown))) throw thrown as Error;
			return undefined;
		}
	}

	/** @throws DocumentError if the service rejects the key */
	async #ask(waiter: Waiter): Promise<void> {
		// Its wait may have ended while others were asked for.
		if (!this.#waiting.has(waiter)) return;
		waiter.unseen = 0;
		try {
			const job = await getJob(this.#session, waiter.job.jobId, this.#settings);
			this.#see(waiter, job);
			if (lacksResult(job) && ++waiter.behind >= MAX_BEHIND) this.#end(waiter);
		} catch (thrown) {
			const status = statusOf(thrown);
			if (KEY_REJECTED.has(status)) throw thrown as Error;
			if (status === GONE || (status === UNKNOWN && ++waiter.behind >= MAX_BEHIND))
				this.#giveUp(waiter, thrown);
		}
	}

	/** @param job undefined for one that a list does not show */
	#see(waiter: Waiter, job: Job | undefined): void {
		waiter.unseen = job === undefined ? waiter.unseen + 1 : 0;
		waiter.job = job ?? waiter.job;
		if (job === undefined || lacksResult(job)) return;
		waiter.behind = 0;
		if (hasEnded(job)) this.#end(waiter);
	}

	#end(waiter: Waiter): void {
		this.#waiting.delete(waiter);
		waiter.resolve(waiter.job);
	}

	#giveUp(waiter: Waiter, reason: unknown): void {
		this.#waiting.delete(waiter);
		const { job, subject } = waiter;
		waiter.reject(notFetched(this.#session, reason, job.jobId, subject));
	}

	/** Cancels what was submitted and not begun: it is not billed then. */
	async #stop(): Promise<void> {
		const { clock, cancelled } = this.#session;
		const waiters = [...this.#waiting];
		this.#waiting.clear();
		const deadline = AbortSignal.timeout(CANCEL_MS);
		const session = { ...this.#session, signal: deadline, cancelled: deadline };
		const cancelling = waiters
			.filter(({ job, isOurs }) => isOurs && job.status === 'Queued')
			.map(async ({ job }) => await cancelJob(session, job.jobId, this.#settings));
		await Promise.race([Promise.allSettled(cancelling), clock.sleep(CANCEL_MS)]);
		const reason = { hasStopped: cancelled.aborted };
		for (const waiter of waiters) this.#giveUp(waiter, notAwaited(waiter, reason));
	}
}

const GONE = 410;
const UNKNOWN = 404;

function statusOf(thrown: unknown): number {
	return thrown instanceof DocumentError ? (thrown.details.httpCode ?? 0) : 0;
}
