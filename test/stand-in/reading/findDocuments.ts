import type { Sharp } from 'sharp';

/** In pixels of the picture, the far edges not included. */
export interface DocumentBox {
	left: number;
	top: number;
	width: number;
	height: number;
	/** How much of the box the document fills, as a percentage. */
	confidence: number;
}

/** Fine enough to see an edge, coarse enough that lines of type melt into the paper. */
const LONG_SIDE = 320;
const MIN_SHARE = 0.02;
const MIN_FILL = 0.6;
/** Of a color from that of the background. */
const MIN_DISTANCE = 26;

/** The sheets and cards that stand out from a fairly even background; the whole picture if none does. */
export async function findDocuments(picture: Sharp): Promise<DocumentBox[]> {
	const { width, height } = await picture.metadata();
	const { data, info } = await picture
		.clone()
		.resize({ width: LONG_SIDE, height: LONG_SIDE, fit: 'inside', withoutEnlargement: true })
		.raw()
		.toBuffer({ resolveWithObject: true });
	const regions = connected(foreground(data, info.width, info.height), info.width);
	const boxes = regions.flatMap(({ x0, y0, x1, y1, count }) => {
		const fill = count / ((x1 - x0) * (y1 - y0));
		// What runs out of the picture on three sides is an uneven background rather than a document on it.
		const sides = [x0 === 0, y0 === 0, x1 === info.width, y1 === info.height].filter(Boolean);
		const isSmall = count < MIN_SHARE * info.width * info.height;
		if (isSmall || fill < MIN_FILL || sides.length > 2) return [];
		const [byX, byY] = [width / info.width, height / info.height];
		return {
			left: Math.round(x0 * byX),
			top: Math.round(y0 * byY),
			width: Math.round((x1 - x0) * byX),
			height: Math.round((y1 - y0) * byY),
			confidence: Math.round(100 * fill),
		};
	});
	const whole: DocumentBox = { left: 0, top: 0, width, height, confidence: 40 };
	return boxes.length === 0 ? [whole] : boxes.toSorted((a, b) => a.left - b.left);
}

/** Whether each pixel differs from the color that the edges of the picture mostly have; transparent is background. */
function foreground(rgba: Buffer, width: number, height: number): boolean[] {
	const pixels = Array.from({ length: width * height }, (_, at) =>
		rgba.subarray(4 * at, 4 * at + 4),
	);
	const isOpaque = (pixel: Buffer) => pixel[3]! > 128;
	const edge = pixels.filter((_, at) => {
		const [x, y] = [at % width, Math.floor(at / width)];
		return x === 0 || y === 0 || x === width - 1 || y === height - 1;
	});
	const opaque = edge.filter(isOpaque);
	const background = [0, 1, 2].map((channel) => median(opaque.map((pixel) => pixel[channel]!)));
	return pixels.map((pixel) => {
		const distance = Math.max(...background.map((value, at) => Math.abs(pixel[at]! - value)));
		return isOpaque(pixel) && (distance >= MIN_DISTANCE || opaque.length < edge.length / 2);
	});
}

/** The boxes around pixels that touch each other, with the number of these. */
function connected(mask: boolean[], width: number) {
	const pending = new Set(mask.flatMap((isSet, at) => (isSet ? [at] : [])));
	const regions = [];
	for (const start of pending) {
		const region = { count: 0, x0: Infinity, y0: Infinity, x1: 0, y1: 0 };
		const touching = [start];
		for (let at = touching.pop(); at !== undefined; at = touching.pop()) {
			if (!pending.delete(at)) continue;
			const [x, y] = [at % width, Math.floor(at / width)];
			region.count += 1;
			region.x0 = Math.min(region.x0, x);
			region.y0 = Math.min(region.y0, y);
			region.x1 = Math.max(region.x1, x + 1);
			region.y1 = Math.max(region.y1, y + 1);
			touching.push(at - width, at + width);
			if (x > 0) touching.push(at - 1);
			if (x < width - 1) touching.push(at + 1);
		}
		regions.push(region);
	}
	return regions;
}

function median(values: number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
