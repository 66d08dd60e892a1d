import {
	checkSums,
	parseChecks,
	type ExactAmount,
} from '../../../../nodes/DocumentIntelligence/results/checks';
import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import { field } from './printedField';

/** Reads `-1.50`, `19 %` and `1.00 EUR`; nothing else is certain. */
function readAmount(text: string): ExactAmount | string {
	const [, number, percent, currency] = /^(-?\d+(?:\.\d+)?)( %)?( [A-Z]{3})?$/.exec(text) ?? [];
	if (number === undefined) return `is ${text}`;
	const [, decimals = ''] = number.split('.');
	return {
		digits: BigInt(number.replace('.', '')),
		scale: decimals.length + (percent === undefined ? 0 : 2),
		...(currency !== undefined && { currency }),
	};
}

const failuresOf = (checks: string, metadata: object) =>
	checkSums(parseChecks(checks), readMetadata(metadata), readAmount).failures;

const resultsOf = (checks: string, metadata: object) =>
	failuresOf(checks, metadata).map(({ failedCheck, reason }) => ({ failedCheck, reason }));

const invoice = {
	fields: {
		net: field('100.00', 90),
		tax: field('21.00', 90),
		total: field('121.00 EUR', 90),
		'tax-rate': '21 %',
		paid: null,
		note: 'N/A',
		due: '1.2.3',
		größe: '2',
		lineItems: {
			items: [
				{ quantity: field('2', 90), unitPrice: field('30.00', 90), amount: field('60.00 EUR', 90) },
				null,
				{ quantity: '1', unitPrice: '40.00', amount: '40.00' },
				{ quantity: null, unitPrice: '', amount: '-', text: 'Thank you' },
			],
		},
		fees: [],
		discounts: [{ amount: null }],
	},
};

describe('Checks that pass', () => {
	test.each([
		'total = net + tax',
		'net = total - tax',
		'net = lineItems.amount',
		'tax = total - lineItems.amount',
		'tax = total - lineItems.quantity * lineItems.unitPrice',
		'total = lineItems.amount + tax',
		'Total = fields.LINE_ITEMS.amount+TAX',
		'lineItems.amount = lineItems.quantity * lineItems.unitPrice',
		'net = lineItems.quantity * lineItems.unitPrice',
		'total = lineItems.quantity * lineItems.unitPrice * 1.21',
		'tax = net * taxRate',
		'tax = lineItems.amount * tax rate',
		'tax = net * 21 %',
		'tax = 2 * 10 + 1',
		'tax = 1 + 2 * 10',
		'total = net + tax + 0.004',
		'net = total - tax - 0.005',
		'total = net + 21.05 ± 0.05',
		'total = net + 20.95 +/- 0.05',
		'lineItems.amount = net * lineItems.unitPrice * lineItems.quantity * 0.01',
		'lineItems[0].amount = lineItems[0].quantity * 30',
		'taxRate = 0.21',
		'tax = net * 21%',
		'net = total − 11.00 – 10.00',
		'Größe = 2',
	])('%s', (check) => {
		expect(resultsOf(check, invoice)).toEqual([]);
	});

	test('binary fractions are none', () => {
		expect(resultsOf('a = b + c', { a: '0.30', b: '0.10', c: '0.20' })).toEqual([]);
		expect(resultsOf('a = b + c', { a: 0.1 + 0.2, b: 0.1, c: 0.2 })).toEqual([]);
	});
});

describe('Checks that fail', () => {
	test.each<[check: string, expected: number, actual: number, difference: number, reason: string]>([
		['total = lineItems.amount', 100, 121, 21, 'but lineItems.amount is 100.00'],
		['total = net + 21.06 ± 0.05', 121.06, 121, -0.06, 'but net + 21.06 is 121.06 ± 0.05'],
		['total = 100 ± 2 %', 100, 121, 21, 'but should be 100.00 ± 2 %'],
	])('%s', (check, expected, actual, difference, reason) => {
		const failedCheck = { check, expected, actual, difference };
		expect(resultsOf(check, invoice)).toEqual([
			{ failedCheck, reason: `total is 121.00 EUR, ${reason}` },
		]);
	});

	test.each<[check: string, expected: number | null, actual: number | null, reason: string]>([
		['net = total - paid', null, 100, 'paid has no value'],
		['net = total - note', null, 100, 'note has no value'],
		['net = total - due', null, 100, 'due is 1.2.3'],
		['paid = net', 100, null, 'paid has no value'],
		['total = fees.amount', null, 121, 'fees.amount has no value'],
		['total = discounts.amount', null, 121, 'discounts.amount has no value'],
		['discounts.amount = net', 100, null, 'discounts.amount has no value'],
		['total = lineItems.amount * discounts.amount', null, 121, 'discounts.amount has no value'],
	])('%s cannot be checked', (check, expected, actual, reason) => {
		expect(resultsOf(check, invoice)).toEqual([
			{
				failedCheck: { check, expected, actual, difference: null },
				reason: `${check} cannot be checked: ${reason}`,
			},
		]);
	});

	test('rows fail by themselves, in the order of the table', () => {
		const lineItems = [
			{ quantity: '2', unitPrice: '30.00', amount: '60.00' },
			null,
			{ quantity: '2', unitPrice: '30.005', amount: '60.00' },
			{ quantity: '2', amount: '60.00' },
			{ quantity: '2', unitPrice: '30.00' },
		];
		const check = 'lineItems.amount = lineItems.quantity * lineItems.unitPrice';
		expect(resultsOf(check, { lineItems })).toEqual([
			{
				failedCheck: { check, expected: 60.01, actual: 60, difference: -0.01, row: 2 },
				reason:
					'lineItems[2].amount is 60.00, but lineItems.quantity * lineItems.unitPrice is 60.01',
			},
			{
				failedCheck: { check, expected: null, actual: 60, difference: null, row: 3 },
				reason: `${check} cannot be checked in lineItems[3]: lineItems.unitPrice has no value`,
			},
			{
				failedCheck: { check, expected: 60, actual: null, difference: null, row: 4 },
				reason: `${check} cannot be checked in lineItems[4]: lineItems.amount has no value`,
			},
		]);
	});

	test('a row lacks one of the columns that are added up', () => {
		const lineItems = [{ amount: '1.00', fee: '0.10' }, { amount: '1.00' }, { fee: null }];
		const [failure] = resultsOf('total = lineItems.amount + lineItems.fee', {
			total: '2.10',
			lineItems,
		});
		expect(failure?.failedCheck).toMatchObject({ expected: null, actual: 2.1 });
	});

	test('a column of another table is not in the row', () => {
		expect(resultsOf('t.a = u.b', { t: [{ a: '1' }], u: [{ b: '1' }, { b: '2' }] })).toEqual([
			{
				failedCheck: { check: 't.a = u.b', expected: null, actual: 1, difference: null, row: 0 },
				reason: 't.a = u.b cannot be checked in t[0]: u.b has no value',
			},
		]);
	});

	test.each([
		['the sum', { total: '3.00 EUR', t: [{ a: '1.00 USD' }, { a: '2.00' }] }, 3],
		['two rows', { total: '3.00', t: [{ a: '1.00 USD' }, { a: '2.00 EUR' }] }, 3],
	])('two currencies: %s', (_, metadata, actual) => {
		expect(resultsOf('total = t.a', metadata)).toEqual([
			{
				failedCheck: { check: 'total = t.a', expected: null, actual, difference: null },
				reason: 'total = t.a cannot be checked: its values have different currencies',
			},
		]);
	});

	test('two fields that a check cannot tell apart', () => {
		const [failure] = resultsOf('total = taxRate', { total: '1', tax_rate: '1', taxRate: '1' });
		expect(failure?.reason).toBe(
			'total = taxRate cannot be checked: several fields have the name taxRate',
		);
	});

	test('a number of JSON counts as printed with two decimals', () => {
		expect(resultsOf('a = b', { a: 2, b: '2.004' })).toEqual([]);
		expect(resultsOf('a = b', { a: 2, b: '2.005' })).toEqual([
			{
				failedCheck: { check: 'a = b', expected: 2.01, actual: 2, difference: -0.01 },
				reason: 'a is 2.00, but b is 2.01',
			},
		]);
		expect(resultsOf('a = b * c', { a: 1.24, b: 0.0825, c: 15 })).toEqual([]);
	});

	test('halves are rounded away from zero, to the decimals that the left side prints', () => {
		expect(resultsOf('a = b', { a: '-0.13', b: '-0.125' })).toEqual([]);
		expect(resultsOf('a = b', { a: '3', b: '2.5' })).toEqual([]);
		expect(resultsOf('a = b', { a: '2.6', b: '2.55' })).toEqual([]);
		expect(resultsOf('a = b', { a: '0', b: '-0.4' })).toEqual([]);
		const long = '1'.repeat(30);
		expect(resultsOf('a = b', { a: `${long}.13`, b: `${long}.125` })).toEqual([]);
	});
});

test.each([
	['total = order ± 2 %', { total: '102.00', order: '100.00' }, true],
	['total = order ± 2%', { total: '98.00', order: '100.00' }, true],
	['total = order +/- 2.5 %', { total: '102.51', order: '100.00' }, false],
	['total = order ± 2 %', { total: '97.99', order: '100.00' }, false],
	['total = order ± 2 %', { total: '-102.00', order: '-100.00' }, true],
	['total = order ± 2 %', { total: '0.01', order: '0.00' }, false],
	// Of the right side: 2 % of the total would be 2.04.
	['total = order ± 2 %', { total: '102.03', order: '100.00' }, false],
	['total = 1234.5 ± 2 %', { total: '1250.00' }, true],
	['total = order ± 2 %', { total: '102.00' }, false],
])('%s of %p passes: %p', (check, metadata, passes) => {
	expect(resultsOf(check, metadata)).toHaveLength(passes ? 0 : 1);
});

test('rows of two tables with alike names are checked, whichever comes first', () => {
	const metadata = {
		lineItems: [{ amount: '6.00', net: '6.00' }],
		line_items: [{ amount: '9.00', net: '6.00' }],
	};
	expect(resultsOf('lineItems.amount = lineItems.net', metadata)).toHaveLength(1);
});

test('a row with an object in place of an amount counts, and the reason quotes it', () => {
	const lineItems = [{ amount: '60.00' }, { amount: { net: '5.00', gross: '6.00' } }];
	const failures = resultsOf('total = lineItems.amount', { total: '60.00', lineItems });
	expect(failures.map(({ reason }) => reason)).toEqual([
		'total = lineItems.amount cannot be checked: lineItems[1].amount is {"net":"5.00","gross":"6.00"}, which cannot be read with certainty',
	]);
});

test('a failure has the path of its left side, if the document has it', () => {
	const metadata = { fields: { net: '1', lines: [{ a: '2' }, { a: '1' }] } };
	const failures = failuresOf('lines.a = net\nnet = lines.a\ntotal = net', metadata);
	expect(failures.map(({ path }) => path)).toEqual([
		['fields', 'lines', 0, 'a'],
		['fields', 'net'],
		undefined,
	]);
});

test('several checks, in their order', () => {
	const checks = 'total = net\ntotal = net + tax\ntax = net';
	expect(resultsOf(checks, invoice).map(({ failedCheck }) => failedCheck.check)).toEqual([
		'total = net',
		'tax = net',
	]);
});

test('the names that a document does not have', () => {
	const checks = parseChecks(
		'totl = net + lineItems.amnt\nnet = totl * taxRate * lineItems[0].amount',
	);
	const { unknownNames } = checkSums(checks, readMetadata(invoice), readAmount);
	expect(unknownNames).toEqual(['totl', 'lineItems.amnt']);
});
