import type { RequestError } from './requestError';

/** Retries of a request after passing failures, unless it says otherwise. */
const MAX_RETRIES = 3;

/** An upload may take the whole Timeout, and so may each of its retries. */
const MAX_UPLOAD_TIMEOUTS = 2;

/** The longest pause that a service may ask for; a longer one would hold back the results that a run already has. */
export const MAX_RETRY_AFTER_MS = 60_000;

const FIRST_BACKOFF_MS = 1_000;

/** A quota is not restored in seconds. */
const FIRST_QUOTA_BACKOFF_MS = 5_000;

const MAX_BACKOFF_MS = 30_000;

/** How a request may be retried, and how often that has happened. */
export interface Attempts {
	/** Whether it may have arrived and be retried all the same: it is not billed, or takes effect only once. */
	isRepeatable?: boolean;
	maxRetries?: number;
	retries: number;
	/** Uploads that were not answered within the time limit. */
	uploadTimeouts: number;
}

/**
 * When a failed request is retried. Only what cannot have been billed is: a request that did not arrive, and what the
 * service itself declares retryable (docs/internals/service-contract.md, statuses).
 *
 * @param random from 0 to 1; spreads the retries of many documents that failed together
 * @returns milliseconds to wait; undefined if it is not retried
 */
export function retryDelay(
	{ retryKind, retryAfterMs = 0 }: Pick<RequestError, 'retryKind' | 'retryAfterMs'>,
	{ isRepeatable = false, maxRetries = MAX_RETRIES, retries, uploadTimeouts }: Attempts,
	random: number,
): number | undefined {
	if (retryKind === 'never' || (retryKind === 'lost' && !isRepeatable)) return undefined;
	const most = retryKind === 'quota' ? Math.min(maxRetries, MAX_RETRIES) : maxRetries;
	const isEnough = retries >= most || uploadTimeouts > MAX_UPLOAD_TIMEOUTS;
	if (isEnough || retryAfterMs > MAX_RETRY_AFTER_MS) return undefined;
	const firstMs = retryKind === 'quota' ? FIRST_QUOTA_BACKOFF_MS : FIRST_BACKOFF_MS;
	const backoffMs = Math.min(firstMs * 2 ** retries, MAX_BACKOFF_MS);
	return Math.max(retryAfterMs, backoffMs * (0.5 + random / 2));
}

/**
 * How long a service asks to wait, in either form of Retry-After: seconds, or a date that is compared with the answer's
 * own Date header, because the two clocks may differ.
 *
 * @param headers by lower-case names
 * @returns milliseconds, 0 for a date in the past; undefined if the header is missing or malformed
 */
export function readRetryAfter(
	headers: Readonly<Record<string, string | undefined>>,
): number | undefined {
	const value = headers['retry-after']?.trim() ?? '';
	const waitMs = /^\d{1,9}(\.\d+)?$/.test(value)
		? Number(value) * 1000
		: (parseHttpDate(value) ?? NaN) - (parseHttpDate(headers.date) ?? Date.now());
	return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Milliseconds since the epoch of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`; undefined for anything else. */
export function parseHttpDate(value = ''): number | undefined {
	const time = /^[A-Z][a-z]{2}, .* GMT$/.test(value.trim()) ? Date.parse(value) : NaN;
	return Number.isNaN(time) ? undefined : time;
}
