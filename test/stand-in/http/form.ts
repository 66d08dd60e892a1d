import busboy from 'busboy';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
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

/**
 * Reads a multipart body to its end and keeps at most `keptBytes` of each file. More is still counted and hashed, so the record
 * tells what was really sent.
 */
export async function readForm(
	request: IncomingMessage,
	folder: string,
	keptBytes: number,
	parts: RecordedPart[],
): Promise<UploadedForm> {
	const form: UploadedForm = { files: [], texts: [] };
	const received: Array<() => RecordedPart> = [];
	const writing: Array<Promise<void>> = [];
	try {
		const parser = multipartParser(request);
		parser.on('field', (field, value) => {
			form.texts.push({ field, value });
			received.push(() => ({ name: field, value }));
		});
		parser.on('file', (field, stream, { filename = '', mimeType }) => {
			const path = join(folder, randomUUID());
			const file = { field, fileName: filename, contentType: mimeType, bytes: 0, sha256: '', path };
			form.files.push(file);
			received.push(() => {
				const { fileName, contentType, bytes, sha256 } = file;
				return { name: field, fileName, contentType, bytes, sha256 };
			});
			const written = writeFile(stream, file, keptBytes);
			// The parser's own outcome is awaited first; a file that broke before is reported after it.
			written.catch(() => undefined);
			writing.push(written);
		});
		await pipeline(request, parser);
		await Promise.all(writing);
		parts.push(...received.map((part) => part()));
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

function multipartParser(request: IncomingMessage) {
	try {
		// Clients send file names as raw UTF-8 bytes; paths are kept so that the record shows the name that was sent.
		return busboy({ headers: request.headers, defParamCharset: 'utf8', preservePath: true });
	} catch (error) {
		throw malformed((error as Error).message);
	}
}

async function writeFile(stream: Readable, file: UploadedFile, keptBytes: number) {
	const hash = createHash('sha256');
	const measure = new Transform({
		transform(chunk: Buffer, _encoding, done) {
			const room = keptBytes - file.bytes;
			file.bytes += chunk.length;
			hash.update(chunk);
			if (room >= chunk.length) done(null, chunk);
			else if (room > 0) done(null, chunk.subarray(0, room));
			else done();
		},
	});
	await pipeline(stream, measure, createWriteStream(file.path));
	file.sha256 = hash.digest('hex');
}
