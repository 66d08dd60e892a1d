/** What the countries of a currency print, by its code. */

/** A mark before three digits. */
export interface Convention {
	mark: string;
	role: 'group' | 'decimal';
	currencies: ReadonlySet<string>;
}

/** Currencies of which three digits behind a mark are no decimals, because they have hardly any, or are decimals. */
export const CONVENTIONS: Convention[] = [
	convention(',', 'group', 'JPY KRW UGX RWF VUV CNY_JPY TWD TZS PKR IQD LBP IRR SYP MMK'),
	convention('.', 'group', 'CLP ISK PYG VND XAF XOF XAF_XOF XPF GNF KMF BIF HUF IDR COP'),
	convention('.', 'decimal', 'BHD JOD KWD LYD OMR'),
	convention(',', 'decimal', 'TND'),
];

function convention(mark: string, role: Convention['role'], currencies: string): Convention {
	return { mark, role, currencies: new Set(currencies.split(' ')) };
}

/** Countries that also print the year first: `26-03-25` beside `249,00 kr`. */
export const YEAR_FIRST = 'CAD CNY HUF JPY KRW SEK TWD ZAR'.split(' ');

/** Countries that also count years in an era of their own: `25/03/69` beside `฿ 12.50`. */
export const OTHER_ERAS = 'JPY THB TWD'.split(' ');
