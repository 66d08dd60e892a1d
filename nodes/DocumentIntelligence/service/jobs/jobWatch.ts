import { SLICE_MS } from '../limiter';
import type { Session } from '../exchange';
import { checkJob, listJobs, requestCancellation } from './calls';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { notFetched, notFinished, statusOf } from './jobResult';
import { RequestError } from '../requestError';

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
	timeoutSeconds: number;
	deadline: number;
	/** When it is checked at the latest, before the deadline. */
	lastCheck: number;
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
		const now = this.#session.clock.now();
		const waitMs = timeoutSeconds * 1000;
		const deadline = now + waitMs;
		const lastCheck = deadline - Math.min(LAST_CHECK_MS, waitMs / 4);
		this.#pauseMs = wait.retryAfterMs ?? FIRST_PAUSE_MS;
		const firstCheck = Math.max(now + this.#pauseMs, this.#notBefore);
		return await new Promise((resolve, reject) => {
			const state = { job, timeoutSeconds, deadline, lastCheck, misses: 0 };
			this.#waiting.add({ ...wait, ...state, resolve, reject });
			this.#nextCheck = Math.min(this.#nextCheck, firstCheck, lastCheck);
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
		// Jobs that are submitted during the check set it again.
		this.#nextCheck = Infinity;
		const page = await listJobs(this.#session, STATUS_CHECK, LISTED_JOBS).catch(asRequestError);
		const listed = page instanceof RequestError ? undefined : page?.jobs;
		const retryAfter = [page instanceof RequestError ? page.more.retryAfterMs : page?.retryAfterMs];
		for (const waiter of this.#waiting) {
			waiter.misses += 1;
			const job = listed?.get(jobKey(waiter.job.jobId));
			if (job !== undefined) this.#record(waiter, job);
		}
		// In a second loop, so that jobs that the list shows as ended do not wait for these requests.
		for (const waiter of this.#waiting)
			if (lacksResult(waiter.job) || (waiter.misses > 0 && waiter.misses % 2 === 0))
				retryAfter.push(await this.#ask(waiter));
		const grownMs = Math.min(Math.max(this.#pauseMs * GROWTH, FIRST_PAUSE_MS), MAX_PAUSE_MS);
		this.#pauseMs = this.#waiting.size < before ? FIRST_PAUSE_MS : grownMs;
		this.#plan(retryAfter.filter((ms) => ms !== undefined));
		this.#isChecking = false;
	}

	/** @param retryAfter how long Cogneris asks to wait before the next check, in milliseconds */
	#plan(retryAfter: number[]): void {
		const now = this.#session.clock.now();
		const isSuggested = retryAfter.length > 0;
		this.#notBefore = isSuggested ? now + Math.max(...retryAfter, MIN_PAUSE_MS) : -Infinity;
		const planned = isSuggested ? this.#notBefore : now + this.#pauseMs;
		const next = Math.max(Math.min(this.#nextCheck, planned), this.#notBefore);
		const lastChecks = [...this.#waiting].map(({ lastCheck }) => lastCheck);
		this.#nextCheck = Math.min(next, ...lastChecks.filter((time) => time > now));
	}

	/** @returns how long Cogneris asks to wait before the next check */
	async #ask(waiter: Waiter): Promise<number | undefined> {
		try {
			const { job, retryAfterMs } = await checkJob(this.#session, waiter.job.jobId, STATUS_CHECK);
			this.#record(waiter, job);
			return retryAfterMs;
		} catch (thrown) {
			const status = statusOf(thrown);
			const isUnknown = status === 404;
			if (FINAL.has(status) || (isUnknown && waiter.misses >= MAX_MISSES))
				this.#giveUp(waiter, thrown);
			// An outage does not mean that the job is missing.
			else if (!isUnknown) waiter.misses = 0;
			return asRequestError(thrown)?.more.retryAfterMs;
		}
	}

	#record(waiter: Waiter, job: Job): void {
		waiter.job = job;
		if (lacksResult(job) && waiter.misses < MAX_MISSES) return;
		waiter.misses = 0;
		if (!hasEnded(job)) return;
		this.#waiting.delete(waiter);
		waiter.resolve(job);
	}

	#giveUp(waiter: Waiter, reason: unknown, remark?: string): void {
		this.#waiting.delete(waiter);
		const { job, subject } = waiter;
		waiter.reject(notFetched(this.#session, reason, job.jobId, subject, remark));
	}

	/** Asks Cogneris to cancel the queued jobs of this execution, which they may ignore. */
	async #stop(): Promise<void> {
		const stopping = [...this.#waiting].map(async (waiter) => {
			const { job, isOurs } = waiter;
			const isRequested =
				isOurs === true &&
				job.status === 'Queued' &&
				(await requestCancellation(this.#session, job.jobId, CANCEL_MS));
			const remark = isRequested ? CANCELLATION_REQUESTED : undefined;
			this.#giveUp(waiter, this.#session.signal.reason, remark);
		});
		await Promise.all(stopping);
	}
}

function asRequestError(thrown: unknown): RequestError | undefined {
	return thrown instanceof RequestError ? thrown : undefined;
}
