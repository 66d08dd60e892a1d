import { grouped } from '../../text/grouped';
import type { Name } from '../names';
import type { PrintedCell } from '../printedCells';
import { marksOf, onlyReading, type Marks } from './marks';
import { certainDecimals, type MoneyEvidence } from './moneyEvidence';
import type { Amount } from './readAmount';
import type { Reading } from './readNumber';

/** The character before the decimals. */
export type DecimalMark = 'point' | 'comma';

/** @returns the reading that is left if the option, or else the column or the money of the document, decides */
export function amountDecider(
	cells: PrintedCell[],
	decimalMark: DecimalMark | 'detect',
	money: MoneyEvidence,
): (cell: Partial<PrintedCell>) => Reading | undefined {
	if (decimalMark !== 'detect')
		return ({ amount }) => amount && readingByOption(amount, decimalMark, money.groups);
	const columns = marksOfColumns(cells);
	return ({ amount, column = '', name }) => {
		if (amount === undefined) return undefined;
		if (amount.kind === 'plain') return plainReading(amount, money, columns.get(column), name);
		// `2.468,13 €` and `19,5 %` need no evidence, and payment slips in Switzerland print `2 468.13`.
		if (!amount.needsEvidence && money.isSwiss) return onlyReading(amount);
		if (!amount.needsEvidence) return unlessList(amount, onlyReading(amount), money.groups);
		if (amount.kind === 'money') return money.readMoneyInNeed(amount, name);
		// `12,500 %` is not in the thousands, but uncertain beside `$ 24.50` or `19.5 %`.
		return amount.readings.find(({ decimal = '' }) => money.percentageMarks.includes(decimal));
	};
}

/** The option says which mark is before the decimals; any other may group. */
export function readingByOption(amount: Amount, mark: DecimalMark, groups?: ReadonlySet<string>) {
	const marks = { decimal: mark === 'point' ? '.' : ',', groups: new Set<string>() };
	const reading = onlyReading(amount, marks);
	return amount.kind === 'plain' ? unlessList(amount, reading, groups) : reading;
}

/** `2 468` may be two numbers, unless money is grouped like that, as in `8 640,50 €`; so may `2 450.00` beside `$1,900.00`. */
function unlessList({ kind, currency }: Amount, reading?: Reading, groups?: ReadonlySet<string>) {
	if (reading?.group !== ' ' || currency !== undefined) return reading;
	const needsMoney = kind === 'plain' || (groups !== undefined && groups.size > 0);
	return needsMoney && groups?.has(' ') !== true ? undefined : reading;
}

function plainReading(amount: Amount, money: MoneyEvidence, column?: Marks, name?: Name) {
	const { groups, marks, marksByItself, decidesPlain, hasThreeDecimals } = money;
	// `1.000` in a column with `0.750`.
	if (column !== undefined) return unlessList(amount, onlyReading(amount, column), groups);
	// `12.50` can be read by itself, but not beside `1.180,00 €`.
	if (!amount.needsEvidence) return onlyReading(amount, marksByItself);
	// `2.468` beside `86,40 €`: money decides, or nothing does.
	const reading = decidesPlain && marks ? onlyReading(amount, marks) : undefined;
	// `total: 1,250` beside `86,40 €`: by the marks of others, money has no three decimals, with or without a currency.
	const isMoney = name?.means === 'amount' && !hasThreeDecimals;
	// `exchangeRate: 1.085` beside `1.234,56 €`, but `unitPrice: 125.000` beside `1.250.000 ₫`.
	const isRate = reading?.scale === 0 && reading.digits < 10_000n;
	const isDoubtful = name?.isUnitPrice ? isRate : isMoney && reading?.scale !== 0;
	return isDoubtful ? undefined : unlessList(amount, reading, groups);
}

/** Columns of plain numbers in which one such as `0.750`, no time or price, shows the decimal mark, and none another. */
function marksOfColumns(cells: PrintedCell[]): Map<string, Marks> {
	const found = new Map<string, Marks>();
	const plain = cells.filter(({ amount }) => amount?.kind === 'plain');
	for (const [column, own] of grouped(plain, (cell) => cell.column)) {
		const readings = certainDecimals(own);
		const marks = marksOf(readings);
		if (marks && readings.some(({ scale }) => scale > 2)) found.set(column, marks);
	}
	return found;
}
