import type { Content } from './content';
import type { InputFile } from './inputFiles';

/**
 * A File whose bytes are read from n8n's store while they are sent, so that a 500 MB upload needs no 500 MB
 * of memory. The length is known beforehand and becomes part of Content-Length (host facts, uploading).
 */
export class StreamedFile extends File {
	override readonly size: number;

	readonly #content: Content;

	constructor(file: InputFile) {
		super([], file.uploadName, { type: file.mimeType });
		this.size = file.content.bytes;
		this.#content = file.content;
	}

	/** Reads from the start each time, so a form can be sent again. */
	override stream(): ReturnType<File['stream']> {
		return ReadableStream.from(this.#content.open());
	}
}
