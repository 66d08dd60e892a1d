import {
	booleanOf,
	listOf,
	numberOf,
	objectOf,
	objectsOf,
	textOf,
} from '../../../../nodes/DocumentIntelligence/text/json';

const OTHERS: unknown[] = [null, undefined, '', 'x', Number.NaN, Infinity, {}, [], [1], { a: 1 }];

describe('A number', () => {
	test.each<[unknown, number]>([
		[0, 0],
		[-1.5, -1.5],
		['87', 87],
		['87%', 87],
		[' 87.5 % ', 87.5],
		['87,5', 87.5],
		['.5', 0.5],
		['1e2', 100],
		['99.99999999999999999', 100],
	])('%j is %d', (value, expected) => expect(numberOf(value)).toBe(expected));

	test.each([...OTHERS, true, '8 7', '1.234.5', '0x10', '87 percent', '1e999', '%', '.'])(
		'%j is none',
		(value) => expect(numberOf(value)).toBeNull(),
	);
});

test('A text is a text, or the digits of a number', () => {
	expect(['', 'x', 0, 12].map(textOf)).toEqual(['', 'x', '0', '12']);
	expect([null, undefined, true, {}, [], ['x']].map(textOf)).toEqual(Array(6).fill(null));
});

test('True and false, also as texts', () => {
	expect([true, 'true', ' TRUE '].map(booleanOf)).toEqual([true, true, true]);
	expect([false, 'false'].map(booleanOf)).toEqual([false, false]);
	const none = [...OTHERS, 0, 1, 'yes', 'constructor', '__proto__'];
	expect(none.map(booleanOf)).toEqual(none.map(() => null));
});

test('Objects and lists are what they are, anything else is empty', () => {
	const object = { a: 1 };
	expect(objectOf(object)).toBe(object);
	expect([null, undefined, 'x', 5, true, [object]].map(objectOf)).toEqual(Array(6).fill({}));
	const list = [object, null];
	expect(listOf(list)).toBe(list);
	expect([null, undefined, 'x', 5, { length: 1 }].map(listOf)).toEqual(Array(5).fill([]));
	expect(objectsOf([null, object, 'x', [object], 5])).toEqual([object]);
});
