import { readAnswer } from '../../../../nodes/DocumentIntelligence/service/envelope';
import { DOCUMENT_STATUS_MESSAGES } from '../../../../nodes/DocumentIntelligence/operations/statusMessages';
import { RequestError } from '../../../../nodes/DocumentIntelligence/service/requestError';

interface Given {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
	mayReturnImage?: boolean;
	isRepeatable?: boolean;
	statusMessages?: Expected['statusMessages'];
	codeMessages?: Expected['codeMessages'];
}

type Expected = Parameters<typeof readAnswer>[1];

function read({ status = 200, headers = {}, body = '', ...expected }: Given) {
	const bytes = Buffer.isBuffer(body)
		? body
		: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
	const statusMessages = { ...DOCUMENT_STATUS_MESSAGES, ...expected.statusMessages };
	return readAnswer(
		{ status, headers, body: bytes },
		{ subject: '"a.pdf"', ...expected, statusMessages },
	);
}

function rejected(given: Given): RequestError {
	const answer = read(given);
	if (answer instanceof RequestError) return answer;
	throw new Error(`An answer: ${JSON.stringify(answer)}`);
}

const envelope = (meta: object, more: object = {}) => ({
	data: null,
	meta,
	hasErrors: true,
	...more,
});

describe('A result', () => {
	test.each([
		[
			{ data: { a: 1 }, meta: { creditsConsumed: 2 }, hasErrors: false },
			{ data: { a: 1 }, creditsConsumed: 2 },
		],
		[
			{ data: null, meta: { creditsConsumed: 0 }, hasErrors: false },
			{ data: null, creditsConsumed: 0 },
		],
		[{ data: [], meta: { creditsConsumed: null }, hasErrors: false }, { data: [] }],
		[{ data: [], meta: { creditsConsumed: '2' }, hasErrors: false }, { data: [] }],
		[{ data: [], meta: { creditsConsumed: -1 }, hasErrors: false }, { data: [] }],
		[{ data: [], meta: null, hasErrors: false }, { data: [] }],
		[{ data: [], hasErrors: false }, { data: [] }],
	])('%j', (body, expected) => {
		expect(read({ body })).toStrictEqual(expected);
	});

	test.each([200, 201, 204, 299])('with status %d', (status) => {
		expect(read({ status, body: { data: 1, hasErrors: false } })).toEqual({ data: 1 });
	});

	test.each([199, 300, 400, 500])('with status %d is none', (status) => {
		expect(rejected({ status, body: { data: 1, hasErrors: false } }).details.httpCode).toBe(status);
	});

	test('that is an image, where one is an answer', () => {
		const body = Buffer.from([1, 2, 3]);
		const headers = { 'content-type': 'image/PNG; q=1' };
		expect(read({ headers, body, mayReturnImage: true })).toEqual({
			data: null,
			file: { bytes: body, mimeType: 'image/png' },
		});
		expect(rejected({ headers, body }).message).toBe('The response for "a.pdf" could not be read');
		expect(rejected({ status: 500, headers, body, mayReturnImage: true }).details.httpCode).toBe(
			500,
		);
		expect(
			rejected({ headers: { 'content-type': 'application/image/png' }, body, mayReturnImage: true })
				.message,
		).toContain('could not be read');
		expect(rejected({ body, mayReturnImage: true }).message).toContain('could not be read');
	});
});

describe('No result', () => {
	test.each<[string, Given, string, Partial<RequestError>]>([
		[
			'nothing',
			{},
			'The service returned an empty response for "a.pdf"',
			{ retryKind: 'never', details: { httpCode: 200 } },
		],
		[
			'no JSON',
			{ body: '<html>' },
			'The response for "a.pdf" could not be read',
			{ retryKind: 'never', details: { httpCode: 200 } },
		],
		...['[1]', 'null', 'true', '5', '"data"'].map((body): [string, Given, string, object] => [
			`JSON that is no object: ${body}`,
			{ body },
			'The response for "a.pdf" could not be read',
			{ retryKind: 'never', details: { httpCode: 200 } },
		]),
		[
			'an object without data',
			{ body: { hasErrors: false } },
			'The response for "a.pdf" could not be read',
			{ retryKind: 'never', details: { httpCode: 200 } },
		],
		[
			'data without a word on errors',
			{ body: { data: 1 } },
			'The response for "a.pdf" could not be read',
			{ retryKind: 'never', details: { httpCode: 200 } },
		],
		[
			'a redirect',
			{ status: 302 },
			'The address redirected the request for "a.pdf"',
			{ retryKind: 'never', details: { httpCode: 302 } },
		],
		[
			'the first of the redirects',
			{ status: 300 },
			'The address redirected the request for "a.pdf"',
			{ retryKind: 'never' },
		],
		[
			'the last of them',
			{ status: 399 },
			'The address redirected the request for "a.pdf"',
			{ retryKind: 'never' },
		],
		[
			'a status nobody knows',
			{ status: 418 },
			'The service answered "a.pdf" with status 418',
			{ retryKind: 'never' },
		],
		['422', { status: 422 }, 'The service could not read "a.pdf"', { retryKind: 'never' }],
	])('%s', (_, given, message, rest) => {
		const error = rejected(given);
		expect(error.message).toBe(message);
		expect(error).toMatchObject(rest);
	});

	test('nested too deeply', () => {
		let data: unknown = 1;
		for (let level = 0; level < 300; level++) data = [data];
		const error = rejected({ status: 201, body: { data, hasErrors: false } });
		expect(error).toMatchObject({
			message: 'The result for "a.pdf" is nested too deeply to be passed on',
			description:
				'The document may already be billed, so it was not retried. The result has more than 200 levels: simplify the template in the platform.',
			retryKind: 'never',
		});
		expect(error.details).toEqual({ httpCode: 201 });
	});

	test('nested too deeply, with what it cost', () => {
		let data: unknown = 1;
		for (let level = 0; level < 300; level++) data = [data];
		const error = rejected({ body: { data, meta: { creditsConsumed: 3 }, hasErrors: false } });
		expect(error.description).toContain('The service billed 3 credits');
		expect(error.details).toEqual({ httpCode: 200, creditsConsumed: 3 });
	});

	test.each([
		[
			302,
			'The key is not sent to an address that the credential does not name. Check the region or the custom address.',
		],
		[
			418,
			'Check the region or the custom address in the credential. If it is right, the service may be temporarily unavailable.',
		],
		[500, /^The document may already be billed, so it was not retried\. Check/],
		[501, /^The document may already be billed, so it was not retried\. Check/],
		[599, /^The document may already be billed, so it was not retried\. Check/],
	])('what to do after %d', (status, description) => {
		expect(rejected({ status }).description).toMatch(description);
	});

	test.each([
		[200, 'Check in the platform whether it was processed before running it again.'],
		[299, 'Check in the platform whether it was processed before running it again.'],
		[300, 'The key is not sent to an address that the credential does not name.'],
		[399, 'The key is not sent to an address that the credential does not name.'],
		[400, 'Check the region or the custom address in the credential.'],
		[499, 'Check the region or the custom address in the credential.'],
		[500, 'Check in the platform whether it was processed before running it again.'],
	])('what to do after %d, where no message is for it', (status, advice) => {
		const error = readAnswer(
			{ status, headers: {}, body: Buffer.from('{"hasErrors":true}') },
			{ subject: '"a.pdf"', statusMessages: {} },
		);
		expect(error).toMatchObject({ description: expect.stringContaining(advice) as string });
		expect(error).toMatchObject({ mayBeBilled: status < 300 || status >= 500 });
	});

	test.each([199, 300])('without a body under %d', (status) => {
		expect(rejected({ status }).message).not.toContain('an empty response');
	});

	test('a request that may be repeated is not said to be billed, nor to be checked', () => {
		const readable =
			'The response is truncated, a web page, or in a format that this version of the node does not know. ' +
			'Check the region or the custom address in the credential. If it is right, the service may be temporarily unavailable.';
		expect(rejected({ body: '<html>', isRepeatable: true }).description).toBe(readable);
		expect(rejected({ body: '<html>' }).description).toBe(
			`The document may already be billed, so it was not retried. ${readable}`,
		);
		expect(rejected({ isRepeatable: true }).description).toBe('');
		expect(rejected({ status: 501, isRepeatable: true }).description).toBe(
			'Check the region or the custom address in the credential. If it is right, the service may be temporarily unavailable.',
		);
		const billed = { status: 418, body: envelope({ creditsConsumed: 2 }), isRepeatable: true };
		expect(rejected(billed).description).toMatch(
			/^The service billed 2 credits\. Check the region/,
		);
	});

	test('an operation has words of its own for a code', () => {
		const codeMessages = {
			the_code: { message: (subject: string) => `Not so, ${subject}`, suggestedFix: 'Turn it.' },
		};
		expect(rejected({ status: 422, body: { code: 'THE_Code' }, codeMessages })).toMatchObject({
			message: 'Not so, "a.pdf"',
			description: 'Turn it.',
		});
		for (const body of [{ code: 'OTHER' }, {}])
			expect(rejected({ status: 422, body, codeMessages }).message).toBe(
				'The service could not read "a.pdf"',
			);
	});

	test('an operation has words of its own for a status', () => {
		const statusMessages = {
			422: { message: (subject: string) => `Not today, ${subject}`, suggestedFix: 'Come back.' },
		};
		expect(rejected({ status: 422, statusMessages })).toMatchObject({
			message: 'Not today, "a.pdf"',
			description: 'Come back.',
		});
		expect(rejected({ status: 500, statusMessages }).message).toBe(
			'The service could not finish "a.pdf"',
		);
	});
});

describe('What the service says of it', () => {
	test('in an envelope: its status, sentences, code and number, each once', () => {
		const meta = {
			httpStatusCode: 422,
			messages: ['One.', 'Two.'],
			errors: [
				{ code: 'FIRST', message: 'Two.' },
				{ code: 'SECOND', message: 'Three.' },
			],
		};
		expect(
			rejected({
				body: envelope(meta, { detail: 'Not said.' }),
				headers: { 'x-correlation-id': 'c-1' },
			}),
		).toMatchObject({
			message: 'The service could not read "a.pdf"',
			description:
				'Open the file and check that it is complete, legible and not protected by a password. The service says: One. Two. Three. When you contact support, quote c-1.',
			details: {
				httpCode: 422,
				code: 'FIRST',
				messages: ['One.', 'Two.', 'Three.'],
				correlationId: 'c-1',
			},
		});
	});

	test.each([
		['under 200 without a status of its own', 200, { messages: [] }, 200],
		['under 200 with a status that is no number', 200, { httpStatusCode: '422' }, 200],
		['under an error, whose status counts', 500, { httpStatusCode: 422 }, 500],
	])('in an envelope %s', (_, status, meta, httpCode) => {
		expect(rejected({ status, body: envelope(meta) }).details.httpCode).toBe(httpCode);
	});

	test('in a problem document', () => {
		const body = {
			title: 'Title.',
			detail: 'Detail.',
			code: 'THE_CODE',
			correlationId: 'c-2',
			errors: [{ message: 'More.' }],
		};
		expect(
			rejected({ status: 400, body, headers: { 'x-correlation-id': 'other' } }).details,
		).toEqual({
			httpCode: 400,
			code: 'THE_CODE',
			messages: ['More.', 'Detail.'],
			correlationId: 'c-2',
		});
		expect(rejected({ status: 400, body: { title: 'Title.' } }).details).toEqual({
			httpCode: 400,
			messages: ['Title.'],
		});
	});

	test('nothing more than what happened, where it says nothing', () => {
		const error = rejected({ status: 400, body: {} });
		expect(error.details).toStrictEqual({ httpCode: 400 });
		expect(error.description).toBe(
			'Open the file and check that it is complete and that its type matches its name.',
		);
	});
});

describe('Whether it may be retried', () => {
	test.each<[string, Given, RequestError['retryKind']]>([
		['429', { status: 429 }, 'rateLimit'],
		['429 inside an envelope', { body: envelope({ httpStatusCode: 429 }) }, 'rateLimit'],
		['429 for the quota', { status: 429, body: { code: 'ADMISSION_QUOTA_EXCEEDED' } }, 'quota'],
		[
			'another status with the code of the quota',
			{ status: 503, body: { code: 'ADMISSION_QUOTA_EXCEEDED' } },
			'never',
		],
		['503', { status: 503 }, 'never'],
		['503 that is declared retryable', { status: 503, body: { retryable: true } }, 'safe'],
		[
			'503 of which one error is',
			{ status: 503, body: envelope({ errors: [{ retryable: true }, {}] }) },
			'safe',
		],
		[
			'503 of which one error is, and one is not',
			{ status: 503, body: envelope({ errors: [{ retryable: true }, { retryable: false }] }) },
			'never',
		],
		[
			'503 of which one error is, but not as a whole',
			{ status: 503, body: { retryable: false, errors: [{ retryable: true }] } },
			'never',
		],
		['503 that says so as a text', { status: 503, body: { retryable: 'true' } }, 'never'],
		['200 with errors that are', { body: envelope({ errors: [{ retryable: true }] }) }, 'safe'],
	])('%s', (_, given, retryKind) => {
		expect(rejected(given).retryKind).toBe(retryKind);
	});

	test('the quota is said to be the reason, and no operation', () => {
		const codeMessages = {
			admission_quota_exceeded: { message: () => 'Not so', suggestedFix: '' },
		};
		const body = { code: 'ADMISSION_QUOTA_EXCEEDED' };
		expect(rejected({ status: 429, body, codeMessages })).toMatchObject({
			message: 'The quota of the plan is used up, so "a.pdf" was not processed',
			description: expect.stringContaining('upgrade the plan') as string,
		});
	});

	test('where it may, that is the advice', () => {
		const body = { retryable: true };
		const next = 'The service says that the request can be retried: run the document again later.';
		expect(rejected({ status: 503, body })).toMatchObject({
			message: 'The service was not available for "a.pdf"',
			description: next,
		});
		expect(rejected({ status: 418, body })).toMatchObject({
			message: 'The service answered "a.pdf" with status 418',
			description: next,
		});
	});

	test.each([
		['30', 30_000],
		['0', 0],
		['-1', undefined],
		['soon', undefined],
		['', undefined],
	])('the wait in Retry-After "%s" is %p', (header, milliseconds) => {
		expect(rejected({ status: 429, headers: { 'retry-after': header } }).retryAfterMs).toBe(
			milliseconds,
		);
		expect(rejected({ status: 429 }).retryAfterMs).toBeUndefined();
	});
});

describe('What is billed although there is no result', () => {
	test.each<[string, number, unknown, string]>([
		['', 503, 2, 'The service billed 2 credits, so the document was not retried. Check'],
		['', 503, 1, 'The service billed 1 credit, so the document was not retried. Check'],
		['', 503, 0.5, 'The service billed 0.5 credits, so the document was not retried. Check'],
		[
			' as a text',
			503,
			'2',
			'The service billed 2 credits, so the document was not retried. Check',
		],
		['', 200, 2, 'The service billed 2 credits, so the document was not retried. Open the file'],
		['', 422, 2, 'The service billed 2 credits, so the document was not retried. Open the file'],
		['', 429, 2, 'The service billed 2 credits, so the document was not retried. Check'],
		['', 418, 2, 'The service billed 2 credits, so the document was not retried. Check'],
	])('is told and not retried%s: %d, %p', (_, httpStatusCode, creditsConsumed, description) => {
		const errors = [{ retryable: true }];
		for (const status of [200, httpStatusCode]) {
			const error = rejected({
				status,
				body: envelope({ httpStatusCode, creditsConsumed, errors }),
			});
			expect(error.retryKind).toBe('never');
			expect(error.details).toEqual({
				httpCode: httpStatusCode,
				creditsConsumed: Number(creditsConsumed),
			});
			expect(error.description.startsWith(description)).toBe(true);
			expect(error.message).not.toContain('not processed');
		}
	});

	test.each<[string, unknown]>([
		['beside a problem document', { retryable: true, creditsConsumed: 2 }],
		['in the data', { data: { creditsConsumed: 2 }, retryable: true }],
		['in a reason', { errors: [{ retryable: true, creditsConsumed: 2 }] }],
		[
			'in the details of a reason',
			{ errors: [{ retryable: true, details: { creditsConsumed: 2 } }] },
		],
		['as a text with a comma', { meta: { creditsConsumed: '2,5' }, retryable: true }],
	])('credits %s count too', (_, body) => {
		expect(rejected({ status: 503, body })).toMatchObject({
			retryKind: 'never',
			mayBeBilled: true,
		});
		expect(rejected({ status: 422, body })).toMatchObject({ mayBeBilled: true });
	});

	test('data beside an error is the result of work, so the request is not retried', () => {
		const body = { data: { metadata: { a: 1 } }, hasErrors: true, errors: [{ retryable: true }] };
		for (const status of [503, 422])
			expect(rejected({ status, body })).toMatchObject({ retryKind: 'never', mayBeBilled: true });
		expect(rejected({ status: 404, body })).toMatchObject({
			message: 'The service answered "a.pdf" with status 404',
			description:
				'The document may already be billed, so it was not retried. Check in the platform whether it was processed before running it again.',
		});
	});

	test.each([null, {}, []])('data that is empty, %j, is none', (data) => {
		const body = { data, hasErrors: true, errors: [{ retryable: true }] };
		expect(rejected({ status: 503, body })).toMatchObject({
			retryKind: 'safe',
			mayBeBilled: false,
		});
	});

	test.each<[string, unknown]>([
		['a text', [{ retryable: true }, { retryable: 'false' }]],
		['listed by field', { file: [{ retryable: false }], key: [{ retryable: true }] }],
	])('a reason that forbids a retry as %s forbids it', (_, errors) => {
		expect(rejected({ status: 503, body: { retryable: true, errors } }).retryKind).toBe('never');
	});

	test.each([0, null, undefined, '', 'many', -1, [2], true])(
		'%p credits are none, and change nothing',
		(creditsConsumed) => {
			const meta = { creditsConsumed, errors: [{ retryable: true }] };
			const error = rejected({ status: 503, body: envelope(meta) });
			expect(error.retryKind).toBe('safe');
			expect(error.details).toStrictEqual({ httpCode: 503 });
			expect(error.description).not.toContain('billed');
			expect(rejected({ status: 422, body: envelope(meta) }).details).toEqual({ httpCode: 422 });
		},
	);

	test('for a result that is nested too deeply', () => {
		let data: unknown = 1;
		for (let level = 0; level < 300; level++) data = [data];
		expect(
			rejected({ body: { data, meta: { creditsConsumed: 3 }, hasErrors: false } }).description,
		).toMatch(/^The service billed 3 credits, so the document was not retried\. /);
	});
});

describe('The JSON of an answer', () => {
	test('may begin with a byte order mark', () => {
		const body = Buffer.from(
			'\uFEFF{"data":{"a":1},"meta":{"creditsConsumed":1},"hasErrors":false}',
		);
		expect(body[0]).toBe(0xef);
		expect(read({ body })).toEqual({ data: { a: 1 }, creditsConsumed: 1 });
	});

	test('may have credits that are no number at all', () => {
		const body = Buffer.from('{"data":1,"meta":{"creditsConsumed":1e999},"hasErrors":false}');
		expect(read({ body })).toEqual({ data: 1 });
	});

	test('keeps the digits of every number', () => {
		const body =
			'{"data":{"total":99999999999999.99,"rows":[{"id":12345678901234567890.0,"rate":1e400,"price":1.50}]},"hasErrors":false}';
		expect(read({ body })).toEqual({
			data: {
				total: '99999999999999.99',
				rows: [{ id: '12345678901234567890.0', rate: '1e400', price: 1.5 }],
			},
		});
	});
});
