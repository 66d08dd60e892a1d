import { columnOf } from '../results/columns';
import { scalarsIn, type FieldObject, type Scalar } from '../results/fields';
import type { Path } from '../results/paths';
import { isSpelledOut, type Amount } from './amounts/readAmount';
import { readDateInName } from './dates/readDate';
import { nameOf, type Name } from './names';
import { isReadable, plainLine, readPrinted, type PrintedValue } from './printedValue';

/** A value of a document, with what it is printed like. */
export interface PrintedCell extends PrintedValue {
	path: Path;
	value: Scalar;
	/** The column of a table. */
	column?: string;
	name: Name;
}

const UNLISTED: PrintedValue = { leftAs: 'unlisted' };

/** @returns the values of a document in their order; the same text and the same name are read once */
export function printedCells(metadata: FieldObject, isText?: (path: Path) => boolean) {
	const read = once((value: Scalar) => (typeof value === 'string' ? readPrinted(value) : {}));
	const readName = once(nameOf);
	return scalarsIn(metadata).map(({ path, value }): PrintedCell => {
		const name = readName(lastName(path));
		const printed = isText?.(path) ? UNLISTED : printedIn(name, value, read(value));
		return { path, value, column: columnOf(path), name, ...printed };
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

/** Where a value is, as far as that decides what it means. */
export function positionOf(path: Path) {
	return { column: columnOf(path), name: nameOf(lastName(path)) };
}

function lastName(path: Path): string {
	return String(path.findLast((part) => typeof part === 'string'));
}

/** What is left of a value under its name. */
function printedIn({ means }: Name, value: Scalar, printed: PrintedValue): PrintedValue {
	const { amount, date } = printed;
	const isMoney = isMoneyOrPercentage(amount);
	// `account: 640,00` is an identifier, `account: € 9,45` and `9,45 %` are none.
	if (means === 'identifier') return isMoney ? printed : UNLISTED;
	if (typeof value !== 'string' || means === undefined || date !== undefined) return printed;
	if (means === 'amount') return amount ? printed : listedIfReadable(value, printed);
	// `dueDate: € 12,50`, but not `Fr. 12.03`, which is a Friday.
	if (isMoney && (means === 'time' || amount?.isWord === false)) return printed;
	// `startTime: 9.45` is no amount.
	if (means === 'time') return UNLISTED;
	const inName = isReadable(value) ? readDateInName(plainLine(value)) : undefined;
	return inName ? { date: inName } : listedIfReadable(value, printed);
}

/** Only what can be read; under any name: `€ 9,45`, `9,45 %`. */
function isMoneyOrPercentage(amount?: Amount): boolean {
	return amount !== undefined && amount.kind !== 'plain' && amount.readings.length > 0;
}

/** Where an amount or a date is expected, other text with a digit is not passed over: `total: 3 lakh`, `due: 12.03.` */
function listedIfReadable(value: string, printed: PrintedValue): PrintedValue {
	// Letters glued to digits are a number of the tax office: `IČ DPH: SK2020123456`.
	const isCode = printed.leftAs === 'unlisted' && /\p{L}/u.test(value);
	const isOther = !isReadable(value) || isCode || isSpelledOut(value);
	return isOther ? printed : { leftAs: 'listed' };
}
