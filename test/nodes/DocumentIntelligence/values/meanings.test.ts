import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import {
	exactAmountDecider,
	meaningsOf,
} from '../../../../nodes/DocumentIntelligence/values/meanings';
import { readPrinted } from '../../../../nodes/DocumentIntelligence/values/printedValue';

test.each([
	['1.234 €', { readings: ['1.234', '1234'], decides: 'decimalMark' }],
	['04/03/2026', { readings: ['2026-03-04', '2026-04-03'], decides: 'dateOrder' }],
	['12.50', { readings: ['12.50'], decides: 'decimalMark' }],
	['04.03.26', { readings: ['2026-03-04', '2026-04-03', '2004-03-26'], decides: 'dateOrder' }],
	['12.50-', { readings: ['-12.50'], decides: 'decimalMark' }],
	['12.50 CR', { readings: [] }],
	['299-', { readings: [] }],
	['Total', { readings: [] }],
])('%s can mean %j', (text, expected) => {
	const settings = { decimalMark: 'detect', dateOrder: 'detect' };
	expect(meaningsOf(readPrinted(text), settings)).toEqual(expected);
	const { readings } = expected;
	expect(meaningsOf(readPrinted(text), { decimalMark: 'point' })).toEqual({ readings });
});

test('sums read a percentage as hundredths, and a sign as the only currency that has it', () => {
	const read = exactAmountDecider(readMetadata({ a: '$ 5.00', b: 'USD 6.00' }), 'detect');
	expect(read('19 %', ['rate'])).toMatchObject({ digits: 19n, scale: 2 });
	for (const printed of ['$ 5.00', 'USD 5.00'])
		expect(read(printed, ['a'])).toEqual({ digits: 500n, scale: 2, currency: 'USD' });
});
