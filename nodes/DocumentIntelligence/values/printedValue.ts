import { isIdentifier } from './amounts/identifiers';
import { readAmount, type Amount } from './amounts/readAmount';
import { tokensOf } from './amounts/tokens';
import { readDate, type PrintedDate } from './dates/readDate';

/** What a text is printed like: a date, an amount, an identifier, or nothing of these. */
export interface PrintedValue {
	date?: PrintedDate;
	amount?: Amount;
	/** Why other text is left as it is: what is uncertain is listed, an identifier, by its form or name, never. */
	leftAs?: 'uncertain' | 'identifier';
}

/** No number or date is longer, and megabytes of text are not searched for one. */
const MAX_CHARACTERS = 100;

const LINE_BREAKS = /[\r\n\v\u2028\u2029]+/;

export function readPrinted(printed: string): PrintedValue {
	if (!isReadable(printed)) return {};
	const lines = printed.split(LINE_BREAKS).filter((line) => /\S/.test(line));
	return lines.length > 1 ? readLines(lines) : readLine(printed);
}

export function isReadable(printed: string): boolean {
	return printed.length <= MAX_CHARACTERS && hasDigit(printed);
}

/** Also of other scripts: `٨٦`. */
function hasDigit(text: string): boolean {
	return /\p{Nd}/u.test(text);
}

function readLines(lines: string[]): PrintedValue {
	const withDigits = lines.filter(hasDigit);
	return withDigits.length === 1 ? readLine(inOneLine(lines)) : readValues(withDigits);
}

/** A currency or a word may stand on a line of its own: `1.204,50\nEUR`. */
function inOneLine(lines: string[]): string {
	// The dash of `86,40 €\n-` may be no sign; two of them are none.
	const isDash = (line: string) => /^\s*[\p{Pd}\u2212]\s*$/u.test(line);
	return lines.map((line) => (isDash(line) ? '--' : line)).join(' ');
}

/** Numbers on two lines are two values, as in `11\n250.00`; an address, or `4711\n4712`, has none. */
function readValues(lines: string[]): PrintedValue {
	const read = lines.map(readLine);
	const areValues = read.every(({ amount, date }) => amount ?? date);
	const areMarked = read.some(({ date }) => date) || lines.some((line) => /\d[.,' ]\d/.test(line));
	return areValues && areMarked ? { leftAs: 'uncertain' } : {};
}

const ARABIC_DIGIT = /[\u0660-\u0669]/;

function readLine(line: string): PrintedValue {
	const text = plainText(line);
	const date = readDate(text);
	if (date !== undefined) return { date: { ...date, isArabic: ARABIC_DIGIT.test(line) } };
	const tokens = tokensOf(text);
	return isIdentifier(tokens) ? { leftAs: 'identifier' } : { amount: readAmount(tokens) };
}

/** With Latin digits, plain marks, single blanks, and without what has no glyph. */
export function plainText(line: string): string {
	return line
		.replace(/[^ -_a-~]/gu, plainCharacter)
		.replace(/ +/g, ' ')
		.trim();
}

/** Characters that print nothing but set the direction or join letters, as around numbers in Arabic and Hebrew. */
const WITHOUT_GLYPH = /[\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff]/;

const PLAIN_CHARACTERS: Array<[printed: RegExp, plain: (character: string) => string]> = [
	[WITHOUT_GLYPH, () => ''],
	[/\s/, () => ' '],
	// `2’468.13` and `1٬086`.
	[/[’‘´`′ʼ٬]/, () => "'"],
	// `86٫40` and `16٪`.
	[/٫/, () => '.'],
	[/٪/, () => '%'],
	// `８６．４０` and `￥125,000`.
	[/[\uff01-\uff5e￥￦]/, (character) => character.normalize('NFKC')],
	// `٨٦٫٤٠`.
	[/\p{Nd}/u, latinDigit],
];

function plainCharacter(printed: string): string {
	const [, plain] = PLAIN_CHARACTERS.find(([form]) => form.test(printed)) ?? [];
	return plain === undefined ? printed : plain(printed);
}

/** Each script has its ten digits in a row. */
function latinDigit(digit: string): string {
	const code = digit.codePointAt(0) ?? 0;
	let zero = code;
	while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
	return String((code - zero) % 10);
}
