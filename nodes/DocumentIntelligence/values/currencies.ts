import { CURRENCY_NAMES } from './tables/currencyNames';
import { CODES, SIGNS, THREE_DECIMALS, WITHOUT_DECIMALS, WORDS } from './tables/currencySigns';

export interface Currency {
	/** Its code, or the codes of all currencies that the sign can mean, as in `CNY_JPY`. */
	name: string;
	/** Whether the text may be a unit or a word as well. */
	isWord: boolean;
}

/** Every text that means a currency, without its last period. */
const KNOWN = new Map<string, Currency>();

function learn(name: string, texts: string[], isWord = false): void {
	for (const text of texts) KNOWN.set(text, { name, isWord });
}

for (const line of CURRENCY_NAMES.trim().split('\n')) {
	const [code = '', names = ''] = line.split(': ');
	learn(code, names.split(', '));
}
// By hand, so they overrule what is generated.
for (const code of CODES.split(' ')) learn(code, [code]);
for (const [table, isWord] of [
	[SIGNS, false],
	[WORDS, true],
] as const)
	for (const entry of table.split(';')) {
		const [name = '', ...texts] = entry.trim().split(/\s+/);
		learn(
			name,
			texts.map((text) => text.replace(/_/g, ' ')),
			isWord,
		);
	}

/** @param text without its number; signs count as printed, names of four letters and more in any letters */
export function currencyOf(text: string): Currency | undefined {
	const plain = text.replace(/(?<=.)[./]+$/, '');
	const found = KNOWN.get(text) ?? KNOWN.get(plain) ?? KNOWN.get(plain.replace(/ /g, ''));
	return found ?? (plain.length > 3 ? KNOWN.get(plain.toLowerCase()) : undefined);
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
export interface Convention {
	role: 'group' | 'decimal';
	mark: string;
}

const CONVENTIONS = new Map<string, Convention>();
for (const [role, table] of [
	['group', WITHOUT_DECIMALS],
	['decimal', THREE_DECIMALS],
] as const)
	for (const [mark, names] of Object.entries(table))
		for (const name of names.split(' ')) CONVENTIONS.set(name, { role, mark });

export function conventionOf(currency = ''): Convention | undefined {
	return CONVENTIONS.get(currency);
}
