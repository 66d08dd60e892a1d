import {
	checkSums,
	parseChecks,
	type ExactAmount,
} from '../../../../nodes/DocumentIntelligence/results/checks';
import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import { DocumentError } from '../../../../nodes/DocumentIntelligence/text/errors';
import { field } from './printedField';

describe('The option', () => {
	test('has one check a line, or is a list of checks', () => {
		const textsOf = (option: unknown) => parseChecks(option).map(({ text }) => text);
		expect(textsOf(' a = b \n\r\n\n c = d - e\r\n')).toEqual(['a = b', 'c = d - e']);
		expect(textsOf(['a = b', 'c = d'])).toEqual(['a = b', 'c = d']);
		expect([textsOf(''), textsOf(null), textsOf(undefined)]).toEqual([[], [], []]);
	});

	const refused = `
total | total lineItems.amount | = a | a = | a = b = c | a == b | a + b = c | tax-rate = a | 2 = a | a = b +* c | a = -b
a = b + | a = 2 * (b + c) | a = b / c | a = 1.2.3 | a = 0,19 * b | a = b × c | a = b ± c | a = b ± | a = b ± 5 % of c
a = b ± % | a = b ± 1 ± 2 | a ± 1 = b | a := b | a != b | a ~ b = c | a = b # note | a = b — c`;

	test.each(refused.trim().split(/\n| \| /))('with the line %s is refused', (line) => {
		const parse = () => parseChecks(`total = net + tax\n  ${line}`);
		expect(parse).toThrow(DocumentError);
		expect(parse).toThrow(
			expect.objectContaining({
				message: `'Check Sums' has a line that is not a check: "${line}"`,
				description: expect.stringMatching(/^Nothing was sent\. .*For example: total = /) as string,
			}) as Error,
		);
	});

	test('is refused in no time, however long it is', () => {
		const line = `a = ${'b + 1   + '.repeat(5000)}(`;
		const startedAt = process.cpuUsage();
		expect(() => parseChecks(line)).toThrow(DocumentError);
		expect(process.cpuUsage(startedAt).user).toBeLessThan(1_000_000);
	});
});

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

const checked = (checks: string, metadata: object) =>
	checkSums(parseChecks(checks), readMetadata(metadata), readAmount);

const failuresOf = (checks: string, metadata: object) =>
	checked(checks, metadata).failures.map(({ failedCheck, reason }) => ({ failedCheck, reason }));

const reasonsOf = (checks: string, metadata: object) =>
	checked(checks, metadata).failures.map(({ reason }) => reason);

const invoice = {
	fields: {
		net: field('100.00', 90),
		tax: field('21.00', 90),
		total: field('121.00 EUR', 90),
		...{ 'tax-rate': '21 %', paid: null, note: 'N/A', due: '1.2.3', größe: '2' },
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

describe('A check that passes', () => {
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
		expect(failuresOf(check, invoice)).toEqual([]);
	});

	const long = '1'.repeat(30);

	test.each<[why: string, check: string, metadata: object]>([
		['binary fractions are none', 'a = b + c', { a: '0.30', b: '0.10', c: '0.20' }],
		['binary fractions are none', 'a = b + c', { a: 0.1 + 0.2, b: 0.1, c: 0.2 }],
		['a number of JSON has two decimals', 'a = b', { a: 2, b: '2.004' }],
		['a number of JSON has two decimals', 'a = b * c', { a: 1.24, b: 0.0825, c: 15 }],
		['halves are rounded away from zero', 'a = b', { a: '-0.13', b: '-0.125' }],
		['to the decimals of the left side', 'a = b', { a: '3', b: '2.5' }],
		['to the decimals of the left side', 'a = b', { a: '2.6', b: '2.55' }],
		['to the decimals of the left side', 'a = b', { a: '0', b: '-0.4' }],
		['whatever the size', 'a = b', { a: `${long}.13`, b: `${long}.125` }],
	])('%s: %s in %j', (_, check, metadata) => {
		expect(failuresOf(check, metadata)).toEqual([]);
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
	expect(failuresOf(check, metadata)).toHaveLength(passes ? 0 : 1);
});

describe('A check that fails', () => {
	test.each<[check: string, expected: number, actual: number, difference: number, reason: string]>([
		['total = lineItems.amount', 100, 121, 21, 'but lineItems.amount is 100.00'],
		['total = net + 21.06 ± 0.05', 121.06, 121, -0.06, 'but net + 21.06 is 121.06 ± 0.05'],
		['total = 100 ± 2 %', 100, 121, 21, 'but should be 100.00 ± 2 %'],
	])('%s', (check, expected, actual, difference, reason) => {
		const failedCheck = { check, expected, actual, difference };
		expect(failuresOf(check, invoice)).toEqual([
			{ failedCheck, reason: `total is 121.00 EUR, ${reason}` },
		]);
	});

	const dollars = { total: '3.00 EUR', t: [{ a: '1.00 USD' }, { a: '2.00' }] };
	const mixed = { total: '3.00', t: [{ a: '1.00 USD' }, { a: '2.00 EUR' }] };
	const twoNames = { total: '1', tax_rate: '1', taxRate: '1' };
	const incomplete = { total: '2', t: [{ a: '1', b: '1' }, { a: '1' }, { b: null }] };
	const unreadable = 't[1].a is {"net":"5.00","gross":"6.00"}, which cannot be read with certainty';
	const nested = { total: '60.00', t: [{ a: '60.00' }, { a: { net: '5.00', gross: '6.00' } }] };

	test.each<
		[check: string, expected: number | null, actual: number | null, gap: string, metadata: object]
	>([
		['net = total - paid', null, 100, 'paid has no value', invoice],
		['net = total - note', null, 100, 'note has no value', invoice],
		['net = total - due', null, 100, 'due is 1.2.3', invoice],
		['paid = net', 100, null, 'paid has no value', invoice],
		['total = fees.amount', null, 121, 'fees.amount has no value', invoice],
		['total = discounts.amount', null, 121, 'discounts.amount has no value', invoice],
		['discounts.amount = net', 100, null, 'discounts.amount has no value', invoice],
		['total = lineItems.amount * fees.a', null, 121, 'fees.a has no value', invoice],
		['total = t.a', null, 3, 'its values have different currencies', dollars],
		['total = t.a', null, 3, 'its values have different currencies', mixed],
		['total = taxRate', null, 1, 'several fields have the name taxRate', twoNames],
		// A row lacks one of the columns that are added up.
		['total = t.a + t.b', null, 2, 't.b has no value', incomplete],
		['total = t.a', null, 60, unreadable, nested],
	])('%s: %j, %j: cannot be checked, %s', (check, expected, actual, gap, metadata) => {
		const failedCheck = { check, expected, actual, difference: null };
		const reason = `${check} cannot be checked: ${gap}`;
		expect(failuresOf(check, metadata)).toEqual([{ failedCheck, reason }]);
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
		expect(failuresOf(check, { lineItems })).toEqual([
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

	test('a column of another table is not in the row', () => {
		const metadata = { t: [{ a: '1' }], u: [{ b: '1' }, { b: '2' }] };
		expect(reasonsOf('t.a = u.b', metadata)).toEqual([
			't.a = u.b cannot be checked in t[0]: u.b has no value',
		]);
	});

	test('rows of two tables with alike names are checked, whichever comes first', () => {
		const metadata = {
			lineItems: [{ amount: '6.00', net: '6.00' }],
			line_items: [{ amount: '9.00', net: '6.00' }],
		};
		expect(failuresOf('lineItems.amount = lineItems.net', metadata)).toHaveLength(1);
	});

	test('a number of JSON is shown with two decimals', () => {
		expect(failuresOf('a = b', { a: 2, b: '2.005' })).toEqual([
			{
				failedCheck: { check: 'a = b', expected: 2.01, actual: 2, difference: -0.01 },
				reason: 'a is 2.00, but b is 2.01',
			},
		]);
	});

	test('has the path of its left side, if the document has it; several are in their order', () => {
		const metadata = { fields: { net: '1', lines: [{ a: '2' }, { a: '1' }] } };
		const { failures } = checked('lines.a = net\nnet = lines.a\ntotal = net', metadata);
		expect(failures.map(({ failedCheck, path }) => [failedCheck.check, path])).toEqual([
			['lines.a = net', ['fields', 'lines', 0, 'a']],
			['net = lines.a', ['fields', 'net']],
			['total = net', undefined],
		]);
	});
});

test('the names that a document does not have', () => {
	const checks = 'totl = net + lineItems.amnt\nnet = totl * taxRate * lineItems[0].amount';
	expect(checked(checks, invoice).unknownNames).toEqual(['totl', 'lineItems.amnt']);
});
