import { columnOf } from '../results/columns';
import { scalarsIn, type FieldObject, type Scalar } from '../results/fields';
import type { Path } from '../results/paths';
import { isSpelledOut, type Amount } from './amounts/readAmount';
import { readDateInName } from './dates/readDate';
import { nameOf, type Name } from './names';
import { isReadable, plainText, readPrinted, type PrintedValue } from './printedValue';

/** Where a value is, as far as that decides what it means. */
export interface Position {
	/** The column of a table. */
	column?: string;
	name: Name;
}

/** A value of a document, with what it is printed like. */
export interface PrintedCell extends PrintedValue, Position {
	path: Path;
	value: Scalar;
}

/** @returns the values of a document in their order; the same text and the same name are read once */
export function printedCells(
	metadata: FieldObject,
	isText: (path: Path) => boolean = () => false,
): PrintedCell[] {
	const read = once((value: Scalar) => (typeof value === 'string' ? readPrinted(value) : {}));
	const readName = once(nameOf);
	return scalarsIn(metadata).map(({ path, value }) => {
		const name = readName(lastName(path));
		const printed = isText(path)
			? { leftAs: 'identifier' as const }
			: printedIn(name, value, read(value));
		return { path, value, column: columnOf({ path }), name, ...printed };
	});
}

/** The same function, which is called once for each argument. */
function once<Key, Result>(call: (key: Key) => Result): (key: Key) => Result {
	const known = new Map<Key, Result>();
	return (key) => {
		const result = known.get(key) ?? call(key);
		known.set(key, result);
		return result;
	};
}

export function positionOf(path: Path): Position {
	return { column: columnOf({ path }), name: nameOf(lastName(path)) };
}

function lastName(path: Path): string {
	return String(path.findLast((part) => typeof part === 'string'));
}

/** What is left of a value under its name. */
function printedIn({ kind }: Name, value: Scalar, printed: PrintedValue): PrintedValue {
	if (typeof value !== 'string') return printed;
	const { amount, date } = printed;
	switch (kind) {
		// `account: 640,00` is an identifier, `account: € 9,45` is none.
		case 'identifier':
			return isMoneyOrPercentage(amount) ? printed : { leftAs: 'identifier' };
		// `startTime: 9.45` is no amount, `startTime: 3 March 2027` is a date.
		case 'time':
			return isMoneyOrPercentage(amount) || date ? printed : { leftAs: 'identifier' };
		case 'amount':
			return (amount ?? date) ? printed : listedIfReadable(value, printed);
		case 'date':
		case 'birth':
			return date ? printed : printedInDate(value, printed);
		default:
			return printed;
	}
}

/** `dueDate: € 12,50`, but not `Fr. 12.03`, which is a Friday; and `date: 20270309`. */
function printedInDate(value: string, printed: PrintedValue): PrintedValue {
	if (isMoneyOrPercentage(printed.amount) && !printed.amount?.isWord) return printed;
	const date = isReadable(value) ? readDateInName(plainText(value)) : undefined;
	return date ? { date } : listedIfReadable(value, printed);
}

/** Money and percentages that can be read are no identifiers, whatever their name: `€ 9,45`, `9,45 %`. */
function isMoneyOrPercentage(amount?: Amount): boolean {
	return amount !== undefined && amount.kind !== 'plain' && amount.readings.length > 0;
}

/** Where an amount or a date is expected, other text with a digit is not passed over: `total: 3 lakh`, `due: 12.03.` */
function listedIfReadable(value: string, printed: PrintedValue): PrintedValue {
	// Letters glued to digits are a number of the tax office: `IČ DPH: SK2020123456`.
	const isCode = printed.leftAs === 'identifier' && /\p{L}/u.test(value);
	const isOther = !isReadable(value) || isCode || isSpelledOut(value);
	return isOther ? printed : { leftAs: 'uncertain' };
}
