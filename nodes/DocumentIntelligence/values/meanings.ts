import type { FieldObject } from '../results/fields';
import type { Path } from '../results/paths';
import { decimalText, exactNumber, hundredths, parseDecimal } from '../text/decimals';
import { isSignOf } from './amounts/currencies';
import { amountDecider, readingByOption, type DecimalMark } from './amounts/decideAmounts';
import { moneyEvidence } from './amounts/moneyEvidence';
import { positionOf, printedCells } from './printedCells';
import { readPrinted, type PrintedValue } from './printedValue';

export interface Meanings {
	/** What the text can mean; empty if it cannot be read at all. */
	readings: string[];
	/** The setting that would decide, if any. */
	decides?: 'decimalMark' | 'dateOrder';
}

/** What an uncertain value can mean, and which setting that is left to `detect` would decide. */
export function meaningsOf(
	{ date, amount }: PrintedValue,
	settings: { decimalMark: string; dateOrder?: string },
): Meanings {
	const numbers = (['point', 'comma'] as const).flatMap((mark) => {
		const reading = amount && readingByOption(amount, mark);
		return reading && exactNumber(reading) !== undefined ? [decimalText(reading)] : [];
	});
	const days = date?.days.map(({ iso }) => iso) ?? [];
	const readings = [...new Set(date === undefined ? numbers : days)];
	const option = date === undefined ? 'decimalMark' : 'dateOrder';
	const isOpen = readings.length > 0 && settings[option] === 'detect';
	return { readings, ...(isOpen && { decides: option }) };
}

/** Reads amounts of a document for exact sums, whatever their fields are named; what is not certain has no digits. */
export function exactAmountDecider(metadata: FieldObject, decimalMark: DecimalMark | 'detect') {
	const cells = printedCells(metadata);
	const money = moneyEvidence(cells);
	const decideAmount = amountDecider(cells, decimalMark, money);
	/** A sign that several currencies share means the only one of them that has its code in the document. */
	const currencyOf = (sign: string) => {
		const codes = [...money.currencies].filter((name) => isSignOf(sign, name));
		return codes.length === 1 ? codes[0] : sign;
	};
	return (printed: string, path: Path) => {
		const value = readPrinted(printed);
		const { amount, leftAs } = value;
		// Seven digits and more are an identifier, unless somebody says that they are an amount.
		const whole = leftAs === 'unlisted' && /^-?[1-9]\d*$/.test(printed) && parseDecimal(printed);
		if (whole) return whole;
		const reading = decideAmount({ amount, ...positionOf(path) });
		if (amount === undefined || reading === undefined) return meaningsOf(value, { decimalMark });
		const { digits, scale } = amount.kind === 'percentage' ? hundredths(reading) : reading;
		return { digits, scale, currency: amount.currency && currencyOf(amount.currency) };
	};
}
