import * as fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import {
	beside,
	Field,
	isTable,
	itemJson,
	readMetadata,
	rowOf,
	valuesOf,
} from '../../../../nodes/DocumentIntelligence/results/fields';
import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes } from '../../samples';
import { numRuns } from '../../numRuns';
import { useService } from '../../service';

const service = useService();
let binary: INodeExecutionData['binary'];

beforeAll(async () => {
	await useBinaryMode('filesystem');
	binary = { data: await storeFile(sampleBytes('invoice-us.pdf'), 'a.pdf', 'application/pdf') };
});

/** What Extract gives for an answer of the service with these data. */
async function extracted(
	data: IDataObject,
	options: IDataObject = {},
): Promise<INodeExecutionData[]> {
	await service.standIn.queueFaults([
		{ kind: 'answer', data: { quality: null, ...data }, creditsConsumed: 3 },
	]);
	// A key for each run: the client counts the requests of a minute by key.
	const credential = { ...service.credential, apiKey: `${service.credential.apiKey}-${++runs}` };
	return (
		await service.run({ operation: 'extract', options }, [{ json: { row: 7 }, binary }], {
			credential,
		})
	).items;
}
let runs = 0;

/** Metadata as they come out, without what the node puts beside them. */
async function reduced(metadata: unknown): Promise<IDataObject> {
	const [item, ...others] = await extracted({ metadata } as IDataObject);
	expect(others).toEqual([]);
	const { fileName, creditsConsumed, ...rest } = item?.json ?? {};
	expect([fileName, creditsConsumed]).toEqual(['a.pdf', 3]);
	return rest;
}

const place = { page: 1, bbox: [0.1, 0.2, 0.3, 0.4], bbox_confidence: 95 };
const field = (value: unknown, confidence = 97) => ({ value, confidence, ...place });

/** As it comes over the wire: `__proto__` is a key like any other there. */
const json = (text: string) => JSON.parse(text) as IDataObject;

describe('Metadata as a user reads it', () => {
	test.each<[string, object, object]>([
		['nothing', {}, {}],
		[
			'plain values (the specification’s form)',
			{
				documentType: 'Invoice',
				fields: { number: 'INV-100', total: 110, paid: false, date: '2026-11-03', note: null },
			},
			{
				documentType: 'Invoice',
				fields: { number: 'INV-100', total: 110, paid: false, date: '2026-11-03', note: null },
			},
		],
		[
			'plain line items',
			{
				fields: {
					lineItems: [
						{ description: 'A', amount: 60 },
						{ description: 'B', amount: 30 },
					],
				},
			},
			{
				fields: {
					lineItems: [
						{ description: 'A', amount: 60 },
						{ description: 'B', amount: 30 },
					],
				},
			},
		],
		[
			'plain values without `fields`',
			{ number: 'INV-100', total: 110 },
			{ number: 'INV-100', total: 110 },
		],
		[
			'field objects',
			{ fields: { number: field('INV-100'), total: field('110.00') } },
			{ fields: { number: 'INV-100', total: '110.00' } },
		],
		[
			'field objects without a place',
			{ fields: { number: { value: 'INV-100', confidence: 80 } } },
			{ fields: { number: 'INV-100' } },
		],
		[
			'field objects that were not found',
			{ fields: { number: { value: null, confidence: 0 } } },
			{ fields: { number: null } },
		],
		['field objects without `fields`', { number: field('INV-100') }, { number: 'INV-100' }],
		[
			'a table',
			{
				fields: {
					lineItems: {
						items: [
							{ description: field('A'), amount: field('60') },
							{ description: field('B'), amount: field(null, 0) },
						],
					},
				},
			},
			{
				fields: {
					lineItems: [
						{ description: 'A', amount: '60' },
						{ description: 'B', amount: null },
					],
				},
			},
		],
		['an empty table', { fields: { lineItems: { items: [] } } }, { fields: { lineItems: [] } }],
		['a table of plain rows', { lineItems: { items: [{ a: 1 }] } }, { lineItems: [{ a: 1 }] }],
		[
			'plain values and field objects mixed',
			{
				documentType: 'Invoice',
				fields: { number: field('INV-100'), total: 110, tags: ['a', field('b')] },
			},
			{ documentType: 'Invoice', fields: { number: 'INV-100', total: 110, tags: ['a', 'b'] } },
		],
		[
			'rows that mix both',
			{
				lineItems: {
					items: [
						{ description: field('A'), amount: 60 },
						{ description: 'B', amount: field('30') },
					],
				},
			},
			{
				lineItems: [
					{ description: 'A', amount: 60 },
					{ description: 'B', amount: '30' },
				],
			},
		],
		[
			'depth: a group of groups, a table in a table, a field in a field',
			{
				seller: { address: { city: field('Porto') } },
				orders: { items: [{ number: field('1'), lines: { items: [{ sku: field('X') }] } }] },
				twice: field(field('inner')),
			},
			{
				seller: { address: { city: 'Porto' } },
				orders: [{ number: '1', lines: [{ sku: 'X' }] }],
				twice: 'inner',
			},
		],
		[
			'a field whose value is a table',
			{ rows: field({ items: [{ a: field('1') }] }) },
			{ rows: [{ a: '1' }] },
		],
		['a field whose value is a list', { tags: field(['a', 'b']) }, { tags: ['a', 'b'] }],
		[
			'an object of the user that only resembles a field',
			{ price: { value: '10', confidence: 90, currency: 'EUR' } },
			{ price: { value: '10', confidence: 90, currency: 'EUR' } },
		],
		[
			'an object that lacks a value',
			{ scan: { confidence: 90, page: 1 } },
			{ scan: { confidence: 90, page: 1 } },
		],
		[
			'an object of the user that only resembles a table',
			{ cart: { items: [{ a: 1 }], count: 1 } },
			{ cart: { items: [{ a: 1 }], count: 1 } },
		],
		[
			'a list of the user that is called items',
			{ cart: { items: ['a', 'b'] } },
			{ cart: { items: ['a', 'b'] } },
		],
		['a document that looks like a field', field('x'), field('x')],
		['a document that looks like a table', { items: [{ a: field('1') }] }, { items: [{ a: '1' }] }],
		[
			'names like those of the language',
			json(
				'{"__proto__":{"value":"p","confidence":1},"constructor":{"value":"c","confidence":1},"hasOwnProperty":1}',
			),
			json('{"__proto__":"p","constructor":"c","hasOwnProperty":1}'),
		],
		[
			'values that count as nothing',
			{ a: field(''), b: field(0), c: field(false), d: '', e: 0 },
			{ a: '', b: 0, c: false, d: '', e: 0 },
		],
	])('%s', async (_, metadata, expected) => {
		// As text: the order of the keys is the template's, and `__proto__` is seen.
		expect(JSON.stringify(await reduced(metadata))).toBe(JSON.stringify(expected));
	});

	test('a template’s key `__proto__` reaches no prototype', async () => {
		const [item] = await extracted({
			metadata: json('{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}}}'),
		});
		expect(JSON.stringify(item?.json)).toBe(
			'{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}},"fileName":"a.pdf","creditsConsumed":3}',
		);
		expect((item?.json as { polluted?: boolean }).polluted).toBeUndefined();
		expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
	});

	const key = fc.oneof(
		fc.constantFrom(
			'value',
			'confidence',
			'page',
			'bbox',
			'bbox_confidence',
			'items',
			'fields',
			'__proto__',
			'a',
		),
		fc.string({ maxLength: 4 }),
	);
	const scalar = fc.oneof(
		fc.string(),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
		fc.boolean(),
		fc.constant(null),
	);
	/** JSON made of the very keys that field objects and tables have. */
	const { object: anyMetadata } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
		value: fc.oneof(
			{ maxDepth: 6 },
			scalar,
			fc.array(tie('value'), { maxLength: 3 }),
			tie('object'),
		),
		object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
	}));

	// Many documents travel in one answer, so that thousands take seconds.
	const manyOf = <T>(document: fc.Arbitrary<T>) =>
		fc.array(document, { minLength: 1, maxLength: 100, size: 'max' });

	test('reducing twice is reducing once', async () => {
		await fc.assert(
			fc.asyncProperty(manyOf(anyMetadata), async (documents) => {
				const once = await reduced({ documents });
				expect(JSON.stringify(await reduced(once))).toBe(JSON.stringify(once));
			}),
			numRuns(30),
		);
	});

	test('no value of a plain document is lost', async () => {
		let serial = 0;
		// Every value is different, so that each can be looked for.
		const numbered = fc.constant(null).map(() => `value-${++serial};`);
		const { object } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
			value: fc.oneof(
				{ maxDepth: 5 },
				numbered,
				fc.array(tie('value'), { maxLength: 3 }),
				tie('object'),
			),
			object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
		}));
		await fc.assert(
			fc.asyncProperty(manyOf(object.filter(isPlain)), async (documents) => {
				const kept = JSON.stringify(await reduced({ documents }));
				expect(
					valuesOf(documents).filter((value) => !kept.includes(JSON.stringify(value))),
				).toEqual([]);
			}),
			numRuns(30),
		);
	});

	/** A field object has a value and a confidence (docs/service-contract.md): a document without both beside each other is plain. */
	function isPlain(value: unknown): boolean {
		if (typeof value !== 'object' || value === null) return true;
		const isField = Object.hasOwn(value, 'value') && Object.hasOwn(value, 'confidence');
		return !isField && Object.values(value).every(isPlain);
	}

	function valuesOf(value: unknown): unknown[] {
		return typeof value === 'object' && value !== null
			? Object.values(value).flatMap(valuesOf)
			: [value];
	}
});

describe('What stands beside the template’s own keys', () => {
	const data = { id: 'id-1', createdDate: '2026-11-03T10:00:00Z' };
	const additions = {
		fileName: 'a.pdf',
		extractionId: 'id-1',
		createdDate: '2026-11-03T10:00:00Z',
		creditsConsumed: 3,
	};

	test.each<[string, object, object]>([
		['nothing in the way', { fields: { total: 1 } }, { fields: { total: 1 }, ...additions }],
		['an empty template', {}, additions],
		[
			'names inside `fields` are in nobody’s way',
			{ fields: { fileName: 'theirs' } },
			{ fields: { fileName: 'theirs' }, ...additions },
		],
		[
			'every name in use, and one of them with its underscore',
			{
				fileName: 'f',
				extractionId: field('e'),
				createdDate: null,
				creditsConsumed: 0,
				fileName_: 'g',
			},
			{
				fileName: 'f',
				extractionId: 'e',
				createdDate: null,
				creditsConsumed: 0,
				fileName_: 'g',
				fileName__: 'a.pdf',
				extractionId_: 'id-1',
				createdDate_: '2026-11-03T10:00:00Z',
				creditsConsumed_: 3,
			},
		],
	])('%s', async (_, metadata, expected) => {
		expect(await extracted({ ...data, metadata })).toEqual([
			{ json: expected, pairedItem: { item: 0 } },
		]);
	});

	test('what the service does not say is absent', async () => {
		expect(await extracted({ metadata: { a: 1 } })).toEqual([
			{ json: { a: 1, fileName: 'a.pdf', creditsConsumed: 3 }, pairedItem: { item: 0 } },
		]);
	});

	test('the input item gives way to a template’s own `input`', async () => {
		const [item] = await extracted({ metadata: { input: 'theirs' } }, { includeInputFields: true });
		expect(item?.json).toMatchObject({ input: 'theirs', input_: { row: 7 } });
	});
});

describe('The steps by themselves', () => {
	test('an object that is nothing but a value is a field without a confidence', () => {
		const tree = readMetadata({ a: { value: 'x' }, b: { value: 'y', page: 2 } });
		expect(tree).toEqual({ a: new Field('x', null, null, null), b: { value: 'y', page: 2 } });
		expect(valuesOf(tree)).toEqual({ a: 'x', b: { value: 'y', page: 2 } });
		expect(valuesOf(tree, true)).toEqual({
			a: { value: 'x', confidence: null, page: null, boundingBox: null },
			b: { value: 'y', page: 2 },
		});
	});

	test.each([95, null, '95', '95.25', ' 95,5 % '])(
		'%j is the confidence of a field',
		(confidence) => {
			const read = readMetadata({ a: { value: 'x', confidence } });
			expect(read).toEqual({ a: new Field('x', confidence, null, null) });
		},
	);

	test.each([true, { of: 95 }, [95], '', 'high', 'p. 95', '95 of 100', '95.'])(
		'%j is none, so the object is data',
		(confidence) => {
			const data = { a: { value: 'x', confidence } };
			expect(readMetadata(data)).toEqual(data);
		},
	);

	test('a row may be a field as a whole', () => {
		const { lines } = readMetadata({
			lines: [{ value: { sku: { value: 'X', confidence: 71 } }, confidence: 72 }],
		});
		expect(isTable(lines)).toBe(true);
		const [first] = lines as Field[];
		expect(first && rowOf(first)).toEqual({ sku: new Field('X', 71, null, null) });
	});

	test.each([
		[{ a: 1 }, { a: 1 }],
		[{}, {}],
		[null, { data: null }],
		['text', { data: 'text' }],
		[5, { data: 5 }],
		[undefined, { data: null }],
		[[1], { data: [1] }],
	])('%j as the JSON of an item is %j', (data, json) => {
		expect(itemJson(data)).toStrictEqual(json);
	});

	test('a name of the language is a name like any other', () => {
		const own = JSON.parse('{"__proto__":{"a":1}}') as IDataObject;
		for (const result of [beside(own, { b: 1 }), beside({ b: 1 }, own)]) {
			expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
			expect(JSON.parse(JSON.stringify(result))).toEqual(JSON.parse('{"__proto__":{"a":1},"b":1}'));
			expect(Object.keys(result).sort()).toEqual(['__proto__', 'b']);
		}
		expect(JSON.stringify(beside(own, own))).toBe('{"__proto__":{"a":1},"__proto___":{"a":1}}');
	});

	test('additions stand beside what is there, and those that are undefined nowhere', () => {
		expect(beside({ a: 1, a_: 2 }, { a: 3, b: undefined, c: null, d: '' })).toStrictEqual({
			a: 1,
			a_: 2,
			a__: 3,
			c: null,
			d: '',
		});
	});
});
