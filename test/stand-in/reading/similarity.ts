import type { Sharp } from 'sharp';

const [WIDTH, HEIGHT] = [24, 30];
/** A selfie is cut wider or closer than the portrait of a document. */
const SELFIE_SHARES = [1, 0.88, 0.76];
/** A portrait takes up this much of a document's height. */
const PORTRAIT_SHARES = [0.24, 0.28, 0.33, 0.38, 0.43, 0.48, 0.54, 0.6, 0.68];
/** An even patch has nothing to compare. */
const MIN_CONTRAST = 8;

/**
 * How much the middle of a selfie looks like some part of a document, from 0 to 1. This compares gray pictures point by point; it
 * knows nothing of faces and is good for nothing but trying out a client.
 */
export async function pictureSimilarity(selfie: Sharp, document: Sharp): Promise<number> {
	const faces: Float32Array[] = [];
	for (const share of SELFIE_SHARES) faces.push(normalized(await middleOf(selfie, share)));
	let best = 0;
	for (const share of PORTRAIT_SHARES) {
		const { data, info } = await gray(document, { height: Math.round(HEIGHT / share) });
		for (let top = 0; top + HEIGHT <= info.height; top += 2) {
			for (let left = 0; left + WIDTH <= info.width; left += 2) {
				const patch = normalized(patchAt(data, info.width, left, top));
				for (const face of faces) best = Math.max(best, correlation(face, patch));
			}
		}
	}
	return Math.round(best * 1000) / 1000;
}

async function gray(picture: Sharp, size: { width?: number; height: number }) {
	return await picture
		.clone()
		.flatten({ background: 'white' })
		.resize({ ...size, fit: 'fill' })
		.greyscale()
		.raw()
		.toBuffer({ resolveWithObject: true });
}

async function middleOf(selfie: Sharp, share: number): Promise<Buffer> {
	const whole = await selfie.metadata();
	const height = Math.floor(Math.min(whole.height, (whole.width * HEIGHT) / WIDTH) * share);
	const width = Math.floor((height * WIDTH) / HEIGHT);
	const left = Math.floor((whole.width - width) / 2);
	const top = Math.floor((whole.height - height) / 2);
	const middle = selfie.clone().extract({ left, top, width, height });
	return (await gray(middle, { width: WIDTH, height: HEIGHT })).data;
}

function patchAt(picture: Buffer, width: number, left: number, top: number): Buffer {
	const rows = Array.from({ length: HEIGHT }, (_, row) => {
		const start = (top + row) * width + left;
		return picture.subarray(start, start + WIDTH);
	});
	return Buffer.concat(rows);
}

/** Without brightness and contrast; of an even patch, nothing is left. */
function normalized(bytes: Buffer): Float32Array {
	const values = Float32Array.from(bytes);
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
	const isEven = spread < MIN_CONTRAST * Math.sqrt(values.length);
	return values.map((value) => (isEven ? 0 : (value - mean) / spread));
}

function correlation(one: Float32Array, other: Float32Array): number {
	return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
