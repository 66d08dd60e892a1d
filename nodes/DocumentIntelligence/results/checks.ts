import { DocumentError } from '../text/errors';
import { plainText } from '../text/json';
import { listed } from '../text/notes';
import { oneLine, withoutKeys } from '../text/words';
import {
	add,
	decimalText,
	multiply,
	negative,
	parseDecimal,
	round,
	ZERO,
	type Decimal,
} from './decimals';
import { grouped } from './columns';
import { hasValue, isFieldObject, partsIn, type FieldTree, type Scalar } from './fields';
import {
	fieldName,
	pathName,
	plainName,
	plainNames,
	rowPath,
	withoutFields,
	type Path,
} from './paths';
import { inSentence, uncertaintyOf, withoutValue, type CheckFailure } from './review';

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

/** The number of `19 %` is 0.19. */
export type PrintedAmount = Decimal & { currency?: string };

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
			`'Check Sums' has a line that is not a check: "${oneLine(withoutKeys(text), 100)}"`,
			'Nothing was sent. Write one check per line: the name of a field without its hyphens, an equals sign, and names and numbers with +, - or * between them, without parentheses. It can end with a tolerance. For example: total = lineItems.amount + tax ± 0.05',
		);
	const parts = right.split(/([-+])/);
	const terms = parts
		.filter((_, index) => index % 2 === 0)
		.map((product, index) => ({
			factors: product.split('*').map((factor) => parseDecimal(factor.trim()) ?? factor.trim()),
			isSubtracted: parts[2 * index - 1] === '-',
		}));
	return {
		text,
		rightText: right.trim(),
		left: left.trim(),
		right: terms,
		tolerance: parseDecimal(tolerance ?? '') ?? ZERO,
	};
}

function namesIn({ left, right }: Check): string[] {
	const factors = right.flatMap((term) => term.factors);
	return [left, ...factors.filter((factor) => typeof factor === 'string')];
}

/** A value that a check names. */
interface Cell {
	/** As names are compared. */
	name: string;
	/** As the output shows it. */
	field: string;
	value: Scalar;
	/** Where its row is; absent for a field of the document. */
	row?: Path;
}

/**
 * @returns the checks that a document has not passed, in the order of the checks and the rows, and the names in checks
 * that it does not have
 */
export function checkSums(checks: Check[], document: FieldTree, read: ReadAmount) {
	const cells = cellsOf(document, checks);
	const known = new Set(cells.map(({ name }) => name));
	const unknown = checks.flatMap(namesIn).filter((name) => !known.has(plainName(name)));
	return {
		failures: checks.flatMap((check) => failuresOfCheck(check, cells, read)),
		unknownNames: [...new Set(unknown)],
	};
}

/** The values that checks name: a cell by its column and, for itself, by its whole path. */
function cellsOf(document: FieldTree, checks: Check[]): Cell[] {
	const wanted = new Set(checks.flatMap(namesIn).map(plainName));
	return partsIn(document).flatMap(({ path, part }): Cell[] => {
		// An object in place of an amount cannot be read, and its row counts.
		const isObject = isFieldObject(part) && typeof path.at(-1) === 'string' && hasValue(part);
		const value = isObject ? true : part;
		if (typeof value === 'object' && value !== null) return [];
		const field = pathName(withoutFields(path));
		const { name, exact } = plainNames(path);
		const row = exact === name ? undefined : withoutFields(rowPath(path));
		const cells = [{ name, field, value, row }, ...(row ? [{ name: exact, field, value }] : [])];
		return cells.filter((cell) => wanted.has(cell.name));
	});
}

/** A check of a column holds for each row by itself, any other for the document. */
function failuresOfCheck(check: Check, cells: Cell[], read: ReadAmount): CheckFailure[] {
	const names = new Set(namesIn(check).map(plainName));
	const named = cells.filter(({ name }) => names.has(name));
	const fields = named.filter(({ row }) => row === undefined);
	const allRows = grouped(named, ({ row }) => row && pathName(row));
	// A row in which none of the check's columns has a value is no row of it.
	const rows = [...allRows.values()].filter((row) => row.some(({ value }) => hasValue(value)));
	const ownRows = rowsWith([check.left], named, rows);
	// Of a table without rows, the left side is missing, so the check has not passed.
	if (ownRows.length === 0) return failureOf(check, { fields, rows }, read);
	return ownRows.flatMap((cells) => {
		const row = cells[0]?.row;
		return failureOf(check, { fields: [...fields, ...cells], rows: [], row }, read);
	});
}

/** The rows of the tables that have one of the columns: of two tables with alike names, those of both. */
function rowsWith(columns: Term['factors'], cells: Cell[], rows: Cell[][]): Cell[][] {
	const names = columns.filter((column) => typeof column === 'string').map(plainName);
	const tableOf = (cell?: Cell) => cell?.row && fieldName(cell.row);
	const tables = new Set(cells.filter(({ name }) => names.includes(name)).map(tableOf));
	return rows.filter(([cell]) => tables.has(tableOf(cell)));
}

/** What a check is applied to. */
interface Scope {
	/** Of the document, and of the row if there is one. */
	fields: Cell[];
	/** The rows that are added up. */
	rows: Cell[][];
	/** Where the row is that the check holds for; absent if it holds for the document. */
	row?: Path;
}

/** @returns nothing if the check has passed */
function failureOf(check: Check, { fields, rows, row }: Scope, read: ReadAmount): CheckFailure[] {
	const values = new CheckedValues(read);
	const sum = values.sumOf(check.right, fields, rows);
	const isCalculated = values.gaps.size === 0;
	const { field, printed, actual } = values.leftSide(check.left, fields);
	const isComparable = values.currencies.size < 2;
	if (!isComparable) values.gaps.add('its values have different currencies');
	const expected =
		isCalculated && isComparable ? round(sum, actual?.scale ?? sum.scale) : undefined;
	const difference = actual && expected && add(actual, negative(expected));
	if (difference && isWithin(check.tolerance, difference)) return [];
	const place = row ? ` in ${pathName(row)}` : '';
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
				: `${inSentence(check.text)} cannot be checked${place}: ${listed([...values.gaps])}`,
		},
	];
}

function isWithin(tolerance: Decimal, difference: Decimal): boolean {
	const size = difference.digits < 0n ? negative(difference) : difference;
	return add(size, negative(tolerance)).digits <= 0n;
}

function numberOf(decimal: Decimal | undefined): number | null {
	return decimal === undefined ? null : Number(decimalText(decimal));
}

/** Reads the values that a check names, and records what stands in the way of a result. */
class CheckedValues {
	readonly gaps = new Set<string>();
	readonly currencies = new Set<string>();

	constructor(private readonly read: ReadAmount) {}

	/** A number of JSON counts as printed with two decimals. */
	leftSide(left: string, cells: Cell[]) {
		const number = this.#valueOf(left, cells);
		const { field = left, value } = cells.find(({ name }) => name === plainName(left)) ?? {};
		if (number === undefined || typeof value !== 'number')
			return { field, printed: value, actual: number };
		const actual = round(number, 2);
		return { field, printed: decimalText(actual), actual };
	}

	/** A product with columns is calculated row by row, then added up. */
	sumOf(terms: Term[], fields: Cell[], rows: Cell[][]): Decimal {
		const products = terms.flatMap(({ factors, isSubtracted }) => {
			const ofTables = rowsWith(factors, rows.flat(), rows);
			const scopes = ofTables.length > 0 ? ofTables.map((row) => [...fields, ...row]) : [fields];
			return scopes.map((cells) => {
				const product = this.#productOf(factors, cells);
				return isSubtracted ? negative(product) : product;
			});
		});
		return products.reduce(add, ZERO);
	}

	#productOf(factors: Term['factors'], cells: Cell[]): Decimal {
		return factors
			.map((factor) => (typeof factor === 'string' ? this.#valueOf(factor, cells) : factor))
			.map((factor) => factor ?? ZERO)
			.reduce(multiply);
	}

	#valueOf(text: string, cells: Cell[]): Decimal | undefined {
		const [cell, another] = cells.filter(({ name }) => name === plainName(text));
		const amount = another
			? `several fields have the name ${text}`
			: amountOf(cell, text, this.read);
		if (typeof amount === 'string') {
			this.gaps.add(amount);
			return undefined;
		}
		if (amount.currency !== undefined) this.currencies.add(amount.currency);
		return amount;
	}
}

/** @returns what stands in the way if the cell cannot be read */
function amountOf(cell: Cell | undefined, name: string, read: ReadAmount): PrintedAmount | string {
	if (cell === undefined || !hasValue(cell.value)) return withoutValue(cell?.field ?? name);
	const number = typeof cell.value === 'number' && parseDecimal(String(cell.value));
	if (number) return number;
	const amount = typeof cell.value === 'string' ? read(cell.value) : uncertaintyOf(cell.value);
	return typeof amount === 'string' ? `${cell.field} ${amount}` : amount;
}
