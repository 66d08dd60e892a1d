import type { RequestError } from './requestError';

/** Retries after passing failures, unless a request says otherwise; rejections for the rate limit are not among them. */
export const MAX_RETRIES = 3;

/** An upload may take the whole Timeout, and so may each of its retries: more of them are no bound that a user expects. */
const MAX_UPLOAD_TIMEOUT_RETRIES = 2;

/** The attempts for one document so far. */
export interface Attempts {
	retries: number;
	/** How many uploads were not answered within the time limit. */
	uploadTimeouts?: number;
	/** Milliseconds since the first of its rejections for the rate limit in a row; 0 at the first one. */
	rejectedForMs: number;
}

/**
 * `requeue`: wait in the limiter's queue again. `retryAfter`: the same after a pause of its own.
 * `giveUp`: the document failed.
 */
export type RetryDecision =
	{ action: 'requeue' } | { action: 'retryAfter'; waitMs: number } | { action: 'giveUp' };

/** A window lasts a minute, so a document that is rejected for this long had ten chances: too many programs use the key. */
export const MAX_REJECTED_MS = 10 * 60_000;

/** The longest pause that a service may ask for; a longer one would hold back the results that a run already has. */
export const MAX_RETRY_AFTER_MS = 60_000;

const FIRST_BACKOFF_MS = 1_000;

/** A quota is not restored in seconds. */
const FIRST_QUOTA_BACKOFF_MS = 5_000;

const MAX_BACKOFF_MS = 30_000;

/**
 * Whether a failed request is retried. Only what cannot have been billed is: a rejection for the rate limit, a
 * request that did not arrive, and what the service itself declares retryable (docs/service-contract.md, statuses).
 *
 * @param random from 0 to 1; spreads the retries of many documents that failed together
 */
export function decideRetry(
	{ retryKind, retryAfterMs = 0 }: Pick<RequestError, 'retryKind' | 'retryAfterMs'>,
	{ retries, uploadTimeouts = 0, rejectedForMs }: Attempts,
	maxRetries: number,
	random: number,
): RetryDecision {
	if (retryKind === 'never') return { action: 'giveUp' };
	if (retryKind === 'rateLimit')
		return { action: rejectedForMs < MAX_REJECTED_MS ? 'requeue' : 'giveUp' };
	if (uploadTimeouts > MAX_UPLOAD_TIMEOUT_RETRIES) return { action: 'giveUp' };
	const mostRetries = retryKind === 'quota' ? Math.min(maxRetries, MAX_RETRIES) : maxRetries;
	if (retries >= mostRetries || retryAfterMs > MAX_RETRY_AFTER_MS) return { action: 'giveUp' };
	const firstMs = retryKind === 'quota' ? FIRST_QUOTA_BACKOFF_MS : FIRST_BACKOFF_MS;
	const backoffMs = Math.min(firstMs * 2 ** retries, MAX_BACKOFF_MS);
	return {
		action: 'retryAfter',
		waitMs: Math.max(retryAfterMs, backoffMs * (0.5 + random / 2)),
	};
}
