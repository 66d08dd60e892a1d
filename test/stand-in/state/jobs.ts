import { randomUUID } from 'node:crypto';
import { HttpError } from '../http/responses';
import { KEPT_MS } from './artifacts';
import type { Charge } from './charges';

export type JobOperation =
	'Extraction' | 'Classification' | 'ZeroShot' | 'Crop' | 'Split' | 'Facematch';

/** What the work of a job came to. */
export type Outcome =
	| {
			status: 'Succeeded';
			outputReference: string;
			credits: number;
			pages: number;
	  }
	| { status: 'Failed'; failureCode: string; retryable: boolean };

/** What a job is created from. */
export interface NewJob {
	/** The API key that it belongs to. */
	owner: string;
	sandbox: boolean;
	operation: JobOperation;
	templateId: string | null;
	fileName: string;
	sha256: string;
	/** Of the request that submitted it; null for jobs of other programs. */
	sequence: number | null;
	idempotencyKey: string | null;
	/** All times are milliseconds since the epoch by the service's clock. */
	createdAt: number;
	startsAt: number;
	endsAt: number;
	/** Set for a job that ends without having run to its end. */
	cancelledAt: number | null;
	/** Begun when the job is created; the job shows it from `endsAt` on. */
	outcome: Promise<Outcome>;
}

interface Job extends NewJob {
	jobId: string;
	cancellationRequestedAt: number | null;
	settled: boolean;
}

/** Jobs move on by the service's clock: nothing happens to one between two looks at it. */
export class Jobs {
	private readonly byId = new Map<string, Job>();
	/** Which job a stored result is of. */
	private readonly idByResult = new Map<string, string>();

	constructor(
		private readonly now: () => number,
		private readonly charges: Charge[],
	) {}

	create(job: NewJob): string {
		const jobId = randomUUID();
		this.byId.set(jobId, {
			...job,
			jobId,
			cancellationRequestedAt: job.cancelledAt,
			settled: false,
		});
		this.rememberResult(jobId, job.outcome);
		return jobId;
	}

	/** Ends a job that has not ended, at this time; a job that was asked to be cancelled is cancelled. */
	end(owner: string, jobId: string, at: number, cancelled: boolean, outcome?: Promise<Outcome>) {
		const job = this.find(owner, jobId);
		if (this.now() >= (job.cancelledAt ?? job.endsAt))
			throw new HttpError(409, 'job_ended', `The job "${jobId}" has ended.`);
		job.endsAt = at;
		const wasRequested = job.cancellationRequestedAt !== null;
		if (cancelled || wasRequested) {
			job.cancelledAt = at;
			job.cancellationRequestedAt ??= at;
			return;
		}
		job.startsAt = Math.min(job.startsAt, at);
		if (!outcome) return;
		job.outcome = outcome;
		this.rememberResult(jobId, outcome);
	}

	/** The job that a stored file is the result of. */
	ofResult(owner: string, reference: string): string | undefined {
		const jobId = this.idByResult.get(reference);
		return jobId !== undefined && this.byId.get(jobId)?.owner === owner ? jobId : undefined;
	}

	fileName(owner: string, jobId: string): string | undefined {
		return this.known(owner, jobId)?.fileName;
	}

	/** The files of the jobs that a list may show, and the numbers of these jobs. */
	listedNames(owner: string): string[] {
		return this.jobsOf(owner).flatMap(({ fileName, jobId }) => [fileName, jobId]);
	}

	async get(owner: string, jobId: string): Promise<JobDescription> {
		return await this.describe(this.find(owner, jobId));
	}

	/** The account's jobs, the newest first. */
	async list(owner: string): Promise<JobDescription[]> {
		const newestFirst = this.jobsOf(owner)
			.toSorted((a, b) => a.createdAt - b.createdAt)
			.toReversed();
		return await Promise.all(newestFirst.map(async (job) => await this.describe(job)));
	}

	/** Only requested: a queued job is cancelled at once, and a running one when its run ends. */
	cancel(owner: string, jobId: string) {
		const job = this.known(owner, jobId);
		const now = this.now();
		if (job?.cancelledAt !== null || now >= job.endsAt)
			throw new HttpError(
				409,
				'job_not_cancellable',
				'The job does not exist or can no longer be cancelled.',
			);
		job.cancellationRequestedAt = now;
		job.cancelledAt = now < job.startsAt ? now : job.endsAt;
	}

	/** Bills what has finished, once. */
	async settle() {
		const now = this.now();
		for (const job of this.byId.values()) {
			if (job.settled || job.cancelledAt !== null || now < job.endsAt) continue;
			const outcome = await job.outcome;
			// Another request may have been waiting for the same outcome.
			if (job.settled) continue;
			job.settled = true;
			if (job.sandbox || outcome.status === 'Failed') continue;
			this.charges.push({
				at: job.endsAt,
				credits: outcome.credits,
				operation: job.operation,
				keyEnding: job.owner.slice(-4),
				files: [{ fileName: job.fileName, sha256: job.sha256 }],
				sequence: job.sequence,
				jobId: job.jobId,
				idempotencyKey: job.idempotencyKey,
			});
		}
	}

	private jobsOf(owner: string): Job[] {
		return [...this.byId.values()].filter(({ jobId }) => this.known(owner, jobId));
	}

	private rememberResult(jobId: string, outcome: Promise<Outcome>) {
		// An outcome that is lost is reported to whoever asks for the job.
		void outcome.then(
			(known) => {
				if (known.status === 'Succeeded') this.idByResult.set(known.outputReference, jobId);
			},
			() => undefined,
		);
	}

	private find(owner: string, jobId: string): Job {
		const job = this.known(owner, jobId);
		if (!job) throw new HttpError(404, 'job_not_found', `There is no job "${jobId}".`);
		return job;
	}

	/** Of this account, and not expired. */
	private known(owner: string, jobId: string): Job | undefined {
		const job = this.byId.get(jobId);
		return job?.owner === owner && this.now() < job.createdAt + KEPT_MS ? job : undefined;
	}

	private async describe(job: Job): Promise<JobDescription> {
		const at = this.now();
		const isEnded = job.cancelledAt === null && at >= job.endsAt;
		return descriptionOf(job, at, isEnded ? await job.outcome : undefined);
	}
}

type Status = 'Queued' | 'Processing' | 'Succeeded' | 'Failed' | 'Cancelled';

/** A job as the service describes it. */
export type JobDescription = ReturnType<typeof descriptionOf>;

/** @param outcome of a job that has run to its end */
function descriptionOf(job: Job, at: number, outcome: Outcome | undefined) {
	const { startsAt, endsAt, cancelledAt, cancellationRequestedAt: requestedAt } = job;
	const isCancelled = cancelledAt !== null && at >= cancelledAt;
	const hasStarted = at >= startsAt && (cancelledAt ?? endsAt) >= startsAt;
	const current: Status = hasStarted ? 'Processing' : 'Queued';
	const status: Status = isCancelled ? 'Cancelled' : (outcome?.status ?? current);
	const succeeded = outcome?.status === 'Succeeded' ? outcome : undefined;
	const failed = outcome?.status === 'Failed' ? outcome : undefined;
	const isRequested = requestedAt !== null && at >= requestedAt;
	// Absent while it is not known; null for a sandbox key.
	const creditsConsumed = job.sandbox ? null : succeeded?.credits;
	return {
		jobId: job.jobId,
		operation: job.operation,
		status,
		templateId: job.templateId,
		outputReference: succeeded?.outputReference ?? null,
		stage: STAGES[status],
		processedPages: succeeded?.pages ?? null,
		totalPages: succeeded?.pages ?? null,
		attemptCount: hasStarted ? 1 : 0,
		failureCode: failed?.failureCode ?? null,
		retryable: failed?.retryable ?? false,
		startedAt: hasStarted ? isoTime(startsAt) : null,
		completedAt: status === current ? null : isoTime(cancelledAt ?? endsAt),
		cancellationRequestedAt: isRequested ? isoTime(requestedAt) : null,
		expiresAt: isoTime(job.createdAt + KEPT_MS),
		creditsConsumed,
	};
}

const STAGES: Record<Status, string> = {
	Queued: 'queued',
	Processing: 'reading',
	Succeeded: 'completed',
	Failed: 'failed',
	Cancelled: 'cancelled',
};

export function isoTime(time: number): string {
	return new Date(time).toISOString();
}
