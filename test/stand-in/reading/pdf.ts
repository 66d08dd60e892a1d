import { open } from 'node:fs/promises';
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
	const ranges = new pdfjs.PDFDataRangeTransport((await file.stat()).size, null);
	ranges.requestDataRange = (begin, end) => {
		const room = new Uint8Array(end - begin);
		void file.read(room, 0, room.length, begin).then(
			({ bytesRead }) => ranges.onDataRange(begin, room.subarray(0, bytesRead)),
			// The document was given up and its file closed while a range was still wanted.
			() => undefined,
		);
	};
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
			const words = await wordsOn(page);
			const { width, height } = page.getViewport({ scale: 1 });
			pages.push({ number, width, height, lines: linesFrom(words) });
			page.cleanup();
			// The reading engine never leaves the thread by itself; other requests want their turn between pages.
			await new Promise(setImmediate);
		}
		return pages;
	} catch (error) {
		throw unreadable(error as Error);
	} finally {
		await loading.destroy();
		await file.close();
	}
}

async function wordsOn(page: PDFPageProxy): Promise<Word[]> {
	const { Util } = await import('pdfjs-dist/legacy/build/pdf.mjs');
	const { transform } = page.getViewport({ scale: 1 });
	const { items } = await page.getTextContent();
	const words: Word[] = [];
	for (const item of items) {
		if (!('str' in item) || item.str.trim() === '') continue;
		// As the page is shown, so that a page that a scanner turned is read upright.
		const [a = 0, b = 0, , , x = 0, y1 = 0] = Util.transform(transform, item.transform) as number[];
		const size = item.height || Math.hypot(a, b);
		// Text that runs up the margin is neither a label nor a value.
		if (Math.abs(b) > Math.abs(a)) continue;
		const letter = item.width / item.str.length;
		for (const { 0: text, index } of item.str.matchAll(/\S+/g)) {
			const x0 = x + letter * index;
			const x1 = x0 + letter * text.length;
			words.push({ text: text.normalize('NFC'), x0, x1, y0: y1 - size * 0.8, y1, size });
		}
	}
	return words;
}

function unreadable(error: Error): HttpError {
	if (error.name === 'PasswordException')
		return new HttpError(422, 'DOCUMENT_ENCRYPTED', 'The document is protected with a password.');
	return notReadable(`The document could not be read: ${error.message}`);
}
