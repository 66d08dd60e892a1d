/** The character in front of the decimals. */
export type DecimalMark = 'point' | 'comma';

/** Which values of a document have a decimal mark in common: French Switzerland prints 12.50 CHF, but 12,50 and 12,50 %. */
export type Scope = 'money' | 'numbers';

/**
 * What a printed text means as a number: a certain one (with the decimal mark that it shows and the values for which it
 * does, if it is money or a percentage or has both marks: a time, a version or a section is printed like a number, too),
 * or one that only some decimal marks make a number of, or none of them. Of the scopes that decide, the first counts
 * that the document shows a mark of.
 */
export type AmountReading =
	| { kind: 'certain'; value: number; shows?: { mark: DecimalMark; scopes: Scope[] } }
	| {
			kind: 'uncertain';
			value: Partial<Record<DecimalMark, number>>;
			decidedBy: Scope[];
	  };

/** Every blank that Unicode knows, narrow and no-break ones included. */
const BLANKS = /[\p{Zs}\t]+/gu;

/** Marks of writing direction, which some locales print around numbers. */
const DIRECTION_MARKS = /[\u200e\u200f\u061c]/g;

/** Digits of an identifier: what is this long and nothing but digits is rather a number of an account or a customer. */
const IDENTIFIER_DIGITS = 7;

/** Significant digits that every number of this length keeps. */
const SAFE_DIGITS = 15;

/** Abbreviations that are printed like a currency sign and mean nothing else. */
const ABBREVIATIONS = ['kr', 'Kr', 'SFr', 'Rs', 'zł', 'Kč'];

/** These are also a day of the week and a pronoun. Ft is rather a foot than a forint, so it is none of them. */
const WORDS = ['Fr', 'lei'];

/** Codes that stand for an amount beside any number. */
const COMMON_CODES = new Set(
	'EUR USD GBP CHF SEK NOK DKK ISK BRL INR CAD AUD NZD JPY CNY PLN CZK HUF RON MXN ZAR'.split(' '),
);

/** The others, of which some are words or units (ALL, CUP, TOP, TRY). */
const currencyCodes = new Set(Intl.supportedValuesOf('currency'));

/** Letters of countries in front of a sign. Others are those of thousands or millions: T€, MM$. */
const OF_COUNTRIES = '(?:US|CA?|AU?|NZ|HK|S|R|MX|NT|EC)\\$|(?:CN|JP)¥';

/** Without the signs of hundredths and thousandths. */
const SIGN = '(?![¢￠₥₰])\\p{Sc}';

const CURRENCY = `(?:${OF_COUNTRIES}|${SIGN}|[A-Z]{3}|(?:${[...ABBREVIATIONS, ...WORDS].join('|')})\\.?)`;

/** The francs of a country that prints them with a point, and other numbers with a comma where it speaks French. */
const FRANCS = ['CHF', 'SFr'];

/** A hyphen glued to letters makes an article number of them: CAD-204, 204-CAD. */
const prefixed = new RegExp(
	`^(${CURRENCY})(?: ?(?=[(\\d])|(?<![A-Za-z]) ?(?=[-\\u2212])| (?=[-\\u2212]))`,
	'u',
);
const suffixed = new RegExp(
	`(?<=[\\d)\\-–—\\u2212]) ?(?<!\\d ?[-\\u2212](?=[A-Za-z]))(${CURRENCY})$`,
	'u',
);

/** @returns undefined for what is not, or not certainly, an amount */
export function readAmount(text: string): AmountReading | undefined {
	const { body, negative, isAmount, isBracketed, money } = unwrap(
		text.replace(DIRECTION_MARKS, '').replace(BLANKS, ' ').trim(),
	);
	if (body === undefined) return undefined;
	const number = readDigits(body, isAmount);
	if (number === undefined) return undefined;
	// A mark of a footnote or a negative amount: no decimal mark tells.
	const hasDecimals = number.kind === 'certain' && /[.,]/.test(body);
	if (isBracketed && !isAmount && !hasDecimals)
		return { kind: 'uncertain', value: {}, decidedBy: [] };
	const signed = (value: number) => (negative ? -value : value);
	if (number.kind === 'certain') {
		const { shows: mark } = number;
		const shows = mark && { mark, scopes: scopesShown(body, money) };
		return { kind: 'certain', value: signed(number.value), ...(shows && { shows }) };
	}
	const values = Object.entries(number.value).map(
		([mark, value]) => [mark, signed(value)] as const,
	);
	return { kind: 'uncertain', value: Object.fromEntries(values), decidedBy: scopesDeciding(money) };
}

/** A point in money says nothing about other numbers where it may be printed in French Switzerland. */
function scopesShown(body: string, money: Money | undefined): Scope[] {
	if (money === undefined) return ['numbers'];
	const isSwiss = money.isFranc || money.isBehind || /[' ]/.test(body);
	return isSwiss && !body.includes(',') ? ['money'] : ['money', 'numbers'];
}

function scopesDeciding(money: Money | undefined): Scope[] {
	if (money === undefined) return ['numbers'];
	return money.isFranc ? ['money'] : ['money', 'numbers'];
}

/** A currency that is no word. */
interface Money {
	isFranc: boolean;
	isBehind: boolean;
}

interface Unwrapped {
	/** Digits and separators alone; undefined where something else is left. */
	body?: string;
	negative: boolean;
	/** Whether a currency that is no word or a percent sign says that this is an amount and no identifier. */
	isAmount: boolean;
	isBracketed: boolean;
	money?: Money;
}

/** Takes off currency, percent sign, brackets and sign, in whichever order they are printed. */
function unwrap(text: string): Unwrapped {
	let body = text;
	let negatives = 0;
	let currencies = 0;
	let percents = 0;
	let isAmount = false;
	let isBracketed = false;
	let money: Money | undefined;
	for (let before = ''; before !== body;) {
		before = body;
		const inFront = prefixed.exec(body);
		const [printed = '', sign = ''] = inFront ?? suffixed.exec(body) ?? [];
		const rest = body.replace(printed, '').trim();
		if (isSign(sign) || (isWordForMoney(sign) && PRICE.test(rest))) {
			currencies += 1;
			if (isSign(sign)) {
				isAmount = true;
				const isFranc = FRANCS.includes(sign.replace('.', ''));
				money = { isFranc, isBehind: inFront === null };
			}
			body = rest;
		} else if (/^\(.*\)$/.test(body)) {
			negatives += 1;
			isBracketed = true;
			body = body.slice(1, -1).trim();
		} else if (/^[-\u2212]|(?<=\d ?)[-\u2212]$/.test(body)) {
			negatives += 1;
			body = body.replace(/^[-\u2212]|[-\u2212]$/, '').trim();
		} else if (/^%|%$/.test(body)) {
			percents += 1;
			isAmount = true;
			body = body.replace(/^%|%$/, '').trim();
		}
	}
	const isOne = negatives <= 1 && currencies + percents <= 1;
	const isNumber = isOne && /^\d[\d.,'’ ]*(?:[.,][-–—]{1,2})?$/.test(body);
	return {
		body: isNumber ? body.replaceAll('’', "'") : undefined,
		negative: negatives === 1,
		isAmount,
		isBracketed,
		money,
	};
}

/** Makes an amount of any number beside it, and of the decimal mark there the one of the document. */
function isSign(sign: string): boolean {
	const letters = sign.replace('.', '');
	return /\p{Sc}$/u.test(sign) || COMMON_CODES.has(sign) || ABBREVIATIONS.includes(letters);
}

/** Stands for money only beside a number that is printed like a price, and says nothing about other numbers. */
function isWordForMoney(sign: string): boolean {
	return currencyCodes.has(sign) || WORDS.includes(sign.replace('.', ''));
}

/** Two decimals, or dashes instead of them. */
const PRICE = /[.,](?:\d{2}|[-–—]{1,2})(?!\d)/;

/** As months are printed on invoices: 10.2026. */
function isMonthOfYear(body: string): boolean {
	return /^(?:[1-9]|1[0-2])\.(?:19|20)\d\d$|^(?:19|20)\d\d\.(?:0?[1-9]|1[0-2])$/.test(body);
}

const MARKS: Record<DecimalMark, string> = { point: '.', comma: ',' };

/** A number without its sign, with the decimal mark that it shows. */
type Digits =
	| { kind: 'certain'; value: number; shows?: DecimalMark }
	| { kind: 'uncertain'; value: Partial<Record<DecimalMark, number>> };

function readDigits(body: string, isAmount: boolean): Digits | undefined {
	// Prices without decimals: "100.-", "100,–".
	const whole = /^[\d.,' ]*\d[.,](?=[-–—]{1,2}$)/.exec(body)?.[0];
	if (whole !== undefined) return readDigits(`${whole}0`, isAmount);

	if (!isAmount && isMonthOfYear(body)) return undefined;
	if (/^\d+$/.test(body)) {
		const isIdentifier =
			(body.length > 1 && body.startsWith('0')) || (!isAmount && body.length >= IDENTIFIER_DIGITS);
		return isIdentifier ? undefined : certain(body);
	}

	// An amount or the number of something: a sum would skip it. Longer ones are of telephones and companies.
	if (!isAmount && /^[1-9]\d{0,2} \d{3}$/.test(body)) return { kind: 'uncertain', value: {} };

	const readings = (['point', 'comma'] as const).map((mark) => ({
		mark,
		digits: digitsWith(body, mark, isAmount),
	}));
	const fits = readings.flatMap(({ mark, digits }) =>
		digits === undefined ? [] : [{ mark, digits }],
	);
	const [first, second] = fits;
	if (first === undefined) return undefined;
	if (second === undefined || first.digits === second.digits) {
		// A list of numbers is printed like this, too.
		if (!isAmount && /^\d+([.,])\d+(?:\1\d+)+$/.test(body)) {
			const grouped = certain(first.digits);
			return grouped?.kind === 'certain'
				? { kind: 'uncertain', value: { [first.mark]: grouped.value } }
				: undefined;
		}
		// Groups of blanks or apostrophes alone show no decimal mark.
		const isEvidence = isAmount || (body.includes('.') && body.includes(','));
		const shows = second === undefined && isEvidence ? first.mark : undefined;
		return certain(first.digits, shows);
	}
	// Up to three digits, a mark and three more: no number changes a digit of that.
	return {
		kind: 'uncertain',
		value: { point: Number(first.digits), comma: Number(second.digits) },
	};
}

/** The number as JavaScript writes it, if it can be read with this decimal mark. */
function digitsWith(body: string, mark: DecimalMark, isAmount: boolean): string | undefined {
	const decimal = MARKS[mark];
	const [integer = '', decimals, ...more] = body.split(decimal);
	if (more.length > 0 || (decimals !== undefined && !/^\d+$/.test(decimals))) return undefined;
	const separator = /\D/.exec(integer)?.[0];
	if (separator !== undefined && !isGrouped(integer, separator)) return undefined;
	// Blanks also group numbers of companies and telephones; apostrophes and marks do not.
	if (separator === ' ' && decimals === undefined && !isAmount) return undefined;
	if (decimals === undefined && !isAmount && isAddress(integer)) return undefined;
	const plain = separator === undefined ? integer : integer.replaceAll(separator, '');
	if (plain.length > 1 && plain.startsWith('0')) return undefined;
	return decimals === undefined ? plain : `${plain}.${decimals}`;
}

/** In threes, or as in India in twos in front of the last three. */
function isGrouped(integer: string, separator: string): boolean {
	const [first = '', ...groups] = integer.split(separator);
	if (!groups.every((group) => /^\d+$/.test(group)) || groups.at(-1)?.length !== 3) return false;
	const lengths = new Set(groups.slice(0, -1).map(({ length }) => length));
	const inThrees = [...lengths].every((length) => length === 3) && /^\d{1,3}$/.test(first);
	const inTwos =
		separator === ',' && [...lengths].every((length) => length === 2) && /^\d{1,2}$/.test(first);
	return inThrees || inTwos;
}

/** Four numbers up to 255 are an address of the internet. */
function isAddress(integer: string): boolean {
	const parts = integer.split('.');
	return parts.length === 4 && parts.every((part) => Number(part) <= 255);
}

/** Undefined where a JavaScript number would change a digit. */
function certain(digits: string, shows?: DecimalMark): Digits | undefined {
	const significant = digits.replace('.', '').replace(/^0+/, '');
	if (significant.length > SAFE_DIGITS) return undefined;
	return { kind: 'certain', value: Number(digits), ...(shows === undefined ? {} : { shows }) };
}
