import fc from 'fast-check';
import type { IBinaryData } from 'n8n-workflow';

import { storeFile } from '../../../n8n-core/runNode';
import { numRuns } from '../../numRuns';
import { sampleBytes, sha256 } from '../../samples';
import { failureOf, goOn, useService } from '../../service';

// Names and types of files come from strangers' e-mails. What of them goes into the header of a part is looked at in the bytes.

const service = useService({ requestsPerWindow: 100_000, rawBodyPrefixBytes: 4096 });
const content = sampleBytes('invoice-us.pdf');

let stored: IBinaryData;

beforeAll(async () => {
	stored = await storeFile(content, 'stored.pdf', 'application/pdf');
});

/** The head of a part as HTTP takes it: two lines, none of which a name or a type has broken. */
const HEAD =
	/^--(\S+)\r\nContent-Disposition: form-data; name="file"; filename="([^"\r\n]*)"\r\nContent-Type: ([^\r\n]*)\r\n\r\n/;

/** Sends one document for each description, all in one run: what arrived, in the order of the items. */
async function arrivals(files: Array<Partial<IBinaryData>>) {
	await service.standIn.reset();
	await service.standIn.queueFaults(
		files.map(() => ({ kind: 'answer', data: { metadata: { a: '1' } } })),
	);
	const items = files.map((file) => ({ json: {}, binary: { data: { ...stored, ...file } } }));
	const before = structuredClone(items);
	const { items: results } = await service.run(
		{ operation: 'extract', options: { concurrency: 1 } },
		items,
		{ credential: { ...service.credential, requestsPerMinute: 100_000 } },
	);
	expect(items).toEqual(before);
	expect(results.map(({ pairedItem }) => pairedItem)).toEqual(files.map((_, item) => ({ item })));

	const calls = await service.calls();
	expect(calls).toHaveLength(files.length);
	return calls.map(({ parts, rawBodyPrefix, contentLength, receivedBytes, headers }) => {
		const raw = Buffer.from(rawBodyPrefix ?? '', 'base64').toString('utf8');
		const [, boundary, fileName = '', contentType = ''] = HEAD.exec(raw) ?? [];
		// Also that the head matches at all: without a match there is no boundary.
		const announced = /boundary=(\S+)/.exec(String(headers['content-type']))?.[1];
		expect({ boundary, raw }).toEqual({ boundary: announced, raw });
		// An injected header or part would be more than one part, or other bytes.
		expect(parts).toMatchObject([
			{ name: 'file', fileName, bytes: content.length, sha256: sha256(content) },
		]);
		expect(parts).toHaveLength(1);
		expect(contentLength).toBe(receivedBytes);
		return { fileName, contentType };
	});
}

/** A base name that cannot leave its folder or its header. */
function expectHarmless(arrived: string) {
	// A quote in a parameter is written %22; the name itself has one.
	const fileName = arrived.replaceAll('%22', '"');
	const harmless = !/[\p{Cc}/\\]/u.test(fileName) && fileName === fileName.trim();
	expect({ arrived, harmless }).toEqual({ arrived, harmless: true });
	expect(Buffer.byteLength(fileName)).toBeLessThanOrEqual(255);
	expect(fileName).toMatch(/\.(pdf|png|jpe?g|tiff?|bmp|docx?)$/i);
}

/** Some of these pieces and of any others, one after the other. */
const madeOf = (pieces: string[]) =>
	fc
		.array(
			fc.oneof(
				{ weight: 3, arbitrary: fc.constantFrom(...pieces) },
				fc.string({ unit: 'binary', maxLength: 6 }),
			),
			{ maxLength: 5 },
		)
		.map((parts) => parts.join(''));

const HEADER = '\r\nContent-Type: text/html\r\n\r\n<p>';
const name = madeOf([
	...['"', '\r\n', '\n', '\0', '\\', '/', '../', '.', ';', '%0d%0a', '%22', '\u2028', '\u0085'],
	...['\u202e', '\ufeff', '👩‍👩‍👧', '\ud800', '\udc00', 'e\u0301', HEADER, '\r\n--boundary--\r\n'],
	...['CON', 'NUL.pdf', '__proto__', '.pdf', '.PDF', '.exe', ' ', '\t', 'x'.repeat(300)],
	...['票'.repeat(100), '{{ $env }}', '={{ 1 }}', 'name="file"', '; filename=evil.exe'],
]);
const type = madeOf([
	...['application/pdf', 'text/html', '\r\n', '\n', '\0', ';', ' charset=x', 'é', '票', '"'],
	...['\u2028', 'X-Injected: yes', '/', '*', ' ', 'x'.repeat(300), HEADER],
]);

test('hostile names and types arrive as one well-formed part each, and n8n’s item stays as it was', async () => {
	const file = fc.record({ fileName: name, mimeType: fc.oneof(type, fc.constant('text/plain')) });
	await fc.assert(
		fc.asyncProperty(
			fc.array(file, { minLength: 1, maxLength: 30, size: 'max' }),
			async (files) => {
				for (const { fileName, contentType } of await arrivals(files)) {
					expectHarmless(fileName);
					expect(contentType).toMatch(/^(application|image)\/[\w.-]+$/);
				}
			},
		),
		numRuns(12),
	);
});

test('a hostile name is shown without line breaks if a message names the file', async () => {
	const file = await storeFile(Buffer.from('MZ'), 'a.exe', 'application/x-msdownload');
	const data = { ...file, fileName: 'a\r\n\u001b[31mred\0.exe' };
	const item = { json: {}, binary: { data } };
	const { items } = await service.run({ operation: 'extract' }, [item], goOn);
	expect(failureOf(items[0]).message).not.toMatch(/\p{Cc}/u);
	expect(await service.calls()).toEqual([]);
});

test.each<[string, object]>([
	['a name that is a number', { fileName: 2026 }],
	['a name that is an object', { fileName: { name: 'a.pdf' } }],
	['a name that is null', { fileName: null }],
	['a type that is a number', { mimeType: 5 }],
	['no type', { mimeType: undefined }],
])('a file that a Code node has given %s is read', async (_, wrong) => {
	const data = { ...stored, ...wrong };
	await service.run({ operation: 'extract' }, [{ json: {}, binary: { data } }]);
	expect((await service.files()).map((file) => file.sha256)).toEqual([sha256(content)]);
});
