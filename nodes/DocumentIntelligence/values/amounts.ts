import type { Decimal } from '../results/decimals';
import { commonCurrency, CURRENCY, currencyOf, type Currency } from './currencies';

/** One meaning of the printed digits, with the sign and as many decimals as are printed. */
export interface Reading extends Decimal {
	/** The mark before the decimals, also before a dash in their place. */
	decimal?: string;
	/** The mark between the groups. */
	group?: string;
}

export interface Amount {
	/** Money has a currency, or shows a group mark and a decimal mark. */
	kind: Unit;
	/** Its code, or a sign that several currencies share. */
	currency?: string;
	/** Every possible meaning; none if the text is printed like an amount and cannot be read. */
	readings: Reading[];
	/** Whether the digits can be grouped or decimal, or no number at all, unless other money shows which. */
	isOpen: boolean;
}

/** Reads text as an amount; an identifier by its form is none, and neither is other text. */
export function readAmount(printed: string): Amount | 'identifier' | undefined {
	const tokens = tokensOf(printed);
	const { unit, currency, number } = tokens;
	const unsigned = readingsOf(number);
	if (isIdentifier(tokens, unsigned)) return 'identifier';
	const signed = signedReadings(tokens, unsigned);
	if (!isAmount(tokens, unsigned, signed)) return undefined;
	if (isTwofold(tokens)) return { kind: unit, readings: [], isOpen: false };
	// A percentage never is in the thousands.
	const readings = unit === 'percentage' ? signed.filter(({ group }) => !group) : signed;
	const [first, second] = readings;
	const hasBothMarks = first?.group !== undefined && first.decimal !== undefined;
	const kind = unit === 'plain' && hasBothMarks ? 'money' : unit;
	// Several groups may be a list or an identifier, unless a dash for decimals follows: 2,468:-
	const isGroups = /[., ]/.test(first?.group ?? '') && !number.endsWith('-');
	const isOpen = second !== undefined || (kind === 'plain' && isGroups);
	return { kind, currency, readings, isOpen };
}

/** Letters glued to a whole number: CAD204, 204-CAD. */
const GLUED = /^\p{Lu}{2,}-?\d+$|^\d+-?\p{Lu}{2,}$/u;

/** Leading zeros, seven or more digits, a plus sign, and lists of numbers. */
function isIdentifier({ text, unit, layout, number }: Tokens, readings: Reading[]): boolean {
	if (unit === 'plain' && GLUED.test(text)) return true;
	if (unit !== 'plain' || !/^[-+]?N$/.test(layout)) return false;
	if (/^0\d|^\d{7,}$/.test(number)) return true;
	if (readings.length === 0) return !/\..*,|,.*\./.test(number);
	// Telephone numbers have no two decimals.
	const isPhone = ({ group, decimal, scale }: Reading) => !decimal || (!group && scale > 2);
	return layout.startsWith('+') && readings.some(isPhone);
}

/** Text with a currency or a percent sign, or in the shape of a number, whether its sign is certain or not. */
function isAmount(tokens: Tokens, unsigned: Reading[], signed: Reading[]): boolean {
	const { unit, layout, number, isWord } = tokens;
	const hasMarks = /\D/.test(number);
	// A whole number next to a word is none.
	if (isWord) return hasMarks && signed.length > 0;
	if (unit !== 'plain') return true;
	const shape = hasMarks ? /^[-+()N]*$/ : /^(?:-?N|N-|\(N\))$/;
	return unsigned.length > 0 && shape.test(layout);
}

/** A month (10.2026), or two numbers of four or more digits. */
const MONTH_OR_TWO_NUMBERS =
	/^(?:(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d|(?:19|20)\d\d\.(?:0?[1-9]|1[0-2])|\d{4,}[.,]\d{4,})$/;

/** Has two meanings that no mark decides; a hyphen between a letter and a digit may be no minus sign. */
function isTwofold({ text, unit, number, isMixed }: Tokens): boolean {
	const isMonth = unit === 'plain' && MONTH_OR_TWO_NUMBERS.test(number);
	return isMonth || isMixed || GLUED.test(text) || /\p{L}-\d|\d-\p{L}/u.test(text);
}

/** The readings with their sign; none if the text has more than a sign, or the sign is not certain. */
function signedReadings({ layout, unit }: Tokens, readings: Reading[]): Reading[] {
	if (layout === 'N' || layout === '+N') return readings;
	// Without decimals, a dash may stand for them, and brackets for a footnote.
	const isAfterDecimals = readings.every(({ scale }) => scale > 0);
	const isBehind = layout === 'N-' || (layout === '(N)' && unit !== 'percentage');
	const isNegative = layout === '-N' || (isBehind && isAfterDecimals);
	return isNegative ? readings.map((reading) => ({ ...reading, digits: -reading.digits })) : [];
}

/** Every way to read the digits: with the last mark before decimals, or all marks between groups. */
function readingsOf(number: string): Reading[] {
	if (number === '') return [];
	const [, digits = '', dash] = /^(.*?)(?:([.,:/])-+)?$/.exec(number) ?? [];
	if (dash !== undefined) return readingOf(digits, '', /[.,]/.test(dash) ? dash : undefined);
	const [, whole = '', mark, decimals] = /^(.*)([.,])(\d+)$/.exec(digits) ?? [];
	return [...readingOf(digits), ...(mark ? readingOf(whole, decimals, mark) : [])];
}

/** Groups of three or, in India, groups of two before the last. */
const WHOLE =
	/^(?:|0|[1-9]\d*|[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*|[1-9]\d?(,)\d\d(?:,\d\d)*,\d{3})$/;

/** One reading, or none if the digits before the decimals are not grouped like that. */
function readingOf(whole: string, decimals = '', decimal?: string): Reading[] {
	const [match, group = undefined, lakhGroup] = WHOLE.exec(whole) ?? [];
	const mark = group ?? lakhGroup;
	if (match === undefined || (mark !== undefined && mark === decimal)) return [];
	const digits = BigInt(whole.replace(/\D/g, '') + decimals);
	return [{ digits, scale: decimals.length, decimal, group: mark }];
}

/** The number with its groups and decimals, and dashes in place of decimals. */
const NUMBER = /(?<number>(?:\d+(?:[.,' ]\d+)*|\.\d+)(?:[.,:/]-{1,2}(?![\d-]))?)/.source;

const TOKEN = new RegExp(`${NUMBER}|(?<currency>${CURRENCY})|(?<other>[^ ])`, 'gu');

/** Money has a currency. */
type Unit = 'money' | 'percentage' | 'plain';

type Tokens = ReturnType<typeof tokensOf>;

/** Names what is printed: currencies, signs, numbers, percent signs and anything else. */
function tokensOf(printed: string) {
	const text = printed
		.replace(/[’‘´`′ʼ٬]/g, "'")
		.replace(/[٫٪]/g, (sign) => (sign === '٫' ? '.' : '%'))
		.replace(/[\p{Pd}\u2212ー]/gu, '-');
	const numbers: string[] = [];
	const currencies: Currency[] = [];
	let layout = '';
	for (const { groups } of text.matchAll(TOKEN)) {
		const { number, currency, other } = groups ?? {};
		if (number !== undefined) numbers.push(number);
		if (currency !== undefined) currencies.push(currencyOf(currency));
		if (currency === undefined) layout += number === undefined ? other : 'N';
	}
	const percents = layout.split('%').length - 1;
	const isMoney = currencies.length > 0;
	/** Undefined if none is printed, or if two are. */
	const currency = commonCurrency(currencies.map(({ name }) => name));
	const unit: Unit = isMoney ? 'money' : percents > 0 ? 'percentage' : 'plain';
	return {
		text,
		/** `N` for each number, signs and brackets as they are, `W` for anything but currencies and percent signs. */
		layout: layout.replace(/%/g, '').replace(/[^N+()-]/g, 'W'),
		unit,
		/** The first number, or an empty text; the layout shows whether there are more. */
		number: numbers[0] ?? '',
		currency,
		/** Whether there are two currencies, a currency and a percent sign, or two percent signs. */
		isMixed: isMoney ? currency === undefined || percents > 0 : percents > 1,
		/** Whether a currency may be a unit or another word as well. */
		isWord: isMoney && currencies.every(({ isWord }) => isWord),
	};
}
