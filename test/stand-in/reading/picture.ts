import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { notReadable } from '../http/responses';

/** The image of a file as pixels, upright; the first page of a TIFF with several. */
export async function openPicture(path: string): Promise<Sharp> {
	try {
		const { data, info } = await sharp(await readFile(path))
			.rotate()
			.ensureAlpha()
			.raw()
			.toBuffer({ resolveWithObject: true });
		return sharp(data, { raw: info });
	} catch (error) {
		const message = `The image could not be read: ${(error as Error).message}`;
		throw notReadable(message, 'IMAGE_NOT_READABLE');
	}
}
