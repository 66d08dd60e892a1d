/** What the countries of a currency print, by its code. */

/**
 * Currencies of whose amounts three digits behind a mark are no decimals, by the mark between the groups where they are
 * used, because they have none or hardly print any; and those with three decimals, by the mark before them.
 */
export const WITHOUT_DECIMALS: Record<string, string> = {
	',': 'JPY KRW UGX RWF VUV CNY_JPY TWD TZS PKR IQD LBP IRR SYP MMK',
	'.': 'CLP ISK PYG VND XAF XOF XAF_XOF XPF GNF KMF BIF HUF IDR COP',
};
export const THREE_DECIMALS: Record<string, string> = { '.': 'BHD JOD KWD LYD OMR', ',': 'TND' };

/** Countries that also print the year first: `26-03-25` beside `249,00 kr`. */
export const YEAR_FIRST = 'CAD CNY HUF JPY KRW SEK TWD ZAR'.split(' ');

/** Countries that also count years in an era of their own: `25/03/69` beside `฿ 12.50`. */
export const OTHER_ERAS = 'JPY THB TWD'.split(' ');
