import {
	RequestError,
	type RetryKind,
} from '../../../../nodes/DocumentIntelligence/service/requestError';

test.each<[string, RetryKind, { httpCode?: number; creditsConsumed?: number }, boolean]>([
	['no answer', 'never', {}, true],
	['an answer that cannot be understood', 'never', { httpCode: 200 }, true],
	['a gateway that gave up', 'never', { httpCode: 504 }, true],
	['a gateway that did not wait', 'never', { httpCode: 408 }, true],
	['a failure that the service declares retryable', 'safe', { httpCode: 503 }, false],
	['a redirect', 'never', { httpCode: 307 }, false],
	['a rejected key', 'never', { httpCode: 401 }, false],
	['a rejected file', 'never', { httpCode: 422 }, false],
	['a rejected file that was billed', 'never', { httpCode: 422, creditsConsumed: 2 }, true],
	['the rate limit', 'rateLimit', { httpCode: 429 }, false],
	['the quota', 'quota', { httpCode: 429 }, false],
])('%s: %s %j may be billed: %p', (_, retryKind, details, expected) => {
	expect(new RequestError('', '', details, retryKind).mayBeBilled).toBe(expected);
});

test('a request that was not sent is not billed', () => {
	expect(new RequestError('', '', {}, 'never', undefined, { sent: false }).mayBeBilled).toBe(false);
});

test('a rejected file of which the answer holds data was worked on', () => {
	const error = new RequestError('', '', { httpCode: 422 }, 'never', undefined, {
		processed: true,
	});
	expect(error.mayBeBilled).toBe(true);
});
