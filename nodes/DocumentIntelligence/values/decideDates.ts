import { canBe } from './currencies';
import type { AnyOrder, DateOrder, PrintedDate } from './dates';
import { MoneyEvidence } from './evidence';
import type { PrintedCell } from './printedValue';

/** How the dates of a document can be printed. */
interface Conventions {
	/** Undefined if nothing shows it, or if dates contradict each other. */
	order?: AnyOrder;
	isSet: boolean;
	/** Whether a date of the document can only be month first. */
	isMonthFirst: boolean;
	/** Whether a year of two digits can be first. */
	isYearFirst: boolean;
	/** Whether years of two digits are of our calendar and of this time. */
	hasCentury: boolean;
	/** The first and the last day that a year of two digits can be. */
	range: readonly [string, string];
}

/** Countries that also print the year first. */
const YEAR_FIRST = 'CAD CNY HUF JPY KRW SEK TWD ZAR'.split(' ');

/** Countries that also count years in an era of their own. */
const OTHER_ERAS = 'JPY THB TWD'.split(' ');

/** Reads dates by the option, or else in the order that the document's numeric dates or its money show. */
export function dateReaderFor(
	cells: PrintedCell[],
	dateOrder: DateOrder | 'detect',
	today: Date,
	money: MoneyEvidence = new MoneyEvidence(cells),
): (cell: PrintedCell) => string | undefined {
	const conventions = conventionsOf(cells, dateOrder, today, money);
	return ({ date, isBirth }) => {
		if (date === undefined || (date.isShort && isBirth)) return undefined;
		const day = date.isShort ? shortDay(date, conventions) : fullDay(date, conventions);
		return day && date.time ? `${day}T${date.time}` : day;
	};
}

function conventionsOf(
	cells: PrintedCell[],
	dateOrder: DateOrder | 'detect',
	today: Date,
	money: MoneyEvidence,
): Conventions {
	const currencies = [...money.currencies];
	const isSet = dateOrder !== 'detect';
	const own: Conventions = {
		isSet,
		isMonthFirst: false,
		isYearFirst: !isSet && currencies.some((name) => canBe(name, YEAR_FIRST)),
		hasCentury: isSet || (money.isCertain && !currencies.some((name) => canBe(name, OTHER_ERAS))),
		range: [yearsFrom(today, -10), yearsFrom(today, 2)],
	};
	if (isSet) return { ...own, order: dateOrder };
	const shown = new Set(cells.flatMap(({ date }) => (date && shownOrder(date, own)) ?? []));
	const [order = money.isDayFirst ? 'dayFirst' : undefined, second] = shown;
	return {
		...own,
		order: second === undefined ? order : undefined,
		isMonthFirst: shown.has('monthFirst'),
	};
}

function yearsFrom(today: Date, years: number): string {
	const day = new Date(today);
	day.setUTCFullYear(day.getUTCFullYear() + years);
	return day.toISOString().slice(0, 10);
}

/** The order of a numeric date that can be read in one order only; dots say nothing about other marks. */
function shownOrder(date: PrintedDate, conventions: Conventions): AnyOrder | undefined {
	if (date.mark === undefined || date.mark === '.') return undefined;
	const days = date.isShort ? possibleDays(date, conventions) : date.days;
	const [order, second] = Object.keys(days) as AnyOrder[];
	return second === undefined ? order : undefined;
}

function fullDay({ days, mark, isArabic }: PrintedDate, conventions: Conventions) {
	const { order = isArabic ? 'dayFirst' : undefined, isSet, isMonthFirst } = conventions;
	const [only, second] = new Set(Object.values(days));
	if (mark === undefined) return only;
	if (mark === '.') return isMonthFirst ? undefined : only;
	if (isSet || second !== undefined)
		return mark === '-' && isMonthFirst ? undefined : order && days[order];
	return only;
}

function shortDay(date: PrintedDate, conventions: Conventions): string | undefined {
	const { hasCentury, isMonthFirst } = conventions;
	if (!hasCentury || (date.mark === '.' && isMonthFirst)) return undefined;
	const [day, second] = new Set(Object.values(possibleDays(date, conventions)));
	return second === undefined ? day : undefined;
}

/** The days in orders that the document leaves open, near the day of the run. */
function possibleDays({ days, mark }: PrintedDate, conventions: Conventions) {
	const { order, isYearFirst, isSet, range } = conventions;
	const [first, last] = range;
	const isPossible = (each: string) =>
		mark === undefined ||
		mark === '.' ||
		order === undefined ||
		each === order ||
		each === 'yearFirst';
	const isOpen = (each: string) =>
		isPossible(each) && (each !== 'yearFirst' || order === each || (isYearFirst && !isSet));
	const entries = Object.entries(days).filter(
		([each, day]) => isOpen(each) && day >= first && day <= last,
	);
	return Object.fromEntries(entries) as PrintedDate['days'];
}
