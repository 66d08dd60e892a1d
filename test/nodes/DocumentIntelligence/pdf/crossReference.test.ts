import { deflateSync } from 'node:zlib';

import { openBundle } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { corpus } from '../../../pdf/corpus';
import { endOfCutting, opened, partOf } from '../../../pdf/cutting';
import {
	everythingIn,
	form,
	type RawObject,
	type RawObjects,
	rawPdf,
	shows,
	twoPages,
	withoutTable,
} from '../../../pdf/rawPdf';

const firstPageOf = async (file: Buffer) => await partOf(await opened(file), [1]);

const followedBy = (file: Buffer, bytes: number) =>
	Buffer.concat([file, Buffer.alloc(bytes, 'x\n')]);

const edited = (file: Buffer, pattern: RegExp, replacement: string) =>
	Buffer.from(file.toString('latin1').replace(pattern, replacement), 'latin1');

/** Page 1 shows a form. */
const drawn = twoPages({
	resources: '/XObject << /Fm1 20 0 R >>',
	content: '/Fm1 Do',
	more: { 20: form('PUBLIC form') },
});

/** An object stream with this object, whose number has one digit. */
const packed = (object: string): RawObject => ({
	dict: '/Type /ObjStm /N 1 /First 4',
	data: object,
});

const contentOfPart = async (file: Buffer) => everythingIn(await firstPageOf(file));

describe('Only what the tables name is in a file', () => {
	test('not a copy of a content that stands later', async () => {
		const file = rawPdf(twoPages(), { stale: [[6, { data: shows('SECRET and stale') }]] });
		const part = await contentOfPart(file);
		expect(part).toContain('PUBLIC');
		expect(part).not.toContain('SECRET');
	});

	const objects = twoPages({
		first: '/Annots [20 0 R]',
		more: { 20: '<< /Subtype /Text /Rect [0 0 9 9] /Contents (SECRET and deleted) >>' },
	});

	test('not an object that is free', async () => {
		expect(await contentOfPart(rawPdf(objects))).toContain('deleted');
		expect(await contentOfPart(rawPdf(objects, { free: [20] }))).not.toContain('SECRET');
	});

	test('not what an update freed', async () => {
		const file = rawPdf(objects);
		const start = /startxref\n(\d+)/.exec(file.toString('latin1'))?.[1];
		const update = `xref\n20 1\n0000000000 00001 f \ntrailer\n<< /Size 21 /Root 1 0 R /Prev ${start} >>\nstartxref\n${file.length}\n%%EOF\n`;
		expect(await contentOfPart(Buffer.concat([file, Buffer.from(update)]))).not.toContain('SECRET');
	});

	test('of a file with a cross-reference stream, not what stands after its end', async () => {
		const file = corpus['object streams']!.file();
		const stale = `2 0 obj\n<< /Type /Pages /Kids [4 0 R] /Count 1 >>\nendobj\n`;
		const bundle = await openBundle(Buffer.concat([file, Buffer.from(stale)]));
		expect(bundle).toMatchObject({ pageCount: 6 });
	});

	test('of a hybrid file, also what only its stream names', async () => {
		// The font is listed as free for old readers, and is packed for others.
		const font = '5 0 << /Type /Font /Subtype /Type1 /BaseFont /Times-Bold >>';
		const others: RawObjects = { ...twoPages(), 20: packed(font) };
		delete others[5];
		const plain = rawPdf(others).toString('latin1');
		const at = plain.indexOf('xref\n0');
		const row = Buffer.from([2, 0, 20, 0]);
		const stream = `21 0 obj\n<< /Type /XRef /Size 22 /W [1 2 1] /Index [5 1] /Length 4 >>\nstream\n${row.toString('latin1')}\nendstream\nendobj\n`;
		const file =
			plain.slice(0, at) +
			stream +
			plain
				.slice(at)
				.replace('/Size', `/XRefStm ${at} /Size`)
				.replace(/startxref\n\d+/, `startxref\n${at + stream.length}`);
		expect(await contentOfPart(Buffer.from(file, 'latin1'))).toContain('Times-Bold');
	});

	describe('and tables are read although', () => {
		const stale: Array<[number, RawObject]> = [[6, { data: shows('SECRET and stale') }]];
		const long = { content: { data: `${shows('PUBLIC')}${' '.repeat(9000)}` } };

		test.each<[string, Buffer]>([
			[
				'much stands after the end of a long file',
				followedBy(rawPdf(twoPages(long), { stale }), 5000),
			],
			[
				'a little stands after the end of a short file',
				followedBy(rawPdf(twoPages(), { stale }), 1900),
			],
			['one counts from 1', edited(rawPdf(twoPages(), { stale }), /xref\n0 (\d+)/, 'xref\n1 $1')],
			[
				'it lists a free object with an offset of 0',
				edited(
					rawPdf(objects, { free: [20] }),
					/0000000000 65535 f (?=\ntrailer)/,
					'0000000000 00000 n ',
				),
			],
		])('%s', async (_name, file) => {
			const part = await contentOfPart(file);
			expect(part).toContain('PUBLIC');
			expect(part).not.toContain('SECRET');
		});
	});

	test('but not a table in the first half of a file, because a newer one may be lost', async () => {
		const newer = `6 0 obj\n<< /Length 70 >>\nstream\n${shows('NEWER').padEnd(70)}\nendstream\nendobj\n`;
		const file = Buffer.concat([rawPdf(twoPages()), Buffer.from(newer)]);
		expect(await contentOfPart(followedBy(file, 5000))).toContain('NEWER');
	});

	test('and where one leads nowhere, a page that uses it is not cut, and the others are', async () => {
		const file = rawPdf(drawn);
		const offset = String(file.indexOf('\n20 0 obj') + 1).padStart(10, '0');
		const bundle = await opened(
			edited(file, new RegExp(`${offset} 00000 n`), '0000000030 00000 n'),
		);
		expect(await bundle.cut([1])).toBe('damaged');
		const part = everythingIn(await partOf(bundle, [2]));
		expect(part).toContain('SECRET');
		expect(part).not.toContain('PUBLIC');
	});

	test('and tables that lead in circles end', async () => {
		const file = rawPdf(twoPages());
		const start = /startxref\n(\d+)/.exec(file.toString('latin1'))?.[1];
		const looped = edited(file, /\/Root/, `/Prev ${start} /Root`);
		expect(await openBundle(looped)).toMatchObject({ pageCount: 2 });
	});
});

function withData(data: Buffer): Buffer {
	const image: RawObject = {
		dict: `/Type /XObject /Subtype /Image /Width ${data.length} /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8`,
		data,
		length: '21 0 R',
	};
	return rawPdf(
		twoPages({
			resources: '/XObject << /Im1 20 0 R >>',
			content: '/Im1 Do',
			more: { 20: image, 21: String(data.length) },
		}),
	);
}

test.each([
	['ends with an end of line', Buffer.from('image data\r\n')],
	['has the word endstream in it', Buffer.from('image\nendstream\nendobj\ndata')],
])(
	'a stream whose length is an object of its own has all of its bytes, if it %s',
	async (_name, data) => {
		const part = await firstPageOf(withData(data));
		expect(part.includes(Buffer.concat([data, Buffer.from('\nendstream')]))).toBe(true);
		expect(part.toString('latin1')).toContain(`/Length ${data.length}`);
	},
);

test('of a stream whose length is wrong, the end of line before endstream is no data', async () => {
	const content = { data: shows('PUBLIC'), length: '7' };
	const part = await firstPageOf(rawPdf(twoPages({ content })));
	expect(part.toString('latin1')).toContain(`/Length ${shows('PUBLIC').length}>>`);
});

test('a content that breaks off shows what there is, without the resources of other pages', async () => {
	const data = deflateSync(
		`${shows('PUBLIC')} /Fm1 Do ${Array.from({ length: 500 }, (_, index) => Math.sin(index)).join(' ')}`,
	);
	const objects = twoPages({
		resources: '/XObject << /Fm1 20 0 R /Fm2 21 0 R >>',
		content: { dict: '/Filter /FlateDecode', data: data.subarray(0, data.length - 700) },
		more: { 20: form('PUBLIC form'), 21: form('SECRET form') },
	});
	const part = await contentOfPart(rawPdf(objects));
	expect(part).toContain('PUBLIC form');
	expect(part).not.toContain('SECRET');
});

describe('A file without a table', () => {
	test.each(['/Title (Upstream)', '/BaseFont /BitstreamVeraSans', '/Title (>> upstream)'])(
		'keeps the objects after one with %s',
		async (entry) => {
			const objects = twoPages({
				resources: '/XObject << /Fm1 21 0 R >>',
				content: '/Fm1 Do',
				more: { 20: `<< ${entry} >>`, 21: form('PUBLIC form') },
			});
			expect(await contentOfPart(withoutTable(rawPdf(objects)))).toContain('PUBLIC form');
		},
	);

	test('has the root of its last trailer', async () => {
		const more = {
			30: '<< /Type /Catalog /Pages 31 0 R >>',
			31: '<< /Type /Pages /Kids [3 0 R] >>',
		};
		const newer = Buffer.from('trailer << /Root 30 0 R >>');
		const file = Buffer.concat([withoutTable(rawPdf(twoPages({ more }))), newer]);
		expect(await openBundle(file)).toMatchObject({ pageCount: 1 });
	});

	test('has the last copy of an object, also if an older one is packed', async () => {
		const font = '5 0 << /Type /Font /Subtype /Type1 /BaseFont /Older >>';
		const objects: RawObjects = { ...twoPages(), 20: packed(font) };
		delete objects[5];
		const stale: Array<[number, RawObject]> = [
			[5, '<< /Type /Font /Subtype /Type1 /BaseFont /Newer >>'],
		];
		const part = await contentOfPart(withoutTable(rawPdf(objects, { stale })));
		expect(part).toContain('Newer');
		expect(part).not.toContain('Older');
	});

	test('has no packed objects of a stream that a later object replaces', async () => {
		const font = '5 0 << /Type /Font /Subtype /Type1 /BaseFont /Older >>';
		const file = rawPdf({ ...twoPages(), 20: packed(font) }, { stale: [[20, '<< >>']] });
		expect(await contentOfPart(withoutTable(file))).toContain('Helvetica');
	});

	test('that ends in the ID of its trailer has all of its pages', async () => {
		const file = rawPdf(twoPages(), { trailer: '/ID [<0123456789>]' });
		const bundle = await openBundle(file.subarray(0, file.indexOf('456789>')));
		expect(bundle).toMatchObject({ pageCount: 2 });
	});

	test('that ends in the data of a stream has no part with it, but parts without it', async () => {
		const file = rawPdf(drawn);
		const bundle = await opened(file.subarray(0, file.indexOf('PUBLIC form') + 4));
		expect(await bundle.cut([1])).toBe('damaged');
		expect(await endOfCutting(bundle, [2])).toBe('cut');
	});

	test.each(['>>stream', '>>\r\nstream', '>> stream', '>>\0stream'])(
		'has no objects in the data of a stream that begin with %j',
		async (start) => {
			const objects = { ...drawn, 21: { data: '20 0 obj (SECRET) endobj' } };
			const file = rawPdf(objects).toString('latin1').replaceAll('>>\nstream', start);
			const part = await contentOfPart(withoutTable(Buffer.from(file, 'latin1')));
			expect(part).toContain('PUBLIC form');
		},
	);
});

test.each(['<< /Type /Pages >>', '<< /Type /Pages /Kids 99 0 R /Count 1 >>'])(
	'a node of the page tree without a list of pages, %s: all pages after it would be others',
	async (node) => {
		const objects = twoPages({ more: { 20: node } });
		objects[2] = '<< /Type /Pages /Kids [20 0 R 3 0 R 4 0 R] /Count 3 >>';
		expect(await openBundle(rawPdf(objects))).toBe('damaged');
	},
);

test('a node of the page tree with an empty list has no pages', async () => {
	const objects = twoPages({ more: { 20: '<< /Type /Pages /Kids [] /Count 0 >>' } });
	objects[2] = '<< /Type /Pages /Kids [20 0 R 3 0 R 4 0 R] /Count 2 >>';
	expect(await openBundle(rawPdf(objects))).toMatchObject({ pageCount: 2 });
});
