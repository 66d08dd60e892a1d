import type { ServiceRequest } from './client';
import type { RequestError } from './requestError';

/** Unless the request sets its own. */
const MAX_RETRIES = 3;

/** Fewer than other retries, because each try may take the whole Timeout. */
const MAX_TIMEOUTS = 2;

/** The longest pause that a service may ask for; a longer one would hold back the results that a run already has. */
const MAX_RETRY_AFTER_MS = 60_000;

/** How long a document waits for the document quota of the account. */
const MAX_QUOTA_MS = 120_000;

const [FIRST_BACKOFF_MS, MAX_BACKOFF_MS] = [1_000, 30_000];

/**
 * What may have been billed is not retried: only what did not arrive, what Cogneris declares retryable
 * (docs/internals/service-contract.md, statuses), and what processes no document twice.
 * @param done retries so far, tries that timed out, and milliseconds since the quota first rejected the request
 * @param random from 0 to 1; spreads the retries of many documents that failed together
 * @returns milliseconds to wait; undefined if it is not retried
 */
export function retryDelay(
	{
		retryKind,
		circumstances: { retryAfterMs = 0 },
	}: Pick<RequestError, 'retryKind' | 'circumstances'>,
	request: Pick<ServiceRequest, 'processes' | 'retries'>,
	done: { retries: number; timeouts: number; quotaMs: number },
	random: number,
): number | undefined {
	if (retryKind === 'never' || retryKind === 'newKey') return undefined;
	if (retryKind === 'lost' && request.processes === 'document') return undefined;
	if (retryAfterMs > MAX_RETRY_AFTER_MS) return undefined;
	const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** done.retries, MAX_BACKOFF_MS);
	if (retryKind === 'quota') {
		const leftMs = MAX_QUOTA_MS - done.quotaMs;
		const waitMs = Math.max(retryAfterMs, Math.min(backoffMs, leftMs));
		return leftMs > 0 && waitMs <= leftMs ? waitMs : undefined;
	}
	const isEnough = done.retries >= (request.retries ?? MAX_RETRIES) || done.timeouts > MAX_TIMEOUTS;
	return isEnough ? undefined : Math.max(retryAfterMs, backoffMs * (0.5 + random / 2));
}

/**
 * Retry-After in seconds, or as a date that is compared with the Date header, because the two clocks may differ.
 * @param headers by lower-case names
 * @returns milliseconds, 0 for a date in the past; undefined if the header is missing or malformed
 */
export function readRetryAfter(headers: Readonly<Record<string, string | undefined>>) {
	const value = headers['retry-after']?.trim() ?? '';
	const waitMs = /^\d{1,9}(\.\d+)?$/.test(value)
		? Number(value) * 1000
		: (parseHttpDate(value) ?? NaN) - (parseHttpDate(headers.date) ?? Date.now());
	return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** Milliseconds since the epoch; undefined for other forms than `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function parseHttpDate(value = ''): number | undefined {
	const time = /^[A-Z][a-z]{2}, .* GMT$/.test(value.trim()) ? Date.parse(value) : NaN;
	return Number.isNaN(time) ? undefined : time;
}
