import * as fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes, storedSample, truth } from '../../samples';
import { numRuns } from '../../numRuns';
import { failureOf, useService } from '../../service';

const service = useService();
const pdf = sampleBytes('invoice-us.pdf');
let items: INodeExecutionData[];

beforeAll(async () => {
	await useBinaryMode('default');
	items = await Promise.all(
		Array.from({ length: 8 }, async (_, number) => ({
			json: {},
			binary: { data: await storeFile(pdf, `${number}.pdf`, 'application/pdf') },
		})),
	);
});

let runs = 0;

/** What the node gives for documents of which the service says this, one item each; values as they come. */
async function run(documents: unknown[], parameters: IDataObject = {}) {
	await service.standIn.queueFaults(
		documents.map((metadata) => ({
			kind: 'answer',
			data: { metadata },
			creditsConsumed: null,
		})),
	);
	const { options, values = 'printed', rowsFrom = '', ...others } = parameters;
	return await service.run(
		// One after the other, so that the answers queued meet the documents in their order.
		{
			operation: 'extract',
			output: 'rows',
			...others,
			options: { concurrency: 1, values, rowsFrom, ...(options as IDataObject) },
		},
		documents.map((_, position) => items[position] ?? { json: {} }),
		// A key for each run: the requests of a minute are counted by key.
		{ credential: { ...service.credential, apiKey: `${service.credential.apiKey}-${++runs}` } },
	);
}

/** The rows without the column that is the same in all tests. */
async function rowsOf(documents: object[], parameters: IDataObject = {}): Promise<IDataObject[]> {
	const { items: rows } = await run(documents, parameters);
	return rows.map(({ json }) => {
		expect(json.fileName).toMatch(/^\d\.pdf$/);
		return without(json, 'fileName');
	});
}

function without(json: IDataObject, ...names: string[]): IDataObject {
	return Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)));
}

const place = { page: 1, bbox: [0.1, 0.2, 0.3, 0.4], bbox_confidence: 95 };
const field = (value: unknown, confidence = 97) => ({ value, confidence, ...place });
const box = '[0.1,0.2,0.3,0.4]';

describe('The rows of a document', () => {
	test.each<[string, object, object[]]>([
		['no fields at all', {}, [{ rowNumber: 1 }]],
		[
			'no table',
			{ documentType: 'Note', fields: { number: 'N-1', total: 5 } },
			[{ documentType: 'Note', number: 'N-1', total: 5, rowNumber: 1 }],
		],
		[
			'a table: what belongs to the document is on each row',
			{
				documentType: 'Invoice',
				fields: {
					number: field('INV-1'),
					lineItems: {
						items: [
							{ description: field('A'), amount: field('60') },
							{ description: field('B'), amount: field('30') },
						],
					},
				},
			},
			[
				{ documentType: 'Invoice', number: 'INV-1', rowNumber: 1, description: 'A', amount: '60' },
				{ documentType: 'Invoice', number: 'INV-1', rowNumber: 2, description: 'B', amount: '30' },
			],
		],
		[
			'plain values, a plain table, no `fields`',
			{ number: 'INV-1', lineItems: [{ amount: 60 }, { amount: 30 }], total: 90 },
			[
				{ number: 'INV-1', total: 90, rowNumber: 1, amount: 60 },
				{ number: 'INV-1', total: 90, rowNumber: 2, amount: 30 },
			],
		],
		[
			'an empty table',
			{ number: 'INV-1', lineItems: { items: [] } },
			[{ number: 'INV-1', rowNumber: 1 }],
		],
		[
			'a table deep inside',
			{ order: { number: '7', content: { positions: [{ sku: 'X' }, { sku: 'Y' }] } } },
			[
				{ order_number: '7', rowNumber: 1, sku: 'X' },
				{ order_number: '7', rowNumber: 2, sku: 'Y' },
			],
		],
		[
			'a table that is the value of a field',
			{ positions: field([{ sku: field('X') }]) },
			[{ rowNumber: 1, sku: 'X' }],
		],
		[
			'rows that are fields',
			{ positions: [field({ sku: field('X') })] },
			[{ rowNumber: 1, sku: 'X' }],
		],
		[
			'rows that differ among themselves',
			{ lineItems: [{ a: 1 }, { b: 2 }, {}] },
			[
				{ rowNumber: 1, a: 1, b: null },
				{ rowNumber: 2, a: null, b: 2 },
				{ rowNumber: 3, a: null, b: null },
			],
		],
		[
			'names of nested objects are joined, and only the outermost `fields` is dropped',
			{ fields: { seller: { address: { city: field('Porto') } }, extra: { fields: { a: 1 } } } },
			[{ seller_address_city: 'Porto', extra_fields_a: 1, rowNumber: 1 }],
		],
		[
			'nested objects in a row',
			{ lineItems: [{ price: { net: 1, gross: 2 } }] },
			[{ rowNumber: 1, price_net: 1, price_gross: 2 }],
		],
		[
			'`fields` that is a value',
			{ fields: 'none', a: 1 },
			[{ fields: 'none', a: 1, rowNumber: 1 }],
		],
		[
			'a list of values becomes JSON text',
			{ tags: ['a', field('b')], a: 1 },
			[{ tags: '["a","b"]', a: 1, rowNumber: 1 }],
		],
		[
			'a list of mixed things is no table',
			{ list: ['a', { b: 1 }] },
			[{ list: '["a",{"b":1}]', rowNumber: 1 }],
		],
		[
			'a row that is null is skipped',
			{ lineItems: [{ a: 1 }, null, { a: 2 }, field(null, 0)] },
			[
				{ rowNumber: 1, a: 1 },
				{ rowNumber: 2, a: 2 },
			],
		],
		[
			'the same where the table comes as items',
			{ fields: { lineItems: { items: [null, { a: field('1') }] } } },
			[{ rowNumber: 1, a: '1' }],
		],
		[
			'a row that is null does not make a table longer',
			{ lineItems: [{ a: 1 }], notes: [null, null] },
			[{ notes: '[null,null]', rowNumber: 1, a: 1 }],
		],
		[
			'a table of nothing but null',
			{ number: '7', lineItems: [null] },
			[{ number: '7', rowNumber: 1 }],
		],
		[
			'rows with a value and a confidence that is no number are plain rows',
			{
				readings: [
					{ value: '7', confidence: 'high' },
					{ value: '8', confidence: 'low', page: 2 },
				],
			},
			[
				{ rowNumber: 1, value: '7', confidence: 'high', page: null },
				{ rowNumber: 2, value: '8', confidence: 'low', page: 2 },
			],
		],
		[
			'a list in a row becomes JSON text',
			{ lineItems: [{ sizes: [1, 2] }] },
			[{ rowNumber: 1, sizes: '[1,2]' }],
		],
		[
			'another table becomes JSON text',
			{
				taxes: { items: [{ rate: field('20 %') }] },
				lineItems: { items: [{ amount: field('60') }, { amount: field('30') }] },
			},
			[
				{ taxes: '[{"rate":"20 %"}]', rowNumber: 1, amount: '60' },
				{ taxes: '[{"rate":"20 %"}]', rowNumber: 2, amount: '30' },
			],
		],
		[
			'two names that become the same',
			{ a: { b: 1 }, a_b: 2 },
			[{ a_b_: 1, a_b: 2, rowNumber: 1 }],
		],
		[
			'a name of the document that a table has too',
			{ total: '90', lineItems: [{ total: '60' }, { total: '30' }] },
			[
				{ total: '90', rowNumber: 1, lineItems_total: '60' },
				{ total: '90', rowNumber: 2, lineItems_total: '30' },
			],
		],
		[
			'values stay as they are',
			{
				number: '0004021',
				sum: '1.005,55',
				text: '=1/2" adapter',
				blank: '',
				zero: 0,
				no: false,
				nothing: null,
				euro: '1 234,50 €',
				day: '03.11.2026',
				big: 12345678901234,
			},
			[
				{
					number: '0004021',
					sum: '1.005,55',
					text: '=1/2" adapter',
					blank: '',
					zero: 0,
					no: false,
					nothing: null,
					euro: '1 234,50 €',
					day: '03.11.2026',
					big: 12345678901234,
					rowNumber: 1,
				},
			],
		],
	])('%s', async (_, metadata, expected) => {
		// As text, which tells the order of the columns.
		expect(JSON.stringify(await rowsOf([metadata]))).toBe(JSON.stringify(expected));
	});

	test.each<[string, object]>([
		[
			'a column named like another one with its table',
			{ total: 'v1', lines: [{ total: 'v2', lines_total: 'v3' }] },
		],
		['the same the other way round', { total: 'v1', lines: [{ lines_total: 'v2', total: 'v3' }] }],
		[
			'a column named like the counter',
			{ rowNumber: 'v1', lines: [{ rowNumber: 'v2' }, { rowNumber: 'v3' }] },
		],
		['names of ours in use', { fileName: 'v1', fileName_: 'v2', lines: [{ fileName: 'v3' }] }],
		[
			'names of the language',
			JSON.parse('{"__proto__":"v1","constructor":"v2","lines":[{"__proto__":"v3"}]}') as object,
		],
	])('nothing is lost: %s', async (_, metadata) => {
		const { items: rows } = await run([metadata]);
		const cells = rows.flatMap(({ json }) => Object.values(json));
		expect(cells).toEqual(expect.arrayContaining(['v1', 'v2', 'v3', '0.pdf']));
		expect(rows.map(({ json }) => Object.values(json).includes('0.pdf'))).toEqual(
			rows.map(() => true),
		);
	});

	test('where a template uses a name of ours, the template keeps it', async () => {
		const { items: rows } = await run([{ fields: { fileName: 'theirs', createdDate: 'then' } }]);
		expect(rows[0]?.json).toEqual({
			fileName: 'theirs',
			createdDate: 'then',
			rowNumber: 1,
			fileName_: '0.pdf',
		});
	});

	test('what the service says about the document is on each row', async () => {
		await service.standIn.queueFaults([
			{
				kind: 'answer',
				data: {
					id: 'id-1',
					createdDate: '2026-11-03T10:00:00Z',
					metadata: { lines: [{ a: 1 }, { a: 2 }] },
				},
				creditsConsumed: 3,
			},
		]);
		const { items: rows } = await service.run(
			{ operation: 'extract', output: 'rows' },
			items.slice(0, 1),
		);
		// Credits are no column: they would be added up once per line.
		const about = {
			fileName: '0.pdf',
			extractionId: 'id-1',
			createdDate: '2026-11-03T10:00:00Z',
			...{ needsReview: false, uncertainFields: '[]' },
		};
		expect(rows).toEqual(
			[1, 2].map((a) => ({ json: { rowNumber: a, a, ...about }, pairedItem: { item: 0 } })),
		);
	});

	test('details stand beside their value, boxes as JSON text', async () => {
		const metadata = {
			fields: {
				number: field('INV-1', 90),
				note: 'plain',
				lineItems: { items: [{ amount: { value: '60', confidence: 80 } }] },
			},
		};
		expect(await rowsOf([metadata], { options: { includeFieldDetails: true } })).toEqual([
			{
				...{ number: 'INV-1', number_confidence: 90, number_page: 1, number_boundingBox: box },
				...{ note: 'plain', rowNumber: 1 },
				...{ amount: '60', amount_confidence: 80, amount_page: null, amount_boundingBox: null },
			},
		]);
	});

	test('details of what became JSON text are in the text', async () => {
		const metadata = { tags: [{ value: 'a', confidence: 80 }] };
		expect(await rowsOf([metadata], { options: { includeFieldDetails: true } })).toEqual([
			{ tags: '[{"value":"a","confidence":80,"page":null,"boundingBox":null}]', rowNumber: 1 },
		]);
	});

	test('details of a table and of a row that are fields themselves are kept', async () => {
		const metadata = {
			lines: {
				value: [{ value: { sku: { value: 'X', confidence: 71 } }, confidence: 72 }],
				confidence: 73,
			},
		};
		const [row] = await rowsOf([metadata], { options: { includeFieldDetails: true } });
		expect(Object.values(row ?? {})).toEqual(expect.arrayContaining(['X', 71, 72, 73]));
	});
});

describe('Rows From', () => {
	const metadata = {
		fields: {
			taxes: { items: [{ rate: '10 %' }] },
			lineItems: { items: [{ sku: 'A' }, { sku: 'B' }] },
			payment: { parts: [{ due: 'now' }, { due: 'later' }] },
		},
	};

	const chosen = async (rowsFrom: unknown) =>
		(await rowsOf([metadata], { rowsFrom } as IDataObject)).map(
			({ rate, sku, due }) => rate ?? sku ?? due,
		);

	test.each<[string, unknown, unknown[]]>([
		['empty: the table with the most rows, the first of two', '', ['A', 'B']],
		['blank', '  ', ['A', 'B']],
		['a name', 'taxes', ['10 %']],
		['a name of a table deep inside', 'parts', ['now', 'later']],
		['a path', 'payment.parts', ['now', 'later']],
		['a path with `fields`', 'fields.payment.parts', ['now', 'later']],
		['another case, and white space around it', ' TAXES ', ['10 %']],
		['by expression, nothing', null, ['A', 'B']],
		['by expression, no text', 7, [undefined]],
	])('%s', async (_, rowsFrom, expected) => {
		expect(await chosen(rowsFrom)).toEqual(expected);
	});

	test('a table of a document without `fields` is found by its whole path', async () => {
		const order = {
			order: { number: '7', lines: [{ sku: 'X' }, { sku: 'Y' }] },
			other: { lines: [{ sku: 'Z' }] },
		};
		expect((await rowsOf([order], { rowsFrom: 'other.lines' })).map(({ sku }) => sku)).toEqual([
			'Z',
		]);
		expect((await rowsOf([order], { rowsFrom: 'order.lines' })).map(({ sku }) => sku)).toEqual([
			'X',
			'Y',
		]);
	});

	test.each<[string, object, string]>([
		[
			'a name elsewhere',
			{ order: { lines: [{ sku: 'A' }, { sku: 'B' }] }, lines: [{ sku: 'C' }] },
			'lines',
		],
		[
			'another case elsewhere',
			{ order: { lines: [{ sku: 'A' }] }, Lines: [{ sku: 'C' }] },
			'lines',
		],
		[
			'a path inside `fields`',
			{ fields: { lines: [{ sku: 'A' }] }, lines: [{ sku: 'C' }] },
			'lines',
		],
		[
			'a name inside `fields`',
			{ a: { lines: [{ sku: 'A' }] }, fields: { lines: [{ sku: 'C' }] } },
			'lines',
		],
		[
			'a path without `fields`, where it is given',
			{ lines: [{ sku: 'A' }], fields: { lines: [{ sku: 'C' }] } },
			'fields.lines',
		],
		['another case of the same path', { lines: [{ sku: 'A' }], LINES: [{ sku: 'C' }] }, 'LINES'],
	])('prefers the path from the root to %s', async (_, document, rowsFrom) => {
		const rows = await rowsOf([document], { rowsFrom });
		expect(rows.map(({ sku }) => sku)).toEqual(['C']);
	});

	test('a table that is there, beside others, leaves no hint', async () => {
		expect((await run([metadata], { rowsFrom: 'taxes' })).hints).toEqual([]);
	});

	test('a name that a document does not have gives one row that loses nothing, and a hint for the run', async () => {
		const { items: rows, hints } = await run(
			[metadata, { fields: { positions: [{ sku: 'C' }] } }, metadata],
			{ rowsFrom: 'positions' },
		);
		const tables = {
			taxes: '[{"rate":"10 %"}]',
			lineItems: '[{"sku":"A"},{"sku":"B"}]',
			payment_parts: '[{"due":"now"},{"due":"later"}]',
		};
		const none = { taxes: null, lineItems: null, payment_parts: null };
		expect(rows).toEqual([
			{ json: { ...tables, rowNumber: 1, sku: null, fileName: '0.pdf' }, pairedItem: { item: 0 } },
			{ json: { ...none, rowNumber: 1, sku: 'C', fileName: '1.pdf' }, pairedItem: { item: 1 } },
			{ json: { ...tables, rowNumber: 1, sku: null, fileName: '2.pdf' }, pairedItem: { item: 2 } },
		]);
		expect(hints).toEqual([
			{
				type: 'warning',
				location: 'outputPane',
				message: expect.stringMatching(/2 documents .*Rows From.*"0\.pdf", "2\.pdf"/) as string,
			},
		]);
	});

	test('is read for each item', async () => {
		const two = items
			.slice(0, 2)
			.map((item, position) => ({ ...item, json: { table: ['taxes', 'lineItems'][position] } }));
		await service.standIn.queueFaults(
			[0, 1].map(() => ({ kind: 'answer', data: { metadata }, creditsConsumed: null })),
		);
		const { items: rows } = await service.run(
			{
				operation: 'extract',
				output: 'rows',
				options: { concurrency: 1, values: 'printed', rowsFrom: '={{ $json.table }}' },
			},
			two,
		);
		expect(rows.map(({ json, pairedItem }) => [json.rate, json.sku, pairedItem])).toEqual([
			['10 %', null, { item: 0 }],
			[null, 'A', { item: 1 }],
			[null, 'B', { item: 1 }],
		]);
	});
});

describe('All rows of a run', () => {
	test('have the columns of all documents, those in common together', async () => {
		const rows = await rowsOf([
			{ documentType: 'Invoice', fields: { number: '1', lineItems: [{ sku: 'A', amount: 1 }] } },
			{ documentType: 'Contract', fields: { parties: ['X', 'Y'] } },
			{
				documentType: 'Invoice',
				fields: { number: '2', due: 'soon', lineItems: [{ sku: 'B', discount: 3 }] },
			},
		]);
		expect(JSON.stringify(rows)).toBe(
			JSON.stringify([
				{
					documentType: 'Invoice',
					number: '1',
					parties: null,
					due: null,
					rowNumber: 1,
					sku: 'A',
					amount: 1,
					discount: null,
				},
				{
					documentType: 'Contract',
					number: null,
					parties: '["X","Y"]',
					due: null,
					rowNumber: 1,
					sku: null,
					amount: null,
					discount: null,
				},
				{
					documentType: 'Invoice',
					number: '2',
					parties: null,
					due: 'soon',
					rowNumber: 1,
					sku: 'B',
					amount: null,
					discount: 3,
				},
			]),
		);
	});

	test('keep a column to one thing where only some documents have a name twice', async () => {
		const rows = await rowsOf([
			{ lineItems: [{ total: 'row 1' }] },
			{ total: 'document 2', lineItems: [{ total: 'row 2' }] },
		]);
		expect(rows).toEqual([
			{ total: null, rowNumber: 1, lineItems_total: 'row 1' },
			{ total: 'document 2', rowNumber: 1, lineItems_total: 'row 2' },
		]);
	});

	test.each<[string, object[], object[], IDataObject?]>([
		[
			'a name inside `fields` and outside',
			[
				{ type: 'Invoice', fields: { type: 'credit' } },
				{ fields: { type: 'debit' } },
				{ type: 'Note' },
			],
			[
				{ type: 'Invoice', fields_type: 'credit' },
				{ type: null, fields_type: 'debit' },
				{ type: 'Note', fields_type: null },
			],
		],
		[
			'a name with `_` beside a nested one',
			[{ fields: { a: { b: 1 }, a_b: 2 } }, { fields: { a_b: 3 } }, { fields: { a: { b: 4 } } }],
			[
				{ fields_a_b: 1, a_b: 2 },
				{ fields_a_b: null, a_b: 3 },
				{ fields_a_b: 4, a_b: null },
			],
		],
		[
			'the same without `fields`, where the paths read alike',
			[{ a: { b: 1 } }, { a: { b: 2 }, a_b: 3 }],
			[
				{ a_b_: 1, a_b: null },
				{ a_b_: 2, a_b: 3 },
			],
		],
		[
			'a name like that of a detail',
			[
				{ fields: { total: { value: 5, confidence: 90 } } },
				{ fields: { total: { value: 6, confidence: 91 }, total_confidence: 'theirs' } },
			],
			[
				{ total: 5, fields_total_confidence: 90, total_confidence: null },
				{ total: 6, fields_total_confidence: 91, total_confidence: 'theirs' },
			].map((row) => ({ ...row, total_page: null, total_boundingBox: null })),
			{ includeFieldDetails: true },
		],
		[
			'a nested field named like a detail',
			[{ total: { value: 5, confidence: 90 } }, { total: { net: 6, confidence: 'high' } }],
			[
				{ total: 5, total_confidence: 90, total_confidence_: null, total_net: null },
				{ total: null, total_confidence: null, total_confidence_: 'high', total_net: 6 },
			].map((row) => ({ ...row, total_page: null, total_boundingBox: null })),
			{ includeFieldDetails: true },
		],
		[
			'columns of two tables, of which one document has more rows in one and the next in the other',
			[
				{ lineItems: [{ amount: 1 }, { amount: 2 }], taxes: [{ amount: 3 }] },
				{ lineItems: [{ amount: 4 }], taxes: [{ amount: 5, rate: 6 }, { amount: 7 }] },
			],
			[
				{
					lineItems_amount: 1,
					taxes_amount: null,
					taxes: '[{"amount":3}]',
					lineItems: null,
					rate: null,
				},
				{
					lineItems_amount: 2,
					taxes_amount: null,
					taxes: '[{"amount":3}]',
					lineItems: null,
					rate: null,
				},
				{
					lineItems_amount: null,
					taxes_amount: 5,
					taxes: null,
					lineItems: '[{"amount":4}]',
					rate: 6,
				},
				{
					lineItems_amount: null,
					taxes_amount: 7,
					taxes: null,
					lineItems: '[{"amount":4}]',
					rate: null,
				},
			],
		],
		[
			'columns of tables of the same name at different places',
			[{ fields: { order: { lines: [{ a: 1 }] } } }, { fields: { lines: [{ a: 2 }] } }],
			[
				{ order_lines_a: 1, fields_lines_a: null },
				{ order_lines_a: null, fields_lines_a: 2 },
			],
		],
		[
			'a column of a table that is in use with the name of its table too',
			[
				{ fields: { total: 1, lineItems: [{ total: 2 }] } },
				{ fields: { lineItems_total: 3, lineItems: [{ total: 4 }] } },
			],
			[
				{ total: 1, lineItems_total: null, fields_lineItems_total: 2 },
				{ total: null, lineItems_total: 3, fields_lineItems_total: 4 },
			],
		],
		[
			'a column of a table named like our counter, which gives way as our other columns do',
			[{ lineItems: [{ rowNumber: 'theirs' }] }],
			[{ rowNumber_: 1, rowNumber: 'theirs' }],
		],
		[
			'names with the signs that paths are written with',
			[
				{ 'a.b': 1, a: { b: 2, '': 3 } },
				{ 'a#confidence': 4, 'a.': 5, 'a\\': { b: 6 } },
				{ a: { value: 7, confidence: 8 } },
			],
			[
				{ 'a.b': 1, a_b: 2, a_: 3 },
				{ 'a#confidence': 4, 'a.': 5, 'a\\_b': 6 },
				{ a: 7, a_confidence: 8, a_page: null, a_boundingBox: null },
			],
			{ includeFieldDetails: true },
		],
	])('keep a column to one thing: %s', async (_, documents, expected, options = {}) => {
		// Whatever document comes first.
		for (const order of [(list: object[]) => list, (list: object[]) => list.toReversed()]) {
			const rows = await rowsOf(order(documents), { options });
			const columns = [...new Set(expected.flatMap((row) => Object.keys(row)))].sort();
			expect(Object.keys(without(rows[0] ?? {}, 'rowNumber')).sort()).toEqual(
				columns.filter((column) => column !== 'rowNumber'),
			);
			const shown = rows.map((row) =>
				columns.map((column) => (row as Record<string, unknown>)[column] ?? null),
			);
			const wanted = expected.map((row) =>
				columns.map((column) => (row as Record<string, unknown>)[column] ?? null),
			);
			expect(shown).toEqual(expect.arrayContaining(wanted));
			expect(shown).toHaveLength(wanted.length);
		}
	});

	test('keep our own columns apart from those of a single template that uses their name', async () => {
		const { items: rows } = await run([{ a: 1 }, { fileName: 'theirs' }]);
		expect(rows.map(({ json }) => json)).toEqual([
			{ a: 1, fileName: null, rowNumber: 1, fileName_: '0.pdf' },
			{ a: null, fileName: 'theirs', rowNumber: 1, fileName_: '1.pdf' },
		]);
	});

	test('come with the fields of their input item in columns of their own', async () => {
		const inputs = [
			{ ...items[0], json: { from: 'ann@example.com', seen: { at: 5 }, labels: ['x'] } },
			{ ...items[1], json: { from: 'bob@example.com' } },
		];
		await service.standIn.queueFaults([
			{ kind: 'answer', data: { metadata: { input_from: 'theirs' } } },
			{ kind: 'answer', data: { metadata: {} } },
		]);
		const { items: rows } = await service.run(
			{
				operation: 'extract',
				output: 'rows',
				options: { concurrency: 1, includeInputFields: true },
			},
			inputs,
		);
		expect(rows.map(({ json }) => json)).toEqual([
			{
				input_from: 'theirs',
				rowNumber: 1,
				fileName: '0.pdf',
				...{ needsReview: false, uncertainFields: '[]' },
				input_from_: 'ann@example.com',
				input_seen_at: 5,
				input_labels: '["x"]',
			},
			{
				input_from: null,
				rowNumber: 1,
				fileName: '1.pdf',
				...{ needsReview: false, uncertainFields: '[]' },
				input_from_: 'bob@example.com',
				input_seen_at: null,
				input_labels: null,
			},
		]);
	});

	test('are not touched by a document that failed among them', async () => {
		await service.standIn.queueFaults([
			{ kind: 'answer', data: { metadata: { a: 1 } }, creditsConsumed: null },
			{ kind: 'envelopeError', status: 422 },
			{ kind: 'answer', data: { metadata: { b: 2 } }, creditsConsumed: null },
		]);
		const { items: all } = await service.run(
			{ operation: 'extract', output: 'rows', options: { concurrency: 1 } },
			items.slice(0, 3),
			{ onError: 'continueRegularOutput' },
		);
		expect(all.map(({ json }) => Object.keys(json))).toEqual([
			['a', 'b', 'rowNumber', 'fileName', 'needsReview', 'uncertainFields'],
			['error'],
			['a', 'b', 'rowNumber', 'fileName', 'needsReview', 'uncertainFields'],
		]);
		expect(failureOf(all[1]).message).toContain('"1.pdf"');
		expect(all.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
	});

	test('of invoices of five layouts hold what is printed, in the order of the input', async () => {
		const names = [
			'invoice-uk.pdf',
			'invoice-long.pdf',
			'invoice-de.pdf',
			'letter.docx',
			'invoice-fr.pdf',
			'invoice-us.pdf',
		];
		const inputs = await Promise.all(
			names.map(async (name) => ({ json: {}, binary: { data: await storedSample(name) } })),
		);
		const { items: rows } = await service.run(
			{ operation: 'extract', output: 'rows', options: { values: 'printed' } },
			inputs,
		);
		const expected = names.flatMap((name, item) => {
			const { supplier = '', customer = '', ...fields } = truth[name]?.fields ?? {};
			return (truth[name]?.lineItems ?? []).map((lineItem, position) => ({
				json: {
					documentType: 'Invoice',
					purchaseOrder: null,
					...fields,
					supplierName: supplier,
					customerName: customer,
					rowNumber: position + 1,
					...lineItem,
					fileName: name,
				},
				pairedItem: { item },
			}));
		});
		expect(
			rows.map(({ json, pairedItem }) => ({
				json: without(json, 'extractionId', 'createdDate'),
				pairedItem,
			})),
		).toEqual(expected);
		expect(new Set(rows.map(({ json }) => Object.keys(json).join())).size).toBe(1);
	});
});

describe('Metadata of any shape', () => {
	const name = fc.oneof(
		{
			weight: 3,
			arbitrary: fc.constantFrom('a', 'b', 'b_a', 'a_b', 'a_', 'rowNumber', 'fileName', 'input_a'),
		},
		// No `confidence`: an object with that and a value is a field, of which the confidence is no cell.
		fc.constantFrom('fields', 'items', 'value', '__proto__', 'toString'),
		fc.string({ maxLength: 3 }),
	);
	const numbers: { serial: number } = { serial: 0 };
	/** Every text is another one, and none is part of another, so that each can be looked for. */
	const text = fc.constant(null).map(() => `v${++numbers.serial};`);
	const scalar = fc.oneof(
		{ weight: 4, arbitrary: text },
		fc.integer(),
		fc.boolean(),
		fc.constant(null),
	);
	const { object: document } = fc.letrec<{
		value: unknown;
		object: object;
		table: object[];
		fieldObject: object;
	}>((tie) => ({
		value: fc.oneof(
			{ maxDepth: 5 },
			scalar,
			tie('table'),
			tie('fieldObject'),
			fc.array(tie('value'), { maxLength: 3 }),
			tie('object'),
		),
		object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
		table: fc.array(tie('object'), { maxLength: 3 }),
		fieldObject: fc.record({ value: tie('value'), confidence: fc.constant(50) }),
	}));
	const documents = fc.array(document, { minLength: 1, maxLength: 8, size: 'max' });

	test('gives rows that are rectangular, flat, in order, and lose nothing', async () => {
		await fc.assert(
			fc.asyncProperty(documents, fc.boolean(), async (metadata, includeFieldDetails) => {
				const { items: rows } = await run(metadata, { options: { includeFieldDetails } });
				expect(new Set(rows.map(({ json }) => JSON.stringify(Object.keys(json)))).size).toBe(1);
				const cells = rows.flatMap(({ json }) => Object.values(json));
				expect(cells.filter((cell) => typeof cell === 'object' && cell !== null)).toEqual([]);

				const order = rows.map(({ pairedItem }) => (pairedItem as { item: number }).item);
				expect(order).toEqual([...order].sort((a, b) => a - b));
				expect([...new Set(order)]).toEqual([...metadata.keys()]);

				for (const [item, document] of metadata.entries()) {
					const own = rows
						.filter((_, position) => order[position] === item)
						.map(({ json }) => JSON.stringify(json));
					// In each row of the document or in one: nowhere else.
					expect(textsIn(document).filter((value) => !own.join('').includes(value))).toEqual([]);
					expect(own.every((row) => row.includes(`"${item}.pdf"`))).toBe(true);
				}
			}),
			numRuns(150),
		);
	});

	test('gives the same rows again, whatever runs before', async () => {
		await fc.assert(
			fc.asyncProperty(documents, async (metadata) => {
				const once = await run(metadata);
				expect(JSON.stringify(await run(metadata))).toBe(JSON.stringify(once));
			}),
			numRuns(20),
		);
	});

	test('gives the same columns with the same content in whatever order the documents come', async () => {
		const shuffled = documents.chain((metadata) =>
			fc.tuple(
				fc.constant(metadata),
				fc.shuffledSubarray([...metadata.keys()], { minLength: metadata.length }),
			),
		);
		await fc.assert(
			fc.asyncProperty(shuffled, fc.boolean(), async ([metadata, order], includeFieldDetails) => {
				const options = { includeFieldDetails };
				const inOrder = byDocument(await run(metadata, { options }));
				const permuted = byDocument(
					await run(
						order.map((position) => metadata[position]),
						{ options },
					),
				);
				expect(permuted).toEqual(order.map((position) => inOrder[position]));
			}),
			numRuns(100),
		);
	});

	test('gives columns of which each holds one field of the documents', async () => {
		// Names that collide when they are joined, and no object that only happens to look like a field or a table.
		const plainName = fc.constantFrom(
			'a',
			'b',
			'a_b',
			'b_a',
			'a_',
			'',
			'fields',
			'fields_a',
			'page',
		);
		const { object: plain } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
			value: fc.oneof(
				{ maxDepth: 4 },
				{ weight: 3, arbitrary: text },
				fc.array(tie('object'), { maxLength: 3 }),
				fc.record({ value: tie('value'), confidence: fc.constant(50) }),
				tie('object'),
			),
			object: fc.dictionary(plainName, tie('value'), { maxKeys: 5 }),
		}));
		const several = fc.array(plain, { minLength: 1, maxLength: 8, size: 'max' });
		await fc.assert(
			fc.asyncProperty(several, fc.boolean(), async (metadata, includeFieldDetails) => {
				const places = new Map(metadata.flatMap((document) => [...placesIn(document)]));
				const { items: rows } = await run(metadata, { options: { includeFieldDetails } });
				const held = new Map<string, Set<string>>();
				for (const { json } of rows) {
					for (const [column, cell] of Object.entries(json)) {
						const place = places.get(cell as string);
						if (place === undefined) continue;
						held.set(column, (held.get(column) ?? new Set()).add(place));
					}
				}
				const mixed = [...held].filter(([, fields]) => fields.size > 1);
				expect(mixed).toEqual([]);
				// And the other way round: a field has one column.
				const columns = [...held.values()].flatMap((fields) => [...fields]);
				expect(columns).toHaveLength(new Set(columns).size);
			}),
			numRuns(150),
		);
	});

	/** The rows of each document as sets of columns, without the name of the file, which tells its position. */
	function byDocument({ items: rows }: { items: INodeExecutionData[] }): object[][] {
		const documents: object[][] = [];
		for (const { json, pairedItem } of rows) {
			const { item } = pairedItem as { item: number };
			const cells = Object.entries(json).map(([column, cell]) => [
				column,
				cell === `${item}.pdf` ? 'its file' : cell,
			]);
			(documents[item] ??= []).push(new Map(cells as Array<[string, unknown]>));
		}
		return documents;
	}

	/** Where each text of a document stands: the names on the way to it, rows of a table alike. */
	function placesIn(value: unknown, path: string[] = []): Map<string, string> {
		if (typeof value === 'string') return new Map([[value, JSON.stringify(path)]]);
		if (typeof value !== 'object' || value === null) return new Map();
		if (Array.isArray(value))
			return new Map(value.flatMap((entry) => [...placesIn(entry, [...path, '[]'])]));
		if ('value' in value && 'confidence' in value) return placesIn(value.value, path);
		return new Map(
			Object.entries(value).flatMap(([name, entry]) => [...placesIn(entry, [...path, name])]),
		);
	}

	/** The numbered texts of a document. */
	function textsIn(value: unknown): string[] {
		if (typeof value === 'string') return /^v\d+;$/.test(value) ? [value] : [];
		return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
	}
});
