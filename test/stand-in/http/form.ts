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
	const writing: Array<Promise<void>> = [];
	let recorded = Promise.resolve();
	const paths: string[] = [];
	try {
		const parser = multipartParser(request);
		parser.on('field', (field, value) => {
			form.texts.push({ field, value });
			parts.push({ name: field, value });
		});
		parser.on('file', (field, stream, info) => {
			const path = join(folder, randomUUID());
			const file: UploadedFile = {
				field,
				fileName: info.filename ?? '',
				contentType: info.mimeType,
				bytes: 0,
				sha256: '',
				path,
			};
			form.files.push(file);
			paths.push(path);
			const stored = writeFile(stream, file, keptBytes);
			// In the order of arrival, whichever file is on disk first.
			const before = recorded.catch(() => undefined);
			const written = stored.then(async () => {
				await before;
				parts.push({
					name: field,
					fileName: file.fileName,
					contentType: file.contentType,
					bytes: file.bytes,
					sha256: file.sha256,
				});
			});
			recorded = written;
			// The parser's own outcome is awaited first; a file that broke before is reported after it.
			written.catch(() => undefined);
			writing.push(written);
		});
		await pipeline(request, parser);
		await Promise.all(writing);
		return form;
	} catch (error) {
		await Promise.allSettled(writing);
		await Promise.all(paths.map(async (path) => await rm(path, { force: true })));
		if (error instanceof HttpError) throw error;
		throw new HttpError(
			400,
			'MALFORMED_REQUEST',
			`The multipart body could not be read: ${(error as Error).message}`,
		);
	}
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
		throw new HttpError(400, 'MALFORMED_REQUEST', (error as Error).message);
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
