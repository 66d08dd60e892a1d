import type { RequestError } from './requestError';

/** How often something may be tried again. */
export interface RetryPolicy {
	/** Repeats of one document after passing failures; refusals for the rate limit are not among them. */
	maxRetries: number;
	onRateLimit: 'wait' | 'fail';
}

/** What has happened to one document so far. */
export interface Tries {
	retries: number;
	refusals: number;
}

/** `inLine`: as soon as the limiter lets it. `after`: in so many milliseconds, then in line. `no`: it failed. */
export type Decision = { again: 'inLine' } | { again: 'after'; waitMs: number } | { again: 'no' };

/** A document refused this often in a row has waited about as many minutes; the key is in use by too many. */
const MAX_REFUSALS = 10;

const FIRST_WAIT_MS = 1_000;

const MAX_WAIT_MS = 30_000;

/** A quota is not restored in seconds. */
const FIRST_QUOTA_WAIT_MS = 5_000;

/**
 * Whether a failed request is sent again. Only what cannot have been billed is: a refusal for the rate, a request
 * that did not arrive, and what the service itself declares retryable (service contract, statuses).
 *
 * @param random from 0 to 1; spreads the repeats of many documents that failed together
 */
export function decideRetry(
	{ repeat, retryAfterMs }: Pick<RequestError, 'repeat' | 'retryAfterMs'>,
	{ retries, refusals }: Tries,
	{ maxRetries, onRateLimit }: RetryPolicy,
	random: number,
): Decision {
	if (repeat === 'never') return { again: 'no' };
	if (repeat === 'rateLimit') {
		return onRateLimit === 'wait' && refusals < MAX_REFUSALS
			? { again: 'inLine' }
			: { again: 'no' };
	}
	if (retries >= maxRetries) return { again: 'no' };
	const first = repeat === 'quota' ? FIRST_QUOTA_WAIT_MS : FIRST_WAIT_MS;
	const growing = Math.min(first * 2 ** retries, MAX_WAIT_MS);
	return { again: 'after', waitMs: Math.max(retryAfterMs ?? 0, growing * (0.5 + random / 2)) };
}
