import { DocumentError } from '../text/errors';
import { plainText } from '../text/json';
import { listed } from '../text/notes';
import { oneLine } from '../text/words';
import {
	add,
	decimalText,
	hundredths,
	multiply,
	negative,
	ONE,
	parseDecimal,
	round,
	ZERO,
	type Decimal,
} from './decimals';
import { isTable, valuesOf, type FieldTree } from './fields';
import {
	fieldName,
	hasValue,
	inSentence,
	partsNamed,
	pathName,
	plainName,
	uncertaintyOf,
	withoutFields,
	withoutValue,
	type CheckFailure,
	type Path,
} from './review';

/** A product of numbers and the names of fields. */
interface Term {
	factors: Array<Decimal | string>;
	isSubtracted: boolean;
}

/** A line of Check Sums: the name of a field, and the sum that it has to be. */
export interface Check {
	/** The line and its right side, as they are written. */
	text: string;
	rightText: string;
	left: string;
	right: Term[];
	tolerance: Decimal;
}

/** The digits of `19 %` are 19. */
export type PrintedAmount = Decimal & { isPercentage: boolean; currency?: string };

/** @returns for text that cannot be read with certainty, the end of a sentence about it */
export type ReadAmount = (printed: string) => PrintedAmount | string;

/** Signs of other calculations belong to no name. No text can be matched in two ways, which would take time. */
const NAME = /[^-+*()/÷×^%<>,;:!#~=±—\p{L}]*\p{L}[^-+*()/÷×^%<>,;:!#~=±—]*/u.source;

const FACTOR = `(?:${NAME}|\\s*\\d+(?:\\.\\d+)?(?:\\s*%)?\\s*)`;

const CHECK = new RegExp(
	`^(${NAME})=(${FACTOR}(?:[-+*]${FACTOR})*)(?:(?:±|\\+/-)\\s*(\\d+(?:\\.\\d+)?))?$`,
	'u',
);

/**
 * @param option one check a line, or a list of checks
 * @throws DocumentError for a line that is no check
 */
export function parseChecks(option: unknown): Check[] {
	return [option]
		.flat(Infinity)
		.flatMap((entry) => plainText(entry).split(/[\r\n]+/))
		.map((line) => line.trim())
		.filter((line) => line !== '')
		.map(parseCheck);
}

function parseCheck(text: string): Check {
	// Word processors write a minus sign or a dash for a hyphen.
	const [, left, right, tolerance] = CHECK.exec(text.replace(/[\u2212\u2013]/g, '-')) ?? [];
	if (left === undefined || right === undefined)
		throw new DocumentError(
			`'Check Sums' has a line that is not a check: "${oneLine(text, 100)}"`,
			'Nothing was sent. Write one check per line: the name of a field without its hyphens, an equals sign, and names and numbers with +, - or * between them, without parentheses. It can end with a tolerance. For example: total = lineItems.amount + tax ± 0.05',
		);
	const terms = [...`+${right}`.matchAll(/([-+])([^-+]+)/g)].map(([, sign, product = '']) => ({
		factors: product.split('*').map((factor) => parseDecimal(factor.trim()) ?? factor.trim()),
		isSubtracted: sign === '-',
	}));
	return {
		text,
		rightText: right.trim(),
		left: left.trim(),
		right: terms,
		tolerance: parseDecimal(tolerance ?? '') ?? ZERO,
	};
}

/** A value that a check names. */
interface Cell {
	/** As names are compared. */
	name: string;
	/** As the output shows it. */
	field: string;
	value: FieldTree;
	/** What stands in the way if it cannot be read. */
	amount: PrintedAmount | string;
	/** Where its row is; absent for a field of the document. */
	row?: Path;
}

/**
 * @returns the checks that a document has not passed, in the order of the checks and the rows, and the names in checks
 * that it does not have
 */
export function checkSums(checks: Check[], document: FieldTree, read: ReadAmount) {
	const unknownNames = new Set<string>();
	const failures = checks.flatMap((check) => {
		const factors = check.right.flatMap((term) => term.factors);
		const names = [check.left, ...factors.filter((factor) => typeof factor === 'string')];
		const distinct = new Map(names.map((name) => [plainName(name), name]));
		const cells = [...distinct.values()].flatMap((name) => {
			const named = cellsNamed(name, document, read);
			if (named.length === 0) unknownNames.add(name);
			return named;
		});
		return failuresOfCheck(check, cells);
	});
	return { failures, unknownNames: [...unknownNames] };
}

function cellsNamed(text: string, document: FieldTree, read: ReadAmount): Cell[] {
	const name = plainName(text);
	const parts = partsNamed(document, name).flatMap((named) => {
		const { path, part } = named;
		const entries = Array.isArray(part) ? part : [];
		if (entries.length === 0 || isTable(part)) return named;
		// A list of values is a column, too.
		return entries.flatMap((entry, at) => partsNamed(entry, '', [...path, at], [...path, at]));
	});
	return parts.map(({ path, part, row }) => {
		const field = part === undefined ? text : pathName(withoutFields(path));
		const value = part ?? null;
		return {
			name,
			field,
			value,
			amount: amountOf(field, value, read),
			row: row && withoutFields(row),
		};
	});
}

function amountOf(field: string, value: FieldTree, read: ReadAmount): PrintedAmount | string {
	if (!hasValue(value)) return withoutValue(field);
	const number = typeof value === 'number' && parseDecimal(String(value));
	if (number) return { ...number, isPercentage: false };
	const amount = typeof value === 'string' ? read(value) : uncertaintyOf(valuesOf(value));
	return typeof amount === 'string' ? `${field} ${amount}` : amount;
}

/** A check of a column holds for each row by itself, any other for the document. */
function failuresOfCheck(check: Check, cells: Cell[]): CheckFailure[] {
	const fields = cells.filter(({ row }) => row === undefined);
	const rows = rowsOf(cells);
	const column = cells.filter(({ name, row }) => row && name === plainName(check.left));
	const ofTables = rowsOfTables(column, rows);
	// A table without rows has not passed: without them, the left side is missing.
	if (ofTables.length === 0) return failureIn(check, fields, rows);
	return ofTables.flatMap((row) => failureIn(check, [...fields, ...row], [], row[0]?.row));
}

/** The cells of tables by row, without the rows in which none has a value. */
function rowsOf(cells: Cell[]): Cell[][] {
	const rows = new Map<string, Cell[]>();
	for (const cell of cells) {
		if (cell.row === undefined) continue;
		const path = pathName(cell.row);
		rows.set(path, [...(rows.get(path) ?? []), cell]);
	}
	return [...rows.values()].filter((row) => row.some(({ value }) => hasValue(value)));
}

/** The rows of the tables that cells are in: of two tables with alike names, those of both. */
function rowsOfTables(cells: Cell[], rows: Cell[][]): Cell[][] {
	const tableOf = (cell?: Cell) => fieldName(cell?.row ?? []);
	const tables = new Set(cells.map(tableOf));
	return rows.filter(([cell]) => tables.has(tableOf(cell)));
}

/** What stands in the way of a result, and the currencies of its values. */
interface Obstacles {
	gaps: Set<string>;
	currencies: Set<string>;
}

/** @returns nothing if the check has passed */
function failureIn(check: Check, fields: Cell[], rows: Cell[][], row?: Path): CheckFailure[] {
	const obstacles: Obstacles = { gaps: new Set(), currencies: new Set() };
	const { gaps, currencies } = obstacles;
	const sum = sumOf(check.right, fields, rows, obstacles);
	const isCalculated = gaps.size === 0;
	const { field, printed, actual } = leftSide(check.left, fields, obstacles);
	const isComparable = currencies.size < 2;
	if (!isComparable) gaps.add('its values have different currencies');
	const expected =
		isCalculated && isComparable ? round(sum, actual?.scale ?? sum.scale) : undefined;
	const difference = actual && expected && add(actual, negative(expected));
	if (difference && isWithin(difference, check.tolerance)) return [];
	const place = row === undefined ? '' : ` in ${pathName(row)}`;
	return [
		{
			failedCheck: {
				check: check.text,
				expected: numberOf(expected),
				actual: numberOf(actual),
				difference: numberOf(difference),
				...(row && { row: Number(row.at(-1)) }),
			},
			reason: difference
				? `${field} is ${inSentence(printed)}, but ${inSentence(check.rightText)} is ${decimalText(expected)}`
				: `${inSentence(check.text)} cannot be checked${place}: ${listed([...gaps])}`,
		},
	];
}

function isWithin(difference: Decimal, tolerance: Decimal): boolean {
	const size = difference.digits < 0n ? negative(difference) : difference;
	return add(size, negative(tolerance)).digits <= 0n;
}

/** A number of JSON counts as printed with two decimals. */
function leftSide(left: string, fields: Cell[], obstacles: Obstacles) {
	const number = valueOf(left, fields, obstacles);
	const { field, value } = fields.find(({ name }) => name === plainName(left)) ?? {};
	if (number === undefined || typeof value !== 'number')
		return { field, printed: value, actual: number };
	const actual = round(number, 2);
	return { field, printed: decimalText(actual), actual };
}

function numberOf(decimal: Decimal | undefined): number | null {
	return decimal === undefined ? null : Number(decimalText(decimal));
}

/** A product with columns is calculated row by row, then added up. */
function sumOf(terms: Term[], fields: Cell[], rows: Cell[][], obstacles: Obstacles): Decimal {
	const products = terms.flatMap(({ factors, isSubtracted }) => {
		const names = factors.map((factor) => typeof factor === 'string' && plainName(factor));
		const columns = rows.flat().filter(({ name }) => names.includes(name));
		const ofTables = rowsOfTables(columns, rows);
		const scopes = ofTables.length > 0 ? ofTables.map((row) => [...fields, ...row]) : [fields];
		return scopes.map((cells) =>
			factors
				.map((factor) => (typeof factor === 'string' ? valueOf(factor, cells, obstacles) : factor))
				.reduce<Decimal>(
					(product, factor) => multiply(product, factor ?? ZERO),
					isSubtracted ? negative(ONE) : ONE,
				),
		);
	});
	return products.reduce(add, ZERO);
}

function valueOf(text: string, cells: Cell[], { gaps, currencies }: Obstacles) {
	const [cell, another] = cells.filter(({ name }) => name === plainName(text));
	const amount = another
		? `several fields have the name ${text}`
		: (cell?.amount ?? withoutValue(text));
	if (typeof amount === 'string') {
		gaps.add(amount);
		return undefined;
	}
	if (amount.currency !== undefined) currencies.add(amount.currency);
	return amount.isPercentage ? hundredths(amount) : amount;
}
