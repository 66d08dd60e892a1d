import { PDFDocument, StandardFonts } from 'pdf-lib';
import type { UploadedFile } from '../http/form';
import { HttpError } from '../http/responses';
import { PDF, typeOf, WORD } from '../reading/documentText';
import { cellsOf, textOf } from '../reading/page';
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
	const type = await typeOf(path);
	if (type === WORD) return { contentType: PDF, content: await converted(path) };
	if (type === undefined && /\.docx?$/i.test(fileName)) {
		const message = `"${fileName}" could not be converted safely.`;
		throw new HttpError(422, 'DOCUMENT_NOT_CONVERTIBLE', message, { field: 'file' });
	}
	return { contentType: type ?? PDF };
}

/** A PDF with the text of a Word document, at the places at which the stand-in reads it. */
async function converted(path: string): Promise<Buffer> {
	const pdf = await PDFDocument.create();
	const font = await pdf.embedFont(StandardFonts.Helvetica);
	for (const { width, height, lines } of await readWordDocument(path)) {
		const sheet = pdf.addPage([width, height]);
		for (const cell of lines.flatMap(cellsOf)) {
			const [{ x0, y1, size } = { x0: 0, y1: 0, size: 1 }] = cell;
			sheet.drawText(textOf(cell), { x: x0, y: height - y1, size, font });
		}
	}
	return Buffer.from(await pdf.save());
}
