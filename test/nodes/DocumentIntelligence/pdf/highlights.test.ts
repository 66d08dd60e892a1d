import {
	canShow,
	type Highlight,
	openDocument,
} from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { corpus } from '../../../pdf/corpus';
import { opened } from '../../../pdf/cutting';
import { everythingIn, rawPdf, type RawObjects, twoPages } from '../../../pdf/rawPdf';
import { PdfReader, type RenderedPage } from '../../../pdf/reader';

let reader: PdfReader;

beforeAll(() => {
	reader = new PdfReader();
});
afterAll(() => reader.stop());

const RED = [1, 0, 0] as const;

const highlight: Highlight = {
	page: 1,
	box: [0.25, 0.5, 0.5, 0.625],
	label: 'total',
	comment: 'total has a confidence of 40, below 80',
	color: RED,
};

async function marked(file: Buffer, highlights: Highlight[], pages?: number[]): Promise<Buffer> {
	const bundle = await openDocument(file);
	if (typeof bundle === 'string') throw new Error(`It cannot be opened: ${bundle}.`);
	const all = Array.from({ length: bundle.pageCount }, (_, index) => index + 1);
	const part = await bundle.cut(pages ?? all, highlights);
	if (typeof part === 'string') throw new Error(`There is no copy: ${part}.`);
	return part;
}

/** The color at a place, as fractions of the page and so many points of an A4 page from there. */
function colorAt(
	{ width, height, pixels }: RenderedPage,
	[left, top]: [number, number],
	[right, down]: [number, number] = [0, 0],
): string {
	const point = Math.max(width, height) / 842;
	const x = Math.floor(left * width + right * point);
	const y = Math.floor(top * height + down * point);
	const [red = 0, green = 0, blue = 0] = pixels.subarray(4 * (y * width + x));
	if (red > 200 && green < 120 && blue < 120) return 'red';
	return Math.min(red, green, blue) > 240 ? 'white' : `${red} ${green} ${blue}`;
}

const blank = (first: string, more: RawObjects = {}) =>
	rawPdf(twoPages({ first, content: { data: '' }, more }));

test.each<[string, string, RawObjects?]>([
	['a plain page', ''],
	['a page turned by 90 degrees', '/Rotate 90'],
	['a page turned by 180 degrees', '/Rotate 180'],
	['a page turned by 270 degrees', '/Rotate 270'],
	['a page turned backwards', '/Rotate -90'],
	['a page turned by more than once around', '/Rotate 450'],
	['a page turned by what readers ignore', '/Rotate 45'],
	['a cropped page', '/CropBox [100 200 500 500]'],
	['a cropped and turned page', '/CropBox [100 200 500 500] /Rotate 90'],
	['a cropped page, turned backwards', '/CropBox [100 200 500 500] /Rotate 270'],
	['a crop box in another order', '/CropBox [500 500 100 200] /Rotate 180'],
	['a crop box that leaves the page', '/CropBox [-100 300 900 900]'],
	['a crop box outside of the page', '/CropBox [1000 1000 1100 1100]'],
	['a crop box without area', '/CropBox [100 200 100 500]'],
	['a page that does not begin at 0', '/MediaBox [-300 -400 100 100] /Rotate 90'],
	['a scaled page', '/UserUnit 2 /CropBox [100 200 300 300]'],
	['a large page', '/MediaBox [0 0 4000 3000] /Rotate 270'],
	[
		'boxes and rotation as objects of their own',
		'/CropBox 20 0 R /Rotate 21 0 R',
		{ 20: '[100 22 0 R 500 500]', 21: '90', 22: '200' },
	],
])('%s: the box is where the page shows the value', async (_, first, more = {}) => {
	const source = blank(first, more);
	const copy = await marked(source, [highlight]);
	const page = await reader.render(copy, 1.5);
	const before = await reader.render(source, 1.5);
	expect([page.width, page.height]).toEqual([before.width, before.height]);
	const [left, top, right, bottom] = highlight.box;
	const [x, y] = [(left + right) / 2, (top + bottom) / 2];
	// The line is 2 points from the box.
	expect({
		lines: [
			colorAt(page, [left, y], [-2, 0]),
			colorAt(page, [right, y], [2, 0]),
			colorAt(page, [x, top], [0, -2]),
			colorAt(page, [x, bottom], [0, 2]),
		],
		label: colorAt(page, [left, top], [-1, -7]),
		inside: [
			colorAt(page, [x, y]),
			colorAt(page, [left, top], [1, 1]),
			colorAt(page, [right, bottom], [-1, -1]),
		],
		outside: [
			colorAt(page, [left, y], [-6, 0]),
			colorAt(page, [right, y], [6, 0]),
			colorAt(page, [x, bottom], [0, 6]),
			colorAt(page, [right, top], [4, -7]),
		],
	}).toEqual({
		lines: Array(4).fill('red'),
		label: 'red',
		inside: Array(3).fill('white'),
		outside: Array(4).fill('white'),
	});
});

test('at the top of a page, the label is below the box, and nothing leaves the page', async () => {
	const [, page] = [1, await marked(blank(''), [{ ...highlight, box: [0.9, 0, 1, 0.05] }])];
	const { pages } = await reader.read(page);
	const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = pages[0]?.annotations[0]?.rect ?? [];
	expect([x0 >= 0, y0 >= 0, x1 <= 612, y1 <= 792]).toEqual([true, true, true, true]);
	const rendered = await reader.render(page, 1.5);
	expect(colorAt(rendered, [0.9, 0.05], [0, 6])).toBe('red');
	expect(colorAt(rendered, [0.95, 0.025])).toBe('white');
});

test('a highlight is printed, has a comment in any script, and the copy opens at the first one', async () => {
	const comment = '合計 has no confidence';
	const copy = await marked(rawPdf(twoPages()), [{ ...highlight, page: 2, comment }]);
	const { pages } = await reader.read(copy);
	expect(pages.map(({ text, annotations }) => [text, annotations.length])).toEqual([
		['PUBLIC', 0],
		['SECRET', 1],
	]);
	expect(pages[1]?.annotations).toMatchObject([
		{ subtype: 'Square', hasAppearance: true, contents: comment, flags: 4 },
	]);
	const text = everythingIn(copy);
	const [, second] = /\/Kids \[\d+ 0 R (\d+) 0 R\]/.exec(text) ?? [];
	expect(text).toContain(`/OpenAction [${second} 0 R /Fit]`);
});

test('a label has at most 40 characters, and without highlights nothing is added', async () => {
	const long = await marked(rawPdf(twoPages()), [{ ...highlight, label: 'é'.repeat(41) }]);
	expect(everythingIn(long)).toContain(`<${'e9'.repeat(37)}${'2e'.repeat(3)}> Tj`);
	const bundle = await opened(rawPdf(twoPages()));
	expect(await bundle.cut([1, 2], [])).toEqual(await bundle.cut([1, 2]));
});

test.each([
	['lineItems[2].amount', true],
	['Größe (m²) ¿?', true],
	['', true],
	['合計', false],
	['Łódź', false],
	['a\tb', false],
	['a\u0085b', false],
])('the font of labels has all of %j: %p', (label, isShown) => {
	expect(canShow(label)).toBe(isShown);
});

describe('The files of the corpus', () => {
	for (const [name, { file, ...facts }] of Object.entries(corpus)) {
		test(`${name}: its copy has all pages with a highlight each`, async () => {
			const source = file();
			const bundle = await openDocument(source);
			if (typeof bundle === 'string') return expect(facts).toBeDefined();
			const numbers = Array.from({ length: Math.min(bundle.pageCount, 20) }, (_, at) => at + 1);
			const copy = await bundle.cut(
				numbers,
				numbers.map((page) => ({ ...highlight, page })),
			);
			if (typeof copy === 'string') return expect(copy).toBe(await bundle.cut(numbers));
			const plain = await bundle.cut(numbers);
			const before = await reader.read(plain as Buffer);
			const { pages } = await reader.read(copy);
			expect(pages.map(({ annotations }) => annotations.length)).toEqual(
				before.pages.map(({ annotations }) => annotations.length + 1),
			);
			expect(pages.map(({ text, view }) => [text, view])).toEqual(
				before.pages.map(({ text, view }) => [text, view]),
			);
		});
	}
});
