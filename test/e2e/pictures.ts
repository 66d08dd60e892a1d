import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';

import { PdfReader } from '../pdf/reader';
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
	const cut = { ...box, height: Math.min(height ?? box.height, box.height) };
	await save(name, await screenshot(page, cut), theme);
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
	{ file, width, height }: Sheet,
	{ of, width: shown, theme = 'light' }: { of: Locator; width: number; theme?: Theme },
): Promise<void> {
	if (!isTaking) return;
	const box = await boxOf(of);
	const values = await screenshot(page, {
		...box,
		width: shown,
		height: Math.min(height, box.height),
	});
	const { width: taken = shown } = await sharp(values).metadata();
	// Of the screen that the page is on.
	const scale = taken / shown;
	const reader = new PdfReader();
	const content = await readFile(file);
	const { pages } = await reader.read(content, [1]);
	const [, , pageWidth = width] = pages[0]?.view ?? [];
	const rendered = await reader.render(content, (scale * width) / pageWidth);
	reader.stop();
	const raw = { width: rendered.width, height: rendered.height, channels: 4 } as const;
	const sheet = await sharp(Buffer.from(rendered.pixels), { raw })
		.extract({
			left: 0,
			top: 0,
			width: rendered.width,
			// Of a page that is not as high, all of it.
			height: Math.min(Math.round(scale * height), rendered.height),
		})
		.extend({ top: 1, bottom: 1, left: 1, right: 1, background: '#ccc' })
		.png()
		.toBuffer();
	const left = rendered.width + Math.round(scale * GAP);
	const background = theme === 'light' ? '#fff' : '#1e1e1e';
	const size = { width: left + taken, height: Math.round(scale * height) + 2 };
	const both = sharp({ create: { ...size, channels: 4, background } }).composite([
		{ input: sheet, left: 0, top: 0 },
		{ input: values, left, top: 0 },
	]);
	await save(name, await both.png().toBuffer(), theme);
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
	await save(name, await screenshot(page, clip));
}

async function screenshot(page: Page, box: Box): Promise<Buffer> {
	await page.mouse.move(0, 0);
	const clip = { ...box, x: Math.max(0, box.x), y: Math.max(0, box.y) };
	return await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
}

async function save(name: string, taken: Buffer, theme: Theme = 'light'): Promise<void> {
	// n8n uses few colors, so a palette without dithering loses nothing visible.
	const small = await sharp(taken)
		.png({ palette: true, colours: 256, dither: 0, effort: 10 })
		.toBuffer();
	expect(small.length < LARGEST_BYTES, `the picture ${name} has ${small.length} bytes`);
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, `${name}${theme === 'dark' ? '-dark' : ''}.png`), small);
}
