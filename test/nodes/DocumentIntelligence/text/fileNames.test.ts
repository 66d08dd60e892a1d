import { cutToBytes, plainFileName } from '../../../../nodes/DocumentIntelligence/files/fileNames';

describe('As much of a text as fits', () => {
	test.each([
		['invoice', 7, 'invoice'],
		['invoice', 6, 'invoic'],
		['invoice', 0, ''],
		['Müller', 3, 'Mü'],
		['Müller', 2, 'M'],
		['a😀b', 5, 'a😀'],
		['a😀b', 4, 'a'],
		// What does not fit ends the text, although later characters are shorter.
		['aüb', 2, 'a'],
	])('%j in %i bytes is %j', (text, bytes, expected) => {
		expect(cutToBytes(text, bytes)).toBe(expected);
	});
});

describe('A file name without what services change', () => {
	test.each([
		['Invoice.PDF', 'invoice'],
		['/in/2024/Invoice.pdf', 'invoice'],
		['C:\\in\\Invoice.pdf', 'invoice'],
		['Invoice', 'invoice'],
		['invoice.v2.pdf', 'invoice.v2'],
		['Facture d’été.pdf', 'facture d’ete'],
		['Facture d’e\u0301te\u0301.pdf', 'facture d’ete'],
		['M%C3%BCller%20GmbH.pdf', 'muller gmbh'],
		['100%.pdf', '100%'],
		['.pdf', ''],
		['', ''],
	])('%j is %j', (name, expected) => {
		expect(plainFileName(name)).toBe(expected);
	});
});
