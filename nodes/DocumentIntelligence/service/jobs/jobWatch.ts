import type { Session } from '../exchange';
import { getJob, listJobs, requestCancellation } from '../api';
import { CheckTimes } from './checkTimes';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { notFetched, notFinished, statusOf } from './jobResult';
import { RequestError } from '../requestError';
import { DocumentError } from '../../text/errors';
import { Alarm } from '../../waiting/alarm';
import { onAbort, Slots } from '../../waiting/waiting';

/** How long before its deadline a job is checked once more, so that a response arrives in time. */
const LAST_CHECK_MS = 5_000;

/** Checks in a row that miss a job before it is asked for by its ID, and before it is given up. */
const [MISSES_TO_ASK, MAX_MISSES] = [2, 6];

/** How many jobs a status check lists, and so how many of a run are waited for at once. */
export const LISTED_JOBS = 100;

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
	/** As Cogneris has last shown it. */
	job: Job;
	timeoutSeconds: number;
	deadline: number;
	/** When it is checked once more before its deadline. */
	lastCheck: number;
	/** Checks in a row that have not shown it, or have shown it as succeeded without its result. */
	misses: number;
	/** Whether a request for the job by its ID has not been answered. */
	isAsked: boolean;
	settle: (outcome: Job | DocumentError) => void;
}

/** Waits for all jobs of an execution with one request for the list of jobs, at the pace that Cogneris suggests. */
export class JobWatch {
	/** Several may wait for the same job. */
	readonly #waiting = new Set<Waiter>();
	readonly #times = new CheckTimes();
	readonly #alarm: Alarm;
	readonly #asking = new Slots(MAX_ASKED);
	/** While nobody waits, nothing listens to the end of the run, or it would be kept in memory. */
	#forgetEnd: () => void = () => undefined;
	#isChecking = false;
	/** When the last check began. */
	#checkedAt = -Infinity;
	readonly #session: Session;

	constructor(session: Session) {
		// Checks and submissions take turns.
		this.#session = { ...session, turns: {} };
		this.#alarm = new Alarm(session.clock, () => this.#serve());
	}

	/** The job once it has ended. @throws DocumentError at the deadline, at the end of the run, or if it is not found */
	async ended(job: Job, timeoutSeconds: number, wait: Wait): Promise<Job> {
		if (hasEnded(job) && !lacksResult(job)) return job;
		const { clock } = this.#session;
		const waitMs = timeoutSeconds * 1000;
		const deadline = clock.now() + waitMs;
		const lastCheck = deadline - Math.min(LAST_CHECK_MS, waitMs / 4);
		const times = { timeoutSeconds, deadline, lastCheck };
		const outcome = await new Promise<Job | DocumentError>((settle) =>
			this.#add({ ...wait, job, ...times, misses: 0, isAsked: false, settle }),
		);
		if (outcome instanceof DocumentError) throw outcome;
		return outcome;
	}

	/** Plans a check for the new job as Cogneris suggests. After the end of the run, it is not waited for. */
	#add(waiter: Waiter): void {
		const { clock, signal } = this.#session;
		const isFirst = this.#waiting.size === 0;
		this.#waiting.add(waiter);
		if (signal.aborted) {
			void this.#stop(waiter);
			return;
		}
		if (isFirst) {
			this.#times.clear();
			this.#forgetEnd = onAbort(signal, () => {
				for (const each of this.#waiting) void this.#stop(each);
			});
		}
		this.#times.beginAnew(waiter.retryAfterMs);
		this.#times.plan(clock.now());
		this.#serve();
	}

	/** Ends waits at their deadlines, begins a check that is due, and wakes when the next of these is due. */
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
		if (this.#isChecking) return Infinity;
		const lastChecks = [...this.#waiting].map(({ lastCheck }) => lastCheck);
		return Math.min(this.#times.next, ...lastChecks.filter((at) => at > this.#checkedAt));
	}

	/** Compares all jobs with the list, asks for those that it misses, and plans the next check. */
	async #check(): Promise<void> {
		const { clock } = this.#session;
		const before = this.#waiting.size;
		this.#isChecking = true;
		this.#checkedAt = clock.now();
		// Jobs that are submitted during the check plan one of their own.
		this.#times.clear();
		const { jobs, retryAfterMs } = await this.#list();
		for (const waiter of this.#waiting) {
			waiter.misses += 1;
			this.#record(waiter, jobs.get(jobKey(waiter.job.jobId)));
		}
		if (this.#waiting.size < before) this.#times.beginAnew();
		this.#times.plan(clock.now());
		this.#times.heed(clock.now(), retryAfterMs);
		this.#isChecking = false;
		// Not awaited, so that these requests hold up no check.
		for (const waiter of this.#waiting) if (isMissing(waiter)) void this.#ask(waiter);
		this.#serve();
	}

	/** What one request for the list shows: no jobs if it fails. */
	async #list(): Promise<{ jobs: Map<string, Job>; retryAfterMs?: number }> {
		try {
			return await listJobs(this.#session, STATUS_CHECK, LISTED_JOBS);
		} catch (thrown) {
			return { jobs: new Map(), retryAfterMs: retryAfterOf(thrown) };
		}
	}

	/** Asks for a job by its ID. Never throws. */
	async #ask(waiter: Waiter): Promise<void> {
		const { clock } = this.#session;
		waiter.isAsked = true;
		await this.#asking.use(async () => {
			if (!this.#waiting.has(waiter)) return;
			try {
				const { job, retryAfterMs } = await getJob(this.#session, waiter.job.jobId, STATUS_CHECK);
				this.#record(waiter, job);
				this.#times.heed(clock.now(), retryAfterMs);
			} catch (thrown) {
				this.#recordFailure(waiter, thrown);
				this.#times.heed(clock.now(), retryAfterOf(thrown));
			}
		});
		waiter.isAsked = false;
		// The response may have moved the next check.
		this.#serve();
	}

	/** Ends the wait if the job has ended: without its result only after many misses. @param job undefined if it is not shown */
	#record(waiter: Waiter, job: Job | undefined): void {
		if (job === undefined) return;
		waiter.job = job;
		if (lacksResult(job) && waiter.misses < MAX_MISSES) return;
		waiter.misses = 0;
		if (hasEnded(job)) this.#end(waiter, job);
	}

	/** Ends the wait if Cogneris does not return the job for good, or does not know it after many misses. */
	#recordFailure(waiter: Waiter, thrown: unknown): void {
		const status = statusOf(thrown);
		const isUnknown = status === 404;
		if (FINAL.has(status) || (isUnknown && waiter.misses >= MAX_MISSES))
			this.#end(waiter, this.#notFetched(waiter, thrown));
		// An outage does not mean that the job is missing.
		else if (!isUnknown) waiter.misses = 0;
	}

	/** Ends the wait at the end of the run. If the user stops it, Cogneris is asked to cancel a queued job of this node. */
	async #stop(waiter: Waiter): Promise<void> {
		const { signal, canceled } = this.#session;
		const { job, isOurs } = waiter;
		const isCanceled =
			canceled.aborted &&
			isOurs === true &&
			job.status === 'Queued' &&
			(await requestCancellation(this.#session, job.jobId, CANCEL_MS));
		const remark = isCanceled ? CANCELLATION_REQUESTED : undefined;
		this.#end(waiter, this.#notFetched(waiter, signal.reason, remark));
	}

	#notFetched({ job, subject }: Waiter, reason: unknown, remark?: string): DocumentError {
		return notFetched(this.#session, reason, job.jobId, subject, remark);
	}

	/** Unless it has ended before, as a job may while its cancellation is requested. */
	#end(waiter: Waiter, outcome: Job | DocumentError): void {
		if (!this.#waiting.delete(waiter)) return;
		if (this.#waiting.size === 0) {
			this.#alarm.turnOff();
			this.#forgetEnd();
		}
		waiter.settle(outcome);
	}
}

/** Whether its job has to be asked for by its ID. */
function isMissing({ job, misses, isAsked }: Waiter): boolean {
	return !isAsked && (misses >= MISSES_TO_ASK || lacksResult(job));
}

function retryAfterOf(thrown: unknown): number | undefined {
	return thrown instanceof RequestError ? thrown.circumstances.retryAfterMs : undefined;
}
