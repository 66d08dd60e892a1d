import type { IDataObject } from 'n8n-workflow';

import { quoted } from '../text/words';
import { nameColumns, textsAmongNumbers } from './columns';
import {
	Field,
	isFieldObject,
	isTable,
	rowOf,
	valuesOf,
	type FieldObject,
	type FieldTree,
	type Scalar,
} from './fields';
import { cellPathOf, FIELDS, plainName, shortName, type CellPath, type Step } from './paths';
import { reviewByRow, type DocumentReview } from './rowReview';

/** A row, or a part of it, before its columns have names. */
export type Cells = ReadonlyMap<CellPath, Scalar>;

/** The values of one document, before they become rows. The additions have the columns of its review. */
export interface DocumentValues extends DocumentReview {
	/** The fields of its template, with what is known along with them. */
	metadata: FieldObject;
	/** Follows the metadata in its row; ignored with `rowsFrom`. */
	table?: FieldObject;
	/** Values of the service and the options; undefined ones are skipped. */
	additions: Record<string, unknown>;
	/** The input item, if the user includes it. */
	input?: Cells;
	/** Whether a field's confidence, page and bounding box have cells as well. */
	withDetails?: boolean;
	/** Name or path of the table for rows per line item, empty for the run's choice; undefined for none. */
	rowsFrom?: string;
}

/** In the order in which their columns get names: a template keeps its own. `rankOf` decides where they are shown. */
const PARTS = ['metadata', 'table', 'rowNumber', 'additions', 'input'] as const;

type PartOfRow = (typeof PARTS)[number];

/** Rows share the maps of the parts that they have in common, which saves memory and time. */
type Row = Partial<Record<PartOfRow, Cells>> & { position?: number };

/** The lines of a document. */
interface Sheet {
	values: DocumentValues;
	/** Where its tables are. */
	tables: CellPath[];
	lines: Row[];
	/** Of the table that the lines are from; undefined if there is none, so that the document is one line. */
	tablePath?: string[];
}

interface Table {
	path: string[];
	entries: FieldTree[];
}

/** At about 70 bytes each, more empty cells are not worth their memory. */
const MAX_EMPTY_CELLS = 2_000_000;

/**
 * Gives all rows of a run the same columns, one for each path in the documents.
 * @returns the rows of each document, and remarks on tables and columns for the user
 */
export function buildRows(documents: DocumentValues[]): {
	rows: IDataObject[][];
	remarks: string[];
} {
	const remarks = new Set<string>();
	const chosenTable = chooseTable(documents, remarks);
	const sheets = documents.map((values) => sheetOf(values, chosenTable, remarks));
	const lines = sheets.flatMap((sheet) => sheet.lines);
	const columns = nameAllColumns(lines);
	const columnAt = (cellPath: CellPath) =>
		columns.metadata.get(cellPath) ?? columns.table.get(cellPath);
	const blank = blankRow(sheets, columns);
	const isComplete = emptyCellsIn(lines, blank.length) <= MAX_EMPTY_CELLS;
	if (!isComplete)
		remarks.add(`too many empty cells, so only the first row has all ${blank.length} columns`);
	const texts = textsAmongNumbers(
		documents.flatMap(({ cells = [] }) => cells),
		({ path }) => columnAt(cellPathOf(path)),
	);
	const rows = sheets.map((sheet) => {
		const reviewAt = reviewByRow(sheet.values, sheet.tablePath, texts);
		return sheet.lines.map((line) => {
			const additions = new Map([...(line.additions ?? []), ...cellsIn(reviewAt(line.position))]);
			const start = isComplete || line === lines[0] ? blank : [];
			return Object.fromEntries(fillRow(start, { ...line, additions }, columns, remarks));
		});
	});
	return { rows, remarks: [...remarks] };
}

type Columns = Record<PartOfRow, Map<CellPath, string>>;

function nameAllColumns(lines: Row[]): Columns {
	const taken = new Set<string>();
	const named = PARTS.map((part) => {
		const shared = new Set(lines.map((line) => line[part]));
		const cellPaths = [...shared].flatMap((cells) => [...(cells?.keys() ?? [])]);
		return [part, nameColumns(new Set(cellPaths), taken)] as const;
	});
	return Object.fromEntries(named) as Columns;
}

/** All columns in the order in which they are shown. */
function blankRow(sheets: Sheet[], columns: Columns): Array<[column: string, cell: Scalar]> {
	const tables = new Set(sheets.flatMap((sheet) => sheet.tables));
	return PARTS.flatMap((part) =>
		[...columns[part]].map(([cellPath, name]) => ({ name, rank: rankOf(part, cellPath, tables) })),
	)
		.sort((first, second) => first.rank - second.rank)
		.map(({ name }) => [name, null]);
}

function emptyCellsIn(lines: Row[], columnCount: number): number {
	const filled = lines.flatMap((line) => PARTS.map((part) => line[part]?.size ?? 0));
	return filled.reduce((left, size) => left - size, lines.length * columnCount);
}

function fillRow(
	start: Array<[column: string, cell: Scalar]>,
	line: Row,
	columns: Columns,
	remarks: Set<string>,
): Map<string, Scalar> {
	const row = new Map(start);
	for (const part of PARTS)
		for (const [cellPath, cell] of line[part] ?? []) {
			const column = columns[part].get(cellPath) ?? '';
			row.set(column, cell);
			if (typeof cell !== 'string' || !cell.endsWith(TOO_LONG)) continue;
			const advice = cell.endsWith(ROWS_TOO_LONG) ? ': Rows per Line Item shows its rows' : '';
			remarks.add(`a value in "${column}" is too long for a spreadsheet cell${advice}`);
		}
	return row;
}

const ROW_NUMBER = JSON.stringify(['rowNumber']);

const FILE_NAME = JSON.stringify(['fileName']);

const NEEDS_REVIEW = JSON.stringify(['needsReview']);

const EXTRACTION_ID = JSON.stringify(['extractionId']);

/** As a person reads a row: the file, its line, whether to check it, the document, the rest, the JSON of tables, and the ID. */
function rankOf(part: PartOfRow, cellPath: CellPath, tables: ReadonlySet<CellPath>): number {
	const additions = { [FILE_NAME]: 0, [NEEDS_REVIEW]: 3, [EXTRACTION_ID]: 8 }[cellPath] ?? 5;
	const metadata = tables.has(cellPath) ? 7 : 4;
	return { rowNumber: 1, table: 2, additions, metadata, input: 6 }[part];
}

/** @param chosenTable the run's choice, for documents that leave it open */
function sheetOf(values: DocumentValues, chosenTable: string, remarks: Set<string>): Sheet {
	const { additions, input, withDetails, rowsFrom } = values;
	// What a template has along with its fields describes the document, and comes first.
	const { [FIELDS]: fields = null, ...remaining } = values.metadata;
	const metadata = isFieldObject(fields) ? { ...remaining, fields } : values.metadata;
	const documentTables = tablesIn(metadata);
	const tables = documentTables.map(({ path }): CellPath => JSON.stringify(path));
	const sharedWith = (table?: Table): Row => ({
		metadata: cellsIn(metadata, withDetails, [], table?.entries),
		additions: cellsIn(additions as FieldObject),
		input,
	});
	if (rowsFrom === undefined)
		return { values, tables, lines: [{ ...sharedWith(), table: cellsIn(values.table ?? {}) }] };
	const table = tableNamed(documentTables, rowsFrom || chosenTable);
	const source = typeof additions.fileName === 'string' ? `"${additions.fileName}"` : 'a document';
	if (table === undefined && rowsFrom !== '')
		remarks.add(`${source} has no table ${quoted(rowsFrom)}`);
	return {
		values,
		tables,
		lines: linesOf(table, sharedWith(table), withDetails),
		tablePath: table?.path,
	};
}

/** A line for each row of the table. A document without rows still has one. */
function linesOf(table: Table | undefined, shared: Row, withDetails?: boolean): Row[] {
	const rows = (table?.entries ?? []).flatMap((entry, position) => {
		const row = rowOf(entry);
		return row ? { position, row } : [];
	});
	const lines = rows.length > 0 ? rows : [{ position: undefined, row: {} }];
	return lines.map(({ position, row }, index) => ({
		...shared,
		position,
		table: cellsIn(row, withDetails, table && [...table.path, 0]),
		rowNumber: new Map([[ROW_NUMBER, index + 1]]),
	}));
}

/** The table with the most columns in the run, then the most rows. */
function chooseTable(documents: DocumentValues[], remarks: Set<string>): string {
	const sizes = new Map<string, { columns: Set<string>; rowCount: number }>();
	const undecided = documents.filter(({ rowsFrom }) => rowsFrom === '');
	for (const { path, entries } of undecided.flatMap(({ metadata }) => tablesIn(metadata))) {
		const name = shortName(path);
		const size = sizes.get(name) ?? { columns: new Set(), rowCount: 0 };
		sizes.set(name, size);
		for (const row of entries.map(rowOf).filter((rowFields) => rowFields !== undefined)) {
			size.rowCount += 1;
			Object.keys(row).forEach((column) => size.columns.add(column));
		}
	}
	const [[chosen] = [''], ...remaining] = [...sizes].sort(
		([name, first], [secondName, second]) =>
			second.columns.size - first.columns.size ||
			second.rowCount - first.rowCount ||
			(name < secondName ? -1 : 1),
	);
	const left = remaining.filter(([, { rowCount }]) => rowCount > 0).map(([name]) => `"${name}"`);
	if (left.length > 0)
		remarks.add(`from "${chosen}" (to use ${left.join(' or ')} instead, set 'Rows From')`);
	return chosen;
}

/** Prefers the exact path, then the path and then the name as field names are compared. */
function tableNamed(tables: Table[], wanted: string): Table | undefined {
	const isWanted = (name = '') => plainName(name) === plainName(wanted);
	return (
		tables.find(({ path }) => path.join('.') === wanted) ??
		tables.find(({ path }) => isWanted(path.join('.'))) ??
		tables.find(({ path }) => isWanted(path.at(-1)))
	);
}

function tablesIn(tree: FieldTree, path: string[] = []): Table[] {
	if (tree instanceof Field) return tablesIn(tree.value, path);
	if (isTable(tree)) return [{ path, entries: tree }];
	if (!isFieldObject(tree)) return [];
	return Object.entries(tree).flatMap(([name, entry]) => tablesIn(entry, [...path, name]));
}

/** Arrays become JSON; `start` leads to the tree; `without` is a table that has its own rows. */
export function cellsIn(
	tree: FieldTree,
	withDetails = false,
	start: Step[] = [],
	without?: FieldTree,
): Cells {
	const cells = new Map<CellPath, Scalar>();
	const set = (steps: Step[], value: unknown) => cells.set(JSON.stringify(steps), asCell(value));
	const visit = (steps: Step[], entry: FieldTree | undefined): void => {
		if (entry === undefined || entry === without) return;
		if (entry instanceof Field) {
			visit(steps, entry.value);
			const details = Object.entries(withDetails ? entry.details : {});
			for (const [name, detail] of details) set([...steps, [name]], detail);
			return;
		}
		const entries = isFieldObject(entry) ? Object.entries(entry) : [];
		if (entries.length === 0 && steps !== start) set(steps, valuesOf(entry, withDetails));
		for (const [name, inner] of entries) visit([...steps, name], inner);
	};
	visit(start, tree);
	return cells;
}

/** The limit of Excel; n8n's Convert to File throws at more characters. */
const MAX_CELL_CHARACTERS = 32_767;

const TOO_LONG = ' (too long for a cell)';

const ROWS_TOO_LONG = ` rows${TOO_LONG}`;

function asCell(value: unknown): Scalar {
	if (value === undefined || value === null) return null;
	const cell = typeof value === 'object' ? JSON.stringify(value) : (value as Scalar);
	if (typeof cell !== 'string' || cell.length <= MAX_CELL_CHARACTERS) return cell;
	if (Array.isArray(value)) return `${value.length}${ROWS_TOO_LONG}`;
	return `${cell.slice(0, MAX_CELL_CHARACTERS - TOO_LONG.length)}${TOO_LONG}`;
}
