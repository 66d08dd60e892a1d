import { SLICE_MS } from '../../waiting/waiting';
import type { Session } from '../exchange';
import { getJob, listJobs, requestCancellation } from './calls';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { notFetched, notFinished, statusOf } from './jobResult';
import { RequestError } from '../requestError';
import type { DocumentError } from '../../text/errors';

/** Before the first check, if the service suggests no pause. */
const FIRST_PAUSE_MS = 2_000;

/** Between two checks, whatever the service suggests. */
const MIN_PAUSE_MS = 1_000;

/** Pauses grow up to this if the service suggests none, so that long jobs take few requests. */
const MAX_PAUSE_MS = 15_000;

/** How long before its deadline a job is checked once more, so that a response arrives in time. */
const LAST_CHECK_MS = 5_000;

const GROWTH = 1.5;

/** Checks in a row without the job. After every second miss, it is requested by its ID, because a list may lag or fail. */
const MAX_MISSES = 6;

/** How many jobs a status check lists; others are asked for by their IDs. */
export const LISTED_JOBS = 100;

/** No retries and a short timeout, because the next check asks the same. */
const STATUS_CHECK = { timeoutSeconds: 15, retries: 0 };

/** Statuses that end the wait for a job: the key is rejected, or the job is no longer kept. */
const FINAL = new Set([401, 403, 410]);

/** How long a stop may wait for the cancellation of jobs to be requested. */
const CANCEL_MS = 700;

const CANCELLATION_REQUESTED =
	'Cogneris was asked to cancel the job, but it may still succeed and be billed.';

export interface Wait {
	subject: string | undefined;
	/** How long Cogneris asks to wait before the first check. */
	retryAfterMs?: number;
	/** Whether this execution submitted it, so that a stop cancels it while it is queued. */
	isOurs?: boolean;
}

interface Waiter extends Wait {
	job: Job;
	/** Of the check that has to come before the deadline. */
	lastCheck: number;
	misses: number;
	/** Why the wait has ended without a result. */
	failure?: DocumentError;
}

/** Waits for all jobs of an execution with one request for the list of jobs, at the pace that Cogneris suggests. */
export class JobWatch {
	/** Several may wait for the same job. */
	readonly #waiting = new Set<Waiter>();
	#isChecking = false;
	/** Of the next check for all jobs. */
	#dueAt = Infinity;
	/** How long the last check asks to wait; only deadlines come before. */
	#notBefore = -Infinity;
	#pauseMs = FIRST_PAUSE_MS;
	/** A copy has its own turns in the queue, so that checks and submissions alternate. */
	readonly #session: Session;

	constructor(session: Session) {
		this.#session = { ...session };
	}

	async ended(job: Job, timeoutSeconds: number, wait: Wait): Promise<Job> {
		if (hasEnded(job) && !lacksResult(job)) return job;
		const { clock, signal } = this.#session;
		const waitMs = timeoutSeconds * 1000;
		const deadline = clock.now() + waitMs;
		const lastCheck = deadline - Math.min(LAST_CHECK_MS, waitMs / 4);
		const waiter: Waiter = { ...wait, job, lastCheck, misses: 0 };
		if (this.#waiting.size === 0) this.#dueAt = Infinity;
		this.#waiting.add(waiter);
		this.#pauseMs = wait.retryAfterMs ?? FIRST_PAUSE_MS;
		this.#checkAt(clock.now() + this.#pauseMs);
		while (this.#waiting.has(waiter)) {
			if (signal.aborted) this.#giveUp(waiter, signal.reason, await this.#cancel(waiter));
			else if (clock.now() >= deadline)
				this.#giveUp(waiter, notFinished(job.jobId, wait.subject, timeoutSeconds));
			else {
				const isDue = clock.now() >= Math.min(this.#dueAt, waiter.lastCheck);
				// Not awaited, so that deadlines are kept while a check waits for its response.
				if (isDue && !this.#isChecking) void this.#check();
				await clock.sleep(SLICE_MS);
			}
		}
		if (waiter.failure !== undefined) throw waiter.failure;
		return waiter.job;
	}

	#checkAt(time: number): void {
		this.#dueAt = Math.max(Math.min(this.#dueAt, time), this.#notBefore);
	}

	async #check(): Promise<void> {
		const { clock } = this.#session;
		const before = this.#waiting.size;
		this.#isChecking = true;
		// Jobs that are submitted during the check set a time of their own.
		this.#dueAt = Infinity;
		for (const waiter of this.#waiting)
			if (clock.now() >= waiter.lastCheck) waiter.lastCheck = Infinity;
		const page = await listJobs(this.#session, STATUS_CHECK, LISTED_JOBS).catch(
			(thrown: unknown) => ({ jobs: undefined, retryAfterMs: retryAfterOf(thrown) }),
		);
		const retryAfter = [page.retryAfterMs];
		for (const waiter of this.#waiting) {
			waiter.misses += 1;
			const job = page.jobs?.get(jobKey(waiter.job.jobId));
			if (job !== undefined) this.#record(waiter, job);
		}
		// In a second loop, so that jobs that the list shows as ended do not wait for these requests.
		for (const waiter of this.#waiting)
			if (lacksResult(waiter.job) || (waiter.misses > 0 && waiter.misses % 2 === 0))
				retryAfter.push(await this.#ask(waiter));
		const grownMs = Math.min(Math.max(this.#pauseMs * GROWTH, FIRST_PAUSE_MS), MAX_PAUSE_MS);
		this.#pauseMs = this.#waiting.size < before ? FIRST_PAUSE_MS : grownMs;
		const suggested = retryAfter.filter((ms) => ms !== undefined);
		const isSuggested = suggested.length > 0;
		const pauseMs = isSuggested ? Math.max(...suggested, MIN_PAUSE_MS) : this.#pauseMs;
		this.#notBefore = isSuggested ? clock.now() + pauseMs : -Infinity;
		this.#checkAt(clock.now() + pauseMs);
		this.#isChecking = false;
	}

	/** @returns how long Cogneris asks to wait before the next check, in milliseconds */
	async #ask(waiter: Waiter): Promise<number | undefined> {
		try {
			const { job, retryAfterMs } = await getJob(this.#session, waiter.job.jobId, STATUS_CHECK);
			this.#record(waiter, job);
			return retryAfterMs;
		} catch (thrown) {
			const status = statusOf(thrown);
			const isUnknown = status === 404;
			if (FINAL.has(status) || (isUnknown && waiter.misses >= MAX_MISSES))
				this.#giveUp(waiter, thrown);
			// An outage does not mean that the job is missing.
			else if (!isUnknown) waiter.misses = 0;
			return retryAfterOf(thrown);
		}
	}

	#record(waiter: Waiter, job: Job): void {
		waiter.job = job;
		if (lacksResult(job) && waiter.misses < MAX_MISSES) return;
		waiter.misses = 0;
		if (hasEnded(job)) this.#waiting.delete(waiter);
	}

	#giveUp(waiter: Waiter, reason: unknown, remark?: string): void {
		const { job, subject } = waiter;
		// A job may have ended while its cancellation was requested.
		if (this.#waiting.delete(waiter))
			waiter.failure = notFetched(this.#session, reason, job.jobId, subject, remark);
	}

	/** Asks Cogneris to cancel a queued job of this execution, which they may ignore. */
	async #cancel({ job, isOurs }: Waiter): Promise<string | undefined> {
		if (isOurs !== true || job.status !== 'Queued') return undefined;
		const isRequested = await requestCancellation(this.#session, job.jobId, CANCEL_MS);
		return isRequested ? CANCELLATION_REQUESTED : undefined;
	}
}

function retryAfterOf(thrown: unknown): number | undefined {
	return thrown instanceof RequestError ? thrown.more.retryAfterMs : undefined;
}
