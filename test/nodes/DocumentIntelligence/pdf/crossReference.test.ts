import { deflateSync } from 'node:zlib';

import { openBundle } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { corpus } from '../../../pdf/corpus';
import {
	everythingIn,
	form,
	type RawObject,
	type RawObjects,
	rawPdf,
	shows,
	twoPages,
} from '../../../pdf/rawPdf';

async function partOf(file: Buffer): Promise<Buffer> {
	const bundle = await openBundle(file);
	if (typeof bundle === 'string') throw new Error(`It cannot be cut: ${bundle}.`);
	const part = await bundle.cut([1]);
	if (typeof part === 'string') throw new Error(`There is no part: ${part}.`);
	return part;
}

const contentOfPart = async (file: Buffer) => everythingIn(await partOf(file));

describe('Only what the tables name is in a file', () => {
	test('not a copy of a content that stands later', async () => {
		const file = rawPdf(twoPages(), { stale: [[6, { data: shows('SECRET and stale') }]] });
		const part = await contentOfPart(file);
		expect(part).toContain('PUBLIC');
		expect(part).not.toContain('SECRET');
	});

	test('not an object that is free', async () => {
		const objects = twoPages({
			first: '/Annots [20 0 R]',
			more: { 20: '<< /Subtype /Text /Rect [0 0 9 9] /Contents (SECRET and deleted) >>' },
		});
		expect(await contentOfPart(rawPdf(objects))).toContain('deleted');
		expect(await contentOfPart(rawPdf(objects, { free: [20] }))).not.toContain('SECRET');
	});

	test('not what an update freed', async () => {
		const objects = twoPages({
			first: '/Annots [20 0 R]',
			more: { 20: '<< /Subtype /Text /Rect [0 0 9 9] /Contents (SECRET and deleted) >>' },
		});
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
		const objects = twoPages();
		const font = '5 0 << /Type /Font /Subtype /Type1 /BaseFont /Times-Bold >>';
		const packed = { dict: '/Type /ObjStm /N 1 /First 4', data: font };
		const withPacked: RawObjects = { ...objects, 20: packed };
		delete withPacked[5];
		const plain = rawPdf(withPacked).toString('latin1');
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

	test('and where a table leads nowhere, the file is gone through', async () => {
		const objects = twoPages({
			resources: '/XObject << /Fm1 20 0 R >>',
			content: '/Fm1 Do',
			more: { 20: form('PUBLIC form') },
		});
		// Only what page 1 shows is named wrongly, so that it is noticed when that is cut.
		const file = rawPdf(objects).toString('latin1');
		const offset = String(file.indexOf('\n20 0 obj') + 1).padStart(10, '0');
		const spoilt = Buffer.from(file.replace(`${offset} 00000 n`, '0000000030 00000 n'), 'latin1');
		expect(await contentOfPart(spoilt)).toContain('PUBLIC form');
	});

	test('and tables that lead in circles end', async () => {
		const file = rawPdf(twoPages()).toString('latin1');
		const start = /startxref\n(\d+)/.exec(file)?.[1];
		const looped = file.replace('/Root', `/Prev ${start} /Root`);
		expect(await openBundle(Buffer.from(looped, 'latin1'))).toMatchObject({ pageCount: 2 });
	});
});

describe('A stream whose length is an object of its own', () => {
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
	])('%s: it has all of its bytes', async (_name, data) => {
		const part = await partOf(withData(data));
		expect(part.includes(Buffer.concat([data, Buffer.from('\nendstream')]))).toBe(true);
		expect(part.toString('latin1')).toContain(`/Length ${data.length}`);
	});
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
