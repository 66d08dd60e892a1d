import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { PolledNode } from '../../../../n8n-core/polledNode';
import { fastLimiters } from '../../../clock';
import { thrownBy, useService } from '../../../service';
import { itemWith } from '../../../samples';

const service = useService();
let item: INodeExecutionData;

beforeAll(async () => {
	item = await itemWith('invoice-us.pdf');
});

async function extracted(documents: object[], checks: unknown, parameters: IDataObject = {}) {
	await service.standIn.queueFaults(
		documents.map((metadata) => ({ kind: 'answer', data: { metadata } })),
	);
	const { options, ...others } = parameters;
	const { items, hints } = await service.run(
		{
			operation: 'extract',
			...others,
			options: { concurrency: 1, checks, ...(options as IDataObject) },
		},
		documents.map(() => item),
	);
	return { json: items.map(({ json }) => json), hints: hints.map(({ message }) => message) };
}

const CHECK = 'total = lineItems.amount + tax';

const invoice = {
	fields: {
		total: '1.300,00 €',
		tax: '211,00 €',
		note: '1.234',
		lineItems: [{ amount: '1.000,00' }, { amount: '10,00', text: 'Freight' }, { text: 'Thanks' }],
	},
};

const failedCheck = { check: CHECK, expected: 1221, actual: 1300, difference: 79 };
const reason = 'total is 1.300,00 €, but lineItems.amount + tax is 1221.00';

test.each(['printed', 'typed'])('in Simplified, whatever Values says: %s', async (values) => {
	const { json, hints } = await extracted([invoice], CHECK, { options: { values } });
	expect(json[0]).toMatchObject({
		needsReview: true,
		failedChecks: [failedCheck],
		reviewReasons: [reason],
	});
	expect(hints).toContainEqual(
		expect.stringContaining('"invoice-us.pdf" (sums that do not add up)'),
	);
	expect(hints.join()).not.toContain('1.300');
});

test('a document that passes needs no review', async () => {
	const fields = { ...invoice.fields, total: '1.221,00 €' };
	const { json } = await extracted([{ fields }], [CHECK]);
	expect(json).toMatchObject([{ fields, needsReview: false, failedChecks: [], reviewReasons: [] }]);
});

test.each(['rows', 'documentRows'])('as text in %s', async (output) => {
	const passes = { fields: { ...invoice.fields, total: '1.221,00 €' } };
	const { json } = await extracted([passes, invoice], CHECK, { output });
	const [first, last] = [json[0], json.at(-1)];
	expect(first).toMatchObject({ needsReview: false, failedChecks: '', reviewReasons: '' });
	expect(last).toMatchObject({
		needsReview: true,
		failedChecks: CHECK,
		reviewReasons: reason,
	});
});

test('values that can be read in two ways fail the check, and the reason names the option that decides', async () => {
	const fields = { total: '1.250', net: '1.250', other: 'x' };
	const { json } = await extracted([{ fields }], 'total = net');
	expect(json[0]).toMatchObject({
		failedChecks: [{ check: 'total = net', expected: null, actual: null, difference: null }],
		reviewReasons: [
			'total = net cannot be checked: net can be 1.250 or 1250: set Decimal Mark, total can be 1.250 or 1250: set Decimal Mark',
		],
	});
});

test('whole amounts of seven digits, which are identifiers elsewhere, are read', async () => {
	const fields = { total: '2500000', fee: '1250000', net: '1,250,000.00' };
	const { json } = await extracted([{ fields }], 'total = net + fee');
	expect(json[0]).toMatchObject({ failedChecks: [] });
});

test('a date is no amount', async () => {
	const { json } = await extracted(
		[{ fields: { total: '1.00', day: '2026-01-31' } }],
		'total = day',
	);
	expect(json[0]).toMatchObject({
		reviewReasons: [
			'total = day cannot be checked: day is 2026-01-31, which cannot be read with certainty',
		],
	});
});

test.each([
	[{ total: '$3.00', t: [{ a: 'USD 1.00' }, { a: '2.00' }] }, []],
	[{ total: '€ 3.00', t: [{ a: '1.00 EUR' }, { a: '2.00' }] }, []],
	[
		{ total: '$3.00', t: [{ a: '1.00 EUR' }, { a: '2.00' }] },
		[{ check: 'total = t.a', expected: null, actual: 3, difference: null }],
	],
])('a sign and its code are one currency: %j', async (fields, failedChecks) => {
	const { json } = await extracted([{ fields }], 'total = t.a');
	expect(json[0]).toMatchObject({ failedChecks });
});

test('a name that no document has is a hint once', async () => {
	const documents = [invoice, { fields: { total: '1.00', net: '1.00' } }];
	const { json, hints } = await extracted(documents, 'total = net\ntotl = nett');
	expect(json.map(({ needsReview }) => needsReview)).toEqual([true, true]);
	expect(hints).toEqual([
		`No document has these fields: "totl" ('Check Sums'); "nett" ('Check Sums')`,
	]);
});

test('a name in Confidence Threshold that no document has is a hint, too', async () => {
	const fields = { total: { value: '1.00', confidence: 90 } };
	const documents = [{ fields }, { fields: { ...fields, net: '1.00' } }];
	const { json, hints } = await extracted(documents, '', {
		options: { confidenceThreshold: '80, totl: 99, net: 99, Total: 95' },
	});
	expect(json.map(({ reviewReasons }) => reviewReasons)).toEqual([
		['total has a confidence of 90, below 95'],
		['total has a confidence of 90, below 95'],
	]);
	expect(hints).toEqual([`No document has these fields: "totl" ('Confidence Threshold')`]);
});

test('a required field that no document of the run has is a hint, one without a value is none', async () => {
	const documents = [
		{ fields: { total: '1.00', date: null } },
		{ fields: { total: null, lines: [{ amount: 1 }] } },
	];
	const { json, hints } = await extracted(documents, '', {
		options: { requiredFields: 'total, date, lines.amount, unitPrice' },
	});
	expect(json.map(({ missingFields }) => missingFields)).toEqual([
		['date', 'lines.amount', 'unitPrice'],
		['total', 'date', 'unitPrice'],
	]);
	expect(hints).toEqual([`No document has these fields: "unitPrice" ('Required Fields')`]);
});

describe('A line that is not a check', () => {
	const checks = `${CHECK}\na +* b`;
	const refusal = `'Check Sums' has a line that is not a check: "a +* b"`;

	test.each<IDataObject>([
		{ operation: 'extract' },
		{ resource: 'job', operation: 'getResult', jobId: '1' },
	])('is refused before anything is sent: %j', async (parameters) => {
		const run = service.run({ ...parameters, options: { checks } }, [item]);
		expect((await thrownBy(run)).message).toContain(refusal);
		expect(await service.calls()).toEqual([]);
	});

	test('does not let the trigger be activated', async () => {
		const parameters = { options: { checks } };
		const node = new PolledNode({
			parameters,
			credential: service.credential,
			limiters: fastLimiters(20),
		});
		await expect(node.activate()).rejects.toThrow(refusal);
		expect(await service.calls()).toEqual([]);
	});
});
