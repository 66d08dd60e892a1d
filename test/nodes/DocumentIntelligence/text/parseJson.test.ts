import fc from 'fast-check';

import { parseJson } from '../../../../nodes/DocumentIntelligence/text/json';
import { numRuns } from '../../numRuns';

describe('A number', () => {
	test.each<[string, unknown]>([
		['0', 0],
		['-0', -0],
		['0e5', 0],
		['1.50', 1.5],
		['1e3', 1000],
		['100000000000000000000e-20', 1],
		['0.00000000000000000000000015', 1.5e-25],
		['1234567890123456.5', 1234567890123456.5],
		['9007199254740991', 9007199254740991],
	])('%s that is exact stays a number', (json, expected) => {
		expect(parseJson(json)).toBe(expected);
	});

	test.each([
		'99999999999999.99',
		'0.12345678901234567',
		'1e400',
		'1e-400',
		// Whole numbers from 2^53 on are account numbers: one that happens to fit stays like its neighbours.
		'9007199254740992',
		'12345678901234567890',
		`1${'0'.repeat(400)}`,
	])('%s that is not comes as text', (json) => {
		expect(parseJson(json)).toBe(json);
	});

	/** Any number that JSON can write, often close to what a double can hold. */
	const numbers = fc
		.tuple(
			fc.constantFrom('', '-'),
			fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,24}$/)),
			fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,24}$/)),
			fc.oneof(
				fc.constant(''),
				fc.integer({ min: -400, max: 400 }).map((power) => `e${power}`),
				fc.integer({ min: 0, max: 30 }).map((power) => `E+${power}`),
			),
		)
		.map((parts) => parts.join(''));

	/** The value as a whole number of units of 10^-500. */
	function unitsOf(decimal: string): bigint {
		const [, sign = '', whole = '', fraction = '', power = '0'] =
			/^(-?)(\d+)\.?(\d*)(?:[eE](.+))?$/.exec(decimal) ?? [];
		const units = BigInt(whole + fraction) * 10n ** BigInt(500 + Number(power) - fraction.length);
		return sign === '-' ? -units : units;
	}

	test('keeps its decimal value, whichever it is and wherever it stands', () => {
		fc.assert(
			fc.property(numbers, (number) => {
				const kept = parseJson(number);
				if (typeof kept === 'number') expect(unitsOf(String(kept))).toBe(unitsOf(number));
				else expect(kept).toBe(number);
				expect(
					parseJson(`{"a\\"${number}":[{"${number}":\n${number} },${number}],"b":"${number}\\\\"}`),
				).toEqual({ [`a"${number}`]: [{ [number]: kept }, kept], b: `${number}\\` });
			}),
			numRuns(2000),
		);
	});
});

describe('Everything else', () => {
	test.each(['{12345678901234567890:1}', '012345678901234567890', '12345678901234567890.', ''])(
		'%s is no JSON',
		(text) => {
			expect(() => parseJson(text)).toThrow(SyntaxError);
		},
	);

	test('a byte order mark in front is skipped, one elsewhere is not', () => {
		expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
		expect(parseJson('"\uFEFF"')).toBe('\uFEFF');
		expect(() => parseJson('[1,\uFEFF2]')).toThrow(SyntaxError);
	});
});

test('control characters are removed from names and values, tabs and line breaks are not', () => {
	const escaped =
		'{"a\\u0000b": ["x\\u0001y\\u001Fz", "\\b\\f\\u007f\\u0085\u0085\x7F", "1\\t2\\n3\\r4"]}';
	expect(parseJson(escaped)).toEqual({ ab: ['xyz', '', '1\t2\n3\r4'] });
	const kept = '{"a": "\\\\u0000 \\\\b \\" \\u00e4 \\u0020 \\u0009", "n": 12345678901234567890}';
	expect(parseJson(kept)).toEqual({ a: '\\u0000 \\b " ä   \t', n: '12345678901234567890' });
	expect(() => parseJson('{"a": 1\\u0000}')).toThrow(SyntaxError);
});
