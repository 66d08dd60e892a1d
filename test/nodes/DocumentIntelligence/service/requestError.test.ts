import {
	billingOfLost,
	joined,
	MAY_BE_BILLED,
	notBilled,
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

type Failure = ConstructorParameters<typeof RequestError>;

describe('A request that is never billed', () => {
	test('says so where its answer was lost, and keeps what else is known', () => {
		const failure = new RequestError('Lost', 'Run it again.', { httpCode: 504 }, 'never', 700);
		const told = notBilled(failure);
		expect(told).toMatchObject({
			message: 'Lost',
			description: 'Nothing was billed. Run it again.',
			details: { httpCode: 504 },
			retryKind: 'never',
			retryAfterMs: 700,
		});
		expect(told.mayBeBilled).toBe(false);
	});

	test.each<[string, Failure]>([
		['a rejection', ['', '', { httpCode: 422 }, 'never']],
		['what the service billed all the same', ['', '', { creditsConsumed: 2 }, 'never']],
	])('has nothing to add to %s', (_, parameters) => {
		const failure = new RequestError(...parameters);
		expect(notBilled(failure)).toBe(failure);
	});
});

test.each<[string, Failure, RetryKind]>([
	['no answer', ['', '', {}, 'never'], 'safe'],
	['a gateway that gave up', ['', '', { httpCode: 504 }, 'never'], 'safe'],
	['the server itself', ['', '', { httpCode: 500 }, 'never'], 'safe'],
	['a redirect with several choices', ['', '', { httpCode: 300 }, 'never'], 'never'],
	['a rejected file', ['', '', { httpCode: 422 }, 'never'], 'never'],
	[
		'a first attempt that is in progress',
		['', '', { httpCode: 409, code: 'Idempotency_Request_In_Progress' }, 'never'],
		'safe',
	],
	['another conflict', ['', '', { httpCode: 409, code: 'other' }, 'never'], 'never'],
	['the rate limit', ['', '', { httpCode: 429 }, 'rateLimit'], 'rateLimit'],
	['the quota', ['', '', { httpCode: 429 }, 'quota'], 'quota'],
	['a failure that was not sent', ['', '', {}, 'never', undefined, { sent: false }], 'never'],
])('where a request is repeatable, %s is retried: %j: %s', (_, parameters, expected) => {
	expect(new RequestError(...parameters).retryKindIfRepeatable).toBe(expected);
});

test('what is said of billing where the answer to a request was lost', () => {
	expect(billingOfLost({ isRepeatable: true }, 'Look there.')).toBe('');
	expect(billingOfLost({ isRepeatable: false })).toBe(MAY_BE_BILLED);
	expect(billingOfLost({}, 'Look there.')).toBe(`${MAY_BE_BILLED} Look there.`);
});

test('sentences are joined without those that have no text', () => {
	expect(joined('One.', '', 'Two.')).toBe('One. Two.');
	expect(joined('', '')).toBe('');
});
