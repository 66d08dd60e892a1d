import { MB } from '../text/bytes';

/** The largest file that is read to be cut, in bytes: the whole of it is in memory meanwhile (docs/benchmarks.md). */
export const MAX_BUNDLE_BYTES = 200 * MB;

/** The largest encrypted file that is cut, in bytes: deciphering takes a second for 8 MB (docs/pdf-library.md). */
export const MAX_ENCRYPTED_BUNDLE_BYTES = 50 * MB;

/**
 * Why a file cannot be cut: it needs a password, it is damaged beyond repair or has no pages, it is no PDF at all, or it
 * is over one of the bounds above or in `bounds.ts`.
 */
export type NotCutReason = 'locked' | 'damaged' | 'notPdf' | 'tooLarge' | 'tooComplex';

/** A PDF whose pages can be handed out. */
export interface Bundle {
	readonly pageCount: number;
	/**
	 * Makes a PDF of these pages, which count from 1, in this order, with what they use and nothing else. Pages that do
	 * not exist are passed over: `noPages` if none is left. `damaged` if something that the pages show cannot be read,
	 * `tooComplex` if it is over a bound in `bounds.ts`.
	 */
	cut(pages: number[]): Promise<Buffer | 'noPages' | 'damaged' | 'tooComplex'>;
}

/** How far from the start readers look for the header. */
const HEADER_SEARCH_BYTES = 1024;

/** Opens a PDF to cut it, or says why it cannot be cut. The bytes are kept, not copied, for as long as the bundle is. */
export async function openBundle(bytes: Buffer): Promise<Bundle | NotCutReason> {
	if (bytes.length > MAX_BUNDLE_BYTES) return 'tooLarge';
	if (!bytes.subarray(0, HEADER_SEARCH_BYTES).includes('%PDF-')) return 'notPdf';
	// Without an object there is nothing to repair, and the library would look for one byte by byte.
	if (!bytes.includes(' obj') && !bytes.includes('endobj')) return 'damaged';
	// Loaded when something is cut, not with n8n: it is most of this package.
	const { readBundle } = await import('./cutPages.js');
	return await readBundle(bytes);
}
