import { deflateSync } from 'node:zlib';

import { openBundle } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import {
	everythingIn,
	form,
	type RawObject,
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

const link = (entries: string) => `<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] ${entries} >>`;
const widget = (entries: string) =>
	`<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] ${entries} >>`;
const untypedPage = { second: '/Type /Unknown' };
const signature = '<< /Type /Sig /Filter /Adobe.PPKLite /Contents <00> /Name (SECRET signer) >>';

const forms: TwoPages = {
	resources: '/XObject << /Fm1 20 0 R /Fm2 21 0 R >>',
	more: { 20: form('PUBLIC form'), 21: form('SECRET form') },
};
const withContent = (content: RawObject): TwoPages => ({ ...forms, content });
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
			...untypedPage,
			first: '/Annots [20 0 R]',
			more: { 20: link('/AA << /U << /S /GoTo /D [4 0 R /Fit] >> >>') },
		},
		'a page without a type, through an action after another': {
			...untypedPage,
			first: '/Annots [20 0 R]',
			more: { 20: link('/A << /S /URI /URI (x) /Next << /S /GoTo /D [4 0 R /Fit] >> >>') },
		},
		'a thread': {
			first: '/Annots [20 0 R]',
			more: { 20: link('/A << /S /Thread /D 21 0 R >>'), 21: '<< /I << /Title (SECRET) >> >>' },
		},
		'a document part that a link leads to': {
			first: '/Annots [20 0 R]',
			more: { 20: link('/A << /S /GoToDp /Dp 21 0 R >>'), 21: '<< /DPM << /N (SECRET) >> >>' },
		},
		'names of fields that an action hides': {
			first: '/Annots [20 0 R]',
			more: { 20: widget('/FT /Btn /T (a) /A << /S /Hide /T [(SECRET field)] >>') },
		},
		'layers that an action switches': {
			first: '/Annots [20 0 R]',
			more: {
				20: link('/A << /S /SetOCGState /State [/Toggle 21 0 R] >>'),
				21: '<< /Type /OCG /Name (SECRET layer) >>',
			},
		},
		'labels of layers': {
			catalog:
				'/OCProperties << /OCGs [20 0 R 21 0 R] /D << /Name (SECRET view) /Order [20 0 R [(SECRET label) 21 0 R]] >> >>',
			resources: '/Properties << /L1 20 0 R /L2 21 0 R >>',
			content: '/OC /L1 BDC EMC',
			more: { 20: '<< /Type /OCG /Name (Shown) >>', 21: '<< /Type /OCG /Name (SECRET layer) >>' },
		},
		'a file attached to an annotation': {
			first: '/Annots [20 0 R]',
			more: { 20: link('/AF [21 0 R]'), 21: '<< /F (SECRET.xml) >>' },
		},
		'a signature and its lock': {
			first: '/Annots [20 0 R]',
			catalog: '/AcroForm << /Fields [20 0 R] >>',
			more: {
				20: widget('/FT /Sig /T (sig) /V 21 0 R /Lock 22 0 R'),
				21: signature,
				22: '<< /Type /SigFieldLock /Fields [(SECRET field)] >>',
			},
		},
		'a signature whose type stands above it': {
			first: '/Annots [20 0 R]',
			catalog: '/AcroForm << /Fields [22 0 R] >>',
			more: {
				20: widget('/Parent 22 0 R /V 21 0 R'),
				21: signature,
				22: '<< /FT /Sig /T (sig) /Kids [20 0 R] >>',
			},
		},
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
		'content without what ends the compression': withContent({
			dict: '/Filter /FlateDecode',
			data: deflateSync(encoded).subarray(0, -6),
		}),
		'content with a filter that changes nothing': withContent({
			dict: '/Filter [/Crypt] /DecodeParms [<< /Name /Identity >>]',
			data: encoded,
		}),
		'content with a short name of its filter': withContent({
			dict: '/Filter /Fl',
			data: deflateSync(encoded),
		}),
		'content compressed twice': withContent({
			dict: '/Filter [/FlateDecode /FlateDecode]',
			data: deflateSync(deflateSync(encoded)),
		}),
		'content in hexadecimal digits': withContent({
			dict: '/Filter /ASCIIHexDecode',
			data: `${Buffer.from(encoded).toString('hex')}>`,
		}),
		'content with a predictor': withContent(predicted(encoded)),
	};

	test.each(Object.entries(cases))('%s', async (_name, file) => {
		const part = await firstPageOf(file);
		expect(part).not.toContain('SECRET');
		if (file.resources === forms.resources && file.content !== '') {
			expect(part).toContain('PUBLIC form');
		}
	});

	/** Rows of ten bytes, each the difference to the one above. */
	function predicted(text: string): RawObject {
		const rows: number[] = [];
		let above = Buffer.alloc(10);
		for (let at = 0; at < text.length; at += 10) {
			const row = Buffer.from(text.slice(at, at + 10).padEnd(10));
			rows.push(2, ...row.map((byte, index) => byte - above[index]!));
			above = row;
		}
		return {
			dict: '/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 10 >>',
			data: deflateSync(Buffer.from(rows)),
		};
	}
});

test('content with a filter that nobody knows makes the part damaged', async () => {
	const bundle = await openBundle(
		rawPdf(twoPages(withContent({ dict: '/Filter /UnknownDecode', data: 'x' }))),
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
			'by a name with a number sign',
			{ resources: '/XObject << /A#2341 22 0 R >>', content: '/A#2341 Do', more: inner },
		],
		[
			'by a name with escapes in small letters',
			{ resources: '/XObject << /A#c3 22 0 R >>', content: '/A\xc3 Do', more: inner },
		],
		[
			'by a content that is a form as well',
			{
				resources: '/XObject << /Fm1 6 0 R /Fm2 22 0 R >>',
				content: {
					dict: '/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /Fm2 7 0 R >> >>',
					data: `${shows('PUBLIC')} /Fm2 Do`,
				},
				more: inner,
			},
		],
	])('%s', async (_name, file) => {
		expect(await firstPageOf(file)).toContain('INNER');
	});

	test('a layer without a type stays hidden', async () => {
		const part = await firstPageOf({
			catalog: '/OCProperties << /OCGs [20 0 R] /D << /OFF [20 0 R] >> >>',
			resources: '/Properties << /L1 20 0 R >>',
			content: '/OC /L1 BDC EMC',
			more: { 20: '<< /Name (Hidden) >>' },
		});
		const layer = /(\d+) 0 R/.exec(/\/OFF \[([^\]]*)\]/.exec(part.replace(/\s+/g, ' '))?.[1] ?? '');
		expect(layer).not.toBeNull();
	});
});
