import { monthsOf, weekdaysOf } from './calendarNames';
import { plainLetters } from '../names';
import {
	DATE_WORDS,
	FORMS,
	FORMS_IN_NAMES,
	NAMED_FORMS,
	NO_DATES,
	type Form,
} from '../tables/dateWords';
import { splitTime } from './times';

/** The order of a numeric date. */
export type DateOrder = 'dayFirst' | 'monthFirst';
export type AnyOrder = DateOrder | 'yearFirst';

/** A day that a printed date can mean, and the order in which it is read. */
export interface Day {
	order: AnyOrder;
	/** As `YYYY-MM-DD`. */
	iso: string;
}

export interface PrintedDate {
	/** None if no certain calendar has such a day. */
	days: Day[];
	/** The mark of a numeric date that does not begin with a year of four digits. */
	mark?: string;
	/** Whether the year has two digits. */
	isShort: boolean;
	/** As `HH:MM` or `HH:MM:SS`. */
	time?: string;
	/** Whether it is written in Arabic digits, whose countries print the day first. */
	isArabic?: boolean;
}

/** Two or three numbers; a comma alone stands between them only before a year, as in `March 9,2027`. */
const NUMBERS_OF_DATE = /^\D*\d+(?:(?:\D*[^\d,]\D*|,(?=\d{4}))\d+){1,2}\D*$/;

/** @param text in Latin digits; undefined if it is no date */
export function readDate(text: string): PrintedDate | undefined {
	const { rest, time } = splitTime(text);
	if (!NUMBERS_OF_DATE.test(rest)) return undefined;
	const date = readDay(rest) ?? readDayWithWeekday(rest);
	return date && { ...date, time };
}

/** Of a text under a name that means a date. */
export function readDateInName(text: string): PrintedDate | undefined {
	return readDate(inUsualForm(text, FORMS_IN_NAMES));
}

function inUsualForm(text: string, forms: Form[]): string {
	// The types of replace() keep a text apart from a function.
	return forms.reduce((form, [printed, usual]) => form.replace(printed, usual as string), text);
}

function readDay(text: string): PrintedDate | undefined {
	return readNumeric(inUsualForm(text, FORMS)) ?? readNamed(text);
}

/** `2027年3月9日(火)`, `木曜日`, `星期四` or `목요일`. */
const WEEKDAY_SIGN = / ?\(?(?:星期|周|週)?(\p{Lo})(?:曜日?|요일)?\)?$/u;

/** `Di 09.03.2027` and `Dienstag, den 9. März 2027`. */
const WEEKDAY_FIRST = /^\(?(\p{L}[\p{L}\p{M}'-]*)\.?\)?,? ?(?=.*\d)/u;

/** `09.03.2027 (Tue)` and `2027. március 9., kedd`. */
const WEEKDAY_LAST = /[ ,.]*\(?(\p{L}[\p{L}\p{M}'-]*)\.?\)?$/u;

/**
 * Of the possible days, only those on the weekday are left: `Fr 09.03.2027` is a Tuesday. A word for several weekdays
 * chooses no day: `Ma` is Monday in Dutch and Tuesday in Romanian. It only has to fit.
 */
function readDayWithWeekday(text: string): PrintedDate | undefined {
	for (const pattern of [WEEKDAY_SIGN, WEEKDAY_FIRST, WEEKDAY_LAST]) {
		const [whole = '', word = ''] = pattern.exec(text) ?? [];
		const weekdays = weekdaysOf(word);
		const date = weekdays.length > 0 ? readDay(text.replace(whole, '')) : undefined;
		if (date === undefined) continue;
		const fitting = date.days.filter((day) => weekdays.includes(weekdayOf(day)));
		return weekdays.length > 1 && fitting.length > 0 ? date : { ...date, days: fitting };
	}
	return undefined;
}

/** From Monday as 0. */
function weekdayOf({ iso }: Day): number {
	return (new Date(iso).getUTCDay() + 6) % 7;
}

/** With a blank after each separator, or with two digits each: `2027. 3. 9`, `2027/03/09`, but not `2027/1/3`. */
const YEAR_FIRST = /^(\d{4})([./-])( |(?=\d\d.\d\d$))(\d{1,2})\2\3(\d{1,2})$/;

/** `9/3/2027`, `09.03.27` and `9 . 3 . 2027`. */
const YEAR_LAST = /^(\d{1,2}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d\d(?:\d\d)?)$/;

function readNumeric(text: string): PrintedDate | undefined {
	const [, year, , , month = '', day = ''] = YEAR_FIRST.exec(text) ?? [];
	if (year !== undefined) return dateOf([['yearFirst', year, month, day]], false);
	const [, first, mark, second = '', last = ''] = YEAR_LAST.exec(text) ?? [];
	if (first === undefined) return undefined;
	const isShort = last.length === 2;
	const dayFirst: PossibleDay = ['dayFirst', last, second, first];
	const monthFirst: PossibleDay = ['monthFirst', last, first, second];
	const yearFirst: PossibleDay = ['yearFirst', first, second, last];
	// `03.09.2027` is never in September; `3.9.27` may be in March, but `03.25.27` is no date.
	const canBeMonthFirst = mark !== '.' || (isShort && dateOf([dayFirst], isShort));
	return dateOf([dayFirst, ...(canBeMonthFirst ? [monthFirst] : []), yearFirst], isShort, mark);
}

/** `March 9th, 2027`, `1er mars 2027` and `1° de marzo de 2027`. */
const ORDINAL_ENDING = /(?<=\d)(?:st|nd|rd|th|er|º|°)/g;

/** A day, the name of a month and a year in a usual order. */
function readNamed(text: string): PrintedDate | undefined {
	const plain = plainLetters(text);
	if (NO_DATES.some((form) => form.test(plain))) return undefined;
	const parts = plain.replace(ORDINAL_ENDING, '').split(/[ ,./'()-]+/);
	const used = parts.filter((part) => part !== '' && !DATE_WORDS.has(part)).join(' ');
	const found = NAMED_FORMS.map((form) => form.exec(used)?.groups).find(Boolean);
	const { year = '', name = '', day = '' } = found ?? {};
	// In Hebrew, "in March" is one word.
	const [month, second] = monthsOf(name.replace(/^ב(?=\p{L}{3})/u, ''));
	if (month === undefined) return undefined;
	const dayFirst: PossibleDay = ['dayFirst', year, String(month + 1), day];
	// `5-Jan-26` may begin with the year.
	const yearFirst: PossibleDay = ['yearFirst', day, String(month + 1), year];
	const date = dateOf([dayFirst, yearFirst], year.length === 2);
	// `9 lip 2027` is in June in Croatia and in July in Poland.
	return date && second !== undefined ? { ...date, days: [] } : date;
}

type PossibleDay = [order: AnyOrder, year: string, month: string, day: string];

/** Other calendars count later years: 2083 in Nepal, 2570 in Thailand. */
const LAST_YEAR = '2069';

/** Undefined if no day is possible; without years that may belong to another calendar, such as `2083-02-15` in Nepal. */
function dateOf(possible: PossibleDay[], isShort: boolean, mark?: string): PrintedDate | undefined {
	const known = possible.flatMap(([order, year, month, day]): Day[] => {
		const iso = isoDate(year, month, day);
		return iso === undefined ? [] : [{ order, iso }];
	});
	if (known.length === 0) return undefined;
	return { days: known.filter(({ iso }) => iso.slice(0, 4) <= LAST_YEAR), mark, isShort };
}

/** With a year of two digits in this century; undefined if the calendar has no such day: `30.02.2027`. */
function isoDate(year: string, month: string, day: string): string | undefined {
	const fullYear = year.length < 4 ? `20${year.padStart(2, '0')}` : year;
	const iso = [fullYear, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
	const time = Date.parse(iso);
	if (fullYear < '1900' || fullYear >= '2200' || Number.isNaN(time)) return undefined;
	return new Date(time).toISOString().startsWith(iso) ? iso : undefined;
}
