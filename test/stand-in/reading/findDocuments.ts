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
/** Of a color from that of the corner. */
const MIN_DISTANCE = 26;

/** The sheets and cards beside each other that stand out from an even background; the whole picture if none does. */
export async function findDocuments(picture: Sharp): Promise<DocumentBox[]> {
	const { width, height } = await picture.metadata();
	const { data, info } = await picture
		.clone()
		.resize({ width: LONG_SIDE, height: LONG_SIDE, fit: 'inside', withoutEnlargement: true })
		.raw()
		.toBuffer({ resolveWithObject: true });
	const standsOut = (x: number, y: number) => {
		const pixel = data.subarray(4 * (y * info.width + x)).subarray(0, 4);
		return pixel.some((value, channel) => Math.abs(value - data[channel]!) >= MIN_DISTANCE);
	};
	const [columns, rows] = [[...Array(info.width).keys()], [...Array(info.height).keys()]];
	const boxes = runsOf(columns, (x) => rows.some((y) => standsOut(x, y))).flatMap((across) => {
		const down = rows.filter((y) => across.some((x) => standsOut(x, y)));
		const [left, top] = [across[0] ?? 0, down[0] ?? 0];
		const size = { width: across.length, height: (down.at(-1) ?? 0) + 1 - top };
		const count = across.flatMap((x) => down.filter((y) => standsOut(x, y))).length;
		const fill = count / (size.width * size.height);
		if (count < MIN_SHARE * info.width * info.height || fill < MIN_FILL) return [];
		const [byX, byY] = [width / info.width, height / info.height];
		return {
			left: Math.floor(left * byX),
			top: Math.floor(top * byY),
			width: Math.floor(size.width * byX),
			height: Math.floor(size.height * byY),
			confidence: Math.round(100 * fill),
		};
	});
	return boxes.length > 0 ? boxes : [{ left: 0, top: 0, width, height, confidence: 40 }];
}

/** The numbers that hold, those beside each other together. */
function runsOf(numbers: number[], holds: (number: number) => boolean): number[][] {
	const runs: number[][] = [];
	for (const number of numbers.filter(holds)) {
		if (runs.at(-1)?.at(-1) === number - 1) runs.at(-1)?.push(number);
		else runs.push([number]);
	}
	return runs;
}
