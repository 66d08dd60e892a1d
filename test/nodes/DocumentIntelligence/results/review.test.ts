import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useBinaryMode } from '../../../n8n-core/runNode';
import { storedSample } from '../../samples';
import { useService } from '../../service';
import { Field, readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import {
	lowConfidencePaths,
	missingFields,
	review,
	withoutFields,
	withoutPrefix,
} from '../../../../nodes/DocumentIntelligence/results/review';
import { lineItemRows } from '../../../../nodes/DocumentIntelligence/results/rows';

const service = useService();
let items: INodeExecutionData[];

beforeAll(async () => {
	await useBinaryMode('filesystem');
	items = [{ json: { threshold: 80 }, binary: { data: await storedSample('invoice-us.pdf') } }];
});

const field = (value: unknown, confidence: unknown) => ({ value, confidence });

async function reviewed(
	data: object,
	options: IDataObject,
	{ rowsFrom = '', ...parameters }: IDataObject = {},
): Promise<IDataObject[]> {
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const { items: results } = await service.run(
		{ operation: 'extract', ...parameters, options: { ...options, rowsFrom } },
		items,
	);
	return results.map(({ json }) => json);
}

/** The fields a person should look at; undefined where nobody asked. */
async function paths(metadata: object, confidenceThreshold: unknown): Promise<unknown> {
	const [json] = await reviewed({ metadata }, { confidenceThreshold } as IDataObject);
	expect(json?.needsReview).toBe(((json?.lowConfidenceFields ?? []) as string[]).length > 0);
	return json?.lowConfidenceFields;
}

describe('Confidence Threshold', () => {
	test.each<[string, object, string[]]>([
		['nothing to read', {}, []],
		['all sure', { fields: { a: field('x', 80), b: field('y', 100) } }, []],
		[
			'one less sure than the threshold',
			{ fields: { a: field('x', 79.9), b: field('y', 80) } },
			['fields.a'],
		],
		['without `fields`', { a: field('x', 10) }, ['a']],
		[
			'a field without a value, whatever its confidence',
			{ fields: { a: field(null, 0), b: field(null, 100), c: field('', 1), d: field(' ', 1) } },
			[],
		],
		['a plain value that is missing', { fields: { a: null, b: '' } }, []],
		[
			'a table without rows, or with rows without values',
			{ a: field([], 1), b: field({ items: [] }, 1), c: field([{ d: null }], 1), e: { items: [] } },
			[],
		],
		['false and zero are values', { a: field(false, 10), b: field(0, 10) }, ['a', 'b']],
		[
			'a confidence that comes as text',
			{
				...{ a: field('x', '79'), b: field('x', '79%'), c: field('x', ' 79,9 % ') },
				...{ d: field('x', '80'), e: field('x', '87.5%'), f: field('x', '79.99999999999999999') },
			},
			['a', 'b', 'c'],
		],
		[
			'a confidence that is not a number',
			{ a: field('x', 'high'), b: field('x', ''), c: field('x', true), d: field('x', {}) },
			[],
		],
		['plain values have no confidence', { fields: { a: 'x', b: 0, c: false } }, []],
		['a field without a confidence', { fields: { a: { value: 'x' }, b: field('y', null) } }, []],
		['a confidence of zero', { fields: { a: field('x', 0) } }, ['fields.a']],
		[
			'tables: each cell by itself',
			{
				fields: {
					lineItems: {
						items: [
							{ sku: field('A', 99), amount: field('1', 40) },
							{ sku: field(null, 0), amount: field('2', 90) },
							{ sku: field('C', 79), amount: field('3', 90) },
						],
					},
				},
			},
			['fields.lineItems[0].amount', 'fields.lineItems[2].sku'],
		],
		['a table that is a field', { lines: field([{ a: field('x', 50) }], 95) }, ['lines[0].a']],
		[
			'a table of which the service is not sure as a whole is named once',
			{ lines: field([{ a: field('x', 50) }], 70) },
			['lines'],
		],
		['depth', { seller: { address: { city: field('Porto', 1) } } }, ['seller.address.city']],
		['lists of values', { tags: [field('a', 90), field('b', 20)] }, ['tags[1]']],
		['what only resembles a field', { price: { value: '10', confidence: 5, currency: 'EUR' } }, []],
	])('%s', async (_, metadata, expected) => {
		expect(await paths(metadata, 80)).toEqual(expected);
	});

	test.each([
		['0: nothing', 0, []],
		['100: everything that is less than certain', 100, ['fields.sure']],
	])('of %s', async (_, threshold, expected) => {
		expect(
			await paths(
				{ fields: { sure: field('x', 99.9), certain: field('y', 100), none: field(null, 0) } },
				threshold,
			),
		).toEqual(expected);
	});

	test('not set, nothing is added', async () => {
		const [json] = await reviewed({ metadata: { fields: { a: field(null, 0) } } }, {});
		expect(json).toEqual({ fields: { a: null }, fileName: 'invoice-us.pdf', creditsConsumed: 1 });
	});

	test('is read for each item', async () => {
		expect(await paths({ a: field('x', 79) }, '={{ $json.threshold }}')).toEqual(['a']);
		expect(await paths({ a: field('x', 79) }, '={{ $json.threshold - 10 }}')).toEqual([]);
	});

	test('leaves the values as they are, and goes with field details', async () => {
		const [json] = await reviewed(
			{ metadata: { a: field('x', 79) } },
			{ confidenceThreshold: 80, includeFieldDetails: true },
		);
		expect(json).toEqual({
			a: { value: 'x', confidence: 79, page: null, boundingBox: null },
			fileName: 'invoice-us.pdf',
			creditsConsumed: 1,
			needsReview: true,
			lowConfidenceFields: ['a'],
		});
	});

	test('gives way to a template’s own names', async () => {
		const [json] = await reviewed(
			{ metadata: { needsReview: 'theirs', lowConfidenceFields: 'theirs too' } },
			{ confidenceThreshold: 80 },
		);
		expect(json).toMatchObject({
			needsReview: 'theirs',
			lowConfidenceFields: 'theirs too',
			needsReview_: false,
			lowConfidenceFields_: [],
		});
	});

	/** What each row of a document says: whether to look at the document, and at which of the row's columns. */
	async function flagged(metadata: object, parameters: IDataObject = {}): Promise<unknown[]> {
		const options = { confidenceThreshold: 80 };
		const rows = await reviewed({ metadata }, options, { output: 'rows', ...parameters });
		return rows.map(({ needsReview, lowConfidenceFields, ...row }) => {
			const names = JSON.parse(lowConfidenceFields as string) as string[];
			return [needsReview, names, names.map((name) => row[name])];
		});
	}

	test('in rows names the columns of the row, and asks for a review of the document', async () => {
		const metadata = {
			fields: {
				total: field('9', 10),
				seller: { city: field('Porto', 20) },
				lines: [{ a: field('x', 99) }, null, { a: field('y', 30), b: { c: field('z', 40) } }],
				tags: ['t', field('u', 50), field('v', 60)],
			},
		};
		const ofDocument = ['total', 'seller_city', 'tags'];
		const values = [9, 'Porto', '["t","u","v"]'];
		expect(await flagged(metadata, { rowsFrom: 'lines' })).toEqual([
			[true, ofDocument, values],
			[true, [...ofDocument, 'a', 'b_c'], [...values, 'y', 'z']],
		]);
	});

	test.each<[string, object, unknown[]]>([
		[
			'where columns of a document and of its table would have one name',
			{ total: field('9', 90), lines: [{ total: field('4', 10) }] },
			[[true, ['lines_total'], [4]]],
		],
		[
			'where a name stands beside `fields` and in it',
			{ type: 'x', fields: { type: field('y', 10) } },
			[[true, ['fields_type'], ['y']]],
		],
		[
			'for a table that has no rows of its own',
			{ lines: [{ a: 1 }, { a: 2 }], taxes: [{ rate: field('5', 10) }] },
			[1, 2].map(() => [true, ['taxes'], ['[{"rate":5}]']]),
		],
		['where nothing is low', { a: field('x', 90) }, [[false, [], []]]],
	])(
		'in rows names the columns as they are called in the end: %s',
		async (_, metadata, expected) => {
			expect(await flagged(metadata)).toEqual(expected);
		},
	);

	test('in rows, another table is one place of the document, however many of its values are low', () => {
		const table = (rows: number) => Array.from({ length: rows }, () => ({ a: field('x', 10) }));
		const tree = readMetadata({ lines: table(200), history: table(199), total: field('9', 10) });
		const rows = lineItemRows(tree, '', false, {
			lowConfidenceFields: lowConfidencePaths(tree, 80),
		});
		expect(rows).toHaveLength(200);
		expect(new Set(rows.map(({ doubts }) => doubts?.lowConfidenceFields?.length))).toEqual(
			new Set([3]),
		);
	});

	test('in rows, what has no column is named by its path', async () => {
		const metadata = { lines: [field({ a: 'x' }, 10), field({ a: 'y' }, 90)] };
		expect(await flagged(metadata)).toEqual([
			[true, ['lines[0]'], [undefined]],
			[true, [], []],
		]);
		expect(await flagged({ lines: field([{ a: 'x' }], 10) })).toEqual([
			[true, ['lines'], [undefined]],
		]);
	});

	test('leaves Full Result as the service sent it', async () => {
		const data = { metadata: { a: field('x', 1) } };
		expect(await reviewed(data, { confidenceThreshold: 80 }, { output: 'raw' })).toEqual([data]);
	});

	test('for Discover Fields speaks of the fields, not of the type', async () => {
		const data = {
			documentType: 'Note',
			confidence: 12,
			metadata: { a: field('x', 79), b: field('y', 80), c: field(null, 90), d: 'plain' },
		};
		expect(await reviewed(data, { confidenceThreshold: 80 }, { operation: 'zeroShot' })).toEqual([
			{
				...{
					documentType: 'Note',
					confidence: 12,
					fields: { a: 'x', b: 'y', c: null, d: 'plain' },
				},
				...{
					fileName: 'invoice-us.pdf',
					creditsConsumed: 1,
					needsReview: true,
					lowConfidenceFields: ['fields.a'],
				},
			},
		]);
		const rows = await reviewed(
			data,
			{ confidenceThreshold: 80 },
			{ operation: 'zeroShot', output: 'rows' },
		);
		// A row is about its own field.
		expect(rows.map((row) => [row.field, row.needsReview, row.lowConfidenceFields])).toEqual([
			['a', true, '["a"]'],
			['b', false, '[]'],
			['c', false, '[]'],
			['d', false, '[]'],
		]);
	});

	test('does not flag an invoice for the fields that it does not have', async () => {
		const names = ['us', 'uk', 'de', 'fr', 'long'].map((name) => `invoice-${name}.pdf`);
		const invoices = await Promise.all(
			names.map(async (name) => ({ json: {}, binary: { data: await storedSample(name) } })),
		);
		const { items: results } = await service.run(
			{ operation: 'extract', options: { confidenceThreshold: 1 } },
			invoices,
		);
		expect(results.map(({ json }) => [json.needsReview, json.lowConfidenceFields])).toEqual(
			names.map(() => [false, []]),
		);
	});
});

describe('Required Fields', () => {
	/** What the node adds for these names, as a user sees it in Fields. */
	async function missing(
		metadata: object,
		requiredFields: unknown,
		options: IDataObject = {},
	): Promise<unknown> {
		const [json] = await reviewed({ metadata }, { requiredFields, ...options } as IDataObject);
		const missingFields = json?.missingFields as string[] | undefined;
		expect(json?.needsReview).toBe(missingFields && missingFields.length > 0);
		return missingFields;
	}

	const invoice = {
		documentType: 'Invoice',
		fields: {
			invoiceNumber: field('INV-1', 99),
			total: field(null, 0),
			paid: field(false, 90),
			discount: 0,
			note: ' ',
			seller: { address: { city: field('Porto', 90), street: null } },
			lineItems: {
				items: [
					{ sku: field('A', 99), amount: field('1', 40) },
					{ sku: field('B', 99), amount: field(null, 0) },
				],
			},
			taxes: { items: [] },
			tags: ['a', ''],
			'Amount, net': '5',
			' Order no ': '5',
			lines: [{ 'Part no ': '5' }],
		},
	};

	test.each<[string, unknown, string[]]>([
		['is there', 'invoiceNumber', []],
		['is there, several', 'invoiceNumber, paid,discount', []],
		['has no value', 'invoiceNumber, total', ['total']],
		['is blank', 'note', ['note']],
		['is not there at all', 'purchaseOrder', ['purchaseOrder']],
		['is written with fields', 'fields.invoiceNumber, fields.total', ['fields.total']],
		['is written in another case', ' INVOICEnumber , Total', ['Total']],
		['is beside fields', 'documentType', []],
		['is inside a group', 'seller.address.city, seller.address.street', ['seller.address.street']],
		['is a group', 'seller, seller.address', []],
		[
			'is named as a column',
			'seller_address_city, seller_address_street',
			['seller_address_street'],
		],
		['is a table', 'lineItems', []],
		['is a table without rows', 'taxes', ['taxes']],
		['is a cell', 'lineItems[0].amount, lineItems[1].amount', ['lineItems[1].amount']],
		['is a row beyond the last', 'lineItems[2].sku', ['lineItems[2].sku']],
		['is a column: each row counts', 'lineItems.sku, lineItems.amount', ['lineItems.amount']],
		[
			'is a cell, by a name that only a field of the document has',
			'sku, amount, lineItems_amount',
			['sku', 'amount', 'lineItems_amount'],
		],
		['is an entry of a list', 'tags[0], tags[1], tags', ['tags[1]']],
		['is named twice', 'total, total', ['total']],
		['is in a list by expression', ['invoiceNumber', ' total '], ['total']],
		['is in a list of a list', [['total'], 'note', 'paid'], ['total', 'note']],
		['has a comma, in a list', ['Amount, net', 'Amount, gross'], ['Amount, gross']],
		['has blanks around it', ' Order no , lines.Part no, Part no', ['Part no']],
		['is on lines', 'total\nnote', ['total', 'note']],
		['is no text', [5, null, {}, 'total'], ['5', 'total']],
		['is only part of a name', 'invoice', ['invoice']],
		['is a name of the language', 'constructor, __proto__', ['constructor', '__proto__']],
	])('that %s: %j', async (_, requiredFields, expected) => {
		expect(await missing(invoice, requiredFields)).toEqual(expected);
	});

	test.each([undefined, '', ' , ', null, [], {}, '={{ $json.nothing }}'])(
		'not named (%j), nothing is added',
		async (requiredFields) => {
			const [json] = await reviewed({ metadata: { a: null } }, { requiredFields });
			expect(json).toEqual({ a: null, fileName: 'invoice-us.pdf', creditsConsumed: 1 });
		},
	);

	test('the name as it is written counts before what it may mean elsewhere', async () => {
		const metadata = { total: null, fields: { total: 5, lines: [{ total: null }] } };
		expect(await missing(metadata, 'fields.total')).toEqual([]);
		expect(await missing(metadata, 'total')).toEqual(['total']);
		const other = { total: 5, fields: { total: null } };
		expect(await missing(other, 'fields.total')).toEqual(['fields.total']);
		expect(await missing(other, 'fields_total')).toEqual(['fields_total']);
		expect(await missing(other, 'total')).toEqual([]);
		expect(await missing({ total: 5 }, 'fields.total')).toEqual([]);
		expect(await missing({ total: 5, lines: [{ total: null }] }, 'total')).toEqual([]);
	});

	test('are read for each item', async () => {
		expect(await missing({ a: null }, '={{ $json.threshold > 70 ? "a" : "" }}')).toEqual(['a']);
	});

	test('go with Confidence Threshold: either asks for a review', async () => {
		const options = { confidenceThreshold: 80, requiredFields: 'a, b' };
		const [json] = await reviewed({ metadata: { a: field('x', 10), b: 'y' } }, options);
		expect(json).toMatchObject({
			needsReview: true,
			lowConfidenceFields: ['a'],
			missingFields: [],
		});
		const [other] = await reviewed({ metadata: { a: field('x', 90) } }, options);
		expect(other).toMatchObject({
			needsReview: true,
			lowConfidenceFields: [],
			missingFields: ['b'],
		});
		const [good] = await reviewed({ metadata: { a: field('x', 90), b: 'y' } }, options);
		expect(good).toMatchObject({
			needsReview: false,
			lowConfidenceFields: [],
			missingFields: [],
		});
	});

	test('with field details, names are the same', async () => {
		expect(
			await missing(invoice, 'total, seller.address.city', { includeFieldDetails: true }),
		).toEqual(['total']);
	});

	test('in a real invoice', async () => {
		const names = ['invoice-us.pdf', 'invoice-de.pdf'];
		const invoices = await Promise.all(
			names.map(async (name) => ({ json: {}, binary: { data: await storedSample(name) } })),
		);
		const { items: results } = await service.run(
			{ operation: 'extract', options: { requiredFields: 'invoiceNumber, purchaseOrder' } },
			invoices,
		);
		expect(results.map(({ json }) => [json.needsReview, json.missingFields])).toEqual([
			[false, []],
			[true, ['purchaseOrder']],
		]);
	});

	test.each(['fields', 'documentRows', 'rows'])(
		'may name what the node and the service add to a document (%s)',
		async (output) => {
			const none = output === 'fields' ? [] : '[]';
			const discovered = { documentType: 'Note', confidence: 90, metadata: { a: 'x' } };
			const names = ['confidence', 'fileName', 'documentType'];
			for (const json of await reviewed(
				discovered,
				{ requiredFields: names },
				{ operation: 'zeroShot', output },
			))
				expect(json).toMatchObject({ needsReview: false, missingFields: none });
			const extracted = { id: '1', createdDate: '2026', metadata: { a: 'x' } };
			for (const json of await reviewed(
				extracted,
				{ requiredFields: 'extractionId, createdDate, fileName, a' },
				{ output },
			))
				expect(json).toMatchObject({ needsReview: false, missingFields: none });
		},
	);

	test('a field counts before what the node and the service add', async () => {
		expect(await missing({ fields: { fileName: null } }, 'fileName')).toEqual(['fileName']);
		expect(await missing({ fields: { fileName: 'x' } }, 'fileName')).toEqual([]);
		const data = { confidence: 90, metadata: { confidence: null } };
		const [json] = await reviewed(
			data,
			{ requiredFields: 'confidence' },
			{ operation: 'zeroShot' },
		);
		expect(json).toMatchObject({ missingFields: ['confidence'] });
	});

	test('without a confidence, Discover Fields has none', async () => {
		const [json] = await reviewed(
			{ metadata: { a: 'x' } },
			{ requiredFields: 'confidence' },
			{ operation: 'zeroShot' },
		);
		expect(json).toMatchObject({ needsReview: true, missingFields: ['confidence'] });
	});

	test.each([
		['fields', 1],
		['documentRows', 1],
		['rows', 3],
	])('for Discover Fields (%s)', async (output, count) => {
		const data = {
			documentType: 'Note',
			metadata: { a: field('x', 79), b: field(null, 90), c: 1 },
		};
		const results = await reviewed(
			data,
			{ requiredFields: 'documentType, a, B, d' },
			{ operation: 'zeroShot', output },
		);
		expect(results).toHaveLength(count);
		for (const json of results) {
			expect(json.needsReview).toBe(true);
			expect(json.missingFields).toEqual(output === 'fields' ? ['B', 'd'] : '["B","d"]');
		}
	});
});

describe('Step by step', () => {
	test('each list is there where it is asked for, and nothing where none is', () => {
		expect(review({}, undefined)).toEqual({});
		expect(review({ uncertainFields: [['lines', 2, 'amount']] }, undefined)).toEqual({
			needsReview: true,
			uncertainFields: ['lines[2].amount'],
		});
		expect(review({ lowConfidenceFields: [], uncertainFields: [] }, [])).toEqual({
			needsReview: false,
			lowConfidenceFields: [],
			missingFields: [],
			uncertainFields: [],
		});
	});

	test('fields in front of a name is optional, and nowhere else', () => {
		expect(withoutFields(['fields', 'total'])).toEqual(['total']);
		expect(withoutFields(['fields'])).toEqual(['fields']);
		expect(withoutFields(['total'])).toEqual(['total']);
		expect(withoutFields(['order', 'fields'])).toEqual(['order', 'fields']);
		expect(withoutPrefix('fields.total')).toBe('total');
		expect(withoutPrefix('order.fields.total')).toBe('order.fields.total');
	});

	test('a column has a value where each row has one', () => {
		const rows = (...amounts: string[]) =>
			readMetadata({ fields: { lines: amounts.map((amount) => ({ amount })) } });
		expect(missingFields(rows('', '5.00'), ['lines.amount'])).toEqual(['lines.amount']);
		expect(missingFields(rows('5.00', ''), ['lines.amount'])).toEqual(['lines.amount']);
		expect(missingFields(rows('4.00', '5.00'), ['lines.amount'])).toEqual([]);
	});

	test('a field whose value has fields of its own', () => {
		const address = new Field(readMetadata({ city: 'Bern', street: '' }), 90, null, null);
		const required = ['address', 'address.city', 'address.street', ''];
		expect(missingFields({ address }, required)).toEqual(['address.street', '']);
	});
});
