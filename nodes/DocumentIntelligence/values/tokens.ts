import { commonCurrency, CURRENCY, currencyOf, type Currency } from './currencies';

/** The number with its groups and decimals, and dashes in place of decimals. */
const NUMBER = /(?<number>(?:\d+(?:[.,' ]\d+)*|\.\d+)(?:[.,:/]-{1,2}(?![\d-]))?)/.source;

const TOKEN = new RegExp(`${NUMBER}|(?<currency>${CURRENCY})|(?<other>[^ ])`, 'gu');

/** Money has a currency. */
export type Unit = 'money' | 'percentage' | 'plain';

export type Tokens = ReturnType<typeof tokensOf>;

/** Names what is printed: currencies, signs, numbers, percent signs and anything else. */
export function tokensOf(printed: string) {
	const text = printed
		.replace(/[’‘´`′ʼ٬]/g, "'")
		.replace(/[٫٪]/g, (sign) => (sign === '٫' ? '.' : '%'))
		.replace(/[\p{Pd}\u2212ー]/gu, '-');
	const numbers: string[] = [];
	const currencies: Currency[] = [];
	let layout = '';
	for (const { groups } of text.matchAll(TOKEN)) {
		const { number, currency, other } = groups ?? {};
		if (number !== undefined) numbers.push(number);
		if (currency !== undefined) currencies.push(currencyOf(currency));
		if (currency === undefined) layout += number === undefined ? other : 'N';
	}
	const percents = layout.split('%').length - 1;
	const isMoney = currencies.length > 0;
	/** Undefined if none is printed, or if two are. */
	const currency = commonCurrency(currencies.map(({ name }) => name));
	const unit: Unit = isMoney ? 'money' : percents > 0 ? 'percentage' : 'plain';
	return {
		text,
		/** `N` for each number, signs and brackets as they are, `W` for anything but currencies and percent signs. */
		layout: layout.replace(/%/g, '').replace(/[^N+()-]/g, 'W'),
		unit,
		/** The first number, or an empty text; the layout shows whether there are more. */
		number: numbers[0] ?? '',
		currency,
		/** Whether there are two currencies, a currency and a percent sign, or two percent signs. */
		isMixed: isMoney ? currency === undefined || percents > 0 : percents > 1,
		/** Whether a currency may be a unit or another word as well. */
		isWord: isMoney && currencies.every(({ isWord }) => isWord),
	};
}
