import { fieldFrom, notFound, type Field } from './field';
import { findInLine } from './labels';
import {
	boxAround,
	cellsOf,
	overlap,
	textOf,
	type Box,
	type Line,
	type Page,
	type Word,
} from './page';
import type { ColumnOfTemplate, Template } from './template';
import { valueForms } from './values';

export type TableItem = Record<string, Field>;

interface Column extends Box {
	/** Null for a heading that is not of the template. */
	name: string | null;
}

const leastColumns = 3;

/** The rows under a header line, over as many pages as the table goes on. */
export function readTable(
	{ columns: wanted, required }: NonNullable<Template['table']>,
	pages: Page[],
): TableItem[] {
	const items: TableItem[] = [];
	let columns: Column[] | undefined;
	for (const page of pages) {
		for (const line of page.lines) {
			const header = columnsIn(line, wanted);
			if (isHeader(header, required)) columns = header;
			if (columns === undefined || columns === header) continue;
			const words = assign(line, columns);
			if (!isMoney(textOf(words.get('amount') ?? []))) continue;
			if (required.every((name) => words.has(name))) items.push(toItem(words, columns, page));
			// A sum without a description is no longer an item. Only another header can open the table again.
			else columns = undefined;
		}
	}
	return items;
}

function isHeader(columns: Column[], required: string[]): boolean {
	const names = columns.flatMap(({ name }) => name ?? []);
	return names.length >= leastColumns && required.every((name) => names.includes(name));
}

function columnsIn(line: Line, wanted: ColumnOfTemplate[]): Column[] {
	const taken = new Set<Word>();
	const spans: Array<{ name: string | null; words: Word[] }> = [];
	for (const { name, labels } of wanted) {
		for (const label of labels) {
			const places = findInLine(line, label).map(({ start, end }) => line.slice(start, end));
			// Of two that say the same, as TOTAL under "Total | Tax | Total" would, the last is the sum.
			const free = places.findLast((words) => words.every((word) => !taken.has(word)));
			if (!free) continue;
			for (const word of free) taken.add(word);
			spans.push({ name, words: free });
			break;
		}
	}
	for (const cell of cellsOf(line))
		if (!cell.some((word) => taken.has(word))) spans.push({ name: null, words: cell });
	return spans.map(({ name, words }) => ({ name, ...boxAround(words) }));
}

function isMoney(text: string): boolean {
	return new RegExp(`^${valueForms.money.source}$`).test(text);
}

/** Gives each cell of a row to the column under which most of it stands, or to the nearest one. */
function assign(line: Line, columns: Column[]): Map<string, Word[]> {
	const row = new Map<string, Word[]>();
	for (const cell of cellsOf(line)) {
		const box = boxAround(cell);
		const [nearest] = columns.toSorted((a, b) => overlap(b, box) - overlap(a, box));
		if (nearest?.name) row.set(nearest.name, [...(row.get(nearest.name) ?? []), ...cell]);
	}
	return row;
}

function toItem(row: Map<string, Word[]>, columns: Column[], page: Page): TableItem {
	const item: TableItem = {};
	for (const { name } of columns.toSorted((a, b) => a.x0 - b.x0)) {
		if (name === null) continue;
		const words = row.get(name);
		item[name] = words ? fieldFrom(textOf(words), 93, page, words) : notFound;
	}
	return item;
}
