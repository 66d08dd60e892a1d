import {
	decideRetry,
	maxRejectedMs,
	type RetryDecision,
	type RetryPolicy,
} from '../../../../nodes/DocumentIntelligence/service/retry';
import type { RetryKind } from '../../../../nodes/DocumentIntelligence/service/requestError';

const WAIT = { maxRetries: 3, onRateLimit: 'wait' } as const;
const FAIL = { maxRetries: 3, onRateLimit: 'fail' } as const;

const MINUTE = 60_000;

function decide(
	retryKind: RetryKind,
	attempts = { retries: 0, rejectedForMs: 0 },
	policy: RetryPolicy = WAIT,
): RetryDecision['action'] {
	return decideRetry({ retryKind }, attempts, policy, 0.5).action;
}

function waitAfter(
	retries: number,
	random: number,
	retryKind: RetryKind = 'safe',
	retryAfterMs?: number,
): number {
	const decision = decideRetry(
		{ retryKind, retryAfterMs },
		{ retries, rejectedForMs: 0 },
		{ maxRetries: 99, onRateLimit: 'wait' },
		random,
	);
	if (decision.action !== 'retryAfter')
		throw new Error(`Expected a wait, not "${decision.action}".`);
	return decision.waitMs;
}

describe('Whether a request is retried', () => {
	test.each<[RetryKind, typeof WAIT | typeof FAIL, number, number, RetryDecision['action']]>([
		['never', WAIT, 0, 0, 'giveUp'],
		['never', FAIL, 0, 0, 'giveUp'],
		['rateLimit', WAIT, 0, 0, 'requeue'],
		['rateLimit', WAIT, 0, 10 * MINUTE - 1, 'requeue'],
		['rateLimit', WAIT, 0, 10 * MINUTE, 'giveUp'],
		// Rejections are not billed, so they use up no retries.
		['rateLimit', WAIT, 3, 0, 'requeue'],
		['rateLimit', FAIL, 0, 0, 'giveUp'],
		['safe', WAIT, 0, 0, 'retryAfter'],
		['safe', WAIT, 2, 60 * MINUTE, 'retryAfter'],
		['safe', WAIT, 3, 0, 'giveUp'],
		['safe', FAIL, 0, 0, 'retryAfter'],
		['quota', WAIT, 0, 0, 'retryAfter'],
		['quota', WAIT, 3, 0, 'giveUp'],
		['quota', FAIL, 2, 0, 'retryAfter'],
	])(
		'%s, %j, after %i retries and %i ms of rejections: %s',
		(retryKind, policy, retries, rejectedForMs, action) => {
			expect(decide(retryKind, { retries, rejectedForMs }, policy)).toBe(action);
		},
	);

	test('not at all without retries, except after a rejection for the rate', () => {
		const none = { maxRetries: 0, onRateLimit: 'wait' } as const;
		expect(decide('safe', undefined, none)).toBe('giveUp');
		expect(decide('quota', undefined, none)).toBe('giveUp');
		expect(decide('rateLimit', undefined, none)).toBe('requeue');
	});

	test.each<[RetryKind, number, RetryDecision['action']]>([
		['quota', 4, 'retryAfter'],
		['quota', 5, 'giveUp'],
		['safe', 2, 'retryAfter'],
		['safe', 3, 'giveUp'],
	])(
		'5 retries for the quota, 3 for other reasons: %s after %i: %s',
		(retryKind, retries, action) => {
			expect(
				decide(retryKind, { retries, rejectedForMs: 0 }, { ...WAIT, maxQuotaRetries: 5 }),
			).toBe(action);
		},
	);

	test.each<[RetryKind, number, RetryDecision['action']]>([
		['safe', MINUTE, 'retryAfter'],
		['safe', MINUTE + 1, 'giveUp'],
		['quota', MINUTE, 'retryAfter'],
		['quota', MINUTE + 1, 'giveUp'],
		// The limiter bounds what a rejection for the rate asks for.
		['rateLimit', 1440 * MINUTE, 'requeue'],
	])('%s with a wait of %i ms: %s', (retryKind, retryAfterMs, action) => {
		const decision = decideRetry(
			{ retryKind, retryAfterMs },
			{ retries: 0, rejectedForMs: 0 },
			WAIT,
			0.5,
		);
		expect(decision.action).toBe(action);
	});

	test('who does not wait for the rate limit does not wait for a closed window', () => {
		expect(maxRejectedMs(WAIT)).toBe(10 * MINUTE);
		expect(maxRejectedMs(FAIL)).toBe(0);
	});
});

describe('How long it waits', () => {
	test.each<[number, number, number]>([
		[0, 500, 1000],
		[1, 1000, 2000],
		[2, 2000, 4000],
		[4, 8000, 16_000],
		[5, 15_000, 30_000],
		[98, 15_000, 30_000],
	])('retry %i: from %i to %i ms, as chance has it', (retries, least, most) => {
		expect(waitAfter(retries, 0)).toBe(least);
		expect(waitAfter(retries, 0.5)).toBe((least + most) / 2);
		expect(waitAfter(retries, 1)).toBe(most);
	});

	test('longer for a quota, and to the same limit', () => {
		expect([0, 1, 2, 3].map((retries) => waitAfter(retries, 1, 'quota'))).toEqual([
			5000, 10_000, 20_000, 30_000,
		]);
	});

	test('at least what the service asks for', () => {
		expect(waitAfter(0, 1, 'safe', 45_000)).toBe(45_000);
		expect(waitAfter(0, 1, 'quota', 60_000)).toBe(60_000);
		expect(waitAfter(2, 0, 'safe', 100)).toBe(2000);
		expect(waitAfter(0, 0, 'safe', 0)).toBe(500);
	});
});
