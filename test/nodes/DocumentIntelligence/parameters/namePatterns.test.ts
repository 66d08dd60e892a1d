import * as fc from 'fast-check';

import { parseNamePatterns } from '../../../../nodes/DocumentIntelligence/parameters/namePatterns';
import { DocumentError } from '../../../../nodes/DocumentIntelligence/text/errors';
import { numRuns } from '../../numRuns';

const names = [
	'invoice.pdf',
	'Invoice 2.PDF',
	'scan-01.jpg',
	'scan-1.jpg',
	'logo.png',
	'LOGO signature.PNG',
	'notes',
];

test.each<[unknown, string[]]>([
	['*', names],
	['*.pdf', ['invoice.pdf', 'Invoice 2.PDF']],
	[' *.Pdf , SCAN-* ', ['invoice.pdf', 'Invoice 2.PDF', 'scan-01.jpg', 'scan-1.jpg']],
	['scan-?.jpg', ['scan-1.jpg']],
	['scan-*?.jpg', ['scan-01.jpg', 'scan-1.jpg']],
	['?????', ['notes']],
	['*o*.p*', ['invoice.pdf', 'Invoice 2.PDF', 'logo.png', 'LOGO signature.PNG']],
	['invoice', []],
	['!logo*', names.slice(0, 4).concat('notes')],
	['! logo*, !*.jpg', ['invoice.pdf', 'Invoice 2.PDF', 'notes']],
	['!logo.png, *.png', ['LOGO signature.PNG']],
	['**', names],
	[['*.jpg', '!*-1.*'], ['scan-01.jpg']],
])('%j takes %j', (option, expected) => {
	expect(names.filter(parseNamePatterns(option))).toEqual(expected);
});

test.each<[string, string, boolean]>([
	['signs of regular expressions are letters', '(a+)+[1].pdf', true],
	['a composed and a decomposed letter', 'cafe\u0301.pdf', true],
	['a question mark is one character', '😀.pdf', true],
	['no question mark is two characters', '😀😀.pdf', false],
	['the two forms of a sigma', 'ΛΟΓΑΡΙΑΣΜΟΣ 1.pdf', true],
	['a sharp s is one character', 'Straße.jpg', true],
])('%s', (_, name, isTaken) => {
	const isWanted = parseNamePatterns('(A+)+[1].pdf, CAFÉ.pdf, ?.pdf, λογαριας*.pdf, stra?e.jpg');
	expect(isWanted(name)).toBe(isTaken);
});

const slash = (shown: string) => `a pattern with a slash: "${shown}"`;

test.each<[unknown, string]>([
	['', 'an empty pattern'],
	[null, 'an empty pattern'],
	[[], 'an empty pattern'],
	['*.pdf,', 'an empty pattern'],
	['*.pdf, !', 'an empty pattern'],
	['scans/*.pdf', slash('scans/*.pdf')],
	['scans/scan-??.pdf', slash('scans/scan-??.pdf')],
	['!scans\\*', slash('!scans\\*')],
	// What may be a link is quoted without its secrets.
	['https://ann:p4ss@example.com/*.pdf?sig=p4ss', slash('https://example.com/*.pdf')],
	['example.com/a.pdf?p4ss', slash('example.com/a.pdf')],
	['//files/a.pdf?p4ss', slash('//files/a.pdf')],
])('%j is refused, as it has %s', (option, what) => {
	const parse = () => parseNamePatterns(option);
	expect(parse).toThrow(DocumentError);
	expect(parse).toThrow(
		expect.objectContaining({
			message: `'File Names' has ${what}`,
			description: expect.stringContaining('*.pdf') as string,
		}) as Error,
	);
});

test('a file name is matched by itself and by its ends', () => {
	const name = fc.stringMatching(/^[^*?!,/\\\s]+$/);
	fc.assert(
		fc.property(name, name, name, (start, middle, end) => {
			expect(parseNamePatterns(`${start}*${end}`)(start + middle + end)).toBe(true);
			expect(parseNamePatterns(`!*${middle}`)(start + middle)).toBe(false);
		}),
		numRuns(500),
	);
});

test('many stars take no longer than few', () => {
	const isWanted = parseNamePatterns(`${'*a'.repeat(100)}*b`);
	expect(isWanted('a'.repeat(1000))).toBe(false);
});
