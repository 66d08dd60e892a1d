import {
	AMOUNTS,
	BIRTHS,
	CODE_WORDS,
	COUNTED,
	DATES,
	IDENTIFIERS,
	NOT_AMOUNTS,
	NO_AMOUNTS,
	NUMBER_WORDS,
	UNIT_PRICES,
} from './tables/nameStems';

/** What the name of a field says about its value. */
export interface NameKind {
	/** `notAmount` is a time or another number that is no amount, while a date is one. */
	kind?: 'identifier' | 'notAmount' | 'date' | 'amount' | 'tax';
	isUnitPrice: boolean;
	isBirth: boolean;
}

/** A pattern of all stems of a table, made when the first name is read. */
function patternOf(rows: Record<string, string>, start: string, end: string) {
	let pattern: RegExp | undefined;
	return (words: string): boolean => {
		pattern ??= new RegExp(
			Object.values(rows)
				.flatMap((row) => plainLetters(row).trim().split(/\s+/))
				.map((stem) => partOf(stem, start, end))
				.join('|'),
			'u',
		);
		return pattern.test(words);
	};
}

function partOf(stem: string, start: string, end: string): string {
	const [, mark = '', word = '', after] = /^([-=]?)(.*?)(-?)$/.exec(stem) ?? [];
	const text = word.replace(/_/g, ' ');
	if (mark === '=') return `^${text}$`;
	// Three letters before it, or those of a script that has no blanks: no `paid` for an ID.
	const inWord = /^[a-z(]/.test(word) ? `(?:${start}|[a-z]{3})` : '';
	return `${mark === '-' ? inWord : start}${text}${after === '-' ? '' : end}`;
}

const WORD_START = '(?:^| )';
const WORD_END = '(?: |$)';

const isNamedIdentifier = patternOf(IDENTIFIERS, WORD_START, '$');
const isNumberOf = patternOf(NUMBER_WORDS, '^', ' ');
const isCodeOf = patternOf(CODE_WORDS, '^', WORD_END);
const isCounted = patternOf(COUNTED, ' ', WORD_END);
const isNotAmount = patternOf(NOT_AMOUNTS, WORD_START, '$');
const isDate = patternOf(DATES, WORD_START, WORD_END);
const isBirth = patternOf(BIRTHS, WORD_START, WORD_END);
const isUnitPrice = patternOf(UNIT_PRICES, WORD_START, WORD_END);
const isAmount = patternOf(AMOUNTS, WORD_START, WORD_END);
const isNoAmount = patternOf(NO_AMOUNTS, WORD_START, WORD_END);

/** The number of a tax is grouped without decimals, its amount has decimals. */
const TAX = /^(?:vat|mwst|ust|tva|iva|btw)$/;

/** `Totale conto` is no account. */
const AMOUNT_FIRST =
	/^(?:totale?|prix|price|preis|prezzo|precio|preco|cena|pris|prijs|kosten|fee|frais|solde|saldo|montant|importe|importo|amount|summe|betrag|suma|kwota|valor) /;

/** @param name of a field; its words are compared without case, accents and digits */
export function nameKind(name: string): NameKind {
	const words = wordsOf(name);
	return {
		kind: kindOf(words),
		isUnitPrice: isUnitPrice(words),
		isBirth: isBirth(words),
	};
}

function kindOf(words: string): NameKind['kind'] {
	if (isIdentifier(words)) return 'identifier';
	if (TAX.test(words)) return 'tax';
	if (isBirth(words)) return 'date';
	if (isAmount(words) && !isNoAmount(words)) return 'amount';
	if (isNotAmount(words)) return 'notAmount';
	return isDate(words) && !isCounted(words) ? 'date' : undefined;
}

function isIdentifier(words: string): boolean {
	if (isNumberOf(words)) return !isCounted(words);
	if (isCodeOf(words)) return !isAmount(words) && !isUnitPrice(words);
	return isNamedIdentifier(words) && !AMOUNT_FIRST.test(words);
}

/** `invoiceNumber`, `INVOICE_NUMBER` and `Invoice number:` are alike. */
function wordsOf(name: string): string {
	const parts = name
		.replace(/n\.? ?[°º]|№|#/gi, ' numero ')
		.replace(/(?<=[\p{Ll}\p{Lo}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
	return (plainLetters(parts).match(/[\p{L}〒]+/gu) ?? []).join(' ');
}

/** In lower case and without accents. */
export function plainLetters(text: string): string {
	const plain = text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
	return plain.replace(/[łøđı]/g, (letter) => PLAIN[letter] ?? letter);
}

const PLAIN: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ı: 'i' };
