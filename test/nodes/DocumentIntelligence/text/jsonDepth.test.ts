import { MAX_JSON_DEPTH, isTooDeep } from '../../../../nodes/DocumentIntelligence/text/json';

/** So many objects or lists, one inside the other. */
function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
	let value: unknown = 'innermost';
	for (let level = 0; level < levels; level++) value = wrap(value);
	return value;
}

describe.each<[string, (inner: unknown) => unknown]>([
	['objects', (inner) => ({ inner })],
	['lists', (inner) => [inner]],
	['objects that are not the first of their list', (inner) => [1, null, { a: 'x', inner }]],
])('%s', (name, wrap) => {
	const perWrap = name.startsWith('objects that') ? 2 : 1;

	test('up to the limit are not too deep, one more is', () => {
		expect(isTooDeep(nested(MAX_JSON_DEPTH / perWrap, wrap))).toBe(false);
		expect(isTooDeep(nested(MAX_JSON_DEPTH / perWrap + 1, wrap))).toBe(true);
	});

	test('a hundred thousand of them are no more trouble', () => {
		expect(isTooDeep(nested(100_000, wrap))).toBe(true);
	});
});

test.each([null, undefined, '', 'text', 0, true, {}, []])('%p has no depth', (value) => {
	expect(isTooDeep(value)).toBe(false);
});
