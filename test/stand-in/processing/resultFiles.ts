import { zipSync } from 'fflate';
import { PDFDocument } from 'pdf-lib';
import type { Segment } from '../reading/segments';
import type { ResultFile } from '../settings';

/** The image of one document, or an archive of several. */
export function imageOrArchive(images: Buffer[]): ResultFile {
	return oneOrArchive(images, 'image/png', 'png');
}

/** The pages of one document, or an archive of several. What is no PDF is one document. */
export async function documentOrArchive(content: Buffer, segments: Segment[]): Promise<ResultFile> {
	const source = await PDFDocument.load(content).catch(() => undefined);
	if (!source) return file('application/octet-stream', content);
	const parts: Uint8Array[] = [];
	for (const { startPage, endPage } of segments) {
		const part = await PDFDocument.create();
		const numbers = Array.from(
			{ length: endPage - startPage + 1 },
			(_, page) => startPage - 1 + page,
		);
		for (const page of await part.copyPages(source, numbers)) part.addPage(page);
		parts.push(await part.save());
	}
	return oneOrArchive(parts, 'application/pdf', 'pdf');
}

function oneOrArchive(parts: Uint8Array[], contentType: string, extension: string): ResultFile {
	const [first] = parts;
	if (first && parts.length === 1) return file(contentType, first);
	const entries = parts.map((part, index) => [
		`document-${index + 1}.${extension}`,
		new Uint8Array(part),
	]);
	return file(
		'application/zip',
		zipSync(Object.fromEntries(entries) as Record<string, Uint8Array>),
	);
}

function file(contentType: string, content: Uint8Array): ResultFile {
	return { contentType, base64: Buffer.from(content).toString('base64') };
}
