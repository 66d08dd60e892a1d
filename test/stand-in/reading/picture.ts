import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { notReadable } from '../http/responses';

/** The image of a file as pixels, upright; the first page of a TIFF with several. */
export async function openPicture(path: string): Promise<Sharp> {
	const bytes = await readFile(path);
	try {
		const picture = bytes.subarray(0, 2).toString() === 'BM' ? bitmap(bytes) : sharp(bytes);
		const { data, info } = await picture
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

/** Uncompressed Windows bitmaps of 24 and 32 bits, which sharp does not read. */
function bitmap(bytes: Buffer): Sharp {
	const pixels = bytes.readUInt32LE(10);
	const width = bytes.readInt32LE(18);
	const signedHeight = bytes.readInt32LE(22);
	const channels = bytes.readUInt16LE(28) / 8;
	const height = Math.abs(signedHeight);
	if (channels !== 3 && channels !== 4) throw new Error('only bitmaps of 24 or 32 bits are read');
	const stride = Math.ceil((width * channels) / 4) * 4;
	const rgb = Buffer.alloc(width * height * 3);
	for (let y = 0; y < height; y++) {
		// A positive height means that the last row comes first.
		const row = pixels + (signedHeight > 0 ? height - 1 - y : y) * stride;
		for (let x = 0; x < width; x++) {
			const source = row + x * channels;
			const target = (y * width + x) * 3;
			rgb[target] = bytes[source + 2] ?? 0;
			rgb[target + 1] = bytes[source + 1] ?? 0;
			rgb[target + 2] = bytes[source] ?? 0;
		}
	}
	return sharp(rgb, { raw: { width, height, channels: 3 } });
}
