import { plainMimeType } from '../../../../nodes/DocumentIntelligence/text/mimeType';

test.each([
	['text/plain', 'text/plain'],
	['Text/Plain; charset=utf-8', 'text/plain'],
	['  image/png  ', 'image/png'],
	['image/svg+xml', 'image/svg+xml'],
	['application/vnd.ms-excel', 'application/vnd.ms-excel'],
	[`a/${'b'.repeat(100)}`, `a/${'b'.repeat(100)}`],
	[`a/${'b'.repeat(101)}`, ''],
	['two words/plain', ''],
	['text/two words', ''],
	['text', ''],
	['text/', ''],
	['/plain', ''],
	['text/plain\r\nx: y', ''],
	['', ''],
	[undefined, ''],
])('the plain form of the content type %p is %p', (contentType, plain) => {
	expect(plainMimeType(contentType)).toBe(plain);
});
