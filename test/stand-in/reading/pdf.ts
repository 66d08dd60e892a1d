import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs' with {
	'resolution-mode': 'import',
};
import { HttpError, notReadable } from '../http/responses';
import { linesFrom, type Page, type Word } from './page';

const packageFolder = dirname(require.resolve('pdfjs-dist/package.json'));

/** Reads from the file only the ranges it needs, so that a bundle of 500 MB does not come to stand in memory. */
export async function readPdf(path: string): Promise<Page[]> {
	const pdfjs = await import('pdfjs-dist/legacy/build/pdf.mjs');
	const file = await open(path);
	try {
		const { size } = await file.stat();
		const ranges = new pdfjs.PDFDataRangeTransport(size, null);
		ranges.requestDataRange = (begin, end) => void deliver(file, begin, end, ranges);
		const loading = pdfjs.getDocument({
			range: ranges,
			disableAutoFetch: true,
			disableStream: true,
			verbosity: pdfjs.VerbosityLevel.ERRORS,
			standardFontDataUrl: join(packageFolder, 'standard_fonts/'),
			cMapUrl: join(packageFolder, 'cmaps/'),
		});
		try {
			const document = await loading.promise;
			const pages: Page[] = [];
			for (let number = 1; number <= document.numPages; number++) {
				const page = await document.getPage(number);
				pages.push(await readPage(page, number));
				page.cleanup();
				// The reading engine never leaves the thread by itself; other requests want their turn between pages.
				await new Promise(setImmediate);
			}
			return pages;
		} catch (error) {
			throw unreadable(error as Error);
		} finally {
			await loading.destroy();
		}
	} finally {
		await file.close();
	}
}

interface RangeReceiver {
	onDataRange(begin: number, chunk: Uint8Array | null): void;
}

async function deliver(file: FileHandle, begin: number, end: number, receiver: RangeReceiver) {
	try {
		const { buffer, bytesRead } = await file.read(
			new Uint8Array(end - begin),
			0,
			end - begin,
			begin,
		);
		receiver.onDataRange(begin, buffer.subarray(0, bytesRead));
	} catch {
		// The document was given up and its file closed while a range was still wanted.
	}
}

async function readPage(page: PDFPageProxy, number: number): Promise<Page> {
	const { Util } = await import('pdfjs-dist/legacy/build/pdf.mjs');
	const viewport = page.getViewport({ scale: 1 });
	const { items } = await page.getTextContent();
	const words: Word[] = [];
	for (const item of items) {
		if (!('str' in item) || item.str.trim() === '') continue;
		// As the page is shown, so that a page that a scanner turned is read upright.
		const shown = Util.transform(viewport.transform, item.transform) as number[];
		const [a = 0, b = 0, , , x = 0, y = 0] = shown;
		const size = item.height || Math.hypot(a, b);
		// Text that runs up the margin is neither a label nor a value.
		if (Math.abs(b) > Math.abs(a)) continue;
		for (const match of item.str.matchAll(/\S+/g)) {
			const x0 = x + (item.width * match.index) / item.str.length;
			const x1 = x0 + (item.width * match[0].length) / item.str.length;
			words.push({ text: match[0].normalize('NFC'), x0, x1, y0: y - size * 0.8, y1: y, size });
		}
	}
	return {
		number,
		width: viewport.width,
		height: viewport.height,
		lines: linesFrom(words),
	};
}

function unreadable(error: Error): HttpError {
	if (error.name === 'PasswordException')
		return new HttpError(422, 'DOCUMENT_ENCRYPTED', 'The document is protected with a password.');
	return notReadable(`The document could not be read: ${error.message}`);
}
