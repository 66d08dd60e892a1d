// Small files that stand for much work. Each size is in bytes.

const head = `%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >> endobj
`;
const trailer = '\ntrailer << /Root 1 0 R >>\n';

const filled = (piece: string, size: number, start = head, end = trailer) =>
	Buffer.from(start + piece.repeat(Math.ceil(size / piece.length)) + end, 'latin1');

const numbered = (text: string, size: number) =>
	Array.from({ length: size / (text.length + 5) }, (_, index) => `${index + 5} ${text}`).join('');

/** Eight blocks, which end with a byte, that build tables for words of 15 bits and hold nothing (RFC 1951, 3.2.7). */
const EMPTY_BLOCKS = Buffer.from(
	'BOABCQAAAAAg9X+1IQAPSAAAAAAAqf+rDQF4QAIAAAAASP1fbQjAAxIAAAAAQOr/akMAHpAA' +
		'AAAAAFL/VxsC8IAEAAAAAJD6v9oQgAckAAAAAIDU/9WGADwgAQAAAACk/q82',
	'base64',
);

const emptyBlocks = (size: number) =>
	Buffer.concat([Buffer.from('789c', 'hex'), Buffer.alloc(size, EMPTY_BLOCKS)]);

const withContent = (data: Buffer, filter: string) =>
	Buffer.concat([
		Buffer.from(`${head}4 0 obj << /Length ${data.length} /Filter ${filter} >> stream\n`),
		data,
		Buffer.from(`\nendstream endobj${trailer}`),
	]);

export const hostile: Record<string, (size: number) => Buffer> = {
	'strings that do not end, as trailers': (size) => filled('trailer(', size),
	'hexadecimal strings that do not end, as trailers': (size) => filled('trailer<', size),
	'comments that do not end, as trailers': (size) => filled('trailer%', size),
	'arrays that do not end, as trailers': (size) => filled('trailer[', size),
	'arrays of numbers that do not end, as trailers': (size) => filled('trailer[1 1 ', size),
	'words that are no trailers': (size) => filled('trailer ', size),
	'strings that do not end, as cross-reference streams': (size) =>
		filled('5 0 obj/XRef(>>stream ', size),
	'arrays that do not end, as cross-reference streams': (size) =>
		filled('5 0 obj[/XRef[>>stream ', size),
	'strings that do not end, as objects': (size) =>
		Buffer.from(`%PDF-1.7\n${numbered('0 obj(', size)}`),
	'streams that do not end': (size) =>
		Buffer.from(`%PDF-1.7\n${numbered('0 obj<<>>stream ', size)}`),
	'a stream of words that open streams': (size) => filled('>>stream', size, `${head}4 0 obj<<>>`),
	'words before the data of a stream': (size) =>
		Buffer.from(`%PDF-1.7\n${numbered('0 obj>> >> >>     ', size)}`),
	'copies of one object': (size) => filled('9 0 obj ', size),
	'parts of a word': (size) => filled('obj', size),
	'a table of empty sections': (size) =>
		filled('0 0\n', size, '%PDF-1.7\nxref\n', '\nstartxref\n9\n%%EOF'),
	'the handler of an encryption': (size) => filled('/Standard', size),
	'the handler of an encryption, without pages': (size) =>
		filled('/Standard', size, '%PDF-1.7\n', ''),
	'empty blocks of compressed data': (size) => withContent(emptyBlocks(size), '/FlateDecode'),
	'white space as hexadecimal digits': (size) =>
		withContent(Buffer.alloc(size, ' '), '/ASCIIHexDecode'),
};
