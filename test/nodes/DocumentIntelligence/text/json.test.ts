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
import { numRuns } from '../../numRuns';

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

describe('A number of JSON', () => {
	test.each<[string, unknown]>([
		['0', 0],
		['-0', -0],
		['0e5', 0],
		['1.50', 1.5],
		['1e3', 1000],
		['100000000000000000000e-20', 1],
		['0.00000000000000000000000015', 1.5e-25],
		['1234567890123456.5', 1234567890123456.5],
		['9007199254740991', 9007199254740991],
	])('%s that is exact stays a number', (json, expected) => {
		expect(parseJson(json)).toBe(expected);
	});

	test.each([
		'99999999999999.99',
		'0.12345678901234567',
		'1e400',
		'1e-400',
		// Whole numbers from 2^53 on are account numbers: one that happens to fit stays like its neighbours.
		'9007199254740992',
		'12345678901234567890',
		`1${'0'.repeat(400)}`,
	])('%s that is not comes as text', (json) => {
		expect(parseJson(json)).toBe(json);
	});

	/** Any number that JSON can write, often close to what a double can hold. */
	const numbers = fc
		.tuple(
			fc.constantFrom('', '-'),
			fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,24}$/)),
			fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,24}$/)),
			fc.oneof(
				fc.constant(''),
				fc.integer({ min: -400, max: 400 }).map((power) => `e${power}`),
				fc.integer({ min: 0, max: 30 }).map((power) => `E+${power}`),
			),
		)
		.map((parts) => parts.join(''));

	/** The value as a whole number of units of 10^-500. */
	function unitsOf(decimal: string): bigint {
		const [, sign = '', whole = '', fraction = '', power = '0'] =
			/^(-?)(\d+)\.?(\d*)(?:[eE](.+))?$/.exec(decimal) ?? [];
		const units = BigInt(whole + fraction) * 10n ** BigInt(500 + Number(power) - fraction.length);
		return sign === '-' ? -units : units;
	}

	test('keeps its decimal value, whichever it is and wherever it stands', () => {
		fc.assert(
			fc.property(numbers, (number) => {
				const kept = parseJson(number);
				if (typeof kept === 'number') expect(unitsOf(String(kept))).toBe(unitsOf(number));
				else expect(kept).toBe(number);
				expect(
					parseJson(`{"a\\"${number}":[{"${number}":\n${number} },${number}],"b":"${number}\\\\"}`),
				).toEqual({ [`a"${number}`]: [{ [number]: kept }, kept], b: `${number}\\` });
			}),
			numRuns(2000),
		);
	});
});

test.each(['{12345678901234567890:1}', '012345678901234567890', '12345678901234567890.', ''])(
	'%s is no JSON',
	(text) => expect(() => parseJson(text)).toThrow(SyntaxError),
);

test('a byte order mark in front is skipped, one elsewhere is not', () => {
	expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
	expect(parseJson('"\uFEFF"')).toBe('\uFEFF');
	expect(() => parseJson('[1,\uFEFF2]')).toThrow(SyntaxError);
});

test('control characters are removed from names and values, tabs and line breaks are not', () => {
	const escaped =
		'{"a\\u0000b": ["x\\u0001y\\u001Fz", "\\b\\f\\u007f\\u0085\u0085\x7F", "1\\t2\\n3\\r4"]}';
	expect(parseJson(escaped)).toEqual({ ab: ['xyz', '', '1\t2\n3\r4'] });
	const kept = '{"a": "\\\\u0000 \\\\b \\" \\u00e4 \\u0020 \\u0009", "n": 12345678901234567890}';
	expect(parseJson(kept)).toEqual({ a: '\\u0000 \\b " ä   \t', n: '12345678901234567890' });
	expect(() => parseJson('{"a": 1\\u0000}')).toThrow(SyntaxError);
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
			numRuns(100),
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
