import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useBinaryMode } from '../../../n8n-core/runNode';
import { storedSample } from '../../samples';
import { useService } from '../../service';

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
	parameters: IDataObject = {},
): Promise<IDataObject[]> {
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const { items: results } = await service.run(
		{ operation: 'extract', ...parameters, options },
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
		['a value that is missing', { fields: { a: field(null, 0) } }, ['fields.a']],
		[
			'a value that is missing, and the service is sure of that',
			{ fields: { a: field(null, 100), b: field('', 99) } },
			['fields.a', 'fields.b'],
		],
		['a plain value that is missing', { fields: { a: null, b: '' } }, ['fields.a', 'fields.b']],
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
						],
					},
				},
			},
			['fields.lineItems[0].amount', 'fields.lineItems[1].sku'],
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
		['0: only what is missing', 0, ['fields.none']],
		['100: everything that is less than certain', 100, ['fields.sure', 'fields.none']],
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

	test('in Spreadsheet Rows is on each row of the document, the paths as JSON text', async () => {
		const metadata = {
			total: field('9', 10),
			lines: [{ a: field('x', 99) }, { a: field(null, 0) }],
		};
		expect(await reviewed({ metadata }, { confidenceThreshold: 80 }, { output: 'rows' })).toEqual([
			{
				total: '9',
				rowNumber: 1,
				a: 'x',
				fileName: 'invoice-us.pdf',
				creditsConsumed: 1,
				needsReview: true,
				lowConfidenceFields: '["total","lines[1].a"]',
			},
			{
				total: '9',
				rowNumber: 2,
				a: null,
				fileName: 'invoice-us.pdf',
				creditsConsumed: 1,
				needsReview: true,
				lowConfidenceFields: '["total","lines[1].a"]',
			},
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
					lowConfidenceFields: ['fields.a', 'fields.c'],
				},
			},
		]);
		const rows = await reviewed(
			data,
			{ confidenceThreshold: 80 },
			{ operation: 'zeroShot', output: 'rows' },
		);
		expect(rows.map((row) => [row.field, row.needsReview, row.lowConfidenceFields])).toEqual(
			['a', 'b', 'c', 'd'].map((name) => [name, true, '["fields.a","fields.c"]']),
		);
	});

	test('finds what the invoice does not have, in a real one', async () => {
		const invoice = [{ json: {}, binary: { data: await storedSample('invoice-de.pdf') } }];
		const { items: results } = await service.run(
			{ operation: 'extract', options: { confidenceThreshold: 1 } },
			invoice,
		);
		expect(results[0]?.json).toMatchObject({
			needsReview: true,
			lowConfidenceFields: ['fields.purchaseOrder'],
		});
	});
});
