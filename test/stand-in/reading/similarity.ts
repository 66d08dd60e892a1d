import type { Sharp } from 'sharp';

/**
 * How much the middle of a selfie looks like some part of a document, from 0 to 1. This compares grey pictures point by point; it
 * knows nothing of faces and is good for nothing but trying out a client.
 */
export async function pictureSimilarity(selfie: Sharp, document: Sharp): Promise<number> {
	const thumbnails = await Promise.all(
		selfieShares.map(async (share) => await middleOf(selfie, share)),
	);
	let best = 0;
	for (const share of windowShares) {
		best = Math.max(
			best,
			bestWindow(thumbnails, await grey(document, Math.round(windowHeight / share))),
		);
	}
	return Math.round(best * 1000) / 1000;
}

const windowWidth = 24;
const windowHeight = 30;
/** A portrait takes up this much of a document's height. */
const windowShares = [0.24, 0.28, 0.33, 0.38, 0.43, 0.48, 0.54, 0.6, 0.68];
/** A selfie is cut wider or closer than the portrait. */
const selfieShares = [1, 0.88, 0.76];
/** An even patch has nothing to compare. */
const leastContrast = 8;

interface Grey {
	values: Float32Array;
	width: number;
	height: number;
}

async function middleOf(selfie: Sharp, share: number): Promise<Float32Array> {
	const { width = 1, height = 1 } = await selfie.metadata();
	const cutHeight = Math.floor(Math.min(height, (width * windowHeight) / windowWidth) * share);
	const cutWidth = Math.floor((cutHeight * windowWidth) / windowHeight);
	const cut = await selfie
		.clone()
		.extract({
			left: Math.floor((width - cutWidth) / 2),
			top: Math.floor((height - cutHeight) / 2),
			width: cutWidth,
			height: cutHeight,
		})
		.flatten({ background: 'white' })
		.resize(windowWidth, windowHeight, { fit: 'fill' })
		.greyscale()
		.raw()
		.toBuffer();
	return normalize(Float32Array.from(cut));
}

async function grey(picture: Sharp, height: number): Promise<Grey> {
	const { data, info } = await picture
		.clone()
		.flatten({ background: 'white' })
		.resize({ height })
		.greyscale()
		.raw()
		.toBuffer({ resolveWithObject: true });
	return { values: Float32Array.from(data), width: info.width, height: info.height };
}

/** Correlation of every thumbnail with every window. A thumbnail's values sum up to nothing, so the window's brightness drops out by itself. */
function bestWindow(thumbnails: Float32Array[], { values, width, height }: Grey): number {
	let best = 0;
	const area = windowWidth * windowHeight;
	const products = new Float64Array(thumbnails.length);
	for (let top = 0; top + windowHeight <= height; top += 2) {
		for (let left = 0; left + windowWidth <= width; left += 2) {
			let sum = 0;
			let squares = 0;
			products.fill(0);
			for (let index = 0; index < area; index++) {
				const value =
					values[(top + Math.floor(index / windowWidth)) * width + left + (index % windowWidth)] ??
					0;
				sum += value;
				squares += value * value;
				for (let which = 0; which < thumbnails.length; which++) {
					products[which] = (products[which] ?? 0) + value * (thumbnails[which]?.[index] ?? 0);
				}
			}
			const spread = Math.sqrt(Math.max(0, squares - (sum * sum) / area));
			if (spread < leastContrast * Math.sqrt(area)) continue;
			for (const product of products) best = Math.max(best, product / spread);
		}
	}
	return best;
}

/** Brightness and contrast taken out. */
function normalize(values: Float32Array): Float32Array {
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0));
	return values.map((value) => (spread === 0 ? 0 : (value - mean) / spread));
}
