import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { invoiceItems, itemsWith, truth } from '../../../samples';
import { useService } from '../../../service';
import { field } from '../../results/printedField';

const service = useService();
let items: INodeExecutionData[];

beforeAll(async () => {
	items = (await invoiceItems(8)).map((item, number) => ({ ...item, json: { number } }));
});

/** What the node gives for documents of which the service says this, one item each. */
async function run(
	documents: object[],
	{ options, values, rowsFrom = '', ...parameters }: IDataObject = {},
	operation = 'extract',
) {
	await service.standIn.queueFaults(
		documents.map((metadata) => ({
			kind: 'answer',
			data: { ...(operation === 'zeroShot' ? { documentType: 'Note' } : {}), metadata },
			creditsConsumed: 2,
		})),
	);
	const { items: results, hints } = await service.run(
		// One after the other, so that the answers queued meet the documents in their order.
		{
			operation,
			...parameters,
			options: {
				concurrency: 1,
				...(values === undefined ? {} : { values }),
				rowsFrom,
				...(options as IDataObject),
			},
		},
		items.slice(0, documents.length),
	);
	return { json: results.map(({ json }) => json), hints };
}

const INVOICES = [
	'invoice-uk.pdf',
	'invoice-de.pdf',
	'letter.docx',
	'invoice-long.pdf',
	'invoice-fr.pdf',
	'invoice-us.pdf',
];

const centsOf = (amounts: unknown[]) =>
	amounts.reduce<number>((sum, amount) => {
		if (typeof amount !== 'number') throw new Error(`Not a number: ${JSON.stringify(amount)}`);
		return sum + Math.round(amount * 100);
	}, 0);

test('invoices of six layouts as rows: the amounts of each add up to its net total', async () => {
	const { items: rows, hints } = await service.run(
		{ operation: 'extract', output: 'rows' },
		await itemsWith(...INVOICES),
	);
	for (const name of INVOICES) {
		const own = rows.map(({ json }) => json).filter(({ fileName }) => fileName === name);
		const { fields, lineItems = [] } = truth[name]?.meaning ?? {};
		expect(own).toHaveLength(lineItems.length);
		expect(centsOf(own.map(({ amount }) => amount))).toBe(centsOf([fields?.subtotal]));
		for (const [position, row] of own.entries()) {
			expect(row).toMatchObject({
				...lineItems[position],
				...(name === 'invoice-us.pdf'
					? { ...fields, invoiceDate: '11/03/2026', dueDate: '12/03/2026' }
					: fields),
			});
			expect(row.description).toBe(truth[name]?.lineItems?.[position]?.description);
			expect(row.invoiceNumber).toBe(truth[name]?.fields?.invoiceNumber);
		}
	}
	expect(hints).toEqual([
		{
			message: 'Values to check: "invoice-us.pdf" ("invoiceDate", "dueDate"; set \'Date Order\')',
			type: 'warning',
			location: 'outputPane',
		},
	]);
});

describe('Values', () => {
	const metadata = { fields: { total: field('1.005,55'), note: 'paid 5,00' } };

	test.each([
		[{}, '1.005,55'],
		[{ output: 'fields' }, '1.005,55'],
		[{ output: 'fields', values: 'typed' }, 1005.55],
		[{ output: 'rows' }, 1005.55],
		[{ output: 'rows', values: 'printed' }, '1.005,55'],
		[{ output: 'documentRows' }, 1005.55],
		[{ output: 'documentRows', values: 'printed' }, '1.005,55'],
		[{ output: '={{ "rows" }}' }, 1005.55],
	])('%j: %j', async (parameters, total) => {
		const { json } = await run([metadata], parameters);
		expect(json[0]?.fields ?? json[0]).toMatchObject({ total, note: 'paid 5,00' });
	});

	test('follow the settings of their own item', async () => {
		const { json, hints } = await run([{ sum: '1.234' }, { sum: '1.234' }, { sum: '1.234' }], {
			output: 'rows',
			options: { decimalMark: '={{ ["point", "comma", "detect"][$json.number] }}' },
		});
		expect(json.map(({ sum }) => sum)).toEqual([1.234, 1234, '1.234']);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/: "2\.pdf" \("sum"; set 'Decimal Mark'\)$/),
		]);
	});

	test('that were left as text are one hint for the run', async () => {
		const many = Object.fromEntries('abcdefgh'.split('').map((name) => [name, '1.234']));
		const documents = Array.from({ length: 7 }, () => ({ fields: { due: '05/06/2026', ...many } }));
		const { hints } = await run(documents, { output: 'rows' });
		expect(hints).toHaveLength(1);
		expect(hints[0]?.message).toMatch(
			/: "0\.pdf" \("due", "a", "b", "c", "d", and 4 more; set 'Date Order' and 'Decimal Mark'\); .*"4\.pdf".*; and 2 more$/,
		);
	});

	test('of Discover Fields are converted in every row', async () => {
		const found = { Total: field('1.005,55', 90), 'Start date': field('1 January 2027', 50) };
		const fieldRows = await run([found], { output: 'rows' }, 'zeroShot');
		expect(fieldRows.json).toMatchObject([
			{ field: 'Total', value: 1005.55, confidence: 90 },
			{ field: 'Start date', value: '2027-01-01', confidence: 50 },
		]);
		const printed = await run([found], { output: 'rows', values: 'printed' }, 'zeroShot');
		expect(printed.json.map(({ value }) => value)).toEqual(['1.005,55', '1 January 2027']);
		const fields = await run([found], {}, 'zeroShot');
		expect(fields.json[0]?.fields).toEqual({ Total: '1.005,55', 'Start date': '1 January 2027' });
	});
});

describe('Values that stayed uncertain', () => {
	const lines = [{ amount: '1.234' }, null, { amount: '5', due: '05.06.26' }];
	const metadata = {
		documentType: 'Invoice',
		fields: {
			date: field('05/06/2026'),
			seller: { since: '(1)' },
			lines,
			taxes: [{ base: '2.500' }],
		},
	};
	const clear = { fields: { date: '2026-06-05', lines: [{ amount: '5' }] } };
	const reviewed = async (
		parameters: IDataObject,
		operation?: string,
		documents: object[] = [metadata],
	) => {
		const { json } = await run(documents, parameters, operation);
		return json.map(({ needsReview, uncertainFields }) => [needsReview, uncertainFields]);
	};
	test('are named in Simplified as in the template', async () => {
		const names = [...['date', 'seller.since', 'lines[0].amount', 'lines[2].due', 'taxes[0].base']];
		expect(await reviewed({ values: 'typed' })).toEqual([[true, names]]);
		const { json } = await run([clear], { values: 'typed' });
		expect(json).toMatchObject([{ needsReview: false, uncertainFields: [] }]);
	});

	test('are named for Discover Fields', async () => {
		const found = { Date: field('05/06/2026'), Name: field('Ann'), Lines: [{ a: '1.234' }] };
		const discovered = async (parameters: IDataObject) =>
			await reviewed(parameters, 'zeroShot', [found]);
		expect(await discovered({ values: 'typed' })).toEqual([[true, ['Date', 'Lines[0].a']]]);
		expect(await discovered({ output: 'documentRows' })).toEqual([[true, 'Date, Lines[0].a']]);
		// A row is about its own field.
		expect(await discovered({ output: 'rows' })).toEqual([
			[true, 'Date'],
			[false, ''],
			[true, 'Lines[0].a'],
		]);
	});
});

describe('One name for a field', () => {
	const document = {
		documentType: 'Invoice',
		fields: {
			documentType: null,
			fileName: field('as printed', 10),
			total: field('x', 10),
			lineItems: [{ amount: field('1', 99) }, { amount: field('', 99) }, { amount: field('2', 9) }],
		},
	};
	const lists = ({ lowConfidenceFields, missingFields }: IDataObject) => ({
		lowConfidenceFields,
		missingFields,
	});
	const written =
		'fields.supplier, FIELDS.lineItems[1].Amount, line items.amount, Total, DocumentType';
	const review = { options: { confidenceThreshold: 80, requiredFields: written } };
	const low = ['fileName', 'total', 'lineItems[2].amount'];
	const missing = ['supplier', 'lineItems[1].amount', 'lineItems.amount', 'documentType'];

	test('is that of the template, however an option spells it', async () => {
		const { json } = await run([document], review);
		expect(json.map(lists)).toEqual([{ lowConfidenceFields: low, missingFields: missing }]);
		const reasons = json[0]?.reviewReasons as string[];
		expect(reasons.map((reason) => reason.split(' ')[0])).toEqual([...missing, ...low]);
	});

	test('is the same in rows, as text with commas', async () => {
		const { json } = await run([document], { output: 'documentRows', ...review });
		const [texts] = json.map(lists);
		expect(texts).toEqual({
			lowConfidenceFields: low.join(', '),
			missingFields: missing.join(', '),
		});
	});

	test('is the template’s where the response has it as well', async () => {
		const { json } = await run([{ ...document, total: 'of the response' }], {
			options: { requiredFields: 'fileName, total, documentType' },
		});
		expect(json.map(lists)).toEqual([
			{ lowConfidenceFields: undefined, missingFields: ['documentType'] },
		]);
		const checked = await run([{ total: '5', fields: { total: '7', net: '7' } }], {
			options: { checks: 'total = net' },
		});
		expect(checked.json).toMatchObject([{ needsReview: false, failedChecks: [] }]);
	});
});

describe('Text among the numbers of a column', () => {
	const invoices = ['5.00', '6.50', 'TAX 100.52'].map((fat, at) => ({
		fields: { fat, number: `INV-${at}`, lines: [{ sugar: '1.00' }, { sugar: '2.00' }] },
	}));
	const reviewed = async (parameters: IDataObject) => {
		const { json } = await run(invoices, { values: 'typed', ...parameters });
		return json.map(({ needsReview, uncertainFields }) => [needsReview, uncertainFields]);
	};
	const [none, listed] = [
		[false, ''],
		[true, 'fat'],
	];

	test('is uncertain in Rows per Document, by the numbers of the whole run', async () => {
		expect(await reviewed({ output: 'documentRows' })).toEqual([none, none, listed]);
	});

	test('is uncertain in every row that repeats it', async () => {
		const rows = await reviewed({ output: 'rows', rowsFrom: 'lines' });
		expect(rows).toEqual([none, none, none, none, listed, listed]);
	});

	test('has one reason in rows, although its table shows it as well', async () => {
		const lines = ['5.00', '6.50', 'TAX 100.52'].map((amount) => ({ amount }));
		const { json } = await run([{ fields: { lines } }], { output: 'rows' });
		expect(json[2]).toMatchObject({
			uncertainFields: 'lines[2].amount',
			reviewReasons: 'lines[2].amount is TAX 100.52, which cannot be read with certainty',
		});
	});

	test('is no column in Simplified', async () => {
		expect(await reviewed({ output: 'fields' })).toEqual(invoices.map(() => [false, []]));
	});
});
