import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';

import { expect } from './checks';
import { repository } from './setting';

export type Theme = 'light' | 'dark';

/** Whether pictures are taken. */
const isTaking = process.env.UPDATE_DOCS === '1';

/** Only pictures need the dark one. */
export const THEMES: Theme[] = isTaking ? ['light', 'dark'] : ['light'];

const folder = join(repository, 'docs', 'images');

const LARGEST_BYTES = 300_000;

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

interface Cut {
	of: Locator;
	/** Height of the upper part to keep, in pixels. */
	height?: number;
	theme?: Theme;
}

/** A picture for the documentation: a part of the page, small enough for a repository. Taken only with UPDATE_DOCS=1. */
export async function picture(
	page: Page,
	name: string,
	{ of, height, theme = 'light' }: Cut,
): Promise<void> {
	if (!isTaking) return;
	const box = await boxOf(of);
	await save(page, name, { ...box, height: Math.min(height ?? box.height, box.height) }, theme);
}

async function boxOf(part: Locator): Promise<Box> {
	const box = await part.boundingBox();
	expect(box !== null, 'there is nothing to take a picture of');
	return box;
}

/** The printed part of the first page of a PDF, in pixels. */
interface Sheet {
	file: string;
	width: number;
	height: number;
}

const GAP = 24;

/** A document, and beside it the upper left part of the page that shows its values. */
export async function pictureBesideDocument(
	page: Page,
	name: string,
	sheet: Sheet,
	{ of, width, theme = 'light' }: { of: Locator; width: number; theme?: Theme },
): Promise<void> {
	if (!isTaking) return;
	const box = await boxOf(of);
	const clip = { ...box, width, height: Math.min(sheet.height, box.height) };
	await page.mouse.move(0, 0);
	const values = await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
	const browser = page.context().browser();
	expect(browser !== null, `there is no browser to take the picture ${name} with`);
	const both = await browser.newPage({
		viewport: { width: 1600, height: 1000 },
		deviceScaleFactor: 2,
	});
	try {
		await both.setContent(
			`<body style="margin: 0"><div id="both" style="display: inline-flex; gap: ${GAP}px; background: ${theme === 'light' ? '#fff' : '#1e1e1e'}">
				<canvas style="border: 1px solid #ccc; box-sizing: border-box"></canvas>
				<img src="data:image/png;base64,${values.toString('base64')}" width="${clip.width}" height="${clip.height}">
			</div></body>`,
		);
		await drawSheet(both, sheet);
		await save(both, name, await boxOf(both.locator('#both')), theme);
	} finally {
		await both.close();
	}
}

const pdfjs = dirname(require.resolve('pdfjs-dist/package.json'));
const FONTS = 'https://fonts.example/';

/** Draws the sheet on the canvas of the page. Its fonts are those of the library, as those of the machine may be wider. */
async function drawSheet(page: Page, { file, width, height }: Sheet): Promise<void> {
	await page.route(`${FONTS}*`, async (route) => {
		const path = join(pdfjs, 'standard_fonts', basename(new URL(route.request().url()).pathname));
		await route.fulfill({ path, headers: { 'access-control-allow-origin': '*' } });
	});
	for (const script of ['pdf.worker.min.mjs', 'pdf.min.mjs'])
		await page.addScriptTag({ type: 'module', path: join(pdfjs, 'build', script) });
	// Modules run after the tag that adds them.
	await page.waitForFunction(
		'globalThis.pdfjsWorker !== undefined && globalThis.pdfjsLib !== undefined',
	);
	const content = (await readFile(file)).toString('base64');
	// As text, because the types of a browser are not known here.
	await page.evaluate(`(async () => {
		const { getDocument } = globalThis.pdfjsLib;
		const data = Uint8Array.from(atob('${content}'), (one) => one.charCodeAt(0));
		const first = await (await getDocument({ data, standardFontDataUrl: '${FONTS}', useSystemFonts: false }).promise).getPage(1);
		const [canvas, { width }] = [document.querySelector('canvas'), first.getViewport({ scale: 1 })];
		const viewport = first.getViewport({ scale: (${width} * devicePixelRatio) / width });
		Object.assign(canvas, { width: ${width} * devicePixelRatio, height: ${height} * devicePixelRatio });
		Object.assign(canvas.style, { width: '${width}px', height: '${height}px' });
		await first.render({ canvas, viewport }).promise;
	})()`);
}

/** Everything on the canvas that is not a node. */
const AROUND_NODES =
	'.vue-flow__panel, [data-test-id="canvas-controls"], [class*="executionButtons"], .vue-flow__node:has([data-test-id="sticky"])';

/** Around the nodes, for their names below and for the ends of connections. */
const MARGIN = 64;

/** The nodes of the open workflow, without its note and the toolbars of the canvas. */
export async function pictureOfNodes(page: Page, name: string): Promise<void> {
	if (!isTaking) return;
	await page.addStyleTag({ content: `${AROUND_NODES} { visibility: hidden !important; }` });
	const nodes = page.locator('.vue-flow__node:not(:has([data-test-id="sticky"]))');
	const boxes = await Promise.all((await nodes.all()).map(boxOf));
	const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
	const right = Math.max(...boxes.map(({ x, width }) => x + width));
	const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
	const [x, y] = [left - MARGIN, top - MARGIN];
	const clip = { x, y, width: right + MARGIN - x, height: bottom + MARGIN - y };
	await save(page, name, clip, 'light');
}

async function save(page: Page, name: string, box: Box, theme: Theme): Promise<void> {
	await page.mouse.move(0, 0);
	const clip = { ...box, x: Math.max(0, box.x), y: Math.max(0, box.y) };
	const taken = await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
	// n8n uses few colors, so a palette without dithering loses nothing visible.
	const small = await sharp(taken)
		.png({ palette: true, colours: 256, dither: 0, effort: 10 })
		.toBuffer();
	expect(small.length < LARGEST_BYTES, `the picture ${name} has ${small.length} bytes`);
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, `${name}${theme === 'dark' ? '-dark' : ''}.png`), small);
}
