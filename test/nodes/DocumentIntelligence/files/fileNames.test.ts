import * as fc from 'fast-check';

import {
	DistinctNames,
	asCognerisWrites,
	fileNameIn,
	nameOfType,
	partName,
	safeName,
} from '../../../../nodes/DocumentIntelligence/files/fileNames';
import { typeOfMimeType } from '../../../../nodes/DocumentIntelligence/files/fileTypes';
import { numRuns } from '../../numRuns';

test.each<[string, number, string | null, string]>([
	['bundle.pdf', 1, 'invoice', 'bundle-1-invoice.pdf'],
	['bundle', 12, null, 'bundle-12.pdf'],
	['2026.11.scan.pdf', 1, '  ', '2026.11.scan-1.pdf'],
	['Müller & Söhne 请款.pdf', 2, 'Rechnung/Beleg', 'Müller & Söhne 请款-2-Rechnung_Beleg.pdf'],
	['a:b*c?.pdf', 1, '<x>|"y"\\z', 'a_b_c_-1-_x___y__z.pdf'],
	['...', 1, '../../etc. ', 'document-1-_.._etc.pdf'],
	['a\u202Egpj.pdf', 1, 'b\r\nc\u0000', 'a_gpj-1-b__c_.pdf'],
	['cafe\u0301  👩‍🔧.pdf', 1, 'می‌خواهم', 'café 👩‍🔧-1-می‌خواهم.pdf'],
	[`${'a'.repeat(300)}.pdf`, 1, 'b'.repeat(300), `${'a'.repeat(120)}-1-${'b'.repeat(77)}.pdf`],
])('%j, its document %i of type %j, is called %s', (fileName, number, documentType, expected) => {
	expect(partName(fileName, number, documentType)).toBe(expected);
});

test.each([
	['2026.11.PDF', '2026.11.PDF'],
	['.pdf', 'document.pdf'],
	['a .p:df', 'a.p_df'],
	['Invoice No. 5 of 2026-11-23', 'Invoice No. 5 of 2026-11-23'],
	// Ten characters are an extension, which is kept; eleven are cut with the name.
	[`${'a'.repeat(300)}.pdfpdfpdfp`, `${'a'.repeat(200)}.pdfpdfpdfp`],
	[`${'a'.repeat(300)}.pdfpdfpdfpd`, 'a'.repeat(200)],
	[`${'ä'.repeat(300)}.pdf`, `${'ä'.repeat(100)}.pdf`],
])('%j passes through as %j', (fileName, expected) => {
	expect(safeName(fileName)).toBe(expected);
});

test('every name is safe on every file system', () => {
	// Any character, and many of the common ones; fast-check takes seconds to set up its own.
	const point = fc.oneof(fc.nat(0x2ff), fc.nat(0x10ffff));
	const unit = point.map((code) => String.fromCodePoint(code));
	const text = fc.string({ unit, maxLength: 400 });
	const number = fc.integer({ min: 1, max: 100_000 });
	fc.assert(
		fc.property(text, number, text, (fileName, position, documentType) => {
			for (const name of [safeName(fileName), partName(fileName, position, documentType)]) {
				// A number such as ` (12345678)` may follow.
				expect(Buffer.byteLength(name)).toBeLessThanOrEqual(244);
				expect(name).toMatch(/^[^\s.~-].*$/u);
				expect(name).not.toMatch(/[<>:"/\\|?*\u0000-\u001F\u007F-\u009F]|[\s.]$/);
				expect(() => encodeURIComponent(name)).not.toThrow();
			}
		}),
		numRuns(500),
	);
});

describe('Names of a run', () => {
	test('are never the same, in other capitals and other forms of a letter either', () => {
		const names = new DistinctNames();
		const taken = ['a-1.pdf', 'A-1.pdf', 'a-1 (2).pdf', 'a-1.pdf', 'caf\u00e9', 'cafe\u0301'];
		expect(taken.map((name) => names.take(name))).toEqual([
			'a-1.pdf',
			'A-1 (2).pdf',
			'a-1 (2) (2).pdf',
			'a-1 (3).pdf',
			'caf\u00e9',
			'cafe\u0301 (2)',
		]);
	});

	test('are never the same where others change characters', () => {
		const names = new DistinctNames(asCognerisWrites);
		const taken = ['Ä.pdf', 'Ö.pdf', '_.PDF', 'a.pdf'];
		expect(taken.map((name) => names.take(name))).toEqual([
			'Ä.pdf',
			'Ö (2).pdf',
			'_ (3).PDF',
			'a.pdf',
		]);
	});

	test('are numbered in a few steps each, however many are alike', () => {
		const names = new DistinctNames();
		const steps = jest.spyOn(String.prototype, 'normalize');
		let last = '';
		for (let count = 0; count < 1000; count++) last = names.take('scan-1-Invoice.pdf');
		expect(last).toBe('scan-1-Invoice (1000).pdf');
		expect(steps.mock.calls.length).toBeLessThan(1000 * 6);
		steps.mockRestore();
	});
});

test.each([
	['Invoice 5.PDF', 'invoice_5.pdf'],
	['Müller & Söhne.pdf', 'm_ller_s_hne.pdf'],
	['M__ller___S_hne.pdf', 'm_ller_s_hne.pdf'],
	['the "big" deal.v2-1.pdf', 'the_22big_22_deal.v2-1.pdf'],
])('as Cogneris writes it, %j is %j', (name, expected) => {
	expect(asCognerisWrites(name)).toBe(expected);
});

test.each([
	['letter.docx', 'letter.pdf'],
	['letter.PDF', 'letter.PDF'],
	['Invoice No. 5', 'Invoice No. 5.pdf'],
	['report.v2', 'report.v2.pdf'],
])('%j that holds a PDF is %j', (name, expected) => {
	const pdf = typeOfMimeType('application/pdf');
	expect(pdf && nameOfType(name, pdf)).toBe(expected);
});

/** As Node.js reads a header whose bytes are UTF-8. */
function latin1Of(text: string): string {
	return Buffer.from(text).toString('latin1');
}

test.each([
	['attachment; filename="Invoice; 5.pdf"; size=5', 'Invoice; 5.pdf'],
	['ATTACHMENT; FILENAME=A.PDF ; size=5', 'A.PDF'],
	['attachment; filename="U.pdf"; filename*=UTF-8\'\'%C3%9C.pdf', 'Ü.pdf'],
	["attachment; filename*=utf-8''100%.pdf", '100%.pdf'],
	["attachment; filename*=iso-8859-1''M%FCller%20&%20S%F6hne.pdf", 'Müller & Söhne.pdf'],
	['attachment; filename*="UTF-8\'\'%E8%AF%B7%E6%AC%BE.pdf"', '请款.pdf'],
	['attachment; filename*=%C3%9C.pdf', 'Ü.pdf'],
	["attachment; filename=a.pdf; filename*=UTF-8''", 'a.pdf'],
	["attachment; filename*=x-none''a%FC.pdf", 'aü.pdf'],
	[latin1Of('attachment; filename="Übersicht – 请款.pdf"'), 'Übersicht – 请款.pdf'],
	[latin1Of('attachment; filename=Übersicht.pdf'), 'Übersicht.pdf'],
	['attachment; filename="M\xFCller.pdf"', 'Müller.pdf'],
	['attachment; filename="the \\"best\\"; \\\\ one.pdf"; size=5', 'the "best"; \\ one.pdf'],
	['attachment; filename="C:\\Users\\a.pdf"', 'C:\\Users\\a.pdf'],
	['attachment; filename="a.pdf', 'a.pdf'],
	['filename="a.pdf"', 'a.pdf'],
	['attachment; note="; filename=b.pdf"; filename=a.pdf', 'a.pdf'],
	['attachment; filename=""', undefined],
	['inline', undefined],
])('the Content-Disposition %j has the name %j', (disposition, expected) => {
	expect(fileNameIn(disposition)).toBe(expected);
});
