import { grouped } from '../../text/grouped';
import type { Amount, Reading } from './readAmount';
import { certainDecimal, MoneyEvidence } from './moneyEvidence';
import { isAllowed, marksOf, onlyReading, type Marks } from './marks';
import type { Position, PrintedCell } from '../printedCells';

/** The character before the decimals. */
export type DecimalMark = 'point' | 'comma';

/** An amount, and where it is. */
export interface AmountAt extends Partial<Position> {
	amount?: Amount;
}

/** @returns the reading that is left if the option, or else the column or the money of the document, decides */
export function amountReaderFor(
	cells: PrintedCell[],
	decimalMark: DecimalMark | 'detect',
	money: MoneyEvidence = new MoneyEvidence(cells),
): (cell: AmountAt) => Reading | undefined {
	if (decimalMark !== 'detect') {
		const marks = { decimal: decimalMark === 'point' ? '.' : ',', groups: new Set<string>() };
		return ({ amount }) => amount && readingBySet(amount, marks, money.printed);
	}
	const columns = marksOfColumns(cells);
	return ({ amount, column = '', name }) => {
		if (amount === undefined) return undefined;
		if (amount.kind === 'plain') return plainReading(amount, money, columns.get(column));
		// `2.468,13 €` and `19,5 %` need no evidence.
		if (!amount.isAmbiguous) return onlyReading(amount);
		if (amount.kind === 'percentage') return openPercentage(amount, money.all);
		return money.readingOf(amount, name?.isUnitPrice);
	};
}

/** The option says which mark is before the decimals; any other may group. */
function readingBySet(amount: Amount, marks: Marks, printed?: Marks): Reading | undefined {
	const reading = onlyReading(amount, marks);
	return isList(amount, reading, printed) ? undefined : reading;
}

/** `2 468` may be two numbers, unless money is grouped like that: `8 640,50 €`. */
function isList({ kind, isAmbiguous }: Amount, reading?: Reading, marks?: Marks): boolean {
	return (
		kind === 'plain' && isAmbiguous && reading?.group === ' ' && marks?.groups.has(' ') !== true
	);
}

function plainReading(
	amount: Amount,
	money: MoneyEvidence,
	columnMarks?: Marks,
): Reading | undefined {
	// `1.000` in a column with `0.750`.
	if (columnMarks !== undefined) return onlyReading(amount, columnMarks);
	// `12.50` can be read by itself, but not beside `1.180,00 €`.
	if (!amount.isAmbiguous) return onlyReading(amount, money.printed);
	return money.decidesPlain ? openPlainReading(amount, money) : undefined;
}

/** `2.468` beside `86,40 €`: money decides, or nothing does. */
function openPlainReading(amount: Amount, { all, currencies }: MoneyEvidence): Reading | undefined {
	if (all === undefined) return undefined;
	// `4,370` beside `CHF 32.74`: in Switzerland, quantities are printed with other marks than money.
	const isSwiss = all.groups.has("'") || currencies.has('CHF');
	if (isSwiss && amount.readings.length > 1) return undefined;
	const reading = onlyReading(amount, all);
	return isList(amount, reading, all) ? undefined : reading;
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
		const marks = marksOf(readings);
		if (marks !== undefined && readings.some(isFraction)) found.set(column, marks);
	}
	return found;
}

/** `0.750` is neither a group nor a time. */
function isFraction({ digits, scale, group }: Reading): boolean {
	const size = digits < 0n ? -digits : digits;
	return group === undefined && scale >= 3 && size < 10n ** BigInt(scale);
}
