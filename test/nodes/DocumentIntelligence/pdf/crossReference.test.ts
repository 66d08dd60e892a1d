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

const contentOfPart = async (file: Buffer) => everythingIn(await firstPageOf(file));

const followedBy = (file: Buffer, bytes: number) =>
	Buffer.concat([file, Buffer.alloc(bytes, 'x\n')]);

const edited = (file: Buffer, pattern: RegExp | string, replacement: string) =>
	Buffer.from(file.toString('latin1').replace(pattern, replacement), 'latin1');

const startOfTable = (file: Buffer) => /startxref\n(\d+)/.exec(file.toString('latin1'))?.[1];

/** Page 1 shows a form. */
const drawn = twoPages({
	resources: '/XObject << /Fm1 20 0 R >>',
	content: '/Fm1 Do',
	more: { 20: form('PUBLIC form') },
});

const fontCalled = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} >>`;

/** The font of the pages in an object stream, object 20. */
function withPackedFont(name: string): RawObjects {
	const packed = { dict: '/Type /ObjStm /N 1 /First 4', data: `5 0 ${fontCalled(name)}` };
	const objects: RawObjects = { ...twoPages(), 20: packed };
	delete objects[5];
	return objects;
}

const annotated = twoPages({
	first: '/Annots [20 0 R]',
	more: { 20: '<< /Subtype /Text /Rect [0 0 9 9] /Contents (SECRET and deleted) >>' },
});

const stale: Array<[number, RawObject]> = [[6, { data: shows('SECRET and stale') }]];

const long = { content: { data: `${shows('PUBLIC')}${' '.repeat(9000)}` } };

function withFreedAnnotation(): Buffer {
	const file = rawPdf(annotated);
	const trailer = `trailer\n<< /Size 21 /Root 1 0 R /Prev ${startOfTable(file)} >>`;
	const update = `xref\n20 1\n0000000000 00001 f \n${trailer}\nstartxref\n${file.length}\n%%EOF\n`;
	return Buffer.concat([file, Buffer.from(update)]);
}

describe('Only what the tables name is in a file, not', () => {
	test.each<[string, Buffer]>([
		['a copy of a content that stands later', rawPdf(twoPages(), { stale })],
		['an object that is free', rawPdf(annotated, { free: [20] })],
		['what an update freed', withFreedAnnotation()],
		[
			'a copy before much that stands after the end of a long file',
			followedBy(rawPdf(twoPages(long), { stale }), 5000),
		],
		[
			'a copy before a little after the end of a short file',
			followedBy(rawPdf(twoPages(), { stale }), 1900),
		],
		[
			'a copy, although the table counts from 1',
			edited(rawPdf(twoPages(), { stale }), /xref\n0 (\d+)/, 'xref\n1 $1'),
		],
		[
			'a free object with an offset of 0',
			edited(
				rawPdf(annotated, { free: [20] }),
				/0000000000 65535 f (?=\ntrailer)/,
				'0000000000 00000 n ',
			),
		],
	])('%s', async (_name, file) => {
		const part = await contentOfPart(file);
		expect(part).toContain('PUBLIC');
		expect(part).not.toContain('SECRET');
	});

	test('what stands after the end of a file with a cross-reference stream', async () => {
		const copy = `2 0 obj\n<< /Type /Pages /Kids [4 0 R] /Count 1 >>\nendobj\n`;
		const file = Buffer.concat([corpus['object streams']!.file(), Buffer.from(copy)]);
		expect(await openBundle(file)).toMatchObject({ pageCount: 6 });
	});
});

describe('What the tables name', () => {
	test('is in a hybrid file also what only its stream names', async () => {
		// The font is listed as free for old readers, and is packed for others.
		const file = rawPdf(withPackedFont('Times-Bold'));
		const row = Buffer.from([2, 0, 20, 0]).toString('latin1');
		const stream = `21 0 obj\n<< /Type /XRef /Size 22 /W [1 2 1] /Index [5 1] /Length 4 >>\nstream\n${row}\nendstream\nendobj\n`;
		const start = Number(startOfTable(file));
		const named = edited(file, '/Size', `/XRefStm ${start} /Size`);
		const moved = edited(named, /startxref\n\d+/, `startxref\n${start + stream.length}`);
		const hybrid = edited(moved, 'xref\n0', `${stream}xref\n0`);
		expect(await contentOfPart(hybrid)).toContain('Times-Bold');
	});

	test('does not count in the first half of a file, because a newer table may be lost', async () => {
		const newer = `6 0 obj\n<< /Length 70 >>\nstream\n${shows('NEWER').padEnd(70)}\nendstream\nendobj\n`;
		const file = Buffer.concat([rawPdf(twoPages()), Buffer.from(newer)]);
		expect(await contentOfPart(followedBy(file, 5000))).toContain('NEWER');
	});

	test('and is not there: a page that uses it is not cut, and the others are', async () => {
		const file = rawPdf(drawn);
		const offset = String(file.indexOf('\n20 0 obj') + 1).padStart(10, '0');
		const bundle = await opened(edited(file, `${offset} 00000 n`, '0000000030 00000 n'));
		expect(await bundle.cut([1])).toBe('damaged');
		const part = everythingIn(await partOf(bundle, [2]));
		expect(part).toContain('SECRET');
		expect(part).not.toContain('PUBLIC');
	});

	test('ends, although one leads to another in circles', async () => {
		const file = rawPdf(twoPages());
		const looped = edited(file, '/Root', `/Prev ${startOfTable(file)} /Root`);
		expect(await openBundle(looped)).toMatchObject({ pageCount: 2 });
	});
});

function withData(data: Buffer): Buffer {
	const image: RawObject = {
		dict: `/Type /XObject /Subtype /Image /Width ${data.length} /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8`,
		data,
		length: '21 0 R',
	};
	const resources = '/XObject << /Im1 20 0 R >>';
	const more = { 20: image, 21: String(data.length) };
	return rawPdf(twoPages({ resources, content: '/Im1 Do', more }));
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
	const incompressible = Array.from({ length: 500 }, (_, index) => Math.sin(index)).join(' ');
	const data = deflateSync(`${shows('PUBLIC')} /Fm1 Do ${incompressible}`);
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
	const titled = (entry: string) =>
		twoPages({
			resources: '/XObject << /Fm1 21 0 R >>',
			content: '/Fm1 Do',
			more: { 20: `<< ${entry} >>`, 21: form('PUBLIC form') },
		});
	const newerFont: Array<[number, RawObject]> = [[5, fontCalled('Newer')]];
	const objectInData = { ...drawn, 21: { data: '20 0 obj (SECRET) endobj' } };
	const dataAfter = (start: string) => edited(rawPdf(objectInData), />>\nstream/g, start);

	test.each<[string, Buffer, string]>([
		['all objects after a title', rawPdf(titled('/Title (Upstream)')), 'PUBLIC form'],
		['all objects after a font', rawPdf(titled('/BaseFont /BitstreamVera')), 'PUBLIC form'],
		['all objects after brackets', rawPdf(titled('/Title (>> upstream)')), 'PUBLIC form'],
		[
			'the last copy of an object, also if an older one is packed',
			rawPdf(withPackedFont('Older'), { stale: newerFont }),
			'Newer',
		],
		[
			'no packed objects of a stream that a later object replaces',
			rawPdf({ ...withPackedFont('Older'), 5: fontCalled('Newer') }, { stale: [[20, '<< >>']] }),
			'Newer',
		],
		['no objects in data', dataAfter('>>stream'), 'PUBLIC form'],
		['no objects in data after an end of line', dataAfter('>>\r\nstream'), 'PUBLIC form'],
		['no objects in data after a space', dataAfter('>> stream'), 'PUBLIC form'],
		['no objects in data after a zero', dataAfter('>>\0stream'), 'PUBLIC form'],
	])('has %s', async (_name, file, expected) => {
		const part = await contentOfPart(withoutTable(file));
		expect(part).toContain(expected);
		expect(part).not.toMatch(/Older/);
	});

	test('has the root of its last trailer', async () => {
		const more = {
			30: '<< /Type /Catalog /Pages 31 0 R >>',
			31: '<< /Type /Pages /Kids [3 0 R] >>',
		};
		const newer = Buffer.from('trailer << /Root 30 0 R >>');
		const file = Buffer.concat([withoutTable(rawPdf(twoPages({ more }))), newer]);
		expect(await openBundle(file)).toMatchObject({ pageCount: 1 });
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
});

test.each<[string, string, object | string]>([
	['without a list of pages', '<< /Type /Pages >>', 'damaged'],
	['without its list of pages', '<< /Type /Pages /Kids 99 0 R /Count 1 >>', 'damaged'],
	['with an empty list', '<< /Type /Pages /Kids [] /Count 0 >>', { pageCount: 2 }],
])('a node of the page tree %s: no page has the number of another', async (_name, node, end) => {
	const objects = twoPages({ more: { 20: node } });
	objects[2] = '<< /Type /Pages /Kids [20 0 R 3 0 R 4 0 R] /Count 3 >>';
	const bundle = await openBundle(rawPdf(objects));
	expect(typeof bundle === 'string' ? bundle : { pageCount: bundle.pageCount }).toEqual(end);
});
