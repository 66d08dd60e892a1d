import { commonCurrency, currencyOf, type Currency } from './currencies';
import { BANK_SIGNS, PERCENT_WORDS, PIECES, TAX_WORDS, UNIT_LETTERS } from './tables/aroundNumbers';

/** Money has a currency. */
export type Unit = 'money' | 'percentage' | 'plain';

/** What is printed: one number, what it counts, and everything around it. */
export interface Tokens {
	text: string;
	/**
	 * `N` for each number, signs and brackets as they are, `B` for the sign of a bank, `W` for anything else but
	 * currencies, percent signs, and words that are no part of the amount.
	 */
	layout: string;
	unit: Unit;
	/** The first number, or an empty text; the layout shows whether there are more. */
	number: string;
	currency?: string;
	/** Whether there are two currencies, a currency and a percent sign, or two percent signs. */
	isMixed: boolean;
	/** Whether a currency may be a unit or another word as well. */
	isWord: boolean;
}

/** The number with its groups and decimals, and dashes in place of decimals. */
const NUMBER = /(?<number>(?:\d+(?:[.,' ]\d+)*|\.\d+)(?:[.,:/][-=]{1,2}(?![\d-]))?)/.source;

/** Periods and quotation marks are part of abbreviations, a slash is in the signs of the sol and the balboa: `S/ 12.50`. */
const WORD = /[\p{L}\p{Sc}](?:[\p{L}\p{M}\p{Sc}]|(?<!\p{Sc})\.|["'״](?=\p{L}))*(?:\/\.?(?= ?\d))?/u
	.source;

const TOKEN = new RegExp(`${NUMBER}|(?<words>${WORD}(?: ${WORD})*)|(?<other>[^ ])`, 'gu');

/** Two decimals, with or without groups. */
const TWO_DECIMALS = /[.,]\d\d$/;

export function tokensOf(printed: string): Tokens {
	const text = printed
		.replace(/[’‘´`′ʼ٬]/g, "'")
		.replace(/[٫٪]/g, (sign) => (sign === '٫' ? '.' : '%'))
		.replace(/[\p{Pd}\u2212ー]/gu, '-')
		.replace(/^1 ?[x×] (?=\D*\d)/, '')
		// In Sweden, a colon stands before the decimals; no time has groups.
		.replace(/(?<=\d[ .]\d{3}):(?=\d\d$)/, ',');
	const numbers: string[] = [];
	const currencies: Currency[] = [];
	let layout = '';
	for (const { groups = {} } of text.matchAll(TOKEN)) {
		const { number, words, other = '' } = groups;
		if (number !== undefined) numbers.push(number);
		layout +=
			number === undefined ? (words === undefined ? other : kindsOf(words, currencies)) : 'N';
	}
	const percents = layout.split('%').length - 1;
	const isMoney = currencies.length > 0;
	const currency = commonCurrency(currencies.map(({ name }) => name));
	const unit: Unit = isMoney ? 'money' : percents > 0 ? 'percentage' : 'plain';
	const [number = ''] = numbers;
	return {
		text,
		layout: withoutWords(layout.replace(/%/g, ''), unit, number),
		unit,
		number,
		currency,
		isMixed: isMoney ? currency === undefined || percents > 0 : percents > 1,
		isWord: isMoney && currencies.every(({ isWord }) => isWord),
	};
}

/** Finds signs and names of currencies among other text, the longest first. */
function kindsOf(words: string, currencies: Currency[]): string {
	const parts = words.split(' ').flatMap((word) => (currencyOf(word) ? word : partsOf(word)));
	let kinds = '';
	for (let at = 0; at < parts.length;) {
		const [size, kind] = kindAt(parts, at, currencies);
		kinds += kind;
		at += size;
	}
	return kinds;
}

/** `USD$` and `3.5万元` have a word and a sign in one. */
function partsOf(word: string): string[] {
	return word.match(/\p{Sc}|[元円원圆圓](?=$)|(?:(?![元円원圆圓]$)\P{Sc})+/gu) ?? [];
}

/** How many parts are one text, and what it is; a currency has no letter. */
function kindAt(parts: string[], at: number, currencies: Currency[]): [size: number, kind: string] {
	for (const size of [3, 2, 1]) {
		const text = parts.slice(at, at + size).join(' ');
		const currency = at + size <= parts.length ? currencyOf(text) : undefined;
		if (currency !== undefined) {
			currencies.push(currency);
			return [size, ''];
		}
		if (size < 3 && PERCENT_WORDS.has(text.toLowerCase())) return [size, '%'];
		if (size === 2 && TAX_WORDS.has(text.toLowerCase())) return [size, 'T'];
	}
	const [word = ''] = parts.slice(at);
	const plain = word.toLowerCase().replace(/(?<=.)\.$/, '');
	if (BANK_SIGNS.has(word.length === 1 ? word : plain)) return [1, 'B'];
	if (/^(?:\p{Lu}|※)$/u.test(word) && !UNIT_LETTERS.has(word)) return [1, 'L'];
	if (PIECES.has(plain)) return [1, 'P'];
	return [1, TAX_WORDS.has(plain) ? 'T' : 'W'];
}

/** Drops what is known to be no part of the amount, and calls all other words `W`. */
function withoutWords(layout: string, unit: Unit, number: string): string {
	const isAmount = unit === 'money' || (unit === 'plain' && TWO_DECIMALS.test(number));
	const isPlain = unit === 'plain' && TWO_DECIMALS.test(number);
	const kept = layout
		.replace(/(?<=N-?)[L※]$/, (letter) => (isPlain && !/[.,].*[.,]/.test(number) ? '' : letter))
		.replace(/(?<=^N)P$/, (word) => (unit === 'plain' ? '' : word))
		.replace(/(?<=N.*)(?:\+?T+|\(T+\))$/, (words) => (isAmount ? '' : words))
		.replace(/(?<=N-?)[=.]$/, (end) => (unit === 'money' && TWO_DECIMALS.test(number) ? '' : end))
		.replace(/(?<=N-?)B$/, (sign) => (isAmount ? sign : 'W'));
	return kept.replace(/[^NB+()-]/g, 'W');
}
