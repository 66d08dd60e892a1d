import type { IBinaryData, IDataObject } from 'n8n-workflow';

import {
	detectByBytes,
	typeOfMimeType,
	typeOfName,
} from '../../../../nodes/DocumentIntelligence/files/fileTypes';
import { storeFile } from '../../../n8n-core/runNode';
import { mimeTypeOf, sampleBytes } from '../../samples';
import { failureOf, goOn, useService } from '../../service';

const service = useService();

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const invoice = sampleBytes('invoice-us.pdf');
const letter = sampleBytes('letter.docx');
const bytes = (text: string) => Buffer.from(text, 'latin1');

const OLE = bytes('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1');

/** An OLE container with a root of this class, its directory in the third sector, and whatever it holds before it. */
function oleWith(classId: string, content: Buffer = Buffer.alloc(0)): Buffer {
	const container = Buffer.alloc(512 * 4);
	OLE.copy(container);
	container.writeUInt16LE(9, 30);
	container.writeUInt32LE(2, 48);
	content.copy(container, 512, 0, 512);
	Buffer.from('Root Entry', 'utf16le').copy(container, 512 * 3);
	Buffer.from(classId, 'hex').copy(container, 512 * 3 + 80);
	return container;
}

const WORD_97 = oleWith('0609020000000000c000000000000046');
const EXCEL_97 = oleWith(
	'2008020000000000c000000000000046',
	Buffer.from('WordDocument\0', 'utf16le'),
);
/** An Outlook message with a PDF as its first stream. */
const MSG = oleWith('0b0d020000000000c000000000000046', invoice);

/** Stored zip entries: signature, 26 bytes of header, name, content. */
const zipWith = (...entries: Array<[name: string, content?: Buffer]>) =>
	Buffer.concat(
		entries.flatMap(([name, content = Buffer.alloc(0)]) => [
			bytes(`PK\x03\x04${'\0'.repeat(26)}${name}`),
			content,
		]),
	);

const BITMAP = bytes('BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28');
const WORKBOOK = zipWith(
	['[Content_Types].xml'],
	['xl/workbook.xml'],
	['xl/embeddings/a.docx', letter],
);
const ZIP = zipWith(['invoice-1.pdf', invoice], ['invoice-2.pdf', invoice]);
const ZIP_OF_LETTERS = zipWith(['letter-1.docx', letter]);

/** A tar header with the magic word of POSIX, or as before it, and then the file. */
function tarWith(content: Buffer, magic: string): Buffer {
	const header = Buffer.alloc(512);
	header.write('invoice-1.pdf');
	header.write('0000644\x000000765\x000000024\x00', 100, 'latin1');
	header.write(magic, 257);
	return Buffer.concat([header, content]);
}
const TAR = tarWith(invoice, 'ustar');

/** As ASN.1 begins for signed data, with the signed file inside. */
const P7M = Buffer.concat([
	Buffer.from('30820e6e06092a864886f70d010702a0820e5f30820e5b', 'hex'),
	invoice,
]);
const MAIL = Buffer.concat([
	bytes('Content-Type: application/pdf;\r\n name="a.pdf"\r\nFrom: a@example.com\r\n\r\n'),
	invoice,
]);
const HEIC = bytes(`\0\0\0\x18ftypheic\0\0\0\0mif1heic${'x'.repeat(100)}`);
const PAGE = bytes('<!DOCTYPE html>\n<html><body>Sign in</body></html>');
const XHTML = bytes(
	'\xEF\xBB\xBF \n<!-- moved -- to --><?xml version="1.0"?>\n<!-- a --><html xmlns="http://www.w3.org/1999/xhtml">',
);
const XML = bytes('<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>');
const JSON_ERROR = bytes('{"error":{"message":"The link has expired"}}');
const BASE64 = bytes(invoice.toString('base64'));
const GZIP = bytes('\x1F\x8B\x08\0');
const RAR = bytes('Rar!\x1A\x07\x01\0');
const SEVEN_ZIP = bytes('7z\xBC\xAF\x27\x1C');
const RTF = bytes('{\\rtf1\\ansi Dear Ms. Musterfrau}');
const MHTML = bytes('MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n');
const PHP = Buffer.concat([
	bytes('<br />\n<b>Warning</b>: Undefined variable $x<br />\n'),
	invoice,
]);
const HEADERS = Buffer.concat([bytes('Content-Type: application/pdf\r\n\r\n'), invoice]);

test.each<[string, Buffer, string | undefined]>([
	['a PDF', invoice, 'pdf'],
	['a PDF after 1019 bytes', bytes(`${' '.repeat(1019)}%PDF-`), 'pdf'],
	['a PDF after 1020 bytes', bytes(`${' '.repeat(1020)}%PDF-`), undefined],
	['a PDF after a warning of PHP', PHP, 'pdf'],
	['a PDF after header lines', HEADERS, 'pdf'],
	['a PDF in a mail', MAIL, undefined],
	['a PDF in a page', Buffer.concat([PAGE, invoice]), undefined],
	['a signed PDF', P7M, undefined],
	['an archive of PDFs', ZIP, undefined],
	['an archive of Word documents', ZIP_OF_LETTERS, undefined],
	['a TAR archive', TAR, undefined],
	['an old TAR archive', tarWith(invoice, ''), undefined],
	['a PNG', sampleBytes('portrait.png'), 'png'],
	['a JPEG', sampleBytes('receipt.jpg'), 'jpg'],
	['a little-endian TIFF', Buffer.from('49492a0008000000', 'hex'), 'tiff'],
	['a big-endian TIFF', Buffer.from('4d4d002a00000008', 'hex'), 'tiff'],
	['a bitmap', BITMAP, 'bmp'],
	['text that begins like one', bytes('BMW: book the service for Monday.'), undefined],
	['a Word 97 document', WORD_97, 'doc'],
	['an Excel 97 sheet with a Word document', EXCEL_97, undefined],
	['an Outlook message with a PDF', MSG, undefined],
	['a cut container', OLE, undefined],
	['a Word document', letter, 'docx'],
	[
		'one that begins with its types',
		zipWith(['[Content_Types].xml'], ['word/document.xml']),
		'docx',
	],
	['an Excel sheet with a Word document', WORKBOOK, undefined],
	['an archive with words', zipWith(['letters/word/a'], ['password/a'], ['word.txt']), undefined],
	['nothing', Buffer.alloc(0), undefined],
])('by its bytes, %s is of its type', (_, head, extension) => {
	expect(detectByBytes(undefined, head).type?.extensions[0]).toBe(extension);
});

test('comments without an end take no time', () => {
	const startedAt = Date.now();
	detectByBytes(undefined, bytes('<!-->'.repeat(200_000)));
	detectByBytes(undefined, bytes('Subject\n: '.repeat(100_000)));
	detectByBytes(undefined, bytes('X: a\n b\n'.repeat(100_000)));
	expect(Date.now() - startedAt).toBeLessThan(5000);
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
	const stored = async (content: Buffer, fileName: string | undefined, mimeType: string) =>
		await storeFile(content, fileName, mimeType);

	async function send(binary: Record<string, IBinaryData>, options: IDataObject = {}) {
		const { items, hints } = await service.run(
			{ operation: 'classify', options },
			[{ json: {}, binary }],
			goOn,
		);
		return { items, hints: hints.map(({ message }) => message), files: await service.files() };
	}

	test.each<[Buffer, string | undefined, string, string, string]>([
		[WORKBOOK, 'scan', `${DOCX}; a=b`, 'scan.docx', DOCX],
		[BITMAP, 'scan', 'text/plain', 'scan.bmp', 'image/bmp'],
		[BITMAP, 'scan.txt', 'text/plain', 'scan.txt.bmp', 'image/bmp'],
		[invoice, undefined, '', 'data.pdf', 'application/pdf'],
		[PHP, 'invoice.php', 'application/pdf', 'invoice.php.pdf', 'application/pdf'],
		[PHP, 'invoice.pdf', 'application/pdf', 'invoice.pdf', 'application/pdf'],
		[HEADERS, 'invoice.pdf', '', 'invoice.pdf', 'application/pdf'],
		[MAIL, 'invoice.pdf', '', 'invoice.pdf', 'application/pdf'],
		[P7M, 'invoice.pdf', '', 'invoice.pdf', 'application/pdf'],
		[bytes('garbage'), 'invoice.pdf', '', 'invoice.pdf', 'application/pdf'],
		[RTF, 'letter.doc', '', 'letter.doc', 'application/msword'],
		[MHTML, 'letter.doc', '', 'letter.doc', 'application/msword'],
		[PAGE, 'letter.doc', '', 'letter.doc', 'application/msword'],
		[OLE, 'letter.docx', '', 'letter.docx', DOCX],
		[ZIP, 'letter.docx', '', 'letter.docx', DOCX],
	])('case %#: sent as it is', async (content, fileName, mimeType, sentAs, contentType) => {
		const { files, hints } = await send({ data: await stored(content, fileName, mimeType) });
		expect(files).toMatchObject([{ fileName: sentAs, contentType, bytes: content.length }]);
		expect(hints.join()).not.toContain('other content');
	});

	test.each<[Buffer, string, string, string]>([
		[sampleBytes('receipt.jpg'), 'scan.pdf', 'scan.jpg', '(sent as "scan.jpg")'],
		[invoice, 'photo.jpg', 'photo.pdf', '(sent as "photo.pdf")'],
		[PHP, 'photo.jpg', 'photo.pdf', '(sent as "photo.pdf")'],
		[letter, 'letter.doc', 'letter.docx', '(sent as "letter.docx")'],
		[WORD_97, 'letter.pdf', 'letter.doc', '(sent as "letter.doc")'],
		[HEIC, 'iphone.jpg', 'iphone.jpg', '(a HEIC photo)'],
		[EXCEL_97, 'prices.pdf', 'prices.pdf', '(an Office file)'],
	])('case %#: sent with a note, and its name stays', async (content, fileName, sentAs, note) => {
		const { files, hints, items } = await send({
			data: await stored(content, fileName, mimeTypeOf(fileName)),
		});
		expect(files).toMatchObject([{ fileName: sentAs }]);
		expect(hints).toContain(`1 file with other content than its name says: "${fileName}" ${note}`);
		expect(items[0]?.json.fileName).toBe(fileName);
	});

	test('Classify pairs several files by the names that were sent', async () => {
		const results = [
			{ fileName: 'scan__2_.jpg', documentType: 'Second', confidence: 90 },
			{ fileName: 'scan.jpg', documentType: 'First', confidence: 90 },
		];
		await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
		const { items } = await send(
			{
				one: await stored(sampleBytes('receipt.jpg'), 'scan.pdf', 'application/pdf'),
				two: await stored(sampleBytes('two-cards.jpg'), 'scan.jpg', 'image/jpeg'),
			},
			{ filesPerRequest: 2 },
		);
		expect(items.map(({ json }) => [json.fileName, json.documentType])).toEqual([
			['scan.pdf', 'First'],
			['scan.jpg', 'Second'],
		]);
	});

	const UNSUPPORTED: Array<[Buffer, string, string]> = [
		[ZIP, 'invoices.zip', 'application/zip'],
		[ZIP, 'invoices.zip', 'application/pdf'],
		[ZIP, 'invoices', 'application/zip'],
		[ZIP_OF_LETTERS, 'letters.zip', 'application/zip'],
		[TAR, 'invoices.tar', 'application/x-tar'],
		[P7M, 'contract.pdf.p7m', 'application/pkcs7-mime'],
		[P7M, 'contract.pdf.p7m', 'application/pdf'],
		[MAIL, 'mail.eml', 'message/rfc822'],
		[MSG, 'mail.msg', 'application/vnd.ms-outlook'],
		[EXCEL_97, 'prices.xls', 'application/vnd.ms-excel'],
		[WORKBOOK, 'prices.xlsx', 'application/octet-stream'],
		[HEIC, 'IMG_1.HEIC', 'image/heic'],
		[bytes('Hello'), 'notes.txt', 'application/pdf'],
	];

	test.each(UNSUPPORTED)('case %#: not supported, so refused alone', async (...file) => {
		const { items, files } = await send({ data: await stored(...file) });
		expect(files).toEqual([]);
		expect(await service.calls()).toEqual([]);
		expect(failureOf(items[0])).toMatchObject({
			message: `"${file[1]}" has an unsupported file type`,
			description: expect.stringContaining(
				'.pdf, .png, .jpg, .jpeg, .tiff, .tif, .bmp, .doc, .docx',
			) as string,
			details: { fileName: file[1] },
		});
	});

	test('and skipped next to a supported file', async () => {
		const binary: Record<string, IBinaryData> = { data: await stored(invoice, 'a.pdf', '') };
		for (const [number, file] of UNSUPPORTED.entries())
			binary[`other${number}`] = await stored(...file);
		const { files, items, hints } = await send(binary);
		expect(files).toMatchObject([{ fileName: 'a.pdf' }]);
		expect(items).toHaveLength(1);
		expect(hints.join()).toContain(`${UNSUPPORTED.length} files skipped`);
	});

	test.each<[Buffer, string, string]>([
		[PAGE, 'invoice.pdf', 'a web page'],
		[XHTML, 'invoice.pdf', 'a web page'],
		[XML, 'invoice.pdf', 'an XML message'],
		[JSON_ERROR, 'invoice.pdf', 'JSON'],
		[bytes('\xEF\xBB\xBF [{"a":1}]'), 'scan.png', 'JSON'],
		[BASE64, 'invoice.pdf', 'base64 text'],
		[bytes(`data:application/pdf;base64,${invoice.toString('base64')}`), 'a.pdf', 'base64 text'],
		[ZIP, 'invoice.pdf', 'a ZIP archive'],
		[ZIP_OF_LETTERS, 'invoice.pdf', 'a ZIP archive'],
		[GZIP, 'invoice.pdf', 'a gzip archive'],
		[RAR, 'invoice.tif', 'a RAR archive'],
		[SEVEN_ZIP, 'letter.docx', 'a 7z archive'],
		[GZIP, 'letter.doc', 'a gzip archive'],
		[TAR, 'letter.doc', 'a TAR archive'],
		[TAR, 'invoice.pdf', 'a TAR archive'],
	])('case %#: refused although its name is supported', async (content, fileName, what) => {
		const other = await stored(invoice, 'other.pdf', 'application/pdf');
		const data = await stored(content, fileName, mimeTypeOf(fileName));
		const { items, files } = await send({ data, other }, { ignoreUnsupportedFiles: true });
		expect(files).toMatchObject([{ fileName: 'other.pdf' }]);
		const { message, description, details } = failureOf(items[0]);
		expect(message).toBe(`"${fileName}" contains ${what} instead of a document`);
		expect(description).not.toBe('');
		expect(details.fileName).toBe(fileName);
	});
});
