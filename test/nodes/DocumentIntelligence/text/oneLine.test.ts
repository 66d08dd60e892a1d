import { oneLine } from '../../../../nodes/DocumentIntelligence/text/words';

test.each([
	['of up to ten characters', 'x'.repeat(10), 'x'.repeat(10)],
	['of more', 'x'.repeat(11), `${'x'.repeat(10)}…`],
	['on several lines', ' one\r\n\u0000two\u2028\u2029three\u009f', 'one two three', 20],
	['with white space around it', '  one  ', 'one'],
	['that is short without its empty lines', `a${'\n'.repeat(18)}b`, 'a b'],
	['whose end is too far behind empty lines', `a${'\n'.repeat(19)}b`, 'a…'],
	['with a character of two halves', `👩${'x'.repeat(9)}`, `👩${'x'.repeat(8)}…`],
	['cut between the two halves of a character', `${'x'.repeat(9)}👩`, `${'x'.repeat(9)}…`],
	['without a character', ' \n ', ''],
])('a text %s: %j: %j', (_, text, expected, maxCharacters = 10) => {
	expect(oneLine(text, maxCharacters)).toBe(expected);
});
