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

/** The marks that amounts show; undefined if they contradict each other, or show none. */
export function marksOf(amounts: Array<{ reading: Reading }>): Marks | undefined {
	const decimals = new Set(amounts.flatMap(({ reading }) => reading.decimal ?? []));
	const groups = new Set(amounts.flatMap(({ reading }) => reading.group ?? []));
	const [decimal, second] = decimals;
	const isShown = decimal !== undefined || groups.size > 0;
	if (!isShown || second !== undefined || groups.has(decimal ?? '')) return undefined;
	return { decimal, groups };
}

/** What the certain amounts of one currency show. */
class CurrencyEvidence {
	readonly marks?: Marks;
	private readonly scales: ReadonlySet<number>;

	constructor(amounts: CertainAmount[] = []) {
		this.marks = marksOf(amounts);
		const withDecimals = amounts.filter(({ reading }) => reading.decimal !== undefined);
		this.scales = new Set(withDecimals.map(({ reading }) => reading.scale));
	}

	/** Three decimals are none where all other amounts with decimals show two. */
	hasUsualDecimals({ scale }: Reading): boolean {
		return scale !== 3 || this.scales.size !== 1 || !this.scales.has(2);
	}

	/** What the countries of the currency would print, if the document does not print something else. */
	conventional({ currency, readings }: Amount): Reading | undefined {
		const convention = conventionOf(currency);
		const hasDecimals = [...this.scales].some((scale) => scale > 0);
		const isContradicted = hasDecimals && this.marks === undefined;
		if (convention === undefined || isContradicted) return undefined;
		const { role, mark } = convention;
		if (role === 'group' && hasDecimals) return undefined;
		const other = role === 'group' ? 'decimal' : 'group';
		const reading = readings.find((each) => each[role] === mark && each[other] === undefined);
		return reading && isAllowed(reading, this.marks) ? reading : undefined;
	}
}

const NO_EVIDENCE = new CurrencyEvidence();

function evidenceByCurrency(certain: CertainAmount[]): Map<string, CurrencyEvidence> {
	const amounts = grouped(certain, ({ currency = '' }) => currency);
	return new Map([...amounts].map(([name, own]) => [name, new CurrencyEvidence(own)]));
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
	private readonly byCurrency: ReadonlyMap<string, CurrencyEvidence>;

	constructor(cells: PrintedCell[]) {
		const money = moneyIn(cells);
		this.currencies = new Set(money.flatMap(({ currency }) => currency ?? []));
		const byItself = certainMoney(cells);
		const evidence = evidenceByCurrency(byItself);
		const byConvention = cells.flatMap(({ amount, isUnitPrice }): CertainAmount[] => {
			if (amount?.kind !== 'money' || !amount.isOpen || isUnitPrice) return [];
			const own = evidence.get(amount.currency ?? '') ?? NO_EVIDENCE;
			const reading = own.conventional(amount);
			return reading ? [{ reading, currency: amount.currency }] : [];
		});
		this.certain = [...byItself, ...byConvention];
		this.byCurrency = evidenceByCurrency(this.certain);
		this.all = marksOf(this.certain);
		this.printed = marksOf(byItself);
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
		const own = this.byCurrency.get(amount.currency ?? '') ?? NO_EVIDENCE;
		const reading = own.marks && onlyReading(amount, own.marks);
		if (reading === undefined) return isUnitPrice ? undefined : own.conventional(amount);
		return isUnitPrice || own.hasUsualDecimals(reading) ? reading : undefined;
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
