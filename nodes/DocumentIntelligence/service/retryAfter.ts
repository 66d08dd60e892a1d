import { parseHttpDate } from './httpDate';

/** Longer than any service means it; keeps the moment within what a date can hold. */
const MAX_WAIT_MS = 366 * 24 * 60 * 60_000;

/**
 * How long a service asks to wait, in either form of Retry-After: seconds or a date.
 *
 * A date is compared with the answer's own Date header, because the two clocks may differ.
 *
 * @param headers by lower-case names
 * @param now local time, for an answer without a Date header
 * @returns milliseconds, 0 for a date that is past; undefined where nothing readable is said
 */
export function readRetryAfter(
	headers: Readonly<Record<string, string | undefined>>,
	now: number,
): number | undefined {
	const value = headers['retry-after']?.trim() ?? '';
	const waitMs = /^\d+(\.\d+)?$/.test(value)
		? Number(value) * 1000
		: (parseHttpDate(value) ?? Number.NaN) - (parseHttpDate(headers.date) ?? now);
	return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), MAX_WAIT_MS);
}
