import type { Session } from '../exchange';
import { getJob, listJobs, requestCancellation } from '../api';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { readJobList, type JobList } from './jobList';
import { notFetched, notFinished, statusOf } from './jobResult';
import { MIN_PAUSE_MS, Pauses } from './pauses';
import { RequestError } from '../requestError';
import { DocumentError } from '../../text/errors';
import { Alarm } from '../../waiting/alarm';
import { onAbort, Slots } from '../../waiting/waiting';

/** How long before its deadline a job is checked once more, so that a response arrives in time. */
const LAST_CHECK_MS = 5_000;

/** Checks in a row without the job. At every second miss, the list is read on, and then the job is asked for by its ID. */
const MAX_MISSES = 6;

/** How many jobs a status check lists. */
export const LISTED_JOBS = 100;

/** For the rest of the list in one status check; the next one continues where it stopped. */
const MAX_LIST_REQUESTS = 10;

/** How many jobs are asked for by their IDs at a time. */
const MAX_ASKED = 4;

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
	/** Whether this node submitted it, in this run or an earlier one, so that a stop cancels it while it is queued. */
	isOurs?: boolean;
}

interface Waiter extends Wait {
	job: Job;
	timeoutSeconds: number;
	deadline: number;
	/** Of the check that has to come before the deadline. */
	lastCheck: number;
	misses: number;
	/** Whether a request for the job by its ID has not been answered. */
	isAsked: boolean;
	settle: (outcome: Job | DocumentError) => void;
}

/** Waits for all jobs of an execution with one request for the list of jobs, at the pace that Cogneris suggests. */
export class JobWatch {
	/** Several may wait for the same job. */
	readonly #waiting = new Set<Waiter>();
	readonly #alarm: Alarm;
	readonly #asking = new Slots(MAX_ASKED);
	readonly #pauses = new Pauses();
	#isListing = false;
	/** Of the next check for all jobs. */
	#dueAt = Infinity;
	/** How long Cogneris asks to wait; only deadlines come before. */
	#notBefore = -Infinity;
	/** Of the page of the list that was the first to show jobs that the first page does not. */
	#readFrom: string | undefined;
	/** A copy has its own turns in the queue, so that checks and submissions alternate. */
	readonly #session: Session;

	constructor(session: Session) {
		this.#session = { ...session };
		this.#alarm = new Alarm(session.clock, () => this.#serve());
	}

	/** The job once it has ended. @throws DocumentError at the deadline, at the end of the run, or if it is not found */
	async ended(job: Job, timeoutSeconds: number, wait: Wait): Promise<Job> {
		if (hasEnded(job) && !lacksResult(job)) return job;
		const { clock, signal } = this.#session;
		const waitMs = timeoutSeconds * 1000;
		const deadline = clock.now() + waitMs;
		const lastCheck = deadline - Math.min(LAST_CHECK_MS, waitMs / 4);
		const times = { timeoutSeconds, deadline, lastCheck };
		const outcome = await new Promise<Job | DocumentError>((resolve) => {
			const waiter: Waiter = { ...wait, job, ...times, misses: 0, isAsked: false, settle: resolve };
			// A signal of its own: Node.js warns of many listeners on one.
			const stopped = AbortSignal.any([signal]);
			const forget = onAbort(stopped, () => void this.#stop(waiter));
			waiter.settle = (outcome) => {
				forget();
				resolve(outcome);
			};
			this.#add(waiter);
		});
		if (outcome instanceof DocumentError) throw outcome;
		return outcome;
	}

	/** Begins the pauses anew, as Cogneris suggests for this job. */
	#add(waiter: Waiter): void {
		if (this.#waiting.size === 0) this.#dueAt = Infinity;
		this.#waiting.add(waiter);
		this.#pauses.begin(waiter.retryAfterMs);
		this.#checkAt(this.#session.clock.now() + this.#pauses.take());
		this.#serve();
	}

	/** Ends waits at their deadlines, starts a check that is due, and wakes when the next of these is due. */
	#serve(): void {
		const { clock, signal } = this.#session;
		// A stop ends all waits.
		if (signal.aborted) return;
		const now = clock.now();
		for (const waiter of this.#waiting)
			if (now >= waiter.deadline)
				this.#end(waiter, notFinished(waiter.job.jobId, waiter.subject, waiter.timeoutSeconds));
		if (this.#waiting.size === 0) return;
		// Not awaited, so that deadlines are kept while a check waits for its response.
		if (now >= this.#nextCheck) void this.#check();
		const deadlines = [...this.#waiting].map(({ deadline }) => deadline);
		this.#alarm.setTo(Math.min(this.#nextCheck, ...deadlines));
	}

	/** One check at a time; the last one of a job may come before the pause is over. */
	get #nextCheck(): number {
		const lastChecks = [...this.#waiting].map(({ lastCheck }) => lastCheck);
		return this.#isListing ? Infinity : Math.min(this.#dueAt, ...lastChecks);
	}

	#checkAt(time: number): void {
		this.#dueAt = Math.max(Math.min(this.#dueAt, time), this.#notBefore);
	}

	/** Puts the next check off for as long as a response asks. */
	#heed(retryAfterMs: number | undefined): void {
		if (retryAfterMs === undefined) return;
		const time = this.#session.clock.now() + Math.max(retryAfterMs, MIN_PAUSE_MS);
		this.#notBefore = Math.max(this.#notBefore, time);
		this.#dueAt = this.#notBefore;
	}

	/** Compares all jobs with the list, then asks for those that it does not show. */
	async #check(): Promise<void> {
		const { clock } = this.#session;
		const before = this.#waiting.size;
		this.#isListing = true;
		// Jobs that are submitted during the check set a time of their own.
		this.#dueAt = Infinity;
		for (const waiter of this.#waiting)
			if (clock.now() >= waiter.lastCheck) waiter.lastCheck = Infinity;
		const list = await this.#readList();
		for (const waiter of this.#waiting) {
			waiter.misses += 1;
			this.#record(waiter, list.jobs.get(jobKey(waiter.job.jobId)));
		}
		if (this.#waiting.size < before) this.#pauses.begin();
		this.#checkAt(clock.now() + this.#pauses.take());
		this.#heed(list.retryAfterMs);
		this.#isListing = false;
		// Not awaited, so that these requests hold up no check.
		for (const waiter of this.#waiting)
			if (lacksResult(waiter.job) || (waiter.misses > 0 && waiter.misses % 2 === 0))
				void this.#ask(waiter);
		this.#serve();
	}

	/** The start of the list or, if jobs have been missed once, as much of it as shows them. Never throws. */
	async #readList(): Promise<Pick<JobList, 'jobs' | 'retryAfterMs'>> {
		const missed = [...this.#waiting].filter(({ misses }) => misses % 2 === 1);
		try {
			return missed.length === 0
				? await listJobs(this.#session, STATUS_CHECK, LISTED_JOBS)
				: await this.#readOn(new Set(missed.map(({ job }) => jobKey(job.jobId))));
		} catch (thrown) {
			return { jobs: new Map(), retryAfterMs: retryAfterOf(thrown) };
		}
	}

	/** Reads the list until it shows these jobs, from where the last reading found some; one by one takes no more requests. */
	async #readOn(missed: Set<string>): Promise<JobList> {
		const list = await readJobList(this.#session, STATUS_CHECK, {
			cursor: this.#readFrom,
			maxRequests: Math.min(missed.size, MAX_LIST_REQUESTS),
			isEnough: (jobs) => [...missed].every((key) => jobs.has(key)),
		});
		const first = [...list.jobs.keys()].find((key) => missed.has(key));
		this.#readFrom = first === undefined ? list.cursor : list.cursors.get(first);
		return list;
	}

	/** Asks for a job by its ID, unless an earlier request for it is not answered. Never throws. */
	async #ask(waiter: Waiter): Promise<void> {
		if (waiter.isAsked) return;
		waiter.isAsked = true;
		await this.#asking.use(async () => {
			if (!this.#waiting.has(waiter)) return;
			try {
				const { job, retryAfterMs } = await getJob(this.#session, waiter.job.jobId, STATUS_CHECK);
				this.#record(waiter, job);
				this.#heed(retryAfterMs);
			} catch (thrown) {
				this.#recordFailure(waiter, thrown);
				this.#heed(retryAfterOf(thrown));
			}
		});
		waiter.isAsked = false;
		// The response may have moved the next check.
		this.#serve();
	}

	/** Ends the wait for a job that has ended. @param job undefined if it was not shown */
	#record(waiter: Waiter, job: Job | undefined): void {
		if (job === undefined || !this.#waiting.has(waiter)) return;
		waiter.job = job;
		if (lacksResult(job) && waiter.misses < MAX_MISSES) return;
		waiter.misses = 0;
		if (hasEnded(job)) this.#end(waiter, job);
	}

	/** Gives a job up that Cogneris does not return, now or for good. */
	#recordFailure(waiter: Waiter, thrown: unknown): void {
		const status = statusOf(thrown);
		const isUnknown = status === 404;
		if (FINAL.has(status) || (isUnknown && waiter.misses >= MAX_MISSES))
			this.#giveUp(waiter, thrown);
		// An outage does not mean that the job is missing.
		else if (!isUnknown) waiter.misses = 0;
	}

	#giveUp(waiter: Waiter, reason: unknown, remark?: string): void {
		const { job, subject } = waiter;
		this.#end(waiter, notFetched(this.#session, reason, job.jobId, subject, remark));
	}

	#end(waiter: Waiter, outcome: Job | DocumentError): void {
		// A job may have ended while its cancellation was requested.
		if (!this.#waiting.delete(waiter)) return;
		if (this.#waiting.size === 0) this.#alarm.turnOff();
		waiter.settle(outcome);
	}

	async #stop(waiter: Waiter): Promise<void> {
		this.#giveUp(waiter, this.#session.signal.reason, await this.#cancel(waiter));
	}

	/** If the user stops the run, Cogneris is asked to cancel a queued job that this node submitted, which they may ignore. */
	async #cancel({ job, isOurs }: Waiter): Promise<string | undefined> {
		const isStopped = this.#session.abort.aborted;
		if (!isStopped || isOurs !== true || job.status !== 'Queued') return undefined;
		const isRequested = await requestCancellation(this.#session, job.jobId, CANCEL_MS);
		return isRequested ? CANCELLATION_REQUESTED : undefined;
	}
}

function retryAfterOf(thrown: unknown): number | undefined {
	return thrown instanceof RequestError ? thrown.circumstances.retryAfterMs : undefined;
}
