import * as fc from 'fast-check';

import {
	booleanOf,
	jsonCopy,
	listOf,
	MAX_JSON_DEPTH,
	numberOf,
	objectOf,
	objectsOf,
	parseJson,
	plainText,
	textOf,
} from '../../../../nodes/DocumentIntelligence/text/json';

const OTHERS: unknown[] = [null, undefined, '', 'x', Number.NaN, Infinity, {}, [], [1], { a: 1 }];

test.each<[unknown, number]>([
	[-1.5, -1.5],
	['87', 87],
	[' 87.5 % ', 87.5],
	['87,5', 87.5],
	['.5', 0.5],
	['1e2', 100],
])('%j is the number %d', (value, expected) => expect(numberOf(value)).toBe(expected));

test.each([...OTHERS, true, '8 7', '1.234.5', '0x10', '87 percent', '1e999', '%', '.'])(
	'%j is no number',
	(value) => expect(numberOf(value)).toBeNull(),
);

test('a text is a text, or the digits of a number', () => {
	expect(['', 'x', 0, 12].map(textOf)).toEqual(['', 'x', '0', '12']);
	expect([null, undefined, true, {}, [], ['x']].map(textOf)).toEqual(Array(6).fill(null));
});

test('true and false, also as texts', () => {
	expect([true, 'true', ' TRUE '].map(booleanOf)).toEqual([true, true, true]);
	expect([false, 'false'].map(booleanOf)).toEqual([false, false]);
	const none = [...OTHERS, 0, 1, 'yes', 'constructor', '__proto__'];
	expect(none.map(booleanOf)).toEqual(none.map(() => null));
});

test('objects and lists are what they are, anything else is empty', () => {
	const object = { a: 1 };
	expect(objectOf(object)).toBe(object);
	expect([null, undefined, 'x', 5, true, [object]].map(objectOf)).toEqual(Array(6).fill({}));
	const list = [object, null];
	expect(listOf(list)).toBe(list);
	expect([null, undefined, 'x', 5, { length: 1 }].map(listOf)).toEqual(Array(5).fill([]));
	expect(objectsOf([null, object, 'x', [object], 5])).toEqual([object]);
});

test.each<[unknown, string]>([
	['as it is ', 'as it is '],
	[0, '0'],
	[null, ''],
	[() => 1, ''],
	[{ a: ['b'] }, '{"a":["b"]}'],
	[new Date('2026-11-03T10:00:00Z'), '2026-11-03T10:00:00.000Z'],
])('%p as the value of a text parameter is %j', (value, text) => {
	expect(plainText(value)).toBe(text);
});

/** So many objects or lists, one inside the other. */
function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
	let value: unknown = 'innermost';
	for (let level = 0; level < levels; level++) value = wrap(value);
	return value;
}

test.each<[string, (inner: unknown) => unknown]>([
	['objects', (inner) => ({ first: [], inner })],
	['lists', (inner) => [1, inner]],
])('%s are too deep beyond the limit', (_, wrap) => {
	const text = (depth: number) => JSON.stringify(nested(depth, wrap));
	expect(parseJson(text(MAX_JSON_DEPTH))).toEqual(nested(MAX_JSON_DEPTH, wrap));
	expect(() => parseJson(text(MAX_JSON_DEPTH + 1))).toThrow(SyntaxError);
	expect(() => parseJson(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toThrow(SyntaxError);
});

describe('A copy', () => {
	test('is what JSON makes of a value', () => {
		const value = fc.anything({
			withDate: true,
			withMap: true,
			withSparseArray: true,
			withNullPrototype: true,
		});
		fc.assert(
			fc.property(value, (any) => {
				expect(JSON.stringify(jsonCopy(any))).toBe(JSON.stringify(any) ?? 'null');
			}),
		);
		expect(jsonCopy({ kept: 1, omitted: () => 1, absent: undefined })).toStrictEqual({ kept: 1 });
		expect(jsonCopy({ toJSON: 'a column' })).toEqual({ toJSON: 'a column' });
	});

	test('has no object of the original', () => {
		const original = { list: [{ a: 1 }] };
		const copy = jsonCopy(original) as typeof original;
		expect(copy).toEqual(original);
		expect(copy.list[0]).not.toBe(original.list[0]);
	});

	test('is null for what is too deep or holds itself', () => {
		const wrap = (a: unknown) => ({ a });
		expect(jsonCopy(nested(MAX_JSON_DEPTH, wrap))).toEqual(nested(MAX_JSON_DEPTH, wrap));
		expect(jsonCopy(nested(MAX_JSON_DEPTH + 1, wrap))).toBeNull();
		expect(jsonCopy(nested(10_000, wrap))).toBeNull();
		const round: Record<string, unknown> = { kept: 1 };
		Object.assign(round, { one: round, two: [round] });
		expect(jsonCopy({ round })).toBeNull();
		expect(jsonCopy(() => 1)).toBeNull();
	});
});
