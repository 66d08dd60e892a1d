import { deflateSync } from 'node:zlib';

import { openBundle } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import {
	deflated,
	everythingIn,
	form,
	type RawObject,
	type RawObjects,
	rawPdf,
	shows,
	type TwoPages,
	twoPages,
} from '../../../pdf/rawPdf';

/** The part of page 1 as text. */
async function firstPageOf(file: TwoPages): Promise<string> {
	const bundle = await openBundle(rawPdf(twoPages(file)));
	if (typeof bundle === 'string') throw new Error(`It cannot be cut: ${bundle}.`);
	const part = await bundle.cut([1]);
	if (typeof part === 'string') throw new Error(`There is no part: ${part}.`);
	return everythingIn(part);
}

const annotation = (entries: string): Pick<TwoPages, 'first'> & { more: RawObjects } => ({
	first: '/Annots [20 0 R]',
	more: { 20: `<< /Subtype /Widget /Rect [0 0 9 9] ${entries} >>` },
});

const forms: TwoPages = {
	resources: '/XObject << /Fm1 20 0 R /Fm2 21 0 R >>',
	more: { 20: form('PUBLIC form'), 21: form('SECRET form') },
};
const encoded = `${shows('PUBLIC')} /Fm1 Do`;

describe('Nothing of page 2 is in the part of page 1', () => {
	const cases: Record<string, TwoPages> = {
		'a plain file': {},
		'document parts': {
			first: '/DPart 20 0 R',
			more: {
				20: '<< /Type /DPart /Parent 22 0 R /Start 3 0 R >>',
				21: '<< /Type /DPart /Parent 22 0 R /DPM << /Name (SECRET customer) >> >>',
				22: '<< /DParts [[20 0 R 21 0 R]] >>',
			},
		},
		'an entry that nobody knows': {
			first: '/PageIndex 20 0 R',
			more: { 20: '<< /All [(SECRET index)] >>' },
		},
		'a page without a type, through an event of an annotation': {
			second: '/Type /Unknown',
			...annotation('/AA << /U << /S /GoTo /D [4 0 R /Fit] >> >>'),
		},
		'a page without a type, through its content': {
			second: '/Type /Unknown',
			resources: '/Properties << /P1 << /Page 4 0 R >> >>',
			content: '/Tag /P1 BDC EMC',
		},
		'an action': annotation('/A << /S /Hide /T [(SECRET field)] >>'),
		'the other places and the value of a field': {
			...annotation(
				'/FT /Sig /Parent << /Kids [4 0 R] /V (SECRET value) >> /V << /Name (SECRET) >>',
			),
		},
		'a field, through a content': {
			resources: '/Properties << /P1 << /Field 20 0 R >> >>',
			content: '/Tag /P1 BDC EMC',
			more: { 20: '<< /FT /Tx /T (SECRET field) >>' },
		},
		'labels of layers': {
			catalog:
				'/OCProperties << /OCGs [20 0 R 21 0 R] /D << /Name (SECRET view) /Order [20 0 R [(SECRET label) 21 0 R]] >> >>',
			resources: '/Properties << /L1 20 0 R /L2 21 0 R >>',
			content: '/OC /L1 BDC EMC',
			more: { 20: '<< /Type /OCG /Name (Shown) >>', 21: '<< /Type /OCG /Name (SECRET layer) >>' },
		},
		'a file attached to an annotation': annotation('/AF [<< /F (SECRET.xml) >>]'),
		'a form of the same name as a font': {
			...forms,
			resources: '/Font << /F1 5 0 R /R2 5 0 R >> /XObject << /R1 20 0 R /R2 21 0 R >>',
			content: 'BT /R2 9 Tf (x) Tj ET /R1 Do',
		},
		'a form whose name begins like a default color space': {
			...forms,
			resources: '/XObject << /Fm1 20 0 R /Default2 21 0 R >>',
			content: '/Fm1 Do',
		},
		'content with a short name of its filter': {
			...forms,
			content: { dict: '/Filter /Fl', data: deflateSync(encoded) },
		},
	};

	test.each(Object.entries(cases))('%s', async (_name, file) => {
		const part = await firstPageOf(file);
		expect(part).not.toContain('SECRET');
		if (file.resources === forms.resources && file.content !== '') {
			expect(part).toContain('PUBLIC form');
		}
	});
});

describe('What a content names is found', () => {
	const data = deflateSync(encoded);

	test.each<[string, RawObject]>([
		[
			'without what ends the compression',
			{ dict: '/Filter /FlateDecode', data: data.subarray(0, -6) },
		],
		['with a filter that changes nothing', { dict: '/Filter [/Crypt]', data: encoded }],
		['compressed twice', { dict: '/Filter [/FlateDecode /FlateDecode]', data: deflateSync(data) }],
		[
			'in hexadecimal digits',
			{ dict: '/Filter /ASCIIHexDecode', data: `${Buffer.from(encoded).toString('hex')}>` },
		],
		['with predictors', predicted(encoded)],
	])('%s', async (_name, content) => {
		const part = await firstPageOf({ ...forms, content });
		expect(part).toContain('PUBLIC form');
		expect(part).not.toContain('SECRET');
	});

	test('at the end of half a megabyte', async () => {
		const content = deflated(`${encoded}${' q Q'.repeat(130_000)} /Fm2 Do`);
		expect(await firstPageOf({ ...forms, content })).toContain('SECRET');
	});

	/** Rows of ten bytes by each of PNG's predictors in turn. */
	function predicted(text: string): RawObject {
		const rows: number[] = [];
		let above = Buffer.alloc(10);
		for (let at = 0; at < text.length; at += 10) {
			const row = Buffer.from(text.slice(at, at + 10).padEnd(10));
			const kind = (at / 10) % 5;
			rows.push(kind);
			row.forEach((byte, index) => {
				const [left, up, corner] = [row[index - 1] ?? 0, above[index]!, above[index - 1] ?? 0];
				rows.push((byte - [0, left, up, (left + up) >> 1, paeth(left, up, corner)][kind]!) & 255);
			});
			above = row;
		}
		return {
			dict: '/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 10 >>',
			data: deflateSync(Buffer.from(rows)),
		};
	}

	function paeth(left: number, up: number, corner: number): number {
		const distance = (value: number) => Math.abs(left + up - corner - value);
		return [left, up, corner].reduce((best, one) => (distance(one) < distance(best) ? one : best));
	}
});

test('content with a filter that nobody knows makes the part damaged', async () => {
	const bundle = await openBundle(
		rawPdf(twoPages({ content: { dict: '/Filter /UnknownDecode', data: 'x' } })),
	);
	if (typeof bundle === 'string') throw new Error(bundle);
	expect(await bundle.cut([1])).toBe('damaged');
	expect(Buffer.isBuffer(await bundle.cut([2]))).toBe(true);
});

describe('What a page uses is in its part', () => {
	const inner = { 22: form('INNER') };

	test.each<[string, TwoPages]>([
		[
			'through a form without resources in a form that has some',
			{
				resources: '/XObject << /Fm1 20 0 R /Fm2 22 0 R >>',
				content: '/Fm1 Do',
				more: {
					...inner,
					20: {
						dict: '/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /Fm3 21 0 R >> >>',
						data: '/Fm3 Do',
					},
					21: { dict: '/Subtype /Form /BBox [0 0 9 9]', data: '/Fm2 Do' },
				},
			},
		],
		[
			'through a drawn font without resources in a form that has some',
			{
				resources: '/XObject << /Fm1 20 0 R /Fm2 22 0 R >>',
				content: '/Fm1 Do',
				more: {
					...inner,
					20: {
						dict: '/Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /T3 21 0 R >> >>',
						data: 'BT /T3 9 Tf (A) Tj ET',
					},
					21: '<< /Type /Font /Subtype /Type3 /CharProcs << /A 23 0 R >> >>',
					23: { data: '1 0 d0 /Fm2 Do' },
				},
			},
		],
		[
			'through a drawn font of a graphics state',
			{
				resources: '/ExtGState << /G1 << /Font [21 0 R 9] >> >> /XObject << /Fm2 22 0 R >>',
				content: '/G1 gs BT (A) Tj ET',
				more: {
					...inner,
					21: '<< /Type /Font /Subtype /Type3 /CharProcs << /A 23 0 R >> >>',
					23: { data: '1 0 d0 /Fm2 Do' },
				},
			},
		],
		[
			'by a name after what looks like a text in an image',
			{
				resources: '/XObject << /Fm2 22 0 R >>',
				content: 'BI /W 1 ID (\xff\\ EI /Fm2 Do',
				more: inner,
			},
		],
		[
			'by a name far before its operator',
			{
				resources: '/XObject << /Fm2 22 0 R >>',
				content: `/Fm2${' '.repeat(100)}Do`,
				more: inner,
			},
		],
		[
			'by a name with escapes in small letters',
			{ resources: '/XObject << /A#c3 22 0 R >>', content: '/A\xc3 Do', more: inner },
		],
	])('%s', async (_name, file) => {
		expect(await firstPageOf(file)).toContain('INNER');
	});
});
