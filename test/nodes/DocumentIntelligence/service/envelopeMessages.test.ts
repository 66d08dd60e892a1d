import type { IDataObject } from 'n8n-workflow';

import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes } from '../../samples';
import { AVOIDED_WORDS, failureOf, useService } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

interface ServiceAnswer {
	status?: number;
	body?: unknown;
	headers?: Record<string, string>;
}

/** Runs one document into this answer. A body that is no text is sent as JSON. */
async function answered(
	{ status = 200, body = '', headers = {} }: ServiceAnswer,
	parameters: IDataObject = {},
	credential = service.credential,
) {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	await service.standIn.queueFaults([
		{
			kind: 'status',
			status,
			body: text,
			headers: { 'content-type': 'application/json', ...headers },
		},
	]);
	const binary = await storeFile(sampleBytes('invoice-us.pdf'), 'bill.pdf', 'application/pdf');
	const { items } = await service.run(
		{ operation: 'extract', ...parameters },
		[{ json: {}, binary: { data: binary } }],
		{ onError: 'continueRegularOutput', credential },
	);
	expect(await service.calls()).toHaveLength(1);
	expect(items).toHaveLength(1);
	expect(items[0]?.pairedItem).toEqual({ item: 0 });
	return items[0];
}

async function failed(answer: ServiceAnswer, parameters: IDataObject = {}) {
	const failure = failureOf(await answered(answer, parameters));
	expect(failure.message).toContain('"bill.pdf"');
	expect(failure.details.fileName).toBe('bill.pdf');
	return failure;
}

const SAID = 'Seventeen green umbrellas.';

function envelope(status: number, more: object = {}) {
	return {
		data: null,
		meta: {
			httpStatusCode: status,
			messages: [SAID],
			errors: [
				{
					code: 'THE_CODE',
					message: 'And a bicycle.',
					field: null,
					retryable: false,
					details: null,
				},
			],
			creditsConsumed: null,
			...more,
		},
		hasErrors: true,
	};
}

function problemDocument(status: number, more: object = {}) {
	return {
		type: 'https://errors.example/the-code',
		title: 'A title',
		status,
		detail: SAID,
		instance: '/Document/extraction',
		code: 'THE_CODE',
		correlationId: 'correlation-417',
		retryable: false,
		...more,
	};
}

const good = {
	data: { id: 'x', metadata: { a: 1 } },
	meta: { httpStatusCode: 200, messages: [], creditsConsumed: 2 },
	hasErrors: false,
};

describe.each([
	[400, /service rejected/, /file/i],
	[401, /API key/, /credential/],
	[403, /subscription/i, /platform/],
	[404, /address/, /region|address/],
	[405, /address/, /region|address/],
	[413, /too large/, /split it/],
	[415, /does not support/, /PDF/],
	[422, /could not|no template/i, /template/],
	[429, /rate limit/i, /minute/],
	[500, /could not/, /billed/],
	[502, /gateway/, /billed/],
	[503, /available/, /billed/],
	[504, /too long/, /billed/],
	// Statuses that the contract does not know.
	[402, /402/, /region|address/],
	[418, /418/, /region|address/],
	[599, /599/, /billed/],
])('Status %i', (status, message, description) => {
	test('in an envelope', async () => {
		const failure = await failed({ status, body: envelope(status) });
		expect(failure.message).toMatch(message);
		expect(failure.description).toMatch(description);
		expect(failure.description).toContain(SAID);
		expect(failure.description).toContain('And a bicycle.');
		expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
		expect(failure.details).toEqual({
			fileName: 'bill.pdf',
			description: failure.description,
			httpCode: status,
			code: 'THE_CODE',
			messages: [SAID, 'And a bicycle.'],
		});
	});

	test('in a problem document', async () => {
		const failure = await failed({
			status,
			body: problemDocument(status),
			headers: { 'content-type': 'application/problem+json' },
		});
		expect(failure.message).toMatch(message);
		expect(failure.description).toMatch(description);
		expect(failure.description).toContain(SAID);
		expect(failure.description).toContain('correlation-417');
		expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
		expect(failure.details).toEqual({
			fileName: 'bill.pdf',
			description: failure.description,
			httpCode: status,
			code: 'THE_CODE',
			messages: [SAID],
			correlationId: 'correlation-417',
		});
	});

	test.each([
		['a web page', '<html><head><title>Gateway</title></head><body>nginx</body></html>'],
		['nothing', ''],
		['JSON that is cut off', JSON.stringify(envelope(status)).slice(0, 40)],
		['JSON that is no object', '["x"]'],
		['an object of another kind', { message: 5, errors: 'x', meta: [] }],
	])('as %s', async (_, body) => {
		const failure = await failed({ status, body, headers: { 'content-type': 'text/html' } });
		expect(failure.message).toMatch(message);
		expect(failure.description).toMatch(description);
		expect(failure.description).not.toMatch(/[<>{}[\]]|undefined|null|NaN/);
		expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
		expect(failure.details).toEqual({
			fileName: 'bill.pdf',
			description: failure.description,
			httpCode: status,
		});
	});
});

describe('hasErrors decides, also under HTTP 200', () => {
	test.each([
		['with the status it stands for', 422, /template/],
		['with a rate limit', 429, /minute/],
	])('%s', async (_, inside, description) => {
		const failure = await failed({ status: 200, body: envelope(inside) });
		expect(failure.details.httpCode).toBe(inside);
		expect(failure.description).toMatch(description);
	});

	test('with no other status than 200', async () => {
		const failure = await failed({ status: 200, body: envelope(200) });
		expect(failure.description).toContain(SAID);
		// The service answered and took the document up: neither address nor region has to be looked at.
		expect(failure.description).not.toMatch(/region|custom address/);
		expect(failure.message).not.toMatch(/status 200/);
		expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
	});

	test('data beside it is not taken for a result', async () => {
		const failure = await failed({ body: { ...envelope(422), data: { metadata: { a: 1 } } } });
		expect(failure.details.httpCode).toBe(422);
	});
});

describe('What is not the contract’s becomes a readable message', () => {
	test.each([
		['a web page', '<!DOCTYPE html><html><body>Scheduled maintenance</body></html>'],
		['JSON that is cut off', JSON.stringify(good).slice(0, 60)],
		['null', 'null'],
		['a list', '[]'],
		['a text', '"done"'],
		['an empty object', {}],
		['data alone', { data: { metadata: { a: 1 } } }],
		['no data', { meta: {}, hasErrors: false }],
		['hasErrors as a text', { ...good, hasErrors: 'false' }],
		['hasErrors as null', { ...good, hasErrors: null }],
	])('under 200: %s', async (_, body) => {
		const failure = await failed({ body });
		expect(failure.description).toMatch(/billed/);
		expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
		expect(failure.details).toEqual({
			fileName: 'bill.pdf',
			description: failure.description,
			httpCode: 200,
		});
	});

	test.each([200, 202, 204])('nothing, under %i', async (status) => {
		const failure = await failed({ status, body: '' });
		expect(failure.message).toMatch(/empty response/);
		expect(failure.description).toMatch(/billed/);
		expect(failure.details.httpCode).toBe(status);
	});

	test('meta of another form does not hide a result', async () => {
		for (const meta of [
			undefined,
			null,
			[],
			'x',
			{ messages: 'x', errors: {}, creditsConsumed: 'many' },
		]) {
			await service.standIn.reset();
			const item = await answered({ body: { ...good, meta } });
			expect(item?.json).toEqual({ a: 1, fileName: 'bill.pdf', extractionId: 'x' });
		}
	});
});

describe('Results', () => {
	test.each(['application/json', 'text/plain', 'application/octet-stream', 'text/html'])(
		'are read under the content type %s',
		async (contentType) => {
			const item = await answered({ body: good, headers: { 'content-type': contentType } });
			expect(item).toEqual({
				json: { a: 1, fileName: 'bill.pdf', extractionId: 'x', creditsConsumed: 2 },
				pairedItem: { item: 0 },
			});
		},
	);

	function nested(levels: number): string {
		return '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
	}

	test('are passed on as deep as documents are', async () => {
		const metadata = JSON.parse(nested(150)) as IDataObject;
		const item = await answered({ body: { ...good, data: { metadata } } });
		expect(item?.json).toEqual({ ...metadata, fileName: 'bill.pdf', creditsConsumed: 2 });
	});

	test.each([
		['objects', 1000, nested(1000)],
		['objects', 100_000, nested(100_000)],
		['lists', 100_000, '['.repeat(100_000) + ']'.repeat(100_000)],
	])('nested too deeply (%s, %i levels) say so', async (_, __, metadata) => {
		for (const output of ['fields', 'raw']) {
			await service.standIn.reset();
			const failure = await failed(
				{ body: `{"data":{"metadata":${metadata}},"meta":{},"hasErrors":false}` },
				{ output },
			);
			expect(failure.message).toMatch(/nested too deeply/);
			expect(failure.description).toMatch(/template/);
		}
	});

	test('creditsConsumed that is not given is absent', async () => {
		const item = await answered({
			body: { ...good, meta: { ...good.meta, creditsConsumed: null } },
		});
		expect(item?.json).toEqual({ a: 1, fileName: 'bill.pdf', extractionId: 'x' });
	});
});

describe('What is quoted of the service', () => {
	const key = () => service.credential.apiKey;

	test.each<[string, (key: string) => ServiceAnswer]>([
		[
			'a message of an envelope',
			(text) => ({ status: 400, body: envelope(400, { messages: [`Key ${text} is not good.`] }) }),
		],
		[
			'a message of one of its entries',
			(text) => ({
				status: 400,
				body: envelope(400, { errors: [{ code: 'X', message: `"${text}"` }] }),
			}),
		],
		[
			'a code of one of its entries',
			(text) => ({ status: 400, body: envelope(400, { errors: [{ code: text, message: 'x' }] }) }),
		],
		[
			'the detail of a problem document',
			(text) => ({ status: 401, body: problemDocument(401, { detail: `Bearer ${text}` }) }),
		],
		[
			'the title of a problem document',
			(text) => ({ status: 401, body: problemDocument(401, { detail: undefined, title: text }) }),
		],
		[
			'the code of a problem document',
			(text) => ({ status: 401, body: problemDocument(401, { code: text }) }),
		],
		[
			'a correlationId in the body',
			(text) => ({ status: 500, body: problemDocument(500, { correlationId: text }) }),
		],
		[
			'a correlation id in a header',
			(text) => ({ status: 500, body: '', headers: { 'x-correlation-id': text } }),
		],
		['a web page', (text) => ({ status: 502, body: `<html>${text}</html>` })],
		[
			'a redirect',
			(text) => ({
				status: 302,
				body: '',
				headers: { location: `https://example.com/?key=${text}` },
			}),
		],
	])('never holds the key: %s', async (_, answerWith) => {
		const { message, description, details } = await failed(answerWith(key()));
		// Items, hints and errors as a whole are searched after each test; this is about parts of the key.
		expect(JSON.stringify([message, description, details])).not.toContain(key().slice(12, 30));
	});

	test('a key with every sign a header takes is masked to its end', async () => {
		const apiKey = 'xtkt_live_valid.ab+cd/ef=~gh!ij$kl%mn&op*qr:st@uv(wx)THE-END';
		const item = await answered(
			{ status: 401, body: problemDocument(401, { detail: `The key "${apiKey}" is not known.` }) },
			{},
			{ ...service.credential, apiKey },
		);
		expect(JSON.stringify(item)).not.toMatch(/THE-END|ab\+cd/);
		expect(failureOf(item).description).toContain('is not known.');
	});

	test('a sentence said several times stands there once', async () => {
		const { details } = await failed({
			status: 400,
			body: envelope(400, { messages: [SAID, SAID], errors: [{ code: 'X', message: SAID }] }),
		});
		expect(details.messages).toEqual([SAID]);
	});

	test('is of bearable length', async () => {
		const { description } = await failed({
			status: 400,
			body: envelope(400, { messages: ['x'.repeat(100_000)] }),
		});
		expect(description.length).toBeLessThan(2000);
	});

	test.each([
		[
			'body',
			{
				status: 500,
				body: problemDocument(500, { correlationId: 'from-body' }),
				headers: { 'x-correlation-id': 'from-header' },
			},
			'from-body',
		],
		[
			'header beside a problem document without one',
			{
				status: 500,
				body: problemDocument(500, { correlationId: undefined }),
				headers: { 'x-correlation-id': 'from-header' },
			},
			'from-header',
		],
		[
			'header beside an envelope',
			{ status: 500, body: envelope(500), headers: { 'x-correlation-id': 'from-header' } },
			'from-header',
		],
		[
			'header beside a web page',
			{ status: 502, body: '<html></html>', headers: { 'x-correlation-id': 'from-header' } },
			'from-header',
		],
	])('correlationId from the %s', async (_, answer, expected) => {
		const { details, description } = await failed(answer);
		expect(details.correlationId).toBe(expected);
		expect(description).toContain(expected);
	});
});

test('without a template, the suggested fix is to set one up, also where the service says nothing', async () => {
	const { description, message } = await failed({
		status: 422,
		body: envelope(422, { messages: [], errors: [{ code: 'TEMPLATE_NOT_FOUND' }] }),
	});
	expect(`${message} ${description}`).toMatch(/template/);
});

test('a quota that is used up does not come back in a minute', async () => {
	const body = envelope(429, {
		errors: [{ code: 'ADMISSION_QUOTA_EXCEEDED', message: 'x', retryable: false }],
	});
	const { message, description } = await failed({ status: 429, body });
	expect(message).toMatch(/quota/i);
	expect(message).not.toMatch(/rate limit/i);
	expect(description).not.toMatch(/(again|rest) in a minute|next minute/);
});

describe('Numbers', () => {
	/** What becomes of data whose JSON is written by hand. */
	async function read(data: string): Promise<unknown> {
		const body = `{"data":${data},"meta":{"httpStatusCode":200,"messages":[]},"hasErrors":false}`;
		return (await answered({ body }, { output: 'raw' }))?.json;
	}

	test.each([
		[
			'a whole number beyond 2^53 is a text with all of its digits',
			'{"a":12345678901234567890,"b":-9007199254740993}',
			{ a: '12345678901234567890', b: '-9007199254740993' },
		],
		[
			'also in a list, and after white space',
			'{"a": [1, 12345678901234567890 ]}',
			{ a: [1, '12345678901234567890'] },
		],
		[
			'up to 2^53 it is a number',
			'{"a":9007199254740991,"b":-9007199254740991,"c":1000000000000000}',
			{ a: 9007199254740991, b: -9007199254740991, c: 1e15 },
		],
		[
			'a fraction that a number cannot hold is a text, too',
			'{"a":0.12345678901234567890,"b":12345678901234567890.0,"c":99999999999999.99,"d":1e400}',
			{
				a: '0.12345678901234567890',
				b: '12345678901234567890.0',
				c: '99999999999999.99',
				d: '1e400',
			},
		],
		[
			'also deep inside',
			`{"a":${'[{"b":'.repeat(70)}99999999999999.99${'}]'.repeat(70)}}`,
			JSON.parse(`{"a":${'[{"b":'.repeat(70)}"99999999999999.99"${'}]'.repeat(70)}}`),
		],
		[
			'one that it can hold is a number, however it is written',
			'{"a":1.50,"b":0.1,"c":1e3,"d":1e20,"e":-0.000}',
			{ a: 1.5, b: 0.1, c: 1000, d: 1e20, e: -0 },
		],
		[
			'a text that looks like one stays as it is',
			'{"a":"x: 12345678901234567890, y","b":"\\" 12345678901234567890 ","c":12345678901234567890}',
			{ a: 'x: 12345678901234567890, y', b: '" 12345678901234567890 ', c: '12345678901234567890' },
		],
		[
			'a name, too',
			'{"12345678901234567890":12345678901234567890}',
			{ '12345678901234567890': '12345678901234567890' },
		],
	])('%s', async (_, data, expected: unknown) => {
		expect(await read(data)).toEqual(expected);
	});
});
