import { hasEnded, jobKey, type Job } from '../service/jobs/job';

/** An ended job that has not yet started the workflow. */
export interface DueJob {
	job: Job;
	/** When its result first could not be fetched, in milliseconds since the epoch. */
	failedAt?: number;
}

/** Ten pages of the list, and small enough to be saved at each start of the workflow. */
const MAX_KEPT = 1000;

/** What a trigger knows of an account's jobs; saved as JSON text, because n8n watches objects. */
export class Memory {
	/** Keys of ended jobs that need nothing more. */
	settled: string[] = [];
	/** IDs of unfinished jobs, the last seen last. */
	open: string[] = [];
	due: DueJob[] = [];
	/** Keys of the newest jobs when the list was last read without a gap; older jobs are known. */
	edge: string[] = [];
	/** Of two saved texts, the one with more polls is newer. */
	polls = 0;

	/** @param texts earlier memories, of which the newest of this account is used */
	constructor(
		readonly account: string,
		...texts: unknown[]
	) {
		const [saved] = texts
			.map((text) => JSON.parse(typeof text === 'string' ? text : '{}') as Partial<Memory>)
			.filter((memory) => memory.account === account)
			.sort((one, other) => Number(other.polls) - Number(one.polls));
		Object.assign(this, saved);
	}

	/** On the first poll of an account, jobs that have already ended start nothing. */
	get isNew(): boolean {
		return this.polls === 0;
	}

	see(job: Job, starts: boolean): void {
		const key = jobKey(job.jobId);
		const isDue = this.due.some((due) => jobKey(due.job.jobId) === key);
		// A list may lag, so an ended job stays ended.
		if (isDue || this.settled.includes(key)) return;
		this.#forget(key);
		if (!hasEnded(job)) this.open = [...this.open, job.jobId].slice(-MAX_KEPT);
		else if (starts && !this.isNew) this.due.push({ job });
		else this.settle(job.jobId);
	}

	/** For a job that has started the workflow or never will. */
	settle(jobId: string): void {
		this.#forget(jobKey(jobId));
		this.settled = [...this.settled, jobKey(jobId)].slice(-MAX_KEPT);
	}

	/** For a result that could not be fetched; the job goes last, so that others can go first. */
	fail({ job, failedAt }: DueJob, now: number): void {
		this.#forget(jobKey(job.jobId));
		this.due.push({ job, failedAt: failedAt ?? now });
	}

	#forget(key: string): void {
		this.open = this.open.filter((jobId) => jobKey(jobId) !== key);
		this.due = this.due.filter(({ job }) => jobKey(job.jobId) !== key);
	}
}
