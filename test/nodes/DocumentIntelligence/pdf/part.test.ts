import { deflateSync } from 'node:zlib';

import { openBundle } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { corpus } from '../../../pdf/corpus';
import { endOfCutting, opened, partOf } from '../../../pdf/cutting';
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
	withoutTable,
} from '../../../pdf/rawPdf';

/** The part of page 1 as text. */
const firstPageOf = async (file: TwoPages) =>
	everythingIn(await partOf(await opened(rawPdf(twoPages(file))), [1]));

const annotation = (entries: string): Pick<TwoPages, 'first'> & { more: RawObjects } => ({
	first: '/Annots [20 0 R]',
	more: { 20: `<< /Subtype /Widget /Rect [0 0 9 9] ${entries} >>` },
});

const forms: TwoPages = {
	resources: '/XObject << /Fm1 20 0 R /Fm2 21 0 R >>',
	more: { 20: form('PUBLIC form'), 21: form('SECRET form') },
};

/** A form that draws this; without resources of its own unless given. */
const drawing = (data: string, resources?: string): RawObject => ({
	dict: `/Subtype /Form /BBox [0 0 9 9] ${resources === undefined ? '' : `/Resources << ${resources} >>`}`,
	data,
});

/** A font whose glyph A is object 23. */
const DRAWN_FONT = '<< /Type /Font /Subtype /Type3 /CharProcs << /A 23 0 R >> >>';

async function expectOnlySecondPage(file: Buffer): Promise<void> {
	const bundle = await opened(file);
	expect(await bundle.cut([1])).toBe('damaged');
	expect(await endOfCutting(bundle, [2])).toBe('cut');
}

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
		...annotation('/FT /Sig /Parent << /Kids [4 0 R] /V (SECRET value) >> /V << /Name (SECRET) >>'),
	},
	'a field and an annotation, through a content': {
		resources: '/Properties << /P1 << /Field 20 0 R /Note 21 0 R >> >>',
		content: '/Tag /P1 BDC EMC',
		more: {
			20: '<< /FT /Tx /T (SECRET field) >>',
			21: '<< /Subtype /Text /Rect [0 0 9 9] /Contents (SECRET note) >>',
		},
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
};

test.each(Object.entries(cases))(
	'nothing of page 2 is in the part of page 1: %s',
	async (_name, file) => {
		const part = await firstPageOf(file);
		expect(part).not.toContain('SECRET');
		if (file.resources === forms.resources && file.content !== '') {
			expect(part).toContain('PUBLIC form');
		}
	},
);

describe('What a content names is found', () => {
	// Up to its last bytes, which are the name.
	const last = `${shows('PUBLIC')} /Fm1`;
	const data = deflateSync(last);
	const incompressible = Array.from({ length: 3000 }, (_, index) => Math.sin(index)).join(' ');

	// In the fifth row, two of the bytes around predict the second one, the first of the name, equally well.
	const withTie = (above: string) => `${' '.repeat(30)}${above}${' '.repeat(8)}/Fm1 Do`;

	test.each<[string, RawObject]>([
		['without a filter', { data: last }],
		['compressed', deflated(last)],
		['compressed to many kilobytes', deflated(`${incompressible} ${last}`)],

		[
			'without what ends the compression',
			{ dict: '/Filter /FlateDecode', data: deflateSync(`${last} Do`).subarray(0, -6) },
		],
		['with a filter that changes nothing', { dict: '/Filter [/Crypt]', data: last }],
		['compressed twice', { dict: '/Filter [/FlateDecode /FlateDecode]', data: deflateSync(data) }],
		['with a short name of the filter', { dict: '/Filter /Fl', data }],
		[
			'in hexadecimal digits',
			{ dict: '/Filter /ASCIIHexDecode', data: `${Buffer.from(last).toString('hex')}>` },
		],
		[
			'with lengths of runs',
			{
				dict: '/Filter /RunLengthDecode',
				data: Buffer.from([last.length - 1, ...Buffer.from(last), 128]),
			},
		],
		['with predictors', predicted(`${last} Do`)],
		['with predictors left and in the corner that are equally good', predicted(withTie(')&'))],
		['with predictors above and in the corner that are', predicted(withTie('* '))],
		['with predictors, in a row that is not full', predicted(last.padStart(51), 1)],
		['with codes of LZW', lzw(last.padStart(400), 1)],
		['with codes of LZW that grow late', lzw(last.padStart(400), 0)],
		[
			'with parameters that change nothing',
			{
				dict: '/Filter /FlateDecode /DecodeParms << /Predictor 1 /Colors 3 /Columns 1.5 >>',
				data,
			},
		],
	])('%s', async (_name, content) => {
		const part = await firstPageOf({ ...forms, content });
		expect(part).toContain('PUBLIC form');
		expect(part).not.toContain('SECRET');
	});

	test('at the end of half a megabyte', async () => {
		const content = deflated(`${last} Do${' q Q'.repeat(130_000)} /Fm2 Do`);
		expect(await firstPageOf({ ...forms, content })).toContain('SECRET');
	});

	/** A code for each character, of ten bits after the table has 511 or 512 entries (ISO 32000-1, 7.4.4.2). */
	function lzw(text: string, earlyChange: number): RawObject {
		const codes = [...Buffer.from(text, 'latin1'), 257].map((code, index) =>
			code.toString(2).padStart(257 + index + earlyChange < 512 ? 9 : 10, '0'),
		);
		const bytes = ['100000000', ...codes].join('').match(/.{1,8}/g) ?? [];
		return {
			dict: `/Filter /LZWDecode /DecodeParms << /EarlyChange ${earlyChange} >>`,
			data: Buffer.from(bytes.map((byte) => parseInt(byte.padEnd(8, '0'), 2))),
		};
	}

	/** Rows of ten bytes by each of PNG's predictors in turn; of the last row, only the first bytes. */
	function predicted(text: string, lastRow = 10): RawObject {
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
			data: deflateSync(Buffer.from(rows).subarray(0, rows.length - 10 + lastRow)),
		};
	}

	function paeth(left: number, up: number, corner: number): number {
		const distance = (value: number) => Math.abs(left + up - corner - value);
		return [left, up, corner].reduce((best, one) => (distance(one) < distance(best) ? one : best));
	}
});

describe('Content with a filter that is not understood makes the part damaged', () => {
	const data = deflateSync(shows('PUBLIC'));

	const withParameters = (parameters: string) =>
		`/Filter /FlateDecode /DecodeParms << ${parameters} >>`;

	test.each<[string, string]>([
		['a filter that nobody knows', '/Filter /UnknownDecode'],
		['differences of TIFF', withParameters('/Predictor 2')],
		['a predictor that nobody knows', withParameters('/Predictor 16')],
		['several colors', withParameters('/Predictor 15 /Colors 3')],
		['samples of four bits', withParameters('/Predictor 15 /BitsPerComponent 4')],
		['rows of a fraction of a byte', withParameters('/Predictor 15 /Columns 1.5')],
		['rows without bytes', withParameters('/Predictor 15 /Columns 0')],
		['a parameter that is no number', withParameters('/Predictor (2)')],
		['nine filters', `/Filter [${'/FlateDecode '.repeat(9)}]`],
	])('%s', async (_name, dict) => {
		await expectOnlySecondPage(rawPdf(twoPages({ ...forms, content: { dict, data } })));
	});

	test('content that is not enciphered in an encrypted file', async () => {
		const file = corpus['opens without a password, RC4 128']!.file().toString('latin1');
		const crypt = file.replace('/Filter /FlateDecode', '/Filter [/Crypt /FlateDecode]');
		await expectOnlySecondPage(withoutTable(Buffer.from(crypt, 'latin1')));
	});

	test.each(['/DecodeParms << /Predictor 2 >>', '/Filter [/FlateDecode /UnknownDecode]'])(
		'objects of a file without a table that are packed with %s: the file',
		async (dict) => {
			const font = '5 0 << /Type /Font /Subtype /Type1 /BaseFont /Times-Bold >>';
			const objects: RawObjects = {
				...twoPages(),
				20: {
					dict: `/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode ${dict}`,
					data: deflateSync(font),
				},
			};
			delete objects[5];
			expect(await openBundle(withoutTable(rawPdf(objects)))).toBe('damaged');
		},
	);
});

test.each<[string, TwoPages]>([
	['the resources of a page', { first: '/Resources 20 0 R' }],
	['the annotations of a page', { first: '/Annots 20 0 R' }],
	['the fonts among the resources', { first: '/Resources << /Font 20 0 R >>' }],
	[
		'the resources of a form',
		{
			resources: '/XObject << /Fm1 21 0 R >>',
			content: '/Fm1 Do',
			more: { 21: form('PUBLIC form', '/Resources 20 0 R') },
		},
	],
])('a page is not cut without what cannot be read: %s', async (_name, file) => {
	const more = { ...file.more, 20: '<< /Font ) >>' };
	await expectOnlySecondPage(rawPdf(twoPages({ ...file, more })));
});

describe('Names of states and glyphs are not entries', () => {
	const looks = '/AF 22 0 R /FT 22 0 R /Resources 22 0 R /Metadata 22 0 R';
	const inDrawnFont = { resources: '/Font << /T3 20 0 R >>', content: 'BT /T3 9 Tf (A) Tj ET' };

	test.each<[string, TwoPages]>([
		['states of a checkbox', annotation(`/AS /AF /AP << /N << ${looks} >> >>`)],
		['states of a checkbox in an object of their own', annotation('/AS /FT /AP << /N 21 0 R >>')],
		[
			'glyphs',
			{ ...inDrawnFont, more: { 20: '<< /Type /Font /Subtype /Type3 /CharProcs 21 0 R >>' } },
		],
	])('%s', async (_name, file) => {
		const more = { ...file.more, 21: `<< ${looks} >>`, 22: { data: '0 0 m % TICK' } };
		const part = await firstPageOf({ ...file, more });
		expect(part).toContain('TICK');
		for (const name of ['AF', 'FT', 'Resources', 'Metadata'])
			expect(part).toMatch(new RegExp(`/${name} \\d+ 0 R`));
	});

	test.each<[string, RawObject]>([
		['of a form', form('PUBLIC form', '/AF 22 0 R /Metadata 22 0 R')],
		['of a drawn font', '<< /Subtype /Type3 /AF 22 0 R /Metadata 22 0 R >>'],
		['of a dictionary with a type', '<< /Type /ExtGState /AF 22 0 R /Metadata 22 0 R >>'],
	])('but entries %s are', async (_name, object) => {
		const part = await firstPageOf({
			resources: '/XObject << /X1 20 0 R >>',
			content: '/X1 Do',
			more: { 20: object, 22: { data: 'SECRET file' } },
		});
		expect(part).toContain('/X1');
		expect(part).not.toContain('SECRET');
	});
});

describe('What a page uses is in its part', () => {
	const inner = { 22: form('INNER') };

	test('the color spaces that stand for those of devices, although no content names them', async () => {
		const part = await firstPageOf({
			resources: '/ColorSpace << /DefaultRGB 20 0 R /Unused 21 0 R >>',
			content: '1 0 0 rg 0 0 9 9 re f',
			more: { 20: '[/CalRGB << /WhitePoint [1 1 1] /Note (OF DEVICES) >>]', 21: '[/UNUSED]' },
		});
		expect(part).toContain('OF DEVICES');
		expect(part).not.toContain('UNUSED');
	});

	test('a name with escapes, text with escaped and balanced brackets, and what stands after it', async () => {
		const text = String.raw`(one \) two \\) /T (an (inner) text)`;
		const part = await firstPageOf({
			first: '/Annots [20 0 R]',
			more: { 20: `<< /Subtype /Text /Rect [0 0 9 9] /Name /No#23#201 /Contents ${text} >>` },
		});
		for (const expected of ['/No#23#201', String.raw`(one \) two \\)`, '(an (inner) text)'])
			expect(part).toContain(expected);
	});

	/** The content draws object 20, and object 22 is what has to be found. */
	const drawn = (more: RawObjects): TwoPages => ({
		resources: '/XObject << /Fm1 20 0 R /Fm2 22 0 R >>',
		content: '/Fm1 Do',
		more: { ...inner, ...more },
	});
	const named = (content: string): TwoPages => ({
		resources: '/XObject << /Fm2 22 0 R >>',
		content,
		more: inner,
	});
	const glyph = { data: '1 0 d0 /Fm2 Do' };

	test.each<[string, TwoPages]>([
		[
			'through a form without resources in a form that has some',
			drawn({ 20: drawing('/Fm3 Do', '/XObject << /Fm3 21 0 R >>'), 21: drawing('/Fm2 Do') }),
		],
		[
			'by a form whose resources lack it',
			drawn({ 20: drawing('/Fm2 Do', '/XObject << /Fm3 5 0 R >>') }),
		],
		[
			'by a form without resources, whether readers search those of the page or of the form around it',
			drawn({
				20: drawing('/Fm3 Do', '/XObject << /Fm3 21 0 R /Fm2 23 0 R >>'),
				21: drawing('/Fm2 Do'),
				23: form('AROUND'),
			}),
		],
		[
			'through a drawn font without resources in a form that has some',
			drawn({
				20: drawing('BT /T3 9 Tf (A) Tj ET', '/Font << /T3 21 0 R >>'),
				21: DRAWN_FONT,
				23: glyph,
			}),
		],
		[
			'through a drawn font of a graphics state',
			{
				resources: '/ExtGState << /G1 << /Font [21 0 R 9] >> >> /XObject << /Fm2 22 0 R >>',
				content: '/G1 gs BT (A) Tj ET',
				more: { ...inner, 21: DRAWN_FONT, 23: glyph },
			},
		],
		[
			'through the mask of a graphics state',
			{
				resources: '/ExtGState << /G1 << /SMask << /G 21 0 R >> >> >> /XObject << /Fm2 22 0 R >>',
				content: '/G1 gs',
				more: { ...inner, 21: drawing('/Fm2 Do') },
			},
		],
		['by a name after what looks like a text in an image', named('BI /W 1 ID (\xff\\ EI /Fm2 Do')],
		['by a name far before its operator', named(`/Fm2${' '.repeat(100)}Do`)],
		[
			'by a name with escapes in small letters',
			{ resources: '/XObject << /A#c3 22 0 R >>', content: '/A\xc3 Do', more: inner },
		],
	])('%s', async (_name, file) => {
		expect(await firstPageOf(file)).toContain('INNER');
	});

	test.each([
		['whose resources lack it', '', ''],
		['without resources', undefined, '/In 23 0 R'],
	])('on each of two pages that draw one form in a form, %s', async (_name, resources, around) => {
		const resourcesOf = (inner: number) =>
			`/Resources << /XObject << /Fm1 20 0 R /In ${inner} 0 R >> >>`;
		const objects = twoPages({
			first: resourcesOf(24),
			second: resourcesOf(25),
			content: '/Fm1 Do',
			secondContent: '/Fm1 Do',
			more: {
				20: drawing('/Fm3 Do', `/XObject << /Fm3 21 0 R ${around} >>`),
				21: drawing('/In Do', resources),
				23: form('AROUND'),
				24: form('INNER first'),
				25: form('INNER second'),
			},
		});
		const part = await partOf(await opened(rawPdf(objects)), [1, 2]);
		expect(everythingIn(part)).toMatch(/INNER first[^]*INNER second/);
	});

	test('a layer that the file lists without a type', async () => {
		const part = await firstPageOf({
			catalog: '/OCProperties << /OCGs [20 0 R] /D << /OFF [20 0 R] >> >>',
			resources: '/Properties << /L1 20 0 R >>',
			content: '/OC /L1 BDC EMC',
			more: { 20: '<< /Name (Hidden) >>' },
		});
		const layer = /\/L1 (\d+ 0 R)/.exec(part)?.[1] ?? '';
		expect(part).toContain(`/OCGs [${layer}]`);
		expect(part).toContain(`/OFF [${layer}]`);
	});

	test.each<[string, TwoPages]>([
		// Without exponents, which PDF does not have.
		['/UserUnit 0.0000001', { first: '/UserUnit 0.0000001' }],
		['/Lang (de-DE)', { catalog: '/Lang (de-DE)' }],
	])('%s', async (entry, file) => expect(await firstPageOf(file)).toContain(entry));

	test('in the resources of the form that draws it', async () => {
		const part = await firstPageOf({
			resources: '/XObject << /Fm1 20 0 R >>',
			content: '/Fm1 Do',
			more: { ...inner, 20: drawing('/Fm2 Do', '/XObject << /Fm2 22 0 R >>') },
		});
		const resources = /\[0 0 9 9\][^>]*\/Resources (\d+) 0 R/.exec(part)?.[1];
		expect(part).toMatch(new RegExp(`\\n${resources} 0 obj\\n<</XObject <</Fm2 \\d+ 0 R>>>>`));
	});
});
