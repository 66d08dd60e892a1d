import { grouped } from '../text/grouped';
import { canBe, conventionOf } from './currencies';
import type { Amount, Reading } from './amounts';
import type { PrintedCell } from './printedValue';

/** The roles of marks in a document, or in a part of it. */
export interface Marks {
	decimal?: string;
	groups: ReadonlySet<string>;
	/** Set by an option, which decides everything; groups are still those of the money. */
	isSet?: boolean;
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

/** Amounts of money that can be read in one way only. */
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

/** Of a plain number or a percentage with decimals that can be read in one way only. */
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

function agreed({ decimals, groups }: Shown): Marks | undefined {
	const [decimal, second] = decimals;
	const isShown = decimal !== undefined || groups.size > 0;
	if (!isShown || second !== undefined || groups.has(decimal ?? '')) return undefined;
	return { decimal, groups };
}

const NOTHING = shownBy([]);

function shownByCurrency(certain: CertainAmount[]): Map<string, Shown> {
	const amounts = grouped(certain, ({ currency = '' }) => currency);
	return new Map([...amounts].map(([name, own]) => [name, shownBy(own)]));
}

/** Currencies of countries with a decimal comma where the day does not always come first. */
const OTHER_ORDERS = ['CAD', 'SEK', 'HUF', 'ZAR'];

/** What the money of a document shows. */
export class MoneyEvidence {
	/** Of all money that is certain, by itself or by the convention of its currency. */
	readonly all?: Marks;
	/** Of the money that is certain by itself. */
	readonly printed?: Marks;
	/** Whether a plain number or a percentage, read by itself, uses a mark in another role than the money. */
	private readonly hasOtherDecimals: boolean;
	/** Whether all money can be read, and no other number or date contradicts it. */
	readonly decidesPlain: boolean;
	/** All currencies that are printed, certain or not. */
	readonly currencies: ReadonlySet<string>;
	private readonly certain: CertainAmount[];
	private readonly shown: Shown;
	private byCurrency: ReadonlyMap<string, Shown>;

	constructor(cells: PrintedCell[]) {
		const money = moneyIn(cells);
		const open = money.filter(({ amount }) => amount.isOpen);
		this.currencies = new Set(money.flatMap(({ amount }) => amount.currency ?? []));
		const byItself = certainIn(money);
		this.shown = shownBy(byItself);
		this.byCurrency = shownByCurrency(byItself);
		const byConvention = open.flatMap(({ amount, isUnitPrice }): CertainAmount[] => {
			const reading = isUnitPrice ? undefined : this.conventional(amount);
			return reading ? [{ reading, currency: amount.currency }] : [];
		});
		this.certain = [...byItself, ...byConvention];
		this.byCurrency = shownByCurrency(this.certain);
		this.all = marksOf(this.certain);
		this.printed = agreed(this.shown);
		this.hasOtherDecimals = cells.some(({ amount }) => {
			const reading = certainDecimal(amount);
			return reading !== undefined && !isAllowed(reading, this.all);
		});
		// Where the parts of a day have points between them, decimals have a comma: money with a point is foreign.
		const isForeign = this.all?.decimal === '.' && cells.some(({ date }) => date?.mark === '.');
		this.decidesPlain =
			!this.hasOtherDecimals &&
			!isForeign &&
			open.every(({ amount, isUnitPrice }) => this.readingOf(amount, isUnitPrice));
	}

	/** What an amount of money means that can be read in two ways. */
	readingOf(amount: Amount, isUnitPrice = false): Reading | undefined {
		const own = this.ownOf(amount);
		const marks = agreed(own);
		const reading = marks && onlyReading(amount, marks);
		if (isUnitPrice) return reading;
		if (reading === undefined) return this.conventional(amount);
		// Three decimals are none where all other amounts with decimals show two.
		const isUnusual = reading.scale === 3 && own.scales.size === 1 && own.scales.has(2);
		return isUnusual ? undefined : reading;
	}

	private ownOf({ currency = '' }: Amount): Shown {
		return this.byCurrency.get(currency) ?? NOTHING;
	}

	/**
	 * What the countries of the currency would print, unless money of the document uses their mark in the other role, or
	 * money of the same currency shows that it is printed differently.
	 */
	private conventional(amount: Amount): Reading | undefined {
		const convention = conventionOf(amount.currency);
		if (convention === undefined) return undefined;
		const { role, mark } = convention;
		const isGroup = role === 'group';
		const { decimals, groups } = this.ownOf(amount);
		const isOther = [...decimals, ...(isGroup ? groups : [])].some((each) => each !== mark);
		const elsewhere = isGroup ? this.shown.decimals : this.shown.groups;
		if (isOther || elsewhere.has(mark)) return undefined;
		const other = isGroup ? 'decimal' : 'group';
		return amount.readings.find((each) => each[role] === mark && each[other] === undefined);
	}

	get isCertain(): boolean {
		return this.certain.length > 0;
	}

	/** Whether all decimals have a comma, and no money may be of a country that prints another order. */
	get isDayFirst(): boolean {
		const isOther = [...this.currencies].some((each) => canBe(each, OTHER_ORDERS));
		return this.all?.decimal === ',' && !isOther && !this.hasOtherDecimals;
	}
}

/** The only reading that the marks leave; undefined if there is none, or more than one. */
export function onlyReading({ readings }: Amount, marks?: Marks): Reading | undefined {
	const [reading, second] = readings.filter((each) => isAllowed(each, marks));
	return second === undefined ? reading : undefined;
}

/** No mark has another role than in the marks; where they show both roles, no other mark groups. */
export function isAllowed({ decimal, group }: Reading, marks?: Marks): boolean {
	if (marks === undefined) return true;
	const { groups, isSet } = marks;
	const isDecimal =
		marks.decimal === undefined ? !groups.has(decimal ?? '') : decimal === marks.decimal;
	if (decimal !== undefined && !isDecimal) return false;
	const isShown = groups.size === 0 || groups.has(group ?? '');
	const isForeign = marks.decimal !== undefined && !isShown && !isSet;
	return group === undefined || (group !== marks.decimal && !isForeign);
}
