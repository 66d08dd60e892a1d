/** What an upload needs to know of a file. */
export interface StreamedFileSource {
	name: string;
	mimeType: string;
	bytes: number;
	/** Reads from the start, as often as it is called. */
	open: () => AsyncGenerator<Buffer>;
}

/**
 * A File whose bytes are read while they are uploaded, so that a 500 MB upload needs no 500 MB of memory. The length
 * is known beforehand and counts toward Content-Length (docs/n8n-behaviour.md, uploads).
 */
export class StreamedFile extends File {
	override readonly size: number;

	readonly #open: StreamedFileSource['open'];

	readonly #readers = new Set<AsyncGenerator<Buffer>>();

	constructor({ name, mimeType, bytes, open }: StreamedFileSource) {
		super([], name, { type: mimeType });
		this.size = bytes;
		this.#open = open;
	}

	/** Reads from the start each time, so a form can be sent more than once. */
	override stream(): ReturnType<File['stream']> {
		const reader = this.#open();
		this.#readers.add(reader);
		return ReadableStream.from(reader);
	}

	/** Ends open readers: a request that is answered before its upload ends would leave its file open. */
	close(): void {
		// Not awaited, and failures are ignored: a store that hangs or fails no longer matters to the request.
		for (const reader of this.#readers) void reader.return(undefined).catch(() => undefined);
		this.#readers.clear();
	}
}
