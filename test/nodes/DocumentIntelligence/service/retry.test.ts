import {
	decideRetry,
	type RetryDecision,
} from '../../../../nodes/DocumentIntelligence/service/retry';
import type { RetryKind } from '../../../../nodes/DocumentIntelligence/service/requestError';

const RETRIES = 3;

const MINUTE = 60_000;

function decide(
	retryKind: RetryKind,
	attempts = { retries: 0, rejectedForMs: 0 },
	maxRetries = RETRIES,
): RetryDecision['action'] {
	return decideRetry({ retryKind }, attempts, maxRetries, 0.5).action;
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
		99,
		random,
	);
	if (decision.action !== 'retryAfter')
		throw new Error(`Expected a wait, not "${decision.action}".`);
	return decision.waitMs;
}

describe('Whether a request is retried', () => {
	test.each<[RetryKind, number, number, RetryDecision['action']]>([
		['never', 0, 0, 'giveUp'],
		['rateLimit', 0, 0, 'requeue'],
		['rateLimit', 0, 10 * MINUTE - 1, 'requeue'],
		['rateLimit', 0, 10 * MINUTE, 'giveUp'],
		// Rejections are not billed, so they use up no retries.
		['rateLimit', 3, 0, 'requeue'],
		['safe', 0, 0, 'retryAfter'],
		['safe', 2, 60 * MINUTE, 'retryAfter'],
		['safe', 3, 0, 'giveUp'],
		['quota', 0, 0, 'retryAfter'],
		['quota', 3, 0, 'giveUp'],
	])(
		'%s, after %i retries and %i ms of rejections: %s',
		(retryKind, retries, rejectedForMs, action) => {
			expect(decide(retryKind, { retries, rejectedForMs })).toBe(action);
		},
	);

	test('not at all without retries, except after a rejection for the rate', () => {
		const none = 0;
		expect(decide('safe', undefined, none)).toBe('giveUp');
		expect(decide('quota', undefined, none)).toBe('giveUp');
		expect(decide('rateLimit', undefined, none)).toBe('requeue');
	});

	test.each<[RetryKind, number, RetryDecision['action']]>([
		['quota', 2, 'retryAfter'],
		['quota', 3, 'giveUp'],
		['safe', 7, 'retryAfter'],
		['safe', 8, 'giveUp'],
	])(
		'at most 3 retries for the quota, 8 for other reasons where a request says so: %s after %i: %s',
		(retryKind, retries, action) => {
			expect(decide(retryKind, { retries, rejectedForMs: 0 }, 8)).toBe(action);
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
			RETRIES,
			0.5,
		);
		expect(decision.action).toBe(action);
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
