import { SLICE_MS } from '../limiter';
import type { Session } from '../session';
import { cancelJob, getJob, listJobs } from './calls';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { noResult, notFetched, notFinished, statusOf } from './jobResult';

/** Before the first check, if the service suggests no pause. */
const FIRST_PAUSE_MS = 2_000;

/** Pauses grow up to this, so that long jobs take few requests. */
const MAX_PAUSE_MS = 15_000;

const GROWTH = 1.5;

/** Checks in a row without the job. At each second one it is asked for by its ID, because a list may lag or fail. */
const MAX_MISSES = 6;

/** No retries and a short timeout, because the next check asks the same. */
const SETTINGS = { timeoutSeconds: 15, retries: 0 };

/** Statuses that end the wait for a job: the key is rejected, or the job is no longer kept. */
const FINAL = new Set([401, 403, 410]);

/** How long a stop may wait for jobs to be cancelled. */
const CANCEL_MS = 700;

export interface Wait {
	subject: string | undefined;
	firstPauseMs?: number;
	/** Whether this execution submitted it, so that a stop cancels it while it is queued. */
	isOurs?: boolean;
}

interface Waiter extends Wait {
	job: Job;
	timeoutSeconds: number;
	deadline: number;
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
	#nextCheck = Infinity;
	#pauseMs = FIRST_PAUSE_MS;
	/** A copy has its own turns in the queue, so that checks and submissions alternate. */
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
			// Early enough for a response before the wait ends.
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
				// Jobs submitted in the meantime are stopped in the next round.
				continue;
			}
			for (const waiter of this.#waiting) {
				const { job, subject, timeoutSeconds, deadline } = waiter;
				if (clock.now() >= deadline)
					this.#giveUp(waiter, notFinished(job.jobId, subject, timeoutSeconds));
			}
			// Not awaited, so that deadlines are kept while a check waits for its response.
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
		// In a second loop, so that jobs that the list shows as ended do not wait for these requests.
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
			// An outage does not mean that the job is missing.
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

	/** Cancels queued jobs of this execution, which are then not billed. */
	async #stop(): Promise<void> {
		const deadline = AbortSignal.timeout(CANCEL_MS);
		const session = { ...this.#session, signal: deadline, cancelled: deadline };
		const stopping = [...this.#waiting].map(async (waiter) => {
			const { job, subject, isOurs } = waiter;
			const isCancelled =
				isOurs === true &&
				job.status === 'Queued' &&
				(await cancelJob(session, job.jobId, SETTINGS).catch(() => false));
			const cancelled = () => noResult({ ...job, status: 'Cancelled' }, subject);
			this.#giveUp(waiter, isCancelled ? cancelled() : this.#session.signal.reason);
		});
		await Promise.all(stopping);
	}
}
