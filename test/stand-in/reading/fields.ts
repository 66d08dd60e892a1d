import { boxAround, cellsOf, overlap, textOf, type Cell, type Page, type Word } from './page';
import { templates, type Way } from './templates';

/** A value as the service reports it; the place is left out where the document has none. */
export interface Field {
	value: string | null;
	confidence: number;
	page?: number;
	bbox?: [number, number, number, number];
	bbox_confidence?: number;
}

export const notFound: Field = { value: null, confidence: 0 };

export function fieldFrom(words: Word[], confidence: number, page: Page, value = textOf(words)) {
	if (page.number === null) return { value, confidence };
	const { x0, y0, x1, y1 } = boxAround(words);
	const fraction = (distance: number, whole: number) =>
		Math.round(Math.min(1, Math.max(0, distance / whole)) * 10_000) / 10_000;
	const { width, height } = page;
	const field: Field = {
		value,
		confidence,
		page: page.number,
		bbox: [fraction(x0, width), fraction(y0, height), fraction(x1, width), fraction(y1, height)],
		bbox_confidence: confidence - 2,
	};
	return field;
}

export function readField(way: Way, pages: Page[]): Field {
	for (const page of way === 'largestAtTop' ? pages.slice(0, 1) : pages) {
		const found = follow(way, page);
		if (found) return found;
	}
	return notFound;
}

/** How sure a reading is depends on how it was come by, not on what it says. */
function follow(way: Way, page: Page): Field | undefined {
	if (way === 'largestAtTop') return largestAtTop(page);
	if ('inText' in way) return inText(way, page);
	const value = beside(way.below, page);
	return value && fieldFrom(value, 91, page);
}

/** Lines, with a tab between cells. */
export function pageText({ lines }: Page): string {
	return lines.map((line) => cellsOf(line).map(textOf).join('\t')).join('\n');
}

function inText({ inText: pattern, confidence }: Extract<Way, { inText: RegExp }>, page: Page) {
	const match = new RegExp(pattern.source, `${pattern.flags}d`).exec(pageText(page));
	const [from = 0, to = 0] = match?.indices?.[1] ?? [];
	const value = match?.[1]?.trim();
	return value ? fieldFrom(wordsBetween(page, from, to), confidence, page, value) : undefined;
}

/** In the text of the page, one character follows each word. */
function wordsBetween({ lines }: Page, from: number, to: number): Word[] {
	let next = 0;
	return lines.flat().filter(({ text }) => {
		const start = next;
		next += text.length + 1;
		return start < to && start + text.length > from;
	});
}

function beside(label: RegExp, { lines }: Page): Cell | undefined {
	for (const [at, line] of lines.entries()) {
		const cells = cellsOf(line);
		const place = cells.findIndex((cell) => label.test(textOf(cell)));
		const found = cells[place];
		if (found === undefined) continue;
		if (textOf(found).endsWith(':')) return cells[place + 1];
		const above = boxAround(found);
		const lower = lines.slice(at + 1, at + 3).flatMap(cellsOf);
		return lower.find((cell) => overlap(boxAround(cell), above) > 0);
	}
	return undefined;
}

function largestAtTop(page: Page): Field | undefined {
	const cells = page.lines
		.filter((line) => (line[0]?.y1 ?? 0) < 0.35 * page.height)
		.flatMap(cellsOf)
		.filter((cell) => !templates.some(({ title }) => title.test(textOf(cell))));
	const [largest] = cells.toSorted((a, b) => sizeOf(b) - sizeOf(a));
	return largest && fieldFrom(largest, 62, page);
}

/** Rounded, because a file may set one line in 9.96 and the next in 10. */
function sizeOf([word]: Cell): number {
	return Math.round(word?.size ?? 0);
}

/** What a document without a template offers: everything that is printed as a label with a colon and a value beside it. */
export function labelValuePairs(pages: Page[]): Record<string, Field> {
	const pairs: Record<string, Field> = {};
	for (const page of pages)
		for (const cells of page.lines.map(cellsOf))
			for (const [place, cell] of cells.entries()) {
				const length = cell.findIndex(({ text }) => text.endsWith(':')) + 1;
				const value = length < cell.length ? cell.slice(length) : (cells[place + 1] ?? []);
				if (length > 0 && value.length > 0)
					pairs[fieldName(textOf(cell.slice(0, length)))] ??= fieldFrom(value, 88, page);
			}
	return pairs;
}

/** "Date of birth:" becomes "dateOfBirth", in whatever script it is written. */
function fieldName(label: string): string {
	const [first = '', ...others] = label.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	return first + others.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}
