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
	name: string | null;
}

const leastColumns = 3;

/** The rows under a header line, over as many pages as the table goes on. */
export function readTable(table: NonNullable<Template['table']>, pages: Page[]): TableItem[] {
	const items: TableItem[] = [];
	let columns: Column[] | undefined;
	let ended = false;
	for (const page of pages) {
		const header = findHeader(table.columns, table.required, page);
		if (header) columns = header.columns;
		// Once the totals were reached only another header can open the table again.
		else if (ended) continue;
		if (!columns) continue;
		const read = readRows(
			columns,
			table.required,
			page,
			header ? page.lines.indexOf(header.line) + 1 : 0,
		);
		items.push(...read.items);
		ended = read.ended;
	}
	return items;
}

function findHeader(
	wanted: ColumnOfTemplate[],
	required: string[],
	page: Page,
): { line: Line; columns: Column[] } | undefined {
	for (const line of page.lines) {
		const columns = columnsIn(line, wanted);
		const named = columns.filter(({ name }) => name !== null);
		if (
			named.length >= leastColumns &&
			required.every((name) => named.some((column) => column.name === name))
		)
			return { line, columns };
	}
	return undefined;
}

function columnsIn(line: Line, wanted: ColumnOfTemplate[]): Column[] {
	const taken = new Map<Word, number>();
	const spans: Array<{ name: string | null; words: Word[] }> = [];
	for (const { name, labels } of wanted) {
		for (const label of labels) {
			const places = findInLine(line, label).map(({ start, end }) => line.slice(start, end));
			// Of two that say the same, as TOTAL under "Total | Tax | Total" would, the last is the sum.
			const free = places.findLast((words) => words.every((word) => !taken.has(word)));
			if (!free) continue;
			for (const word of free) taken.set(word, spans.length);
			spans.push({ name, words: free });
			break;
		}
	}
	for (const cell of cellsOf(line)) {
		const neighbour = cell.map((word) => taken.get(word)).findLast((span) => span !== undefined);
		const rest = cell.filter((word) => !taken.has(word));
		// What is left of a heading widens it ("Preis/Einh €"); a heading that nobody asked for is a column all the same.
		if (neighbour === undefined) spans.push({ name: null, words: cell });
		else spans[neighbour]?.words.push(...rest.filter((word) => /^[^\p{L}\d]+$/u.test(word.text)));
	}
	return spans.map(({ name, words }) => ({ name, ...boxAround(words) }));
}

function readRows(
	columns: Column[],
	required: string[],
	page: Page,
	firstLine: number,
): { items: TableItem[]; ended: boolean } {
	const items: Array<{ words: Map<string, Word[]>; lastLine: Line }> = [];
	for (const line of page.lines.slice(firstLine)) {
		const words = assign(line, columns);
		const last = items.at(-1);
		const amount = textOf(words.get('amount') ?? []);
		if (required.every((name) => words.has(name)) && isMoney(amount)) {
			items.push({ words, lastLine: line });
		} else if (isMoney(amount) && last) {
			// A sum without a description is no longer an item.
			return { items: items.map((item) => toItem(item.words, columns, page)), ended: true };
		} else if (last && [...words.keys()].join() === 'description' && goesOn(last.lastLine, line)) {
			last.words.get('description')?.push(...(words.get('description') ?? []));
			last.lastLine = line;
		}
	}
	return { items: items.map((item) => toItem(item.words, columns, page)), ended: false };
}

function isMoney(text: string): boolean {
	return new RegExp(`^${valueForms.money.source}$`).test(text);
}

/** Lines of one description follow each other at the distance of running text. */
function goesOn(above: Line, line: Line): boolean {
	const [a, b] = [above[0], line[0]];
	return a !== undefined && b !== undefined && b.y1 - a.y1 <= 1.6 * b.size;
}

/** Gives each cell of a row to the column it stands under, or else to the nearest one. */
function assign(line: Line, columns: Column[]): Map<string, Word[]> {
	const row = new Map<string, Word[]>();
	for (const cell of cellsOf(line)) {
		const under = columns.filter((column) => overlap(column, boxAround(cell)) > 0);
		let column: Column | undefined;
		for (const word of cell) {
			const own =
				under.length > 1
					? under.find((candidate) => overlap(candidate, word) > 0)
					: (under[0] ?? nearest(columns, boxAround(cell)));
			column = own ?? column ?? nearest(columns, word);
			if (column?.name) row.set(column.name, [...(row.get(column.name) ?? []), word]);
		}
	}
	return row;
}

function nearest(columns: Column[], box: Box): Column | undefined {
	return columns.toSorted((a, b) => overlap(b, box) - overlap(a, box))[0];
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
