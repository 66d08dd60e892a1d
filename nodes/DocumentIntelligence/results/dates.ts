import type { Reading } from './amounts';

/** The order of a numeric date whose year comes last. */
export type DateOrder = 'dayFirst' | 'monthFirst';

/** Languages whose month names are recognized. */
const LANGUAGES = 'en de fr es it pt nl sv da nb fi pl cs sk hu ro ru uk bg el tr hr'.split(' ');

/** Small words between the parts of a date, and the second half of Portuguese weekdays. */
const FILLERS = new Set(['de', 'del', 'den', 'of', 'the', 'le', 'el', 'feira', 'г', 'р']);

/** Midnight adds nothing to a date; any other time would be lost, so such text is left as it is. */
const MIDNIGHT = /(?<=^\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

const YEAR_FIRST = /^(\d{4})[./-] ?(\d{1,2})[./-] ?(\d{1,2})\.?$/;
const YEAR_LAST = /^(\d{1,2})([./-]) ?(\d{1,2})\2 ?(\d{4}|\d\d)$/;

/** Reads a date as `YYYY-MM-DD`; undefined if the text is not a date. */
export function readDate(printed: string): Reading<DateOrder> | undefined {
	const text = printed
		.replace(MIDNIGHT, '')
		.replace(/[年년月월]/g, '-')
		.replace(/[日일]$/, '');
	const [, ...yearFirst] = YEAR_FIRST.exec(text) ?? [];
	if (yearFirst.length > 0) return dateOf(...yearFirst);
	const match = YEAR_LAST.exec(text);
	if (match === null) return readNamed(text);
	const [, first, separator, second, last = ''] = match;
	const dayFirst = isoDate(last, second, first);
	const monthFirst = isoDate(last, first, second);
	if (dayFirst === undefined && monthFirst === undefined) return undefined;
	// Sections and versions are also printed with dots and single digits.
	const isSection = separator !== '/' && !/^\d\d\D\d\d\D\d\d$/.test(text);
	if (last.length === 2) return isSection ? undefined : { values: {} };
	const values = { dayFirst, monthFirst };
	const isOpen = dayFirst !== undefined && monthFirst !== undefined && dayFirst !== monthFirst;
	const usual = dayFirst === undefined ? 'monthFirst' : 'dayFirst';
	const shows = dayFirst === undefined || monthFirst === undefined ? usual : undefined;
	if (separator !== '.') return isOpen ? { values } : { values, usual, shows };
	// With dots, the day usually comes first, which is no evidence for other dates.
	return dayFirst === undefined ? { values: {}, shows } : { values, usual, isWeak: isOpen };
}

/** A day, a month name and a year in a usual order, with or without the weekday. */
function readNamed(text: string): Reading<DateOrder> | undefined {
	// A document number: GEN-07-2026.
	if (/^\p{L}+-\d+-\d+$/u.test(text)) return undefined;
	const tokens = plainLetters(text)
		.replace(/(?<=\d)(?:st|nd|rd|th|er|re|ª|º)(?!\p{L})/gu, '')
		.split(/[ ,./'’-]+/)
		.filter((token) => token !== '');
	// A street name in Argentina: 25 de Mayo 1950.
	if (tokens.filter((token) => /^del?$/.test(token)).length === 1) return undefined;
	const words = tokens.filter((token) => !/^\d+$/.test(token) && !FILLERS.has(token));
	const { months, weekdays, open } = (known ??= namesOfDates());
	// "mar" is a month in some languages and a weekday in others.
	const isWeekday = (word: string) =>
		word.length > 1 && [...weekdays].some((weekday) => weekday.startsWith(word));
	const named = words.filter((word) => months.has(word));
	const [name = ''] = named.length === 1 ? named : named.filter((word) => !isWeekday(word));
	const month = months.get(name);
	if (!words.every((word) => word === name || isWeekday(word))) return undefined;
	if (open.has(name) && /\d\./.test(text)) return { values: {} };

	const parts = tokens.filter((token) => token === name || /^\d+$/.test(token));
	const order = parts.map((part) => (part === name ? 'M' : 'd'.repeat(part.length))).join(' ');
	const [first = '', last = ''] = parts.filter((part) => part !== name);
	if (/^dddd M d?d$/.test(order)) return dateOf(first, month, last);
	// Article numbers have no comma or apostrophe: OUT 20 12.
	if (/^M d?d dd$/.test(order) && !/[,'’] ?['’]?\d\d$/.test(text)) return undefined;
	return /^(?:d?d M|M d?d) dd(?:dd)?$/.test(order) ? dateOf(last, month, first) : undefined;
}

let known: ReturnType<typeof namesOfDates> | undefined;

/** Full and abbreviated, in lower case without accents, from Node.js; months count from 1. */
function namesOfDates() {
	const months = new Map<string, string>();
	const weekdays = new Set<string>();
	/** Another month in Croatian, where the day has a dot: 5. listopada 2026. */
	const open = new Set<string>();
	for (const language of LANGUAGES)
		for (const style of ['long', 'short'] as const)
			// In some languages, a month's name changes next to a day.
			for (const beside of [{}, { day: 'numeric' as const, weekday: style }]) {
				const format = new Intl.DateTimeFormat(language, { month: style, ...beside });
				for (let month = 0; month < 12; month++)
					for (const { type, value } of format.formatToParts(new Date(2024, month, 10))) {
						const name = plainLetters(value).replace(/\.$|-feira$/, '');
						const number = `${month + 1}`;
						if (type === 'month' && (months.get(name) ?? number) !== number) open.add(name);
						else if (type === 'month') months.set(name, number);
						if (type === 'weekday') weekdays.add(name);
					}
			}
	return { months, weekdays, open };
}

function plainLetters(text: string): string {
	return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

/** A two-digit year leaves the century open. */
function dateOf(year = '', month?: string, day?: string): Reading<DateOrder> | undefined {
	const dayFirst = isoDate(year, month, day);
	if (dayFirst === undefined) return undefined;
	return year.length === 2 ? { values: {} } : { values: { dayFirst }, usual: 'dayFirst' };
}

/** Undefined if the calendar has no such day. A two-digit year is checked as 20xx: 2000 was a leap year. */
function isoDate(shortYear = '', month?: string, day?: string): string | undefined {
	const year = shortYear.length === 2 ? `20${shortYear}` : shortYear;
	if (!(Number(year) >= 1900 && Number(year) < 2200)) return undefined;
	const value = [year, month?.padStart(2, '0'), day?.padStart(2, '0')].join('-');
	const time = Date.parse(`${value}T00:00:00Z`);
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value) ? value : undefined;
}
