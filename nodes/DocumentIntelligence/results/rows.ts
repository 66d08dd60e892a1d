import type { IDataObject } from 'n8n-workflow';

import { detailOf, FIELDS, inside, nameColumns, ROOT, rowOfTable, type Place } from './columns';
import {
	Field,
	isFieldObject,
	isTable,
	rowOf,
	valuesOf,
	type FieldObject,
	type FieldTree,
} from './fields';
import { pathName, type Doubts, type Path } from './review';

/** What fits into a cell of a spreadsheet. */
type Cell = string | number | boolean | null;

export type Cells = ReadonlyMap<Place, Cell>;

/**
 * One row of a spreadsheet, before it is known which columns the whole run has. Parts that rows have in common are
 * one map, so that they take memory and time once.
 */
export interface Row {
	/** Of `additions`, what stands before the document. */
	leading?: Cells;
	/** Of the document, repeated on each of its rows. */
	document: Cells;
	/** The number of the row. */
	counter?: Cells;
	/** Of this row of the document's table. */
	table?: Cells;
	/** What the service and the options add to a document. */
	additions: Cells;
	/** The item it came from, where the user wants that. */
	input?: Cells;
	/** Where a person should look: the columns have their names only when all rows are there. */
	doubts?: Lists<DoubtfulPlace[]>;
}

/** One of each list that names what a person should look at. */
type Lists<List> = Partial<Record<keyof Doubts, List>>;

interface DoubtfulPlace {
	part: 'document' | 'table';
	/** Of the column. */
	place: Place;
	/** What leads to it inside the column. */
	inner?: Path;
	/** Its name where no column of the row holds it. */
	path: string;
}

/** A document as one row, its tables as JSON text. */
export function documentRow(
	metadata: FieldObject,
	details: boolean,
	doubts: Doubts = {},
): Pick<Row, 'document' | 'doubts'> {
	return {
		document: cellsIn(withFieldsLast(metadata), { details }),
		doubts: eachList(doubts, (paths) =>
			paths.map((path) => ({ ...placeInDocument(path), inner: path.slice(namesBefore(path)) })),
		),
	};
}

function eachList<From, To>(lists: Lists<From>, change: (list: From) => To): Lists<To> {
	return Object.fromEntries(
		Object.entries(lists).flatMap(([name, list]) =>
			list === undefined ? [] : [[name, change(list)]],
		),
	);
}

function withFieldsLast(metadata: FieldObject): FieldObject {
	const { [FIELDS]: fields = null, ...rest } = metadata;
	return isFieldObject(fields) ? { ...rest, [FIELDS]: fields } : metadata;
}

/** A document as rows: its table row by row, with everything else of it on each. */
export function lineItemRows(
	metadata: FieldObject,
	rowsFrom: string,
	details: boolean,
	doubts: Doubts = {},
): Array<Pick<Row, 'document' | 'counter' | 'table' | 'doubts'>> {
	const table = chooseTable(metadata, rowsFrom);
	const document = cellsIn(withFieldsLast(metadata), { details, without: table?.entries });
	const counter = (position: number) => cellsOf({ rowNumber: position + 1 });
	const hasRows = table !== undefined && table.rows.length > 0;
	const places = eachList(doubts, (paths) =>
		doubtfulPlaces(paths, hasRows ? table.path : undefined),
	);
	const doubtsIn = (position?: number) => ({
		doubts: eachList(places, ({ ofDocument, ofRows }) => [
			...ofDocument,
			...(ofRows.get(position) ?? []),
		]),
	});
	if (!hasRows) return [{ document, counter: counter(0), ...doubtsIn() }];
	const place = rowOfTable(table.path.reduce(inside, ROOT));
	const positions = table.entries.flatMap((entry, position) =>
		rowOf(entry) === undefined ? [] : [position],
	);
	return table.rows.map((row, number) => ({
		document,
		counter: counter(number),
		table: cellsIn(row, { place, details }),
		...doubtsIn(positions[number]),
	}));
}

/** What is doubtful in the columns of a document, and in those of each row of its table by the position of the row. */
function doubtfulPlaces(paths: Path[], table: string[] | undefined) {
	// Each column once: another table is one, and all of this is repeated on each row.
	const ofDocument = new Map<Place, DoubtfulPlace>();
	const ofRows = new Map<number | undefined, DoubtfulPlace[]>();
	for (const path of paths) {
		const isInTable = table?.every((name, depth) => path[depth] === name);
		const position = isInTable ? path[table?.length ?? 0] : undefined;
		if (table === undefined || typeof position !== 'number') {
			const found = placeInDocument(path);
			if (!ofDocument.has(found.place)) ofDocument.set(found.place, found);
			continue;
		}
		const place = placeOf(path.slice(table.length + 1), rowOfTable(placeOf(table)));
		const ofRow = ofRows.get(position) ?? [];
		ofRow.push({ part: 'table', place, path: pathName(path) });
		ofRows.set(position, ofRow);
	}
	return { ofDocument: [...ofDocument.values()], ofRows };
}

function placeInDocument(path: Path): DoubtfulPlace {
	return { part: 'document', place: placeOf(path), path: pathName(path) };
}

/** Of the column that holds what a path leads to: lists stand in one as a whole. */
function placeOf(path: Path, start: Place = ROOT): Place {
	return path
		.slice(0, namesBefore(path))
		.reduce<Place>((place, name) => inside(place, String(name)), start);
}

/** How many names a path has before its first position in a list. */
function namesBefore(path: Path): number {
	const list = path.findIndex((part) => typeof part === 'number');
	return list < 0 ? path.length : list;
}

interface Table {
	/** The names that lead to it from the document. */
	path: string[];
	entries: FieldTree[];
	/** The entries that are not null. */
	rows: FieldTree[];
}

/** Whether a document has the table that the user names. */
export function hasTable(metadata: FieldObject, name: string): boolean {
	return tableNamed(tablesIn(metadata), name) !== undefined;
}

/** The one that is named, else the one with the most rows; the first of several. */
function chooseTable(metadata: FieldObject, rowsFrom: string): Table | undefined {
	const tables = tablesIn(metadata);
	if (rowsFrom !== '') return tableNamed(tables, rowsFrom);
	const most = tables.reduce((longest, { rows }) => Math.max(longest, rows.length), 0);
	return tables.find(({ rows }) => rows.length === most);
}

/** By its path, with `fields` or without, before its name alone; as it is written before another case. */
function tableNamed(tables: Table[], wanted: string): Table | undefined {
	const ways: Array<(path: string[]) => string> = [
		(path) => path.join('.'),
		(path) => (path[0] === FIELDS ? path.slice(1) : path).join('.'),
		(path) => path.at(-1) ?? '',
	];
	for (const way of ways) {
		const found =
			tables.find(({ path }) => way(path) === wanted) ??
			tables.find(({ path }) => way(path).toLowerCase() === wanted.toLowerCase());
		if (found !== undefined) return found;
	}
	return undefined;
}

function tablesIn(tree: FieldTree, path: string[] = []): Table[] {
	if (tree instanceof Field) return tablesIn(tree.value, path);
	if (isTable(tree)) {
		return [{ path, entries: tree, rows: tree.filter((entry) => rowOf(entry) !== undefined) }];
	}
	if (!isFieldObject(tree)) return [];
	return Object.entries(tree).flatMap(([name, entry]) => tablesIn(entry, [...path, name]));
}

interface CellOptions {
	/** Of the tree; ROOT for a document. */
	place?: Place;
	/** Whether confidence, page and bounding box of a field have cells as well. */
	details?: boolean;
	/** A table that has rows of its own. */
	without?: FieldTree;
}

/** A document or a row as cells; arrays as JSON text. */
export function cellsIn(
	tree: FieldTree,
	{ place: start = ROOT, details = false, without }: CellOptions = {},
): Cells {
	const cells = new Map<Place, Cell>();
	const visit = (place: Place, entry: FieldTree, field = place): void => {
		if (entry === without) return;
		if (entry instanceof Field) {
			// A field can be the value of a field, with details of its own.
			visit(place, entry.value, detailOf(field, 'value'));
			if (!details) return;
			for (const name of ['confidence', 'page', 'boundingBox'] as const) {
				cells.set(detailOf(field, name), asCell(entry[name]));
			}
			return;
		}
		const entries = isFieldObject(entry) ? Object.entries(entry) : [];
		if (entries.length === 0 && place !== start) cells.set(place, asCell(valuesOf(entry, details)));
		for (const [name, inner] of entries) visit(inside(place, name), inner);
	};
	visit(start, tree);
	return cells;
}

/** The entries of an object as cells; those that are undefined are skipped. */
export function cellsOf(object: object): Cells {
	const entries = Object.entries(object).filter(([, value]) => value !== undefined);
	return new Map(entries.map(([name, value]) => [inside(ROOT, name), asCell(value)]));
}

/** A value as it is, where a cell can hold it; else its JSON text. */
function asCell(value: unknown): Cell {
	if (value === undefined || value === null) return null;
	return typeof value === 'object' ? JSON.stringify(value) : (value as Cell);
}

/** The parts of a row, in the order of their columns: what documents have in common stands together. */
const PARTS = ['leading', 'document', 'counter', 'table', 'additions', 'input'] as const;

type Part = (typeof PARTS)[number];

/**
 * The parts in the order in which their columns get names: a template keeps its own. Those that stand together share
 * their columns.
 */
const NAMED_PARTS: ReadonlyArray<readonly Part[]> = [
	['document'],
	['table'],
	['counter'],
	['leading', 'additions'],
	['input'],
];

/** Empty cells that are worth their memory, about 70 bytes each. Rows of a few hundred columns never have as many. */
const MAX_EMPTY_CELLS = 2_000_000;

export interface Layout {
	rows: IDataObject[];
	columnCount: number;
	/** Whether every row has all columns; otherwise the first has, and the others those that they have cells for. */
	isComplete: boolean;
}

/**
 * Gives all rows of a run the same columns in the same order, whatever their documents hold. A column holds one place
 * of the documents, and its name does not depend on the order in which they come.
 */
export function layOut(rows: Row[]): Layout {
	const taken = new Set<string>();
	const places = new Map(PARTS.map((part) => [part, placesIn(rows, part)]));
	const placesOf = (part: Part) => [...(places.get(part) ?? [])];
	const columns = new Map(
		NAMED_PARTS.flatMap((parts) => {
			const names = nameColumns(new Set(parts.flatMap(placesOf)), taken);
			return parts.map((part) => [part, names]);
		}),
	);
	const columnOf = (part: Part, place: Place) => columns.get(part)?.get(place) ?? '';
	const blank: Record<string, null> = Object.fromEntries(
		PARTS.flatMap((part) => placesOf(part).map((place) => [columnOf(part, place), null])),
	);
	const filled = rows.reduce(
		(sum, row) => PARTS.reduce((cells, part) => cells + (row[part]?.size ?? 0), sum),
		0,
	);
	const isComplete = rows.length * taken.size - filled <= MAX_EMPTY_CELLS;
	const cellsOfRow = (row: Row): Record<string, Cell> =>
		Object.fromEntries(
			PARTS.flatMap((part) =>
				[...(row[part] ?? [])].map(([place, cell]) => [columnOf(part, place), cell]),
			),
		);
	const doubtsInRow = ({ doubts = {} }: Row): Record<string, Cell> =>
		Object.fromEntries(
			Object.entries(doubts).map(([list, places]) => {
				const names = places.map(({ part, place, inner = [], path }) => {
					const column = columnOf(part, place);
					return column === '' ? path : pathName([column, ...inner]);
				});
				return [columnOf('additions', inside(ROOT, list)), asCell([...new Set(names)])];
			}),
		);
	return {
		rows: rows.map((row, position) => ({
			...(isComplete || position === 0 ? blank : {}),
			...cellsOfRow(row),
			...doubtsInRow(row),
		})),
		columnCount: taken.size,
		isComplete,
	};
}

/** Where the cells of a part stand, in the order in which they come up. */
function placesIn(rows: Row[], part: Part): Set<Place> {
	// Rows share the cells of their document.
	const shared = new Set(rows.map((row) => row[part]));
	return new Set([...shared].flatMap((cells) => [...(cells?.keys() ?? [])]));
}
