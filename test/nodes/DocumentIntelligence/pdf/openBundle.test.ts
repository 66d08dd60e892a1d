import {
	MAX_BUNDLE_BYTES,
	openBundle,
} from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { corpus, noise, textOfPage } from '../../../pdf/corpus';
import { endOfCutting, opened, partOf } from '../../../pdf/cutting';
import { everythingIn, rawPdf, twoPages } from '../../../pdf/rawPdf';
import { type PageContent, PdfReader } from '../../../pdf/reader';

let reader: PdfReader;
beforeAll(() => {
	reader = new PdfReader();
});
afterAll(() => reader.stop());

const fileOf = (name: string) => corpus[name]!.file();

const partOfFile = async (name: string, pages: number[]) =>
	await partOf(await opened(fileOf(name)), pages);

const read = async (name: string, pages: number[]) =>
	await reader.read(await partOfFile(name, pages));

const readable = Object.entries(corpus).filter(([, { ending }]) => ending === 'cut');
const unreadable = Object.entries(corpus).filter(([, { ending }]) => ending !== 'cut');

describe('A file that can be cut', () => {
	/** pdf.js repairs less than the library does: these it cannot compare with. */
	const ONLY_THE_LIBRARY_READS = ['no table at all', 'no table at all, object streams'];

	test.each(readable)(
		'%s: the pages asked for, as they were',
		async (name, { file, pages }) => {
			const bundle = await opened(file());
			expect(bundle.pageCount).toBe(pages);
			const wanted = [...new Set([2, 3, bundle.pageCount])];
			const part = await reader.read(await partOf(bundle, wanted));
			expect(part.pages.map(({ text }) => text.split('  ')[0])).toEqual(
				wanted.map((number) => expect.stringContaining(textOfPage(number)) as string),
			);
			if (ONLY_THE_LIBRARY_READS.includes(name)) return;
			const whole = await reader.read(file(), wanted);
			expect(part.pages.map(lookOf)).toEqual(whole.pages.map(lookOf));
		},
		60_000,
	);

	/** All that is drawn. A field becomes an annotation of another kind, and notes open without their windows. */
	function lookOf(page: PageContent) {
		const shown = page.annotations.filter(({ subtype }) => subtype !== 'Popup');
		return { ...page, annotations: shown.map((one) => ({ ...one, subtype: undefined })) };
	}

	test.each([
		{ asked: [3, 1, 3], got: [3, 1, 3] },
		{ asked: [0, 2, 7, 1000], got: [2] },
		{ asked: [-1, 1.5, Number.NaN, 6], got: [6] },
	])(
		'gives the pages $asked in this order, without those that are not there',
		async ({ asked, got }) => {
			const { pages } = await read('plain', asked);
			expect(pages.map(({ text }) => text)).toEqual(got.map(textOfPage));
		},
	);

	test('makes no part without pages', async () => {
		const bundle = await opened(fileOf('plain'));
		for (const asked of [[], [0], [7, 8]]) expect(await bundle.cut(asked)).toBe('noPages');
	});

	test('is not changed, so that its parts are cut one after the other', async () => {
		const file = fileOf('form fields');
		const before = Buffer.from(file);
		const bundle = await opened(file);
		const first = await partOf(bundle, [1]);
		await partOf(bundle, [2, 4]);
		expect((await partOf(bundle, [1])).equals(first)).toBe(true);
		expect(file.equals(before)).toBe(true);
	});

	test('becomes parts whose tables lead to their objects, which readers would repair in silence', async () => {
		const part = (await partOfFile('links, outlines and names', [2])).toString('latin1');
		const [, rows = ''] = /\nxref\n0 \d+\n0{10} 65535 f \n([^]*)trailer/.exec(part) ?? [];
		const offsets = [...rows.matchAll(/(\d{10}) 00000 n \n/g)].map(([, offset]) => Number(offset));
		expect(offsets.length).toBeGreaterThan(5);
		for (const [at, offset] of offsets.entries())
			expect(part.startsWith(`${at + 1} 0 obj\n`, offset)).toBe(true);
		const [, start] = /startxref\n(\d+)\n%%EOF\n$/.exec(part) ?? [];
		expect(part.startsWith('xref\n', Number(start))).toBe(true);
	});

	test('opens for everyone where it opened without a password', async () => {
		const part = await partOfFile('opens without a password, AES 256', [1]);
		expect(part.includes('/Encrypt')).toBe(false);
	});
});

describe('A file that cannot be cut', () => {
	test.each(unreadable)('%s', async (_name, { file, ending }) => {
		expect(await openBundle(file())).toBe(ending);
	});

	test('over the bounds', async () => {
		const over = (bytes: number, name: string) =>
			Buffer.concat([fileOf(name), Buffer.alloc(bytes)]);
		expect(await openBundle(over(MAX_BUNDLE_BYTES, 'plain'))).toBe('tooLarge');
		const encrypted = over(50 * 1024 * 1024, 'opens without a password, AES 128');
		expect(await openBundle(encrypted)).toBe('tooLargeEncrypted');
	}, 60_000);

	const spoilt = (name: string, pattern: RegExp | string, by: string) =>
		Buffer.from(fileOf(name).toString('latin1').replace(pattern, by), 'latin1');

	test.each<[string, Buffer, string]>([
		[
			'a page that cannot be found: the pages after it would be others',
			spoilt('plain', '\n4 0 obj', '\n4 0 obx'),
			'damaged',
		],
		[
			'an enciphered file whose trailer is lost: its pages would be noise',
			spoilt('opens without a password, AES 128', /trailer[^]*$/, ''),
			'locked',
		],
		[
			'a font that cannot be read: the pages that use it are not cut without it',
			spoilt('shared resources', '/BaseFont /LiberationSans ', '/BaseFont /Liberation ) Sans '),
			'damaged',
		],
	])('%s', async (_name, file, end) => {
		expect(await endOfCutting(await openBundle(file), [1])).toBe(end);
	});

	test('however it is damaged, it is cut or the reason is told', async () => {
		const names = ['plain', 'object streams', 'form fields', 'links, outlines and names', 'layers'];
		const ends = new Map<string, number>();
		for (const name of names) {
			const file = fileOf(name);
			for (let round = 0; round < 30; round++) {
				const random = noise(12, `${name} ${round}`);
				const spoilt = Buffer.from(file);
				for (let byte = 0; byte < 12; byte += 4)
					spoilt[random.readUInt32BE(byte) % file.length] = Number(random[byte + 3]);
				const length = round % 3 === 0 ? random.readUInt32BE(0) % file.length : file.length;
				const bundle = await openBundle(spoilt.subarray(0, length));
				const last = typeof bundle === 'string' ? 1 : bundle.pageCount;
				const end = await endOfCutting(bundle, [1, 2, last]);
				ends.set(end, (ends.get(end) ?? 0) + 1);
			}
		}
		// Both ways are taken often.
		expect(ends.get('cut')).toBeGreaterThan(30);
		expect(ends.get('damaged')).toBeGreaterThan(10);
		expect(['cut', 'damaged', 'notPdf', 'locked']).toEqual(
			expect.arrayContaining([...ends.keys()]),
		);
	}, 120_000);
});

describe('A part has only what its pages use', () => {
	test('of shared resources: the font, and the image of each page', async () => {
		const whole = fileOf('shared resources');
		const bundle = await opened(whole);
		const [font, image] = [150_000, 60_000];
		for (const pages of [[2], [3], [10, 11, 12]]) {
			const part = await partOf(bundle, pages);
			expect(part.length).toBeGreaterThan(pages.length * image);
			expect(part.length).toBeLessThan(font + pages.length * image + 10_000);
		}
	});

	test('also what a form draws with the resources of its page', async () => {
		// The form of page 1 shows the image of page 20 as well.
		const part = await partOfFile('shared resources', [1]);
		expect(part.length).toBeGreaterThan(120_000 + 70_000);
	});

	test('of an image that all pages show: that image, once', async () => {
		const part = await partOfFile('one image over all pages', [4, 5, 6]);
		expect(part.length).toBeGreaterThan(1_000_000);
		expect(part.length).toBeLessThan(1_010_000);
	});

	test('of a file of many pages: nothing of the others', async () => {
		expect((await partOfFile('1,000 pages', [500])).length).toBeLessThan(1_000);
	});
});

describe('What is on a page', () => {
	test('its annotations stay with their looks, and no others come', async () => {
		const { pages } = await read('links, outlines and names', [2]);
		expect(pages[0]?.annotations).toMatchObject([
			{ subtype: 'Link' },
			{ subtype: 'Link' },
			{ subtype: 'Square', contents: 'Note on page 2', hasAppearance: true },
		]);
		const part = (await partOfFile('links, outlines and names', [2])).toString('latin1');
		expect(part.match(/\/Subtype \/(Link|Square)/g)).toHaveLength(3);
		expect(part).not.toMatch(
			/page 3|Chapter|chapter|example\.com|\/Dest|StructTreeRoot|StructElem/,
		);
	});

	test('form fields stay as they look, without the form and without their other places', async () => {
		const { pages } = await read('form fields', [1, 2]);
		expect(
			pages.map(({ annotations }) => annotations.map(({ hasAppearance }) => hasAppearance)),
		).toEqual([[true, true], [true]]);
		const part = (await partOfFile('form fields', [1, 2])).toString('latin1');
		expect(part.match(/\/Subtype \/Stamp/g)).toHaveLength(3);
		expect(part).not.toMatch(/AcroForm|\/FT|\/Parent \d+ 0 R .*\/Kids/);
	});

	test('layers stay shown and hidden, those of other pages go', async () => {
		expect((await read('layers', [1, 2])).layers).toEqual([
			{ name: 'Shown', visible: true },
			{ name: 'Hidden', visible: false },
		]);
		expect((await read('layers', [3])).layers).toEqual([{ name: 'Of page 3', visible: true }]);
		expect((await read('plain', [1])).layers).toEqual([]);
	});
});

describe('A filled form whose fields are drawn from their values', () => {
	const text = '/Subtype /Widget /FT /Tx /Rect [20 100 200 120] /F 4 /DA (/F1 12 Tf 0 g)';

	/** Two pages with a form; the fields of the first are the objects from 20 on, that of the second is 30. */
	const bundleWith = (fields: string[], form = '/NeedAppearances true') => {
		const listed = fields.map((_, index) => `${20 + index} 0 R`).join(' ');
		const fonts = '/DR << /Font << /F1 5 0 R /G 8 0 R >> >>';
		return rawPdf(
			twoPages({
				catalog: `/AcroForm << ${form} /Fields [${listed} 30 0 R] ${fonts} >>`,
				first: `/Annots [${listed}]`,
				second: '/Annots [30 0 R]',
				more: {
					8: '<< /Type /Font /Subtype /Type1 /BaseFont /SECRET-Font >>',
					9: { dict: '/Type /XObject /Subtype /Form /BBox [0 0 180 20]', data: '/Tx BMC EMC' },
					10: '<< /FT /Tx /T (SECRET name) /V (Inherited) /DA (/F1 12 Tf 0 g) >>',
					30: `<< ${text} /T (SECRET other) /V (SECRET value) >>`,
					...Object.fromEntries(fields.map((field, index) => [20 + index, `<< ${field} >>`])),
				},
			}),
		);
	};

	const filled = `${text} /T (name) /V (Erika)`;
	test.each<{ name: string; field: string; form?: string }>([
		{ name: 'without a look', field: filled },
		{ name: 'with an empty look', field: `${filled} /AP << /N 9 0 R >>` },
		{ name: 'in a form that asks for no looks', field: filled, form: '' },
		{ name: 'of a list', field: `${filled.replace('/Tx', '/Ch')} /Opt [(Erika) (Max)]` },
		{
			name: 'of the field above',
			field: '/Subtype /Widget /Rect [20 60 200 80] /F 4 /Parent 10 0 R',
		},
	])('looks the same in its part: $name', async ({ field, form }) => {
		const file = bundleWith([field, field.replace('Erika', '1250.00')], form);
		const part = await partOf(await opened(file), [1]);
		const [before, after] = [await reader.read(file, [1]), await reader.read(part)];
		expect(after.pages).toEqual(before.pages);
		// Next to the page's own text; without NeedAppearances, pdf.js draws no values.
		const drawn = after.pages[0]?.operators.match(/showText|"glyph|fontChar/g)?.length ?? 0;
		expect(drawn > 6).toBe(form === undefined);
		expect(everythingIn(part)).not.toContain('SECRET');
	});

	test('a hidden field, a signature and a button with looks stay what they look like', async () => {
		const fields = [
			`${text.replace('/F 4', '/F 2')} /V (SECRET hidden)`,
			'/Subtype /Widget /FT /Sig /Rect [0 0 9 9] /V << /Name (SECRET signer) >>',
			'/Subtype /Widget /FT /Btn /Rect [0 0 9 9] /V /On /AS /On /AP << /N << /On 9 0 R >> >>',
		];
		const part = await partOf(await opened(bundleWith(fields)), [1]);
		expect(everythingIn(part)).not.toMatch(/SECRET|AcroForm|Widget/);
	});
});
