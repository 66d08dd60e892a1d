import { columnOf } from '../results/columns';
import { scalarsIn, type FieldObject, type Scalar } from '../results/fields';
import type { Path } from '../results/paths';
import { isSpelledOut } from './amounts/readAmount';
import { nameOf, type Name } from './names';
import { isReadable, readInName, readPrinted, type PrintedValue } from './printedValue';

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
	const read = once(readPrinted);
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
	// Only what can be read; under any name: `€ 9,45`, `9,45 %`.
	const isMoney = amount && amount.kind !== 'plain' && amount.readings.length > 0;
	// `account: 640,00` is an identifier, `account: € 9,45` and `9,45 %` are none.
	if (means === 'identifier') return isMoney ? printed : UNLISTED;
	if (means === undefined || date !== undefined || !isReadable(value)) return printed;
	// `startTime: 9.45` is no amount.
	if (means === 'time') return isMoney ? printed : UNLISTED;
	// `dueDate: € 12,50`, but not `Fr. 12.03`, which is a Friday.
	if (means === 'amount' ? amount : isMoney && !amount.isWord) return printed;
	const inName = readInName(value, means === 'amount');
	return (inName.amount ?? inName.date) ? inName : listedUnlessOther(value, printed);
}

/** Where an amount or a date is expected, other text with a digit is not passed over: `total: 3 lakh`, `due: 12.03.` */
function listedUnlessOther(value: string, printed: PrintedValue): PrintedValue {
	// Letters glued to digits are a number of the tax office: `IČ DPH: SK2020123456`.
	const isCode = printed.leftAs === 'unlisted' && /\p{L}/u.test(value);
	return isCode || isSpelledOut(value) ? printed : { leftAs: 'listed' };
}
