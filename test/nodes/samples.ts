import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IBinaryData, IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import type { Truth } from '../../examples/documents/make/truth';
import { storeFile } from '../n8n-core/runNode';
import { rawPdf } from '../pdf/rawPdf';

const repository = join(__dirname, '..', '..');
const samples = join(repository, 'examples', 'documents');

/** What is true about each sample document. */
export const truth = JSON.parse(readFileSync(join(samples, 'truth.json'), 'utf8')) as Record<
	string,
	Truth
>;

export const MB = 1024 * 1024;

const mimeTypes: Record<string, string> = {
	pdf: 'application/pdf',
	png: 'image/png',
	jpg: 'image/jpeg',
	tiff: 'image/tiff',
	bmp: 'image/bmp',
	doc: 'application/msword',
	docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
	txt: 'text/plain',
};

/** The mime type that n8n would give a file of this name. */
export function mimeTypeOf(fileName: string): string {
	const extension = fileName.split('.').at(-1)?.toLowerCase() ?? '';
	return mimeTypes[extension] ?? 'application/octet-stream';
}

export function sampleBytes(name: string): Buffer {
	return readFileSync(join(samples, name));
}

/** A sample where n8n keeps files, under its own name or another. */
export async function storedSample(name: string, as = name): Promise<IBinaryData> {
	return await storeFile(sampleBytes(name), as, mimeTypeOf(as));
}

/** An item with a file. */
export async function itemOf(
	content: Buffer,
	name: string,
	mimeType = mimeTypeOf(name),
): Promise<INodeExecutionData> {
	return { json: {}, binary: { data: await storeFile(content, name, mimeType) } };
}

/** An item with a sample, under its own name or another. */
export async function itemWith(name: string, as = name): Promise<INodeExecutionData> {
	return await itemOf(sampleBytes(name), as);
}

/** These samples, by field. */
export async function filesIn(fields: Record<string, string>): Promise<IBinaryKeyData> {
	const files = Object.entries(fields).map(async ([field, sample]) => [
		field,
		await storedSample(sample),
	]);
	return Object.fromEntries(await Promise.all(files)) as IBinaryKeyData;
}

/** An item for each of these samples. */
export async function itemsWith(...names: string[]): Promise<INodeExecutionData[]> {
	return await Promise.all(names.map(async (name) => await itemWith(name)));
}

/** So many items with an invoice each: `0.pdf`, `1.pdf` and so on. */
export async function invoiceItems(
	count: number,
	bytesOf: (name: string) => Buffer = () => sampleBytes('invoice-us.pdf'),
): Promise<INodeExecutionData[]> {
	const names = Array.from({ length: count }, (_, number) => `${number}.pdf`);
	return await Promise.all(names.map(async (name) => await itemOf(bytesOf(name), name)));
}

/** The same, with invoices of which each is unlike the others. */
export async function distinctInvoices(count: number): Promise<INodeExecutionData[]> {
	return await invoiceItems(count, numberedInvoice);
}

/** What an item of any operation needs: a document, and a selfie with its document. */
export async function filesForAnyOperation(): Promise<IBinaryKeyData> {
	return {
		data: await storedSample('id-card.png', 'one.png'),
		selfie: await storedSample('portrait.png', 'me.png'),
		documents: await storedSample('id-card.png', 'card.png'),
	};
}

/** A readable invoice of exactly so many bytes: whatever follows the end mark is no part of a PDF. */
export function pdfOfSize(bytes: number): Buffer {
	const padded = Buffer.concat([sampleBytes('invoice-us.pdf'), Buffer.alloc(bytes, ' ')]);
	return padded.subarray(0, bytes);
}

/** A readable invoice unlike any other, so that a request can be told by its bytes. */
export function uniquePdf(): Buffer {
	const comment = `\n% ${randomBytes(16).toString('hex')}\n`;
	return Buffer.concat([sampleBytes('invoice-us.pdf'), Buffer.from(comment)]);
}

/** A readable invoice with a number of its own, in a few lines: quickly read, and its result can be told by its content. */
export function numberedInvoice(invoiceNumber: string): Buffer {
	const lines = [
		'INVOICE',
		`Invoice Number: ${invoiceNumber}`,
		'Invoice Date: 2026-11-02',
		'Due Date: 2026-12-02',
		'Subtotal: 100.00 USD',
		'Total: 110.00 USD',
	];
	const content = lines.map((line, row) => `1 0 0 1 72 ${720 - 24 * row} Tm (${line}) Tj`);
	return rawPdf({
		1: '<< /Type /Catalog /Pages 2 0 R >>',
		2: '<< /Type /Pages /Kids [3 0 R] /Count 1 /Resources << /Font << /F1 4 0 R >> >> >>',
		3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R >>',
		4: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
		5: { data: `BT /F1 12 Tf ${content.join(' ')} ET` },
	});
}

export function sha256(content: Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}
