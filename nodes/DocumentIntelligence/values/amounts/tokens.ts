import { commonCurrency, currencyOf, type Currency } from './currencies';
import { KINDS_OF_WORDS } from '../tables/aroundNumbers';
import { readNumber, type Reading } from './readNumber';

/** Money has a currency. */
export type Unit = 'money' | 'percentage' | 'plain';

/** What is printed: one number, what it counts, and everything around it. */
export interface Tokens {
	text: string;
	/**
	 * `N` for each number, signs and brackets as they are, `B` for the sign of a bank, `W` for anything else but
	 * currencies, percent signs, and words that are no part of the amount: `N` for `86,40 € TTC`, `-N` for `−86.40`. Until
	 * `withoutWords` has seen it, other kinds of words have letters of their own, and a percent sign stands in it.
	 */
	layout: string;
	unit: Unit;
	/** The first number, or an empty text; the layout shows whether there are more. */
	number: string;
	/** What its digits can mean, without a sign. */
	readings: Reading[];
	currency?: string;
	/** Whether there are two currencies, a currency and a percent sign, or two percent signs. */
	isMixed: boolean;
	/** Whether a currency may be a unit or another word as well. */
	isWord: boolean;
}

/** `2 468,13` and `.375`. */
const DIGITS = /(?:\d+(?:[.,' ]\d+)*|\.\d+)/.source;

/** In place of decimals: `2.468,-`, `2,468/=`. */
const DASHES = /[.,:/][-=]{1,2}(?![\d-])/.source;

const LETTER = /[\p{L}\p{M}\p{Sc}]/u.source;

/** `T.T.C`, but not the point of `$.375`. */
const PERIOD = /(?<!\p{Sc})\./u.source;

/** `so'm`, `ש"ח`. */
const QUOTE = /["'״](?=\p{L})/u.source;

/** The signs of the sol and the balboa: `S/ 12.50`, `B/. 12.50`. */
const SLASH = /\/\.?(?= ?\d)/.source;

const WORD = `[\\p{L}\\p{Sc}](?:${LETTER}|${PERIOD}|${QUOTE})*(?:${SLASH})?`;

/** A number, or words. */
const TOKEN = new RegExp(`(${DIGITS}(?:${DASHES})?)|(${WORD}(?: ${WORD})*)`, 'gu');

export function tokensOf(printed: string): Tokens {
	const text = printed
		// `−86.40`, `86,– €`, the long vowel sign of Japanese, and `△86` in Japanese and Korean books.
		.replace(/[\p{Pd}\u2212ー△]/gu, '-')
		// `1 x 86,40`.
		.replace(/^1 ?[x×] (?=\D*\d)/, '')
		// `3 112:50`: in Sweden, a colon stands before the decimals; no time has groups.
		.replace(/(\d[ .]\d{3}):(\d\d)$/, '$1,$2');
	const numbers: string[] = [];
	const currencies: Currency[] = [];
	const layout = text.replace(TOKEN, (_, token?: string, words?: string) => {
		if (token === undefined) return kindsOf(partsOf(words ?? ''), currencies);
		numbers.push(token);
		return 'N';
	});
	const percents = layout.split('%').length - 1;
	const isMoney = currencies.length > 0;
	const currency = commonCurrency(currencies.map(({ name }) => name));
	const unit: Unit = isMoney ? 'money' : percents > 0 ? 'percentage' : 'plain';
	const [number = ''] = numbers;
	return {
		text,
		layout: withoutWords(layout.replace(/[% ]/g, ''), unit, number),
		unit,
		number,
		readings: readNumber(number),
		currency,
		isMixed: isMoney ? currency === undefined || percents > 0 : percents > 1,
		isWord: isMoney && currencies.every(({ isWord }) => isWord),
	};
}

/** `USD$` and `3.5万元` have a word and a sign in one. */
const SIGN_OR_WORD = /\p{Sc}|[元円원圆圓](?=$)|(?:(?![元円원圆圓]$)\P{Sc})+/gu;

/** Words and signs, each by itself. */
function partsOf(words: string): string[] {
	return words.split(' ').flatMap((word) => {
		const isOne = !/[\p{Sc}元円원圆圓]/u.test(word) || currencyOf(word) !== undefined;
		return isOne ? word : (word.match(SIGN_OR_WORD) ?? []);
	});
}

/** What each text of one to three parts is, the longest first; a currency has no letter. */
function kindsOf(parts: string[], currencies: Currency[]): string {
	for (let size = Math.min(3, parts.length); size > 0; size -= 1) {
		const text = parts.slice(0, size).join(' ');
		const currency = currencyOf(text);
		if (currency !== undefined) currencies.push(currency);
		const kind = currency === undefined ? kindOfWords(text) : '';
		if (kind !== undefined) return kind + kindsOf(parts.slice(size), currencies);
	}
	return parts.length === 0 ? '' : `W${kindsOf(parts.slice(1), currencies)}`;
}

/** `B` is the sign of a bank, `L` the letter of a tax rate, `P` are pieces, `T` is a tax; undefined for other words. */
function kindOfWords(text: string): string | undefined {
	const plain = text.replace(/\.$/, '');
	// `86,40 S` is one, `86,40 s` are seconds.
	const word = plain.length > 1 ? plain.toLowerCase() : plain;
	// `86,40 A`, but `86,40 K`, `M` and `T` are thousands, millions and tonnes.
	return KINDS_OF_WORDS.get(word) ?? (/^(?![KMT])\p{Lu}$/u.test(plain) ? 'L' : undefined);
}

/** `86.40` and `1,086.40`, but no `86.4`. */
const TWO_DECIMALS = /[.,]\d\d$/;

/** `1.086,40`, but not `86,40`. */
const TWO_MARKS = /[.,].*[.,]/;

/** Drops what is known to be no part of the amount, and calls all other words `W`. */
function withoutWords(layout: string, unit: Unit, number: string): string {
	const hasTwoDecimals = TWO_DECIMALS.test(number);
	const isPlainAmount = unit === 'plain' && hasTwoDecimals;
	let kept = layout;
	// The letter of a tax rate: `86,40 A`, `86,40- A`, and a Japanese sign for it: `86.40 ※`.
	if (isPlainAmount && !TWO_MARKS.test(number)) kept = kept.replace(/(?<=N-?)[L※]$/, '');
	// `12 Stk`.
	if (unit === 'plain') kept = kept.replace(/(?<=^N)P$/, '');
	// `86,40 € inkl. MwSt.`, `£86.40 + VAT` and `86,40 € (brutto)`.
	if (unit === 'money' || isPlainAmount) kept = kept.replace(/(?<=N.*)(?:\+?T+|\(T+\))$/, '');
	// `€ 86,40=` and `$ 86.40.`
	if (unit === 'money' && hasTwoDecimals) kept = kept.replace(/(?<=N-?)[=.]$/, '');
	return kept.replace(/[^NB+()<>[\]-]/g, 'W');
}
