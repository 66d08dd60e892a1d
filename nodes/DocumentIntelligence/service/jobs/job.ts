import type { IDataObject } from 'n8n-workflow';

import { booleanOf, numberOf, objectOf, objectsOf, textOf } from '../../text/json';

/** A job as the service describes it (docs/service-contract.md, jobs). */
export interface Job {
	jobId: string;
	operation: string | null;
	status: JobStatus | null;
	templateId: string | null;
	/** Where its result is, once it has succeeded. */
	outputReference: string | null;
	failureCode: string | null;
	retryable: boolean | null;
	stage: string | null;
	processedPages: number | null;
	totalPages: number | null;
	attemptCount: number | null;
	startedAt: string | null;
	completedAt: string | null;
	cancellationRequestedAt: string | null;
	expiresAt: string | null;
	creditsConsumed: number | null;
	/** Everything else that the service says of it, also a status that is not known here. */
	rest: IDataObject;
}

const STATUSES = ['Queued', 'Processing', 'Succeeded', 'Failed', 'Cancelled'] as const;

export type JobStatus = (typeof STATUSES)[number];

/** Whether nothing will change any more. */
export function hasEnded({ status }: Job): boolean {
	return status === 'Succeeded' || status === 'Failed' || status === 'Cancelled';
}

/** Undefined for what is no job. */
export function readJob(value: unknown): Job | undefined {
	const job = objectOf(value);
	const jobId = textOf(job.jobId);
	if (jobId === null || jobId === '') return undefined;
	const status = textOf(job.status)?.toLowerCase();
	const known = {
		jobId,
		operation: textOf(job.operation),
		status: STATUSES.find((name) => name.toLowerCase() === status) ?? null,
		templateId: textOf(job.templateId),
		outputReference: textOf(job.outputReference),
		failureCode: textOf(job.failureCode),
		retryable: booleanOf(job.retryable),
		stage: textOf(job.stage),
		processedPages: numberOf(job.processedPages),
		totalPages: numberOf(job.totalPages),
		attemptCount: numberOf(job.attemptCount),
		startedAt: textOf(job.startedAt),
		completedAt: textOf(job.completedAt),
		cancellationRequestedAt: textOf(job.cancellationRequestedAt),
		expiresAt: textOf(job.expiresAt),
		creditsConsumed: numberOf(job.creditsConsumed),
	};
	const isKnown = (name: string) =>
		Object.hasOwn(known, name) && (name !== 'status' || known.status !== null);
	const rest = Object.fromEntries(Object.entries(job).filter(([name]) => !isKnown(name)));
	return { ...known, rest };
}

/**
 * The jobs of a list, the last of those with the same number counting; `isFull` where older ones may be missing, and
 * then the cursor of the page that may have them.
 */
export function readJobList(value: unknown): {
	jobs: Map<string, Job>;
	isFull: boolean;
	nextCursor?: string;
} {
	const { jobs, hasMore, nextCursor } = objectOf(value);
	const listed = objectsOf(jobs).flatMap((entry) => readJob(entry) ?? []);
	const byId = new Map<string, Job>();
	for (const job of listed) {
		const known = byId.get(job.jobId);
		// Of two entries of a job, the one that has ended is the newer.
		if (known === undefined || !hasEnded(known)) byId.set(job.jobId, job);
	}
	const isFull = booleanOf(hasMore) === true;
	const cursor = isFull ? textOf(nextCursor) || undefined : undefined;
	return { jobs: byId, isFull, ...(cursor === undefined ? {} : { nextCursor: cursor }) };
}
