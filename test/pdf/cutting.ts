import {
	type Bundle,
	type Highlight,
	openBundle,
} from '../../nodes/DocumentIntelligence/pdf/openBundle';

/** A file that can be cut. */
export async function opened(file: Buffer): Promise<Bundle> {
	const bundle = await openBundle(file);
	if (typeof bundle === 'string') throw new Error(`It cannot be cut: ${bundle}.`);
	return bundle;
}

/** A part that has to be there. */
export async function partOf(
	bundle: Bundle,
	pages: number[],
	highlights?: Highlight[],
): Promise<Buffer> {
	const part = await bundle.cut(pages, highlights);
	if (typeof part === 'string') throw new Error(`There is no part: ${part}.`);
	return Buffer.concat(part);
}

/** How cutting ends, without the bytes of a part, which would fill the message of a failing test. */
export async function endOfCutting(bundle: Bundle | string, pages: number[]): Promise<string> {
	const part = typeof bundle === 'string' ? bundle : await bundle.cut(pages);
	return typeof part === 'string' ? part : 'cut';
}
