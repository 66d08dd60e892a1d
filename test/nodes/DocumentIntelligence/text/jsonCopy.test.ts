import * as fc from 'fast-check';

import {
	isTooDeep,
	jsonCopy,
	MAX_JSON_DEPTH,
} from '../../../../nodes/DocumentIntelligence/text/json';

test('is what JSON makes of a value', () => {
	const value = fc.anything({
		withDate: true,
		withMap: true,
		withSparseArray: true,
		withNullPrototype: true,
	});
	fc.assert(
		fc.property(value, (any) => {
			const json = JSON.stringify(any);
			// As text, which tells 0 from -0 no more than JSON does.
			expect(JSON.stringify(jsonCopy(any))).toBe(json);
		}),
	);
});

test('has no object of the original', () => {
	const original = { list: [{ a: 1 }], object: {} };
	const copy = jsonCopy(original) as typeof original;
	expect(copy).toEqual(original);
	expect(copy.list).not.toBe(original.list);
	expect(copy.list[0]).not.toBe(original.list[0]);
	expect(copy.object).not.toBe(original.object);
});

test('has no name for what is omitted', () => {
	expect(jsonCopy({ kept: 1, omitted: () => 1, absent: undefined })).toStrictEqual({ kept: 1 });
});

test('a member that is called toJSON and is no function is a member', () => {
	const value = { toJSON: 'a column' };
	expect(jsonCopy(value)).toEqual(value);
});

test('ends where JSON is too deep, and keeps what is above', () => {
	const levels = (count: number) =>
		JSON.parse('{"a":'.repeat(count) + '1' + '}'.repeat(count)) as object;
	expect(jsonCopy(levels(MAX_JSON_DEPTH))).toEqual(levels(MAX_JSON_DEPTH));
	const copy = jsonCopy({ kept: 1, deep: levels(10_000) });
	expect(copy).toMatchObject({ kept: 1, deep: { a: { a: {} } } });
	expect(isTooDeep(copy)).toBe(false);
});

test('an object that holds itself twice over is null where it does', () => {
	const round: Record<string, unknown> = { kept: 1 };
	Object.assign(round, { one: round, two: [round] });
	expect(jsonCopy({ round })).toEqual({ round: { kept: 1, one: null, two: [null] } });
});

test('a form of its own that gives itself ends as well', () => {
	const value = { toJSON: (): unknown => value };
	expect(jsonCopy(value)).toBeNull();
	const ever: { toJSON: () => unknown } = { toJSON: () => ({ ...ever }) };
	expect(jsonCopy(ever)).toBeNull();
});
