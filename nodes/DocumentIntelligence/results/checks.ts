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
} from '../text/decimals';
import { grouped } from './columns';
import { hasValue, isFieldObject, partsIn, type FieldTree, type Scalar } from './fields';
import { fieldName, plainName, plainNames, rowPath, shortName, type Path } from './paths';
import { inSentence, uncertaintyOf, withoutValue, type CheckFailure } from './review';

/** The factors of a product: numbers and the names of fields. */
type Product = Array<Decimal | string>;

/** A line of Check Sums: the name of a field, and the sum that it has to be. */
export interface Check {
	/** The line and its right side, as they are written. */
	text: string;
	rightText: string;
	left: string;
	/** The products that are added up. */
	right: Product[];
	tolerance: Decimal;
	/** Whether the tolerance is a share of the right side. */
	isRelative: boolean;
}

/** The number of `19 %` is 0.19. */
export type PrintedAmount = Decimal & { currency?: string };

/** @returns for text that cannot be read with certainty, the end of a sentence about it */
export type ReadAmount = (printed: string, path: Path) => PrintedAmount | string;

/** Signs of other calculations belong to no name. No text can be matched in two ways, which would take time. */
const NAME = /[^-+*()/÷×^%<>,;:!#~=±—\p{L}]*\p{L}[^-+*()/÷×^%<>,;:!#~=±—]*/u.source;

const FACTOR = `(?:${NAME}|\\s*\\d+(?:\\.\\d+)?(?:\\s*%)?\\s*)`;

const CHECK = new RegExp(
	`^(${NAME})=(${FACTOR}(?:[-+*]${FACTOR})*)(?:(?:±|\\+/-)\\s*(\\d+(?:\\.\\d+)?(?: *%)?))?$`,
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
	const [, left, right, tolerance = ''] = CHECK.exec(text.replace(/[\u2212\u2013]/g, '-')) ?? [];
	if (left === undefined || right === undefined)
		throw new DocumentError(
			`'Check Sums' has a line that is not a check: "${oneLine(withoutKeys(text), 100)}"`,
			'Nothing was sent. Write one check per line: the name of a field without its hyphens, an equals sign, and names and numbers with +, - or * between them, without parentheses. It can end with a tolerance, such as ± 0.05 or ± 2 %. For example: total = lineItems.amount + tax ± 0.05',
		);
	const parts = right.split(/([-+])/);
	const products = parts
		.filter((_, index) => index % 2 === 0)
		.map((product, index): Product => {
			const factors = product.split('*').map((factor) => factor.trim());
			const signs = parts[2 * index - 1] === '-' ? [MINUS_ONE] : [];
			return [...signs, ...factors.map((factor) => parseDecimal(factor) ?? factor)];
		});
	return {
		text,
		rightText: right.trim(),
		left: left.trim(),
		right: products,
		tolerance: parseDecimal(tolerance) ?? ZERO,
		isRelative: tolerance.endsWith('%'),
	};
}

const MINUS_ONE = negative({ digits: 1n, scale: 0 });

function namesIn({ left, right }: Check): string[] {
	return [left, ...right.flat().filter((factor) => typeof factor === 'string')];
}

/** A value that a check names. */
interface Cell {
	/** As names are compared. */
	name: string;
	path: Path;
	/** As the output shows it. */
	field: string;
	value: Scalar;
	/** What the value is exactly, or what stands in the way. */
	amount: PrintedAmount | string;
	/** Where its row is; absent for a field of the document. */
	row?: Path;
}

/**
 * @returns the checks that a document has not passed, in the order of the checks and the rows, and the names in checks
 * that it does not have
 */
export function checkSums(checks: Check[], document: FieldTree, read: ReadAmount) {
	const names = checks.flatMap(namesIn);
	const cells = cellsOf(document, new Set(names.map(plainName)), read);
	const known = new Set(cells.map(({ name }) => name));
	return {
		failures: checks.flatMap((check) => failuresOfCheck(check, cells)),
		unknownNames: [...new Set(names.filter((name) => !known.has(plainName(name))))],
	};
}

/** The values that checks name: a cell by its column and, for itself, by its whole path. */
function cellsOf(document: FieldTree, wanted: ReadonlySet<string>, read: ReadAmount): Cell[] {
	return partsIn(document).flatMap(({ path, part }): Cell[] => {
		const { name, exact } = plainNames(path);
		const names = [...new Set([name, exact])].filter((each) => wanted.has(each));
		if (names.length === 0) return [];
		// An object in place of an amount cannot be read, and its row counts.
		const isObject = isFieldObject(part) && typeof path.at(-1) === 'string' && hasValue(part);
		const value = isObject ? true : part;
		if (typeof value === 'object' && value !== null) return [];
		const field = shortName(path);
		const cell = { path, field, value, amount: amountOf(field, value, (text) => read(text, path)) };
		return names.map((each) => ({
			...cell,
			name: each,
			...(each !== exact && { row: rowPath(path) }),
		}));
	});
}

/** @returns what stands in the way if the value cannot be read */
function amountOf(
	field: string,
	value: Scalar,
	read: (printed: string) => PrintedAmount | string,
): PrintedAmount | string {
	if (!hasValue(value)) return withoutValue(field);
	const number = typeof value === 'number' && parseDecimal(String(value));
	if (number) return number;
	const amount = typeof value === 'string' ? read(value) : uncertaintyOf(value);
	return typeof amount === 'string' ? `${field} ${amount}` : amount;
}

/** A check of a column holds for each row by itself, any other for the document. */
function failuresOfCheck(check: Check, cells: Cell[]): CheckFailure[] {
	const names = new Set(namesIn(check).map(plainName));
	const named = cells.filter(({ name }) => names.has(name));
	const fields = named.filter(({ row }) => row === undefined);
	const allRows = grouped(named, ({ row }) => row && shortName(row));
	// A row in which none of the check's columns has a value is no row of it.
	const rows = [...allRows.values()].filter((row) => row.some(({ value }) => hasValue(value)));
	const ownRows = rowsWith([check.left], named, rows);
	// Of a table without rows, the left side is missing, so the check has not passed.
	if (ownRows.length === 0) return failureOf(check, { fields, rows });
	return ownRows.flatMap((cells) =>
		failureOf(check, { fields: [...fields, ...cells], rows: [], row: cells[0]?.row }),
	);
}

/** The rows of the tables that have one of the columns: of two tables with alike names, those of both. */
function rowsWith(columns: Product, cells: Cell[], rows: Cell[][]): Cell[][] {
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
function failureOf(check: Check, { fields, rows, row }: Scope): CheckFailure[] {
	const products = check.right.flatMap((product) => productsOf(product, fields, rows));
	const { path, field, printed, amount } = leftSide(check.left, fields);
	const amounts: Array<PrintedAmount | string> = [...products.flat(), amount];
	const gaps = new Set(amounts.filter((each) => typeof each === 'string'));
	const known = amounts.filter((each) => typeof each !== 'string');
	const currencies = new Set(known.flatMap(({ currency }) => currency ?? []));
	const isComparable = currencies.size < 2;
	if (!isComparable) gaps.add('its values have different currencies');
	const actual = typeof amount === 'string' ? undefined : amount;
	const sum = isComparable ? sumOf(products) : undefined;
	const expected = sum && round(sum, actual?.scale ?? sum.scale);
	const difference = actual && expected && add(actual, negative(expected));
	if (difference && isWithin(toleranceOf(check, expected), difference)) return [];
	const place = row ? ` in ${shortName(row)}` : '';
	return [
		{
			failedCheck: {
				check: check.text,
				expected: numberOf(expected),
				actual: numberOf(actual),
				difference: numberOf(difference),
				...(row && { row: Number(row.at(-1)) }),
			},
			...(path && { path }),
			reason: difference
				? `${field} is ${inSentence(printed)}, but ${inSentence(check.rightText)} is ${decimalText(expected)}`
				: `${inSentence(check.text)} cannot be checked${place}: ${listed([...gaps])}`,
		},
	];
}

/** The left side of a check, and how a sentence shows it. A number of JSON counts as printed with two decimals. */
function leftSide(left: string, cells: Cell[]) {
	const { path, field = left, value } = cells.find(({ name }) => name === plainName(left)) ?? {};
	const amount = valueOf(left, cells);
	if (typeof value !== 'number' || typeof amount === 'string')
		return { path, field, printed: value, amount };
	const rounded = round(amount, 2);
	return { path, field, printed: decimalText(rounded), amount: rounded };
}

/** The factors of a product as amounts; a product with columns is calculated row by row. */
function productsOf(product: Product, fields: Cell[], rows: Cell[][]) {
	const ownRows = rowsWith(product, rows.flat(), rows);
	const scopes = ownRows.length > 0 ? ownRows.map((row) => [...fields, ...row]) : [fields];
	return scopes.map((cells) =>
		product.map((factor) => (typeof factor === 'string' ? valueOf(factor, cells) : factor)),
	);
}

/** @returns what stands in the way if the name has no value */
function valueOf(text: string, cells: Cell[]): PrintedAmount | string {
	const [cell, another] = cells.filter(({ name }) => name === plainName(text));
	return another ? `several fields have the name ${text}` : (cell?.amount ?? withoutValue(text));
}

/** Undefined if a factor is not known. */
function sumOf(products: Product[]): Decimal | undefined {
	const sum = (known: Decimal[][]) => known.map((factors) => factors.reduce(multiply)).reduce(add);
	const isKnown = (factors: Product) => factors.every((factor) => typeof factor !== 'string');
	return products.every(isKnown) ? sum(products) : undefined;
}

/** In the unit of the right side. */
function toleranceOf({ tolerance, isRelative }: Check, expected: Decimal): Decimal {
	return isRelative ? multiply(tolerance, absolute(expected)) : tolerance;
}

function absolute(decimal: Decimal): Decimal {
	return decimal.digits < 0n ? negative(decimal) : decimal;
}

function isWithin(tolerance: Decimal, difference: Decimal): boolean {
	return add(absolute(difference), negative(tolerance)).digits <= 0n;
}

function numberOf(decimal: Decimal | undefined): number | null {
	return decimal === undefined ? null : Number(decimalText(decimal));
}
