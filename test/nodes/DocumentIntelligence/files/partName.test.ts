import * as fc from 'fast-check';

import {
	DistinctNames,
	partName,
	safeName,
} from '../../../../nodes/DocumentIntelligence/files/fileNames';

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
		['a  b.pdf', 1, 'c   d', 'a b-1-c d.pdf'],
		[`${'a'.repeat(300)}.pdf`, 1, 'b'.repeat(300), `${'a'.repeat(120)}-1-${'b'.repeat(60)}.pdf`],
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

describe('The name of a file that passes through', () => {
	test.each([
		['scan.pdf', 'scan.pdf'],
		['SCAN.PDF', 'SCAN.PDF'],
		['2026.11.pdf', '2026.11.pdf'],
		['a:b?.pdf', 'a_b_.pdf'],
		['aux.pdf', '_aux.pdf'],
		['\u202Efdp.pdf', '_fdp.pdf'],
		['..pdf', 'document.pdf'],
		['.pdf', 'document.pdf'],
		['a .p:df', 'a.p_df'],
		['none', 'none'],
		[`${'ä'.repeat(300)}.pdf`, `${'ä'.repeat(100)}.pdf`],
	])('%j: %j', (fileName, expected) => {
		expect(safeName(fileName)).toBe(expected);
	});

	test('is safe, and the same when it is made safe again', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (fileName) => {
				const name = safeName(fileName);
				expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
				expect(name).toMatch(/^[^\s.~-].*$/u);
				expect(name).not.toMatch(/[<>:"/\\|?*\u0000-\u001F\u007F-\u009F]|[\s.]$/);
				expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)/i);
				expect(safeName(name)).toBe(name);
			}),
			{ numRuns: 500 },
		);
	});
});

describe('Names of a run', () => {
	test('are numbered in a few steps each, however many are alike', () => {
		const names = new DistinctNames();
		// Each look at a name normalizes it.
		const looks = jest.spyOn(String.prototype, 'normalize');
		let last = '';
		for (let count = 0; count < 1000; count++) last = names.take('scan-1-Invoice.pdf');
		expect(last).toBe('scan-1-Invoice (1000).pdf');
		// Long names that only differ at their ends take the same numbers once they are cut.
		for (let count = 0; count < 500; count++) {
			const name = `${'x'.repeat(245)}${count}.pdf`;
			names.take(name);
			last = names.take(name);
		}
		expect(last).toBe(`${'x'.repeat(239)} (501).pdf`);
		expect(looks.mock.calls.length).toBeLessThan(2000 * 5);
		looks.mockRestore();
	});

	test('are no longer than file systems store, cut between characters', () => {
		const names = new DistinctNames();
		for (const letter of ['x', 'ä', '请', '👩']) {
			const stem = letter.repeat(251 / Buffer.byteLength(letter));
			const taken = [1, 2, 3].map(() => names.take(`${stem}.pdf`));
			expect(taken[0]).toBe(`${stem}.pdf`);
			expect(new Set(taken).size).toBe(3);
			for (const name of taken) {
				expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
				expect(() => encodeURIComponent(name)).not.toThrow();
			}
		}
	});

	test('are never the same, in other capitals and other forms of a letter either', () => {
		const names = new DistinctNames();
		const taken = [
			'a-1-x.pdf',
			'A-1-X.pdf',
			'a-1-x (2).pdf',
			'a-1-x.pdf',
			'caf\u00e9',
			'cafe\u0301',
			'\u0130',
			'i\u0307',
		];
		expect(taken.map((name) => names.take(name))).toEqual([
			'a-1-x.pdf',
			'A-1-X (2).pdf',
			'a-1-x (2) (2).pdf',
			'a-1-x (3).pdf',
			'caf\u00e9',
			'cafe\u0301 (2)',
			'\u0130',
			'i\u0307 (2)',
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
