import { CURRENCY_NAMES } from '../tables/currencyNames';
import { CONVENTIONS, type Convention } from '../tables/currencyHabits';
import { SIGNS, WORD_CODES, WORDS } from '../tables/currencySigns';

export interface Currency {
	/** Its code, or the codes of all currencies that the sign can mean, as in `CNY_JPY`. */
	name: string;
	/** Whether the text may be a unit or a word as well. */
	isWord: boolean;
}

/** Every text that means a currency, without its last period; made from the tables when the first amount is read. */
let known: ReadonlyMap<string, Currency> | undefined;

function readTables(): Map<string, Currency> {
	const read = new Map<string, Currency>();
	const add = (name: string, texts: string[], isWord: boolean) => {
		for (const text of texts) read.set(text.replace(/_/g, ' '), { name, isWord });
	};
	for (const [name = '', ...texts] of entriesOf(CURRENCY_NAMES)) add(name, [name, ...texts], false);
	// By hand, so they overrule what is generated.
	for (const name of WORD_CODES.split(' ')) add(name, [name], true);
	for (const [name = '', ...texts] of entriesOf(SIGNS)) add(name, texts, false);
	for (const [name = '', ...texts] of entriesOf(WORDS)) add(name, texts, true);
	return read;
}

function entriesOf(table: string): string[][] {
	const entries = table.trim().split(/\s*[;\n]\s*/);
	return entries.map((entry) => entry.split(/\s+/));
}

/** @param text without its number; Latin signs count as printed, names of four letters and other scripts in any letters */
export function currencyOf(text: string): Currency | undefined {
	const plain = text.replace(/[./]+$/, '');
	const all = (known ??= readTables());
	const found = all.get(text) ?? all.get(plain) ?? all.get(plain.replace(/ /g, ''));
	if (found !== undefined) return found;
	const isName = plain.length > 3 || /^\P{Script=Latin}+$/u.test(plain);
	return isName ? all.get(plain.toLowerCase()) : undefined;
}

/** The one currency that is printed, also as a sign and its code; undefined if there are two. */
export function commonCurrency(names: string[]): string | undefined {
	const [first, ...remaining] = [...names].sort((one, other) => one.length - other.length);
	return remaining.every((name) => name === first || isSignOf(name, first)) ? first : undefined;
}

/** Whether a sign that several currencies share can mean the one with this code. */
export function isSignOf(sign: string, code = ''): boolean {
	return code !== '' && sign.length > code.length && sign.includes(code);
}

/** Whether a currency is, or can be, one of these. */
export function canBe(name: string, codes: string[]): boolean {
	return name.split('_').some((code) => codes.includes(code));
}

/** How the countries of a currency print it, as far as that decides a mark before three digits. */
export function conventionOf(currency: string): Convention | undefined {
	return CONVENTIONS.find(({ currencies }) => currencies.has(currency));
}
