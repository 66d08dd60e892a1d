import { textsAmongNumbers, type ColumnCell } from '../results/columns';
import type { FieldObject, Scalar } from '../results/fields';
import { plainName, plainNames, type Path } from '../results/paths';
import type { DateOrder } from './dates';
import { amountReaderFor, type DecimalMark } from './decideAmounts';
import { dateReaderFor } from './decideDates';
import { MoneyEvidence } from './evidence';
import { meaningsOf, type Meanings } from './meanings';
import { mapScalars, numberOfReading, printedCells, type PrintedCell } from './printedValue';

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

/**
 * Converts certain numbers and, to `YYYY-MM-DD`, dates; lists uncertain values in their order.
 * @param today near which years of two digits are
 */
export function typedValues(
	metadata: FieldObject,
	settings: ValueSettings,
	today: Date = new Date(),
) {
	const kept = new Set(settings.textFields.map(plainName));
	const printed = printedCells(metadata, (path) => isKept(path, kept));
	const money = new MoneyEvidence(printed);
	const readAmount = amountReaderFor(printed, settings.decimalMark, money);
	const readDay = dateReaderFor(printed, settings.dateOrder, today, money);
	const results = printed.map((cell) => {
		const reading = readAmount(cell);
		return readDay(cell) ?? (reading && numberOfReading(reading));
	});
	const byThemselves = printed.map((cell, index): ColumnCell => {
		const { path, value } = cell;
		const isList = cell.amount?.isList === true && money.all?.groups.has(' ') !== true;
		return { path, value, kind: isList ? 'word' : cellKind(cell, results[index]) };
	});
	const columns = new Map(byThemselves.map((cell, index) => [cell, printed[index]?.column]));
	const texts = textsAmongNumbers(byThemselves, (cell) => columns.get(cell));
	const cells = byThemselves.map((cell): ColumnCell =>
		texts.has(cell) ? { ...cell, kind: 'uncertain' } : cell,
	);
	const uncertain = cells.flatMap(({ path, value, kind }, index): UncertainValue[] => {
		if (kind !== 'uncertain') return [];
		return [{ path, printed: value, ...meaningsOf(printed[index], settings) }];
	});
	let place = 0;
	const tree = mapScalars(metadata, (value) => results[place++] ?? value) as FieldObject;
	return { tree, uncertain, cells };
}

function isKept(path: Path, kept: ReadonlySet<string>): boolean {
	if (kept.size === 0) return false;
	// An object or a list is kept with everything in it.
	const names = path.flatMap((part, at) => {
		const { name, exact } = plainNames(path.slice(0, at + 1));
		return [plainName(String(part)), name, exact];
	});
	return names.some((name) => kept.has(name));
}

/** What a cell means to the column that it is in. */
function cellKind(cell: PrintedCell, result?: string | number): ColumnCell['kind'] {
	const { value, amount, date, isIdentifier, isExpected } = cell;
	if (typeof result === 'number') return 'converted';
	if (typeof value === 'number') return 'number';
	if (value === null || value === '') return 'empty';
	if (typeof value !== 'string' || result !== undefined || isIdentifier) return 'word';
	if (amount !== undefined || date !== undefined || isExpected) return 'uncertain';
	return /\p{Nd}/u.test(value) ? 'text' : 'word';
}
