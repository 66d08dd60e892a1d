import { textsAmongNumbers, type ColumnCell } from '../results/columns';
import { mapScalars, type FieldObject, type Scalar } from '../results/fields';
import { plainName, plainNames, type Path } from '../results/paths';
import { exactNumber } from '../text/decimals';
import type { DateOrder } from './dates/readDate';
import { amountReaderFor, type DecimalMark } from './amounts/decideAmounts';
import { dateReaderFor } from './dates/decideDates';
import { moneyEvidence } from './amounts/moneyEvidence';
import { meaningsOf, type Meanings } from './meanings';
import { printedCells, type PrintedCell } from './printedCells';

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
 * Converts certain numbers and, to `YYYY-MM-DD`, dates; lists uncertain values in their order. The way of a value:
 * 1. `readPrinted`: the days that it can be (`readDate`), or else the numbers (`tokensOf`, `readAmount`), or an identifier.
 * 2. `printedCells`: what the name of its field excludes (`nameOf`).
 * 3. `moneyEvidence`: which marks the money of the document shows.
 * 4. `amountReaderFor`, `dateReaderFor`: the option, its column and the document exclude meanings. The only one left counts.
 * 5. `textsAmongNumbers`: text in a column of numbers is uncertain, too.
 * @param today near which years of two digits are
 */
export function typedValues(metadata: FieldObject, settings: ValueSettings, today = new Date()) {
	const kept = new Set(settings.textFields.map(plainName));
	const printed = printedCells(metadata, (path) => isKept(path, kept));
	const money = moneyEvidence(printed);
	const decideAmount = amountReaderFor(printed, settings.decimalMark, money);
	const decideDay = dateReaderFor(printed, settings.dateOrder, today, money);
	const results = printed.map((cell) => {
		const reading = decideAmount(cell);
		return decideDay(cell) ?? (reading && exactNumber(reading));
	});
	const byThemselves = printed.map((cell, at) => {
		const { path, value, column } = cell;
		return { path, value, column, kind: cellKind(cell, results[at]) };
	});
	const texts = textsAmongNumbers(byThemselves, ({ column }) => column);
	const cells = byThemselves.map((cell): ColumnCell =>
		texts.has(cell) ? { ...cell, kind: 'uncertain' } : cell,
	);
	const uncertain = cells.flatMap(({ path, value, kind }, at): UncertainValue | [] =>
		kind === 'uncertain' ? { path, printed: value, ...meaningsOf(printed[at], settings) } : [],
	);
	let next = 0;
	const tree = mapScalars(metadata, (value) => results[next++] ?? value) as FieldObject;
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
	const { value, amount, date, leftAs } = cell;
	if (typeof result === 'number') return 'converted';
	if (typeof value === 'number') return 'number';
	if (value === null || value === '') return 'empty';
	if (typeof value !== 'string' || result !== undefined || leftAs === 'identifier') return 'word';
	if (amount ?? date ?? leftAs) return 'uncertain';
	return /\p{Nd}/u.test(value) ? 'text' : 'word';
}
