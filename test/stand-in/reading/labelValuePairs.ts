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
function fieldName(label: string): string {
	const [first, ...others] = label.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	return (first ?? '') + others.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

/** The value stands behind a colon: in the cell of the label, or in the next one. */
function pairsIn(line: Line): Array<{ label: Cell; value: Cell; confidence: number }> {
	const cells = cellsOf(line);
	return cells.flatMap((cell, index) => {
		const colon = cell.findIndex(({ text }) => text.endsWith(':'));
		const next = cells[index + 1] ?? [];
		if (colon < 0)
			return isLabelled(cells, index) ? [{ label: cell, value: next, confidence: 64 }] : [];
		const label = cell.slice(0, colon + 1);
		const inCell = cell.slice(colon + 1);
		const value = inCell.length > 0 ? inCell : next;
		const isPair = value.length > 0 && !textOf(value).endsWith(':') && colon < longestLabel;
		return isPair && /\p{L}/u.test(textOf(label)) ? [{ label, value, confidence: 88 }] : [];
	});
}

/** Without a colon, the last two cells of a line are a pair if words stand left and a figure right; longer rows are those of a table. */
function isLabelled(cells: Cell[], index: number): boolean {
	if (cells.length > 3 || index !== cells.length - 2) return false;
	const [label = [], value = []] = cells.slice(index);
	const words = textOf(label).replace(/\d+(?:[.,]\d+)?\s?%/, '');
	const isFigure = value.length <= 4 && /^[^:]*\d[^:]*$/.test(textOf(value));
	return label.length <= longestLabel && /^\p{L}\D*$/u.test(words) && isFigure;
}
