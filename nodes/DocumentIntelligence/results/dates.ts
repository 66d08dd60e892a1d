/** The order in which a numeric date with its year at the end is printed; with the year in front there is only one. */
export type DateOrder = 'dayFirst' | 'monthFirst';

/**
 * What a printed text means as a date, as `YYYY-MM-DD`: a certain one (with the order that it shows, if it shows one;
 * with the date that it is month first, if it has dots, which are certain only where the document's dates with dots
 * agree), one that depends on the order, or one that no order decides, because its year has two digits.
 */
export type DateReading =
	| { kind: 'certain'; value: string; shows?: DateOrder; monthFirst?: string }
	| { kind: 'uncertain'; value: Partial<Record<DateOrder, string>> };

/** The languages whose names of months are understood. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'nb', 'fi'];

/** Small words between the parts of a date, and the second half of the Portuguese days of the week. */
const FILLERS = new Set(['de', 'del', 'den', 'of', 'the', 'le', 'el', 'feira']);

/** @returns undefined for what is not, or not certainly, a date */
export function readDate(text: string): DateReading | undefined {
	const plain = withPlainBlanks(text);
	return readIso(plain) ?? readNumeric(plain) ?? readNamed(plain);
}

/** Whether a text is a date with dots that can only be month first, against the rule. */
export function isDottedMonthFirst(text: string): boolean {
	const match = DOTTED.exec(withPlainBlanks(text));
	if (match === null) return false;
	const [, first, second, year] = match;
	return isoDate(year, second, first) === undefined && isoDate(year, first, second) !== undefined;
}

function withPlainBlanks(text: string): string {
	return text
		.replace(/[\p{Zs}\t]+/gu, ' ')
		.replace(/[\u200e\u200f\u061c]/g, '')
		.trim();
}

/** Also with the time of midnight, which says nothing. Another time would be lost, so such a text stays. */
function readIso(text: string): DateReading | undefined {
	const match =
		/^(\d{4})-(\d{2})-(\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.exec(text);
	return match === null ? undefined : certain(match[1], match[2], match[3]);
}

const DOTTED = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/;

/** Sections and versions are printed like dates of single digits, but without zeros in front. */
const SHORT = /^(?=\d\d[.-]\d\d[.-]|0\d|\d[.-]0)(\d{1,2})([.-])(\d{1,2})\2(\d\d)$/;

function readNumeric(text: string): DateReading | undefined {
	const yearFirst = /^(\d{4})([./-]) ?(\d{1,2})\2 ?(\d{1,2})\.?$/.exec(text);
	if (yearFirst !== null) return certain(yearFirst[1], yearFirst[3], yearFirst[4]);

	const dotted = DOTTED.exec(text);
	if (dotted !== null) {
		const [, day, month, year] = dotted;
		const value = isoDate(year, month, day);
		const monthFirst = isoDate(year, day, month);
		if (value === undefined) return undefined;
		const isExchangeable = monthFirst !== undefined && monthFirst !== value;
		return { kind: 'certain', value, ...(isExchangeable && { monthFirst }) };
	}

	const short = SHORT.exec(text) ?? /^(\d{1,2})(\/)(\d{1,2})\/(\d\d)$/.exec(text);
	if (short !== null) {
		const [, one, , other, year] = short;
		return withoutCentury(year, other, one) ?? withoutCentury(year, one, other);
	}

	const match = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/.exec(text);
	if (match === null) return undefined;
	const [, first, , second, last] = match;
	const dayFirst = isoDate(last, second, first);
	const monthFirst = isoDate(last, first, second);
	if (dayFirst === undefined || monthFirst === undefined) {
		const value = dayFirst ?? monthFirst;
		if (value === undefined) return undefined;
		return { kind: 'certain', value, shows: dayFirst === undefined ? 'monthFirst' : 'dayFirst' };
	}
	if (dayFirst === monthFirst) return { kind: 'certain', value: dayFirst };
	return { kind: 'uncertain', value: { dayFirst, monthFirst } };
}

/**
 * A day, the name of a month and a year of four digits, in any order, with or without the day of the week; also with a
 * year of two digits at the end, behind the month or a sign.
 */
function readNamed(text: string): DateReading | undefined {
	const tokens = [
		...text.toLowerCase().matchAll(/[\p{L}\p{M}]+|\d+(?:st|nd|rd|th|er|re|ª|º)?(?!\p{L})/gu),
	].map(([token]) => token);
	// What is left between the words has to be nothing but signs.
	if (tokens.join('').length !== text.replace(/[ ,./'-]/g, '').length) return undefined;
	const words = tokens.filter((token) => /^\p{L}/u.test(token) && !FILLERS.has(token));
	const numbers = tokens
		.filter((token) => /\d/.test(token))
		.map((token) => token.replace(/\D+/, ''));
	if (words.length === 0 || numbers.length !== 2) return undefined;
	// No language prints the year between the others: OUT-2041-12 is no day in October.
	if (tokens.length === 3 && /\d{4}/.test(String(tokens[1]))) return undefined;

	const { months, weekdays } = (known ??= namesIn(LANGUAGES));
	const named = words.filter((word) => months.has(word));
	// "mar" is a month in some languages and a day of the week in others.
	const [name = ''] = named.length === 1 ? named : named.filter((word) => !weekdays.has(word));
	const month = months.get(name);
	const others = words.filter((word) => word !== name);
	if (month === undefined || others.length > 1 || !others.every((word) => weekdays.has(word)))
		return undefined;
	const year = numbers.find((number) => number.length === 4);
	const [day, last] = numbers.filter((number) => number.length <= 2);
	if (year !== undefined) return certain(year, String(month), day);
	// An article number rather begins with letters: OUT-20-12.
	const [, second] = tokens.filter((token) => token === name || /\d/.test(token));
	const isDated = second === name || /[,'] ?'?\d\d$/.test(text);
	return isDated ? withoutCentury(last, String(month), day) : undefined;
}

interface Names {
	/** Number of a month, from 1, by its name in lower case. */
	months: Map<string, number>;
	weekdays: Set<string>;
}

let known: Names | undefined;

/** From the platform: names in full and abbreviated, as they stand alone and beside a day; none that means two months. */
export function namesIn(languages: string[]): Names {
	const months = new Map<string, number>();
	const contradicting = new Set<string>();
	const weekdays = new Set<string>();
	for (const language of languages) {
		for (const style of ['long', 'short'] as const) {
			for (const options of [{ month: style }, { month: style, day: 'numeric' as const }]) {
				const format = new Intl.DateTimeFormat(language, options);
				for (let month = 1; month <= 12; month++) {
					const name = part(format, new Date(2024, month - 1, 10), 'month');
					if ((months.get(name) ?? month) !== month) contradicting.add(name);
					months.set(name, month);
				}
			}
			const format = new Intl.DateTimeFormat(language, { weekday: style });
			for (let day = 1; day <= 7; day++)
				weekdays.add(part(format, new Date(2024, 0, day), 'weekday').replace('-feira', ''));
		}
	}
	for (const name of contradicting) months.delete(name);
	return { months, weekdays };
}

/** In lower case, without the dot of an abbreviation. */
function part(format: Intl.DateTimeFormat, date: Date, type: 'month' | 'weekday'): string {
	const piece = format.formatToParts(date).find((one) => one.type === type);
	return String(piece?.value).toLowerCase().replace('.', '');
}

function certain(year?: string, month?: string, day?: string): DateReading | undefined {
	const value = isoDate(year, month, day);
	return value === undefined ? undefined : { kind: 'certain', value };
}

/** A date of which nobody knows the century. What is none in this one is none in another: 2000 was a leap year. */
function withoutCentury(year?: string, month?: string, day?: string): DateReading | undefined {
	const isDate = isoDate(`20${year}`, month, day) !== undefined;
	return isDate ? { kind: 'uncertain', value: {} } : undefined;
}

/** Documents have years of these; other numbers of four digits are rather those of something else. */
const YEARS = { first: 1900, last: 2199 };

/** Undefined where the calendar has no such day. */
function isoDate(year?: string, month?: string, day?: string): string | undefined {
	if (!(Number(year) >= YEARS.first && Number(year) <= YEARS.last)) return undefined;
	const value = [year, month?.padStart(2, '0'), day?.padStart(2, '0')].join('-');
	const time = Date.parse(`${value}T00:00:00Z`);
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value) ? value : undefined;
}
