import mammoth from 'mammoth';
import { notReadable } from '../http/responses';
import type { Line, Page, Word } from './page';

/** A Word document has an order of text but no places on paper; these stand in for them, so that "right of" and "below" keep their meaning. */
const columnWidth = 4000;
const lineHeight = 15;
const letterWidth = 5;

export async function readWordDocument(path: string): Promise<Page[]> {
	const { value: html } = await mammoth.convertToHtml({ path }).catch((error: Error) => {
		throw notReadable(`The document could not be read: ${error.message}`);
	});
	const lines: Line[] = [];
	const add = (cells: string[]) => {
		const y1 = (lines.length + 1) * lineHeight;
		const line = cells.flatMap((cell, column) => wordsOf(cell, column * columnWidth, y1));
		if (line.length > 0) lines.push(line);
	};
	for (const [, row, tag, paragraph] of html.matchAll(
		/<tr>(.*?)<\/tr>|<(p|h\d|li)>(.*?)<\/\2>/gs,
	)) {
		if (row !== undefined)
			add([...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell]) => cell ?? ''));
		else if (tag !== undefined)
			add((paragraph ?? '').split('\t').map((cell) => (tag.startsWith('h') ? `<h>${cell}` : cell)));
	}
	return [
		{
			number: null,
			width: 10 * columnWidth,
			height: (lines.length + 1) * lineHeight,
			lines,
		},
	];
}

function wordsOf(html: string, x: number, y1: number): Word[] {
	const size = html.startsWith('<h>') ? 14 : html.includes('<strong>') ? 12 : 10;
	const text = html
		.replace(/<[^>]+>/g, ' ')
		.replaceAll('&lt;', '<')
		.replaceAll('&gt;', '>')
		.replaceAll('&quot;', '"')
		.replaceAll('&amp;', '&');
	const words: Word[] = [];
	for (const [word] of text.matchAll(/\S+/g)) {
		const x1 = x + word.length * letterWidth;
		words.push({ text: word.normalize('NFC'), x0: x, x1, y0: y1 - size * 0.8, y1, size });
		x = x1 + letterWidth;
	}
	return words;
}
