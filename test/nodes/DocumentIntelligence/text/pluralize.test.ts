import { pluralize } from '../../../../nodes/DocumentIntelligence/text/words';

test.each([
	[0, '0 files'],
	[1, '1 file'],
	[2, '2 files'],
	[11, '11 files'],
])('%p', (count, expected) => {
	expect(pluralize(count, 'file')).toBe(expected);
});
