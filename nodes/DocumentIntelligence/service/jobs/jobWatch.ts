import { SLICE_MS } from '../limiter';
import type { Session } from '../session';
import { cancelJob, getJob, listJobs } from './calls';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { notFetched, notFinished, statusOf } from './jobResult';

/** Before the first check, if the service suggests nothing. */
const FIRST_PAUSE_MS = 2_000;

/** Checks grow apart from there, so that long jobs take few requests. */
const MAX_PAUSE_MS = 15_000;

const GROWTH = 1.5;

/** Checks in a row without the job. At each second one it is asked for by its ID, because a list may lag or fail. */
const MAX_MISSES = 6;

/** A failed request is not retried, and not waited for any longer, since the next check asks the same. */
const SETTINGS = { timeoutSeconds: 15, retries: 0 };

/** Statuses that end the wait for a job: the key is rejected, or the job is not kept any longer. */
const FINAL = new Set([401, 403, 410]);

/** How long a stop may wait for jobs to be cancelled. */
const CANCEL_MS = 700;

export interface Wait {
	subject: string | undefined;
	firstPauseMs?: number;
	/** Whether this execution has submitted it, so that a stop cancels it before it begins. */
	isOurs?: boolean;
}

interface Waiter extends Wait {
	job: Job;
	timeoutSeconds: number;
	deadline: number;
	/** Checks in a row that said nothing of it, or nothing of its result. */
	misses: number;
	resolve: (job: Job) => void;
	reject: (reason: unknown) => void;
}

/** Waits for all jobs of an execution with one request for the list of jobs, at the pace that Cogneris suggests. */
export class JobWatch {
	/** Several may wait for the same job. */
	readonly #waiting = new Set<Waiter>();
	#isRunning = false;
	#isChecking = false;
	/** When the next check is due, by the session's clock. */
	#nextCheck = Infinity;
	#pauseMs = FIRST_PAUSE_MS;
	/** A copy has a place of its own in the queue of the rate limit, so that checks and submissions take turns. */
	readonly #session: Session;

	constructor(session: Session) {
		this.#session = { ...session };
	}

	async ended(job: Job, timeoutSeconds: number, wait: Wait): Promise<Job> {
		if (hasEnded(job) && !lacksResult(job)) return job;
		const now = this.#session.clock.now();
		const waitMs = timeoutSeconds * 1000;
		const deadline = now + waitMs;
		const pauseMs = Math.max(wait.firstPauseMs ?? 0, FIRST_PAUSE_MS);
		return await new Promise((resolve, reject) => {
			this.#waiting.add({ ...wait, job, timeoutSeconds, deadline, misses: 0, resolve, reject });
			// Early enough that the answer is there before the wait ends.
			this.#pauseMs = Math.min(pauseMs, waitMs / 4);
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
			for (const waiter of this.#waiting) {
				const { job, subject, timeoutSeconds, deadline } = waiter;
				if (clock.now() >= deadline)
					this.#giveUp(waiter, notFinished(job.jobId, subject, timeoutSeconds));
			}
			// Not awaited, so that deadlines are kept while a check waits for its answer.
			if (!this.#isChecking && clock.now() >= this.#nextCheck) void this.#check();
			await clock.sleep(SLICE_MS);
		}
		this.#nextCheck = Infinity;
		this.#isRunning = false;
	}

	async #check(): Promise<void> {
		const before = this.#waiting.size;
		this.#isChecking = true;
		const listed = await listJobs(this.#session, SETTINGS).catch(() => undefined);
		for (const waiter of this.#waiting) {
			waiter.misses += 1;
			const job = listed?.jobs.get(jobKey(waiter.job.jobId));
			if (job !== undefined) this.#see(waiter, job);
		}
		// Those that the list shows as ended do not wait for these. The wait of one may end while others are asked for.
		for (const waiter of this.#waiting)
			if (lacksResult(waiter.job) || (waiter.misses > 0 && waiter.misses % 2 === 0))
				await this.#ask(waiter);
		this.#pauseMs =
			this.#waiting.size < before ? FIRST_PAUSE_MS : Math.min(this.#pauseMs * GROWTH, MAX_PAUSE_MS);
		this.#nextCheck = this.#session.clock.now() + this.#pauseMs;
		this.#isChecking = false;
	}

	async #ask(waiter: Waiter): Promise<void> {
		try {
			this.#see(waiter, await getJob(this.#session, waiter.job.jobId, SETTINGS));
		} catch (thrown) {
			const status = statusOf(thrown);
			const isUnknown = status === 404;
			if (FINAL.has(status) || (isUnknown && waiter.misses >= MAX_MISSES))
				this.#giveUp(waiter, thrown);
			// An outage says nothing of the job.
			else if (!isUnknown) waiter.misses = 0;
		}
	}

	#see(waiter: Waiter, job: Job): void {
		waiter.job = job;
		if (lacksResult(job) && waiter.misses < MAX_MISSES) return;
		waiter.misses = 0;
		if (!hasEnded(job)) return;
		this.#waiting.delete(waiter);
		waiter.resolve(job);
	}

	#giveUp(waiter: Waiter, reason: unknown): void {
		this.#waiting.delete(waiter);
		const { job, subject } = waiter;
		waiter.reject(notFetched(this.#session, reason, job.jobId, subject));
	}

	/** Cancels what was submitted and not begun: it is not billed then. */
	async #stop(): Promise<void> {
		const waiters = [...this.#waiting];
		const deadline = AbortSignal.timeout(CANCEL_MS);
		const session = { ...this.#session, signal: deadline, cancelled: deadline };
		const cancelling = waiters
			.filter(({ job, isOurs }) => isOurs && job.status === 'Queued')
			.map(async ({ job }) => await cancelJob(session, job.jobId, SETTINGS));
		await Promise.allSettled(cancelling);
		for (const waiter of waiters) this.#giveUp(waiter, this.#session.signal.reason);
	}
}
