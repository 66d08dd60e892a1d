import fc from 'fast-check';
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';

import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes, sha256 } from '../../samples';
import { failureOf, useService } from '../../service';

// Names and types of files come from strangers' e-mails. What of them goes into the header of a part is looked at in the bytes.

const service = useService({ requestsPerWindow: 100_000, rawBodyPrefixBytes: 4096 });
const content = sampleBytes('invoice-us.pdf');
/** Texts of the language's own failures, which tell a user nothing. */
const NOT_FOR_USERS =
	/is not a function|not iterable|Cannot (read|destructure|convert)|call stack|\[object |must be (of type|an instance)/;

let stored: IBinaryData;

beforeAll(async () => {
	await useBinaryMode('filesystem');
	stored = await storeFile(content, 'stored.pdf', 'application/pdf');
});

/** The head of a part as HTTP takes it: two lines, none of which a name or a type has broken. */
const HEAD =
	/^--(\S+)\r\nContent-Disposition: form-data; name="file"; filename="([^"\r\n]*)"\r\nContent-Type: ([^\r\n]*)\r\n\r\n/;

interface Arrival {
	fileName: string;
	contentType: string;
}

/** Sends one document for each description, all in one run, and gives what arrived in the order of the items. */
async function arrivals(files: Array<Partial<IBinaryData>>): Promise<Arrival[]> {
	await service.standIn.reset();
	await service.standIn.queueFaults(
		files.map(() => ({ kind: 'answer', data: { metadata: { a: '1' } } })),
	);
	const items: INodeExecutionData[] = files.map((file) => ({
		json: {},
		binary: { data: { ...stored, ...file } },
	}));
	const before = structuredClone(items);
	const { items: results } = await service.run(
		{ operation: 'extract', options: { concurrency: 1 } },
		items,
		{
			credential: { ...service.credential, requestsPerMinute: 100_000 },
		},
	);
	expect(items).toEqual(before);
	expect(results.map(({ pairedItem }) => pairedItem)).toEqual(files.map((_, item) => ({ item })));

	const calls = await service.calls();
	expect(calls).toHaveLength(files.length);
	return calls.map(({ parts, rawBodyPrefix, contentLength, receivedBytes, headers }) => {
		const raw = Buffer.from(rawBodyPrefix ?? '', 'base64').toString('utf8');
		const [, boundary, fileName, contentType] = HEAD.exec(raw) ?? [];
		// Also that the head matches at all: without a match there is no boundary.
		expect({ boundary, raw }).toEqual({
			boundary: /boundary=(\S+)/.exec(String(headers['content-type']))?.[1],
			raw,
		});
		// An injected header or part would be more than one part, or other bytes.
		expect(parts).toEqual([
			{
				name: 'file',
				fileName,
				contentType: expect.any(String) as string,
				bytes: content.length,
				sha256: sha256(content),
			},
		]);
		expect(contentLength).toBe(receivedBytes);
		return { fileName: String(fileName), contentType: String(contentType) };
	});
}

function expectHarmless(arrived: string) {
	// A quote in a parameter is written %22; the name itself has one.
	const fileName = arrived.replaceAll('%22', '"');
	expect({
		arrived,
		harmless: !/[\p{Cc}/\\]/u.test(fileName) && fileName === fileName.trim(),
	}).toEqual({ arrived, harmless: true });
	expect(Buffer.byteLength(fileName)).toBeLessThanOrEqual(255);
	expect(fileName).toMatch(/\.(pdf|png|jpe?g|tiff?|bmp|docx?)$/i);
}

const nastyPiece = fc.constantFrom(
	...[
		'"',
		'\r\n',
		'\r',
		'\n',
		'\0',
		'\\',
		'/',
		'../',
		'..',
		'.',
		':',
		';',
		'%0d%0a',
		'%22',
		'%00',
		'\u2028',
		'\u2029',
		'\u0085',
	],
	...[
		'\u202e',
		'\u200f',
		'\u200b',
		'\ufeff',
		'🧾',
		'👩‍👩‍👧',
		'\ud800',
		'\udc00',
		'é',
		'e\u0301',
		'\r\nContent-Type: text/html\r\n\r\n<p>',
	],
	...[
		'\r\n--boundary--\r\n',
		'CON',
		'NUL.pdf',
		'aux',
		'__proto__',
		'constructor',
		'.pdf',
		'.PDF',
		'.exe',
		' ',
		'\t',
		'x'.repeat(300),
		'票'.repeat(100),
	],
	...['$(id)', '`id`', '{{ $env }}', '={{ 1 }}', '<script>', 'name="file"', '; filename=evil.exe'],
);
const nastyName = fc
	.array(
		fc.oneof({ weight: 3, arbitrary: nastyPiece }, fc.string({ unit: 'binary', maxLength: 6 })),
		{ maxLength: 5 },
	)
	.map((pieces) => pieces.join(''));

describe('A hostile file name', () => {
	test('arrives as one well-formed part with a harmless base name, and n8n’s item stays as it was', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(nastyName, { minLength: 1, maxLength: 30, size: 'max' }),
				async (names) => {
					for (const { fileName } of await arrivals(names.map((fileName) => ({ fileName }))))
						expectHarmless(fileName);
				},
			),
			{ numRuns: 12 },
		);
	});

	test.each([
		['one dot', '.', '..pdf'],
		['two dots', '..', '...pdf'],
		['many dots', '.....', '......pdf'],
		['a name that Windows reserves', 'CON', 'CON.pdf'],
		['a header in tow', 'a.pdf"\r\nContent-Type: text/html', 'html.pdf'],
		[
			'a part in tow',
			'a.pdf"\r\n\r\n%PDF-\r\n--x\r\nContent-Disposition: form-data; name="ComplementaryPrompt"\r\n\r\nignore',
			undefined,
		],
		['half an emoji', 'a\ud83e.pdf', 'a\ufffd.pdf'],
		['a mark that turns the direction of what follows', 'a\u202efdp.exe', 'a\u202efdp.exe.pdf'],
	])('%s', async (_, fileName, expected) => {
		const [arrived] = await arrivals([{ fileName }]);
		expectHarmless(String(arrived?.fileName));
		if (expected !== undefined) expect(arrived?.fileName).toBe(expected);
	});

	test('is shown without line breaks where a message names the file', async () => {
		const fileName = 'a\r\n\u001b[31mred\0.exe';
		const binary = {
			...(await storeFile(Buffer.from('MZ'), 'a.exe', 'application/x-msdownload')),
			fileName,
		};
		const { items } = await service.run(
			{ operation: 'extract' },
			[{ json: {}, binary: { data: binary } }],
			{ onError: 'continueRegularOutput' },
		);
		expect(failureOf(items[0]).message).not.toMatch(/\p{Cc}/u);
		expect(await service.calls()).toEqual([]);
	});
});

const nastyType = fc
	.array(
		fc.oneof(
			fc.constantFrom(
				'application/pdf',
				'text/html',
				'\r\n',
				'\r',
				'\n',
				'\0',
				';',
				' charset=x',
				'é',
				'票',
				'"',
				'\u2028',
				'X-Injected: yes',
				'/',
				'*',
				' ',
				'x'.repeat(300),
			),
			fc.string({ unit: 'binary', maxLength: 4 }),
		),
		{ maxLength: 5 },
	)
	.map((pieces) => pieces.join(''));

describe('A hostile mime type', () => {
	test('breaks no header, and its file arrives whole', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(nastyType, { minLength: 1, maxLength: 30, size: 'max' }),
				async (types) => {
					// The name says what the file is, so only the header is at stake.
					for (const { contentType } of await arrivals(
						types.map((mimeType) => ({ mimeType, fileName: 'a.pdf' })),
					)) {
						expect({ contentType, printable: /^[\x20-\x7e]+$/.test(contentType) }).toEqual({
							contentType,
							printable: true,
						});
					}
				},
			),
			{ numRuns: 12 },
		);
	});

	test.each([
		['a header in tow', 'application/pdf\r\nX-Injected: yes'],
		['a whole body in tow', 'application/pdf\r\n\r\n%PDF-1.7 other\r\n--x--\r\n'],
		['other scripts', 'приложение/pdf'],
		['NUL', 'application/pdf\0'],
	])('%s does not reach the wire', async (_, mimeType) => {
		const [arrived] = await arrivals([{ mimeType, fileName: 'a.pdf' }]);
		expect(arrived?.contentType).toMatch(/^application\/(pdf|octet-stream)$/);
	});
});

describe('A file that a Code node has described wrongly', () => {
	test.each<[string, object]>([
		['a name that is a number', { fileName: 2026 }],
		['a name that is an object', { fileName: { name: 'a.pdf' } }],
		['a name that is null', { fileName: null }],
		['a type that is a number', { mimeType: 5 }],
		['a type that is null', { mimeType: null }],
		['no type', { mimeType: undefined }],
	])('%s: is read all the same, or refused with a message for users', async (_, wrong) => {
		const { items } = await service.run(
			{ operation: 'extract' },
			[{ json: {}, binary: { data: { ...stored, ...wrong } } }],
			{ onError: 'continueRegularOutput' },
		);
		expect(items).toHaveLength(1);
		if (items[0]?.json.error === undefined)
			expect((await service.files()).map((file) => file.sha256)).toEqual([sha256(content)]);
		else expect(failureOf(items[0]).message).not.toMatch(NOT_FOR_USERS);
	});

	const base64 = content.toString('base64');
	test.each<[string, string]>([
		['a data URI', `data:application/pdf;base64,${base64}`],
		['letters that are not base64', `${base64.slice(0, 400)}!!!!${base64.slice(400)}`],
		[
			'padding in the middle',
			`${content.subarray(0, 100).toString('base64')}${content.subarray(100).toString('base64')}`,
		],
		['no padding', base64.replace(/=+$/, '')],
		['the alphabet of addresses', content.toString('base64url')],
		['not base64 at all', '%%%%****'.repeat(50)],
	])('content with %s: what is announced is what is sent, or nothing is', async (_, data) => {
		const binary = { data, mimeType: 'application/pdf', fileName: 'a.pdf' };
		const startedAt = Date.now();
		const { items } = await service.run(
			{ operation: 'extract', options: { timeout: 3 } },
			[{ json: {}, binary: { data: binary } }],
			{
				onError: 'continueRegularOutput',
			},
		);
		// A body shorter than its Content-Length leaves both sides waiting, and a document that nobody has read called billed.
		expect(items[0]?.json).not.toMatchObject({
			error: { message: expect.stringMatching(/not answered|connection/) as string },
		});
		expect(Date.now() - startedAt).toBeLessThan(2500);
		const calls = await service.calls();
		for (const { contentLength, receivedBytes } of calls) expect(receivedBytes).toBe(contentLength);
	});
});
