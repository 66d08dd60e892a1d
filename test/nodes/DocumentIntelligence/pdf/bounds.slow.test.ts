import { deflateSync } from 'node:zlib';

import { endOfCutting, opened } from '../../../pdf/cutting';
import { hostile } from '../../../pdf/hostile';
import { deflated, rawPdf, type RawObjects, twoPages, withoutTable } from '../../../pdf/rawPdf';
import { leastEffortOf } from './effort';

const MB = 1_000_000;

test.each(Object.entries(hostile))('%s: time grows with the size', async (name, file) => {
	const efforts = [];
	const last = name.startsWith('the handler') ? 44 : 10;
	for (const size of [0.3, 1, last]) efforts.push(await leastEffortOf(file(size * MB)));
	for (const { longest } of efforts) expect(longest).toBeLessThan(1000);
	// What a file may take at all, and so much for each megabyte: several times what it takes, for slow and busy machines.
	expect(Math.max(efforts[0]!.total, efforts[1]!.total)).toBeLessThan(12_000);
	expect(efforts[2]!.total).toBeLessThan(12_000 + 1_200 * last);
});

const compressed = (data: Buffer, filter: string) =>
	rawPdf(twoPages({ content: { dict: `/Filter ${filter}`, data } }));

/** A page tree in an object stream, which is found by going through the file. */
function packedTree(kids: number): Buffer {
	const body = `<< /Type /Pages /Kids [${'3 0 R '.repeat(kids)}] >>`;
	const objects: RawObjects = {
		1: '<< /Type /Catalog /Pages 20 0 R >>',
		3: '<< /Type /Page /Parent 20 0 R >>',
		9: deflated(`20 0 ${body}`, '/Type /ObjStm /N 1 /First 5'),
	};
	return withoutTable(rawPdf(objects));
}

/** An object stream that is found by going through the file, with an index of this size in bytes. */
function longIndex(size: number): Buffer {
	const dict = `/Type /ObjStm /N ${size} /First ${size}`;
	const objects: RawObjects = { 9: deflated('1 '.repeat(size / 2), dict) };
	return withoutTable(rawPdf(objects));
}

function manyAnnotations(count: number): Buffer {
	const more: RawObjects = {};
	for (let number = 20; number < count + 20; number++) {
		more[number] = '<< /Subtype /Square /Rect [0 0 1 1] >>';
	}
	const list = Object.keys(more).map((number) => `${number} 0 R`);
	return rawPdf(twoPages({ first: `/Annots [${list.join(' ')}]`, more }));
}

const long = Buffer.alloc(300 * MB, 'q Q ');

test.each<[string, string, () => Buffer]>([
	[
		'a content of more than 64 MB',
		'tooComplex',
		() => compressed(deflateSync(long.subarray(0, 70 * MB)), '/FlateDecode'),
	],
	[
		'a content of 300 MB, compressed twice',
		'tooComplex',
		() => compressed(deflateSync(deflateSync(long)), '[/FlateDecode /FlateDecode]'),
	],
	[
		'millions of names in a content',
		'tooComplex',
		() => {
			const names = Array.from({ length: 3 * MB }, (_, index) => `/N${index}`).join(' ');
			return compressed(deflateSync(names), '/FlateDecode');
		},
	],
	[
		'one name, millions of times',
		'tooComplex',
		() => compressed(deflateSync(Buffer.alloc(60 * MB, '/a')), '/FlateDecode'),
	],
	['a page tree of millions of references', 'damaged', () => packedTree(4 * MB)],
	['a long index of an object stream', 'tooComplex', () => longIndex(15 * MB)],
	['30,000 annotations', 'cut', () => manyAnnotations(30_000)],
])('%s', async (_name, end, file) => {
	const effort = await leastEffortOf(file());
	expect(effort.end).toBe(end);
	expect(effort.total).toBeLessThan(15_000);
	// A quiet machine takes half of it.
	expect(effort.longest).toBeLessThan(1000);
});

test('a long entry that many pages inherit', async () => {
	const count = 300;
	const objects: RawObjects = {
		1: '<< /Type /Catalog /Pages 2 0 R >>',
		2: `<< /Type /Pages /CropBox [(${'x'.repeat(900_000)})] /Kids [${'3 0 R '.repeat(count)}] >>`,
		3: '<< /Type /Page >>',
	};
	const bundle = await opened(rawPdf(objects));
	const all = Array.from({ length: count }, (_, index) => index + 1);
	expect(await bundle.cut(all)).toBe('tooComplex');
	expect(await endOfCutting(bundle, [1, 2])).toBe('cut');
});
