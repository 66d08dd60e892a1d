import { fieldFrom, type Field } from './field';
import { cellsOf, textOf, type Cell, type Line, type Page } from './page';

const longestLabel = 6;

/** What a document without a template offers: everything that is printed as a label with a value beside it. */
export function labelValuePairs(pages: Page[]): Record<string, Field> {
	const pairs: Record<string, Field> = {};
	for (const page of pages) {
		for (const line of page.lines) {
			for (const { label, value, confidence } of pairsIn(line)) {
				const name = fieldName(textOf(label));
				if (name !== '' && !(name in pairs))
					pairs[name] = fieldFrom(textOf(value), confidence, page, value);
			}
		}
	}
	return pairs;
}

/** "Date of birth:" becomes "dateOfBirth", in whatever script it is written. */
export function fieldName(label: string): string {
	const [first, ...others] = label.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	return (first ?? '') + others.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

function pairsIn(line: Line): Array<{ label: Cell; value: Cell; confidence: number }> {
	const cells = cellsOf(line);
	const pairs: Array<{ label: Cell; value: Cell; confidence: number }> = [];
	for (let index = 0; index < cells.length; index++) {
		const cell = cells[index]!;
		const colon = cell.findIndex(({ text }) => text.endsWith(':'));
		const next = cells[index + 1];
		if (colon >= 0 && colon < longestLabel) {
			const label = cell.slice(0, colon + 1);
			const inCell = cell.slice(colon + 1);
			const value = inCell.length > 0 ? inCell : next;
			if (!value || textOf(value).endsWith(':') || !/\p{L}/u.test(textOf(label))) continue;
			pairs.push({ label, value, confidence: 88 });
			if (inCell.length === 0) index += 1;
		} else if (next && colon < 0 && cell.length <= longestLabel && isLabelled(cells, index)) {
			pairs.push({ label: cell, value: next, confidence: 64 });
			index += 1;
		}
	}
	return pairs;
}

/** Without a colon, the last two cells of a line are a pair if words stand left and a figure right; longer rows are those of a table. */
function isLabelled(cells: Cell[], index: number): boolean {
	const label = textOf(cells[index] ?? []).replace(/\d+(?:[.,]\d+)?\s?%/, '');
	const value = cells[index + 1] ?? [];
	const isFigure = value.length <= 4 && /^[^:]*\d[^:]*$/.test(textOf(value));
	return cells.length <= 3 && index === cells.length - 2 && /^\p{L}\D*$/u.test(label) && isFigure;
}
