import type { FieldObject, Scalar } from '../results/fields';
import { columnOf, textsAmongNumbers, type ColumnCell } from '../results/columns';
import { fieldName, plainName, type Path } from '../results/review';
import { dateReaderFor, type DateOrder } from './dates';
import { meaningsOf, readerFor, type DecimalMark, type Meanings } from './marks';
import { mapScalars, numberOfReading, printedValues, type PrintedValue } from './printedValue';

export interface ValueSettings {
	decimalMark: DecimalMark | 'detect';
	dateOrder: DateOrder | 'detect';
	/** Names or paths of fields that are left as printed. */
	textFields: string[];
}

/** A value that is left as printed, although it looks like a number or a date. */
export interface UncertainValue extends Meanings {
	path: Path;
	printed: Scalar;
}

/** Converts certain numbers and, to `YYYY-MM-DD`, dates; lists uncertain values in their order. */
export function typedValues(document: FieldObject, settings: ValueSettings) {
	const kept = new Set(settings.textFields.map(plainName));
	const printed = printedValues(document, (path) => isKept(path, kept));
	const readAmount = readerFor(printed, settings.decimalMark);
	const readDay = dateReaderFor(printed, settings.dateOrder);
	const cells: ColumnCell[] = [];
	const tree = mapScalars(document, (scalar, path) => {
		const value = printed[cells.length] ?? {};
		const { amount, date } = value;
		const reading = amount && readAmount(amount);
		const result = (date && readDay(date)) ?? (reading && numberOfReading(reading));
		cells.push({ path, value: scalar, kind: cellKind(scalar, value, result) });
		return result ?? scalar;
	});
	for (const cell of textsAmongNumbers(cells, columnOf)) cell.kind = 'uncertain';
	const uncertain = cells.flatMap(({ path, value, kind }, index): UncertainValue[] => {
		if (kind !== 'uncertain') return [];
		return [{ path, printed: value, ...meaningsOf(printed[index], settings) }];
	});
	return { tree: tree as FieldObject, uncertain, cells };
}

function isKept(path: Path, kept: ReadonlySet<string>): boolean {
	// An object or a list is kept with everything in it.
	const names = path.flatMap((part, at) => [String(part), fieldName(path.slice(0, at + 1))]);
	return names.some((name) => kept.has(plainName(name)));
}

/** What a cell means to the column that it is in. */
function cellKind(
	scalar: Scalar,
	value: PrintedValue,
	result?: string | number,
): ColumnCell['kind'] {
	if (typeof result === 'number') return 'converted';
	if (typeof scalar === 'number') return 'number';
	if (scalar === null || scalar === '') return 'empty';
	if (typeof scalar !== 'string' || result !== undefined || value.isIdentifier) return 'word';
	if (value.amount !== undefined || value.date !== undefined) return 'uncertain';
	return /\p{Nd}/u.test(scalar) ? 'text' : 'word';
}
