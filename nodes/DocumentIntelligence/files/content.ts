import { createHash } from 'node:crypto';

import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { messageOf } from '../text/errors';
import { unlessAborted } from '../waiting/waiting';

/** What downloads, stores and reads files. */
export interface FileContext {
	helpers: Pick<
		IExecuteFunctions['helpers'],
		'httpRequest' | 'prepareBinaryData' | 'getBinaryMetadata' | 'getBinaryStream'
	>;
	/** Ends downloads and other work on files with its reason. */
	signal: AbortSignal;
}

/** A stored file; each `open` reads it from the start. */
export interface Content {
	bytes: number;
	open: () => AsyncGenerator<Buffer>;
}

/** Divisible by 4, so that each slice of base64 decodes on its own. */
const BASE64_SLICE = 256 * 1024;

/** Streamed from the store by ID, or from base64 inside the item (docs/internals/n8n-behavior.md, stored files). */
export async function contentOf(
	{ helpers }: Pick<FileContext, 'helpers'>,
	{ id, data }: IBinaryData,
) {
	if (id !== undefined) {
		const { fileSize } = await helpers.getBinaryMetadata(id);
		return {
			bytes: fileSize,
			open: async function* () {
				yield* await helpers.getBinaryStream(id);
			},
		};
	}
	// Code nodes may add line breaks or a data URI prefix, which are not part of the file's size.
	const base64 = data.replace(/^data:[^,]*,|=+$/g, '').replace(/[^\w+/-]/g, '');
	return {
		bytes: Buffer.byteLength(base64, 'base64'),
		open: async function* () {
			await Promise.resolve();
			for (let start = 0; start < base64.length; start += BASE64_SLICE)
				yield Buffer.from(base64.slice(start, start + BASE64_SLICE), 'base64');
		},
	};
}

/** n8n's storage did not take a file. */
export class StorageFailure extends Error {}

/** @throws StorageFailure */
export async function storeBytes(
	{ helpers }: Pick<FileContext, 'helpers'>,
	bytes: Buffer,
	fileName: string,
	mimeType: string,
) {
	return await helpers.prepareBinaryData(bytes, fileName, mimeType).catch(asStorageFailure);
}

function asStorageFailure(thrown: unknown): never {
	throw new StorageFailure(messageOf(thrown));
}

/** How long n8n may take to store a PDF, which is in memory until then. */
const MAX_STORE_MS = 5 * 60 * 1000;

/**
 * Stores the pieces of a PDF as a stream, so that they are not in memory a second time. A node cannot import the streams of
 * Node.js, but a hash is one: the pieces take the place of its only chunk.
 * @throws StorageFailure
 */
export async function storePdf(pieces: Uint8Array[], fileName: string, { helpers }: FileContext) {
	const stream = createHash('sha256')
		.end()
		.flatMap(() => pieces);
	const stored = helpers.prepareBinaryData(stream, fileName, 'application/pdf');
	const inTime = unlessAborted(stored, AbortSignal.timeout(MAX_STORE_MS));
	return { ...(await inTime.catch(asStorageFailure)), fileName };
}

/** At least so many bytes, unless there are fewer. */
export async function readHead(content: Content, bytes: number): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of content.open()) {
		chunks.push(chunk);
		length += chunk.length;
		if (length >= bytes) break;
	}
	return Buffer.concat(chunks);
}

/** In hex, of what has been read to its end. */
const hashes = new WeakMap<Content, string>();

/** Reads it and, the first time, computes its hash along the way, so that nothing is read twice. */
export async function* readHashed(content: Content): AsyncGenerator<Buffer> {
	if (hashes.has(content)) {
		yield* content.open();
		return;
	}
	const hash = createHash('sha256');
	for await (const chunk of content.open()) {
		hash.update(chunk);
		yield chunk;
	}
	hashes.set(content, hash.digest('hex'));
}

/** Undefined unless it has been read to its end. */
export function knownHash(content: Content): string | undefined {
	return hashes.get(content);
}

/** In hex, computed in chunks. */
export async function contentHash(content: Content, signal: AbortSignal): Promise<string> {
	if (!hashes.has(content)) {
		const reader = readHashed(content);
		try {
			while ((await reader.next()).done !== true) signal.throwIfAborted();
		} finally {
			// Otherwise the file would stay open when the run ends first.
			await reader.return(undefined);
		}
	}
	return hashes.get(content) ?? '';
}
