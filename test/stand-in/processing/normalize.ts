import { extname } from 'node:path';
import { PDFDocument, StandardFonts, type PDFFont } from 'pdf-lib';
import type { UploadedFile } from '../http/form';
import { HttpError } from '../http/responses';
import { formatOf, imageTypeOf } from '../reading/documentText';
import { cellsOf, textOf, type Page } from '../reading/page';
import { readWordDocument } from '../reading/word';

/** How a document is stored. */
export interface StoredForm {
	contentType: string;
	/** In place of what was uploaded. */
	content?: Buffer;
}

/** Images are stored as they are, and everything else as a PDF, whatever its name says. */
export async function normalize({
	path,
	fileName,
}: Pick<UploadedFile, 'path' | 'fileName'>): Promise<StoredForm> {
	const extension = extname(fileName).toLowerCase();
	const format = await formatOf(path);
	if (format === 'word') return await converted(path);
	if (format === 'other' && extension.startsWith('.doc'))
		throw new HttpError(
			422,
			'DOCUMENT_NOT_CONVERTIBLE',
			`"${fileName}" could not be converted safely.`,
			{ field: 'file' },
		);
	const contentType = (await imageTypeOf(path)) ?? typeByExtension[extension] ?? 'application/pdf';
	return { contentType };
}

/** Of what cannot be read: neither a test nor a fault needs more. */
const typeByExtension: Record<string, string> = {
	'.png': 'image/png',
	'.jpg': 'image/jpeg',
	'.jpeg': 'image/jpeg',
	'.tif': 'image/tiff',
	'.tiff': 'image/tiff',
	'.bmp': 'image/bmp',
};

/** A PDF with the text of a Word document, at the places at which the stand-in reads it. */
async function converted(path: string): Promise<StoredForm> {
	const pdf = await PDFDocument.create();
	const font = await pdf.embedFont(StandardFonts.Helvetica);
	for (const page of await readWordDocument(path)) draw(page, pdf, font);
	return { contentType: 'application/pdf', content: Buffer.from(await pdf.save()) };
}

function draw({ width, height, lines }: Page, pdf: PDFDocument, font: PDFFont) {
	const sheet = pdf.addPage([width, height]);
	const known = new Set(font.getCharacterSet());
	for (const cell of lines.flatMap(cellsOf)) {
		const [first] = cell;
		if (!first) continue;
		const text = Array.from(textOf(cell), (letter) =>
			known.has(letter.codePointAt(0) ?? 0) ? letter : '?',
		).join('');
		sheet.drawText(text, { x: first.x0, y: height - first.y1, size: first.size, font });
	}
}
