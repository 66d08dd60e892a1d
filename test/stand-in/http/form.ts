import busboy from 'busboy';
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
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

const MEGABYTE = 1024 * 1024;
const EXTENSIONS = ['.pdf', '.png', '.jpg', '.jpeg', '.tiff', '.tif', '.bmp', '.doc', '.docx'];

/** What a form may carry. */
export interface FormRules {
	/** Form fields that carry files; a repeated one takes any number, the others exactly one. */
	fileFields: Array<{ name: string; repeated: boolean }>;
	textFields: string[];
	/** A larger file is rejected, and not kept beyond this. */
	maxFileBytes: number;
}

/** One file in the field `file`. */
export const ONE_FILE: FormRules = {
	fileFields: [{ name: 'file', repeated: false }],
	textFields: [],
	maxFileBytes: 10 * MEGABYTE,
};

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

/** Strict about names it does not know, so that a client's slip shows. */
export function checkForm(rules: FormRules, form: UploadedForm) {
	for (const { field } of form.files) {
		if (!rules.fileFields.some(({ name }) => name === field)) throw unknownField(field);
	}
	for (const { field } of form.texts) {
		if (!rules.textFields.includes(field)) throw unknownField(field);
	}
	for (const { name, repeated } of rules.fileFields) {
		const files = form.files.filter(({ field }) => field === name);
		if (files.length === 0)
			throw new HttpError(400, 'FILE_REQUIRED', `The form field "${name}" has to carry a file.`, {
				field: name,
			});
		if (files.length > 1 && !repeated)
			throw new HttpError(400, 'TOO_MANY_FILES', `The form field "${name}" takes one file.`, {
				field: name,
			});
		for (const file of files) checkFile(file, rules.maxFileBytes);
	}
}

function checkFile({ field, fileName, bytes }: UploadedFile, maxFileBytes: number) {
	if (bytes === 0)
		throw new HttpError(400, 'FILE_EMPTY', `The file "${fileName}" is empty.`, { field });
	if (!EXTENSIONS.includes(extname(fileName).toLowerCase())) {
		throw new HttpError(
			400,
			'FILE_EXTENSION_NOT_ALLOWED',
			`The extension of "${fileName}" is not one of ${EXTENSIONS.join(' ')}.`,
			{ field },
		);
	}
	if (bytes > maxFileBytes) {
		throw new HttpError(
			400,
			'FILE_TOO_LARGE',
			`The file "${fileName}" is larger than ${maxFileBytes / MEGABYTE} MB.`,
			{ field },
		);
	}
}

function unknownField(field: string): HttpError {
	return new HttpError(400, 'UNEXPECTED_FIELD', `The form field "${field}" is not known here.`, {
		field,
	});
}
