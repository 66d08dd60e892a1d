import type { IDataObject } from 'n8n-workflow';

import { booleanOf, numberOf, objectOf, objectsOf, textOf } from '../../text/json';
import { isTooDeep } from '../../text/jsonDepth';
import { sentences } from '../requestError';

const STATUSES = ['Queued', 'Processing', 'Succeeded', 'Failed', 'Cancelled'];

const ENDED = new Set<string | null>(STATUSES.slice(2));

/** A longer ID or reference could not be sent in an address, so it counts as missing. */
const MAX_ID = 1000;

/** Characters of JSON that are kept of what is not known here. */
const MAX_REST = 2000;

/** The same text for an ID in capital and in small letters: the service may write one job's ID in both. */
export function jobKey(jobId: string): string {
	return jobId.trim().toLowerCase();
}

/** Whether nothing changes any more. */
export function hasEnded({ status }: Job): boolean {
	return ENDED.has(status);
}

/** Whether the job has succeeded, and nothing says yet where its result is. */
export function lacksResult({ status, outputReference }: Job): boolean {
	return status === 'Succeeded' && outputReference === null;
}

/** A job as an item: what is known of it, then whatever else the service says. */
export function jobJson({ rest, ...known }: Job): IDataObject {
	return { ...known, ...rest };
}

/**
 * A job as the service describes it (docs/internals/service-contract.md, jobs). Its texts are short, so that they can be
 * saved and quoted.
 */
export type Job = NonNullable<ReturnType<typeof readJob>>;

/** @returns undefined for what is no job */
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
		templateId: idIn(job.templateId),
		/** Where its result is, once it has succeeded. */
		outputReference: idIn(job.outputReference),
		failureCode: shortText(job.failureCode),
		retryable: booleanOf(job.retryable),
		stage: shortText(job.stage),
		processedPages: numberOf(job.processedPages),
		totalPages: numberOf(job.totalPages),
		attemptCount: numberOf(job.attemptCount),
		startedAt: shortText(job.startedAt),
		completedAt: shortText(job.completedAt),
		cancellationRequestedAt: shortText(job.cancellationRequestedAt),
		expiresAt: shortText(job.expiresAt),
		creditsConsumed: numberOf(job.creditsConsumed),
	};
	let left = MAX_REST;
	const others = Object.entries(job).filter(([name, entry]) => {
		if (Object.hasOwn(known, name) || isTooDeep(entry)) return false;
		const { length } = JSON.stringify([name, entry]);
		if (length > left) return false;
		left -= length;
		return true;
	});
	/** What else the service says of it. */
	const rest: IDataObject = Object.fromEntries(others);
	return { ...known, rest };
}

function idIn(value: unknown): string | null {
	const id = textOf(value)?.trim() ?? '';
	return id === '' || id.length > MAX_ID ? null : id;
}

function shortText(value: unknown): string | null {
	return sentences([textOf(value)])[0] ?? null;
}

/** A page of the list of jobs. */
export interface JobList {
	/** By {@link jobKey}. What is no job is skipped. */
	jobs: Map<string, Job>;
	/** Whether older jobs may be missing. */
	isFull: boolean;
	/** Of the page that may have them. */
	nextCursor?: string;
}

export function readJobList(value: unknown): JobList {
	const { jobs, hasMore, nextCursor } = objectOf(value);
	const byKey = new Map<string, Job>();
	for (const job of objectsOf(jobs).flatMap((entry) => readJob(entry) ?? [])) {
		const key = jobKey(job.jobId);
		const known = byKey.get(key);
		// Of two entries of a job, the one that has ended is the newer.
		if (known === undefined || !hasEnded(known)) byKey.set(key, job);
	}
	const isFull = booleanOf(hasMore) === true;
	const cursor = isFull ? textOf(nextCursor) || undefined : undefined;
	return { jobs: byKey, isFull, ...(cursor === undefined ? {} : { nextCursor: cursor }) };
}
