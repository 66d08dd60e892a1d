import { grouped } from '../../text/grouped';
import type { PrintedCell } from '../printedCells';
import { conventionOf } from './currencies';
import { isAllowed, marksOf, onlyReading } from './marks';
import type { Amount } from './readAmount';
import type { Reading } from './readNumber';

type Money = PrintedCell & { amount: Amount };

/** The reading of certain money, with its own currency, or else the document's only one. */
interface CertainMoney extends Reading {
	currency: string;
}

export type MoneyEvidence = ReturnType<typeof moneyEvidence>;

/** What the money of a document shows. */
export function moneyEvidence(cells: PrintedCell[]) {
	const money = cells.filter((cell): cell is Money => cell.amount?.kind === 'money');
	const moneyInNeed = money.filter(({ amount }) => amount.needsEvidence);
	const currencies = new Set(money.flatMap(({ amount }) => amount.currency ?? []));
	const byItself = certainIn(money, currencies);
	const readByConvention = conventionReader(currencies, byItself);
	const byConvention = moneyInNeed.flatMap(({ amount, name }): CertainMoney[] => {
		const reading = name.isUnitPrice ? undefined : readByConvention(amount);
		return reading ? [{ ...reading, currency: amount.currency ?? '' }] : [];
	});
	const ownGroups = groupsIn(money.filter(({ amount }) => amount.currency !== undefined));
	const certain = [...byItself, ...byConvention];
	const marks = marksOf(certain);
	const marksByCurrency = new Map(
		[...grouped(certain, ({ currency }) => currency)].map(([name, own]) => [name, marksOf(own)]),
	);
	/**
	 * What money means that can be read in two ways. What its countries print comes first: it is not used where this document
	 * shows that it does otherwise. By the marks of others, as `$ 1.250` beside `$ 250.00`, money has no three decimals; the
	 * price of a unit may have any number, so that only the others decide.
	 */
	const readMoneyInNeed = (amount: Amount, name?: PrintedCell['name']): Reading | undefined => {
		const own = marksByCurrency.get(amount.currency ?? '');
		const reading = own && onlyReading(amount, own);
		if (name?.isUnitPrice) return reading;
		return readByConvention(amount) ?? (reading?.scale === 0 ? reading : undefined);
	};
	const decimals = certainDecimals(cells);
	// `12.50` and `1.180,00 €`.
	const isContradicted = decimals.some((reading) => !isAllowed(reading, marks));
	// `COP 646.404` beside `£86.40` cannot be read, so plain numbers may be like it.
	const unread = moneyInNeed.filter(({ amount, name }) => !readMoneyInNeed(amount, name));
	// `$ 1,200` may be grouped, so `1,250 %` is uncertain beside it.
	const groupings = unread.flatMap(({ amount }) => amount.readings.filter(({ group }) => group));
	const shown = [...certain, ...decimals, ...groupings];
	const marksWith = (decimal: string) => marksOf([...shown, { digits: 0n, scale: 0, decimal }]);
	// `4,370` and `2 468.13` beside `CHF 32.74`: in Switzerland, quantities and payment slips have other marks than money.
	const isSwiss = currencies.has('CHF');
	// `USD 13,512.40` beside `12.03.2027`: where a day has points, decimals have a comma.
	const hasDottedDates = marks?.decimal === '.' && cells.some(({ date }) => date?.mark === '.');
	return {
		/** All currencies that are printed. */
		currencies,
		/** Whether any money is certain. */
		isCertain: certain.length > 0,
		/** Whether any of it has more than two decimals: `KWD 12.500`. */
		hasThreeDecimals: certain.some(({ scale }) => scale > 2),
		/** The marks between the groups of money that is certain by itself, with a currency if there are such. */
		groups: ownGroups.size > 0 ? ownGroups : groupsIn(money),
		/** The marks of the money that is certain by itself. */
		marksByItself: marksOf(byItself),
		/** The marks of all certain money, by itself or by what the countries of its currency print. */
		marks,
		/** What may be before the decimals of a percentage: a mark that nothing in the document contradicts. */
		percentageMarks: ['.', ','].filter(marksWith),
		readMoneyInNeed,
		isSwiss,
		/** Whether no point can stand before decimals, and nothing contradicts that: `1.180,00 €`, but not beside `12.50`. */
		showsComma: (marks?.decimal === ',' || marks?.groups.has('.') === true) && !isContradicted,
		/** Whether the money decides what plain numbers mean. */
		decidesPlain: unread.length === 0 && !isContradicted && !isSwiss && !hasDottedDates,
	};
}

/** `2.468,13 €` can be read in one way only, `2.468 €` cannot. */
function certainIn(money: Money[], currencies: ReadonlySet<string>): CertainMoney[] {
	const [only = '', other] = currencies;
	const usual = other === undefined ? only : '';
	return money.flatMap(({ amount: { readings, needsEvidence, currency = usual } }) => {
		const [reading] = readings;
		return reading === undefined || needsEvidence ? [] : { ...reading, currency };
	});
}

function groupsIn(money: Money[]): ReadonlySet<string> {
	return new Set(certainIn(money, new Set()).flatMap(({ group }) => group ?? []));
}

type Convention = NonNullable<ReturnType<typeof conventionOf>>;

/** Reads what the countries of a currency print, unless the document does otherwise: `JPY 1,250` has groups, `KWD 1.250` decimals. */
function conventionReader(currencies: ReadonlySet<string>, certain: CertainMoney[]) {
	const unconventional = new Set(
		[...currencies].filter((name) => {
			const convention = conventionOf(name);
			const isContradictedBy = (money: CertainMoney, by: Convention) =>
				usesMarkInOtherRole(money, by) || (money.currency === name && printsOtherMark(money, by));
			return convention && certain.some((money) => isContradictedBy(money, convention));
		}),
	);
	return ({ currency = '', readings }: Amount): Reading | undefined => {
		const convention = unconventional.has(currency) ? undefined : conventionOf(currency);
		return convention && readings.find((each) => each[convention.role] === convention.mark);
	};
}

/** `1.250,00 EUR` shows that the point in `KWD 1.250` may group. */
function usesMarkInOtherRole({ group, decimal }: Reading, { role, mark }: Convention): boolean {
	return (role === 'group' ? decimal : group) === mark;
}

/** `12 450 Ft` shows that the point in `36.386 Ft` does not group. */
function printsOtherMark({ group, decimal }: Reading, { role, mark }: Convention): boolean {
	if (decimal !== undefined && decimal !== mark) return true;
	return role === 'group' && group !== undefined && group !== mark;
}

/** Of plain numbers and percentages with decimals that can be read in one way only: `12.50`, `19,5 %`. */
export function certainDecimals(cells: PrintedCell[]): Reading[] {
	return cells.flatMap(({ amount }) => {
		if (amount === undefined || amount.kind === 'money' || amount.needsEvidence) return [];
		return amount.readings.filter(({ decimal }) => decimal !== undefined);
	});
}
