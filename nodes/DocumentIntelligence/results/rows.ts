import type { IDataObject } from 'n8n-workflow';

import {
	Field,
	isFieldObject,
	isTable,
	rowOf,
	valuesOf,
	type FieldObject,
	type FieldTree,
} from './fields';

/** What fits into a cell of a spreadsheet. */
export type Cell = string | number | boolean | null;

type Cells = ReadonlyMap<string, Cell>;

/** One row of a spreadsheet, before it is known which columns the whole run has. */
export interface Row {
	/** Of the document, repeated on each of its rows. */
	document: Cells;
	/** Of this row of the document's table; a document without a table has one row without cells. */
	table: { name: string; rowNumber?: number; cells: Cells };
	/** What the service and the options add to a document. */
	additions: Cells;
	/** The item it came from, where the user wants that. */
	input: Cells;
}

/** The part of metadata whose fields stand without its name in a flat row (node-ui, spreadsheet rows). */
const FIELDS = 'fields';

/** A document as rows: its table row by row, with everything else of it on each. */
export function documentRows(
	metadata: FieldObject,
	rowsFrom: string,
	details: boolean,
): Array<Pick<Row, 'document' | 'table'>> {
	const table = chooseTable(metadata, rowsFrom);
	const { [FIELDS]: fields, ...rest } = metadata;
	const parts = fields !== undefined && isFieldObject(fields) ? [rest, fields] : [metadata];
	const document = flatten(parts, details, table?.rows);
	if (table === undefined || table.rows.length === 0) {
		return [{ document, table: { name: '', rowNumber: 1, cells: new Map() } }];
	}
	return table.rows.map((entry, position) => ({
		document,
		table: { name: table.name, rowNumber: position + 1, cells: rowCells(entry, details) },
	}));
}

function rowCells(entry: FieldTree, details: boolean): Cells {
	const row = rowOf(entry) ?? {};
	if (!details || !(entry instanceof Field)) return flatten([row], details);
	// The service was sure of the row as a whole.
	const { confidence, page, boundingBox } = entry;
	return flatten(
		[row, { confidence: asCell(confidence), page: asCell(page), boundingBox: asCell(boundingBox) }],
		details,
	);
}

interface Table {
	/** Last part of its path. */
	name: string;
	/** From the document down, without `fields`. */
	path: string;
	rows: FieldTree[];
}

/** Whether a document has the table that the user names. */
export function hasTable(metadata: FieldObject, name: string): boolean {
	return tablesIn(metadata).some((table) => isNamed(table, name));
}

/** The one that is named, by its name or path, else the one with the most rows; the first of several. */
function chooseTable(metadata: FieldObject, rowsFrom: string): Table | undefined {
	const tables = tablesIn(metadata);
	if (rowsFrom !== '') return tables.find((table) => isNamed(table, rowsFrom));
	const most = tables.reduce((longest, { rows }) => Math.max(longest, rows.length), 0);
	return tables.find(({ rows }) => rows.length === most);
}

function isNamed({ name, path }: Table, wanted: string): boolean {
	const plain = wanted.toLowerCase();
	return [name, path, `${FIELDS}.${path}`].some((candidate) => candidate.toLowerCase() === plain);
}

function tablesIn(tree: FieldTree, path: string[] = []): Table[] {
	if (tree instanceof Field) return tablesIn(tree.value, path);
	if (isTable(tree)) {
		const known = path[0] === FIELDS ? path.slice(1) : path;
		return [{ name: path.at(-1) ?? '', path: known.join('.'), rows: tree }];
	}
	if (!isFieldObject(tree)) return [];
	return Object.entries(tree).flatMap(([name, entry]) => tablesIn(entry, [...path, name]));
}

/**
 * Objects as cells: nested names joined with `_`, arrays as JSON text. Where two names become the same, the later
 * one gets a trailing underscore, so that nothing is lost.
 *
 * @param without a table that has rows of its own
 */
export function flatten(
	objects: FieldObject[],
	details = false,
	without?: FieldTree,
): Map<string, Cell> {
	const cells = new Map<string, Cell>();
	const put = (name: string, cell: Cell) => {
		let free = name;
		while (cells.has(free)) free += '_';
		cells.set(free, cell);
	};
	const visit = (name: string, tree: FieldTree): void => {
		if (tree === without) return;
		if (tree instanceof Field) {
			visit(name, tree.value);
			if (!details) return;
			put(`${name}_confidence`, asCell(tree.confidence));
			put(`${name}_page`, asCell(tree.page));
			put(`${name}_boundingBox`, asCell(tree.boundingBox));
			return;
		}
		const entries = isFieldObject(tree) ? Object.entries(tree) : [];
		if (entries.length === 0) put(name, asCell(valuesOf(tree, details)));
		for (const [inner, entry] of entries) visit(`${name}_${inner}`, entry);
	};
	for (const object of objects) {
		for (const [name, entry] of Object.entries(object)) visit(name, entry);
	}
	return cells;
}

/** The entries of an object as cells; those that are undefined are left out. */
export function cellsOf(object: object): Cells {
	const entries = Object.entries(object).filter(([, value]) => value !== undefined);
	return new Map(entries.map(([name, value]) => [name, asCell(value)]));
}

/** A value as it is, where a cell can hold it; else its JSON text. */
export function asCell(value: unknown): Cell {
	if (value === undefined || value === null) return null;
	return typeof value === 'object' ? JSON.stringify(value) : (value as Cell);
}

/** A cell of a row, with the column it belongs to. */
interface Placed {
	part: (typeof PARTS)[number];
	/** The column it wants; another one may have the name already. */
	name: string;
	cell: Cell;
}

/** The order in which columns stand, so that what documents have in common stands together. */
const PARTS = ['document', 'rowNumber', 'table', 'tableOfItsOwn', 'additions', 'input'] as const;

/**
 * Gives all rows of a run the same columns in the same order, whatever their documents hold (node-ui, spreadsheet
 * rows). A column of tables whose name a document's field has too is named with its table, on every row.
 */
export function layOut(rows: Row[]): IDataObject[] {
	const documentNames = new Set(rows.flatMap(({ document }) => [...document.keys()]));
	const placed = rows.map(({ document, table, additions, input }): Placed[] => [
		...placedIn('document', document),
		...(table.rowNumber === undefined
			? []
			: placedIn('rowNumber', new Map([['rowNumber', table.rowNumber]]))),
		...[...table.cells].map(([name, cell]) =>
			documentNames.has(name)
				? { part: 'tableOfItsOwn' as const, name: `${table.name}_${name}`, cell }
				: { part: 'table' as const, name, cell },
		),
		...placedIn('additions', additions),
		...placedIn('input', input),
	]);

	const columns = new Map<string, string>();
	const taken = new Set<string>();
	const cells = placed.flat();
	for (const part of PARTS) {
		for (const wanted of cells.filter((cell) => cell.part === part)) {
			if (columns.has(columnOf(wanted))) continue;
			let free = wanted.name;
			while (taken.has(free)) free += '_';
			taken.add(free);
			columns.set(columnOf(wanted), free);
		}
	}
	return placed.map((row) => {
		const values = new Map(row.map((cell) => [columns.get(columnOf(cell)), cell.cell]));
		return Object.fromEntries([...taken].map((column) => [column, values.get(column) ?? null]));
	});
}

function placedIn(part: Placed['part'], cells: Cells): Placed[] {
	return [...cells].map(([name, cell]) => ({ part, name, cell }));
}

function columnOf({ part, name }: Placed): string {
	return `${part} ${name}`;
}
