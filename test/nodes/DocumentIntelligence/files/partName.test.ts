import * as fc from 'fast-check';

import { DistinctNames, partName } from '../../../../nodes/DocumentIntelligence/files/partName';

describe('The name of a part', () => {
	test.each<[string, number, string | null, string]>([
		['bundle.pdf', 1, 'invoice', 'bundle-1-invoice.pdf'],
		['BUNDLE.PDF', 12, 'Identity Card', 'BUNDLE-12-Identity Card.pdf'],
		['bundle', 1, null, 'bundle-1.pdf'],
		['bundle.pdf', 1, '  ', 'bundle-1.pdf'],
		['2026.11.scan.pdf', 1, 'a', '2026.11.scan-1-a.pdf'],
		['Müller & Söhne 请款.pdf', 2, 'Rechnung/Beleg', 'Müller & Söhne 请款-2-Rechnung_Beleg.pdf'],
		['a:b*c?.pdf', 1, '<x>|"y"\\z', 'a_b_c_-1-_x___y__z.pdf'],
		['.hidden.pdf', 1, '../../etc', 'hidden-1-_.._etc.pdf'],
		['~x.pdf', 1, 'a. ', 'x-1-a.pdf'],
		['...', 1, '.', 'document-1.pdf'],
		['', 1, 'a', 'document-1-a.pdf'],
		['con.x.pdf', 1, 'a', '_con.x-1-a.pdf'],
		['NUL .1.pdf', 1, 'a', '_NUL .1-1-a.pdf'],
		['CON.pdf', 1, 'a', 'CON-1-a.pdf'],
		['a\u202Egpj.pdf', 1, 'b\r\nc\u0000', 'a_gpj-1-b__c_.pdf'],
		['cafe\u0301.pdf', 1, 'a', 'café-1-a.pdf'],
		['👩‍🔧.pdf', 1, 'می‌خواهم', '👩‍🔧-1-می‌خواهم.pdf'],
	])('%j, %i, %j: %s', (fileName, number, documentType, expected) => {
		expect(partName(fileName, number, documentType)).toBe(expected);
	});

	test('is safe whatever the names are', () => {
		fc.assert(
			fc.property(
				fc.string({ unit: 'binary', maxLength: 400 }),
				fc.integer({ min: 1, max: 100_000 }),
				fc.string({ unit: 'binary', maxLength: 400 }),
				(fileName, number, documentType) => {
					const name = partName(fileName, number, documentType);
					expect(Buffer.byteLength(name)).toBeLessThanOrEqual(220);
					expect(name).toMatch(/^[^\s.~-].*-\d+(-.*[^\s.])?\.pdf$/u);
					expect(name).not.toMatch(/[<>:"/\\|?*\u0000-\u001F\u007F-\u009F]/);
					expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)\s*\./i);
					expect(() => encodeURIComponent(name)).not.toThrow();
					expect(name).toBe(name.normalize('NFC'));
				},
			),
			{ numRuns: 500 },
		);
	});
});

describe('Names of a run', () => {
	test('are never the same, in other capitals and other forms of a letter either', () => {
		const names = new DistinctNames();
		const taken = [
			'a-1-x.pdf',
			'A-1-X.pdf',
			'a-1-x (2).pdf',
			'a-1-x.pdf',
			'caf\u00e9',
			'cafe\u0301',
		];
		expect(taken.map((name) => names.take(name))).toEqual([
			'a-1-x.pdf',
			'A-1-X (2).pdf',
			'a-1-x (2) (2).pdf',
			'a-1-x (3).pdf',
			'caf\u00e9',
			'cafe\u0301 (2)',
		]);
	});

	test('are different for any documents', () => {
		fc.assert(
			fc.property(
				fc.array(
					fc.tuple(
						fc.constantFrom(
							'scan.pdf',
							'Scan.PDF',
							'scan-1.pdf',
							'scan (2).pdf',
							'ß.pdf',
							'SS.pdf',
						),
						fc.integer({ min: 1, max: 3 }),
						fc.constantFrom('a', '1-a', 'A', 'ſ', null),
					),
				),
				(documents) => {
					const names = new DistinctNames();
					const given = documents.map((parts) => names.take(partName(...parts)));
					expect(new Set(given.map((name) => name.toLowerCase())).size).toBe(given.length);
					expect(new Set(given.map((name) => name.toUpperCase())).size).toBe(given.length);
				},
			),
		);
	});
});
