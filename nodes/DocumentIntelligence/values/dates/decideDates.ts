import type { AnyOrder, DateOrder, Day, PrintedDate } from './readDate';
import type { MoneyEvidence } from '../amounts/moneyEvidence';
import type { PrintedCell } from '../printedCells';
import { OTHER_ERAS, YEAR_FIRST } from '../tables/currenciesInPrint';

type Orders = ReadonlySet<AnyOrder>;

/** What the dates and the money of a document show about its dates. */
interface Shown {
	/**
	 * The orders of dates with dots, and with slashes or dashes: `25/03/2027` is day first, `3/25/2027` month first. Those with
	 * dashes alone decide for dashes with a year of two digits.
	 */
	orders?: Record<'dotted' | 'marked' | 'dashed', Orders>;
	/** Whether money shows that the day comes before the month. */
	moneyShowsDayFirst: boolean;
	/** Whether a year of two digits can be first. */
	mayBeginWithShortYear: boolean;
	/** Whether years of two digits are of our calendar and of this time. */
	hasCentury: boolean;
}

/** The first and the last day that a date with a year of two digits can be. */
type Range = readonly [first: string, last: string];

/** Reads dates by the option, or else in the order that the document's numeric dates or its money show. */
export function dateDecider(
	cells: PrintedCell[],
	option: DateOrder | 'detect',
	today: Date,
	money: MoneyEvidence,
): (cell: PrintedCell) => string | undefined {
	const range = [yearsFrom(today, -10), yearsFrom(today, 2)] as const;
	const shown = option === 'detect' ? shownBy(cells, money, range) : undefined;
	return ({ date, name }) => {
		// `14.03.26` may be of another century under the name of a birth.
		const isOfAnyCentury = date?.isShort && (shown?.hasCentury === false || name.means === 'birth');
		if (date === undefined || isOfAnyCentury) return undefined;
		const orders = shown ? openOrders(date, shown) : ordersByOption(date, option);
		const day = onlyOne(daysIn(orders, date, range).map(({ iso }) => iso));
		return day && date.time ? `${day}T${date.time}` : day;
	};
}

function yearsFrom(today: Date, years: number): string {
	return `${today.getUTCFullYear() + years}${today.toISOString().slice(4, 10)}`;
}

/** The option decides for dates with slashes or dashes; `09.03.2027` has the day first. */
function ordersByOption({ mark = '.', isShort }: PrintedDate, option: string): string[] {
	const order = mark === '.' ? 'dayFirst' : option;
	return isShort ? [order] : [order, 'yearFirst'];
}

function shownBy(cells: PrintedCell[], money: MoneyEvidence, range: Range): Shown {
	const currencies = new Set([...money.currencies].flatMap((name) => name.split('_')));
	const isOfYearFirstCountry = YEAR_FIRST.some((code) => currencies.has(code));
	const dates = cells.flatMap(({ date }) => date ?? []);
	const fullDates = dates.filter(({ isShort }) => !isShort);
	const hasYearFirst = fullDates.some(({ days: [day] }) => day?.order === 'yearFirst');
	const beforeDates: Shown = {
		moneyShowsDayFirst: false,
		// `25/07/23` beside `3,339.30`, of which no currency shows the country, and beside `2026/09/15`.
		mayBeginWithShortYear: isOfYearFirstCountry || currencies.size === 0 || hasYearFirst,
		hasCentury: money.isCertain && !OTHER_ERAS.some((code) => currencies.has(code)),
	};
	/** The orders of dates that can be read in one order only: of `25/03/2027`, but not of `09/03/2027`. */
	const ordersIn = (marks: string): Orders => {
		const own = dates.filter(({ mark }) => mark !== undefined && marks.includes(mark));
		const days = own.map((date) => onlyOne(daysIn(openOrders(date, beforeDates), date, range)));
		return new Set(days.flatMap((day) => day?.order ?? []));
	};
	return {
		...beforeDates,
		orders: { dotted: ordersIn('.'), marked: ordersIn('/-'), dashed: ordersIn('-') },
		// `1.234,56 €` and `125.000 ₫`, but `12,34 $` may be of Canada.
		moneyShowsDayFirst: money.showsComma && !currencies.has('CAD'),
	};
}

function onlyOne<Entry>(entries: Iterable<Entry>): Entry | undefined {
	const [entry, second] = new Set(entries);
	return second === undefined ? entry : undefined;
}

/** The days in one of the orders; with a year of two digits, near the day of the run. */
function daysIn(orders: string[], { days, isShort }: PrintedDate, [first, last]: Range): Day[] {
	return days.filter(
		({ order, iso }) => orders.includes(order) && (!isShort || (iso >= first && iso <= last)),
	);
}

/** The orders of a date that nothing excludes. */
function openOrders(date: PrintedDate, shown: Shown): AnyOrder[] {
	const { mark, isShort } = date;
	const isAmerican = shown.orders?.marked.has('monthFirst');
	// `09.03.2027` beside `3/25/2027`.
	if (mark === '.' && isAmerican) return [];
	// `9-3-2027` beside `3/25/2027`: Americans print slashes.
	const order = mark === '-' && isAmerican ? undefined : shownOrder(date, shown);
	const orders: AnyOrder[] = order ? [order] : ['dayFirst', 'monthFirst'];
	// `24-11-22` beside `14,74 EUR`: in Lithuania, the year comes first before dashes, so only dates with dashes exclude it.
	const isOpenToDashes = mark === '-' && (order === undefined || shown.orders?.dashed.size === 0);
	const canBeYearFirst = !isShort || shown.mayBeginWithShortYear || isOpenToDashes;
	return canBeYearFirst ? [...orders, 'yearFirst'] : orders;
}

function shownOrder({ mark, isShort, isArabic }: PrintedDate, shown: Shown): AnyOrder | undefined {
	// `9 March 2027`.
	if (mark === undefined) return 'dayFirst';
	const isShortWithDashes = isShort && mark === '-';
	const marked = isShortWithDashes ? 'dashed' : 'marked';
	const orders = shown.orders?.[mark === '.' ? 'dotted' : marked];
	// `25/03/2027` and `3/25/2027` contradict each other.
	if (orders !== undefined && orders.size > 0) return onlyOne(orders);
	// `09/03/2027` and `09/03/27` beside `1.234,56 €`; and `٠٩/٠٣/٢٠٢٧`.
	return shown.moneyShowsDayFirst || isArabic ? 'dayFirst' : undefined;
}
