import type { IDataObject } from 'n8n-workflow';

import {
	withAdditions,
	isTable,
	itemJson,
	readMetadata,
	rowOf,
	valuesOf,
	type Field,
} from '../../../../nodes/DocumentIntelligence/results/fields';
import { lowConfidenceIn } from '../../../../nodes/DocumentIntelligence/results/review';
import { field, place } from './printedField';

describe('Metadata as a user reads it', () => {
	const plain = {
		documentType: 'Invoice',
		fields: { number: 'INV-100', total: 110, paid: false, date: '2026-11-03', note: null },
	};
	const resemblesTable = { cart: { items: [{ a: 1 }], count: 1 } };

	test.each<[string, object, object]>([
		['nothing', {}, {}],
		['plain values (the specification’s form)', plain, plain],
		['an empty table', { fields: { lineItems: { items: [] } } }, { fields: { lineItems: [] } }],
		[
			'plain values and field objects mixed',
			{ fields: { number: field('INV-100'), total: 110, tags: ['a', field('b')] } },
			{ fields: { number: 'INV-100', total: 110, tags: ['a', 'b'] } },
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
			'field objects in other letters, with other keys, and with a confidence of any kind',
			{
				a: { Value: 'x', Confidence: 90, Page: 1 },
				b: { value: '10', confidence: 90, currency: 'EUR' },
				c: { value: 'y', confidence: 'low' },
				d: { value: 'z', confidence: { of: 1 } },
				e: { Items: [{ f: { VALUE: '1', confidence: null } }] },
			},
			{ a: 'x', b: '10', c: 'y', d: 'z', e: [{ f: '1' }] },
		],
		[
			'a value without a confidence, by itself or with its place',
			{ a: { value: 'x' }, b: { value: 'y', page: 2, bbox: [] }, c: { value: '5', unit: 'kg' } },
			{ a: 'x', b: 'y', c: { value: '5', unit: 'kg' } },
		],
		['an object of the user that only resembles a table', resemblesTable, resemblesTable],
		['a document that looks like a field', field('x'), field('x')],
		['a document that looks like a table', { items: [{ a: field('1') }] }, { items: [{ a: '1' }] }],
	])('%s', (_, metadata, expected) => {
		// As text: the order of the keys is the template's.
		expect(JSON.stringify(valuesOf(readMetadata(metadata)))).toBe(JSON.stringify(expected));
	});

	test('details are confidence, page, box, and what else stands beside the value', () => {
		const tree = readMetadata({ a: { ...field('x'), type: 'text', Value_: 1 }, b: { value: 'y' } });
		expect(valuesOf(tree, true)).toEqual({
			a: {
				...{ value: 'x', confidence: 97, page: 1, boundingBox: place.bbox },
				...{ bbox_confidence: 95, type: 'text', value_: 1 },
			},
			b: { value: 'y', confidence: null, page: null, boundingBox: null },
		});
	});

	test('a table may have a confidence and a place, which its details keep', () => {
		const table = { items: [{ a: field('1') }], confidence: 40, page: 2 };
		const tree = readMetadata({ lines: table, Other: { Items: [{ a: '2' }], page: 2 } });
		expect(valuesOf(tree)).toEqual({ lines: [{ a: '1' }], Other: [{ a: '2' }] });
		expect(tree.lines).toMatchObject({ details: { confidence: 40, page: 2 } });
		expect(lowConfidenceIn(tree, new Map([['', 80]])).map(({ path }) => path)).toEqual([
			['lines'],
			['Other'],
		]);
	});

	test('a row may be a field as a whole', () => {
		const { lines } = readMetadata({
			lines: [{ value: { sku: field('X') }, confidence: 72 }, null],
		});
		expect(isTable(lines)).toBe(true);
		const [first, second] = lines as Field[];
		expect(first && valuesOf(rowOf(first) ?? null)).toEqual({ sku: 'X' });
		expect(rowOf(second ?? null)).toBeUndefined();
	});
});

test.each([
	[{ a: 1 }, { a: 1 }],
	[null, { data: null }],
	['text', { data: 'text' }],
	[undefined, { data: null }],
	[[1], { data: [1] }],
])('%j as the JSON of an item is %j', (data, expected) => {
	expect(itemJson(data)).toStrictEqual(expected);
});

test('additions stand beside what is there, and those that are undefined nowhere', () => {
	// As it comes over the wire: `__proto__` is a key like any other there.
	const own = JSON.parse('{"a":1,"a_":2,"__proto__":{"b":1}}') as IDataObject;
	const more = JSON.parse('{"__proto__":4}') as IDataObject;
	const result = withAdditions(own, { a: 3, b: undefined, c: null, ...more });
	expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
	expect('b' in result).toBe(false);
	expect(JSON.stringify(result)).toBe(
		'{"a":1,"a_":2,"__proto__":{"b":1},"a__":3,"c":null,"__proto___":4}',
	);
});
