import { grouped } from '../text/grouped';
import type { Amount, Reading } from './amounts';
import {
	certainDecimal,
	groupsIn,
	isAllowed,
	marksOf,
	MoneyEvidence,
	onlyReading,
	type Marks,
} from './evidence';
import type { Place, PrintedCell } from './printedValue';

/** The character before the decimals. */
export type DecimalMark = 'point' | 'comma';

/** An amount, and where it is. */
export interface PlacedAmount extends Place {
	amount?: Amount;
}

/** @returns the reading that is left if the option, or else the column or the money of the document, decides */
export function amountReaderFor(
	cells: PrintedCell[],
	decimalMark: DecimalMark | 'detect',
	money: MoneyEvidence = new MoneyEvidence(cells),
) {
	if (decimalMark !== 'detect') {
		const decimal = decimalMark === 'point' ? '.' : ',';
		const marks = { decimal, groups: groupsIn(cells), isSet: true };
		return ({ amount }: PlacedAmount) => amount && readingBySet(amount, marks);
	}
	const columns = marksOfColumns(cells);
	return ({ amount, column = '', isUnitPrice }: PlacedAmount): Reading | undefined => {
		if (amount === undefined) return undefined;
		const { kind, isOpen } = amount;
		if (kind === 'percentage') return isOpen ? percentage(amount, money.all) : onlyReading(amount);
		if (kind === 'money')
			return isOpen ? money.readingOf(amount, isUnitPrice) : onlyReading(amount);
		const ownMarks = columns.get(column);
		if (ownMarks !== undefined) return onlyReading(amount, ownMarks);
		if (!isOpen) return onlyReading(amount, money.printed);
		return money.decidesPlain ? plainReading(amount, money) : undefined;
	};
}

function readingBySet(amount: Amount, marks: Marks): Reading | undefined {
	const reading = onlyReading(amount, marks);
	return amount.kind === 'plain' && amount.isOpen && isList(reading, marks) ? undefined : reading;
}

/** Money decides, or nothing does. */
function plainReading(amount: Amount, { all, currencies }: MoneyEvidence): Reading | undefined {
	if (all === undefined) return undefined;
	const reading = onlyReading(amount, all);
	// In Switzerland, quantities are printed with other marks than money.
	const isSwiss = all.groups.has("'") || currencies.has('CHF');
	return (isSwiss && amount.readings.length > 1) || isList(reading, all) ? undefined : reading;
}

/** A list of numbers, or the number of a telephone, unless money is grouped like that. */
function isList(reading: Reading | undefined, { groups }: Marks): boolean {
	return reading?.group === ' ' && (!groups.has(' ') || reading.digits >= 1_000_000n);
}

/** A percentage is not in the thousands, but uncertain where money uses its mark in another role. */
function percentage(amount: Amount, marks?: Marks): Reading | undefined {
	const reading = amount.readings.find(({ decimal }) => decimal !== undefined);
	return reading && isAllowed(reading, marks) ? reading : undefined;
}

/** Columns with a number such as `0.750`, which is neither a group nor a time, and no other decimal mark. */
function marksOfColumns(cells: PrintedCell[]): Map<string, Marks> {
	const found = new Map<string, Marks>();
	for (const [column, own] of grouped(cells, (cell) => cell.column)) {
		const readings = own.flatMap(({ amount }) =>
			amount?.kind === 'plain' ? (certainDecimal(amount) ?? []) : [],
		);
		const marks = marksOf(readings.map((reading) => ({ reading })));
		if (marks !== undefined && readings.some(isUnmistakable)) found.set(column, marks);
	}
	return found;
}

function isUnmistakable({ digits, scale, group }: Reading): boolean {
	const size = digits < 0n ? -digits : digits;
	return group === undefined && scale >= 3 && size < 10n ** BigInt(scale);
}
