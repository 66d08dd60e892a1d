import type { Reading } from './readNumber';
import type { Kind, Tokens } from './tokens';

export interface Amount {
	/** Money has a currency, or shows a group mark and a decimal mark. */
	kind: Kind;
	/** Its code, or the codes of all currencies that its sign can mean. */
	currency?: string;
	/** Every possible meaning, with its sign; none if the text is printed like an amount and cannot be read. */
	readings: Reading[];
	/** Whether the document has to show which reading it is, or that it is a number at all. False if there is no reading. */
	needsEvidence: boolean;
	/** Whether the currency may be another word: `Fr` is a Friday, too. */
	isWord: boolean;
}

/** Undefined for text that is not printed like an amount. */
export function readAmount(tokens: Tokens): Amount | undefined {
	const { unit, currency, number, isWord, text } = tokens;
	const signed = signedReadings(tokens);
	if (isSpelledOut(text) || !isAmount(tokens, signed)) return undefined;
	const readings = isUnreadable(tokens) ? [] : signed;
	return { currency, isWord, readings, ...kindByMarks(readings, unit, number) };
}

/** What the marks say about the number, besides what they can mean. */
function kindByMarks([first, second]: Reading[], unit: Kind, number: string) {
	const { group = '', decimal } = first ?? {};
	const hasBothMarks = group !== '' && decimal !== undefined;
	// `1.180,00` is money without a currency.
	if (unit === 'money' || (unit === 'plain' && hasBothMarks))
		return { kind: 'money' as const, needsEvidence: second !== undefined };
	// `2,468,013` may be a list or an identifier, but not `2,468:-`, whose dash stands for decimals.
	const isGroupsOnly = /[., ]/.test(group) && !hasBothMarks && !/[-=]$/.test(number);
	return { kind: unit, needsEvidence: second !== undefined || isGroupsOnly };
}

/** An amount that is spelled out, its cents as a fraction: `mille deux cents euros 25/100`. */
export function isSpelledOut(text: string): boolean {
	const hasFraction = /\b\d\d?(?:\/100\b| коп)/.test(text) && !/\d[.,]\d/.test(text);
	return hasFraction && /\p{L}{3}.*\P{L}\p{L}{3}/u.test(text);
}

/** `~45.00` and `2 x 65.000`. */
const MORE_THAN_A_NUMBER = /^(?:[~≈]|\d+ ?[x×*]) ?\d[\d.,]*[.,]\d{2,3}$/;

/** `86`, `-86`, `86-` and `(86)`. */
const WHOLE_LAYOUT = /^(?:-?N|N-|\(N\))$/;

/** Any signs and numbers, and the sign of a bank: `(86.40)`, `<86.40>`, `86,40 S`, `–86,40+`. */
const MARKED_LAYOUT = /^[-+()<>[\]N]*B?$/;

/** Text with a currency or a percent sign, or in the shape of a number, whether its sign is certain or not. */
function isAmount(tokens: Tokens, signed: Reading[]): boolean {
	const { text, unit, layout, number, readings, isWord } = tokens;
	const hasMarks = /\D/.test(number);
	// `24 R` may be rooms; `24,50 R` is money, and `24,50 R CR` too, although its sign is not certain.
	if (isWord) return hasMarks && (signed.length > 0 || layout === 'NB');
	if (unit !== 'plain' || MORE_THAN_A_NUMBER.test(text)) return true;
	return readings.length > 0 && (hasMarks ? MARKED_LAYOUT : WHOLE_LAYOUT).test(layout);
}

/** A month and a year, a fiscal year of Nepal, or two numbers: `10.2026`, `2026.10`, `2082.083`, `1234.5678`; no zeros. */
const TWO_NUMBERS =
	/^(?:(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d|(?:19|20)\d\d\.(?:0?[1-9]|1[0-2]|0\d\d)|\d{4,}[.,]\d{4,}(?<!00))$/;

/** Printed like an amount, but nothing in a document could decide what it means. */
function isUnreadable({ text, unit, number, currency }: Tokens): boolean {
	if (unit === 'plain' && TWO_NUMBERS.test(number)) return true;
	// The hyphen in `CHF-86.40` may be no minus sign.
	const hasHyphen = /\p{L}-\d|\d-\p{L}/u.test(text);
	// `USD 86 EUR` and `864USD`.
	return hasHyphen || (unit === 'money' && currency === undefined) || GLUED.test(text);
}

/** The readings with their sign; none if the text has more than a sign, or the sign is not certain. */
function signedReadings({ layout, unit, readings }: Tokens): Reading[] {
	if (layout === 'N' || layout === '+N') return readings;
	// `86.40-` and `(86.40)`, but `(16.00 %)` may be a note.
	const isBehind = layout === 'N-' || (layout === '(N)' && unit !== 'percentage');
	// The dash of `86-` may stand for decimals, the brackets of `(86)` for a footnote, and those of `(₩1,364,000)` for a note.
	const isAfterDecimals = readings.every(({ scale }) => scale > 0);
	const isNegative = layout === '-N' || (isBehind && isAfterDecimals);
	return isNegative ? readings.map((reading) => ({ ...reading, digits: -reading.digits })) : [];
}

/** Letters glued to a whole number: `INV864` and `INV-864`, or `CAD204`, whose letters are a currency. */
const GLUED = /^\p{Lu}{2,}-?\d+$|^\d+-?\p{Lu}{2,}$/u;

/** Groups before check digits: `900.123.456-7`. */
const CHECKED = /^\d{1,3}(?:\.\d{3})+-\d{1,3}$/;

/** The number of a telephone or of a company, and others of seven digits: `912 345 678`, `0086`, `8640135`. */
const LONG = /^(?:\d{1,3}(?: \d{3}){2,}|0\d.*|\d{7,})$/;

/** Whether a text is an identifier by its form: a plain number that is none of an amount. */
export function isIdentifier({ text, unit, layout, number, readings }: Tokens): boolean {
	if (unit !== 'plain') return false;
	if (GLUED.test(text) || CHECKED.test(text)) return true;
	if (!/^[-+]?N$/.test(layout)) return false;
	// `8640135`, `172.16.0.1` and `2,4,6`, but `12,345.678,90` is an amount that was read badly.
	if (LONG.test(number) || readings.length === 0) return !/\..*,|,.*\./.test(number);
	// `+41 44 864` and `+49.8912340` are telephone numbers, which have no two decimals: `+16.00`.
	const isPhone = ({ group, decimal, scale }: Reading) => !decimal || (!group && scale > 2);
	return layout.startsWith('+') && readings.some(isPhone);
}
