import type { ServiceRequest } from '../../../../nodes/DocumentIntelligence/service/client';
import type { RetryKind } from '../../../../nodes/DocumentIntelligence/service/requestError';
import { readRetryAfter, retryDelay } from '../../../../nodes/DocumentIntelligence/service/retry';

const MINUTE = 60_000;

interface Given extends Partial<ServiceRequest> {
	retryAfterMs?: number;
	done?: number;
	timeouts?: number;
	quotaMs?: number;
	random?: number;
}

/** How long the next attempt waits after an error of this kind; undefined if there is none. */
function delayAfter(retryKind: RetryKind, given: Given): number | undefined {
	const { retryAfterMs, done = 0, timeouts = 0, quotaMs = 0, random = 1, ...request } = given;
	const error = { retryKind, circumstances: { retryAfterMs } };
	const log = { retries: done, timeouts, quotaMs };
	return retryDelay(error, { processes: 'document', ...request }, log, random);
}

test.each<[RetryKind, Given, number | undefined]>([
	// What may be billed is never retried; what costs nothing is, but not forever.
	['lost', {}, undefined],
	['lost', { retries: 8 }, undefined],
	['lost', { processes: 'nothing' }, 1000],
	['lost', { processes: 'nothing', retries: 8, timeouts: 2 }, 1000],
	['lost', { processes: 'nothing', retries: 8, timeouts: 3 }, undefined],
	['never', { processes: 'nothing' }, undefined],
	['safe', {}, 1000],
	['safe', { random: 0 }, 500],
	['safe', { done: 2 }, 4000],
	['safe', { done: 3 }, undefined],
	['safe', { retries: 0 }, undefined],
	['safe', { retries: 8, done: 7 }, 30_000],
	['quota', { done: 9 }, 30_000],
	['quota', { done: 9, quotaMs: 90_000 }, 30_000],
	['quota', { done: 9, quotaMs: 90_001 }, 29_999],
	['quota', { done: 9, quotaMs: 120_000 }, undefined],
	['quota', { retryAfterMs: 45_000, quotaMs: 90_000 }, undefined],
	['quota', { retryAfterMs: MINUTE + 1 }, undefined],
	['safe', { retryAfterMs: 45_000 }, 45_000],
	['safe', { retryAfterMs: 100 }, 1000],
	['safe', { retryAfterMs: MINUTE }, MINUTE],
	['safe', { retryAfterMs: MINUTE + 1 }, undefined],
])('retries: %s, %j: after %p ms', (retryKind, given, expected) => {
	expect(delayAfter(retryKind, given)).toBe(expected);
});

test.each<[string | undefined, number | undefined]>([
	['5', 5000],
	[' 1.5 ', 1500],
	['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
	['Sun, 06 Nov 1994 08:48:00 GMT', 0],
	[undefined, undefined],
	['soon', undefined],
	['-5', undefined],
	['1994', 1_994_000],
	['2099-01-01', undefined],
])('Retry-After: %p is %p ms by the clock of the service', (value, expected) => {
	const date = 'Sun, 06 Nov 1994 08:49:00 GMT';
	expect(readRetryAfter({ 'retry-after': value, date })).toBe(expected);
});

test('a date is compared with the local clock if the answer has none', () => {
	const inAMinute = new Date(Date.now() + MINUTE).toUTCString();
	const waitMs = readRetryAfter({ 'retry-after': inAMinute }) ?? NaN;
	expect(Math.abs(waitMs - MINUTE)).toBeLessThan(5000);
});
