import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { PolledNode } from '../../../../n8n-core/polledNode';
import { fastLimiters } from '../../../clock';
import { invoiceItems, itemsWith, truth } from '../../../samples';
import { useService } from '../../../service';
import { field } from '../../results/printedField';

const service = useService();
let items: INodeExecutionData[];

beforeAll(async () => {
	items = (await invoiceItems(8)).map((item, number) => ({ ...item, json: { number } }));
});

/** What the node gives for documents of which the service says this, one item each. */
async function run(documents: object[], settings: IDataObject = {}) {
	const { operation = 'extract', output = 'fields', ...options } = settings;
	await service.standIn.queueFaults(
		documents.map((metadata) => ({ kind: 'answer', data: { metadata } })),
	);
	const { items: results, hints } = await service.run(
		// One after the other, so that the answers queued meet the documents in their order.
		{ operation, output, options: { concurrency: 1, ...options } },
		items.slice(0, documents.length),
	);
	return { json: results.map(({ json }) => json), hints: hints.map(({ message }) => message) };
}

/** What asks for a review of the values, by item. */
async function uncertainIn(documents: object[], settings: IDataObject) {
	const { json } = await run(documents, settings);
	return json.map(({ needsReview, uncertainFields }) => [needsReview, uncertainFields]);
}

const INVOICES = [
	...['invoice-uk.pdf', 'invoice-de.pdf', 'letter.docx'],
	...['invoice-long.pdf', 'invoice-fr.pdf', 'invoice-us.pdf'],
];

const sumOf = (amounts: unknown[]) =>
	amounts.reduce<number>((sum, amount) => sum + Math.round((amount as number) * 100), 0) / 100;

test('invoices of six layouts as rows: the amounts of each add up to its net total', async () => {
	const { items: rows, hints } = await service.run(
		{ operation: 'extract', output: 'rows' },
		await itemsWith(...INVOICES),
	);
	for (const name of INVOICES) {
		const own = rows.map(({ json }) => json).filter(({ fileName }) => fileName === name);
		const { lineItems: lines = [], meaning } = truth[name]!;
		expect(own).toMatchObject(
			lines.map(({ description }, position) => ({
				...{ ...meaning?.lineItems?.[position], description },
				total: meaning?.fields?.total,
			})),
		);
		expect(sumOf(own.map(({ amount }) => amount))).toBe(meaning?.fields?.subtotal);
	}
	const check = 'Values to check: "invoice-us.pdf" ("invoiceDate", "dueDate"; set \'Date Order\')';
	expect(hints).toEqual([{ message: check, type: 'warning', location: 'outputPane' }]);
});

describe('Values', () => {
	const found = { Total: field('1.005,55', 90), note: 'paid 5,00', From: '1 January 2027' };

	test.each([
		[{}, '1.005,55'],
		[{ values: 'typed' }, 1005.55],
		[{ output: 'rows' }, 1005.55],
		[{ output: 'rows', values: 'printed' }, '1.005,55'],
		[{ output: 'documentRows' }, 1005.55],
		[{ output: 'documentRows', values: 'printed' }, '1.005,55'],
		[{ output: '={{ "rows" }}' }, 1005.55],
	])('%j: %j', async (settings, Total) => {
		const { json } = await run([found], settings);
		const From = Total === 1005.55 ? '2027-01-01' : '1 January 2027';
		expect(json).toMatchObject([{ Total, note: 'paid 5,00', From }]);
	});

	test('of Discover Fields are converted in every row', async () => {
		const discovered = { operation: 'zeroShot', output: 'rows' };
		const { json } = await run([found], discovered);
		expect(json.map(({ value }) => value)).toEqual([1005.55, 'paid 5,00', '2027-01-01']);
		const { json: printed } = await run([found], { ...discovered, values: 'printed' });
		expect(printed.map(({ value }) => value)).toEqual(['1.005,55', 'paid 5,00', '1 January 2027']);
	});

	test('follow the settings of their own item', async () => {
		const { json, hints } = await run([{ sum: '1.234' }, { sum: '1.234' }, { sum: '1.234' }], {
			output: 'rows',
			decimalMark: '={{ ["point", "comma", "detect"][$json.number] }}',
		});
		expect(json.map(({ sum }) => sum)).toEqual([1.234, 1234, '1.234']);
		expect(hints).toEqual([expect.stringMatching(/: "2\.pdf" \("sum"; set 'Decimal Mark'\)$/)]);
	});

	test('that were left as text are one hint for the run', async () => {
		const many = Object.fromEntries('abcdefgh'.split('').map((name) => [name, '1.234']));
		const documents = Array.from({ length: 7 }, () => ({ fields: { due: '05/06/2026', ...many } }));
		const { hints } = await run(documents, { output: 'rows' });
		expect(hints).toEqual([
			expect.stringMatching(
				/: "0\.pdf" \("due", "a", "b", "c", "d", and 4 more; set 'Date Order' and 'Decimal Mark'\); .*"4\.pdf".*; and 2 more$/,
			),
		]);
	});
});

describe('Uncertain values', () => {
	test('are named in Simplified as in the template', async () => {
		const fields = {
			...{ date: field('05/06/2026'), seller: { since: '(1)' }, taxes: [{ base: '2.500' }] },
			lines: [{ amount: '1.234' }, null, { amount: '5', due: '05.06.26' }],
		};
		const clear = { date: '2026-06-05', lines: [{ amount: '5' }] };
		const names = [...['date', 'seller.since', 'taxes[0].base', 'lines[0].amount', 'lines[2].due']];
		expect(await uncertainIn([{ fields }, { fields: clear }], { values: 'typed' })).toEqual([
			[true, names],
			[false, []],
		]);
	});

	test('are named for Discover Fields, in a row for its own field', async () => {
		const found = { Date: field('05/06/2026'), Name: field('Ann'), Lines: [{ a: '1.234' }] };
		const discovered = async (settings: IDataObject) =>
			await uncertainIn([found], { operation: 'zeroShot', ...settings });
		expect(await discovered({ values: 'typed' })).toEqual([[true, ['Date', 'Lines[0].a']]]);
		expect(await discovered({ output: 'documentRows' })).toEqual([[true, 'Date, Lines[0].a']]);
		expect(await discovered({ output: 'rows' })).toEqual([
			[true, 'Date'],
			[false, ''],
			[true, 'Lines[0].a'],
		]);
	});

	test('are in rows also text among the numbers of a column in the whole run, but not in Simplified', async () => {
		const invoices = ['5.00', '6.50', 'TAX 100.52'].map((fat) => ({
			fields: { fat, lines: [{ sugar: '1.00' }, { sugar: '2.00' }] },
		}));
		const [none, fat] = [false, true].map((isUncertain) => [isUncertain, isUncertain ? 'fat' : '']);
		const documents = await uncertainIn(invoices, { output: 'documentRows' });
		expect(documents).toEqual([none, none, fat]);
		const rows = await uncertainIn(invoices, { output: 'rows', rowsFrom: 'lines' });
		expect(rows).toEqual([none, none, none, none, fat, fat]);
		expect(await uncertainIn(invoices, { values: 'typed' })).toEqual(Array(3).fill([false, []]));
	});

	test('text among numbers has one reason in rows, although its table shows it as well', async () => {
		const lines = ['5.00', '6.50', 'TAX 100.52'].map((amount) => ({ amount }));
		const { json } = await run([{ fields: { lines } }], { output: 'rows' });
		expect(json[2]).toMatchObject({
			uncertainFields: 'lines[2].amount',
			reviewReasons: 'lines[2].amount is TAX 100.52, which cannot be read with certainty',
		});
	});
});

describe('The name of a field', () => {
	const document = {
		documentType: 'Invoice',
		fields: {
			documentType: null,
			fileName: field('as printed', 10),
			total: field('x', 10),
			lineItems: [{ amount: field('1', 99) }, { amount: field('', 99) }, { amount: field('2', 9) }],
		},
	};
	const requiredFields =
		'fields.supplier, FIELDS.lineItems[1].Amount, line items.amount, Total, DocumentType';
	const confidenceThreshold = '5, FileName: 80, fields.TOTAL: 80, line items.amount: 80';
	const low = ['fileName', 'total', 'lineItems[2].amount'];
	const missing = ['supplier', 'lineItems[1].amount', 'lineItems.amount', 'documentType'];

	test('is that of the template, however an option spells it; in rows, it is text', async () => {
		const options = { confidenceThreshold, requiredFields };
		const { json } = await run([document], options);
		expect(json).toMatchObject([{ lowConfidenceFields: low, missingFields: missing }]);
		const rows = await run([document], { output: 'documentRows', ...options });
		expect(rows.json).toMatchObject([
			{ lowConfidenceFields: low.join(', '), missingFields: missing.join(', ') },
		]);
	});

	test('is the template’s where the response has it as well', async () => {
		const { json } = await run([{ ...document, total: 'of the response' }], {
			requiredFields: 'fileName, total, documentType',
		});
		expect(json).toMatchObject([{ missingFields: ['documentType'] }]);
		const checked = await run([{ total: '5', fields: { total: '7', net: '7' } }], {
			checks: 'total = net',
		});
		expect(checked.json).toMatchObject([{ needsReview: false, failedChecks: [] }]);
	});

	test.each<[string, IDataObject, string]>([
		['Check Sums', { checks: 'total = net\ntotl = nett' }, '"totl" (\'Check Sums\'); "nett"'],
		['Confidence Threshold', { confidenceThreshold: '80, totl: 99, net: 99, Total: 95' }, '"totl"'],
		['Required Fields', { requiredFields: 'total, date, lines.amount, unitPrice' }, '"unitPrice"'],
	])('in %s that no document of the run has is a hint once', async (option, settings, names) => {
		const documents = [
			{ fields: { total: '1.00', date: null } },
			{ fields: { total: null, net: '1.00', lines: [{ amount: 1 }] } },
			{ fields: {} },
		];
		const { hints } = await run(documents, settings);
		expect(hints).toEqual([`No document has these fields: ${names} ('${option}')`]);
	});
});

describe('Check Sums', () => {
	const CHECK = 'total = lineItems.amount + tax';
	const fields = {
		...{ total: '1.300,00 €', tax: '211,00 €', note: '1.234' },
		lineItems: [{ amount: '1.000,00' }, { amount: '10,00', text: 'Freight' }, { text: 'Thanks' }],
	};
	const passes = { fields: { ...fields, total: '1.221,00 €' } };
	const reason = 'total is 1.300,00 €, but lineItems.amount + tax is 1221.00';
	const failedCheck = { check: CHECK, expected: 1221, actual: 1300, difference: 79 };

	test.each(['printed', 'typed'])(
		'in Simplified, whatever Values says: %s; a hint shows no content',
		async (values) => {
			const { json, hints } = await run([{ fields }, passes], { checks: CHECK, values });
			expect(json).toMatchObject([
				{ needsReview: true, failedChecks: [failedCheck], reviewReasons: [reason] },
				{ needsReview: false, failedChecks: [], reviewReasons: [] },
			]);
			expect(hints).toContainEqual(expect.stringMatching(/"0\.pdf" \(sums that do not add up\)/));
			expect(hints.join()).not.toContain('1.300');
		},
	);

	test.each(['rows', 'documentRows'])('as text in %s', async (output) => {
		const { json } = await run([passes, { fields }], { checks: [CHECK], output });
		expect([json[0], json.at(-1)]).toMatchObject([
			{ needsReview: false, failedChecks: '', reviewReasons: '' },
			{ needsReview: true, failedChecks: CHECK, reviewReasons: reason },
		]);
	});

	const open = (name: string) => `${name} can be 1.250 or 1250: set Decimal Mark`;
	const currencies = 'its values have different currencies';

	test.each<[check: string, fields: IDataObject, gap: string]>([
		['total = net', { total: '1.250', net: '1.250' }, `${open('net')}, ${open('total')}`],
		[
			'total = day',
			{ total: '1.00', day: '2026-01-31' },
			'day is 2026-01-31, which cannot be read with certainty',
		],
		// Identifiers elsewhere.
		['total = net + fee', { total: '2500000', fee: '1250000', net: '1,250,000.00' }, ''],
		// A sign and its code are one currency.
		['total = t.a', { total: '$3.00', t: [{ a: 'USD 1.00' }, { a: '2.00' }] }, ''],
		['total = t.a', { total: '€ 3.00', t: [{ a: '1.00 EUR' }, { a: '2.00' }] }, ''],
		['total = t.a', { total: '$3.00', t: [{ a: '1.00 EUR' }, { a: '2.00' }] }, currencies],
		['total = net', { total: '$3.00', net: 'USD 3.00', fee: 'CAD 1.00' }, currencies],
	])('%s of %j: %s', async (checks, fields, gap) => {
		const { json } = await run([{ fields }], { checks });
		const reasons = gap === '' ? [] : [`${checks} cannot be checked: ${gap}`];
		expect(json).toMatchObject([{ reviewReasons: reasons }]);
	});

	test('a line that is not a check is refused before anything is sent, and the trigger is not activated', async () => {
		const options = { checks: `${CHECK}\na +* b` };
		const refusal = `'Check Sums' has a line that is not a check: "a +* b"`;
		const getResult = { resource: 'job', operation: 'getResult', jobId: '1' };
		for (const parameters of [{ operation: 'extract' }, getResult]) {
			const running = service.run({ ...parameters, options }, items.slice(0, 1));
			await expect(running).rejects.toThrow(refusal);
		}
		const { credential } = service;
		const node = new PolledNode({ parameters: { options }, credential, limiters: fastLimiters() });
		await expect(node.activate()).rejects.toThrow(refusal);
		expect(await service.calls()).toEqual([]);
	});
});
