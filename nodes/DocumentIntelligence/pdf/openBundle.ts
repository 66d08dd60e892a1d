import { MB } from './budget';
import type { Bundle, NotCutReason } from './cutPages';
import { pdfOfPicture } from './marking/picture';

export type { Bundle, NotCutReason } from './cutPages';
export type { Highlight } from './marking/highlights';

/** The whole file is in memory while it is cut. */
export const MAX_BUNDLE_BYTES = 200 * MB;

/** How far from the start readers search for the header. */
const HEADER_SEARCH_BYTES = 1024;

/** Opens a PDF or a picture, which is a bundle of one page. The bytes are kept for as long as the bundle is. */
export async function openBundle(file: Buffer): Promise<Bundle | NotCutReason> {
	if (file.length > MAX_BUNDLE_BYTES) return 'tooLarge';
	const bytes = pdfOfPicture(file) ?? file;
	if (!bytes.subarray(0, HEADER_SEARCH_BYTES).includes('%PDF-')) return 'notPdf';
	// Loaded when a file is cut, not with n8n, because it is most of this package.
	const { readBundle } = await import('./cutPages.js');
	return await readBundle(bytes);
}

/** A file that is too large is not read. */
export async function openStoredBundle(
	{ bytes, open }: { bytes: number; open: () => AsyncIterable<Buffer> },
	signal: AbortSignal,
) {
	if (bytes > MAX_BUNDLE_BYTES) return 'tooLarge';
	const file = Buffer.allocUnsafe(bytes);
	let length = 0;
	for await (const chunk of open()) {
		length += chunk.copy(file, length);
		signal.throwIfAborted();
	}
	return await openBundle(file.subarray(0, length));
}
