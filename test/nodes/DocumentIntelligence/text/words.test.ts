import { oneLine, plainMimeType, quoted } from '../../../../nodes/DocumentIntelligence/text/words';

test.each([
	['x'.repeat(10), 'x'.repeat(10)],
	['x'.repeat(11), `${'x'.repeat(10)}…`],
	[' one\r\n\u0000two\u2028\u009f', 'one two'],
	[`a${'\n'.repeat(19)}b`, 'a…'],
	[`${'x'.repeat(9)}👩`, `${'x'.repeat(9)}…`],
])('%j on one line of ten characters is %j', (text, expected) => {
	expect(oneLine(text, 10)).toBe(expected);
});

test.each([
	['invoice 2026', '"invoice 2026"'],
	[' a\r\nb ', '"a b"'],
	['ftp://ann:p4ss@example.com/a.pdf', '"ftp://example.com/a.pdf"'],
	['ftp://ann:p4/ss@example.com/a.pdf', '"ftp://example.com/a.pdf"'],
	['ann:p4?ss@example.com/a.pdf', '"example.com/a.pdf"'],
	['example.com/a.pdf?sig=p4ss', '"example.com/a.pdf"'],
	['//example.com/a.pdf?mail=ann@example.com&sig=p4ss#x', '"//example.com/a.pdf"'],
	['example.com?mail=ann@example.com&sig=p4ss', '"example.com"'],
	['DATA:text/plain,p4ss', '"DATA:…"'],
	['p4ss'.repeat(26), '(104 characters of text)'],
	['the key xtkt_live_p4ss', '"the key xtkt_live_…"'],
])('%j is quoted as %s', (text, expected) => {
	expect(quoted(text)).toBe(expected);
});

test.each([
	['Text/Plain; charset=utf-8', 'text/plain'],
	['  image/svg+xml  ', 'image/svg+xml'],
	['application/vnd.ms-excel', 'application/vnd.ms-excel'],
	[`a/${'b'.repeat(101)}`, ''],
	['text/two words', ''],
	['text', ''],
	['text/plain\r\nx: y', ''],
	[undefined, ''],
])('the plain form of the content type %j is %j', (contentType, plain) => {
	expect(plainMimeType(contentType)).toBe(plain);
});
