import { canBe } from './currencies';
import type { AnyOrder, DateOrder, PrintedDate } from './dates';
import { MoneyEvidence } from './evidence';
import type { PrintedCell } from './printedValue';

/** What the option or the dates of a document show: `25/03/2027` shows day first, `3/25/2027` month first. */
type ShownOrder = AnyOrder | 'unknown' | 'contradictory';

/** How the dates of a document can be printed. */
interface Conventions {
	/** Of dates with slashes or dashes. */
	order: ShownOrder;
	dottedOrder: ShownOrder;
	isSet: boolean;
	/** Whether money shows that full dates have the day first. */
	isDayFirst: boolean;
	/** Whether a date of the document can only be month first. */
	isMonthFirst: boolean;
	/** Whether a year of two digits can be first. */
	isYearFirst: boolean;
	/** Whether years of two digits are of our calendar and of this time. */
	hasCentury: boolean;
	/** The first and the last day that a date with a year of two digits can be. */
	range: readonly [string, string];
}

/** Countries that also print the year first: `26-03-25` beside `249,00 kr`. */
const YEAR_FIRST = 'CAD CNY HUF JPY KRW SEK TWD ZAR'.split(' ');

/** Countries that also count years in an era of their own: `25/03/69` beside `฿ 12.50`. */
const OTHER_ERAS = 'JPY THB TWD'.split(' ');

/** Reads dates by the option, or else in the order that the document's numeric dates or its money show. */
export function dateReaderFor(
	cells: PrintedCell[],
	dateOrder: DateOrder | 'detect',
	today: Date,
	money: MoneyEvidence = new MoneyEvidence(cells),
): (cell: PrintedCell) => string | undefined {
	const range = [yearsFrom(today, -10), yearsFrom(today, 2)] as const;
	const conventions =
		dateOrder === 'detect'
			? conventionsOfDocument(cells, money, range)
			: conventionsOfOption(dateOrder, range);
	return ({ date, isBirth }) => {
		if (date === undefined) return undefined;
		// Nobody knows the century of a birth: `14.03.26`.
		if (date.isShort && isBirth) return undefined;
		const day = date.isShort ? shortDay(date, conventions) : fullDay(date, conventions);
		return day && date.time ? `${day}T${date.time}` : day;
	};
}

function conventionsOfOption(order: DateOrder, range: Conventions['range']): Conventions {
	return {
		order,
		dottedOrder: 'dayFirst',
		isSet: true,
		isDayFirst: false,
		isMonthFirst: false,
		isYearFirst: false,
		hasCentury: true,
		range,
	};
}

/** What the dates show is asked of each date while their order is not known. */
function conventionsOfDocument(
	cells: PrintedCell[],
	money: MoneyEvidence,
	range: Conventions['range'],
): Conventions {
	const unknown = conventionsWithoutOrder(cells, money, range);
	const dates = cells.flatMap(({ date }) => (date?.mark === undefined ? [] : date));
	const ordersOf = (some: PrintedDate[]) =>
		new Set(some.flatMap((date) => onlyOrder(date, unknown) ?? []));
	const orders = ordersOf(dates.filter(({ mark }) => mark !== '.'));
	const dottedOrders = ordersOf(dates.filter(({ mark }) => mark === '.'));
	return {
		...unknown,
		order: agreedOrder(orders),
		dottedOrder: agreedOrder(dottedOrders),
		isMonthFirst: orders.has('monthFirst'),
	};
}

function conventionsWithoutOrder(
	cells: PrintedCell[],
	money: MoneyEvidence,
	range: Conventions['range'],
): Conventions {
	const currencies = [...money.currencies];
	return {
		order: 'unknown',
		dottedOrder: 'unknown',
		isSet: false,
		isDayFirst: money.isDayFirst,
		isMonthFirst: false,
		// `25/07/23` beside `3,339.30`, of which no currency shows the country, and beside `2026/09/15`.
		isYearFirst:
			currencies.length === 0 ||
			currencies.some((name) => canBe(name, YEAR_FIRST)) ||
			cells.some(({ date }) => date?.isYearFirst),
		hasCentury: money.isCertain && !currencies.some((name) => canBe(name, OTHER_ERAS)),
		range,
	};
}

/** `25/03/2027` and `3/25/2027` contradict each other. */
function agreedOrder(orders: ReadonlySet<AnyOrder>): ShownOrder {
	if (orders.size > 1) return 'contradictory';
	return onlyOne(orders) ?? 'unknown';
}

function yearsFrom(today: Date, years: number): string {
	const day = new Date(today);
	day.setUTCFullYear(day.getUTCFullYear() + years);
	return day.toISOString().slice(0, 10);
}

/** The order of a numeric date that can be read in one order only: of `25/03/2027`, but not of `09/03/2027`. */
function onlyOrder(date: PrintedDate, conventions: Conventions): AnyOrder | undefined {
	const days = date.isShort ? possibleDays(date, conventions) : date.days;
	return onlyOne(Object.keys(days) as AnyOrder[]);
}

function onlyOne<Entry>(entries: Iterable<Entry>): Entry | undefined {
	const [entry, second] = new Set(entries);
	return second === undefined ? entry : undefined;
}

function fullDay(date: PrintedDate, conventions: Conventions): string | undefined {
	const { days, mark } = date;
	const { isSet, isMonthFirst } = conventions;
	const only = onlyOne(Object.values(days));
	// `9 March 2027` and `2027/03/09`.
	if (mark === undefined) return only;
	// `09.03.2027` has the day first, but beside `3/25/2027` nothing is certain.
	if (mark === '.') return isMonthFirst ? undefined : only;
	// `25/03/2027` and `05/05/2027`; a set option may not fit them.
	if (only !== undefined && !isSet) return only;
	// `9-3-2027` beside `3/25/2027`: Americans print slashes.
	if (mark === '-' && isMonthFirst) return undefined;
	const order = fullOrder(date, conventions);
	return order && days[order];
}

/** The order of a full date that can be read in two. */
function fullOrder({ isArabic }: PrintedDate, conventions: Conventions): AnyOrder | undefined {
	const { order, isDayFirst } = conventions;
	if (isOrder(order)) return order;
	// `٠٩/٠٣/٢٠٢٧`, and `09/03/2027` beside `1.234,56 €` unless dates contradict each other.
	return isArabic || (order === 'unknown' && isDayFirst) ? 'dayFirst' : undefined;
}

function isOrder(order: ShownOrder): order is AnyOrder {
	return order !== 'unknown' && order !== 'contradictory';
}

function shortDay(date: PrintedDate, conventions: Conventions): string | undefined {
	const { hasCentury, isMonthFirst, isSet } = conventions;
	if (!hasCentury) return undefined;
	// `5-Jan-26`: beside the name of a month, the first number may be the year.
	if (date.mark === undefined && !isSet) return undefined;
	// `09.03.26` beside `3/25/2027`.
	if (date.mark === '.' && isMonthFirst) return undefined;
	return onlyOne(Object.values(possibleDays(date, conventions)));
}

/** The days in orders that the document leaves open, near the day of the run. */
function possibleDays(date: PrintedDate, conventions: Conventions): PrintedDate['days'] {
	const [first, last] = conventions.range;
	const entries = Object.entries(date.days).filter(
		([order, day]) =>
			isPossible(order as AnyOrder, date, conventions) && day >= first && day <= last,
	);
	return Object.fromEntries(entries);
}

function isPossible(
	order: AnyOrder,
	{ mark }: PrintedDate,
	{ isYearFirst, dottedOrder, ...conventions }: Conventions,
): boolean {
	const numericOrder = mark === '.' ? dottedOrder : conventions.order;
	const shown = mark === undefined ? 'unknown' : numericOrder;
	if (order === shown) return true;
	if (order !== 'yearFirst') return !isOrder(shown);
	// `24-11-22` beside `14,74 EUR`: in Lithuania, the year comes first before dashes.
	return isYearFirst || (mark === '-' && !isOrder(shown));
}
