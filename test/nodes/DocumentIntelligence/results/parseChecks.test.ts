import { parseChecks } from '../../../../nodes/DocumentIntelligence/results/checks';
import { decimalText, type Decimal } from '../../../../nodes/DocumentIntelligence/results/decimals';
import { DocumentError } from '../../../../nodes/DocumentIntelligence/text/errors';

const factorText = (factor: Decimal | string) =>
	typeof factor === 'string' ? factor : `#${decimalText(factor)}`;

/** The reading of a line, without blanks and with a mark for numbers. */
function readingOf(line: string): string {
	const [check] = parseChecks(line);
	const terms = check?.right.map(
		({ factors, isSubtracted }) => (isSubtracted ? '-' : '+') + factors.map(factorText).join('*'),
	);
	return `${check?.left}=${terms?.join('')} ±${decimalText(check?.tolerance ?? { digits: 0n, scale: 0 })}`;
}

test.each([
	['total = lineItems.amount + tax', 'total=+lineItems.amount+tax ±0'],
	['a=b*c', 'a=+b*c ±0'],
	['net = total - tax * 2 - 0.50', 'net=+total-tax*#2-#0.50 ±0'],
	['vat = net * 19 % + 7%', 'vat=+net*#0.19+#0.07 ±0'],
	['total = a ± 0.05', 'total=+a ±0.05'],
	['total = a +/- 1', 'total=+a ±1'],
	[
		'Invoice total = lineItems[2].unit_price + Größe',
		'Invoice total=+lineItems[2].unit_price+Größe ±0',
	],
	['a = b − c – d', 'a=+b-c-d ±0'],
	['a = 2', 'a=+#2 ±0'],
])('%s', (line, expected) => {
	expect(readingOf(line)).toBe(expected);
});

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
	'a = b ± 5 %',
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
