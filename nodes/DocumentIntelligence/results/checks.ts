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
	/** Empty without one. */
	toleranceText: string;
	tolerance: Decimal;
	/** Whether the tolerance is a share of the right side. */
	isRelative: boolean;
}

/** The number of `19 %` is 0.19. */
export type PrintedAmount = Decimal & { currency?: string };

/** @returns for text that cannot be read with certainty, the end of a sentence about it */
export type ReadAmount = (printed: string, path: Path) => PrintedAmount | string;

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
	/** What the value is exactly, or what stands in the way. */
	amount: PrintedAmount | string;
	/** Where its row is; absent for a field of the document. */
	row?: Path;
}

/** What checks name in one row of a table. */
interface Row {
	path: Path;
	/** The name of its table. */
	table: string;
	values: NamedValue[];
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

/** @returns what stands in the way if the value cannot be read */
function amountOf(
	field: string,
	value: FieldTree,
	read: (printed: string) => PrintedAmount | string,
): PrintedAmount | string {
	if (!hasValue(value)) return withoutValue(field);
	const number = typeof value === 'number' && parseDecimal(String(value));
	if (number) return number;
	const amount = typeof value === 'string' ? read(value) : uncertaintyOf(valuesOf(value));
	return typeof amount === 'string' ? `${field} ${amount}` : amount;
}

/** What a check holds for: a document, or one row of a table. */
interface Scope {
	/** Which names can stand for: of the document and, for a row, of that row. */
	fields: NamedValue[];
	/** Which columns on the right side are added up over: none for a row, in which a column is one value. */
	addedRows: Row[];
	/** Where the row is. */
	row?: Path;
}

/** A check of a column holds for each row by itself, any other for the document. */
function failuresOfCheck(check: Check, values: NamedValue[]): CheckFailure[] {
	const names = new Set(namesIn(check).map(plainName));
	const named = values.filter(({ name }) => names.has(name));
	const fields = named.filter(({ row }) => row === undefined);
	const rows = rowsOf(named);
	const checkedRows = rowsWith([check.left], rows);
	// Of a table without rows, the left side is missing, so the check has not passed.
	if (checkedRows.length === 0) return failureOf(check, { fields, addedRows: rows });
	return checkedRows.flatMap(({ path, values: columns }) =>
		failureOf(check, { fields: [...fields, ...columns], addedRows: [], row: path }),
	);
}

function rowsOf(values: NamedValue[]): Row[] {
	const rows = grouped(values, ({ row }) => row && shortName(row));
	return [...rows.values()].flatMap((ofRow) => {
		const path = ofRow[0]?.row;
		return path === undefined ? [] : [{ path, table: fieldName(path), values: ofRow }];
	});
}

/** The rows of the tables that have one of the columns: of two tables with alike names, those of both. */
function rowsWith(columns: Product, rows: Row[]): Row[] {
	const names = columns.filter((column) => typeof column === 'string').map(plainName);
	const withColumn = rows.filter(({ values }) => values.some(({ name }) => names.includes(name)));
	const tables = new Set(withColumn.map(({ table }) => table));
	// A row in which none of the check's columns has a value is no row of it.
	return rows.filter(
		({ table, values }) => tables.has(table) && values.some(({ isFilled }) => isFilled),
	);
}

/**
 * Compares the two sides of a check.
 * @returns nothing if the check has passed
 */
function failureOf(check: Check, { fields, addedRows, row }: Scope): CheckFailure[] {
	const products = check.right.flatMap((product) => productsOf(product, fields, addedRows));
	const { path, field, printed, amount } = leftSide(check.left, fields);
	const amounts = [...products.flat(), amount];
	const actual = typeof amount === 'string' ? undefined : amount;
	const sum = haveOneCurrency(amounts) ? sumOf(products) : undefined;
	const expected = sum && round(sum, actual?.scale ?? sum.scale);
	const difference = actual && expected && add(actual, negative(expected));
	if (difference && isWithin(check, difference, expected)) return [];
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
function whyNotCompared(check: Check, amounts: Array<PrintedAmount | string>, row?: Path): string {
	const place = row ? ` in ${shortName(row)}` : '';
	const gaps = new Set(amounts.filter((each) => typeof each === 'string'));
	if (!haveOneCurrency(amounts)) gaps.add('its values have different currencies');
	return `${inSentence(check.text)} cannot be checked${place}: ${describeEntries([...gaps])}`;
}

/** An amount without a currency goes with any. */
function haveOneCurrency(amounts: Array<PrintedAmount | string>): boolean {
	const known = amounts.filter((each) => typeof each !== 'string');
	return new Set(known.flatMap(({ currency }) => currency ?? [])).size < 2;
}

/** The left side of a check, and how a sentence shows it. A number of JSON counts as printed with two decimals. */
function leftSide(left: string, fields: NamedValue[]) {
	const { path, field = left, printed } = fields.find(({ name }) => name === plainName(left)) ?? {};
	const amount = valueOf(left, fields);
	if (typeof printed !== 'number' || typeof amount === 'string')
		return { path, field, printed, amount };
	const rounded = round(amount, 2);
	return { path, field, printed: decimalText(rounded), amount: rounded };
}

/** The factors of a product as amounts; a product with columns is one product for each of their rows. */
function productsOf(product: Product, fields: NamedValue[], addedRows: Row[]) {
	const factorsIn = (known: NamedValue[]): Array<PrintedAmount | string> =>
		product.map((factor) => (typeof factor === 'string' ? valueOf(factor, known) : factor));
	const ownRows = rowsWith(product, addedRows);
	if (ownRows.length === 0) return [factorsIn(fields)];
	return ownRows.map(({ values }) => factorsIn([...fields, ...values]));
}

/** @returns what stands in the way if the name has no value */
function valueOf(text: string, fields: NamedValue[]): PrintedAmount | string {
	const [field, another] = fields.filter(({ name }) => name === plainName(text));
	return another ? `several fields have the name ${text}` : (field?.amount ?? withoutValue(text));
}

/** Undefined if a factor is not known. */
function sumOf(products: Product[]): Decimal | undefined {
	const sum = (known: Decimal[][]) => known.map((factors) => factors.reduce(multiply)).reduce(add);
	const isKnown = (factors: Product) => factors.every((factor) => typeof factor !== 'string');
	return products.every(isKnown) ? sum(products) : undefined;
}

function absolute(decimal: Decimal): Decimal {
	return decimal.digits < 0n ? negative(decimal) : decimal;
}

function isWithin({ tolerance, isRelative }: Check, difference: Decimal, expected: Decimal) {
	const most = isRelative ? multiply(tolerance, absolute(expected)) : tolerance;
	return add(absolute(difference), negative(most)).digits <= 0n;
}

function numberOf(decimal: Decimal | undefined): number | null {
	return decimal === undefined ? null : Number(decimalText(decimal));
}
