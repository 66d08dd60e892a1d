import { grouped } from '../text/grouped';
import { canBe, conventionOf } from './currencies';
import type { Amount, Reading } from './amounts';
import type { PrintedCell } from './printedValue';

/** The roles of marks in a document, or in a part of it. */
export interface Marks {
	decimal?: string;
	groups: ReadonlySet<string>;
}

/** An amount whose reading is certain. */
export interface CertainAmount {
	reading: Reading;
	/** Its own currency, or the document's only one. */
	currency?: string;
}

type Money = PrintedCell & { amount: Amount };

function moneyIn(cells: PrintedCell[]): Money[] {
	return cells.filter((cell): cell is Money => cell.amount?.kind === 'money');
}

/** `2.468,13 €` can be read in one way only, `2.468 €` cannot. */
function certainIn(money: Money[]): CertainAmount[] {
	const [only, ...others] = new Set(money.flatMap(({ amount }) => amount.currency ?? []));
	const usual = others.length === 0 ? only : undefined;
	return money.flatMap(({ amount: { readings, isOpen, currency = usual } }) => {
		const [reading, second] = readings;
		return reading === undefined || second !== undefined || isOpen ? [] : { reading, currency };
	});
}

/** The marks between the groups of certain money. */
export function groupsIn(cells: PrintedCell[]): ReadonlySet<string> {
	return shownBy(certainIn(moneyIn(cells))).groups;
}

/** Of a plain number or a percentage with decimals that can be read in one way only: `12.50`, `19,5 %`. */
export function certainDecimal(amount?: Amount): Reading | undefined {
	if (amount === undefined || amount.kind === 'money' || amount.isOpen) return undefined;
	const [reading, second] = amount.readings;
	return second === undefined && reading?.decimal !== undefined ? reading : undefined;
}

/** The marks that amounts show, and how many decimals. */
interface Shown {
	decimals: ReadonlySet<string>;
	groups: ReadonlySet<string>;
	scales: ReadonlySet<number>;
}

function shownBy(amounts: Array<{ reading: Reading }>): Shown {
	const readings = amounts.map(({ reading }) => reading);
	const withDecimals = readings.filter(({ decimal }) => decimal !== undefined);
	return {
		decimals: new Set(withDecimals.flatMap(({ decimal }) => decimal ?? [])),
		groups: new Set(readings.flatMap(({ group }) => group ?? [])),
		scales: new Set(withDecimals.map(({ scale }) => scale)),
	};
}

/** The marks that amounts show; undefined if they contradict each other, or show none. */
export function marksOf(amounts: Array<{ reading: Reading }>): Marks | undefined {
	return agreed(shownBy(amounts));
}

/** Two decimal marks (`$ 12.50`, `86,40 €`) contradict each other, and so does one mark in both roles. */
function agreed({ decimals, groups }: Shown): Marks | undefined {
	const [decimal, second] = decimals;
	if (second !== undefined) return undefined;
	if (decimal === undefined) return groups.size > 0 ? { groups } : undefined;
	return groups.has(decimal) ? undefined : { decimal, groups };
}

/** What the certain money of each currency shows. */
class ShownByCurrency {
	private readonly shown: ReadonlyMap<string, Shown>;

	constructor(certain: CertainAmount[]) {
		const amounts = grouped(certain, ({ currency = '' }) => currency);
		this.shown = new Map([...amounts].map(([name, own]) => [name, shownBy(own)]));
	}

	of({ currency = '' }: Amount): Shown {
		return this.shown.get(currency) ?? NOTHING;
	}
}

const NOTHING = shownBy([]);

/**
 * What the countries of the currency print: `JPY 1,250` has groups, `KWD 1.250` decimals.
 * @param own of the certain money of that currency
 * @param printed of all money that is certain by itself
 */
function conventionalReading(amount: Amount, own: Shown, printed: Shown): Reading | undefined {
	const convention = conventionOf(amount.currency);
	if (convention === undefined) return undefined;
	const { role, mark } = convention;
	const isGroup = role === 'group';
	// `12 450 Ft` shows that the point in `36.386 Ft` does not group.
	const ownMarks = isGroup ? [...own.decimals, ...own.groups] : [...own.decimals];
	if (ownMarks.some((each) => each !== mark)) return undefined;
	// `1.250,00 EUR` shows that the point in `KWD 1.250` may group.
	const inOtherRole = isGroup ? printed.decimals : printed.groups;
	if (inOtherRole.has(mark)) return undefined;
	const otherRole = isGroup ? 'decimal' : 'group';
	return amount.readings.find((each) => each[role] === mark && each[otherRole] === undefined);
}

/** Open money that is read by the convention of its currency; a price of a unit may have any number of decimals. */
function certainByConvention(open: Money[], byItself: CertainAmount[]): CertainAmount[] {
	const own = new ShownByCurrency(byItself);
	const printed = shownBy(byItself);
	return open.flatMap(({ amount, isUnitPrice }): CertainAmount[] => {
		const reading = isUnitPrice ? undefined : conventionalReading(amount, own.of(amount), printed);
		return reading ? [{ reading, currency: amount.currency }] : [];
	});
}

/** Currencies of countries with a decimal comma where the day does not always come first: `2027-03-09`, `249,00 kr`. */
const OTHER_ORDERS = ['CAD', 'SEK', 'HUF', 'ZAR'];

/** What the money of a document shows. */
export class MoneyEvidence {
	/** Of all money that is certain, by itself or by the convention of its currency. */
	readonly all?: Marks;
	/** Of the money that is certain by itself. */
	readonly printed?: Marks;
	/** Whether the money decides what plain numbers mean. */
	readonly decidesPlain: boolean;
	/** All currencies that are printed, certain or not. */
	readonly currencies: ReadonlySet<string>;
	/** Whether any money is certain. */
	readonly isCertain: boolean;
	/** Whether a plain number or a percentage, read by itself, contradicts the money: `12.50` and `1.180,00 €`. */
	private readonly isContradicted: boolean;
	private readonly shownByItself: Shown;
	private readonly shownByCurrency: ShownByCurrency;

	constructor(cells: PrintedCell[]) {
		const money = moneyIn(cells);
		const open = money.filter(({ amount }) => amount.isOpen);
		const byItself = certainIn(money);
		const certain = [...byItself, ...certainByConvention(open, byItself)];
		this.currencies = new Set(money.flatMap(({ amount }) => amount.currency ?? []));
		this.isCertain = certain.length > 0;
		this.shownByItself = shownBy(byItself);
		this.shownByCurrency = new ShownByCurrency(certain);
		this.printed = agreed(this.shownByItself);
		this.all = marksOf(certain);
		this.isContradicted = cells.some(({ amount }) => {
			const reading = certainDecimal(amount);
			return reading !== undefined && !isAllowed(reading, this.all);
		});
		// `COP 646.404` beside `£86.40` cannot be read, so plain numbers may be like it.
		const isRead = open.every(({ amount, isUnitPrice }) => this.readingOf(amount, isUnitPrice));
		this.decidesPlain = isRead && !this.isContradicted && !this.isForeign(cells);
	}

	/** `USD 13,512.40` beside `12.03.2027`: where a day has points, decimals have a comma. */
	private isForeign(cells: PrintedCell[]): boolean {
		return this.all?.decimal === '.' && cells.some(({ date }) => date?.mark === '.');
	}

	/** What an amount of money means that can be read in two ways. */
	readingOf(amount: Amount, isUnitPrice = false): Reading | undefined {
		const own = this.shownByCurrency.of(amount);
		const marks = agreed(own);
		const reading = marks && onlyReading(amount, marks);
		if (isUnitPrice) return reading;
		if (reading === undefined) return conventionalReading(amount, own, this.shownByItself);
		// `$ 1.250` beside `$ 250.00`: three decimals are none where all others show two.
		const isUnusual = reading.scale === 3 && own.scales.size === 1 && own.scales.has(2);
		return isUnusual ? undefined : reading;
	}

	/** `1.234,56 €` shows that days come first, unless a number contradicts it, or `249,00 kr` may be of Sweden. */
	get isDayFirst(): boolean {
		const isOther = [...this.currencies].some((each) => canBe(each, OTHER_ORDERS));
		return this.all?.decimal === ',' && !isOther && !this.isContradicted;
	}
}

/** The only reading that the marks leave; undefined if there is none, or more than one. */
export function onlyReading({ readings }: Amount, marks?: Marks): Reading | undefined {
	const [reading, second] = readings.filter((each) => isAllowed(each, marks));
	return second === undefined ? reading : undefined;
}

/** Whether a reading uses no mark in another role than the marks show. */
export function isAllowed({ decimal, group }: Reading, marks?: Marks): boolean {
	if (marks === undefined) return true;
	return isAllowedDecimal(decimal, marks) && isAllowedGroup(group, marks);
}

function isAllowedDecimal(decimal: string | undefined, marks: Marks): boolean {
	if (decimal === undefined) return true;
	// `£2,468,013` shows that no decimals follow the comma in `£2,468`.
	if (marks.decimal === undefined) return !marks.groups.has(decimal);
	// `86,40 €` shows that no decimals follow the point in `2.468`.
	return decimal === marks.decimal;
}

function isAllowedGroup(group: string | undefined, marks: Marks): boolean {
	if (group === undefined || marks.decimal === undefined) return true;
	// `$86.40` shows that the point in `2.468` does not group.
	if (group === marks.decimal) return false;
	// `USD 1 954.30` shows both marks, so the comma in `1,250` does not group.
	return marks.groups.size === 0 || marks.groups.has(group);
}
