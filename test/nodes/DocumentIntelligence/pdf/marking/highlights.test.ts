import type { Highlight } from '../../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { opened, partOf } from '../../../../pdf/cutting';
import { everythingIn, rawPdf, type RawObjects, twoPages } from '../../../../pdf/rawPdf';
import { PdfReader, type RenderedPage } from '../../../../pdf/reader';

let reader: PdfReader;

beforeAll(() => {
	reader = new PdfReader();
});
afterAll(() => reader.stop());

const highlight: Highlight = {
	page: 1,
	box: [0.25, 0.5, 0.5, 0.625],
	number: 1,
	note: 'total has a confidence of 40, below 80',
	color: [1, 0, 0],
};

async function marked(file: Buffer, highlights: Highlight[]): Promise<Buffer> {
	const bundle = await opened(file);
	const all = Array.from({ length: bundle.pageCount }, (_, index) => index + 1);
	return await partOf(bundle, all, highlights);
}

interface Shown {
	/** Of the page without its margin. */
	width: number;
	height: number;
	/** With the margin. */
	page: RenderedPage;
}

/** A copy as pdf.js shows its first page. */
async function shown(source: Buffer, highlights: Highlight[]): Promise<Shown> {
	const { width, height } = await reader.render(source, 1.5);
	return { width, height, page: await reader.render(await marked(source, highlights), 1.5) };
}

const pointOf = ({ width, height }: Shown) => Math.max(width, height) / 842;

/** The color at a place, as fractions of the page and so many points of an A4 page from there. */
function colorAt(
	{ width, height, page, ...rest }: Shown,
	[left, top]: [number, number],
	[right, down]: [number, number] = [0, 0],
): string {
	const point = pointOf({ width, height, page, ...rest });
	const x = Math.floor(left * width + right * point);
	const y = Math.floor(top * height + down * point);
	const [red = 0, green = 0, blue = 0] = page.pixels.subarray(4 * (y * page.width + x));
	if (red > 200 && green < 150 && blue < 150) return 'red';
	return Math.min(red, green, blue) > 250 ? 'white' : `${red} ${green} ${blue}`;
}

/** Whether anything red is in an area that begins at a place, in points of an A4 page. */
function hasRed(page: Shown, place: [number, number], [right, down]: number[], size: number[]) {
	const [width = 0, height = 0] = size;
	for (let x = 0; x < width; x += 0.5)
		for (let y = 0; y < height; y += 0.5)
			if (colorAt(page, place, [right! + x, down! + y]) === 'red') return true;
	return false;
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
	const copy = await shown(source, [highlight]);
	const { width, height, page } = copy;
	const margin = 180 * pointOf(copy);
	expect(page.height).toBe(height);
	expect(Math.abs(page.width - width - margin)).toBeLessThan(2);
	const [left, top, right, bottom] = highlight.box;
	const [x, y] = [(left + right) / 2, (top + bottom) / 2];
	// The line is 2 points from the box.
	expect({
		lines: [
			colorAt(copy, [left, y], [-2, 0]),
			colorAt(copy, [right, y], [2, 0]),
			colorAt(copy, [x, top], [0, -2]),
			colorAt(copy, [x, bottom], [0, 2]),
		],
		number: hasRed(copy, [right, top], [3.2, -4], [3.6, 6]),
		note: hasRed(copy, [1, 0], [8, 0], [160, 20]),
		margin: colorAt(copy, [1, 0.5], [20, 0]),
		inside: [
			colorAt(copy, [x, y]),
			colorAt(copy, [left, top], [1, 1]),
			colorAt(copy, [right, bottom], [-1, -1]),
		],
		outside: [
			colorAt(copy, [left, y], [-6, 0]),
			colorAt(copy, [right, y], [6, 0]),
			colorAt(copy, [x, bottom], [0, 6]),
			colorAt(copy, [x, top], [0, -6]),
			colorAt(copy, [right, top], [4, -9]),
		],
	}).toEqual({
		lines: Array(4).fill('red'),
		number: true,
		note: true,
		margin: '242 242 242',
		inside: Array(3).fill('white'),
		outside: Array(5).fill('white'),
	});
});

test('the margin hides what the page does not show', async () => {
	const content = { data: '0 0 1 rg 0 0 612 792 re f' };
	const source = rawPdf(twoPages({ first: '/CropBox [0 0 300 792]', content }));
	const copy = await shown(source, [highlight]);
	expect([colorAt(copy, [0.9, 0.9]), colorAt(copy, [1, 0.9], [20, 0])]).toEqual([
		'0 0 255',
		'242 242 242',
	]);
});

test('a box at the edges of the page has a number, which is in the margin', async () => {
	const copy = await shown(blank(''), [{ ...highlight, box: [0, 0.5, 1, 0.6] }]);
	expect(hasRed(copy, [1, 0.5], [3.2, -4], [3.6, 6])).toBe(true);
	expect(colorAt(copy, [0.5, 0.6], [0, 2])).toBe('red');
});

test('many notes are smaller, so that all of them are in the margin', async () => {
	const highlights = Array.from({ length: 100 }, (_, at) => ({ ...highlight, number: at + 1 }));
	const copy = await shown(blank(''), highlights);
	const isWritten = (top: number) => hasRed(copy, [1, top], [8, 0], [60, 20]);
	expect([isWritten(0), isWritten(0.5), isWritten(0.95)]).toEqual([true, true, true]);
});

test('a value in two places has one note', async () => {
	const other: Highlight = { ...highlight, box: [0.25, 0.7, 0.5, 0.8] };
	const copy = await shown(blank(''), [highlight, other]);
	expect(hasRed(copy, [0.5, 0.7], [3.2, -4], [3.6, 6])).toBe(true);
	// A second note would begin here.
	expect(hasRed(copy, [1, 0], [8, 10], [160, 18])).toBe(true);
	expect(hasRed(copy, [1, 0], [8, 32], [160, 28])).toBe(false);
});

test('a highlight is printed, has a comment in any script, and the copy opens at the first one', async () => {
	const note = '合計 has no confidence';
	const copy = await marked(rawPdf(twoPages()), [{ ...highlight, page: 2, note }]);
	const { pages } = await reader.read(copy);
	expect(pages.map(({ text, annotations }) => [text, annotations.length])).toEqual([
		['PUBLIC', 0],
		['SECRET', 2],
	]);
	expect(pages[1]?.annotations).toMatchObject([
		{ subtype: 'Stamp', hasAppearance: true, contents: '', flags: 4 },
		{ subtype: 'Square', hasAppearance: true, contents: note, flags: 4 },
	]);
	const text = everythingIn(copy);
	const [, second] = /\/Kids \[\d+ 0 R (\d+) 0 R\]/.exec(text) ?? [];
	expect(text).toContain(`/OpenAction [${second} 0 R /Fit]`);
});

test.each([
	['total is € 1', ['1   total is \x80 1']],
	['Größe is 5 m²', ['1   Größe is 5 m²']],
	['合計 has\tno', ['1   ?? has?no']],
	[
		'one\nlineItems[12].unitPrice has a confidence of 40, below 80',
		['1   one', '    lineItems[12].unitPrice has a', '    confidence of 40, below 80'],
	],
	['x'.repeat(36), [`1   ${'x'.repeat(35)}`, '    x']],
])('the note %j', async (note, lines) => {
	const text = everythingIn(await marked(blank(''), [{ ...highlight, note }]));
	const [, drawing = ''] = /T\* (<[^]*?)ET/.exec(text) ?? [];
	const written = [...drawing.matchAll(/<(\w+)> Tj/g)].map(([, hex]) =>
		Buffer.from(hex!, 'hex').toString('latin1'),
	);
	expect(written).toEqual(lines);
});

test('without highlights nothing is added', async () => {
	const bundle = await opened(rawPdf(twoPages()));
	expect(await partOf(bundle, [1, 2], [])).toEqual(await partOf(bundle, [1, 2]));
});
