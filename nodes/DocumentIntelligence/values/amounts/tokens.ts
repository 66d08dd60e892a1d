import { LETTERS } from '../tables/aroundNumbers';
import { commonUnit, PERCENT, unitOf, type Unit } from './currencies';
import { readNumber, type Reading } from './readNumber';

export type Kind = 'money' | 'percentage' | 'plain';

/** What is printed: one number, its unit, and everything around them. */
export interface Tokens {
	text: string;
	/**
	 * `N` for each number, signs and brackets as they are, `B` for the sign of a bank, `W` for anything else but currencies,
	 * percent signs, and words that are no part of the amount: `N` for `86,40 € TTC`, `-N` for `−86.40`. Until `withoutWords`
	 * has seen it, words of other kinds have letters of their own.
	 */
	layout: string;
	/** By its unit alone; `Amount.kind` also calls `1.180,00` money. */
	unit: Kind;
	/** The first number, or an empty text; the layout shows whether there are more. */
	number: string;
	/** What its digits can mean, without a sign. */
	readings: Reading[];
	/** Undefined also if there are two, or a currency and a percent sign. */
	currency?: string;
	/** Whether a currency may be another unit or a word as well. */
	isWord: boolean;
}

/** `2 468,13` and `.375`. */
const DIGITS = /(?:\d+(?:[.,' ]\d+)*|\.\d+)/.source;

/** In place of decimals: `2.468,-`, `2,468/=`. */
const DASHES = /[.,:/][-=]{1,2}(?![\d-])/.source;

const LETTER = /[\p{L}\p{M}\p{Sc}]/u.source;

/** `T.T.C`, but not the point of `$.375` and `%.5`. */
const PERIOD = /(?<![\p{Sc}%])\./u.source;

/** `so'm`, `ש"ח`. */
const QUOTE = /["'״](?=\p{L})/u.source;

/** The signs of the sol and the balboa: `S/ 12.50`, `B/. 12.50`. */
const SLASH = /\/\.?(?= ?\d)/.source;

const WORD = `[\\p{L}\\p{Sc}%※](?:${LETTER}|${PERIOD}|${QUOTE})*(?:${SLASH})?`;

/** A number, or words. */
const TOKEN = new RegExp(`(${DIGITS}(?:${DASHES})?)|(${WORD}(?: ${WORD})*)`, 'gu');

/** @param line as `plainLine` makes it */
export function tokensOf(line: string): Tokens {
	const text = line
		// `−86.40`, `86,– €`, the long vowel sign of Japanese, and `△86` or `▲86` in Japanese and Korean books.
		.replace(/[\p{Pd}\u2212ー△▲]/gu, '-')
		// `$***1,086.40` and `*86,40` protect the amount, `86.40*` points to a note; `****1086` hides the digits of a card.
		.replace(/(?<![\d*] ?)\*+ ?(?=\d[\d.,]*[.,]\d\d(?!\d))|(?<=[.,]\d\d)\*+$/g, '')
		// `€. 86,40`.
		.replace(/(?<=\p{Sc})\.(?= )/gu, '')
		// `1 x 86,40`.
		.replace(/^1 ?[x×] (?=\D*\d)/, '')
		// `(-) 86.40`, as books in India print it.
		.replace(/^\(-\)/, '-')
		// The dash of `86,40 € - netto` and `86,40 €- netto` may be no sign; two of them are none.
		.replace(/(?<=\d.*)(?: -(?= |$)|(?<=[\p{L}\p{Sc}])-(?= ))/gu, ' --')
		// `3 112:50`: in Sweden, a colon stands before the decimals; no time has groups.
		.replace(/(\d[ .]\d{3}):(\d\d)(?![\d:])/, '$1,$2');
	const numbers: string[] = [];
	const units: Unit[] = [];
	const layout = text.replace(TOKEN, (_, token?: string, words = '') => {
		if (token === undefined) return lettersFor(String(words).split(' '), units);
		numbers.push(token);
		return 'N';
	});
	const [number = ''] = numbers;
	const name = commonUnit(units.map((each) => each.name));
	const unit = units.length === 0 ? 'plain' : name === PERCENT ? 'percentage' : 'money';
	return {
		text,
		layout: withoutWords(layout.replace(/ /g, ''), unit, number),
		unit,
		number,
		readings: readNumber(number),
		currency: unit === 'money' ? name : undefined,
		isWord: unit === 'money' && units.every(({ isWord }) => isWord),
	};
}

/** `USD$`, `%MwSt` and `3.5万元` have a word and a sign in one. */
const SIGN_OR_WORD = /[\p{Sc}%]|[元円원圆圓]$|(?:(?![元円원圆圓]$)[^\p{Sc}%])+/gu;

/** One for each text of one to three words, the longest first; a currency or a percent sign has none. */
function lettersFor(words: string[], units: Unit[]): string {
	const [first, ...others] = words;
	if (first === undefined) return '';
	for (let size = Math.min(3, words.length); size > 0; size -= 1) {
		const text = words.slice(0, size).join('');
		const unit = unitOf(text);
		if (unit !== undefined) units.push(unit);
		const letter = unit === undefined ? letterOf(text) : '';
		if (letter !== undefined) return letter + lettersFor(words.slice(size), units);
	}
	const parts = first.match(SIGN_OR_WORD) ?? [];
	return parts.length > 1
		? lettersFor([...parts, ...others], units)
		: `W${lettersFor(others, units)}`;
}

/** `B` is the sign of a bank, `L` the letter of a tax rate, `P` are pieces, `T` is a tax; undefined for other words. */
function letterOf(text: string): string | undefined {
	const plain = text.replace(/\.$/, '');
	// `86,40 S` is one, `86,40 s` are seconds.
	const word = plain.length > 1 ? plain.toLowerCase() : plain;
	// `86,40 A`, but `86,40 K`, `M` and `T` are thousands, millions and tonnes.
	return LETTERS.get(word) ?? (/^(?![KMT])\p{Lu}$/u.test(plain) ? 'L' : undefined);
}

/** `86.40` and `1,086.40`, but no `86.4`. */
const TWO_DECIMALS = /[.,]\d\d$/;

/** `1.086,40`, but not `86,40`. */
const TWO_MARKS = /[.,].*[.,]/;

/** Drops what is known to be no part of the amount, and calls all other words `W`. */
function withoutWords(layout: string, unit: Kind, number: string): string {
	const hasTwoDecimals = TWO_DECIMALS.test(number);
	const isPlainAmount = unit === 'plain' && hasTwoDecimals;
	let kept = layout;
	// The letter of a tax rate: `86,40 A`, `86,40- A`.
	if (isPlainAmount && !TWO_MARKS.test(number)) kept = kept.replace(/(?<=N-?)L$/, '');
	// `12 Stk`.
	if (unit === 'plain') kept = kept.replace(/(?<=^N)P$/, '');
	// `86,40 € inkl. MwSt.`, `£86.40 + VAT` and `86,40 € (brutto)`.
	if (unit === 'money' || isPlainAmount) kept = kept.replace(/(?<=N.*)(?:\+?T+|\(T+\))$/, '');
	// `€ 86,40=` and `$ 86.40.`
	if (unit === 'money' && hasTwoDecimals) kept = kept.replace(/(?<=N-?)[=.]$/, '');
	return kept.replace(/[^NB+()<>[\]-]/g, 'W');
}
