import { decimalText, type Decimal } from '../results/decimals';
import {
	Field,
	isFieldObject,
	type FieldObject,
	type FieldTree,
	type Scalar,
} from '../results/fields';
import type { Path } from '../results/paths';
import { readAmount, type Amount } from './amounts';
import { readDate, type PrintedDate } from './dates';
import { nameKind } from './identifiers';

/** What the text of one value is printed like; nothing for other text. */
export interface PrintedValue {
	date?: PrintedDate;
	amount?: Amount;
	/** By its form or name; left as text and never listed. */
	isIdentifier?: boolean;
}

/** No number or date is longer, and megabytes of text are not searched for one. */
const MAX_CHARACTERS = 100;

export function readPrinted(printed: string): PrintedValue {
	if (printed.length > MAX_CHARACTERS || !/\p{Nd}/u.test(printed)) return {};
	const text = printed
		.replace(/[\uff01-\uff5e￥￦]/g, (wide) => wide.normalize('NFKC'))
		.replace(/\p{Nd}/gu, latinDigit)
		.replace(/[\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
		// A dash on another line may be no sign: two of them are none.
		.replace(/(?<=[\p{Pd}\u2212])\s*\n\s*|\s*\n\s*(?=[\p{Pd}\u2212])/gu, '-')
		.replace(/\s+/g, ' ')
		.trim();
	const date = readDate(text);
	if (date !== undefined) return { date };
	const amount = readAmount(text);
	return amount === 'identifier' ? { isIdentifier: true } : { amount };
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

/** A value of a document, with what it is printed like. */
export interface PrintedCell extends PrintedValue {
	path: Path;
	value: Scalar;
}

/** @returns the values of a document in their order; the same text is read once */
export function printedCells(
	document: FieldObject,
	isText: (path: Path) => boolean = () => false,
): PrintedCell[] {
	const known = new Map<Scalar, PrintedValue>();
	const cells: PrintedCell[] = [];
	mapScalars(document, (value, path) => {
		const printed = known.get(value) ?? (typeof value === 'string' ? readPrinted(value) : {});
		known.set(value, printed);
		const isIdentifier = isText(path) || isNamedIdentifier(printed, path);
		cells.push({ path, value, ...(isIdentifier ? { isIdentifier } : printed) });
		return value;
	});
	return cells;
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

/** Money and percentages that can be read are no identifiers, whatever the name of their field. */
function isNamedIdentifier({ amount, date }: PrintedValue, path: Path): boolean {
	if (amount !== undefined && amount.kind !== 'plain' && amount.readings.length > 0) return false;
	const name = String(path.findLast((part) => typeof part === 'string'));
	const kind = nameKind(name);
	if (kind === 'tax') return amount?.isOpen === true && amount.readings.length === 1;
	return kind === 'identifier' || (kind === 'notAmount' && date === undefined);
}
