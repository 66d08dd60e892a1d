import { booleanOf, numberOf, objectOf, objectsOf, textOf } from '../../text/json';
import { sentences } from '../requestError';

const STATUSES = ['Queued', 'Processing', 'Succeeded', 'Failed', 'Cancelled'];

const ENDED = new Set<string | null>(STATUSES.slice(2));

/** A longer ID or reference does not fit in an address, so it is treated as missing. */
const MAX_ID = 1000;

/** Unknown entries are kept up to this many characters of JSON. */
const MAX_OTHER = 500;

/** The service may write one job's ID in upper or in lower case. */
export function jobKey(jobId: string): string {
	return jobId.trim().toLowerCase();
}

export function hasEnded({ status }: Job): boolean {
	return ENDED.has(status);
}

export function lacksResult({ status, outputReference }: Job): boolean {
	return status === 'Succeeded' && outputReference === null;
}

/** A job, fit for an item and a message (docs/internals/service-contract.md, Jobs). */
export type Job = NonNullable<ReturnType<typeof readJob>>;

/** @returns known entries, then whatever else the service sends; undefined if it is not a job */
export function readJob(value: unknown) {
	const job = objectOf(value);
	const jobId = idIn(job.jobId);
	if (jobId === null) return undefined;
	const status = shortText(job.status);
	const known = {
		jobId,
		operation: shortText(job.operation),
		/** An unknown status keeps the service's spelling. */
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
		/** By {@link jobKey}. */
		jobs: new Map(readable.map((job) => [jobKey(job.jobId), job])),
		/** Whether older jobs may be missing. */
		isFull,
		nextCursor: isFull ? textOf(nextCursor) || undefined : undefined,
	};
}
