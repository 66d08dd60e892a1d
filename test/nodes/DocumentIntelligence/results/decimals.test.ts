import {
	decimalText,
	parseDecimal,
	round,
} from '../../../../nodes/DocumentIntelligence/results/decimals';

test.each([
	['1.005', 2, '1.01'],
	['-1.005', 2, '-1.01'],
	['1.0049', 2, '1.00'],
	['-1.0049', 2, '-1.00'],
	['0.5', 0, '1'],
	['-0.5', 0, '-1'],
	['-0.4', 0, '0'],
	['2.5', 0, '3'],
	['7', 2, '7.00'],
	['0.05', 1, '0.1'],
	['123456789012345678901234567890.125', 2, '123456789012345678901234567890.13'],
])('%s with %i decimals is %s', (text, decimals, expected) => {
	const decimal = parseDecimal(text) ?? { digits: 1n, scale: 0 };
	expect(decimalText(decimal)).toBe(text);
	expect(decimalText(round(decimal, decimals))).toBe(expected);
});

test.each(['', '.5', '5.', '1,5', '--1', '1e3', '1 000', '٣'])('%j is no number', (text) => {
	expect(parseDecimal(text)).toBeUndefined();
});
