import type { Content } from './content';
import type { InputFile } from './inputFiles';

/**
 * A File whose bytes are read from n8n's store while they are sent, so that a 500 MB upload needs no 500 MB
 * of memory. The length is known beforehand and becomes part of Content-Length (host facts, uploading).
 */
export class StreamedFile extends File {
	override readonly size: number;

	readonly #content: Content;

	readonly #reading = new Set<AsyncGenerator<Buffer>>();

	constructor(file: InputFile) {
		super([], file.uploadName, { type: file.mimeType });
		this.size = file.content.bytes;
		this.#content = file.content;
	}

	/** Reads from the start each time, so a form can be sent again. */
	override stream(): ReturnType<File['stream']> {
		const reading = this.#content.open();
		this.#reading.add(reading);
		return ReadableStream.from(reading);
	}

	/** Ends whatever still reads: a request that is answered before it was sent leaves its file open otherwise. */
	close(): void {
		// Not waited for, nor heard of: a store that hangs or breaks off has nothing more to do with the request.
		for (const reading of this.#reading) void reading.return(undefined).catch(() => undefined);
		this.#reading.clear();
	}
}
