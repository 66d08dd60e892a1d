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
import { Field, isFieldObject, type FieldTree } from './fields';
import {
	fieldName,
	hasValue,
	inSentence,
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
	value: string | number | boolean | null;
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
	const cells: Cell[] = [];
	const addCell = (path: Path, value: Cell['value']) => {
		const field = pathName(withoutFields(path));
		const [name, exact] = [plainName(fieldName(path)), plainName(field)];
		const end = path.findLastIndex((part) => typeof part === 'number') + 1;
		const row = end > 0 ? withoutFields(path.slice(0, end)) : undefined;
		if (wanted.has(name)) cells.push({ name, field, value, row });
		if (exact !== name && wanted.has(exact)) cells.push({ name: exact, field, value });
	};
	const visit = (tree: FieldTree, path: Path): void => {
		if (tree instanceof Field) return visit(tree.value, path);
		if (Array.isArray(tree)) return tree.forEach((entry, at) => visit(entry, [...path, at]));
		if (!isFieldObject(tree)) return addCell(path, tree);
		// An object in place of an amount cannot be read, and its row counts.
		if (typeof path.at(-1) === 'string' && hasValue(tree)) addCell(path, true);
		for (const [name, part] of Object.entries(tree)) visit(part, [...path, name]);
	};
	visit(document, []);
	return cells;
}

/** A check of a column holds for each row by itself, any other for the document. */
function failuresOfCheck(check: Check, cells: Cell[], read: ReadAmount): CheckFailure[] {
	const names = new Set(namesIn(check).map(plainName));
	const named = cells.filter(({ name }) => names.has(name));
	const fields = named.filter(({ row }) => row === undefined);
	const rows = rowsOf(named);
	const column = named.filter(({ name, row }) => row && name === plainName(check.left));
	if (column.length === 0) return failureIn(check, fields, rows, read);
	const ofTables = rowsOfTables(column, rows);
	// A table without rows has not passed: without them, the left side is missing.
	if (ofTables.length === 0) return failureIn(check, fields, [], read);
	return ofTables.flatMap((row) => failureIn(check, [...fields, ...row], [], read, row[0]?.row));
}

/** The cells of tables by row, without the rows in which none has a value. */
function rowsOf(cells: Cell[]): Cell[][] {
	const rows = new Map<string, Cell[]>();
	for (const cell of cells) {
		if (cell.row === undefined) continue;
		const path = pathName(cell.row);
		const row = rows.get(path);
		if (row === undefined) rows.set(path, [cell]);
		else row.push(cell);
	}
	return [...rows.values()].filter((row) => row.some(({ value }) => hasValue(value)));
}

/** The rows of the tables that cells are in: of two tables with alike names, those of both. */
function rowsOfTables(cells: Cell[], rows: Cell[][]): Cell[][] {
	const tableOf = (cell?: Cell) => fieldName(cell?.row ?? []);
	const tables = new Set(cells.map(tableOf));
	return rows.filter(([cell]) => tables.has(tableOf(cell)));
}

/** @returns nothing if the check has passed */
function failureIn(
	check: Check,
	fields: Cell[],
	rows: Cell[][],
	read: ReadAmount,
	row?: Path,
): CheckFailure[] {
	const values = new CheckedValues(read);
	const sum = values.sumOf(check.right, fields, rows);
	const isCalculated = values.gaps.size === 0;
	const { field, printed, actual } = values.leftSide(check.left, fields);
	const isComparable = values.currencies.size < 2;
	if (!isComparable) values.gaps.add('its values have different currencies');
	const expected =
		isCalculated && isComparable ? round(sum, actual?.scale ?? sum.scale) : undefined;
	const difference = actual && expected && add(actual, negative(expected));
	const size = difference && (difference.digits < 0n ? negative(difference) : difference);
	if (size && add(size, negative(check.tolerance)).digits <= 0n) return [];
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
				: `${inSentence(check.text)} cannot be checked${place}: ${listed([...values.gaps])}`,
		},
	];
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
			const names = new Set(
				factors.map((factor) => typeof factor === 'string' && plainName(factor)),
			);
			const columns = rows.flat().filter(({ name }) => names.has(name));
			const ofTables = rowsOfTables(columns, rows);
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
			.reduce<Decimal>((product, factor) => multiply(product, factor ?? ZERO), ONE);
	}

	#valueOf(text: string, cells: Cell[]): Decimal | undefined {
		const [cell, another] = cells.filter(({ name }) => name === plainName(text));
		const amount = another ? undefined : amountOf(cell, text, this.read);
		if (typeof amount === 'object') {
			if (amount.currency !== undefined) this.currencies.add(amount.currency);
			return amount.isPercentage ? hundredths(amount) : amount;
		}
		this.gaps.add(amount ?? `several fields have the name ${text}`);
		return undefined;
	}
}

/** @returns what stands in the way if the cell cannot be read */
function amountOf(cell: Cell | undefined, name: string, read: ReadAmount): PrintedAmount | string {
	if (cell === undefined || !hasValue(cell.value)) return withoutValue(cell?.field ?? name);
	const number = typeof cell.value === 'number' && parseDecimal(String(cell.value));
	if (number) return { ...number, isPercentage: false };
	const amount = typeof cell.value === 'string' ? read(cell.value) : uncertaintyOf(cell.value);
	return typeof amount === 'string' ? `${cell.field} ${amount}` : amount;
}
