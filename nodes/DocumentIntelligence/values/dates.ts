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

/** Other calendars count later years: 2083 in Nepal, 2570 in Thailand. */
const LAST_YEAR = 2069;

/** @param text in Latin digits; undefined if it is no date */
export function readDate(text: string): PrintedDate | undefined {
	const { rest, time } = withoutTime(text);
	// `2027. 3. 9.`
	const { day, weekdays } = withoutWeekday(rest.replace(/(?<=\d)\.$/, ''));
	const date = readNumeric(day) ?? readNamed(day);
	if (date === undefined) return undefined;
	const days = Object.entries(date.days).filter(([, iso]) => fits(iso, weekdays));
	return { ...date, days: Object.fromEntries(days), time };
}

/** Of a text that is a date only under a name that means one, because otherwise it may be a number or a note. */
export function readDateInName(text: string): PrintedDate | undefined {
	const plain = text
		// `9. 3.2027`.
		.replace(/(?<=\d) ?([./-]) ?(?=\d)/g, '$1')
		// `9 tháng 3 năm 2027`.
		.replace(/^(\d\d?) tháng (\d\d?) năm (\d{4})$/iu, '$1.$2.$3')
		// `2027/3/9(火)`.
		.replace(/^(\d{4})([./-])(\d\d?)\2(\d\d?)(?!\d)/, '$1. $3. $4')
		// `20270309`.
		.replace(/^((?:19|20)\d\d)(\d\d)(\d\d)$/, '$1-$2-$3')
		// `JAN-09-2027`.
		.replace(/^(\p{L}{3,})-(\d\d?)-(\d{4})$/u, '$1 $2 $3')
		// `09JAN2027`.
		.replace(/^(\d\d?)(\p{L}{3,})(\d{4})$/u, '$1 $2 $3')
		// `le 9.3.2027` and `vom 09.03.2027`.
		.replace(/^(?:le|du|vom|am|den|on|dated|del|il|op|dne|от|від)\.? (?=\d)/i, '');
	return readDate(plain);
}

/** `2027-03-09T00:00:00Z`: midnight adds nothing to a date in ISO 8601. With a zone, any other time could not be kept. */
const MIDNIGHT = /(?<=^\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?$/;

/** `14:35`, `14.35`, `14h35` and `14:35:10`. */
const HOURS_AND_MINUTES = /(?<hours>\d\d?)(?<mark>[:.h])(?<minutes>\d\d)(?::(?<seconds>\d\d))?/
	.source;

/** `2:35 PM` and `2:35 p.m.` */
const HALF_OF_DAY = /(?: ?(?<half>[ap])\.?m\.?)?/.source;

/** `14:35 Uhr` and `14.35 hrs`. */
const HOUR_WORD = /(?: ?(?:uhr|hrs?|hs?|klo))?/.source;

const CLOCK = HOURS_AND_MINUTES + HALF_OF_DAY + HOUR_WORD;

/** `2027-03-09T14:35`, `09.03.2027, 14:35`, `9/3/2027 - 14:35` and `09.03.2027 um 14:35`. */
const BEFORE_TIME = /(?:T|[ ,،]+(?:[-/|] )?(?:um|at|à|kl\.?|klo|ore|в|о)? ?)/.source;

const TIME_LAST = new RegExp(`^(?<rest>.*\\d.*?)${BEFORE_TIME}${CLOCK}$`, 'i');

/** `14:35 09.03.2027`. */
const TIME_FIRST = new RegExp(`^${CLOCK}[ ,]+(?<rest>.*\\d.*)$`, 'i');

/** `09.03.2027 kl. 14.35`: with a point, it is a time only if a word says so. */
const HAS_TIME_WORD = /uhr|kl|hrs?$/i;

/** A time stays as it is printed, in 24 hours. */
function withoutTime(printed: string): { rest: string; time?: string } {
	const text = printed.replace(MIDNIGHT, '');
	// Most texts have no time, and need no search for one.
	if (!/\d[:.h]\d\d/i.test(text)) return { rest: text };
	const last = TIME_LAST.exec(text)?.groups;
	const found = last ?? TIME_FIRST.exec(text)?.groups;
	const { rest = '', hours = '', mark, minutes = '', seconds, half } = found ?? {};
	if (found === undefined || (mark === '.' && !HAS_TIME_WORD.test(text))) return { rest: text };
	const time = clock(hours, half, [minutes, ...(seconds === undefined ? [] : [seconds])]);
	return time === undefined ? { rest: text } : { rest, time };
}

function clock(hours: string, half: string | undefined, parts: string[]): string | undefined {
	const afternoon = half?.toLowerCase() === 'p' ? 12 : 0;
	const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + afternoon;
	if (hour > 23 || parts.some((part) => Number(part) > 59)) return undefined;
	return [String(hour).padStart(2, '0'), ...parts].join(':');
}

/** `Di 09.03.2027` and `Di., 09.03.2027`. */
const WEEKDAY_FIRST = /^\(?(\p{L}[\p{L}\p{M}-]*)\.?\)?,? ?(?=\d)/u;

/** `09.03.2027 (Tue)`. */
const WEEKDAY_LAST = /(?<=\d),? \(?(\p{L}[\p{L}\p{M}-]*)\.?\)?$/u;

/** `2027年3月9日(火)`, `木曜日`, `星期四` or `목요일`, but no sign of the day itself: `9日`. */
const WEEKDAY_SIGN =
	/(?:(?<=[日일])|(?<=\d)(?=[ (])) ?\(?(?:星期|周|週)?([月火水木金土日一二三四五六天월화수목금토일])(?:曜日?|요일)?\)?$/u;

/** Of a numeric date; beside the name of a month, weekdays are found among the words. */
function withoutWeekday(text: string): { day: string; weekdays: ReadonlySet<number> } {
	for (const pattern of [WEEKDAY_SIGN, WEEKDAY_FIRST, WEEKDAY_LAST]) {
		const [whole = '', word = ''] = pattern.exec(text) ?? [];
		const weekdays = weekdaysOf(plainLetters(word));
		const day = text.replace(whole, '');
		// `09.03.2027` and `2027年3月9日`.
		const isNumeric = /^[\d./ -]+$/.test(day) || /[日일]$/.test(day);
		if (weekdays.size > 0 && isNumeric) return { day, weekdays };
	}
	return { day: text, weekdays: new Set() };
}

/** Whether no weekday is printed, or that of the day: `Fr 09.03.2027` is a Tuesday. */
function fits(iso: string, weekdays: ReadonlySet<number>): boolean {
	return weekdays.size === 0 || weekdays.has((new Date(`${iso}T00:00:00Z`).getUTCDay() + 6) % 7);
}

/** With a blank after each separator, or with two digits each: `2027. 3. 9`, `2027/03/09`, but not `2027/1/3`. */
const YEAR_FIRST = /^(\d{4})([./-])( |(?=\d\d.\d\d$))(\d{1,2})\2\3(\d{1,2})$/;

/** `9/3/2027`, `09.03.27` and `9 . 3 . 2027`. */
const YEAR_LAST = /^(\d{1,2}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d\d(?:\d\d)?)$/;

function readNumeric(printed: string): PrintedDate | undefined {
	const text = printed
		// `2027年3月9日` and `2027년 3월 9일`.
		.replace(/^(\d{4}) ?[年년] ?(\d+) ?[月월] ?(\d+) ?[日일]$/, '$1. $2. $3')
		// `Ngày 9 tháng 3 năm 2027`.
		.replace(/^ngày (\d+) tháng (\d+) năm (\d{4})$/iu, '$1.$2.$3')
		// `9 tháng 3, 2027`.
		.replace(/^(\d+) tháng (\d+), (\d{4})$/iu, '$1.$2.$3')
		// `09.03.2027 г.` and `09.03.2027 r.`
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
	// `3.9.27` may be, but `03.09.2027` and `03.25.27` are not.
	const canBeMonthFirst = mark !== '.' || (isShort && dayFirst !== undefined);
	const date = dateOf({
		dayFirst,
		monthFirst: canBeMonthFirst ? isoDate(century + year, first, second) : undefined,
		yearFirst: isShort ? isoDate(century + first.padStart(2, '0'), second, year) : undefined,
	});
	return date && { ...date, mark, isShort };
}

/** Undefined if no day is possible. Years that may be of another calendar are left out, such as `2083-02-15` in Nepal. */
function dateOf(byOrder: Record<string, string | undefined>): PrintedDate | undefined {
	const known = Object.entries(byOrder).filter(([, iso]) => iso !== undefined);
	const ours = known.filter(([, iso = '']) => Number(iso.slice(0, 4)) <= LAST_YEAR);
	return known.length === 0 ? undefined : { days: Object.fromEntries(ours) };
}

/** `9 March 2027`: two numbers of up to four digits, and a word. */
const DAY_AND_YEAR = /^(?=.*\p{L})\D*\d{1,4}(?:\D+|(?=\p{L}))\d{1,4}\D*$/u;

/** A document number: `GEN-07-2026`. */
const DOCUMENT_NUMBER = /^\p{L}+-\d+-\d+$/u;

/** `March 9th, 2027`, `1er mars 2027`. */
const ORDINAL_ENDING = /(?<=\d)(?:st|nd|rd|th|er|re|a|ª|º)(?!\p{L})/gu;

/** A day, a month name and a year in a usual order, with or without the weekday. */
function readNamed(text: string): PrintedDate | undefined {
	if (DOCUMENT_NUMBER.test(text) || !DAY_AND_YEAR.test(text)) return undefined;
	const tokens = plainLetters(text)
		.replace(ORDINAL_ENDING, '')
		.split(/[ ,./'’()-]+/)
		.filter((token) => token !== '');
	if (isStreet(tokens)) return undefined;
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

/** A street name in Argentina has one article, `25 de Mayo 1950`; a date has two, or the word for the day. */
function isStreet(tokens: string[]): boolean {
	const articles = tokens.filter((token) => /^del?$/.test(token));
	return articles.length === 1 && !tokens.includes('d');
}

/** `9 March 2027`, `March 9, 2027` and `9 March '27`. */
const NAMED_YEAR_LAST = /^(?:d?d M|M d?d) dd(?:dd)?$/;

/** `2027 March 9` and `2027. gada 9. martā`. */
const NAMED_YEAR_FIRST = /^dddd (?:M d?d|d?d M)$/;

/** An article number, `OUT 20 12`, has no comma or apostrophe before what may be a year: `March 9, '27`. */
function isArticleNumber(order: string, text: string): boolean {
	return /^M d?d dd$/.test(order) && !/[,'’] ?['’]?\d\d$/.test(text);
}

function dayInOrder(
	order: string,
	numbers: string[],
	name: string,
	text: string,
	weekdays: ReadonlySet<number>,
): PrintedDate | undefined {
	const isYearFirst = NAMED_YEAR_FIRST.test(order);
	if (!isYearFirst && !NAMED_YEAR_LAST.test(order)) return undefined;
	if (isArticleNumber(order, text)) return undefined;
	const [year = '', day] = isYearFirst ? numbers : numbers.toReversed();
	const months = monthsNamed(name);
	const isShort = year.length === 2;
	const date = dateOf({ dayFirst: isoDate(isShort ? `20${year}` : year, String(months[0]), day) });
	if (date === undefined) return undefined;
	// `9 lip 2027` is in June in Croatia and in July in Poland.
	const isClear =
		months.length === 1 && Object.values(date.days).every((iso) => fits(iso, weekdays));
	return { days: isClear ? date.days : {}, isShort };
}

/** The month's name among weekdays; undefined if there are other words. */
function monthIn(words: string[]): { name: string; weekdays: ReadonlySet<number> } | undefined {
	// `mar. 9 mars 2027`: "mar" is a month in some languages and a weekday in others.
	const named = words.filter((word) => monthsNamed(word).length > 0);
	const [name] = named.length === 1 ? named : named.filter((word) => weekdaysOf(word).size === 0);
	const weekdays = words.filter((word) => word !== name).map(weekdaysOf);
	if (name === undefined || weekdays.some(({ size }) => size === 0)) return undefined;
	return { name, weekdays: weekdays[0] ?? new Set() };
}

/** Undefined if the calendar has no such day: `30.02.2027`. */
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

/** Several for a name of two months in two languages (`listopad`), or of a month and another word. */
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
