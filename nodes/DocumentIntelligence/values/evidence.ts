import { grouped } from '../results/columns';
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

/** Amounts that can be read in one way only. */
export function certainMoney(cells: PrintedCell[]): CertainAmount[] {
	const money = moneyIn(cells);
	const [only, ...others] = new Set(money.flatMap(({ currency }) => currency ?? []));
	const usual = others.length === 0 ? only : undefined;
	return money.flatMap(({ readings: [reading, second], isOpen, currency = usual }) =>
		reading === undefined || second !== undefined || isOpen ? [] : { reading, currency },
	);
}

function moneyIn(cells: PrintedCell[]): Amount[] {
	return cells.flatMap(({ amount }) => (amount?.kind === 'money' ? amount : []));
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

/**
 * What the countries of the currency would print, unless money of the document uses their mark in the other role, or
 * money of the same currency shows that it is printed differently.
 */
function conventional(
	{ currency = '', readings }: Amount,
	all: Shown,
	own: Shown = NOTHING,
): Reading | undefined {
	const convention = conventionOf(currency);
	if (convention === undefined) return undefined;
	const { role, mark } = convention;
	const [other, elsewhere] =
		role === 'group' ? (['decimal', all.decimals] as const) : (['group', all.groups] as const);
	const hasOwnMarks =
		role === 'group' && [...own.decimals, ...own.groups].some((each) => each !== mark);
	if (elsewhere.has(mark) || hasOwnMarks) return undefined;
	return readings.find((each) => each[role] === mark && each[other] === undefined);
}

/** What the money of a document shows. */
export class MoneyEvidence {
	/** Of all money that is certain, by itself or by the convention of its currency. */
	readonly all?: Marks;
	/** Of the money that is certain by itself. */
	readonly printed?: Marks;
	/** Whether a plain number or a percentage, read by itself, uses a mark in another role than the money. */
	private readonly hasOtherDecimals: boolean;
	/** Whether all money can be read, and no other number contradicts it. */
	readonly decidesPlain: boolean;
	/** All currencies that are printed, certain or not. */
	readonly currencies: ReadonlySet<string>;
	private readonly certain: CertainAmount[];
	private readonly shown: Shown;
	private readonly byCurrency: ReadonlyMap<string, Shown>;

	constructor(cells: PrintedCell[]) {
		const money = moneyIn(cells);
		this.currencies = new Set(money.flatMap(({ currency }) => currency ?? []));
		const byItself = certainMoney(cells);
		const own = shownByCurrency(byItself);
		this.shown = shownBy(byItself);
		const byConvention = cells.flatMap(({ amount, isUnitPrice }): CertainAmount[] => {
			if (amount?.kind !== 'money' || !amount.isOpen || isUnitPrice) return [];
			const reading = conventional(amount, this.shown, own.get(amount.currency ?? ''));
			return reading ? [{ reading, currency: amount.currency }] : [];
		});
		this.certain = [...byItself, ...byConvention];
		this.byCurrency = shownByCurrency(this.certain);
		this.all = marksOf(this.certain);
		this.printed = agreed(this.shown);
		const isOther = ({ amount }: PrintedCell) => {
			const reading = certainDecimal(amount);
			return reading !== undefined && !isAllowed(reading, this.all);
		};
		this.hasOtherDecimals = cells.some(isOther);
		const isLeftOpen = ({ amount, isUnitPrice }: PrintedCell) =>
			amount?.kind === 'money' && amount.isOpen && !this.readingOf(amount, isUnitPrice);
		this.decidesPlain = !this.hasOtherDecimals && !cells.some(isLeftOpen);
	}

	/** What an amount of money means that can be read in two ways. */
	readingOf(amount: Amount, isUnitPrice = false): Reading | undefined {
		const own = this.byCurrency.get(amount.currency ?? '') ?? NOTHING;
		const marks = agreed(own);
		const reading = marks && onlyReading(amount, marks);
		if (reading === undefined)
			return isUnitPrice ? undefined : conventional(amount, this.shown, own);
		// Three decimals are none where all other amounts with decimals show two.
		const isUnusual = reading.scale === 3 && own.scales.size === 1 && own.scales.has(2);
		return isUnitPrice || !isUnusual ? reading : undefined;
	}

	get isCertain(): boolean {
		return this.certain.length > 0;
	}

	/** Whether all decimals have a comma, and no money may be of a country that prints another order. */
	get isDayFirst(): boolean {
		const isOther = this.certain.some(({ currency = '' }) =>
			canBe(currency, ['CAD', 'SEK', 'HUF', 'ZAR']),
		);
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
