import { decideRetry, type Decision } from '../../../../nodes/DocumentIntelligence/service/retry';
import type { Repeat } from '../../../../nodes/DocumentIntelligence/service/requestError';

const WAIT = { maxRetries: 3, onRateLimit: 'wait' } as const;
const FAIL = { maxRetries: 3, onRateLimit: 'fail' } as const;

function decide(
	repeat: Repeat,
	tries = { retries: 0, refusals: 0 },
	policy: typeof WAIT | typeof FAIL | { maxRetries: number; onRateLimit: 'wait' } = WAIT,
): Decision['again'] {
	return decideRetry({ repeat }, tries, policy, 0.5).again;
}

function waitAfter(
	retries: number,
	random: number,
	repeat: Repeat = 'safe',
	retryAfterMs?: number,
): number {
	const decision = decideRetry(
		{ repeat, retryAfterMs },
		{ retries, refusals: 0 },
		{ maxRetries: 99, onRateLimit: 'wait' },
		random,
	);
	if (decision.again !== 'after') throw new Error(`Expected a wait, not "${decision.again}".`);
	return decision.waitMs;
}

describe('Whether a request is sent again', () => {
	test.each<[Repeat, typeof WAIT | typeof FAIL, number, number, Decision['again']]>([
		['never', WAIT, 0, 0, 'no'],
		['never', FAIL, 0, 0, 'no'],
		['rateLimit', WAIT, 0, 0, 'inLine'],
		['rateLimit', WAIT, 0, 9, 'inLine'],
		['rateLimit', WAIT, 0, 10, 'no'],
		// Refusals cost nothing, so they use up no retries.
		['rateLimit', WAIT, 3, 0, 'inLine'],
		['rateLimit', FAIL, 0, 0, 'no'],
		['safe', WAIT, 0, 0, 'after'],
		['safe', WAIT, 2, 9, 'after'],
		['safe', WAIT, 3, 0, 'no'],
		['safe', FAIL, 0, 0, 'after'],
		['quota', WAIT, 0, 0, 'after'],
		['quota', WAIT, 3, 0, 'no'],
		['quota', FAIL, 2, 0, 'after'],
	])('%s, %j, after %i retries and %i refusals: %s', (repeat, policy, retries, refusals, again) => {
		expect(decide(repeat, { retries, refusals }, policy)).toBe(again);
	});

	test('not at all without retries, except after a refusal for the rate', () => {
		const none = { maxRetries: 0, onRateLimit: 'wait' } as const;
		expect(decide('safe', undefined, none)).toBe('no');
		expect(decide('quota', undefined, none)).toBe('no');
		expect(decide('rateLimit', undefined, none)).toBe('inLine');
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

	test('at least what the service asks for, however long', () => {
		expect(waitAfter(0, 1, 'safe', 45_000)).toBe(45_000);
		expect(waitAfter(0, 1, 'quota', 3_600_000)).toBe(3_600_000);
		expect(waitAfter(2, 0, 'safe', 100)).toBe(2000);
		expect(waitAfter(0, 0, 'safe', 0)).toBe(500);
	});
});
