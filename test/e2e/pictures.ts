import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';

import { expect } from './checks';
import { repository } from './setting';

export type Theme = 'light' | 'dark';

const folder = join(repository, 'docs', 'images');

const LARGEST_BYTES = 150_000;

interface Cut {
	of: Locator;
	/** Only so much of its upper part, in pixels. */
	height?: number;
	theme?: Theme;
}

/** A picture for the README: a part of the page, small enough for a repository. Only taken where UPDATE_DOCS asks for it. */
export async function picture(
	page: Page,
	name: string,
	{ of, height, theme = 'light' }: Cut,
): Promise<void> {
	if (process.env.UPDATE_DOCS !== '1') return;
	const box = await of.boundingBox();
	expect(box !== null, `there is nothing to take the picture ${name} of`);
	await page.mouse.move(0, 0);
	const clip = {
		x: Math.max(0, box.x),
		y: Math.max(0, box.y),
		width: box.width,
		height: Math.min(height ?? box.height, box.height),
	};
	const taken = await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
	// n8n's colours are few: without mixing dots, a palette loses nothing that can be seen.
	const small = await sharp(taken)
		.png({ palette: true, colours: 256, dither: 0, effort: 10 })
		.toBuffer();
	expect(small.length < LARGEST_BYTES, `the picture ${name} has ${small.length} bytes`);
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, `${name}${theme === 'dark' ? '-dark' : ''}.png`), small);
}
