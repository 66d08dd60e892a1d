import { DocumentError } from '../text/errors';
import { grouped } from '../text/grouped';
import { plainText } from '../text/json';
import { describeEntries } from '../text/notes';
import { withoutKeys } from '../text/cogneris';
import { oneLine } from '../text/words';
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
import { hasValue, isFieldObject, partsIn, valuesOf, type FieldTree } from './fields';
import { fieldName, plainName, plainNames, rowPath, shortName, type Path } from './paths';
import { inSentence, uncertaintyOf, withoutValue, type CheckFailure } from './review';

/** The factors of a product as a check writes them: numbers, and the names of fields. */
type Product = Array<Decimal | string>;

/** A line of Check Sums: the name of a field, and the sum that it has to be. */
export interface Check {
	/** The line and its right side, as they are written. */
	text: string;
	rightText: string;
	left: string;
	/** The products that are added up. */
	right: Product[];
	/** Empty without one. */
	toleranceText: string;
	tolerance: Decimal;
	/** Whether the tolerance is a share of the right side. */
	isRelative: boolean;
}

/** The number of `19 %` is 0.19. */
export type ExactAmount = Decimal & { currency?: string };

/** What stands in the way of an amount. */
interface Gap {
	gap: string;
}

type Operand = ExactAmount | Gap;

/** @returns for text that cannot be read with certainty, the end of a sentence about it */
export type ReadAmount = (printed: string, path: Path) => ExactAmount | string;

/**
 * Without the signs of other calculations, so that a line with one is refused and not read in part. A text matches in one
 * way at most: trying several would take minutes for a long line.
 */
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
		toleranceText: tolerance,
		tolerance: parseDecimal(tolerance) ?? ZERO,
		isRelative: tolerance.endsWith('%'),
	};
}

const MINUS_ONE = negative({ digits: 1n, scale: 0 });

function namesIn({ left, right }: Check): string[] {
	return [left, ...right.flat().filter((factor) => typeof factor === 'string')];
}

/** A value of the document under one of the names that checks may use for it. */
interface NamedValue {
	/** As names are compared. */
	name: string;
	path: Path;
	/** As the output shows it. */
	field: string;
	isFilled: boolean;
	/** As the document prints it. */
	printed: unknown;
	amount: Operand;
	/** Where its row is; absent for a field of the document. */
	row?: Path;
}

/** What a check names in one row of a table. */
interface Row {
	path: Path;
	/** The name of its table. */
	table: string;
	columns: NamedValue[];
}

/**
 * @returns the checks that a document has not passed, in the order of the checks and the rows, and the names in checks
 * that it does not have
 */
export function checkSums(checks: Check[], document: FieldTree, read: ReadAmount) {
	const names = checks.flatMap(namesIn);
	const values = namedValues(document, new Set(names.map(plainName)), read);
	const known = new Set(values.map(({ name }) => name));
	return {
		failures: checks.flatMap((check) => failuresOfCheck(check, values)),
		unknownNames: [...new Set(names.filter((name) => !known.has(plainName(name))))],
	};
}

/** The values that checks name: one in a row by its column and, for itself, by its whole path. */
function namedValues(
	document: FieldTree,
	wanted: ReadonlySet<string>,
	read: ReadAmount,
): NamedValue[] {
	return partsIn(document).flatMap(({ path, part }): NamedValue[] => {
		const { name, exact } = plainNames(path);
		const names = [...new Set([name, exact])].filter((each) => wanted.has(each));
		if (names.length === 0 || !isForAmount(path, part)) return [];
		const field = shortName(path);
		const value = {
			path,
			field,
			isFilled: hasValue(part),
			printed: valuesOf(part),
			amount: amountOf(field, part, (text) => read(text, path)),
		};
		return names.map((each) => ({
			...value,
			name: each,
			...(each !== exact && { row: rowPath(path) }),
		}));
	});
}

/** Whether a part stands where an amount can be: a value, or an object in its place, which no check can read. */
function isForAmount(path: Path, part: FieldTree): boolean {
	if (isFieldObject(part)) return typeof path.at(-1) === 'string' && hasValue(part);
	return !Array.isArray(part);
}

/** What a value is exactly. */
function amountOf(
	field: string,
	value: FieldTree,
	read: (printed: string) => ExactAmount | string,
): Operand {
	if (!hasValue(value)) return { gap: withoutValue(field) };
	const number = typeof value === 'number' && parseDecimal(String(value));
	if (number) return number;
	const amount = typeof value === 'string' ? read(value) : uncertaintyOf(valuesOf(value));
	return typeof amount === 'string' ? { gap: `${field} ${amount}` } : amount;
}

/** A check of a column holds for each row by itself. Any other holds for the document, and adds up the columns that it names. */
function failuresOfCheck(check: Check, values: NamedValue[]): CheckFailure[] {
	const names = new Set(namesIn(check).map(plainName));
	const named = values.filter(({ name }) => names.has(name));
	const fields = named.filter(({ row }) => row === undefined);
	const rows = rowsOf(named);
	const checkedRows = rowsWith([check.left], rows);
	// Of a table without rows, the left side is missing, so the check has not passed.
	if (checkedRows.length === 0) return failureOf(check, fields, rows);
	return checkedRows.flatMap(({ path, columns }) =>
		failureOf(check, [...fields, ...columns], [], path),
	);
}

function rowsOf(values: NamedValue[]): Row[] {
	const rows = grouped(values, ({ row }) => row && shortName(row));
	return [...rows.values()].flatMap((columns) => {
		const path = columns[0]?.row;
		return path === undefined ? [] : [{ path, table: fieldName(path), columns }];
	});
}

/** The rows of the tables that have one of the columns: of two tables with alike names, those of both. */
function rowsWith(product: Product, rows: Row[]): Row[] {
	const names = product.filter((factor) => typeof factor === 'string').map(plainName);
	const withColumn = rows.filter(({ columns }) => columns.some(({ name }) => names.includes(name)));
	const tables = new Set(withColumn.map(({ table }) => table));
	// A row in which none of the check's columns has a value is no row of it.
	return rows.filter(
		({ table, columns }) => tables.has(table) && columns.some(({ isFilled }) => isFilled),
	);
}

/**
 * Compares the two sides of a check.
 * @param fields what its names can stand for
 * @param addedRows over which it adds up columns
 * @param row the row that it holds for; absent for the document
 * @returns nothing if the check has passed
 */
function failureOf(
	check: Check,
	fields: NamedValue[],
	addedRows: Row[],
	row?: Path,
): CheckFailure[] {
	const { path, field, printed, amount } = leftSide(check.left, fields);
	const products = check.right.flatMap((product) => amountsOf(product, fields, addedRows));
	const amounts = [...products.flat(), amount];
	const actual = isKnown(amount) ? amount : undefined;
	const sum = haveOneCurrency(amounts) ? sumOfProducts(products) : undefined;
	const expected = sum && round(sum, actual?.scale ?? sum.scale);
	const difference = actual && expected && add(actual, negative(expected));
	if (difference && isWithin(check, difference, expected)) return [];
	return [
		{
			failedCheck: {
				check: check.text,
				expected: asNumber(expected),
				actual: asNumber(actual),
				difference: asNumber(difference),
				...(row && { row: Number(row.at(-1)) }),
			},
			...(path && { path }),
			reason: difference
				? `${field} is ${inSentence(printed)}, but ${expectation(check, expected)}`
				: whyNotCompared(check, amounts, row),
		},
	];
}

function expectation({ right, rightText, toleranceText }: Check, expected: Decimal): string {
	const isNumber = right.flat().every((factor) => typeof factor !== 'string');
	const verb = isNumber ? 'should be' : `${inSentence(rightText)} is`;
	const tolerance = toleranceText === '' ? '' : ` ± ${toleranceText}`;
	return `${verb} ${decimalText(expected)}${tolerance}`;
}

/** Says what stands in the way of a check, at all of its values. */
function whyNotCompared(check: Check, amounts: Operand[], row?: Path): string {
	const place = row ? ` in ${shortName(row)}` : '';
	const gaps = new Set(amounts.flatMap((amount) => (isKnown(amount) ? [] : amount.gap)));
	if (!haveOneCurrency(amounts)) gaps.add('its values have different currencies');
	return `${inSentence(check.text)} cannot be checked${place}: ${describeEntries([...gaps])}`;
}

function isKnown(amount: Operand): amount is ExactAmount {
	return !('gap' in amount);
}

/** An amount without a currency goes with any. */
function haveOneCurrency(amounts: Operand[]): boolean {
	const currencies = amounts.filter(isKnown).flatMap(({ currency }) => currency ?? []);
	return new Set(currencies).size < 2;
}

/** The left side of a check, and how a sentence shows it. A number of JSON counts as printed with two decimals. */
function leftSide(left: string, fields: NamedValue[]) {
	const { path, field = left, printed } = fields.find(({ name }) => name === plainName(left)) ?? {};
	const amount = valueOf(left, fields);
	if (typeof printed !== 'number' || !isKnown(amount)) return { path, field, printed, amount };
	const rounded = round(amount, 2);
	return { path, field, printed: decimalText(rounded), amount: rounded };
}

/** The amounts that are multiplied: of a product with columns to add up, once for each of their rows. */
function amountsOf(product: Product, fields: NamedValue[], addedRows: Row[]): Operand[][] {
	const amountsIn = (known: NamedValue[]) =>
		product.map((factor) => (typeof factor === 'string' ? valueOf(factor, known) : factor));
	const rows = rowsWith(product, addedRows);
	if (rows.length === 0) return [amountsIn(fields)];
	return rows.map(({ columns }) => amountsIn([...fields, ...columns]));
}

function valueOf(text: string, fields: NamedValue[]): Operand {
	const [field, another] = fields.filter(({ name }) => name === plainName(text));
	if (another !== undefined) return { gap: `several fields have the name ${text}` };
	return field?.amount ?? { gap: withoutValue(text) };
}

/** Undefined if an amount is not known. */
function sumOfProducts(products: Operand[][]): Decimal | undefined {
	if (!products.flat().every(isKnown)) return undefined;
	const known = products.map((amounts): Decimal[] => amounts.filter(isKnown));
	return known.map((amounts) => amounts.reduce(multiply)).reduce(add);
}

function absolute(decimal: Decimal): Decimal {
	return decimal.digits < 0n ? negative(decimal) : decimal;
}

function isWithin({ tolerance, isRelative }: Check, difference: Decimal, expected: Decimal) {
	const most = isRelative ? multiply(tolerance, absolute(expected)) : tolerance;
	return add(absolute(difference), negative(most)).digits <= 0n;
}

function asNumber(decimal: Decimal | undefined): number | null {
	return decimal === undefined ? null : Number(decimalText(decimal));
}
