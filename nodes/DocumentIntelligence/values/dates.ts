/** The order of a numeric date whose year comes last. */
export type DateOrder = 'dayFirst' | 'monthFirst';

/**
 * A printed date as `YYYY-MM-DD` in each order that can read it: the same in both if its order is certain, one if the
 * calendar excludes the other, none if the date cannot be read for certain.
 */
export type PrintedDate = Partial<Record<DateOrder, string>>;

/** Small words between the parts of a date, and the second half of Portuguese weekdays. */
const FILLERS = new Set(['de', 'del', 'den', 'of', 'the', 'le', 'el', 'feira', 'г', 'р', 'r']);

/** Midnight adds nothing to a date; any other time would be lost, so such text is left as it is. */
const MIDNIGHT = /(?<=^\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/** Also with a period, and the abbreviation of "year" in Slavic languages. */
const YEAR_END = /(?<=\d)(?:\.| ?(?:г|р|r)\.?)$/u;

/** With a blank after each separator, or with two digits each. */
const YEAR_FIRST = /^(\d{4})([./-])( |(?=\d\d.\d\d$))(\d{1,2})\2\3(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([./-]) ?(\d{1,2})\2 ?(\d{4})$/;
const SHORT_YEAR = /^(\d{1,2})([./-])(\d{1,2})\2(\d\d)$/;

/** Undefined if the text is not a date. */
export function readDate(printed: string): PrintedDate | undefined {
	const text = printed
		.replace(MIDNIGHT, '')
		.replace(/(\d) ?[年년] ?(\d+) ?[月월] ?(\d+) ?[日일]$/, '$1. $2. $3')
		.replace(YEAR_END, '');
	const [, fullYear, , , month, day] = YEAR_FIRST.exec(text) ?? [];
	if (fullYear !== undefined) return certain(isoDate(fullYear, month, day));
	const [, first, separator, second, year] = YEAR_LAST.exec(text) ?? [];
	if (year === undefined) return isShortDate(text) ? {} : readNamed(text);
	const dayFirst = isoDate(year, second, first);
	const monthFirst = separator === '.' ? dayFirst : isoDate(year, first, second);
	if (dayFirst === undefined && monthFirst === undefined) return undefined;
	return { ...(dayFirst && { dayFirst }), ...(monthFirst && { monthFirst }) };
}

function certain(date?: string): PrintedDate | undefined {
	return date === undefined ? undefined : { dayFirst: date, monthFirst: date };
}

/** Whether the text is a date in some order, with a year of two digits, which leaves the century open. */
function isShortDate(text: string): boolean {
	const [, first = '', , second = '', third = ''] = SHORT_YEAR.exec(text) ?? [];
	const dates = [
		isoDate(`20${third}`, second, first),
		isoDate(`20${third}`, first, second),
		isoDate(`20${first}`, second, third),
	];
	return dates.some((date) => date !== undefined);
}

/** A day, a month name and a year in a usual order, with or without the weekday. */
function readNamed(text: string): PrintedDate | undefined {
	// A document number: GEN-07-2026.
	if (/^\p{L}+-\d+-\d+$/u.test(text)) return undefined;
	const tokens = plainLetters(text)
		.replace(/(?<=\d)(?:st|nd|rd|th|er|re|ª|º)(?!\p{L})/gu, '')
		.split(/[ ,./'’-]+/)
		.filter((token) => token !== '');
	// A street name in Argentina: 25 de Mayo 1950.
	if (tokens.filter((token) => /^del?$/.test(token)).length === 1) return undefined;
	const numbers = tokens.filter((token) => /^\d+$/.test(token));
	const words = tokens.filter((token) => !numbers.includes(token) && !FILLERS.has(token));
	const name = monthNameIn(words);
	if (name === undefined) return undefined;
	const isPart = (token: string) => token === name || numbers.includes(token);
	const order = tokens
		.filter(isPart)
		.map((part) => (part === name ? 'M' : 'd'.repeat(part.length)))
		.join(' ');
	const isYearFirst = /^dddd M d?d$/.test(order);
	if (!isYearFirst && !/^(?:d?d M|M d?d) dd(?:dd)?$/.test(order)) return undefined;
	// Without a comma or apostrophe before a short year, it is an article number: OUT 20 12.
	if (/^M d?d dd$/.test(order) && !/[,'’] ?['’]?\d\d$/.test(text)) return undefined;
	const [year = '', day] = isYearFirst ? numbers : numbers.toReversed();
	const month = namesOfDates().months.get(name);
	const date = certain(isoDate(year.length === 2 ? `20${year}` : year, month ?? '1', day));
	// A name of two months, or a century that is not printed.
	return month === undefined || year.length === 2 ? date && {} : date;
}

/** The month's name among weekdays; undefined if there are other words. */
function monthNameIn(words: string[]): string | undefined {
	const { months, weekdays } = namesOfDates();
	// "mar" is a month in some languages and a weekday in others.
	const isWeekday = (word: string) =>
		word.length > 1 && [...weekdays].some((weekday) => weekday.startsWith(word));
	const named = words.filter((word) => months.has(word));
	const [name] = named.length === 1 ? named : named.filter((word) => !isWeekday(word));
	return words.every((word) => word === name || isWeekday(word)) ? name : undefined;
}

/** Undefined if the calendar has no such day. */
function isoDate(year = '', month = '', day = ''): string | undefined {
	if (!(Number(year) >= 1900 && Number(year) < 2200)) return undefined;
	const date = [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
	const time = Date.parse(`${date}T00:00:00Z`);
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date) ? date : undefined;
}

/** Reads dates by the option, or else in the order that the document's numeric dates show. */
export function dateReaderFor(
	values: Array<{ date?: PrintedDate }>,
	dateOrder: DateOrder | 'detect',
) {
	if (dateOrder !== 'detect') return (date: PrintedDate) => date[dateOrder];
	const orders = values.map(({ date = {} }) => Object.keys(date) as DateOrder[]);
	const [order, ...remaining] = new Set(orders.filter(({ length }) => length === 1).flat());
	return (date: PrintedDate): string | undefined => {
		const [only, ...second] = new Set(Object.values(date));
		if (second.length === 0) return only;
		return order === undefined || remaining.length > 0 ? undefined : date[order];
	};
}

/** Languages whose month names are recognized. */
const LANGUAGES = 'en de fr es it pt nl sv da nb fi pl cs sk hu ro ru uk bg el tr hr'.split(' ');

let knownNames: ReturnType<typeof readNames> | undefined;

/** Full and abbreviated, in lower case without accents, made once from the names that Node.js has. */
function namesOfDates() {
	return (knownNames ??= readNames());
}

function readNames() {
	/** Counted from 1; undefined for a name of two months. In Croatian, `svi` is May and "all". */
	const months = new Map<string, string | undefined>([['svi', undefined]]);
	const weekdays = new Set<string>();
	for (const language of LANGUAGES)
		for (const style of ['long', 'short'] as const)
			// In some languages, a month's name changes next to a day.
			for (const beside of [{}, { day: 'numeric' as const, weekday: style }]) {
				const format = new Intl.DateTimeFormat(language, { month: style, ...beside });
				for (let month = 1; month <= 12; month++)
					for (const { type, value } of format.formatToParts(new Date(2024, month - 1, 10))) {
						const name = plainLetters(value).replace(/\.$/, '');
						const isOne = !months.has(name) || months.get(name) === `${month}`;
						if (type === 'month') months.set(name, isOne ? `${month}` : undefined);
						if (type === 'weekday') weekdays.add(name);
					}
			}
	return { months, weekdays };
}

function plainLetters(text: string): string {
	return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}
