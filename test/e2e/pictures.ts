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
	/** Of what surrounds it. */
	padding?: number;
	theme?: Theme;
}

/** A picture for the README: a part of the page, small enough for a repository. */
export async function picture(page: Page, name: string, { of, height, padding = 0, theme = 'light' }: Cut): Promise<void> {
	const box = await of.boundingBox();
	expect(box !== null, `there is nothing to take the picture ${name} of`);
	await page.mouse.move(0, 0);
	const clip = {
		x: Math.max(0, box.x - padding),
		y: Math.max(0, box.y - padding),
		width: box.width + 2 * padding,
		height: Math.min(height ?? box.height, box.height) + 2 * padding,
	};
	const taken = await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
	// n8n's colours are few: without mixing dots, a palette loses nothing that can be seen.
	const small = await sharp(taken).png({ palette: true, colours: 256, dither: 0, effort: 10 }).toBuffer();
	expect(small.length < LARGEST_BYTES, `the picture ${name} has ${small.length} bytes`);
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, `${name}${theme === 'dark' ? '-dark' : ''}.png`), small);
}
