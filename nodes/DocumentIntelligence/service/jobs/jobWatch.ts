import { DocumentError } from '../../text/errors';
import { send } from '../client';
import type { Session } from '../session';
import { cancelRequest, getJob, listJobs, type CallSettings } from './calls';
import { hasEnded, jobKey, lacksResult, type Job } from './job';
import { JOB_STATUS_MESSAGES } from './statusMessages';

/** Where the service suggests no time for the first look. */
const FIRST_LOOK_MS = 2_000;

/** Looks grow apart from there, so that long jobs take few requests. */
const MAX_PAUSE_MS = 15_000;

const GROWTH = 1.5;

/** The longest sleep before it is seen that the execution was stopped. */
const SLICE_MS = 200;

/** How many looks in a row may not show a job before it is asked for by its number: a list may lag behind. */
const MAX_UNSEEN = 2;

/**
 * How often in a row the service may not know a job that it has accepted, or not say where the result is of one that
 * has succeeded: its answers may lag behind, too.
 */
const MAX_BEHIND = 3;

/** A look that is not answered is not waited for any longer: the next one asks the same. */
const LOOK_TIMEOUT_SECONDS = 30;

/** The share of a wait that one look may take: its beginning, and the time for its answer. */
const LOOK_SHARE = 0.25;

/** How long a stop may wait for jobs to be cancelled. */
const CANCEL_MS = 700;

interface Waiter {
	job: Job;
	/** By the session's clock. */
	deadline: number;
	/** Looks in a row that did not show it. */
	unseen: number;
	/** Times in a row that the service did not know it, or nothing of its result. */
	behind: number;
	/** Whether a stop cancels it. */
	isOurs: boolean;
	resolve: (job: Job) => void;
	reject: (reason: unknown) => void;
}

/** Why the wait for a job ended before the job: `stopped` by the user, or `ended` with the run, because of another document. */
export class JobNotEnded extends Error {
	constructor(
		readonly job: Job,
		readonly reason: 'timeout' | 'stopped' | 'ended',
	) {
		super(`Job ${job.jobId} has not ended`);
	}
}

/**
 * Waits for the jobs of an execution, all of them with one look at the list of jobs, at the pace that the service
 * suggests. Its looks have a place of their own in the queue of the rate limit, so that they and the submissions take turns.
 */
export class JobWatch {
	/** Several may wait for the same job. */
	readonly #waiting = new Set<Waiter>();

	readonly #session: Session;

	/** Of a look: a failed one is not retried, since the next one asks the same. */
	readonly #settings: CallSettings;

	#isRunning = false;

	#isLooking = false;

	/** When the next look is due, by the session's clock. */
	#nextLook = Infinity;

	#pauseMs = FIRST_LOOK_MS;

	constructor(session: Session, { timeoutSeconds }: CallSettings) {
		this.#session = { ...session };
		this.#settings = {
			timeoutSeconds: Math.min(Math.ceil(timeoutSeconds * LOOK_SHARE), LOOK_TIMEOUT_SECONDS),
			retries: 0,
		};
	}

	/**
	 * @param firstLookMs what the service suggests to wait
	 * @param isOurs whether this execution has submitted it, so that a stop cancels it before it begins
	 * @returns the job when it has ended
	 * @throws JobNotEnded; a DocumentError where the service does not let this key look
	 */
	async ended(
		job: Job,
		timeoutSeconds: number,
		firstLookMs = FIRST_LOOK_MS,
		isOurs = true,
	): Promise<Job> {
		if (hasEnded(job) && !lacksResult(job)) return job;
		const { clock } = this.#session;
		const now = clock.now();
		return await new Promise((resolve, reject) => {
			const waitMs = timeoutSeconds * 1000;
			const deadline = now + waitMs;
			this.#waiting.add({ job, deadline, unseen: 0, behind: 0, isOurs, resolve, reject });
			this.#pauseMs = Math.min(Math.max(firstLookMs, FIRST_LOOK_MS), waitMs * LOOK_SHARE);
			this.#nextLook = Math.min(this.#nextLook, now + this.#pauseMs);
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
			this.#giveUpLate();
			// Not awaited, so that deadlines are kept while a look waits for its answer.
			if (!this.#isLooking && clock.now() >= this.#nextLook) void this.#look();
			const untilLook = this.#isLooking ? SLICE_MS : this.#nextLook - clock.now();
			await clock.sleep(Math.min(SLICE_MS, untilLook));
		}
		this.#nextLook = Infinity;
		this.#isRunning = false;
	}

	async #look(): Promise<void> {
		const { clock } = this.#session;
		const before = this.#waiting.size;
		this.#isLooking = true;
		try {
			const { jobs } = await listJobs(this.#session, this.#settings);
			for (const waiter of [...this.#waiting]) {
				const { jobId } = waiter.job;
				const listed = jobs.get(jobKey(jobId));
				if (listed !== undefined) this.#see(waiter, listed);
				else waiter.unseen += 1;
				// Whether a list says where results are is open.
				if (waiter.unseen >= MAX_UNSEEN || lacksResult(waiter.job)) await this.#ask(waiter);
			}
		} catch (thrown) {
			// Anything but a rejection of the key may pass; the jobs go on meanwhile.
			if (isRefused(thrown)) this.#rejectAll(thrown);
		}
		this.#pauseMs =
			this.#waiting.size < before ? FIRST_LOOK_MS : Math.min(this.#pauseMs * GROWTH, MAX_PAUSE_MS);
		this.#nextLook = clock.now() + this.#pauseMs;
		this.#isLooking = false;
	}

	/** @throws what concerns all jobs: the service rejects the key */
	async #ask(waiter: Waiter): Promise<void> {
		// Its wait may have ended while others were asked for.
		if (!this.#waiting.has(waiter)) return;
		const { jobId } = waiter.job;
		await getJob(this.#session, jobId, this.#settings).then(
			(job) => {
				this.#see(waiter, job);
				if (lacksResult(job) && ++waiter.behind >= MAX_BEHIND) this.#end(waiter);
			},
			(thrown: unknown) => {
				if (isRefused(thrown)) throw thrown;
				waiter.unseen = 0;
				if (isGone(thrown) || (isUnknown(thrown) && ++waiter.behind >= MAX_BEHIND)) {
					this.#waiting.delete(waiter);
					waiter.reject(thrown);
				}
			},
		);
	}

	#see(waiter: Waiter, job: Job): void {
		waiter.job = job;
		waiter.unseen = 0;
		if (lacksResult(job)) return;
		waiter.behind = 0;
		if (hasEnded(job)) this.#end(waiter);
	}

	#end(waiter: Waiter): void {
		this.#waiting.delete(waiter);
		waiter.resolve(waiter.job);
	}

	#giveUpLate(): void {
		const now = this.#session.clock.now();
		for (const waiter of [...this.#waiting]) {
			if (now < waiter.deadline) continue;
			this.#waiting.delete(waiter);
			waiter.reject(new JobNotEnded(waiter.job, 'timeout'));
		}
	}

	#rejectAll(reason: unknown): void {
		const waiters = [...this.#waiting];
		this.#waiting.clear();
		for (const { reject } of waiters) reject(reason);
	}

	/** Cancels what was submitted and not begun: it is not billed then. */
	async #stop(): Promise<void> {
		const { requester, account, clock, cancelled } = this.#session;
		const waiters = [...this.#waiting];
		this.#waiting.clear();
		const queued = waiters.filter(({ job, isOurs }) => isOurs && job.status === 'Queued');
		const deadline = AbortSignal.timeout(CANCEL_MS);
		const cancelling = queued.map(async ({ job }) => {
			const request = {
				...cancelRequest(job.jobId),
				timeoutSeconds: 1,
				statusMessages: JOB_STATUS_MESSAGES,
			};
			await send(requester, account, request, deadline);
		});
		await Promise.race([Promise.allSettled(cancelling), clock.sleep(CANCEL_MS)]);
		const reason = cancelled.aborted ? 'stopped' : 'ended';
		for (const { job, reject } of waiters) reject(new JobNotEnded(job, reason));
	}
}

function statusOf(thrown: unknown): number | undefined {
	return thrown instanceof DocumentError ? thrown.details.httpCode : undefined;
}

function isRefused(thrown: unknown): boolean {
	return statusOf(thrown) === 401 || statusOf(thrown) === 403;
}

function isUnknown(thrown: unknown): boolean {
	return statusOf(thrown) === 404;
}

function isGone(thrown: unknown): boolean {
	return statusOf(thrown) === 410;
}
