import { textsAmongNumbers, type ColumnCell } from '../results/columns';
import { withScalars, type FieldObject, type Scalar } from '../results/fields';
import { plainName, plainNames, type Path } from '../results/paths';
import { exactNumber } from '../text/decimals';
import { amountDecider, type DecimalMark } from './amounts/decideAmounts';
import { moneyEvidence } from './amounts/moneyEvidence';
import { dateDecider } from './dates/decideDates';
import type { DateOrder } from './dates/readDate';
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

/** A value with what is printed, and what it was converted to, if it was. */
interface TypedCell extends ColumnCell {
	source: PrintedCell;
	converted?: string | number;
}

/**
 * Converts certain numbers and, to `YYYY-MM-DD`, dates; lists uncertain values in their order. The way of a value:
 * 1. `readPrinted`: the days that it can be (`readDate`), or else the numbers (`tokensOf`, `readAmount`), or an identifier.
 * 2. `printedCells`: what the name of its field excludes (`nameOf`).
 * 3. `moneyEvidence`: which marks the money of the document shows.
 * 4. `amountDecider`, `dateDecider`: the option, its column and the document exclude meanings. The only one left counts.
 * 5. `textsAmongNumbers`: text in a column of numbers is uncertain, too.
 * @param today near which years of two digits are
 */
export function typedValues(metadata: FieldObject, settings: ValueSettings, today = new Date()) {
	const typed = typedCells(metadata, settings, today);
	const texts = textsAmongNumbers(typed, ({ source }) => source.column);
	const isUncertain = (cell: TypedCell) => cell.kind === 'uncertain' || texts.has(cell);
	const uncertain = typed.filter(isUncertain).map(({ path, value, source }): UncertainValue => {
		return { path, printed: value, ...meaningsOf(source, settings) };
	});
	const cells = typed.map((cell): ColumnCell => {
		const { path, value, kind } = cell;
		return { path, value, kind: isUncertain(cell) ? 'uncertain' : kind };
	});
	const values = typed.map(({ value, converted = value }) => converted);
	return { tree: withScalars(metadata, values.values()) as FieldObject, uncertain, cells };
}

function typedCells(metadata: FieldObject, settings: ValueSettings, today: Date): TypedCell[] {
	const cells = printedCells(metadata, isKeptBy(settings.textFields));
	const money = moneyEvidence(cells);
	const decideAmount = amountDecider(cells, settings.decimalMark, money);
	const decideDate = dateDecider(cells, settings.dateOrder, today, money);
	return cells.map((source) => {
		const { path, value } = source;
		const reading = decideAmount(source);
		const converted = decideDate(source) ?? (reading && exactNumber(reading));
		return { path, value, kind: kindOf(source, converted), source, converted };
	});
}

/** Whether a field, or an object or a list that it is in, has one of the names; undefined if there are none. */
function isKeptBy(textFields: string[]): ((path: Path) => boolean) | undefined {
	const kept = new Set(textFields.map(plainName));
	if (kept.size === 0) return undefined;
	return (path) =>
		path.some((part, at) => {
			const { name, exact } = plainNames(path.slice(0, at + 1));
			return [plainName(String(part)), name, exact].some((each) => kept.has(each));
		});
}

/** What a cell means to the column that it is in. */
function kindOf(cell: PrintedCell, converted?: string | number): ColumnCell['kind'] {
	const { value, amount, date, leftAs } = cell;
	if (typeof converted === 'number') return 'converted';
	if (typeof value === 'number') return 'number';
	if (value === null || value === '') return 'empty';
	if (typeof value !== 'string' || converted !== undefined || leftAs === 'unlisted') return 'word';
	if (amount ?? date ?? leftAs) return 'uncertain';
	return /\p{Nd}/u.test(value) ? 'text' : 'word';
}
