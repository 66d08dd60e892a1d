import { sentences } from '../../../../nodes/DocumentIntelligence/service/sentences';

test.each<[string, unknown[], string[]]>([
	['in their order, each once', ['b', 'a', 'b'], ['b', 'a']],
	['only what is text', [1, null, undefined, { a: 1 }, ['x'], true, 'said'], ['said']],
	['nothing that is blank', ['', '  ', '\r\n\t', 'said'], ['said']],
	[
		'at most ten',
		Array.from({ length: 12 }, (_, number) => `text ${number}`),
		Array.from({ length: 10 }, (_, number) => `text ${number}`),
	],
	[
		'blank ones do not count among the ten',
		[...Array.from({ length: 9 }, (_, number) => `${number}`), ' ', 'last', 'one too many'],
		[...Array.from({ length: 9 }, (_, number) => `${number}`), 'last'],
	],
	['on one line, without control characters', [' one\r\n\u0000two\u009fthree '], ['one two three']],
	['up to 500 characters', ['x'.repeat(500)], ['x'.repeat(500)]],
	['cut behind them', ['x'.repeat(501)], [`${'x'.repeat(500)}…`]],
	['without keys', ['a xtkt_live_abc123!~ b', 'xtkt_test_'], ['a xtkt_live_… b', 'xtkt_test_…']],
	['without a key over two lines', ['a xtkt_live_abc\r\n123 b'], ['a xtkt_live_… b']],
	['without a key around invisible characters', ['xtkt_\u200blive_a\u200db c'], ['xtkt_live_… c']],
	['without a key in capitals', ['XTKT_LIVE_ABC d'], ['xtkt_LIVE_… d']],
	[
		'without a key that is cut in two',
		[`${'x'.repeat(490)} xtkt_live_${'k'.repeat(2000)}`],
		[`${'x'.repeat(490)} xtkt_live…`],
	],
])('%s', (_, values, expected) => {
	expect(sentences(values)).toEqual(expected);
});
