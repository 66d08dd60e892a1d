import type { ServiceRequest } from '../../../../nodes/DocumentIntelligence/service/client';
import { readAnswer } from '../../../../nodes/DocumentIntelligence/service/envelope';
import { sendWithRetries } from '../../../../nodes/DocumentIntelligence/service/exchange';
import {
	RequestError,
	quotableTexts,
} from '../../../../nodes/DocumentIntelligence/service/requestError';
import { failedItemJson } from '../../../../nodes/DocumentIntelligence/text/errors';
import { thrownBy } from '../../service';
import { simulatedSession } from './simulatedSession';

interface Given {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
	mayReturn?: string;
	processes?: ServiceRequest['processes'];
}

const requestOf = ({ mayReturn, processes = 'document' }: Given): ServiceRequest => ({
	method: 'POST',
	path: '/x',
	timeoutSeconds: 60,
	subject: '"a.pdf"',
	mayReturn,
	processes,
});

function read({ status = 200, headers = {}, body = '', ...expected }: Given) {
	const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body as string);
	return readAnswer({ status, headers, body: bytes }, requestOf(expected));
}

/** What a document ends with whose every request is answered like this. */
async function failure({ body = '', ...given }: Given): Promise<RequestError> {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const isProblem = typeof body === 'object' && body !== null && 'title' in body;
	const type = { 'content-type': isProblem ? 'application/problem+json' : '' };
	const headers = { ...type, ...given.headers };
	const { session, time } = simulatedSession(() => ({ ...given, headers, text }));
	const asked = sendWithRetries(session, requestOf(given), readAnswer);
	return (await thrownBy(time.run(asked))) as RequestError;
}

/** As the contract writes it: `hasErrors` decides, whatever the HTTP status says. */
const envelope = (httpStatusCode: number | undefined, error: object, meta: object = {}) => ({
	data: null,
	meta: { httpStatusCode, messages: ['Sorry.'], errors: [error], ...meta },
	hasErrors: true,
});
const problem = (status: number, more: object = {}) => ({
	type: 'about:blank',
	title: 'Refused',
	status,
	code: 'SOME_CODE',
	correlationId: 'c-1',
	...more,
});

const NO_RESULT = 'The response for "a.pdf" could not be read';

describe('A result', () => {
	test.each<[unknown, object | undefined, object]>([
		[{ a: 1 }, { creditsConsumed: 2 }, { creditsConsumed: 2 }],
		[null, { creditsConsumed: 0 }, { creditsConsumed: 0 }],
		[[], { creditsConsumed: null }, {}],
		[[], { creditsConsumed: '2' }, {}],
		[[], { creditsConsumed: -1 }, {}],
		[[], undefined, {}],
	])('%j with %j', (data, meta, cost) => {
		const answer = { kind: 'data', data, ...cost };
		const body = JSON.stringify({ data, meta, hasErrors: false });
		expect(read({ body })).toStrictEqual(answer);
		expect(read({ status: 201, body: `\uFEFF${body}` })).toStrictEqual(answer);
	});

	test('is a file only where the request may return one of its type', () => {
		const [body, headers] = [Buffer.from([1, 2, 3]), { 'content-type': 'image/PNG; q=1' }];
		const file = { kind: 'file', bytes: body, mimeType: 'image/png' };
		expect(read({ headers, body, mayReturn: 'image/' })).toEqual(file);
		for (const given of [
			{ body },
			{ body, mayReturn: 'application/pdf' },
			{ body: Buffer.alloc(0), mayReturn: 'image/' },
		])
			expect(read({ headers, ...given })).toHaveProperty('message', NO_RESULT);
		expect(read({ status: 500, headers, body, mayReturn: 'image/' })).toBeInstanceOf(RequestError);
	});
});

const NOT_READ = new RegExp(`^${NO_RESULT}$`);
const PROXY =
	/^A proxy or firewall answered the request for "a.pdf" instead of Cogneris, with status \d+$/;
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' };
const NOT_FINISHED = /^Cogneris or its gateway could not process the request for "a.pdf"$/;
const REJECTED = /^Cogneris rejected "a\.pdf": \w/;
const QUOTA = { code: 'Admission_Quota_Exceeded' };
const IN_PROGRESS = { code: 'idempotency_request_in_progress' };
const withInner = (status: number, code: string) =>
	problem(status, { code: 'conflict', errors: [{ code: 'other' }, { code }] });
const TWO_REASONS = { meta: { errors: [{ retryable: true }, { retryable: false }] } };
const BILLED = envelope(503, { retryable: true }, { creditsConsumed: 2 });
const deep = `{"data":${'['.repeat(10_000)}${']'.repeat(10_000)},"hasErrors":false}`;
const MAY_BE_BILLED =
	'The document may already be billed, and processing it again may be billed twice.';

test.each<[string, number, unknown, RegExp, RequestError['retryKind'], Given['headers']?]>([
	['nothing', 200, '', NOT_READ, 'lost'],
	['a web page', 200, '<html>', NOT_READ, 'lost'],
	['JSON that is cut off', 200, '{"data":{"a"', NOT_READ, 'lost'],
	['JSON that is no object', 200, [1], NOT_READ, 'lost'],
	['no word on errors', 200, { data: 1 }, NOT_READ, 'lost'],
	['10,000 levels', 200, deep, NOT_READ, 'lost'],
	['hasErrors without a status', 200, envelope(undefined, {}), /did not process "a/, 'lost'],
	['hasErrors with a status', 200, envelope(422, {}), REJECTED, 'never'],
	['a web page that is called one', 200, '<html>', PROXY, 'lost', HTML_TYPE],
	['a redirect', 307, '', /address redirected the request for "a/, 'never'],
	['a rejection', 400, problem(400), /Cogneris rejected "a/, 'never'],
	['a rejection in an envelope', 400, envelope(400, {}), /Cogneris rejected "a/, 'never'],
	['a wrong key', 401, problem(401), /rejected the API key in .* for "a/, 'never'],
	['not allowed', 403, problem(403), /^Cogneris does not allow the .* "a.pdf"$/, 'never'],
	['an empty 400', 400, '', PROXY, 'never'],
	['403 with a body of its own', 403, '{"title":"No"}', PROXY, 'never'],
	['407', 407, '<html>', PROXY, 'never'],
	['404', 404, '<html>', /No Cogneris server .* so "a/, 'never'],
	['408', 408, '', /responded with status 408 to the request for "a.pdf"$/, 'lost'],
	['413', 413, '', /^"a.pdf" is too large for Cogneris$/, 'never'],
	['415', 415, '', /does not support the file type of "a/, 'never'],
	['418', 418, '', /responded with status 418 to the request for "a.pdf"$/, 'never'],
	['429', 429, '', /rate limit of the API key is reached, so "a/, 'rateLimit'],
	['429 with another code', 429, problem(429, IN_PROGRESS), /rate limit/, 'rateLimit'],
	['429 of the quota', 429, problem(429, QUOTA), /document quota .* is exhausted/, 'quota'],
	['an inner quota', 429, withInner(429, QUOTA.code.toUpperCase()), /document quota/, 'quota'],
	['a quota with another status', 500, problem(500, QUOTA), /document quota/, 'lost'],
	['409', 409, problem(409), /^The request for "a.pdf" conflicts/, 'never'],
	['409 of a submission in progress', 409, problem(409, IN_PROGRESS), /conflicts/, 'safe'],
	['an inner code', 409, withInner(409, 'Idempotency_Request_In_Progress'), /conflicts/, 'safe'],
	['500', 500, problem(500), NOT_FINISHED, 'lost'],
	['502', 502, '<html>', NOT_FINISHED, 'lost'],
	['retryable', 503, problem(503, { retryable: true }), NOT_FINISHED, 'safe'],
	['retryable for one of its reasons', 503, TWO_REASONS, NOT_FINISHED, 'lost'],
	['retryable, but billed', 503, BILLED, NOT_FINISHED, 'lost'],
])('no result: %s', async (_, status, body, message, retryKind, headers = {}) => {
	const given = { status, body, headers };
	const error = await failure(given);
	const { details, description } = error;
	expect(error).toMatchObject({ retryKind, mayBeBilled: retryKind === 'lost' });
	expect(error.message).toMatch(message);
	// Each message says what to do next; what may be billed says so, unless repeating it costs nothing.
	expect(description).toMatch(/[Cc]heck|Open|Reduce|Convert|Process|again/);
	if (details.creditsConsumed === undefined)
		expect(description.includes(MAY_BE_BILLED)).toBe(retryKind === 'lost');
	const { description: ofRepeated } = await failure({ ...given, processes: 'nothing' });
	expect(ofRepeated).not.toMatch(/may already be billed/);
	expect(ofRepeated).toMatch(/[Cc]heck|Open|Reduce|Convert|Process|ry again/);
});

test('what Cogneris says is quoted, with its code and number', async () => {
	const body = problem(422, {
		detail: 'Page 3 is blank.',
		errors: [{ code: 'BLANK', message: 'A page has no text.' }],
	});
	const thrown = await failure({ status: 422, body });
	expect(thrown.details).toEqual({
		httpCode: 422,
		code: 'SOME_CODE',
		messages: ['A page has no text.', 'Page 3 is blank.'],
		correlationId: 'c-1',
	});
	// The first reason is the end of the message.
	expect(thrown.message).toBe('Cogneris rejected "a.pdf": A page has no text');
	expect(failedItemJson(thrown).error.description).toMatch(
		/ type\. Cogneris says: "Page 3 is blank"\. When you contact Cogneris support, quote c-1\.$/,
	);
	const headers = { 'x-correlation-id': 'c-2' };
	expect((await failure({ status: 500, headers })).details.correlationId).toBe('c-2');
});

test.each([
	[problem(422, { code: 'outer', errors: [{ code: 'inner' }] }), 'outer'],
	[{ errors: [{ code: 'first' }, { code: 'second' }] }, 'first'],
	[envelope(422, { code: 'of an envelope' }), 'of an envelope'],
])('the code of %j is %s', async (body, code) =>
	expect((await failure({ status: 422, body })).details.code).toBe(code),
);

test('credits of a failure count as billed', async () => {
	const body = envelope(422, {}, { creditsConsumed: 2 });
	const { details, description, mayBeBilled } = await failure({ status: 422, body });
	expect([details.creditsConsumed, mayBeBilled]).toEqual([2, true]);
	expect(description).toMatch(/^Open .* Cogneris billed 2 credits\.$/);
});

test('0 credits of a failure are shown, and promise nothing', async () => {
	const { details, description, retryKind } = await failure({
		body: envelope(503, { retryable: false }, { creditsConsumed: 0 }),
	});
	expect([details.creditsConsumed, retryKind]).toEqual([0, 'lost']);
	expect(description).toMatch(/The document may already be billed/);
	const { session, requests, time } = simulatedSession(() => ({
		text: JSON.stringify(envelope(503, { retryable: true }, { creditsConsumed: 0 })),
	}));
	const asked = sendWithRetries(session, { ...requestOf({}), retries: 2 }, readAnswer);
	await thrownBy(time.run(asked));
	expect(requests).toHaveLength(3);
});

describe('A text of the service', () => {
	const numbers = Array.from({ length: 50 }, (_, number) => `${number}`);
	const xs = 'x'.repeat(480);

	test.each<[string, unknown[], string[]]>([
		['is on one line', ['a\r\n\tb\u0000c'], ['a b c']],
		['comes once', ['a', 'a ', '', 5, null, 'b'], ['a', 'b']],
		['shows no key', ['Key xtkt_live_abc is bad'], ['Key xtkt_live_… is bad']],
		['shows no key in capitals', ['XTKT_TEST_1'], ['xtkt_TEST_…']],
		['shows no part of a key', [`${xs} xtkt_live_${'k'.repeat(2000)}`], [`${xs} xtkt_live_…`]],
		['is cut', ['x'.repeat(5_000_000)], [`${'x'.repeat(500)}…`]],
		['is one of ten at most', numbers, numbers.slice(0, 10)],
	])('%s', (_, values, expected) => expect(quotableTexts(values)).toEqual(expected));
});
