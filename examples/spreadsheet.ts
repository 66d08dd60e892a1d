import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Truth } from './documents/make/truth';

/** Column name to what the cell holds; null where it is empty. */
export type Row = Record<string, Cell>;

type Cell = string | number | boolean | null;

// The package can be required, but its types say that it is an ECMAScript module only.
const { readSheet } = createRequire(__filename)('read-excel-file/node') as {
	readSheet: (file: Buffer) => Promise<Array<Array<string | number | boolean | Date | null>>>;
};

/** @param file its path or its content */
export async function readRows(file: string | Buffer): Promise<Row[]> {
	const content = typeof file === 'string' ? await readFile(file) : file;
	const [header = [], ...rows] = await readSheet(content);
	return rows.map((cells) =>
		Object.fromEntries(header.map((column, index) => [textOf(column), cellOf(cells[index])])),
	);
}

function cellOf(cell: Cell | Date | undefined): Cell {
	return cell instanceof Date ? cell.toISOString() : (cell ?? null);
}

function textOf(cell: Cell | Date | undefined): string {
	return String(cellOf(cell) ?? '');
}

/** Column of the spreadsheet whose cells are texts, and the name the same value has in truth.json. */
const INVOICE_COLUMNS = {
	invoiceNumber: 'invoiceNumber',
	supplierName: 'supplier',
	customerName: 'customer',
	currency: 'currency',
};

/** Columns with the same name in truth.json, which has their values as numbers and dates. */
const DATE_COLUMNS = ['invoiceDate', 'dueDate'] as const;
const TOTAL_COLUMNS = ['subtotal', 'tax', 'total'] as const;
const LINE_ITEM_COLUMNS = ['quantity', 'unitPrice', 'amount'] as const;

/** Whether day and month could change places, so that only the country decides which is which. */
export function isAmbiguousDate(printed: string): boolean {
	const [, first, second] = /^(\d{2})\/(\d{2})\/\d{4}$/.exec(printed) ?? [];
	return first !== second && Number(first) <= 12 && Number(second) <= 12;
}

/** Files, and what they say. */
type Invoices = ReadonlyArray<readonly [file: string, truth: Truth]>;

/**
 * Sentences about every value that is not in the spreadsheet as it is in the documents, amounts as numbers and dates as
 * YYYY-MM-DD unless they are ambiguous; none when all are.
 */
export function differences(rows: Row[], invoices: Invoices): string[] {
	const found: string[] = [];
	for (const [file, { fields = {}, lineItems = [], meaning }] of invoices) {
		if (meaning === undefined) throw new Error(`truth.json does not have the amounts of ${file}`);
		const actual = rows.filter(({ fileName }) => fileName === file);
		if (actual.length !== lineItems.length)
			found.push(`${file}: ${actual.length} rows instead of ${lineItems.length}`);

		lineItems.slice(0, actual.length).forEach((lineItem, index) => {
			const row = actual[index] ?? {};
			const expected: Array<readonly [column: string, cell?: Cell]> = [
				...Object.entries(INVOICE_COLUMNS).map(([column, name]) => [column, fields[name]] as const),
				...DATE_COLUMNS.map((column) => {
					const printed = fields[column] ?? '';
					return [column, isAmbiguousDate(printed) ? printed : meaning.fields[column]] as const;
				}),
				...TOTAL_COLUMNS.map((column) => [column, meaning.fields[column]] as const),
				['description', lineItem.description],
				...LINE_ITEM_COLUMNS.map((column) => [column, meaning.lineItems[index]?.[column]] as const),
			];
			for (const [column, value = null] of expected)
				if (row[column] !== value)
					found.push(
						`${file}, row ${index + 1}, ${column}: ${JSON.stringify(row[column])} instead of ${JSON.stringify(value)}`,
					);
		});
	}
	const known = invoices.map(([file]) => file);
	for (const { fileName } of rows)
		if (!known.includes(textOf(fileName)))
			found.push(`a row of an unknown file "${textOf(fileName)}"`);
	return found;
}

/** How many documents pass all checks of the option Check Sums. */
export function addUp(rows: Row[]): string {
	const files = new Map(rows.map(({ fileName, failedChecks }) => [fileName, failedChecks]));
	// A spreadsheet has no empty text.
	const passed = [...files.values()].filter((failedChecks) => (failedChecks ?? '') === '').length;
	return `${passed} of ${files.size} invoices add up.`;
}

/** What SUM returns for a column: its numbers added up, rounded to cents. */
export function sumOf(rows: Row[], column: string): number {
	const numbers = rows.map((row) => row[column]).filter((cell) => typeof cell === 'number');
	return Math.round(numbers.reduce((sum, number) => sum + number, 0) * 100) / 100;
}

export interface Sum {
	/** A file, or all invoices of a currency. */
	subject: string;
	/** Of the column amount. */
	inSpreadsheet: number;
	/** Net, as printed on the invoices. */
	inDocuments: number;
}

/** The amounts of each invoice, and of all invoices per currency. */
export function sums(rows: Row[], invoices: Invoices): Sum[] {
	const ofFiles = invoices.map(([file, { fields = {}, meaning }]) => ({
		subject: file,
		currency: fields.currency,
		inSpreadsheet: sumOf(
			rows.filter(({ fileName }) => fileName === file),
			'amount',
		),
		inDocuments: meaning?.fields.subtotal ?? NaN,
	}));
	const currencies = [...new Set(ofFiles.map(({ currency }) => currency))];
	const ofCurrencies = currencies.map((currency) => {
		const subtotals = ofFiles.filter((sum) => sum.currency === currency);
		const inDocuments = subtotals.reduce((sum, subtotal) => sum + subtotal.inDocuments, 0);
		return {
			subject: `all in ${currency}`,
			inSpreadsheet: sumOf(
				rows.filter((row) => row.currency === currency),
				'amount',
			),
			inDocuments: Math.round(inDocuments * 100) / 100,
		};
	});
	return [...ofFiles, ...ofCurrencies];
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
const MIN_SHOWN_CHARACTERS = 10;

/** A table for a terminal of this width with the most important columns, and only the first rows of a long invoice. */
export function showRows(rows: Row[], terminalWidth = Infinity): string {
	const columns = SHOWN_COLUMNS.filter((column) => rows.some((row) => row[column]));
	const shown = (columns.length > 0 ? columns : Object.keys(rows[0] ?? {})).map((column) => ({
		column,
		width: Math.min(
			SHOWN_CHARACTERS,
			Math.max(column.length, ...rows.map((row) => textOf(row[column]).length)),
		),
	}));
	const lineWidth = () => shown.reduce((sum, { width }) => sum + width + 2, -2);
	const widest = () => shown.toSorted((one, other) => other.width - one.width)[0];
	for (let column = widest(); column && lineWidth() > terminalWidth; column = widest()) {
		if (column.width <= MIN_SHOWN_CHARACTERS) break;
		column.width -= 1;
	}
	const line = (row: Row): string =>
		shown
			.map(({ column, width }) => {
				const value = textOf(row[column]);
				if (typeof row[column] === 'number') return value.padStart(width);
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
		if (more > 0) lines.push(`… and ${more} more of ${textOf(file) || 'this file'}`);
	}
	return lines.join('\n');
}
