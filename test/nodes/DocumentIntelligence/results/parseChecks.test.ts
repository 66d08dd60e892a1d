import { parseChecks } from '../../../../nodes/DocumentIntelligence/results/checks';
import { DocumentError } from '../../../../nodes/DocumentIntelligence/text/errors';

test('one check a line, or a list of checks', () => {
	const textsOf = (option: unknown) => parseChecks(option).map(({ text }) => text);
	expect(textsOf(' a = b \n\r\n\n c = d - e\r\n')).toEqual(['a = b', 'c = d - e']);
	expect(textsOf(['a = b', 'c = d'])).toEqual(['a = b', 'c = d']);
	expect([textsOf(''), textsOf(null), textsOf(undefined)]).toEqual([[], [], []]);
});

test.each([
	'total',
	'total lineItems.amount',
	'= a',
	'a =',
	'a = b = c',
	'a == b',
	'a + b = c',
	'tax-rate = a',
	'2 = a',
	'a = b +* c',
	'a = -b',
	'a = b +',
	'a = 2 * (b + c)',
	'a = b / c',
	'a = 1.2.3',
	'a = 0,19 * b',
	'a = b × c',
	'a = b ± c',
	'a = b ±',
	'a = b ± 5 % of c',
	'a = b ± %',
	'a = b ± 1 ± 2',
	'a ± 1 = b',
	'a := b',
	'a != b',
	'a ~ b = c',
	'a = b # note',
	'a = b — c',
])('%s is refused', (line) => {
	const parse = () => parseChecks(`total = net + tax\n  ${line}`);
	expect(parse).toThrow(DocumentError);
	expect(parse).toThrow(
		expect.objectContaining({
			message: `'Check Sums' has a line that is not a check: "${line}"`,
			description: expect.stringMatching(/^Nothing was sent\. .*For example: total = /) as string,
		}) as Error,
	);
});

test('a long line takes no time', () => {
	const line = `a = ${'b + 1   + '.repeat(5000)}(`;
	const startedAt = Date.now();
	expect(() => parseChecks(line)).toThrow(DocumentError);
	expect(Date.now() - startedAt).toBeLessThan(1000);
});
