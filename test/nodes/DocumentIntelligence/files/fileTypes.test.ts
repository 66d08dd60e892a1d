import {
	typeOfHead,
	typeOfMimeType,
	typeOfName,
} from '../../../../nodes/DocumentIntelligence/files/fileTypes';
import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes } from '../../samples';
import { failureOf, useService } from '../../service';

const service = useService();

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const invoice = sampleBytes('invoice-us.pdf');

/** An OLE container whose directory names a stream so. */
const oleWith = (stream: string) =>
	Buffer.concat([
		Buffer.from('d0cf11e0a1b11ae1', 'hex'),
		Buffer.alloc(2048),
		Buffer.from(`${stream}\0`, 'utf16le'),
	]);

/** Stored zip entries: signature, 26 bytes of header, name. */
const zipWith = (...names: string[]) =>
	Buffer.concat(names.map((name) => Buffer.from(`PK\x03\x04${'\0'.repeat(26)}${name}`)));

const BITMAP = Buffer.from(`BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28`, 'latin1');
const WORKBOOK = zipWith('[Content_Types].xml', 'xl/workbook.xml');

test.each<[string, Buffer, string | undefined]>([
	['a PDF', invoice, 'pdf'],
	['a PDF after 1019 bytes', Buffer.from(`${' '.repeat(1019)}%PDF-`), 'pdf'],
	['a PDF after 1020 bytes', Buffer.from(`${' '.repeat(1020)}%PDF-`), undefined],
	['a PNG', sampleBytes('portrait.png'), 'png'],
	['a JPEG', sampleBytes('receipt.jpg'), 'jpg'],
	['a little-endian TIFF', Buffer.from('49492a0008000000', 'hex'), 'tiff'],
	['a big-endian TIFF', Buffer.from('4d4d002a00000008', 'hex'), 'tiff'],
	['a bitmap', BITMAP, 'bmp'],
	['text that begins like one', Buffer.from('BMW: book the service for Monday.'), undefined],
	['a Word 97 document', oleWith('WordDocument'), 'doc'],
	['an Excel 97 sheet', oleWith('Workbook'), undefined],
	['a Word document', sampleBytes('letter.docx'), 'docx'],
	['one that begins with its types', zipWith('[Content_Types].xml', 'word/document.xml'), 'docx'],
	['an Excel sheet', WORKBOOK, undefined],
	['an archive with words', zipWith('letters/word/a', 'password/a', 'word.txt'), undefined],
	['nothing', Buffer.alloc(0), undefined],
])('by its bytes, %s is of type %s', (_, head, extension) => {
	expect(typeOfHead(head)?.extensions[0]).toBe(extension);
});

test.each([
	['scan.pdf', 'pdf'],
	['SCAN.JPEG', 'jpg'],
	['a.pdf.txt', undefined],
	['pdf', undefined],
])('by its name, "%s" is of type %s', (name, extension) => {
	expect(typeOfName(name)?.extensions[0]).toBe(extension);
});

test.each([
	[' Image/JPEG ; q=1', 'jpg'],
	[DOCX, 'docx'],
	['', undefined],
])('by its mime type, "%s" is of type %s', (mimeType, extension) => {
	expect(typeOfMimeType(mimeType)?.extensions[0]).toBe(extension);
});

describe('Through the node', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	async function send(content: Buffer, fileName: string | undefined, mimeType: string) {
		const data = await storeFile(content, fileName, mimeType);
		const { items } = await service.run(
			{ operation: 'classify' },
			[{ json: {}, binary: { data } }],
			{ onError: 'continueRegularOutput' },
		);
		return { item: items[0], files: await service.files() };
	}

	test.each<[string, Buffer, string | undefined, string, string, string]>([
		['its name first', WORKBOOK, 'a.pdf', 'image/png', 'a.pdf', 'application/pdf'],
		['then its mime type', WORKBOOK, 'scan', `${DOCX}; a=b`, 'scan.docx', DOCX],
		['then its bytes', BITMAP, 'scan', 'text/plain', 'scan.bmp', 'image/bmp'],
		['the field as its name', invoice, undefined, '', 'data.pdf', 'application/pdf'],
	])('a file is sent by %s', async (_, content, fileName, mimeType, sentAs, contentType) => {
		const { files } = await send(content, fileName, mimeType);
		expect(files).toMatchObject([{ fileName: sentAs, contentType, bytes: content.length }]);
	});

	test('a file of another type is refused without a request', async () => {
		const { item } = await send(WORKBOOK, 'prices.xlsx', 'application/octet-stream');
		expect(await service.calls()).toEqual([]);
		expect(failureOf(item)).toMatchObject({
			message: '"prices.xlsx" has an unsupported file type',
			description: expect.stringContaining(
				'.pdf, .png, .jpg, .jpeg, .tiff, .tif, .bmp, .doc, .docx',
			) as string,
			details: { fileName: 'prices.xlsx' },
		});
	});
});
