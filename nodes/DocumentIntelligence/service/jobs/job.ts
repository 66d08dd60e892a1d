import { KEY_PREFIX } from '../../text/cogneris';
import { booleanOf, numberOf, objectOf, textOf } from '../../text/json';
import { quotableTexts } from '../requestError';

const STATUSES = ['Queued', 'Processing', 'Succeeded', 'Failed', 'Cancelled'];

const ENDED = new Set<string | null>(STATUSES.slice(2));

/** A longer ID does not fit in an address. Longer IDs and unknown entries, as JSON, are treated as missing. */
const MAX_CHARACTERS = 1000;

/** The service may write one job's ID in upper or in lower case. */
export function jobKey(jobId: string): string {
	return jobId.trim().toLowerCase();
}

export function hasEnded({ status }: Job): boolean {
	return ENDED.has(status);
}

/** A redaction has a download of its own (docs/internals/service-contract.md, Jobs). */
export function isRedaction({ operation }: Job): boolean {
	return operation?.toLowerCase() === 'redaction';
}

/** Whether a result that it must have is not there yet. */
export function lacksResult(job: Job): boolean {
	return job.status === 'Succeeded' && job.outputReference === null && !isRedaction(job);
}

/** A job, fit for an item and a message (docs/internals/service-contract.md, Jobs). */
export type Job = NonNullable<ReturnType<typeof readJob>>;

/** @returns known entries, then whatever else the service sends; undefined if it is not a job */
export function readJob(value: unknown) {
	const job = objectOf(value);
	const jobId = idIn(job.jobId);
	if (jobId === '') return undefined;
	const status = shortText(job.status);
	const known = {
		jobId,
		operation: shortText(job.operation),
		/** An unknown status keeps the service's spelling. */
		status: STATUSES.find((name) => name.toLowerCase() === status?.toLowerCase()) ?? status,
		outputReference: idIn(job.outputReference) || null,
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
	const remaining = Object.entries(job).filter(
		([name, entry]) =>
			!Object.hasOwn(known, name) && JSON.stringify(entry).length <= MAX_CHARACTERS,
	);
	return { ...known, ...Object.fromEntries(remaining) };
}

function idIn(value: unknown): string {
	const id = textOf(value)?.trim() ?? '';
	return id.length > MAX_CHARACTERS ? '' : id;
}

/** Such as a status or a time: the most of what jobs consist of, and a list may have 10,000. */
const PLAIN_WORD = new RegExp(`^(?!.*${KEY_PREFIX})[\\w.:+-]{1,60}$`, 'i');

function shortText(value: unknown): string | null {
	const text = textOf(value);
	return text === null || PLAIN_WORD.test(text) ? text : (quotableTexts([text])[0] ?? null);
}
