import { fieldFrom, notFound, type Field } from './fields';
import { boxAround, cellsOf, overlap, textOf, type Cell, type Page } from './page';
import type { Template } from './templates';

interface Column {
	/** Undefined for a heading that is not of the template. */
	name?: string;
	heading: Cell;
}

const AMOUNT = /^[€$£]?\d[\d., ]*\d(?: €)?$/;

/** The rows under a header line, over as many pages as the table goes on. */
export function readTable(
	{ columns, required }: NonNullable<Template['table']>,
	pages: Page[],
): Array<Record<string, Field>> {
	const items: Array<Record<string, Field>> = [];
	let headings: Column[] = [];
	for (const page of pages)
		for (const cells of page.lines.map(cellsOf)) {
			const header = cells.map((heading): Column => {
				const entry = Object.entries(columns).find(([, label]) => label.test(textOf(heading)));
				return { name: entry?.[0], heading };
			});
			if (required.every((name) => header.some((column) => column.name === name))) {
				headings = header;
				continue;
			}
			const row = rowOf(cells, headings);
			if (!AMOUNT.test(textOf(row.amount ?? []))) continue;
			// A sum without a description is no longer an item. Only another header can open the table again.
			if (!required.every((name) => name in row)) headings = [];
			else
				items.push(
					Object.fromEntries(
						headings.flatMap(({ name }) => {
							if (name === undefined) return [];
							const cell = row[name];
							return [[name, cell ? fieldFrom(cell, 93, page) : notFound]];
						}),
					),
				);
		}
	return items;
}

/** Gives each cell to the column under which most of it stands, or to the nearest one. */
function rowOf(cells: Cell[], headings: Column[]): Record<string, Cell> {
	const row: Record<string, Cell> = {};
	for (const cell of cells) {
		const box = boxAround(cell);
		const [nearest] = headings.toSorted(
			(a, b) => overlap(boxAround(b.heading), box) - overlap(boxAround(a.heading), box),
		);
		if (nearest?.name !== undefined) row[nearest.name] = [...(row[nearest.name] ?? []), ...cell];
	}
	return row;
}
