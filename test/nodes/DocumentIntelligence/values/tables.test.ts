import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { unitOf } from '../../../../nodes/DocumentIntelligence/values/amounts/currencies';
import { MONTHS, WEEKDAYS } from '../../../../nodes/DocumentIntelligence/values/tables/dateNames';
import { TABLES, tablesFolder } from '../../../values/makeTables';

/** The ICU that the tables were made with. */
const CLDR = '48.0';

const isSameIcu = process.versions.cldr === CLDR;

(isSameIcu ? test : test.skip).each(Object.entries(TABLES))(
	'%s is what `npm run tables` writes',
	(name, table) => {
		expect(readFileSync(join(tablesFolder, name), 'utf8')).toBe(table());
	},
);

test('there are twelve months and seven weekdays, and few months share a name', () => {
	const months = MONTHS.trim()
		.split('\n')
		.map((line) => line.split(', '));
	expect([months.length, WEEKDAYS.trim().split('\n').length]).toEqual([12, 7]);
	const names = months.flat();
	const shared = names.filter((name, at) => names.indexOf(name) !== at);
	expect(shared.sort()).toEqual(['lip', 'lis', 'listopad', 'listopada', 'srp']);
});

test.each([
	['€', 'EUR'],
	['euros', 'EUR'],
	['EURO', 'EUR'],
	['R$', 'BRL'],
	['US $', 'USD'],
	['Rs.', 'INR_LKR_MUR_NPR_PKR'],
	['S/', 'PEN'],
	['S/.', 'PEN'],
	['ש"ח', 'ILS'],
	['جنيه', 'EGP_LBP'],
	['Schweizer Franken', 'CHF'],
	['kr', 'DKK_ISK_NOK_SEK'],
])('%s is %s', (text, name) => {
	expect(unitOf(text.replaceAll(' ', ''))?.name).toBe(name);
});

test.each('km, L, K, P, N, r, all, try, top, usd, kg, STD, m'.split(', '))(
	'%s is no currency',
	(text) => {
		expect(unitOf(text)).toBeUndefined();
	},
);
