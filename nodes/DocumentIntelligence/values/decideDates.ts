import { canBe } from './currencies';
import type { AnyOrder, DateOrder, PrintedDate } from './dates';
import { MoneyEvidence } from './evidence';
import type { PrintedCell } from './printedValue';

/** How the dates of a document can be printed. */
interface Conventions {
	/** Of the option or other dates; undefined if nothing shows it, or if dates contradict each other. */
	order?: AnyOrder;
	/** The same for dates with dots. */
	dottedOrder?: AnyOrder;
	/** Whether money shows that full dates have the day first. */
	isDayFirst: boolean;
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
		isDayFirst: false,
		isMonthFirst: false,
		isYearFirst:
			!isSet &&
			(currencies.length === 0 ||
				currencies.some((name) => canBe(name, YEAR_FIRST)) ||
				cells.some(({ date }) => date?.isYearFirst)),
		hasCentury: isSet || (money.isCertain && !currencies.some((name) => canBe(name, OTHER_ERAS))),
		range: [yearsFrom(today, -10), yearsFrom(today, 2)],
	};
	if (isSet) return { ...own, order: dateOrder, dottedOrder: 'dayFirst' };
	const dates = cells.flatMap(({ date }) => (date?.mark === undefined ? [] : date));
	const ordersOf = (some: PrintedDate[]) =>
		new Set(some.flatMap((date) => shownOrder(date, own) ?? []));
	const orders = ordersOf(dates.filter(({ mark }) => mark !== '.'));
	return {
		...own,
		order: onlyOne(orders),
		dottedOrder: onlyOne(ordersOf(dates.filter(({ mark }) => mark === '.'))),
		isMonthFirst: orders.has('monthFirst'),
		isDayFirst: orders.size === 0 && money.isDayFirst,
	};
}

function yearsFrom(today: Date, years: number): string {
	const day = new Date(today);
	day.setUTCFullYear(day.getUTCFullYear() + years);
	return day.toISOString().slice(0, 10);
}

/** The order of a numeric date that can be read in one order only. */
function shownOrder(date: PrintedDate, conventions: Conventions): AnyOrder | undefined {
	const days = date.isShort ? possibleDays(date, conventions) : date.days;
	return onlyOne(Object.keys(days) as AnyOrder[]);
}

function onlyOne<Entry>(entries: Iterable<Entry>): Entry | undefined {
	const [entry, second] = new Set(entries);
	return second === undefined ? entry : undefined;
}

function fullDay({ days, mark, isArabic }: PrintedDate, conventions: Conventions) {
	const { isSet, isMonthFirst, isDayFirst } = conventions;
	const { order = isArabic || isDayFirst ? 'dayFirst' : undefined } = conventions;
	const only = onlyOne(Object.values(days));
	if (mark === undefined) return only;
	if (mark === '.') return isMonthFirst ? undefined : only;
	if (isSet || only === undefined)
		return mark === '-' && isMonthFirst ? undefined : order && days[order];
	return only;
}

function shortDay(date: PrintedDate, conventions: Conventions): string | undefined {
	const { hasCentury, isMonthFirst, isSet } = conventions;
	// Beside the name of a month, the first number may be the year.
	const isOpen = date.mark === undefined ? !isSet : date.mark === '.' && isMonthFirst;
	if (!hasCentury || isOpen) return undefined;
	return onlyOne(Object.values(possibleDays(date, conventions)));
}

/** The days in orders that the document leaves open, near the day of the run. */
function possibleDays({ days, mark }: PrintedDate, conventions: Conventions) {
	const { dottedOrder, isYearFirst, range } = conventions;
	const [first, last] = range;
	const order = mark === '.' ? dottedOrder : mark && conventions.order;
	// In Lithuania, the year comes first before dashes.
	const isYearOpen = isYearFirst || (mark === '-' && order === undefined);
	const isOpen = (each: string) =>
		each === 'yearFirst' ? isYearOpen || order === each : [each, undefined].includes(order);
	const entries = Object.entries(days).filter(
		([each, day]) => isOpen(each) && day >= first && day <= last,
	);
	return Object.fromEntries(entries) as PrintedDate['days'];
}
