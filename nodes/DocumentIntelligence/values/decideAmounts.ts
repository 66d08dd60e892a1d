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
): (cell: PlacedAmount) => Reading | undefined {
	if (decimalMark !== 'detect') {
		const decimal = decimalMark === 'point' ? '.' : ',';
		const groups = groupsIn(cells);
		return ({ amount }) => amount && readingBySet(amount, decimal, groups);
	}
	const columns = marksOfColumns(cells);
	return ({ amount, column = '', isUnitPrice }) => {
		if (amount === undefined) return undefined;
		if (amount.kind === 'plain') return plainReading(amount, money, columns.get(column));
		// `2.468,13 €` and `19,5 %` need no evidence.
		if (!amount.isOpen) return onlyReading(amount);
		if (amount.kind === 'percentage') return openPercentage(amount, money.all);
		return money.readingOf(amount, isUnitPrice);
	};
}

/** The option says which mark is before the decimals; any other may group. */
function readingBySet(
	amount: Amount,
	decimal: string,
	groups: ReadonlySet<string>,
): Reading | undefined {
	const reading = onlyReading(amount, { decimal, groups: new Set() });
	return amount.kind === 'plain' && amount.isOpen && isList(reading, groups) ? undefined : reading;
}

function plainReading(
	amount: Amount,
	money: MoneyEvidence,
	columnMarks?: Marks,
): Reading | undefined {
	// `1.000` in a column with `0.750`.
	if (columnMarks !== undefined) return onlyReading(amount, columnMarks);
	// `12.50` can be read by itself, but not beside `1.180,00 €`.
	if (!amount.isOpen) return onlyReading(amount, money.printed);
	return money.decidesPlain ? openPlainReading(amount, money) : undefined;
}

/** `2.468` beside `86,40 €`: money decides, or nothing does. */
function openPlainReading(amount: Amount, { all, currencies }: MoneyEvidence): Reading | undefined {
	if (all === undefined) return undefined;
	// `4,370` beside `CHF 32.74`: in Switzerland, quantities are printed with other marks than money.
	const isSwiss = all.groups.has("'") || currencies.has('CHF');
	if (isSwiss && amount.readings.length > 1) return undefined;
	const reading = onlyReading(amount, all);
	return isList(reading, all.groups) ? undefined : reading;
}

/** `2 468 013` is a list of numbers or a telephone's; `2 468` is none if money is grouped like that: `8 640,50 €`. */
function isList(reading: Reading | undefined, groups: ReadonlySet<string>): boolean {
	return reading?.group === ' ' && (!groups.has(' ') || reading.digits >= 1_000_000n);
}

/** `12,500 %` is not in the thousands, but uncertain beside `$ 24.50`, which shows another mark before decimals. */
function openPercentage(amount: Amount, marks?: Marks): Reading | undefined {
	const reading = amount.readings.find(({ decimal }) => decimal !== undefined);
	return reading && isAllowed(reading, marks) ? reading : undefined;
}

/** Columns of plain numbers in which a number shows the decimal mark, and none another. */
function marksOfColumns(cells: PrintedCell[]): Map<string, Marks> {
	const found = new Map<string, Marks>();
	for (const [column, own] of grouped(cells, (cell) => cell.column)) {
		const readings = own.flatMap(({ amount }) =>
			amount?.kind === 'plain' ? (certainDecimal(amount) ?? []) : [],
		);
		const marks = marksOf(readings.map((reading) => ({ reading })));
		if (marks !== undefined && readings.some(isFraction)) found.set(column, marks);
	}
	return found;
}

/** `0.750` is neither a group nor a time. */
function isFraction({ digits, scale, group }: Reading): boolean {
	const size = digits < 0n ? -digits : digits;
	return group === undefined && scale >= 3 && size < 10n ** BigInt(scale);
}
