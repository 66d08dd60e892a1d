import { TooComplex } from '../../../../nodes/DocumentIntelligence/pdf/failures';
import { namesIn } from '../../../../nodes/DocumentIntelligence/pdf/namesIn';

function namesOf(content: string): Record<string, string[]> {
	const names = namesIn(Buffer.from(content, 'latin1'));
	return Object.fromEntries([...names].map(([kind, ofKind]) => [kind, [...ofKind]]));
}

test.each([
	['q /Im1 Do Q /F1 12 Tf /F2 -.5 Tf', { XObject: ['Im1'], Font: ['F1', 'F2'] }],
	['/G gs/S sh /C cs /D CS', { ExtGState: ['G'], Shading: ['S'], ColorSpace: ['C', 'D'] }],
	['0.5 /P scn /Q SCN', { Pattern: ['P', 'Q'] }],
	['/OC /L1 BDC /T /L2 DP /T BMC', { '*': ['OC', 'T'], Properties: ['L1', 'L2'] }],
	['/A/B[/C]<</D/E>>', { '*': ['A', 'B', 'C', 'D', 'E'] }],
	['/Im1\nDo\r/Im2\tDo\0/Im3', { XObject: ['Im1', 'Im2'], '*': ['Im3'] }],
	['/Im1 Done /Im2 1 Do /Im3 % Do', { '*': ['Im1', 'Im2', 'Im3'] }],
	['/A#42#2f /A#4 /A#zz /A#2341', { '*': ['AB/', 'A#4', 'A#zz', 'A#41'] }],
	['/Gr\xf6\xdfe gs', { ExtGState: ['Gr\xf6\xdfe'] }],
	['/ /constructor constructor', { '*': ['', 'constructor'] }],
	['/Im1', { '*': ['Im1'] }],
	['/A d0 Tf /B 1x Tf /F1 12 /F2 12', { '*': ['A', 'B', 'F1', 'F2'] }],
	['no name', {}],
	['', {}],
])('%j', (content, names) => {
	expect(namesOf(content)).toEqual(names);
});

// A word that may go on beyond what is looked at is not known.
test.each([
	['Do', 62, '', 'XObject'],
	['Do', 63, '', '*'],
	['Do', 61, ' Q', 'XObject'],
	['Do', 62, ' Q', '*'],
	['Do', 63, ' Q', '*'],
	['Done', 62, '', '*'],
	['Do', 1000, '', '*'],
])(
	'an operator is looked for in the next 64 bytes: %s after %i spaces%s: %s',
	(word, spaces, rest, kind) => {
		expect(namesOf(`/Im1${' '.repeat(spaces)}${word}${rest}`)).toEqual({ [kind]: ['Im1'] });
	},
);

test('names longer than any file has are skipped', () => {
	const [long, longer] = ['a'.repeat(1000), 'b'.repeat(1001)];
	expect(namesOf(`/${long} gs /${longer} gs /c gs`)).toEqual({ ExtGState: [long, 'c'] });
});

test('more different names than any content has are refused, however often one is repeated', () => {
	const names = Array.from({ length: 200_000 }, (_, number) => `/${number}`).join('');
	expect(namesIn(Buffer.from(`${names}/0/1/2`)).get('*')?.size).toBe(200_000);
	expect(() => namesIn(Buffer.from(`${names}/one`))).toThrow(TooComplex);
});

// A bracket in the bytes of an image would swallow what follows, if texts were told from the rest.
test('finds names after the bytes of an image', () => {
	expect(namesOf('BI /W 1 ID (\xff\\ EI /Im1 Do')).toEqual({ '*': ['W'], XObject: ['Im1'] });
});
