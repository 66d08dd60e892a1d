import { boxAround, cellsOf, overlap, textOf, type Line, type Page, type Word } from './page';

/** A label as it stands on a page: where in its line it begins and which word comes after it. */
export interface LabelPlace {
	page: Page;
	line: Line;
	start: number;
	end: number;
}

/** How a word is compared with a label: without case, and without the punctuation that labels end in. */
function normalized(text: string): string {
	return text
		.toLowerCase()
		.replaceAll('’', "'")
		.replace(/^[#(*]+|[\s:.,;#°º*)]+$/g, '');
}

/** Where in a line the label stands; the marks between its words ("Receipt # No.") are passed over. */
export function findInLine(line: Line, label: string): Array<{ start: number; end: number }> {
	const tokens = label.split(' ').map(normalized).filter(Boolean);
	const found: Array<{ start: number; end: number }> = [];
	for (let start = 0; start < line.length; start++) {
		let end = start;
		let token = 0;
		while (end < line.length && token < tokens.length) {
			const word = normalized(line[end]?.text ?? '');
			if (word === tokens[token]) token += 1;
			else if (word !== '' || token === 0) break;
			end += 1;
		}
		if (token === tokens.length) found.push({ start, end });
	}
	return found;
}

export function* findLabel(page: Page, label: string, startsCell: boolean): Generator<LabelPlace> {
	for (const line of page.lines) {
		const cellStarts = startsCell ? cellsOf(line).map(([first]) => first) : [];
		for (const { start, end } of findInLine(line, label)) {
			if (!startsCell || cellStarts.includes(line[start])) yield { page, line, start, end };
		}
	}
}

/** What stands between a label and its value and belongs to neither. */
const passedOver =
	/^(?:(?:[:#=.]+|\([^)]*\)|\d+(?:[.,]\d+)?\s?%|n°|n[or]\b\.?|nummer\b|number\b|EUR\b|USD\b|GBP\b|CHF\b|AUD\b)\s*)*/i;

/** The words right of a label. */
export function wordsRightOf({ line, end }: LabelPlace): Word[] {
	const words = line.slice(end);
	const skipped = passedOver.exec(textOf(words))?.[0].length ?? 0;
	let length = 0;
	return words.filter((word) => {
		length += word.text.length + 1;
		return length > skipped;
	});
}

/** The cells below a label that stand in its column, nearest first; two lines are as far as a value strays. */
export function cellsBelow({ page, line, start, end }: LabelPlace): Word[][] {
	const label = boxAround(line.slice(start, end));
	const size = Math.max(...line.slice(start, end).map((word) => word.size));
	const below: Word[][] = [];
	for (const lower of page.lines.slice(page.lines.indexOf(line) + 1)) {
		const distance = Math.min(...lower.map(({ y1 }) => y1)) - label.y1;
		if (distance > 3 * size) break;
		const cell = cellsOf(lower).find((candidate) => {
			const box = boxAround(candidate);
			return overlap(box, label) > 0 || Math.abs(box.x0 - label.x0) < 1.5 * size;
		});
		if (cell) below.push(cell);
	}
	return below.slice(0, 2);
}
