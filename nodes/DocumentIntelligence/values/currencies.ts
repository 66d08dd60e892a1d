/**
 * How documents print each currency, besides its code. `$`, `kr`, `¥` and `Rs` belong to several currencies, so each of
 * them counts as a currency of its own unless a code is printed with the same amount.
 */
const SIGNS = `
	AUD A$ AU$ $A $AU, BDT ৳, BGN лв, BRL R$, CAD C$ CA$ $C $CA $CAD, CHF SFr sFr, CNY CN¥ RMB 元, COP COL$, CZK Kč Kc,
	DOP RD$, EGP ج.م, EUR € Euro Euros euro euros Eur, GBP £, HKD HK$, ILS ₪, INR ₹, IRR ریال, JPY 円 JP¥, KRW ₩ 원 KR₩,
	KZT ₸, MXN MX$, NGN ₦, NZD NZ$, PEN S/, PHP ₱ Php, PLN zł zl, PYG ₲, RUB ₽ руб, SAR ر.س, SGD S$ SG$, THB ฿, TRY ₺ TL,
	TWD NT$, UAH ₴ грн, USD US$ U$S $US USD$, UYU $U, VND ₫, XOF FCFA CFA, $ $, kr kr Kr, ¥ ¥, Rs Rs`;

/** Also units and words: a whole number next to one of these is not an amount. */
const SIGNS_OR_WORDS = `
	AED Dhs, BOB Bs, CHF Fr, ETB Br, GTQ Q, HNL Lps, HUF Ft, IDR Rp, KES KSh Ksh, KWD KD, MAD DH, MXN M.N. m.n. MN, MYR RM,
	PYG Gs, RON lei, RSD din дин, TND DT, VND đ, ZAR R`;

/** Codes that are hardly ever a word or a unit. */
const CODES =
	'AED AOA ARS AUD AZN BAM BDT BGN BHD BOB BRL BYN CAD CHF CLP CNY COP CRC CZK DKK DOP DZD EGP ETB EUR GBP GEL ' +
	'GHS GTQ HKD HNL HRK HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KHR KRW KWD KZT LBP LKR MAD MDL MKD MMK MUR MXN ' +
	'MYR NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB SAR SEK SGD THB TND TRY TTD TWD ' +
	'TZS UAH UGX USD UYU UZS VES VND XAF XOF XPF ZAR ZMW';

/** Which currencies a shared sign can belong to. */
const SHARED: Record<string, string> = {
	$: 'ARS AUD BRL CAD CLP COP DOP HKD MXN NZD SGD TWD USD UYU',
	kr: 'DKK ISK NOK SEK',
	'¥': 'CNY JPY',
	Rs: 'INR LKR MUR NPR PKR',
};

export interface Currency {
	/** Its code, or a sign that several currencies share. */
	name: string;
	/** Whether the text may be a unit or a word as well. */
	isWord: boolean;
}

const KNOWN = new Map<string, Currency>();
for (const name of CODES.split(' ')) KNOWN.set(name, { name, isWord: false });
for (const table of [SIGNS, SIGNS_OR_WORDS])
	for (const line of table.split(',')) {
		const [name = '', ...texts] = line.trim().split(' ');
		for (const text of texts) KNOWN.set(text, { name, isWord: table === SIGNS_OR_WORDS });
	}

/** Any currency as it is printed: the longest first, letters only as a whole word, with its period. */
const PATTERNS = [...KNOWN.keys()]
	.sort((first, second) => second.length - first.length)
	.map((text) => {
		const before = /^\p{L}/u.test(text) ? '(?<!\\p{L})' : '';
		const after = /[\p{L}/]$/u.test(text) ? '\\.?(?!\\p{L})' : '';
		// Blanks may stand next to the sign: US $, $ CA.
		const spaced = text.replace(/^\p{L}+(?=\$)|^\$(?=\p{L})/u, '$& ?');
		return `${before}${spaced.replace(/[.$/]/g, '\\$&')}${after}`;
	});

/** Signs of hundredths and thousandths are no currencies. */
export const CURRENCY = `${PATTERNS.join('|')}|(?![¢￠₥₰])\\p{Sc}`;

/** @param text as `CURRENCY` matches it */
export function currencyOf(text: string): Currency {
	const plain = text.replace(/ /g, '');
	return KNOWN.get(plain) ?? KNOWN.get(plain.replace(/\.$/, '')) ?? { name: text, isWord: false };
}

/** The one currency that is printed, also as a sign and its code; undefined if there are two. */
export function commonCurrency(names: string[]): string | undefined {
	const [first] = [...names.filter((name) => SHARED[name] === undefined), ...names];
	const isSame = (name: string) => name === first || isSignOf(name, first);
	return names.every(isSame) ? first : undefined;
}

/** Whether a sign that several currencies share can mean the one with this code. */
export function isSignOf(sign: string, code = ''): boolean {
	return SHARED[sign]?.split(' ').includes(code) === true;
}
