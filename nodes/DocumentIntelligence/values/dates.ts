import { plainLetters } from './names';
import { AMBIGUOUS_MONTHS, DATE_WORDS, MONTHS_IN_PRINT, WEEKDAY_SIGNS } from './tables/dateWords';
import { MONTHS, WEEKDAYS } from './tables/dateNames';

/** The order of a numeric date. */
export type DateOrder = 'dayFirst' | 'monthFirst';
export type AnyOrder = DateOrder | 'yearFirst';

/** Every day that a printed date can mean, as `YYYY-MM-DD`, by the order in which it is read; none if it has no day. */
export interface PrintedDate {
	days: Partial<Record<AnyOrder, string>>;
	/** The mark of a numeric date whose year is not printed in full or not first. */
	mark?: string;
	/** Whether the year has two digits. */
	isShort?: boolean;
	/** Whether a numeric date is printed with the year in full and first. */
	isYearFirst?: boolean;
	/** As `HH:MM` or `HH:MM:SS`. */
	time?: string;
	/** Whether it is written in Arabic digits, whose countries print the day first. */
	isArabic?: boolean;
}

/** Other calendars count later years. */
const LAST_YEAR = 2069;

/** @param text in Latin digits; undefined if it is no date */
export function readDate(text: string): PrintedDate | undefined {
	const { rest, time } = withoutTime(text);
	const { day, weekdays } = withoutWeekday(rest.replace(/(?<=\d)\.$/, ''));
	const date = readNumeric(day) ?? readNamed(day);
	if (date === undefined) return undefined;
	const days = Object.entries(date.days).filter(([, iso]) => fits(iso, weekdays));
	return { ...date, days: Object.fromEntries(days), time };
}

/** What is a date only under a name that means one: glued, with blanks, or with words in front. */
export function readDateInName(text: string): PrintedDate | undefined {
	const plain = text
		.replace(/(?<=\d) ?([./-]) ?(?=\d)/g, '$1')
		.replace(/^(\d\d?) tháng (\d\d?) năm (\d{4})$/iu, '$1.$2.$3')
		.replace(/^(\d{4})([./-])(\d\d?)\2(\d\d?)(?!\d)/, '$1. $3. $4')
		.replace(/^((?:19|20)\d\d)(\d\d)(\d\d)$/, '$1-$2-$3')
		.replace(/^(\p{L}{3,})-(\d\d?)-(\d{4})$/u, '$1 $2 $3')
		.replace(/^(\d\d?)(\p{L}{3,})(\d{4})$/u, '$1 $2 $3')
		.replace(/^(?:le|du|vom|am|den|on|dated|del|il|op|dne|от|від)\.? (?=\d)/i, '');
	return readDate(plain);
}

/** Midnight adds nothing to a date in ISO 8601; with another zone, any other time is none that could be kept. */
const MIDNIGHT = /(?<=^\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

const CLOCK =
	/(?<hours>\d\d?)(?<mark>[:.h])(?<minutes>\d\d)(?::(?<seconds>\d\d))?(?: ?(?<half>[ap])\.?m\.?)?(?: ?(?:uhr|hrs?|hs?|klo))?/
		.source;
const TIME_LAST = new RegExp(
	`^(?<rest>.*\\d.*?)(?:T|[ ,،]+(?:[-/|] )?(?:um|at|à|kl\\.?|klo|ore|в|о)? ?)${CLOCK}$`,
	'i',
);
const TIME_FIRST = new RegExp(`^${CLOCK}[ ,]+(?<rest>.*\\d.*)$`, 'i');

/** A time stays as it is printed, in 24 hours. */
function withoutTime(printed: string): { rest: string; time?: string } {
	const text = printed.replace(MIDNIGHT, '');
	if (!/\d[:.h]\d\d/i.test(text)) return { rest: text };
	const last = TIME_LAST.exec(text)?.groups;
	const found = last ?? TIME_FIRST.exec(text)?.groups;
	const { rest = '', hours = '', mark, minutes = '', seconds, half } = found ?? {};
	// With a point, it is a time only if a word says so.
	if (found === undefined || (mark === '.' && !/uhr|kl|hrs?$/i.test(text))) return { rest: text };
	const time = clock(hours, half, [minutes, ...(seconds === undefined ? [] : [seconds])]);
	return time === undefined ? { rest: text } : { rest, time };
}

function clock(hours: string, half: string | undefined, parts: string[]): string | undefined {
	const afternoon = half?.toLowerCase() === 'p' ? 12 : 0;
	const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + afternoon;
	if (hour > 23 || parts.some((part) => Number(part) > 59)) return undefined;
	return [String(hour).padStart(2, '0'), ...parts].join(':');
}

const WEEKDAY_FIRST = /^\(?(\p{L}[\p{L}\p{M}-]*)\.?\)?,? ?(?=\d)/u;
const WEEKDAY_LAST = /(?<=\d),? \(?(\p{L}[\p{L}\p{M}-]*)\.?\)?$/u;
/** `(木)`, `木曜日`, `星期四` or `목요일`, but no sign of the day itself. */
const WEEKDAY_SIGN =
	/(?:(?<=[日일])|(?<=\d)(?=[ (])) ?\(?(?:星期|周|週)?([月火水木金土日一二三四五六天월화수목금토일])(?:曜日?|요일)?\)?$/u;

/** Of a numeric date; beside the name of a month, weekdays are found among the words. */
function withoutWeekday(text: string): { day: string; weekdays: ReadonlySet<number> } {
	for (const pattern of [WEEKDAY_SIGN, WEEKDAY_FIRST, WEEKDAY_LAST]) {
		const [whole = '', word = ''] = pattern.exec(text) ?? [];
		const weekdays = weekdaysOf(plainLetters(word));
		const day = text.replace(whole, '');
		if (weekdays.size > 0 && /^[\d./ -]+$|[日일]$/.test(day)) return { day, weekdays };
	}
	return { day: text, weekdays: new Set() };
}

/** Whether no weekday is printed, or that of the day. */
function fits(iso: string, weekdays: ReadonlySet<number>): boolean {
	return weekdays.size === 0 || weekdays.has((new Date(`${iso}T00:00:00Z`).getUTCDay() + 6) % 7);
}

/** With a blank after each separator, or with two digits each. */
const YEAR_FIRST = /^(\d{4})([./-])( |(?=\d\d.\d\d$))(\d{1,2})\2\3(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d\d(?:\d\d)?)$/;

function readNumeric(printed: string): PrintedDate | undefined {
	const text = printed
		.replace(/^(\d{4}) ?[年년] ?(\d+) ?[月월] ?(\d+) ?[日일]$/, '$1. $2. $3')
		.replace(/^(?:ngày (\d+) tháng (\d+) năm|(\d+) tháng (\d+),) (\d{4})$/iu, '$1$3.$2$4.$5')
		.replace(/(?<=\d) ?(?:г|р|r)\.?$/u, '');
	return readYearFirst(text) ?? readYearLast(text);
}

function readYearFirst(text: string): PrintedDate | undefined {
	const [, year, , , month, day] = YEAR_FIRST.exec(text) ?? [];
	const date = dateOf({ dayFirst: isoDate(year, month, day) });
	return date && { ...date, isYearFirst: true };
}

function readYearLast(text: string): PrintedDate | undefined {
	const [, first = '', mark = '', second = '', year = ''] = YEAR_LAST.exec(text) ?? [];
	const isShort = year.length === 2;
	const century = isShort ? '20' : '';
	const dayFirst = isoDate(century + year, second, first);
	const isMonthFirst = mark !== '.' || (isShort && dayFirst !== undefined);
	const date = dateOf({
		dayFirst,
		monthFirst: isMonthFirst ? isoDate(century + year, first, second) : undefined,
		yearFirst: isShort ? isoDate(century + first.padStart(2, '0'), second, year) : undefined,
	});
	return date && { ...date, mark, isShort };
}

/** Undefined without any possible day; years that another calendar may count are left out. */
function dateOf(byOrder: Record<string, string | undefined>): PrintedDate | undefined {
	const known = Object.entries(byOrder).filter(([, iso]) => iso !== undefined);
	const ours = known.filter(([, iso = '']) => Number(iso.slice(0, 4)) <= LAST_YEAR);
	return known.length === 0 ? undefined : { days: Object.fromEntries(ours) };
}

/** Two numbers of two or four digits, and a word. */
const DAY_AND_YEAR = /^(?=.*\p{L})\D*\d{1,4}(?:\D+|(?=\p{L}))\d{1,4}\D*$/u;

/** A day, a month name and a year in a usual order, with or without the weekday. */
function readNamed(text: string): PrintedDate | undefined {
	// A document number: GEN-07-2026.
	if (/^\p{L}+-\d+-\d+$/u.test(text) || !DAY_AND_YEAR.test(text)) return undefined;
	const tokens = plainLetters(text)
		.replace(/(?<=\d)(?:st|nd|rd|th|er|re|a|ª|º)(?!\p{L})/gu, '')
		.split(/[ ,./'’()-]+/)
		.filter((token) => token !== '');
	// A street name in Argentina: 25 de Mayo 1950.
	const articles = tokens.filter((token) => /^del?$/.test(token));
	if (articles.length === 1 && !tokens.includes('d')) return undefined;
	const numbers = tokens.filter((token) => /^\d+$/.test(token));
	const words = tokens.filter((token) => !numbers.includes(token) && !DATE_WORDS.has(token));
	const named = monthIn(words);
	if (named === undefined) return undefined;
	const { name, weekdays } = named;
	const order = tokens
		.filter((token) => token === name || numbers.includes(token))
		.map((part) => (part === name ? 'M' : 'd'.repeat(part.length)))
		.join(' ');
	return dayInOrder(order, numbers, name, text, weekdays);
}

const NAMED_ORDERS = /^(?:(?:d?d M|M d?d) dd(?:dd)?|dddd (?:M d?d|d?d M))$/;

function dayInOrder(
	order: string,
	numbers: string[],
	name: string,
	text: string,
	weekdays: ReadonlySet<number>,
): PrintedDate | undefined {
	if (!NAMED_ORDERS.test(order)) return undefined;
	// Without a comma or apostrophe before a short year, it is an article number: OUT 20 12.
	if (/^M d?d dd$/.test(order) && !/[,'’] ?['’]?\d\d$/.test(text)) return undefined;
	const [year = '', day] = order.startsWith('dddd') ? numbers : numbers.toReversed();
	const months = monthsNamed(name);
	const isShort = year.length === 2;
	const date = dateOf({ dayFirst: isoDate(isShort ? `20${year}` : year, String(months[0]), day) });
	if (date === undefined) return undefined;
	const isClear =
		months.length === 1 && Object.values(date.days).every((iso) => fits(iso, weekdays));
	return { days: isClear ? date.days : {}, isShort };
}

/** The month's name among weekdays; undefined if there are other words. */
function monthIn(words: string[]): { name: string; weekdays: ReadonlySet<number> } | undefined {
	// "mar" is a month in some languages and a weekday in others.
	const named = words.filter((word) => monthsNamed(word).length > 0);
	const [name] = named.length === 1 ? named : named.filter((word) => weekdaysOf(word).size === 0);
	const weekdays = words.filter((word) => word !== name).map(weekdaysOf);
	if (name === undefined || weekdays.some(({ size }) => size === 0)) return undefined;
	return { name, weekdays: weekdays[0] ?? new Set() };
}

/** Undefined if the calendar has no such day. */
function isoDate(year = '', month = '', day = ''): string | undefined {
	if (!(Number(year) >= 1900 && Number(year) < 2200)) return undefined;
	const date = [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
	const time = Date.parse(`${date}T00:00:00Z`);
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date) ? date : undefined;
}

/** Each name with the numbers that it can mean, in the order of the lines. */
function numbersOf(table: string, first: number): Map<string, Set<number>> {
	const names = new Map<string, Set<number>>();
	for (const [at, line] of table.trim().split('\n').entries())
		for (const name of plainLetters(line).split(', '))
			names.set(name, (names.get(name) ?? new Set()).add(at + first));
	return names;
}

type Names = ReadonlyMap<string, ReadonlySet<number>>;

let known: Record<'months' | 'weekdays' | 'weekdayStarts', Names> | undefined;

/** Made from the tables when the first date is read. */
function knownNames() {
	return (known ??= readTables());
}

function readTables() {
	const months = numbersOf(MONTHS, 1);
	for (const [name, month] of Object.entries(MONTHS_IN_PRINT))
		months.set(name, (months.get(name) ?? new Set()).add(month));
	const weekdays = numbersOf(WEEKDAYS, 0);
	const weekdayStarts = new Map<string, Set<number>>();
	for (const [name, days] of weekdays)
		for (let size = 2; size < name.length; size++) {
			const start = name.slice(0, size);
			weekdayStarts.set(start, new Set([...(weekdayStarts.get(start) ?? []), ...days]));
		}
	for (const [at, sign] of [...WEEKDAY_SIGNS].entries())
		weekdays.set(plainLetters(sign), new Set([at % 7]));
	return { months, weekdays, weekdayStarts };
}

const NO_MONTHS: number[] = [];

/** Several for a name of two months in two languages, or of a month and another word. */
function monthsNamed(name: string): number[] {
	const months = knownNames().months.get(name);
	if (months === undefined) return NO_MONTHS;
	return AMBIGUOUS_MONTHS.has(name) ? [...months, 0] : [...months];
}

const NO_WEEKDAYS: ReadonlySet<number> = new Set();

/** Every weekday, from Monday as 0, that a name or its beginning can mean in one of the languages. */
function weekdaysOf(word: string): ReadonlySet<number> {
	const { weekdays, weekdayStarts } = knownNames();
	return weekdays.get(word) ?? weekdayStarts.get(word) ?? NO_WEEKDAYS;
}
