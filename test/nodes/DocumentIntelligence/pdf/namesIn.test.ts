import { addNamesIn } from '../../../../nodes/DocumentIntelligence/pdf/namesIn';

function namesIn(content: string): string[] {
	const names = new Set<string>();
	addNamesIn(Buffer.from(content, 'latin1'), names);
	return [...names];
}

test.each([
	['q /Im1 Do Q /F1 12 Tf', ['Im1', 'F1']],
	['/A/B[/C]<</D/E>>', ['A', 'B', 'C', 'D', 'E']],
	['/Im1\nDo\r/Im2\tDo\0/Im3', ['Im1', 'Im2', 'Im3']],
	['/A#42#2f /A#4 /A#zz', ['AB/', 'A#4', 'A#zz']],
	['/Gr\xf6\xdfe gs', ['Gr\xf6\xdfe']],
	['/ /Im1', ['', 'Im1']],
	['/Im1', ['Im1']],
	['no name', []],
	['', []],
])('%j', (content, names) => {
	expect(namesIn(content)).toEqual(names);
});

// A bracket in the bytes of an image would swallow what follows, if texts were told from the rest.
test('finds names after the bytes of an image', () => {
	expect(namesIn('BI /W 1 ID (\xff\\ EI /Im1 Do')).toEqual(['W', 'Im1']);
});
