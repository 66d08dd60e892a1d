import fc from 'fast-check';
import type { IBinaryData } from 'n8n-workflow';

import { describeFile } from '../../../../nodes/DocumentIntelligence/files/inputFiles';
import { storeFile } from '../../../n8n-core/runNode';
import { numRuns } from '../../numRuns';
import { sampleBytes, sha256 } from '../../samples';
import { failureOf, goOn, useService } from '../../service';

// Names and types of files come from strangers' e-mails. That a name is in the bytes of a request as an independent client
// writes it is in run/uploadedBytes.test.ts.

const service = useService();
const content = sampleBytes('invoice-us.pdf');

let stored: IBinaryData;

beforeAll(async () => {
	stored = await storeFile(content, 'stored.pdf', 'application/pdf');
});

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

test('a base name cannot leave its folder or its header, nor a type its line', async () => {
	const data = content.toString('base64');
	const mimeTypes = fc.oneof(type, fc.constant('text/plain'));
	await fc.assert(
		fc.asyncProperty(name, mimeTypes, async (fileName, mimeType) => {
			const located = { field: 'data', binary: { data, fileName, mimeType } };
			const before = structuredClone(located);
			const { uploadName, ...file } = await describeFile({ helpers: {} as never }, located);
			expect(located).toEqual(before);
			expect(uploadName).not.toMatch(/[\p{Cc}/\\]|^\s|\s$/u);
			expect(Buffer.byteLength(uploadName)).toBeLessThanOrEqual(255);
			expect(uploadName).toMatch(/\.pdf$/i);
			expect(file.mimeType).toBe('application/pdf');
		}),
		numRuns(300),
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
