import type { Decimal } from '../text/decimals';
import { tokensOf, type Tokens, type Unit } from './tokens';

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
	/** Its code, or the codes of all currencies that its sign can mean. */
	currency?: string;
	/** Every possible meaning; none if the text is printed like an amount and cannot be read. */
	readings: Reading[];
	/** Whether the digits can be grouped or decimal, or no number at all, unless other money shows which. */
	isOpen: boolean;
	/** Whether the currency may be another word: `Fr` is a Friday, too. */
	isWord: boolean;
	/** Whether it can be the number of a telephone or of a company: `912 345 678`. */
	isList?: boolean;
}

/** Printed like an amount, and cannot be read. */
export const UNREADABLE: Amount = { kind: 'plain', readings: [], isOpen: false, isWord: false };

/** Reads text as an amount; an identifier by its form is none, and neither is other text. */
export function readAmount(printed: string): Amount | 'identifier' | undefined {
	const tokens = tokensOf(printed);
	const { unit, currency, number, isWord } = tokens;
	const unsigned = readingsOf(number);
	if (isIdentifier(tokens, unsigned)) return 'identifier';
	if (ESTIMATE.test(tokens.text)) return UNREADABLE;
	if (isSpelledOut(tokens.text)) return undefined;
	const readings = signedReadings(tokens, unsigned);
	if (!isAmount(tokens, unsigned, readings)) return undefined;
	if (isTwofold(tokens)) return { ...UNREADABLE, kind: unit, isWord };
	return { currency, isWord, readings, ...meaningOf(readings, unit, number) };
}

/** What the marks say about the number, beside what they can mean. */
function meaningOf([first, second]: Reading[], unit: Unit, number: string) {
	const { group = '', decimal, digits = 0n } = first ?? {};
	const hasBothMarks = group !== '' && decimal !== undefined;
	const kind = unit === 'plain' && hasBothMarks ? 'money' : unit;
	// Several groups may be a list or an identifier, unless a dash for decimals follows: 2,468:-
	const isGroups = /[., ]/.test(group) && !/[-=]$/.test(number);
	const isOpen = second !== undefined || (kind !== 'money' && isGroups && !hasBothMarks);
	return { kind, isOpen, isList: kind === 'plain' && group === ' ' && digits >= 1_000_000n };
}

/** `~45.00`, and a price with its quantity: `2 x 65.000`. */
const ESTIMATE = /^(?:[~≈*]+ ?|\d+ ?[x×] ?)\d[\d.,]*[.,]\d{2,3}$/;

/** An amount that is spelled out, its cents as a fraction: `mille deux cents euros 25/100`. */
export function isSpelledOut(text: string): boolean {
	const words = text.match(/\p{L}{3,}/gu) ?? [];
	return words.length > 1 && text.replace(/\b\d\d?\/100\b/, '') !== text && !/\d[.,]\d/.test(text);
}

/** Letters glued to a whole number: CAD204, 204-CAD. */
const GLUED = /^\p{Lu}{2,}-?\d+$|^\d+-?\p{Lu}{2,}$/u;

/** Groups before check digits: 900.123.456-7. */
const CHECKED = /^\d{1,3}(?:\.\d{3})+-\d{1,3}$/;

/** Leading zeros, seven or more digits, a plus sign, and lists of numbers. */
function isIdentifier({ text, unit, layout, number }: Tokens, readings: Reading[]): boolean {
	if (unit === 'plain' && (GLUED.test(text) || CHECKED.test(text))) return true;
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
	if (isWord) return hasMarks && (signed.length > 0 || layout === 'NB');
	if (unit !== 'plain') return true;
	const shape = hasMarks ? /^[-+()N]*B?$/ : /^(?:-?N|N-|\(N\))$/;
	return unsigned.length > 0 && shape.test(layout);
}

/** A month (10.2026), years (2082.083), or two numbers of four or more digits. */
const MONTH_OR_TWO_NUMBERS =
	/^(?:(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d|(?:19|20)\d\d\.(?:0?[1-9]|1[0-2]|0\d\d)|\d{4,}[.,]\d{4,})$/;

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
	const [, digits = '', dash] = /^(.*?)(?:([.,:/])[-=]+)?$/.exec(number) ?? [];
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
