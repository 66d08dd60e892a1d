import { booleanOf, numberOf, objectOf, objectsOf, textOf } from '../../text/json';
import { sentences } from '../requestError';

const STATUSES = ['Queued', 'Processing', 'Succeeded', 'Failed', 'Cancelled'];

const ENDED = new Set<string | null>(STATUSES.slice(2));

/** A longer ID or reference could not be sent in an address, so it counts as missing. */
const MAX_ID = 1000;

/** What is not known here is kept if its JSON has at most so many characters. */
const MAX_OTHER = 500;

/** The same text for an ID in capital and in small letters: the service may write one job's ID in both. */
export function jobKey(jobId: string): string {
	return jobId.trim().toLowerCase();
}

export function hasEnded({ status }: Job): boolean {
	return ENDED.has(status);
}

/** Whether the job has succeeded, and nothing says yet where its result is. */
export function lacksResult({ status, outputReference }: Job): boolean {
	return status === 'Succeeded' && outputReference === null;
}

/** A job as the service describes it (docs/internals/service-contract.md, jobs), fit for an item and for a message. */
export type Job = NonNullable<ReturnType<typeof readJob>>;

/** @returns what is known of the job, then whatever else the service says; undefined for what is no job */
export function readJob(value: unknown) {
	const job = objectOf(value);
	const jobId = idIn(job.jobId);
	if (jobId === null) return undefined;
	const status = shortText(job.status);
	const known = {
		jobId,
		operation: shortText(job.operation),
		/** One that is not known here is spelled as the service does. */
		status: STATUSES.find((name) => name.toLowerCase() === status?.toLowerCase()) ?? status,
		outputReference: idIn(job.outputReference),
		failureCode: shortText(job.failureCode),
		retryable: booleanOf(job.retryable),
		stage: shortText(job.stage),
		processedPages: numberOf(job.processedPages),
		totalPages: numberOf(job.totalPages),
		completedAt: shortText(job.completedAt),
		cancellationRequestedAt: shortText(job.cancellationRequestedAt),
		expiresAt: shortText(job.expiresAt),
		creditsConsumed: numberOf(job.creditsConsumed),
	};
	const others = Object.entries(job).filter(
		([name, entry]) => !Object.hasOwn(known, name) && JSON.stringify(entry).length <= MAX_OTHER,
	);
	return { ...known, ...Object.fromEntries(others) };
}

function idIn(value: unknown): string | null {
	const id = textOf(value)?.trim() ?? '';
	return id === '' || id.length > MAX_ID ? null : id;
}

function shortText(value: unknown): string | null {
	return sentences([textOf(value)])[0] ?? null;
}

export type JobList = NonNullable<ReturnType<typeof readJobList>>;

export function readJobList(value: unknown) {
	const { jobs, hasMore, nextCursor } = objectOf(value);
	if (!Array.isArray(jobs)) return undefined;
	const readable = objectsOf(jobs).flatMap((entry) => readJob(entry) ?? []);
	const isFull = booleanOf(hasMore) === true;
	return {
		/** By {@link jobKey}. What is no job is skipped. */
		jobs: new Map(readable.map((job) => [jobKey(job.jobId), job])),
		/** Whether older jobs may be missing. */
		isFull,
		/** Of the page that has them. */
		nextCursor: isFull ? textOf(nextCursor) || undefined : undefined,
	};
}
