import { readRetryAfter } from '../../../../nodes/DocumentIntelligence/service/retryAfter';

const NOW = Date.parse('2026-11-21T10:00:00Z');

const read = (retryAfter: string, date?: string) =>
	readRetryAfter({ 'retry-after': retryAfter, date }, NOW);

test.each([
	['30', 30_000],
	[' 30 ', 30_000],
	['0', 0],
	['1.9', 1900],
	['1.25', 1250],
	['86400', 86_400_000],
])('"%s" is %i ms', (retryAfter, expected) => {
	expect(read(retryAfter)).toBe(expected);
	expect(read(retryAfter, 'Sat, 21 Nov 2026 09:00:00 GMT')).toBe(expected);
});

test.each([
	'Sat, 21 Nov 2026 10:01:30 GMT',
	'Saturday, 21-Nov-26 10:01:30 GMT',
	'Sat Nov 21 10:01:30 2026',
])('the date "%s" is compared with the local time', (retryAfter) => {
	expect(read(retryAfter)).toBe(90_000);
});

test('a date is compared with the Date header of the same answer, where there is one', () => {
	const retryAfter = 'Sat, 21 Nov 2026 10:01:30 GMT';
	expect(read(retryAfter, 'Sat, 21 Nov 2026 10:01:20 GMT')).toBe(10_000);
	expect(read(retryAfter, 'yesterday')).toBe(90_000);
});

test('a date that is past asks for no wait', () => {
	expect(read('Sat, 21 Nov 2026 09:59:00 GMT')).toBe(0);
});

test.each([
	'',
	'-1',
	'soon',
	'1e9',
	'NaN',
	'12 seconds',
	'Sat, 41 Nov 2026 10:00:00 GMT',
	'2026-11-21',
])('"%s" says nothing', (retryAfter) => {
	expect(read(retryAfter)).toBeUndefined();
});

test('no header says nothing', () => {
	expect(readRetryAfter({ date: 'Sat, 21 Nov 2026 10:00:00 GMT' }, NOW)).toBeUndefined();
});

test.each(['9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
	'what no service means is about a year: %s',
	(retryAfter) => {
		expect(read(retryAfter)).toBe(366 * 86_400_000);
	},
);
