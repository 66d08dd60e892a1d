import { plainMimeType } from '../../../../nodes/DocumentIntelligence/text/mimeType';

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
