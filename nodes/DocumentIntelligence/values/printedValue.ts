import type { Scalar } from '../results/fields';
import { isIdentifier, readAmount, type Amount } from './amounts/readAmount';
import { tokensOf } from './amounts/tokens';
import { readDate, readDateInName, type PrintedDate } from './dates/readDate';

/** What a text is printed like: a date, an amount, an identifier, or nothing of these. */
export interface PrintedValue {
	date?: PrintedDate;
	amount?: Amount;
	/** Other text that is left as it is; unlisted: an identifier, a time, or what the user keeps as text. */
	leftAs?: 'listed' | 'unlisted';
}

/** No number or date is longer, and megabytes of text are not searched for one. */
const MAX_CHARACTERS = 100;

const LINE_BREAKS = /[\r\n\v\u2028\u2029]+/;

export function readPrinted(printed: Scalar): PrintedValue {
	if (!isReadable(printed)) return {};
	const value = LINE_BREAKS.test(printed)
		? readLines(printed.split(LINE_BREAKS))
		: readLine(plainLine(printed));
	return value.date ? { date: { ...value.date, isArabic: ARABIC_DIGIT.test(printed) } } : value;
}

/** Has a digit, also of another script: `٨٦`. */
export function isReadable(printed: Scalar): printed is string {
	return typeof printed === 'string' && printed.length <= MAX_CHARACTERS && /\p{Nd}/u.test(printed);
}

/** Numbers on two lines are two values, as in `11\n250.00`; an address has none. */
function readLines(printed: string[]): PrintedValue {
	const lines = printed.map(plainLine).filter(Boolean);
	const withDigits = lines.filter((line) => /\d/.test(line));
	// A currency or a word may stand on a line of its own: `1.204,50\nEUR`.
	if (withDigits.length === 1) return readLine(lines.map(withoutDash).join(' '));
	const areValues = withDigits.map(readLine).every(({ amount, date }) => amount ?? date);
	return areValues ? { leftAs: 'listed' } : {};
}

/** The dash of `86,40 €\n-` may be no sign; two of them are none. */
function withoutDash(line: string): string {
	return line.replace(/^[\p{Pd}\u2212]$/u, '--');
}

const ARABIC_DIGIT = /[\u0660-\u0669]/;

/** @param line as `plainLine` makes it */
function readLine(line: string): PrintedValue {
	const date = readDate(line);
	if (date !== undefined) return { date };
	const tokens = tokensOf(line);
	return isIdentifier(tokens) ? { leftAs: 'unlisted' } : { amount: readAmount(tokens) };
}

/** Of what only the name of its field shows: `24 lei` is an amount, `20270309` a date. */
export function readInName(printed: string, isAmount: boolean): PrintedValue {
	const line = plainLine(printed);
	if (!isAmount) return { date: readDateInName(line) };
	const tokens = tokensOf(line);
	// `VAT: R2` may be the code of a rate.
	const isOther = !tokens.isWord || /\p{L}\d/u.test(line);
	return isOther ? {} : { amount: readAmount({ ...tokens, isWord: false }) };
}

/** Characters that print nothing but set the direction or join letters, as around numbers in Arabic and Hebrew. */
const WITHOUT_GLYPH = /[\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** With Latin digits, plain marks, single blanks, and without what has no glyph. */
export function plainLine(line: string): string {
	const plain = line.replace(/[^ -_a-~]+/g, plainCharacters);
	return plain.replace(/ {2,}/g, ' ').trim();
}

/** Of characters that are not in ASCII. */
function plainCharacters(printed: string): string {
	return (
		printed
			.replace(WITHOUT_GLYPH, '')
			.replace(/\s/g, ' ')
			// `2’468.13` and `1٬086`.
			.replace(/[’‘´`′ʼ٬]/g, "'")
			// `86٫40` and `16٪`.
			.replace(/٫/g, '.')
			.replace(/٪/g, '%')
			// `８６．４０` and `￥125,000`.
			.replace(/[\uff01-\uff5e￥￦]/g, (wide) => wide.normalize('NFKC'))
			// `٨٦٫٤٠`.
			.replace(/\p{Nd}/gu, latinDigit)
	);
}

/** Each script has its ten digits in a row. */
function latinDigit(digit: string): string {
	const code = digit.codePointAt(0) ?? 0;
	let zero = code;
	while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
	return String((code - zero) % 10);
}
