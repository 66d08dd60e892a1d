import {
	typeOfHead,
	typeOfMimeType,
	typeOfName,
} from '../../../../nodes/DocumentIntelligence/files/fileTypes';
import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes, sha256 } from '../../samples';
import { failureOf, useService } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** An OLE container whose directory names a stream so. */
function oleWith(stream: string): Buffer {
	return Buffer.concat([
		OLE,
		Buffer.alloc(2048),
		Buffer.from(stream, 'utf16le'),
		Buffer.alloc(2048),
	]);
}

/** A stored ZIP entry: signature, 26 bytes of header with the length of the name at its end, name. */
function zipWith(...names: string[]): Buffer {
	return Buffer.concat(
		names.map((name) => {
			const header = Buffer.alloc(30);
			header.write('PK\x03\x04', 'latin1');
			header.writeUInt16LE(Buffer.byteLength(name), 26);
			return Buffer.concat([header, Buffer.from(name)]);
		}),
	);
}

/** 14 bytes of file header and the 40 of the picture's own: one white dot. */
function bitmap(): Buffer {
	const bytes = Buffer.alloc(58, 0xff);
	bytes.write('BM', 'latin1');
	bytes.writeUInt32LE(58, 2);
	bytes.writeUInt32LE(0, 6);
	bytes.writeUInt32LE(54, 10);
	bytes.writeUInt32LE(40, 14);
	bytes.writeInt32LE(1, 18);
	bytes.writeInt32LE(1, 22);
	bytes.writeUInt16LE(1, 26);
	bytes.writeUInt16LE(24, 28);
	bytes.fill(0, 30, 54);
	return bytes;
}

const tiffLittle = Buffer.concat([Buffer.from('49492a0008000000', 'hex'), Buffer.alloc(64)]);
const tiffBig = Buffer.concat([Buffer.from('4d4d002a00000008', 'hex'), Buffer.alloc(64)]);
const invoice = sampleBytes('invoice-us.pdf');

async function send(content: Buffer, fileName: string | undefined, mimeType: string) {
	const binary = await storeFile(content, fileName, mimeType);
	const { items } = await service.run(
		{ operation: 'classify' },
		[{ json: {}, binary: { data: binary } }],
		{ onError: 'continueRegularOutput' },
	);
	return { item: items[0], files: await service.files() };
}

const kinds = [
	['PDF', invoice, 'pdf', 'application/pdf'],
	[
		'PDF behind a kilobyte that a scanner put first',
		Buffer.concat([Buffer.alloc(1000, '\n'), invoice]),
		'pdf',
		'application/pdf',
	],
	['PNG', sampleBytes('portrait.png'), 'png', 'image/png'],
	['JPEG', sampleBytes('receipt.jpg'), 'jpg', 'image/jpeg'],
	['TIFF, little-endian', tiffLittle, 'tiff', 'image/tiff'],
	['TIFF, big-endian', tiffBig, 'tiff', 'image/tiff'],
	['BMP', bitmap(), 'bmp', 'image/bmp'],
	['DOC', oleWith('WordDocument'), 'doc', 'application/msword'],
	['DOCX', sampleBytes('letter.docx'), 'docx', DOCX],
] as const;

describe('A file without a telling name', () => {
	describe.each(kinds)('%s', (_, content, extension, mimeType) => {
		test.each([
			['its mime type', mimeType],
			['its mime type with a parameter, in capitals', `${mimeType.toUpperCase()}; name="x"`],
		])('is known by %s', async (_, said) => {
			// The mime type is believed, so the content may be anything.
			const { files } = await send(Buffer.from('anything'), 'scan', said);
			expect(files).toEqual([expect.objectContaining({ fileName: `scan.${extension}` })]);
		});

		test.each(['application/octet-stream', 'binary/octet-stream', 'text/plain', ''])(
			'is known by its first bytes under the mime type "%s"',
			async (said) => {
				const { files } = await send(content, 'scan', said);
				expect(files).toEqual([
					{
						name: 'files',
						fileName: `scan.${extension}`,
						contentType: mimeType,
						bytes: content.length,
						sha256: sha256(content),
					},
				]);
			},
		);
	});

	test('takes its name from the field', async () => {
		const { files } = await send(invoice, undefined, 'application/octet-stream');
		expect(files).toEqual([
			expect.objectContaining({ fileName: 'data.pdf', contentType: 'application/pdf' }),
		]);
	});
});

describe('A file whose name says its kind', () => {
	test.each([
		'pdf',
		'png',
		'jpg',
		'jpeg',
		'tiff',
		'tif',
		'bmp',
		'doc',
		'docx',
		'PDF',
		'Jpeg',
		'TIF',
		'DOCX',
	])('.%s is sent under this name whatever its content', async (extension) => {
		const { files } = await send(
			Buffer.from('anything'),
			`scan.${extension}`,
			'application/octet-stream',
		);
		expect(files).toEqual([expect.objectContaining({ fileName: `scan.${extension}` })]);
	});

	test('a mime type that says something is passed on', async () => {
		const { files } = await send(invoice, 'scan.pdf', 'application/x-pdf');
		expect(files).toEqual([
			expect.objectContaining({ fileName: 'scan.pdf', contentType: 'application/x-pdf' }),
		]);
	});
});

describe('A file of a kind the service does not take', () => {
	test.each([
		['text', sampleBytes('notes.txt'), 'notes.txt', 'text/plain'],
		[
			'text that begins as a bitmap does',
			Buffer.from('BMW of Lakeside: book the service for Monday.\n'),
			'car.txt',
			'text/plain',
		],
		[
			'a calendar file',
			Buffer.from('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'),
			'invite.ics',
			'text/calendar',
		],
		[
			'a calendar file under a general mime type',
			Buffer.from('BEGIN:VCALENDAR\r\n'),
			'invite.ics',
			'application/octet-stream',
		],
		['an Excel 97 sheet', oleWith('Workbook'), 'prices.xls', 'application/vnd.ms-excel'],
		[
			'an Excel 97 sheet under a general mime type',
			oleWith('Workbook'),
			'prices.xls',
			'application/octet-stream',
		],
		[
			'an Excel sheet',
			zipWith('[Content_Types].xml', 'xl/workbook.xml'),
			'prices.xlsx',
			'application/octet-stream',
		],
		['an archive', zipWith('a.txt', 'b.txt'), 'all.zip', 'application/zip'],
		[
			'an archive with a folder "password"',
			zipWith('password/list.csv'),
			'all.zip',
			'application/zip',
		],
		[
			'an archive that holds a Word folder of its own',
			zipWith('letters/word/a.txt'),
			'all.zip',
			'application/zip',
		],
		['a web page', Buffer.from('<html>About %PDF</html>'), 'page.html', 'text/html'],
		['a GIF', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1'), 'logo.gif', 'image/gif'],
		['no name and no known bytes', Buffer.from('hello'), undefined, 'application/octet-stream'],
	])('%s is refused without a request', async (_, content, fileName, mimeType) => {
		const { item, files } = await send(content, fileName, mimeType);
		expect(files).toEqual([]);
		expect(await service.calls()).toEqual([]);
		expect(failureOf(item)).toEqual({
			message: `"${fileName ?? 'data'}" has an unsupported file type`,
			description: expect.stringContaining(
				'.pdf, .png, .jpg, .jpeg, .tiff, .tif, .bmp, .doc, .docx',
			) as string,
			details: expect.objectContaining({ fileName: fileName ?? 'data' }) as object,
		});
	});
});

describe('The kind', () => {
	test.each([
		['scan.pdf', 'pdf'],
		['SCAN.JPEG', 'jpg'],
		['a.b.tif', 'tiff'],
		['a.pdf.txt', undefined],
		['invoice.txt.pdf', 'pdf'],
		['.pdf', 'pdf'],
		['pdf', undefined],
		['a.', undefined],
		['', undefined],
	])('of the name "%s" is %s', (name, extension) => {
		expect(typeOfName(name)?.extensions[0]).toBe(extension);
	});

	test.each([
		['application/pdf', 'pdf'],
		[' Image/JPEG ; q=1', 'jpg'],
		['application/pdfx', undefined],
		['xapplication/pdf', undefined],
		['', undefined],
	])('of the mime type "%s" is %s', (mimeType, extension) => {
		expect(typeOfMimeType(mimeType)?.extensions[0]).toBe(extension);
	});

	/** A bitmap with a byte of it changed. */
	const bitmapWith = (place: number, byte: number): Buffer => {
		const bytes = bitmap();
		bytes[place] = byte;
		return bytes;
	};

	test.each([
		['a bitmap', bitmap(), 'bmp'],
		['the least that tells a bitmap', bitmap().subarray(0, 18), 'bmp'],
		['a byte less', bitmap().subarray(0, 17), undefined],
		['a bitmap whose first letter is another', bitmapWith(0, 0x41), undefined],
		['a bitmap whose reserved bytes are used', bitmapWith(7, 1), undefined],
		['a bitmap with a header of no known length', bitmapWith(14, 41), undefined],
		[
			'an archive whose second entry is of Word',
			zipWith('[Content_Types].xml', 'word/document.xml'),
			'docx',
		],
		[
			'something before such an archive',
			Buffer.concat([Buffer.from('x'), zipWith('word/document.xml')]),
			undefined,
		],
		['an archive in an archive', zipWith('a.docx', 'word.txt'), undefined],
		[
			'a PDF behind a kilobyte',
			Buffer.concat([Buffer.alloc(1019, 0x20), Buffer.from('%PDF-')]),
			'pdf',
		],
		[
			'a PDF behind a byte more',
			Buffer.concat([Buffer.alloc(1020, 0x20), Buffer.from('%PDF-')]),
			undefined,
		],
		['nothing', Buffer.alloc(0), undefined],
	])('of %s, by its bytes', (_, head, extension) => {
		expect(typeOfHead(head)?.extensions[0]).toBe(extension);
	});
});
