import { detectByBytes } from '../../../../nodes/DocumentIntelligence/files/fileTypes';
import {
	checkFile,
	describeFile,
	remarkOnType,
} from '../../../../nodes/DocumentIntelligence/files/inputFiles';
import { itemOf, itemWith, MB, mimeTypeOf, sampleBytes } from '../../samples';
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
const BASE64 = invoice.toString('base64');
const UNKNOWN = bytes('Hello');
const GZIP = bytes('\x1F\x8B\x08\0');
const PHP = Buffer.concat([
	bytes('<br />\n<b>Warning</b>: Undefined variable $x<br />\n'),
	invoice,
]);
const HEADERS = Buffer.concat([bytes('Content-Type: application/pdf\r\n\r\n'), invoice]);

/** What becomes of a file: the name under which it is sent, with a remark if there is one, or why it is not sent. */
async function fateOf(content: Buffer, fileName: string, mimeType: string): Promise<string> {
	const binary = { data: content.toString('base64'), mimeType, fileName: fileName || undefined };
	const file = await describeFile({ helpers: {} as never }, { field: 'data', binary });
	const failure = checkFile(file, 10 * MB);
	if (failure) return failure.message.replace(`"${file.name}" `, '');
	expect(file.mimeType).toBe(mimeTypeOf(file.uploadName.replace(/jpeg$/i, 'jpg')));
	return `${file.uploadName} ${remarkOnType(file) ?? ''}`.replace(` "${file.name}"`, '').trim();
}

const NOT = 'has an unsupported file type';
const contains = (what: string) => `contains ${what} instead of a document`;
const PDF = 'application/pdf';

describe('By its bytes', () => {
	test.each<[string, string, Buffer]>([
		['a PDF', 'data.pdf', invoice],
		['a PDF after 1019 bytes', 'data.pdf', bytes(`${' '.repeat(1019)}%PDF-`)],
		['a PDF after 1020 bytes', NOT, bytes(`${' '.repeat(1020)}%PDF-`)],
		['a PDF after a warning of PHP', 'data.pdf', PHP],
		['a PDF in a mail', NOT, MAIL],
		['a PDF in a page', NOT, Buffer.concat([PAGE, invoice])],
		['a signed PDF', NOT, P7M],
		['an archive of PDFs', NOT, ZIP],
		['a TAR archive', NOT, TAR],
		['an old TAR archive', NOT, tarWith(invoice, '')],
		['a PNG', 'data.png', sampleBytes('portrait.png')],
		['a JPEG', 'data.jpg', sampleBytes('receipt.jpg')],
		['a little-endian TIFF', 'data.tiff', Buffer.from('49492a0008000000', 'hex')],
		['a big-endian TIFF', 'data.tiff', Buffer.from('4d4d002a00000008', 'hex')],
		['a bitmap', 'data.bmp', BITMAP],
		['text that begins like one', NOT, bytes('BMW: book the service for Monday.')],
		['a Word 97 document', 'data.doc', WORD_97],
		['an Excel 97 sheet with a Word document', NOT, EXCEL_97],
		['an Outlook message with a PDF', NOT, MSG],
		['a cut container', NOT, OLE],
		['a Word document', 'data.docx', letter],
		['types, then Word', 'data.docx', zipWith(['[Content_Types].xml'], ['word/document.xml'])],
		['an Excel sheet with a Word document', NOT, WORKBOOK],
		['an archive with words', NOT, zipWith(['letters/word/a'], ['password/a'], ['word.txt'])],
		['nothing', 'is empty', Buffer.alloc(0)],
	])('%s: %s', async (_, fate, content) => {
		expect(await fateOf(content, '', '')).toBe(fate);
	});

	test('comments without an end take no time', () => {
		const startedAt = Date.now();
		detectByBytes(undefined, bytes('<!-->'.repeat(200_000)));
		detectByBytes(undefined, bytes('Subject\n: '.repeat(100_000)));
		detectByBytes(undefined, bytes('X: a\n b\n'.repeat(100_000)));
		expect(Date.now() - startedAt).toBeLessThan(5000);
	});
});

describe('By its bytes, its name and its mime type', () => {
	test.each<[string, string, string, Buffer]>([
		// With a supported type, under a name with its extension.
		['scan', `${DOCX}; a=b`, 'scan.docx', WORKBOOK],
		['scan', 'text/plain', 'scan.bmp', BITMAP],
		['scan.txt', 'text/plain', 'scan.txt.bmp', BITMAP],
		['invoice.php', PDF, 'invoice.php.pdf', PHP],
		['scan.pdf', PDF, 'scan.jpg (sent as "scan.jpg")', sampleBytes('receipt.jpg')],
		['photo.jpg', 'image/jpeg', 'photo.pdf (sent as "photo.pdf")', invoice],
		['photo.jpg', 'image/jpeg', 'photo.pdf (sent as "photo.pdf")', PHP],
		['letter.doc', '', 'letter.docx (sent as "letter.docx")', letter],
		['letter.pdf', PDF, 'letter.doc (sent as "letter.doc")', WORD_97],
		// As what its name says, which Cogneris may read.
		['invoice.pdf', PDF, 'invoice.pdf', PHP],
		['invoice.pdf', '', 'invoice.pdf', HEADERS],
		['invoice.pdf', '', 'invoice.pdf', MAIL],
		['invoice.pdf', '', 'invoice.pdf', P7M],
		['invoice.pdf', '', 'invoice.pdf', UNKNOWN],
		['SCAN.JPEG', '', 'SCAN.JPEG', UNKNOWN],
		['scan', ' Image/JPEG ; q=1', 'scan.jpg', UNKNOWN],
		['letter.doc', '', 'letter.doc', bytes('{\\rtf1\\ansi Dear Ms. Musterfrau}')],
		['letter.doc', '', 'letter.doc', PAGE],
		['letter.docx', '', 'letter.docx', OLE],
		['letter.docx', '', 'letter.docx', ZIP],
		['iphone.jpg', 'image/jpeg', 'iphone.jpg (a HEIC photo)', HEIC],
		['prices.pdf', PDF, 'prices.pdf (an Office file)', EXCEL_97],
		// Not, because nothing about it is supported.
		['invoices.zip', PDF, NOT, ZIP],
		['invoices', 'application/zip', NOT, ZIP],
		['contract.pdf.p7m', PDF, NOT, P7M],
		['prices.xlsx', 'application/octet-stream', NOT, WORKBOOK],
		['notes.txt', PDF, NOT, UNKNOWN],
		['a.pdf.txt', '', NOT, UNKNOWN],
		['pdf', '', NOT, UNKNOWN],
		// Not, although its name is supported.
		['invoice.pdf', PDF, contains('a web page'), PAGE],
		['invoice.pdf', PDF, contains('a web page'), XHTML],
		['invoice.pdf', PDF, contains('an XML message'), XML],
		['invoice.pdf', PDF, contains('JSON'), bytes('{"error":{"message":"expired"}}')],
		['scan.png', 'image/png', contains('JSON'), bytes('\xEF\xBB\xBF [{"a":1}]')],
		['invoice.pdf', PDF, contains('base64 text'), bytes(BASE64)],
		['a.pdf', PDF, contains('base64 text'), bytes(`data:application/pdf;base64,${BASE64}`)],
		['invoice.pdf', PDF, contains('a ZIP archive'), ZIP],
		['invoice.pdf', PDF, contains('a ZIP archive'), ZIP_OF_LETTERS],
		['invoice.pdf', PDF, contains('a gzip archive'), GZIP],
		['letter.doc', '', contains('a gzip archive'), GZIP],
		['invoice.tif', 'image/tiff', contains('a RAR archive'), bytes('Rar!\x1A\x07\x01\0')],
		['letter.docx', DOCX, contains('a 7z archive'), bytes('7z\xBC\xAF\x27\x1C')],
		['letter.doc', '', contains('a TAR archive'), TAR],
		['invoice.pdf', PDF, contains('a TAR archive'), TAR],
	])('%s (%s): %s', async (fileName, mimeType, fate, content) => {
		expect(await fateOf(content, fileName, mimeType)).toBe(fate);
	});
});

describe('Through the node', () => {
	test('a file of another type than its name says is sent with a note, and its name stays', async () => {
		const item = await itemWith('receipt.jpg', 'scan.pdf');
		const { items, hints } = await service.run({ operation: 'classify' }, [item]);
		expect(await service.files()).toMatchObject([{ fileName: 'scan.jpg' }]);
		const note = '"scan.pdf" (sent as "scan.jpg")';
		expect(hints.map(({ message }) => message)).toContain(
			`1 file with other content than its name says: ${note}`,
		);
		expect(items[0]?.json.fileName).toBe('scan.pdf');
	});

	test('one that only has the name of a document is refused, also if unsupported files are ignored', async () => {
		const options = { ignoreUnsupportedFiles: true };
		const items = [await itemOf(PAGE, 'invoice.pdf'), await itemWith('contract.pdf')];
		const result = await service.run({ operation: 'classify', options }, items, goOn);
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual(['contract.pdf']);
		expect(failureOf(result.items[0])).toMatchObject({
			message: `"invoice.pdf" ${contains('a web page')}`,
			description: expect.stringMatching(/./) as string,
			details: { fileName: 'invoice.pdf' },
		});
	});
});
