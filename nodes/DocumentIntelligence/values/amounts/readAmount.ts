import type { Decimal } from '../../text/decimals';
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
	isAmbiguous: boolean;
	/** Whether the currency may be another word: `Fr` is a Friday, too. */
	isWord: boolean;
}

/** Printed like an amount, and cannot be read. */
export const UNREADABLE: Amount = {
	kind: 'plain',
	readings: [],
	isAmbiguous: false,
	isWord: false,
};

/** Reads text as an amount; an identifier by its form is none, and neither is other text. */
export function readAmount(printed: string): Amount | 'identifier' | undefined {
	const tokens = tokensOf(printed);
	const { unit, currency, number, isWord } = tokens;
	const unsigned = readingsOf(number);
	if (isIdentifier(tokens, unsigned)) return 'identifier';
	if (MORE_THAN_A_NUMBER.test(tokens.text)) return UNREADABLE;
	if (isSpelledOut(tokens.text)) return undefined;
	const readings = signedReadings(tokens, unsigned);
	if (!isAmount(tokens, unsigned, readings)) return undefined;
	if (isTwofold(tokens)) return UNREADABLE;
	return { currency, isWord, readings, ...meaningOf(readings, unit, number) };
}

/** What the marks say about the number, besides what they can mean. */
function meaningOf([first, second]: Reading[], unit: Unit, number: string) {
	const { group = '', decimal } = first ?? {};
	const hasBothMarks = group !== '' && decimal !== undefined;
	// `1.180,00` is money without a currency.
	const kind = unit === 'plain' && hasBothMarks ? 'money' : unit;
	// `2,468,013` may be a list or an identifier, but not `2,468:-`, whose dash stands for decimals.
	const isGroupsOnly = /[., ]/.test(group) && !hasBothMarks && !/[-=]$/.test(number);
	return { kind, isAmbiguous: second !== undefined || (kind !== 'money' && isGroupsOnly) };
}

/** `~45.00`, the stars of a check in `***86.40`, and `2 x 65.000`. */
const MORE_THAN_A_NUMBER = /^(?:[~≈*]+|\d+ ?[x×]) ?\d[\d.,]*[.,]\d{2,3}$/;

/** An amount that is spelled out, its cents as a fraction: `mille deux cents euros 25/100`. */
export function isSpelledOut(text: string): boolean {
	const words = text.match(/\p{L}{3,}/gu) ?? [];
	return words.length > 1 && /\b\d\d?\/100\b/.test(text) && !/\d[.,]\d/.test(text);
}

/** Letters glued to a whole number: `INV864` and `INV-864`, or `CAD204`, whose letters are a currency. */
const GLUED = /^\p{Lu}{2,}-?\d+$|^\d+-?\p{Lu}{2,}$/u;

/** Groups before check digits: `900.123.456-7`. */
const CHECKED = /^\d{1,3}(?:\.\d{3})+-\d{1,3}$/;

/** The number of a telephone or of a company: `912 345 678`. */
const LONG_WITH_BLANKS = /^\d{1,3}(?: \d{3}){2,}$/;

/** `12,345.678,90` is an amount that was read badly, not an identifier. */
const HAS_POINT_AND_COMMA = /\..*,|,.*\./;

/** Whether a plain number is an identifier by its form. */
function isIdentifier({ text, unit, layout, number }: Tokens, readings: Reading[]): boolean {
	if (unit !== 'plain') return false;
	if (GLUED.test(text) || CHECKED.test(text)) return true;
	const isOneNumber = /^[-+]?N$/.test(layout);
	if (!isOneNumber) return false;
	// `0086` and `8640135`.
	if (/^0\d/.test(number) || /^\d{7,}$/.test(number) || LONG_WITH_BLANKS.test(number)) return true;
	// `172.16.0.1` and `2,4,6` cannot be grouped like that.
	if (readings.length === 0) return !HAS_POINT_AND_COMMA.test(number);
	// `+41 44 864` and `+49.8912340` are telephone numbers, which have no two decimals: `+16.00`.
	const isPhone = ({ group, decimal, scale }: Reading) => !decimal || (!group && scale > 2);
	return layout.startsWith('+') && readings.some(isPhone);
}

/** `86`, `-86`, `86-` and `(86)`. */
const WHOLE_LAYOUT = /^(?:-?N|N-|\(N\))$/;

/** Any signs and numbers, and the sign of a bank: `(86.40)`, `<86.40>`, `86,40 S`, `–86,40+`. */
const MARKED_LAYOUT = /^[-+()<>[\]N]*B?$/;

/** Text with a currency or a percent sign, or in the shape of a number, whether its sign is certain or not. */
function isAmount(tokens: Tokens, unsigned: Reading[], signed: Reading[]): boolean {
	const { unit, layout, number, isWord } = tokens;
	const hasMarks = /\D/.test(number);
	// `24 R` may be rooms; `24,50 R` is money, and `24,50 R CR` too, although its sign is not certain.
	if (isWord) return hasMarks && (signed.length > 0 || layout === 'NB');
	if (unit !== 'plain') return true;
	return unsigned.length > 0 && (hasMarks ? MARKED_LAYOUT : WHOLE_LAYOUT).test(layout);
}

/** A month and a year, a fiscal year of Nepal, or two numbers: `10.2026`, `2026.10`, `2082.083`, `1234.5678`; no zeros. */
const TWO_NUMBERS =
	/^(?:(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d|(?:19|20)\d\d\.(?:0?[1-9]|1[0-2]|0\d\d)|\d{4,}[.,]\d{4,}(?<!00))$/;

/** Whether the text has two meanings that no mark decides. */
function isTwofold({ text, unit, number, isMixed }: Tokens): boolean {
	if (unit === 'plain' && TWO_NUMBERS.test(number)) return true;
	// The hyphen in `CHF-86.40` may be no minus sign.
	const hasHyphen = /\p{L}-\d|\d-\p{L}/u.test(text);
	// `USD 86 EUR` and `864USD`.
	return hasHyphen || isMixed || GLUED.test(text);
}

/** The readings with their sign; none if the text has more than a sign, or the sign is not certain. */
function signedReadings({ layout, unit }: Tokens, readings: Reading[]): Reading[] {
	if (layout === 'N' || layout === '+N') return readings;
	// `86.40-` and `(86.40)`, but `(16.00 %)` may be a note.
	const isBehind = layout === 'N-' || (layout === '(N)' && unit !== 'percentage');
	// The dash of `86-` may stand for decimals, the brackets of `(86)` for a footnote, and those of `(₩1,364,000)` for a note.
	const isAfterDecimals = readings.every(({ scale }) => scale > 0);
	const isNegative = layout === '-N' || (isBehind && isAfterDecimals);
	return isNegative ? readings.map((reading) => ({ ...reading, digits: -reading.digits })) : [];
}

/** `2.468,-`, `2,468:-` and `2,468/-`: only a point or a comma is a decimal mark. */
const DASH_FOR_DECIMALS = /^(?<whole>.*?)(?<mark>[.,:/])[-=]+$/;

/** `2.468,13`. */
const LAST_MARK = /^(?<whole>.*)(?<mark>[.,])(?<decimals>\d+)$/;

/** Every way to read the digits: with the last mark before decimals, or all marks between groups. */
function readingsOf(number: string): Reading[] {
	if (number === '') return [];
	const dashed = DASH_FOR_DECIMALS.exec(number)?.groups;
	if (dashed !== undefined) {
		const { whole = '', mark = '' } = dashed;
		return readingOf(whole, '', /[.,]/.test(mark) ? mark : undefined);
	}
	const { whole = '', mark, decimals } = LAST_MARK.exec(number)?.groups ?? {};
	return [...readingOf(number), ...(mark ? readingOf(whole, decimals, mark) : [])];
}

/** `2468`, `0`, and nothing before the mark of `.375`. */
const UNGROUPED = /^(?:|0|[1-9]\d*)$/;

/** `2'468'013`. */
const GROUPS_OF_THREE = /^[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*$/;

/** `24,68,013`. */
const INDIAN_GROUPS = /^[1-9]\d?(,)\d\d(?:,\d\d)*,\d{3}$/;

/** One reading, or none if the digits before the decimals are not grouped like that. */
function readingOf(whole: string, decimals = '', decimal?: string): Reading[] {
	const [, group] = GROUPS_OF_THREE.exec(whole) ?? INDIAN_GROUPS.exec(whole) ?? [];
	if (group === undefined && !UNGROUPED.test(whole)) return [];
	// `2.468.13`: one mark has no two roles.
	if (group !== undefined && group === decimal) return [];
	const digits = BigInt(whole.replace(/\D/g, '') + decimals);
	return [{ digits, scale: decimals.length, decimal, group }];
}
