import { MB } from './budget';
import type { Bundle, NotCutReason } from './cutPages';

export type { Bundle, NotCutReason } from './cutPages';

/** The largest file that is read to be cut, in bytes: the whole of it is in memory meanwhile. */
export const MAX_BUNDLE_BYTES = 200 * MB;

/** How far from the start readers look for the header. */
const HEADER_SEARCH_BYTES = 1024;

/** Opens a PDF to cut it, or says why it cannot be cut. The bytes are kept, not copied, for as long as the bundle is. */
export async function openBundle(bytes: Buffer): Promise<Bundle | NotCutReason> {
	if (bytes.length > MAX_BUNDLE_BYTES) return 'tooLarge';
	if (!bytes.subarray(0, HEADER_SEARCH_BYTES).includes('%PDF-')) return 'notPdf';
	// Loaded when something is cut, not with n8n: it is most of this package.
	const { readBundle } = await import('./cutPages.js');
	return await readBundle(bytes);
}
