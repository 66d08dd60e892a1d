import {
	Field,
	isFieldObject,
	type FieldObject,
	type FieldTree,
	type Scalar,
} from '../results/fields';
import { columnOf } from '../results/columns';
import type { Path } from '../results/paths';
import { decimalText, type Decimal } from '../text/decimals';
import { isSpelledOut, readAmount, UNREADABLE, type Amount } from './amounts';
import { readDate, readDateInName, type PrintedDate } from './dates';
import { nameKind, type NameKind } from './names';

/** What the text of one value is printed like; nothing for other text. */
export interface PrintedValue {
	date?: PrintedDate;
	amount?: Amount;
	/** By its form or name; left as text and never listed. */
	isIdentifier?: boolean;
	/** Left as text and listed, because its name means an amount or a date. */
	isExpected?: boolean;
}

/** No number or date is longer, and megabytes of text are not searched for one. */
const MAX_CHARACTERS = 100;

const LINE_BREAKS = /[\r\n\v\u2028\u2029]+/;

export function readPrinted(printed: string): PrintedValue {
	if (!isReadable(printed)) return {};
	const lines = printed.split(LINE_BREAKS).filter((line) => /\S/.test(line));
	return lines.length > 1 ? readLines(lines) : readLine(printed);
}

function isReadable(printed: string): boolean {
	return printed.length <= MAX_CHARACTERS && hasDigit(printed);
}

/** Also of other scripts: `٨٦`. */
function hasDigit(text: string): boolean {
	return /\p{Nd}/u.test(text);
}

function readLines(lines: string[]): PrintedValue {
	const withDigits = lines.filter(hasDigit);
	return withDigits.length === 1 ? readLine(inOneLine(lines)) : readValues(withDigits);
}

/** A currency or a word may stand on a line of its own: `1.204,50\nEUR`. */
function inOneLine(lines: string[]): string {
	// The dash of `86,40 €\n-` may be no sign; two of them are none.
	const isDash = (line: string) => /^\s*[\p{Pd}\u2212]\s*$/u.test(line);
	return lines.map((line) => (isDash(line) ? '--' : line)).join(' ');
}

/** Numbers on two lines are two values, as in `11\n250.00`; an address, or `4711\n4712`, has none. */
function readValues(lines: string[]): PrintedValue {
	const read = lines.map((line) => readLine(line));
	const areValues = read.every(({ amount, date }) => amount ?? date);
	const areMarked = read.some(({ date }) => date) || lines.some((line) => /\d[.,' ]\d/.test(line));
	return areValues && areMarked ? { amount: UNREADABLE } : {};
}

const ARABIC_DIGIT = /[\u0660-\u0669]/;

function readLine(line: string): PrintedValue {
	const text = plainText(line);
	const date = readDate(text);
	if (date !== undefined) return { date: { ...date, isArabic: ARABIC_DIGIT.test(line) } };
	const amount = readAmount(text);
	return amount === 'identifier' ? { isIdentifier: true } : { amount };
}

/** Characters that print nothing but set the direction or join letters, as around numbers in Arabic and Hebrew. */
const WITHOUT_GLYPH = /[\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** With Latin digits, single blanks, and without what has no glyph. */
function plainText(line: string): string {
	return (
		line
			// `８６．４０` and `￥125,000`.
			.replace(/[\uff01-\uff5e￥￦]/g, (wide) => wide.normalize('NFKC'))
			// `٨٦٫٤٠`.
			.replace(/[^\P{Nd}\d]/gu, latinDigit)
			.replace(WITHOUT_GLYPH, '')
			.replace(/\s+/g, ' ')
			.trim()
	);
}

/** Each script has its ten digits in a row. */
function latinDigit(digit: string): string {
	const code = digit.codePointAt(0) ?? 0;
	let zero = code;
	while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
	return String((code - zero) % 10);
}

/** Undefined if a JavaScript number, which keeps 15 significant digits, would lose one. */
export function numberOfReading(reading: Decimal): number | undefined {
	const significant = String(reading.digits).replace(/^-|0+$/g, '');
	return significant.length > 15 ? undefined : Number(decimalText(reading));
}

/** Where a value is, as far as that decides what it means. */
export interface Place {
	/** The column of a table. */
	column?: string;
	isUnitPrice?: boolean;
	isBirth?: boolean;
}

/** A value of a document, with what it is printed like. */
export interface PrintedCell extends PrintedValue, Place {
	path: Path;
	value: Scalar;
}

/** @returns the values of a document in their order; the same text and the same name are read once */
export function printedCells(
	metadata: FieldObject,
	isText: (path: Path) => boolean = () => false,
): PrintedCell[] {
	const known = new Map<Scalar, PrintedValue>();
	const names = new Map<string, NameKind>();
	const cells: PrintedCell[] = [];
	mapScalars(metadata, (value, path) => {
		const printed = known.get(value) ?? (typeof value === 'string' ? readPrinted(value) : {});
		known.set(value, printed);
		const name = lastName(path);
		const named = names.get(name) ?? nameKind(name);
		names.set(name, named);
		const { isUnitPrice, isBirth } = named;
		const place = { path, value, column: columnOf({ path }), isUnitPrice, isBirth };
		const meaning = isText(path) ? { isIdentifier: true } : namedValue(value, printed, named);
		cells.push({ ...place, ...meaning });
		return value;
	});
	return cells;
}

export function placeOf(path: Path): Place {
	return { column: columnOf({ path }), isUnitPrice: nameKind(lastName(path)).isUnitPrice };
}

function lastName(path: Path): string {
	return String(path.findLast((part) => typeof part === 'string'));
}

/** The same tree with other values, which are changed in the order of the document. */
export function mapScalars(
	tree: FieldTree,
	change: (value: Scalar, path: Path) => Scalar,
	path: Path = [],
): FieldTree {
	const visit = (inner: FieldTree, ...steps: Path) =>
		mapScalars(inner, change, [...path, ...steps]);
	if (Array.isArray(tree)) return tree.map((entry, at) => visit(entry, at));
	if (tree instanceof Field) return new Field(visit(tree.value), tree.details);
	if (!isFieldObject(tree)) return change(tree, path);
	return Object.fromEntries(Object.entries(tree).map(([name, part]) => [name, visit(part, name)]));
}

/** What is left of a value under its name. */
function namedValue(value: Scalar, printed: PrintedValue, { kind }: NameKind): PrintedValue {
	const { amount, date } = printed;
	if (kind === undefined || typeof value !== 'string') return printed;
	const hasUnit = isMoneyOrPercentage(amount);
	// `account: 640,00` is an identifier, `account: € 9,45` is none.
	if (kind === 'identifier') return hasUnit ? printed : { isIdentifier: true };
	// `startTime: 9.45` is no amount, `startTime: 3 March 2027` is a date.
	if (kind === 'notAmount') return hasUnit || date ? printed : { isIdentifier: true };
	// `vat: 24.680.135` is the number of a company, `vat: 394,90` is a tax.
	if (kind === 'tax') return isGroupedNumber(amount) ? { isIdentifier: true } : printed;
	return expectedValue(value, printed, kind);
}

/** Under the name of a date or an amount, text with a digit is not passed over: `total: 3 lakh`, `due: 12.03.` */
function expectedValue(
	value: string,
	printed: PrintedValue,
	kind: 'date' | 'amount',
): PrintedValue {
	if (printed.date !== undefined || !isReadable(value)) return printed;
	if (kind === 'date') return expectedDate(value, printed);
	// `prix: 2 468 013` may be a telephone number.
	const isKnown = printed.amount !== undefined && printed.amount.isList !== true;
	return isKnown ? printed : expectedUnlessExplained(value, printed);
}

function expectedDate(value: string, printed: PrintedValue): PrintedValue {
	// `dueDate: € 12,50`.
	if (isCertainMoney(printed.amount)) return printed;
	// `date: 20270309`.
	const date = readDateInName(plainText(value));
	return date ? { date } : expectedUnlessExplained(value, printed);
}

/** Text that is known to be neither a date nor a number stays as it is. */
function expectedUnlessExplained(value: string, printed: PrintedValue): PrintedValue {
	// Letters glued to digits are a number of the tax office: `IČ DPH: SK2020123456`.
	const isCode = printed.isIdentifier === true && /\p{L}/u.test(value);
	return isCode || isSpelledOut(value) ? printed : { isExpected: true };
}

/** Money and percentages that can be read are no identifiers, whatever their name: `€ 9,45`, `9,45 %`. */
function isMoneyOrPercentage(amount?: Amount): boolean {
	return amount !== undefined && amount.kind !== 'plain' && amount.readings.length > 0;
}

/** Not `Fr. 12.03`, which is a Friday. */
function isCertainMoney(amount?: Amount): boolean {
	return isMoneyOrPercentage(amount) && amount?.isWord === false;
}

/** `24.680.135`, which can only be grouped. */
function isGroupedNumber(amount?: Amount): boolean {
	return amount?.isOpen === true && amount.readings.length === 1;
}
