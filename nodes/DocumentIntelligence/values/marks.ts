import type { PrintedAmount } from '../results/checks';
import { decimalText, hundredths, parseDecimal } from '../results/decimals';
import type { FieldObject } from '../results/fields';
import type { Amount, Reading } from './amounts';
import { isSignOf } from './currencies';
import { numberOfReading, printedCells, readPrinted, type PrintedValue } from './printedValue';

/** The character before the decimals. */
export type DecimalMark = 'point' | 'comma';

/** The roles of marks in a document. */
interface Marks {
	decimal?: string;
	groups: ReadonlySet<string>;
	/** Set by an option, which decides everything; groups are still those of the money. */
	isSet?: boolean;
}

/** @returns the reading that is left if the option, or else the money among the values, decides */
export function readerFor(values: PrintedValue[], decimalMark: DecimalMark | 'detect') {
	const money = values.flatMap(({ amount }) => (amount?.kind === 'money' ? amount : []));
	const certain = money.filter(({ isOpen, readings }) => !isOpen && readings.length === 1);
	if (decimalMark !== 'detect') {
		const decimal = decimalMark === 'point' ? '.' : ',';
		const groups = certain.flatMap(({ readings: [reading] }) => reading?.group ?? []);
		const set = { decimal, groups: new Set(groups), isSet: true };
		return (amount: Amount) => onlyReading(amount, set);
	}
	const all = marksOf(certain);
	const currencies = [...new Set(money.flatMap(({ currency }) => currency ?? []))];
	// Money without a currency belongs to the only one.
	const [only] = currencies.length === 1 ? currencies : [];
	const moneyIn = (name: string) => certain.filter(({ currency = only }) => currency === name);
	const byCurrency = new Map(currencies.map((name) => [name, marksOf(moneyIn(name))]));
	return (amount: Amount) => {
		const { kind, currency = '', isOpen } = amount;
		if (kind === 'plain') return onlyReading(amount, all);
		return onlyReading(amount, isOpen ? byCurrency.get(currency) : undefined);
	};
}

/** The marks that certain money shows; undefined if they contradict each other. */
function marksOf(certain: Amount[]): Marks | undefined {
	const readings = certain.flatMap((amount) => amount.readings);
	const [decimal, ...remaining] = new Set(readings.flatMap((reading) => reading.decimal ?? []));
	const groups = new Set(readings.flatMap(({ group }) => group ?? []));
	const isShown = decimal !== undefined || groups.size > 0;
	if (!isShown || remaining.length > 0 || groups.has(decimal ?? '')) return undefined;
	return { decimal, groups };
}

/** The only reading that the marks leave; undefined if there is none, or more than one. */
function onlyReading({ kind, readings, isOpen }: Amount, marks?: Marks): Reading | undefined {
	const [reading, ...remaining] = readings.filter((each) => isAllowed(each, marks));
	if (reading === undefined || remaining.length > 0) return undefined;
	if (kind !== 'plain' || !isOpen) return reading;
	if (marks === undefined) return undefined;
	const { groups, isSet } = marks;
	// A list of numbers, or the number of a telephone, unless money is grouped like that.
	const isList = reading.group === ' ' && (!groups.has(' ') || reading.digits >= 1_000_000n);
	// In Switzerland, quantities are printed with other marks than money.
	const isSwiss = groups.has("'") && readings.length > 1 && isSet !== true;
	return isList || isSwiss ? undefined : reading;
}

/** No mark has another role than in the marks; where they show both roles, no other mark groups. */
function isAllowed({ decimal, group }: Reading, marks?: Marks): boolean {
	if (marks === undefined) return true;
	const { groups, isSet } = marks;
	const isDecimal =
		marks.decimal === undefined ? !groups.has(decimal ?? '') : decimal === marks.decimal;
	if (decimal !== undefined && !isDecimal) return false;
	const isShown = groups.size === 0 || groups.has(group ?? '');
	const isForeign = marks.decimal !== undefined && !isShown && !isSet;
	return group === undefined || (group !== marks.decimal && !isForeign);
}

export interface Meanings {
	/** What the text can mean; empty if it cannot be read at all. */
	readings: string[];
	/** The setting that would decide, if any. */
	decides?: 'decimalMark' | 'dateOrder';
}

/** What an uncertain value can mean, and which setting that is left to `detect` would decide. */
export function meaningsOf(
	{ date, amount }: PrintedValue = {},
	settings: { decimalMark: string; dateOrder?: string },
): Meanings {
	const numbers = (['point', 'comma'] as const).flatMap((mark) => {
		const reading = amount && readerFor([{ amount }], mark)(amount);
		const isNumber = reading !== undefined && numberOfReading(reading) !== undefined;
		return isNumber ? [decimalText(reading)] : [];
	});
	const readings = [...new Set(date === undefined ? numbers : Object.values(date))];
	const option = date === undefined ? 'decimalMark' : 'dateOrder';
	const isOpen = readings.length > 0 && settings[option] === 'detect';
	return { readings, ...(isOpen && { decides: option }) };
}

/** Reads amounts of a document for exact sums, whatever their fields are named; what is not certain has no digits. */
export function exactReaderFor(document: FieldObject, decimalMark: DecimalMark | 'detect') {
	const values = printedCells(document);
	const readAmount = readerFor(values, decimalMark);
	const names = [...new Set(values.flatMap(({ amount }) => amount?.currency ?? []))];
	/** A sign that several currencies share means the only one of them that has its code in the document. */
	const currencyOf = (sign: string) => {
		const codes = names.filter((name) => isSignOf(sign, name));
		return codes.length === 1 ? codes[0] : sign;
	};
	return (printed: string): PrintedAmount | Meanings => {
		const value = readPrinted(printed);
		const { amount } = value;
		// Seven digits and more are an identifier, unless somebody says that they are an amount.
		const whole = value.isIdentifier && /^-?[1-9]\d*$/.test(printed) && parseDecimal(printed);
		if (whole) return whole;
		const reading = amount && readAmount(amount);
		if (amount === undefined || reading === undefined) return meaningsOf(value, { decimalMark });
		const { digits, scale } = amount.kind === 'percentage' ? hundredths(reading) : reading;
		return { digits, scale, currency: amount.currency && currencyOf(amount.currency) };
	};
}
