import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Truth } from './documents/make/truth';

/** Column name to what the cell shows. An empty cell is an empty string. */
export type Row = Record<string, string>;

// The package can be required, but its types say that it is an ECMAScript module only.
const { readSheet } = createRequire(__filename)('read-excel-file/node') as {
	readSheet: (file: Buffer) => Promise<Array<Array<string | number | boolean | Date | null>>>;
};

export async function readRows(path: string): Promise<Row[]> {
	const [header = [], ...rows] = await readSheet(await readFile(path));
	return rows.map((cells) =>
		Object.fromEntries(header.map((column, index) => [textOf(column), textOf(cells[index])])),
	);
}

function textOf(cell: string | number | boolean | Date | null | undefined): string {
	return cell instanceof Date ? cell.toISOString() : String(cell ?? '');
}

/** Column of the spreadsheet, and the name the same value has in truth.json. */
const INVOICE_COLUMNS = {
	invoiceNumber: 'invoiceNumber',
	invoiceDate: 'invoiceDate',
	dueDate: 'dueDate',
	supplierName: 'supplier',
	customerName: 'customer',
	subtotal: 'subtotal',
	tax: 'tax',
	total: 'total',
	currency: 'currency',
};

const LINE_ITEM_COLUMNS = ['description', 'quantity', 'unitPrice', 'amount'] as const;

/** Sentences about every value that is not in the spreadsheet as it is in the documents; none when all are. */
export function differences(rows: Row[], invoices: Array<[file: string, truth: Truth]>): string[] {
	const found: string[] = [];
	for (const [file, { fields = {}, lineItems = [] }] of invoices) {
		const actual = rows.filter(({ fileName }) => fileName === file);
		if (actual.length !== lineItems.length)
			found.push(`${file}: ${actual.length} rows instead of ${lineItems.length}`);

		lineItems.slice(0, actual.length).forEach((lineItem, index) => {
			const row = actual[index] ?? {};
			const expected = [
				...Object.entries(INVOICE_COLUMNS).map(([column, name]) => [column, fields[name]] as const),
				...LINE_ITEM_COLUMNS.map((column) => [column, lineItem[column]] as const),
			];
			for (const [column, value = ''] of expected)
				if (row[column] !== value)
					found.push(
						`${file}, row ${index + 1}, ${column}: "${row[column]}" instead of "${value}"`,
					);
		});
	}
	const known = invoices.map(([file]) => file);
	for (const { fileName } of rows)
		if (!known.includes(fileName ?? '')) found.push(`a row of an unknown file "${fileName}"`);
	return found;
}

const SHOWN_COLUMNS = [
	'fileName',
	'supplierName',
	'description',
	'quantity',
	'unitPrice',
	'amount',
	'total',
];
const SHOWN_ROWS_PER_FILE = 5;
const SHOWN_CHARACTERS = 34;

/** A table for the terminal: the columns that say most, and of a long invoice only the first rows. */
export function showRows(rows: Row[]): string {
	const columns = SHOWN_COLUMNS.filter((column) => rows.some((row) => row[column]));
	const shown = (columns.length > 0 ? columns : Object.keys(rows[0] ?? {})).map((column) => ({
		column,
		width: Math.min(
			SHOWN_CHARACTERS,
			Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length)),
		),
	}));
	const line = (row: Row): string =>
		shown
			.map(({ column, width }) => {
				const value = row[column] ?? '';
				return (value.length > width ? `${value.slice(0, width - 1)}…` : value).padEnd(width);
			})
			.join('  ')
			.trimEnd();

	const lines = [
		line(Object.fromEntries(shown.map(({ column }) => [column, column]))),
		shown.map(({ width }) => '─'.repeat(width)).join('  '),
	];
	for (const file of new Set(rows.map(({ fileName }) => fileName))) {
		const ofFile = rows.filter(({ fileName }) => fileName === file);
		lines.push(...ofFile.slice(0, SHOWN_ROWS_PER_FILE).map(line));
		const more = ofFile.length - SHOWN_ROWS_PER_FILE;
		if (more > 0) lines.push(`… and ${more} more of ${file ?? 'this file'}`);
	}
	return lines.join('\n');
}
