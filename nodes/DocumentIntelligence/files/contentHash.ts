import { createHash } from 'node:crypto';

import type { Content } from './content';

/** SHA-256 of a file, in hex. Streamed: the file is never held whole. */
export async function contentHash(content: Content, signal: AbortSignal): Promise<string> {
	const hash = createHash('sha256');
	for await (const chunk of content.open()) {
		signal.throwIfAborted();
		hash.update(chunk);
	}
	return hash.digest('hex');
}
