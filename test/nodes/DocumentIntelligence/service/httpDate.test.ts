import { parseHttpDate } from '../../../../nodes/DocumentIntelligence/service/httpDate';

const TIME = Date.UTC(1994, 10, 6, 8, 49, 37);

test.each([
	'Sun, 06 Nov 1994 08:49:37 GMT',
	'Sunday, 06-Nov-94 08:49:37 GMT',
	'Sun Nov  6 08:49:37 1994',
	'Sun, 06 Nov 1994 09:49:37 +0100',
])('%s is a moment', (date) => {
	expect(parseHttpDate(date)).toBe(TIME);
});

test('white space around a date does not matter', () => {
	expect(parseHttpDate('  Sun, 06 Nov 1994 08:49:37 GMT ')).toBe(TIME);
});

test.each([
	undefined,
	'',
	'120',
	'1994-11-06T08:49:37Z',
	'Sun, 06 Nov 1994',
	'Sun, 99 Nov 1994 08:49:37 GMT',
	'x Sun, 06 Nov 1994 08:49:37 GMT',
	'sun, 06 Nov 1994 08:49:37 GMT',
])('%j is none', (date) => {
	expect(parseHttpDate(date)).toBeUndefined();
});
