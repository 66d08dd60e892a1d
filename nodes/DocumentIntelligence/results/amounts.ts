/** What printed text means in each convention that can read it. */
export interface Reading<Convention extends string> {
	values: Partial<Record<Convention, string | number>>;
	/** The convention to use; undefined if the document or an option has to decide. */
	usual?: Convention;
	/** The convention that the text is evidence of. */
	shows?: Convention;
	/** Uncertain in a document that shows another convention, and no evidence for other values. */
	isWeak?: boolean;
}

/** The character before the decimals. */
export type DecimalMark = 'point' | 'comma';

/** Is left as text, whatever the document shows. */
const UNCERTAIN: Reading<DecimalMark> = { values: {} };

/** Codes and abbreviations that mean a currency next to any number. */
const CURRENCIES = new Set(
	(
		'AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW MXN ' +
		'MYR NOK NZD PHP PKR PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR ' +
		'Euro Euros euro euros kr Kr SFr sFr Rs S/ TL zł Kč лв руб грн 円 元 원'
	).split(' '),
);

/** Also words and units (CUP, Fr), so a whole number next to them is not an amount. */
const CURRENCIES_OR_WORDS = new Set([
	...['Fr', 'R', 'RM', 'Rp', 'KSh', 'Ksh', 'Bs', 'lei'],
	...Intl.supportedValuesOf('currency'),
]);

/** Country letters next to a sign; other letters mean thousands or millions: T€, MM$. */
const COUNTRY = '(?:US|CA?|AU?|NZ|HK|SG?|RD?|MX|NT|EC|CN|JP)';

/** Percent and currency signs, except those of hundredths and thousandths, and words. */
const unitOrWord = new RegExp(
	`%|S/\\.?|(?:${COUNTRY} ?)?(?![¢￠₥₰])\\p{Sc}(?:${COUNTRY}(?!\\p{L}))?|\\p{L}*\\p{Ll}\\.?|\\p{L}+`,
	'gu',
);

/** The prefix, the number, dashes in place of decimals, and the suffix. */
const PARTS = /^(\D*?)(\.?\d(?:[\d.,' ]*\d)?)(?:([.,:/])-{1,2}(?!\d))?(\D*)$/;

const SIGNS = /^(?:(?<plus>\+)?#|(?<minus>-#|#-)|(?<bracket>\()#\))$/;

/** Undefined if the text is not printed like an amount. */
export function readAmount(printed: string): Reading<DecimalMark> | undefined {
	const text = printed
		.replace(/[’‘´`′ʼ٬]/g, "'")
		.replace(/[٫٪]/g, (sign) => (sign === '٫' ? '.' : '%'))
		.replace(/[\p{Pd}\u2212]/gu, '-');
	// Article and telephone numbers: CAD204, 204-CAD, +49 89 1234.
	if (/^(?:\+[\d ]+|[A-Z]+\d+|\d+[A-Z]+|\p{L}+-\d+|\d+-\p{L}+)$/u.test(text)) return undefined;

	const units: string[] = [];
	const isSign = (unit: string) => /[%\p{Sc}]/u.test(unit);
	const rest = text.replace(unitOrWord, (word) => {
		const unit = word.replace('.', '');
		if (!isSign(unit) && !CURRENCIES.has(unit) && !CURRENCIES_OR_WORDS.has(unit)) return word;
		units.push(unit);
		// Separates digits: 12€50.
		return '\n';
	});
	const isMoney = /\p{Sc}/u.test(text) || units.some((unit) => CURRENCIES.has(unit));
	const isNumber = /^\P{L}*%|^[-+(]+ ?\d+[.,]\d+[-)]*$/u.test(text);
	// Descriptions have several words, and names of taxes start with a word.
	const isNamed = (isMoney || isNumber) && !/\p{L}[^\p{L}]+\p{L}/u.test(rest);
	const unread = isNamed ? UNCERTAIN : undefined;

	const [, before = '', number = '', dash, behind = ''] = PARTS.exec(rest.trim()) ?? [];
	const signs = SIGNS.exec(`${before}#${behind}`.replace(/\s/g, ''))?.groups;
	// `$5.00 USD` has one currency, `EUR 5.00 USD` has two.
	const isMixed = new Set(units.map(isSign)).size < units.length;
	if (number === '' || signs === undefined || isMixed) return unread;
	// A hyphen between letters and a number may not be a minus sign.
	if (/\p{L}-\d|\d-\p{L}/u.test(text)) return UNCERTAIN;

	// Dashes stand for decimals (`1.299,-`); in `1.299:-`, the mark separates groups.
	const [group] = /[.,]/.exec(number) ?? [];
	const other = group && (group === '.' ? ',' : '.');
	const mark = dash === ':' || dash === '/' ? other : dash;
	const digits = mark === undefined ? number : `${number}${mark}0`;
	const isPlain = units.length === 0;
	if (/^\d+$/.test(digits) && !isPlain && !isNamed) return undefined;
	const kind = isPlain ? 'plain' : units.includes('%') ? 'percentage' : 'money';
	const { plus, minus, bracket } = signs;
	const reading = readDigits(digits, kind, Boolean(minus ?? bracket)) ?? unread;
	// Telephone numbers start with a plus sign, and footnote marks are in brackets.
	const isSure = isPlain ? reading?.usual && /[.,]/.test(number) : kind === 'money';
	return reading && (bracket ?? (isPlain && plus)) && !isSure ? UNCERTAIN : reading;
}

/** Leading zeros, seven or more digits, telephone or company numbers with spaces, months (10.2026). */
const IDENTIFIER = /^0\d|^\d{7,}$|^\d+(?: \d+){2,}$|^1[0-2]\.(?:19|20)\d\d$/;

/** One group after a space, a year and a month, two numbers of four or more digits, an IP address. */
const ANYTHING =
	/^\d{1,3} \d{3}$|^(?:19|20)\d\d\.(?:0?[1-9]|1[0-2])$|^[1-9]\.(?:19|20)\d\d$|^\d{4,},\d{4,}$|^\d+(?:\.\d{3}){3}$/;

/** Whole numbers or groups of three (in India, groups of two before the last), and decimals. */
const NUMBERS: Record<DecimalMark, RegExp> = {
	point:
		/^(0|[1-9]\d*|[1-9]\d{0,2}([,' ])\d{3}(?:\2\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3})?(?:\.(\d+))?$/,
	comma: /^(0|[1-9]\d*|[1-9]\d{0,2}([.' ])\d{3}(?:\2\d{3})*)(?:,(\d+))?$/,
};

function readDigits(
	digits: string,
	kind: 'money' | 'percentage' | 'plain',
	isNegative: boolean,
): Reading<DecimalMark> | undefined {
	const isPlain = kind === 'plain';
	if (isPlain && IDENTIFIER.test(digits)) return undefined;
	if (isPlain && ANYTHING.test(digits)) return UNCERTAIN;
	// A JavaScript number keeps 15 significant digits.
	if (digits.replace(/^[0.,]+|\D/g, '').length > 15) return UNCERTAIN;
	const values: Partial<Record<DecimalMark, number>> = {};
	for (const mark of ['point', 'comma'] as const) {
		const [whole, integer = '', , decimals = ''] = NUMBERS[mark].exec(digits) ?? [];
		const value = Number(`${integer.replace(/\D/g, '')}.${decimals}0`);
		if (whole !== undefined) values[mark] = isNegative ? 0 - value : value;
	}
	const { point, comma } = values;
	if (point === comma && point !== undefined) return { values, usual: 'point' };
	if (point !== undefined && comma !== undefined) {
		// Percentages are not in the thousands.
		const shows = digits.includes('.') ? 'point' : 'comma';
		const isDecimal = kind === 'percentage' && /^\d\d?\D/.test(digits);
		return isDecimal ? { values, usual: shows, shows, isWeak: true } : { values };
	}
	const marks = digits.match(/[.,]/g) ?? [];
	// Several marks of one kind, or marks before a space, separate other things.
	const isList = /[.,] /.test(digits) || (marks.length > 1 && new Set(marks).size === 1);
	if (point === comma) return marks.length === 0 || isList ? undefined : UNCERTAIN;
	const isCounting = digits
		.split(/[.,]/)
		.every((part, place, [first]) => Number(part) === Number(first) + place);
	if (isList && isPlain) return isCounting ? UNCERTAIN : { values };
	const shows = point === undefined ? 'comma' : 'point';
	// Times and sections look like this, too: 8.30.
	const isWeak = isPlain && /^(?!0[.,]\d\d)\d{0,2}[.,]\d+$/.test(digits);
	return { values, usual: shows, shows, isWeak };
}
