import type { ResizeOptions, Sharp } from 'sharp';

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
	for (const share of SELFIE_SHARES) faces.push(await middleOf(selfie, share));
	let best = 0;
	for (const share of PORTRAIT_SHARES) {
		const { data, info } = await gray(document, { height: Math.round(HEIGHT / share) });
		for (let top = 0; top + HEIGHT <= info.height; top += 2) {
			for (let left = 0; left + WIDTH <= info.width; left += 2) {
				const patch = patchAt(data, info.width, left, top);
				for (const face of faces) best = Math.max(best, correlation(face, patch));
			}
		}
	}
	return Math.round(best * 1000) / 1000;
}

async function gray(picture: Sharp, size: ResizeOptions) {
	return await picture
		.clone()
		.flatten({ background: 'white' })
		.resize(size)
		.greyscale()
		.raw()
		.toBuffer({ resolveWithObject: true });
}

async function middleOf(selfie: Sharp, share: number): Promise<Float32Array> {
	const whole = await selfie.metadata();
	const height = Math.floor(Math.min(whole.height, (whole.width * HEIGHT) / WIDTH) * share);
	const width = Math.floor((height * WIDTH) / HEIGHT);
	const left = Math.floor((whole.width - width) / 2);
	const top = Math.floor((whole.height - height) / 2);
	const middle = selfie.clone().extract({ left, top, width, height });
	const { data } = await gray(middle, { width: WIDTH, height: HEIGHT, fit: 'fill' });
	return normalized(Float32Array.from(data));
}

function patchAt(picture: Buffer, width: number, left: number, top: number): Float32Array {
	const patch = new Float32Array(WIDTH * HEIGHT);
	for (let row = 0; row < HEIGHT; row++) {
		const start = (top + row) * width + left;
		patch.set(picture.subarray(start, start + WIDTH), row * WIDTH);
	}
	return normalized(patch);
}

/** Takes brightness and contrast out; of an even patch, nothing is left. */
function normalized(values: Float32Array): Float32Array {
	let sum = 0;
	for (const value of values) sum += value;
	const mean = sum / values.length;
	for (let at = 0; at < values.length; at++) values[at]! -= mean;
	const spread = Math.sqrt(correlation(values, values));
	const isEven = spread < MIN_CONTRAST * Math.sqrt(values.length);
	for (let at = 0; at < values.length; at++) values[at]! *= isEven ? 0 : 1 / spread;
	return values;
}

function correlation(one: Float32Array, other: Float32Array): number {
	let sum = 0;
	for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
	return sum;
}
