import { CURRENCY_NAMES } from '../tables/currencyNames';
import { CONVENTIONS, SIGNS, WORD_CODES, WORDS } from '../tables/currenciesInPrint';

/** What is counted: a currency, or hundredths. */
export interface Unit {
	/** The code of the currency, or the codes of all that the sign can mean, as in `CNY_JPY`. */
	name: string;
	/** Whether the text may be another unit or a word as well. */
	isWord: boolean;
}

export const PERCENT = '%';

/** Every text that means a unit, without its blanks and its last period; made when the first amount is read. */
let known: ReadonlyMap<string, Unit> | undefined;

function readTables(): Map<string, Unit> {
	const read = new Map<string, Unit>();
	const add = (table: string, isWord = false) => {
		for (const row of table.trim().split(/\s*[;\n]\s*/)) {
			const [name = '', ...texts] = row.split(' ');
			const unit = { name, isWord };
			if (!read.has(name)) read.set(name, unit);
			for (const text of texts) read.set(text.replace(/_/g, ''), unit);
		}
	};
	add(WORD_CODES, true);
	add(CURRENCY_NAMES);
	// By hand, so they overrule what is generated.
	add(SIGNS);
	add(WORDS, true);
	return read;
}

/** @param text without blanks */
export function unitOf(text: string): Unit | undefined {
	known ??= readTables();
	const plain = text.replace(/[./]+$/, '');
	return known.get(text) ?? known.get(plain) ?? known.get(plain.toLowerCase());
}

/** The only unit of these, also if it is printed as a sign and as a code; undefined if there are two. */
export function commonUnit(names: string[]): string | undefined {
	return names.find((name) => names.every((other) => other === name || isSignOf(other, name)));
}

/** Whether a sign that several currencies share can mean the one with this code. */
export function isSignOf(sign: string, code: string): boolean {
	return sign !== code && sign.includes(code);
}

/** How the countries of a currency print it, as far as that decides a mark before three digits. */
export function conventionOf(currency: string) {
	return CONVENTIONS.find(({ currencies }) => currencies.has(currency));
}
