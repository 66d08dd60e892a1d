import * as stems from './tables/nameStems';

/** What the name of a field says about its value. */
export interface Name {
	/** Under `time`, no number is an amount: a time, a place on a map. */
	means?: 'identifier' | 'time' | 'date' | 'birth' | 'amount';
	isUnitPrice: boolean;
}

/** @param name of a field; its words are compared without case, accents and digits */
export function nameOf(name: string): Name {
	const words = wordsOf(name);
	return { means: meaningOf(words), isUnitPrice: namesUnitPrice(words) };
}

/** The first that applies: a tax number is no tax, an amount due is no date. */
function meaningOf(words: string): Name['means'] {
	if (namesIdentifier(words)) return 'identifier';
	if (namesBirth(words)) return 'birth';
	if ((namesAmount(words) || namesTax(words)) && !namesNoAmount(words)) return 'amount';
	if (namesTime(words)) return 'time';
	return namesDate(words) && !namesCounted(words) ? 'date' : undefined;
}

/** `Nr faktury`, unless it is a number of things or an amount: `No. of items`, `Reference rate`; and `customer ID`. */
function namesIdentifier(words: string): boolean {
	if (!startsWithIdentifier(words)) return endsWithIdentifier(words) && !startsWithAmount(words);
	return !namesCounted(words) && !namesAmount(words) && !namesUnitPrice(words);
}

const WORD_START = '(?:^| )';
const WORD_END = '(?: |$)';

const endsWithIdentifier = patternOf(stems.IDENTIFIERS, WORD_START, '$');
const startsWithIdentifier = patternOf(stems.FIRST_WORDS, '^', ' ');
const namesCounted = patternOf(stems.COUNTED, ' ', WORD_END);
const namesTime = patternOf(stems.TIMES, WORD_START, '$');
const namesDate = patternOf(stems.DATES, WORD_START, WORD_END);
const namesBirth = patternOf(stems.BIRTHS, WORD_START, WORD_END);
const namesUnitPrice = patternOf(stems.UNIT_PRICES, WORD_START, WORD_END);
const namesTax = patternOf(stems.TAXES, WORD_START, WORD_END);
const namesAmount = patternOf(stems.AMOUNTS, WORD_START, WORD_END);
const namesNoAmount = patternOf(stems.NO_AMOUNTS, WORD_START, WORD_END);

/** `Totale conto` is no account. */
const startsWithAmount = patternOf(stems.AMOUNTS, '^', ' ');

/** Whether words have one of the stems of a table, whose pattern is made for the first name. */
function patternOf(rows: Record<string, string>, start: string, end: string) {
	let pattern: RegExp | undefined;
	const make = () => {
		const all = Object.values(rows).flatMap((row) => plainLetters(row).split(' '));
		return new RegExp(all.map((stem) => partOf(stem, start, end)).join('|'), 'u');
	};
	return (words: string): boolean => (pattern ??= make()).test(words);
}

function partOf(stem: string, start: string, end: string): string {
	const [, mark = '', word = '', after] = /^([-=]?)(.*?)(-?)$/.exec(stem) ?? [];
	const text = word.replace(/_/g, ' ');
	if (mark === '=') return `^${text}$`;
	// Three letters before it, or those of a script that has no blanks: no `paid` for an ID.
	const inWord = /^[a-z(]/.test(word) ? `(?:${start}|[a-z]{3})` : '';
	return `${mark === '-' ? inWord : start}${text}${after === '-' ? '' : end}`;
}

/** `invoiceNumber`, `INVOICE_NUMBER` and `Invoice number:` are alike. */
function wordsOf(name: string): string {
	const parts = name.replace(/(?<=[\p{Ll}\p{Lo}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
	const plain = plainLetters(parts).replace(/n\.? ?[°º]|№|#/g, ' numero ');
	return (plain.match(/[\p{L}〒]+/gu) ?? []).join(' ');
}

/** In lower case and without accents. */
export function plainLetters(text: string): string {
	const plain = text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
	return plain.replace(/[łøđı]/g, (letter) => PLAIN[letter] ?? letter);
}

const PLAIN: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ı: 'i' };
