import { plainText } from '../../../../nodes/DocumentIntelligence/text/json';

test.each<[unknown, string]>([
	['as it is ', 'as it is '],
	[7, '7'],
	[0, '0'],
	[false, 'false'],
	[null, ''],
	[undefined, ''],
	[Number.NaN, ''],
	[() => 1, ''],
	[['a', 1], '["a",1]'],
	[{ a: 'b' }, '{"a":"b"}'],
	[new Date('2026-11-03T10:00:00Z'), '2026-11-03T10:00:00.000Z'],
])('%p as a text', (value, text) => {
	expect(plainText(value)).toBe(text);
});
