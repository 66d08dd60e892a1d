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
const longSide = 320;
const leastShare = 0.02;
const leastFill = 0.6;
const leastDistance = 26;

/** The sheets and cards that stand out from a fairly even background; the whole picture if none does. */
export async function findDocuments(picture: Sharp): Promise<DocumentBox[]> {
	const { width = 0, height = 0 } = await picture.metadata();
	const { data, info } = await picture
		.clone()
		.resize({ width: longSide, height: longSide, fit: 'inside', withoutEnlargement: true })
		.raw()
		.toBuffer({ resolveWithObject: true });
	const mask = foreground(data, info.width, info.height);
	const regions = connected(mask, info.width, info.height).filter(
		({ count }) => count >= leastShare * mask.length,
	);
	const solid = regions.filter(
		({ count, x0, y0, x1, y1 }) =>
			count / ((x1 - x0) * (y1 - y0)) >= leastFill &&
			// What runs out of the picture on three sides is an uneven background rather than a document on it.
			[x0 === 0, y0 === 0, x1 === info.width, y1 === info.height].filter(Boolean).length < 3,
	);
	if (solid.length === 0) return [{ left: 0, top: 0, width, height, confidence: 40 }];
	const scale = { x: width / info.width, y: height / info.height };
	return solid
		.map(({ count, x0, y0, x1, y1 }) => ({
			left: Math.round(x0 * scale.x),
			top: Math.round(y0 * scale.y),
			width: Math.round((x1 - x0) * scale.x),
			height: Math.round((y1 - y0) * scale.y),
			confidence: Math.round((100 * count) / ((x1 - x0) * (y1 - y0))),
		}))
		.toSorted((a, b) => a.left - b.left);
}

/** Everything that differs from the colour the edges of the picture mostly have; transparent is background. */
function foreground(rgba: Buffer, width: number, height: number): Uint8Array {
	const mask = new Uint8Array(width * height);
	const edge: number[] = [];
	for (let x = 0; x < width; x++) edge.push(x, (height - 1) * width + x);
	for (let y = 0; y < height; y++) edge.push(y * width, y * width + width - 1);
	const opaque = edge.filter((pixel) => (rgba[pixel * 4 + 3] ?? 0) > 128);
	const background = [0, 1, 2].map((channel) =>
		median(opaque.map((pixel) => rgba[pixel * 4 + channel] ?? 0)),
	);
	for (let pixel = 0; pixel < mask.length; pixel++) {
		if ((rgba[pixel * 4 + 3] ?? 0) <= 128) continue;
		const distance = Math.max(
			...background.map((value, channel) => Math.abs((rgba[pixel * 4 + channel] ?? 0) - value)),
		);
		if (distance >= leastDistance || opaque.length < edge.length / 2) mask[pixel] = 1;
	}
	return mask;
}

interface Region {
	count: number;
	x0: number;
	y0: number;
	x1: number;
	y1: number;
}

function connected(mask: Uint8Array, width: number, height: number): Region[] {
	const seen = new Uint8Array(mask.length);
	const regions: Region[] = [];
	for (let start = 0; start < mask.length; start++) {
		if (!mask[start] || seen[start]) continue;
		const region: Region = { count: 0, x0: width, y0: height, x1: 0, y1: 0 };
		const waiting = [start];
		seen[start] = 1;
		for (let pixel = waiting.pop(); pixel !== undefined; pixel = waiting.pop()) {
			const x = pixel % width;
			const y = (pixel - x) / width;
			region.count += 1;
			region.x0 = Math.min(region.x0, x);
			region.y0 = Math.min(region.y0, y);
			region.x1 = Math.max(region.x1, x + 1);
			region.y1 = Math.max(region.y1, y + 1);
			const neighbours = [
				x > 0 ? pixel - 1 : -1,
				x < width - 1 ? pixel + 1 : -1,
				pixel - width,
				pixel + width,
			];
			for (const neighbour of neighbours) {
				if (!mask[neighbour] || seen[neighbour]) continue;
				seen[neighbour] = 1;
				waiting.push(neighbour);
			}
		}
		regions.push(region);
	}
	return regions;
}

function median(values: number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
