import {
	isDottedMonthFirst,
	namesIn,
	readDate,
} from '../../../../nodes/DocumentIntelligence/results/dates';

const certain = (value: string) => ({ kind: 'certain', value });
const UNKNOWN_CENTURY = { kind: 'uncertain', value: {} };

test('months and days of the week are known in eleven languages, in full and abbreviated', () => {
	const MONTHS = [
		[
			'January',
			'Feb',
			'March',
			'Apr.',
			'May',
			'jun',
			'JULY',
			'Aug',
			'September',
			'Oct',
			'November',
			'Dec',
		],
		[
			'Januar',
			'Feb.',
			'März',
			'April',
			'Mai',
			'Juni',
			'Juli',
			'Aug.',
			'Sept.',
			'Oktober',
			'Nov.',
			'Dezember',
		],
		[
			'janv.',
			'février',
			'mars',
			'avr.',
			'mai',
			'juin',
			'juil.',
			'août',
			'sept.',
			'octobre',
			'nov.',
			'décembre',
		],
		[
			'ene',
			'febrero',
			'marzo',
			'abr',
			'mayo',
			'junio',
			'jul',
			'agosto',
			'sept',
			'octubre',
			'nov',
			'dic',
		],
		[
			'gennaio',
			'feb',
			'marzo',
			'apr',
			'maggio',
			'giu',
			'luglio',
			'ago',
			'settembre',
			'ott',
			'novembre',
			'dic',
		],
		[
			'janeiro',
			'fev.',
			'março',
			'abr.',
			'maio',
			'jun.',
			'julho',
			'ago.',
			'setembro',
			'out.',
			'nov.',
			'dez.',
		],
		[
			'januari',
			'feb',
			'maart',
			'apr',
			'mei',
			'juni',
			'juli',
			'augustus',
			'sep',
			'oktober',
			'nov',
			'december',
		],
		[
			'tammikuu',
			'helmikuuta',
			'maalis',
			'huhti',
			'touko',
			'kesä',
			'heinä',
			'elo',
			'syyskuuta',
			'loka',
			'marras',
			'joulukuuta',
		],
	];
	for (const names of MONTHS)
		for (const [position, name] of names.entries()) {
			const month = String(position + 1).padStart(2, '0');
			expect([name, readDate(`5. ${name} 2024`)]).toEqual([name, certain(`2024-${month}-05`)]);
		}
	for (const text of [
		...['Monday, March 5, 2024', 'Sun 5 March 2024', 'Tuesday the 5th of March 2024'],
		...['Dienstag, 5. März 2024', 'So., 5. Mär. 2024', 'lundi 5 mars 2024', 'dim. 5 mars 2024'],
		...['lun 5 mar 2024', 'mar 5 mars 2024', 'domingo 5 de marzo de 2024', 'mar 5 2024'],
		...['terça-feira, 5 de março de 2024', 'domingo, 5 de março de 2024', 'su 5 maaliskuuta 2024'],
	])
		expect([text, readDate(text)]).toEqual([text, certain('2024-03-05')]);
	for (const text of ['Someday 5 March 2024', 'Sunday Mon 5 March 2024', 'March April 5 2024'])
		expect([text, readDate(text)]).toEqual([text, undefined]);
});

test('a name that means two months in two languages is none of them', () => {
	const { months, weekdays } = namesIn(['pl', 'hr']);
	expect(months.get('lis')).toBeUndefined();
	expect([months.get('stycznia'), months.get('prosinca')]).toEqual([1, 12]);
	expect(namesIn(['pl']).months.get('lis')).toBe(11);
	expect(namesIn(['hr']).months.get('lis')).toBe(10);
	expect(weekdays.size).toBeGreaterThanOrEqual(14);
});

test.each([
	['2024-03-05', '2024-03-05'],
	['\u200e2024-03-05\u200f', '2024-03-05'],
	[' 2024-03-05\t', '2024-03-05'],
	['2024-03-05T00:00', '2024-03-05'],
	['2024-03-05 00:00:00', '2024-03-05'],
	['2024-03-05T00:00:00.000Z', '2024-03-05'],
	['2024-03-05T00:00:00+01:00', '2024-03-05'],
	['2024-03-05T00:00-0500', '2024-03-05'],
	['2024/3/5', '2024-03-05'],
	['2024/11/25', '2024-11-25'],
	['2024. 3. 5.', '2024-03-05'],
	['05.\u00a003.\u00a0\u00a02024', '2024-03-05'],
	['25.03.2024', '2024-03-25'],
	['5 March 2024', '2024-03-05'],
	['March\u00a05th,  2024', '2024-03-05'],
	['2024 March 5', '2024-03-05'],
	['Sunday 2024 March 5', '2024-03-05'],
	["5 d'March 2024", undefined],
	['1900-01-01', '1900-01-01'],
	['2199-12-31', '2199-12-31'],
	['1899-12-31', undefined],
	['2200-01-01', undefined],
	['x2024-03-05', undefined],
	['12024-03-05', undefined],
	['2024-03-05x', undefined],
	['2024-03-05T00:00:01', undefined],
	['2024-03-05T12:00', undefined],
	['2024-03-05T00:00:00*01:00', undefined],
	['2024-03-05T00:00+1:00', undefined],
	['2024-03-05T00:00+01:0', undefined],
	['12024/3/5', undefined],
	['2024/3/5/6', undefined],
	['112/3/2024', undefined],
	['1/3/20245', undefined],
	['2024-02-30', undefined],
	['30.02.2024', undefined],
	['30/02/2024', undefined],
	['OUT-2041-12', undefined],
	['5 March', undefined],
	['5 6 March 2024', undefined],
	['March 123 2024', undefined],
	['2024 March 2025', undefined],
	['5 March 123', undefined],
	['5 March 2024 €', undefined],
	['5 March (2024)', undefined],
	['of 5 2024', undefined],
	['5 7 2024', undefined],
	['', undefined],
])('%j is %j', (text, value) => {
	const reading = readDate(text);
	if (reading !== undefined && 'monthFirst' in reading) delete reading.monthFirst;
	expect(reading).toStrictEqual(value === undefined ? undefined : certain(value));
});

test('what a date shows of the order of its document', () => {
	expect(readDate('25/03/2024')).toStrictEqual({ ...certain('2024-03-25'), shows: 'dayFirst' });
	expect(readDate('03-25-2024')).toStrictEqual({ ...certain('2024-03-25'), shows: 'monthFirst' });
	expect(readDate('03/03/2024')).toStrictEqual(certain('2024-03-03'));
	expect(readDate('03/04/2024')).toStrictEqual({
		kind: 'uncertain',
		value: { dayFirst: '2024-04-03', monthFirst: '2024-03-04' },
	});
	expect(readDate('03.04.2024')).toStrictEqual({
		...certain('2024-04-03'),
		monthFirst: '2024-03-04',
	});
	expect(readDate('25.03.2024')).toStrictEqual(certain('2024-03-25'));
	expect(readDate('03.03.2024')).toStrictEqual(certain('2024-03-03'));
});

test.each([
	['03.25.2024', true],
	[' 3. 25. 2024', true],
	['25.03.2024', false],
	['03.04.2024', false],
	['25.25.2024', false],
	['03/25/2024', false],
	['x03.25.2024', false],
	['', false],
])('whether %j has dots and is month first: %j', (text, expected) => {
	expect(isDottedMonthFirst(text)).toBe(expected);
});

describe('A year of two digits', () => {
	test.each([
		...['05.03.24', '5.03.24', '12.03.24', '5/3/24', '05-03-24', '29.02.00', '03/25/24'],
		...['5 March 24', 'OUT 20, 12', "March 5 '24", 'March 5, 24', "5 Mar '24", 'Tue 5 March 24'],
	])('%j is a date of which nobody knows the century', (text) => {
		expect(readDate(text)).toStrictEqual(UNKNOWN_CENTURY);
	});

	test.each([
		...['5.3.24', '12.3.24', '30.02.24', '29.02.01', '112/3/24', '5/3/241', '25.25.24'],
		...['OUT-20-12', 'OUT 20 12', 'March, 24 05', '30 February 24', '5 March 4', '5 24 March'],
	])('%j is none', (text) => {
		expect(readDate(text)).toBeUndefined();
	});
});
