import { hasEnded, jobKey, type Job } from '../service/jobs/job';

/** A job that has ended and has not yet started the workflow. */
export interface DueJob {
	job: Job;
	/** When its result could not be fetched for the first time, in milliseconds since the epoch. */
	failedAt?: number;
}

/** Ten pages of the list, and little enough to be saved at each start of the workflow. */
const MAX_KEPT = 1000;

/** What a trigger knows of the jobs of an account. Between polls it is JSON text, since n8n watches objects. */
export class Memory {
	/** Keys of ended jobs that need nothing more. */
	settled: string[] = [];
	/** IDs of jobs that had not ended, the last seen last. */
	open: string[] = [];
	due: DueJob[] = [];
	/** Keys of the newest jobs when the list was last read without a gap: all jobs before them are known. */
	edge: string[] = [];
	/** How often it was used, by which the newer of two texts is known. */
	polls = 0;

	/** @param texts of earlier memories: the newest that belongs to the account counts */
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

	/** Whether the account has not been seen before: what has ended until now starts nothing. */
	get isNew(): boolean {
		return this.polls === 0;
	}

	see(job: Job, starts: boolean): void {
		const key = jobKey(job.jobId);
		const isDue = this.due.some((due) => jobKey(due.job.jobId) === key);
		// A list may be late: what has ended stays so.
		if (isDue || this.settled.includes(key)) return;
		this.#forget(key);
		if (!hasEnded(job)) this.open = [...this.open, job.jobId].slice(-MAX_KEPT);
		else if (starts && !this.isNew) this.due.push({ job });
		else this.settle(job.jobId);
	}

	/** The job has started the workflow, or can start nothing any more. */
	settle(jobId: string): void {
		this.#forget(jobKey(jobId));
		this.settled = [...this.settled, jobKey(jobId)].slice(-MAX_KEPT);
	}

	/** The result of a job could not be fetched. Fresh jobs go first, so that it holds up no others. */
	fail({ job, failedAt }: DueJob, now: number): void {
		this.#forget(jobKey(job.jobId));
		this.due.push({ job, failedAt: failedAt ?? now });
	}

	#forget(key: string): void {
		this.open = this.open.filter((jobId) => jobKey(jobId) !== key);
		this.due = this.due.filter(({ job }) => jobKey(job.jobId) !== key);
	}
}
