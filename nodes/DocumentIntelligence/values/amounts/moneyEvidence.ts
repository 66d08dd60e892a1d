import { grouped } from '../../text/grouped';
import { conventionOf, type Convention } from './currencies';
import type { Amount, Reading } from './readAmount';
import { isAllowed, marksOf, onlyReading, type Marks } from './marks';
import type { PrintedCell } from '../printedCells';

type Money = PrintedCell & { amount: Amount };

/** Money of which one reading is certain, with its own currency, or else the document's only one. */
interface CertainMoney {
	reading: Reading;
	currency: string;
}

/** What the money of a document shows. */
export class MoneyEvidence {
	/** All currencies that are printed. */
	readonly currencies: ReadonlySet<string>;
	/** Whether any money is certain. */
	readonly isCertain: boolean;
	/** The marks of the money that is certain by itself. */
	readonly printed?: Marks;
	/** The marks of all certain money, by itself or by what the countries of its currency print. */
	readonly all?: Marks;
	/** Whether a plain number or a percentage, read by itself, contradicts the money: `12.50` and `1.180,00 €`. */
	readonly isContradicted: boolean;
	/** Whether the money decides what plain numbers mean. */
	readonly decidesPlain: boolean;
	private readonly conventions: ReadonlyMap<string, Convention>;
	private readonly shown: ReadonlyMap<string, ShownByCurrency>;

	/** Each step needs those before it. */
	constructor(cells: PrintedCell[]) {
		const money = cells.filter((cell): cell is Money => cell.amount?.kind === 'money');
		const open = money.filter(({ amount }) => amount.isAmbiguous);
		this.currencies = new Set(money.flatMap(({ amount }) => amount.currency ?? []));
		const byItself = certainIn(money, this.currencies);
		this.conventions = conventionsIn(this.currencies, byItself);
		const certain = [...byItself, ...open.flatMap((cell) => this.certainByConvention(cell))];
		this.shown = shownByCurrencies(certain);
		this.isCertain = certain.length > 0;
		this.printed = marksOf(readingsOf(byItself));
		this.all = marksOf(readingsOf(certain));
		this.isContradicted = cells.some(({ amount }) => {
			const reading = certainDecimal(amount);
			return reading !== undefined && !isAllowed(reading, this.all);
		});
		// `COP 646.404` beside `£86.40` cannot be read, so plain numbers may be like it.
		const isRead = open.every(({ amount, name }) => this.readingOf(amount, name.isUnitPrice));
		this.decidesPlain = isRead && !this.isContradicted && !this.isForeign(cells);
	}

	/** What money means that can be read in two ways. */
	readingOf(amount: Amount, isUnitPrice = false): Reading | undefined {
		const { marks, hasTwoDecimals } = this.shown.get(amount.currency ?? '') ?? {};
		const reading = marks && onlyReading(amount, marks);
		// The price of a unit may have any number of decimals.
		if (isUnitPrice) return reading;
		// `$ 1.250` beside `$ 250.00`: three decimals are none where all others show two.
		const isUnusual = reading?.scale === 3 && hasTwoDecimals;
		return this.conventionalReading(amount) ?? (isUnusual ? undefined : reading);
	}

	private certainByConvention({ amount, name }: Money): CertainMoney[] {
		const reading = name.isUnitPrice ? undefined : this.conventionalReading(amount);
		return reading ? [{ reading, currency: amount.currency ?? '' }] : [];
	}

	/** What the countries of the currency print: `JPY 1,250` has groups, `KWD 1.250` decimals. */
	private conventionalReading({ currency = '', readings }: Amount): Reading | undefined {
		const convention = this.conventions.get(currency);
		return convention && readings.find((each) => each[convention.role] === convention.mark);
	}

	/** `USD 13,512.40` beside `12.03.2027`: where a day has points, decimals have a comma. */
	private isForeign(cells: PrintedCell[]): boolean {
		return this.all?.decimal === '.' && cells.some(({ date }) => date?.mark === '.');
	}
}

/** `2.468,13 €` can be read in one way only, `2.468 €` cannot. */
function certainIn(money: Money[], currencies: ReadonlySet<string>): CertainMoney[] {
	const [only = '', other] = currencies;
	const usual = other === undefined ? only : '';
	return money.flatMap(({ amount: { readings, isAmbiguous, currency = usual } }) => {
		const [reading, second] = readings;
		return reading === undefined || second !== undefined || isAmbiguous
			? []
			: { reading, currency };
	});
}

function readingsOf(money: CertainMoney[]): Reading[] {
	return money.map(({ reading }) => reading);
}

interface ShownByCurrency {
	marks?: Marks;
	/** Whether all amounts with decimals have two. */
	hasTwoDecimals: boolean;
}

function shownByCurrencies(certain: CertainMoney[]): Map<string, ShownByCurrency> {
	const own = [...grouped(certain, ({ currency }) => currency)];
	return new Map(
		own.map(([currency, money]) => {
			const readings = readingsOf(money);
			const scales = readings.filter(({ decimal }) => decimal).map(({ scale }) => scale);
			const hasTwoDecimals = scales.length > 0 && scales.every((scale) => scale === 2);
			return [currency, { marks: marksOf(readings), hasTwoDecimals }];
		}),
	);
}

/** What the countries of these currencies print, unless certain money shows that this document does not. */
function conventionsIn(
	currencies: ReadonlySet<string>,
	certain: CertainMoney[],
): Map<string, Convention> {
	const usual = [...currencies].flatMap((currency): Array<[string, Convention]> => {
		const convention = conventionOf(currency);
		const isUsual =
			convention && !certain.some((money) => isOtherwise(money, currency, convention));
		return isUsual ? [[currency, convention]] : [];
	});
	return new Map(usual);
}

function isOtherwise(money: CertainMoney, currency: string, { role, mark }: Convention): boolean {
	const { group, decimal } = money.reading;
	const isGroup = role === 'group';
	// `1.250,00 EUR` shows that the point in `KWD 1.250` may group.
	if ((isGroup ? decimal : group) === mark) return true;
	// `12 450 Ft` shows that the point in `36.386 Ft` does not group.
	const own = isGroup ? [decimal, group] : [decimal];
	return money.currency === currency && own.some((each) => each !== undefined && each !== mark);
}

/** Of a plain number or a percentage with decimals that can be read in one way only: `12.50`, `19,5 %`. */
export function certainDecimal(amount?: Amount): Reading | undefined {
	if (amount === undefined || amount.kind === 'money' || amount.isAmbiguous) return undefined;
	const [reading, second] = amount.readings;
	return second === undefined && reading?.decimal !== undefined ? reading : undefined;
}
