import busboy from 'busboy';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HttpError } from './responses';
import type { RecordedPart } from '../state/records';

/** One uploaded file, on disk: a 500 MB bundle never stands in memory. */
export interface UploadedFile {
	field: string;
	fileName: string;
	contentType: string;
	bytes: number;
	sha256: string;
	path: string;
}

export interface UploadedForm {
	files: UploadedFile[];
	texts: Array<{ field: string; value: string }>;
}

/** Reads a multipart body to its end. Of a file that is too large, one byte too many is kept, which the rules refuse. */
export async function readForm(
	request: IncomingMessage,
	folder: string,
	keptBytes: number,
	parts: RecordedPart[],
): Promise<UploadedForm> {
	const form: UploadedForm = { files: [], texts: [] };
	const writing: Array<Promise<RecordedPart>> = [];
	try {
		const parser = multipartParser(request, keptBytes + 1);
		parser.on('field', (field, value) => {
			form.texts.push({ field, value });
			writing.push(Promise.resolve({ name: field, value }));
		});
		parser.on('file', (field, stream, { filename = '', mimeType }) => {
			const path = join(folder, randomUUID());
			const file = { field, fileName: filename, contentType: mimeType, bytes: 0, sha256: '', path };
			form.files.push(file);
			const written = writeFile(stream, file);
			// The parser's own outcome is awaited first; a file that broke before is reported after it.
			written.catch(() => undefined);
			writing.push(written);
		});
		await pipeline(request, parser);
		parts.push(...(await Promise.all(writing)));
		return form;
	} catch (error) {
		await Promise.allSettled(writing);
		await discardForm(form);
		if (error instanceof HttpError) throw error;
		throw malformed(`The multipart body could not be read: ${(error as Error).message}`);
	}
}

function malformed(message: string): HttpError {
	return new HttpError(400, 'MALFORMED_REQUEST', message);
}

/** The rules for requests have seen to it that there is one. */
export function onlyFile({ files: [file] }: UploadedForm): UploadedFile {
	return file!;
}

export async function discardForm(form: UploadedForm) {
	await Promise.all(form.files.map(async (file) => await rm(file.path, { force: true })));
}

function multipartParser({ headers }: IncomingMessage, fileSize: number) {
	try {
		// Clients send file names as raw UTF-8 bytes; paths are kept so that the record shows the name that was sent.
		return busboy({
			headers,
			defParamCharset: 'utf8',
			preservePath: true,
			limits: { fileSize },
		});
	} catch (error) {
		throw malformed((error as Error).message);
	}
}

async function writeFile(stream: Readable, file: UploadedFile): Promise<RecordedPart> {
	const hash = createHash('sha256');
	const measured = async function* (source: AsyncIterable<Buffer>) {
		for await (const chunk of source) {
			file.bytes += chunk.length;
			hash.update(chunk);
			yield chunk;
		}
	};
	await pipeline(stream, measured, createWriteStream(file.path));
	file.sha256 = hash.digest('hex');
	const { field: name, fileName, contentType, bytes, sha256 } = file;
	return { name, fileName, contentType, bytes, sha256 };
}
