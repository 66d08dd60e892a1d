import { type Budget, MAX_DECODED_BYTES } from './bounds';
import { TooComplex } from './failures';
import { inflate } from './inflate';
import {
	decodePDFRawStream,
	PDFArray,
	type PDFContext,
	PDFDict,
	PDFName,
	PDFNumber,
	type PDFObject,
	PDFRawStream,
} from './library';

/** More than any file applies to one stream. */
const MAX_FILTERS = 8;

/** Short names, which are meant for images inside content but which readers take everywhere. */
const FILTERS = new Map(
	Object.entries({
		Fl: 'FlateDecode',
		LZW: 'LZWDecode',
		A85: 'ASCII85Decode',
		AHx: 'ASCIIHexDecode',
		RL: 'RunLengthDecode',
	}),
);

/** Of an image no reader shows anything as content. */
const OF_IMAGES = new Set([
	'DCTDecode',
	'JPXDecode',
	'JBIG2Decode',
	'CCITTFaxDecode',
	'DCT',
	'CCF',
]);

const OF_THE_LIBRARY = new Set(['LZWDecode', 'ASCII85Decode', 'ASCIIHexDecode', 'RunLengthDecode']);

export interface DecodeFile {
	readonly context: PDFContext;
	readonly decoded: Budget;
	lookup(value: PDFObject | undefined): PDFObject | undefined;
}

/**
 * The content of a stream: what there is where it is cut off or damaged, as readers show that. `undefined` where it
 * has a filter that is not known. Throws `TooComplex`.
 */
export function decode(stream: PDFRawStream, file: DecodeFile): Uint8Array | undefined {
	const filters = listOf(file, stream.dict, 'Filter');
	const parameters = listOf(file, stream.dict, 'DecodeParms');
	if (filters.length > MAX_FILTERS) return undefined;
	let bytes = stream.contents;
	for (const [index, filter] of filters.entries()) {
		if (!(filter instanceof PDFName)) return undefined;
		const own = parameters[index];
		const options = own instanceof PDFDict ? own : undefined;
		const given = filter.decodeText();
		const name = FILTERS.get(given) ?? given;
		if (name === 'Crypt') continue;
		if (OF_IMAGES.has(name)) return new Uint8Array(0);
		if (name === 'FlateDecode') {
			const inflated = inflate(bytes, MAX_DECODED_BYTES);
			if (inflated.end === 'limit') throw new TooComplex();
			bytes = inflated.bytes;
		} else if (OF_THE_LIBRARY.has(name)) {
			bytes = byLibrary(bytes, name, numberIn(file, options, 'EarlyChange', 1), file.context);
		} else {
			return undefined;
		}
		file.decoded.spend(bytes.length);
		if (name === 'FlateDecode' || name === 'LZWDecode') bytes = unpredicted(bytes, options, file);
	}
	return bytes;
}

/** An entry that is a single value, an array or absent. */
function listOf(file: DecodeFile, dict: PDFDict, key: string) {
	const value = file.lookup(dict.get(PDFName.of(key)));
	const items = value instanceof PDFArray ? value.asArray() : value === undefined ? [] : [value];
	return items.map((item) => file.lookup(item));
}

function numberIn(file: DecodeFile, dict: PDFDict | undefined, key: string, standard: number) {
	const value = file.lookup(dict?.get(PDFName.of(key)));
	return value instanceof PDFNumber ? value.asNumber() : standard;
}

function byLibrary(bytes: Uint8Array, name: string, earlyChange: number, context: PDFContext) {
	const dict = context.obj({ Filter: name, DecodeParms: { EarlyChange: earlyChange } });
	const reader = decodePDFRawStream(PDFRawStream.of(dict, bytes));
	const parts: Uint8Array[] = [];
	for (let length = 0; length <= MAX_DECODED_BYTES;) {
		const part = partFrom(reader);
		if (part.length === 0) return Buffer.concat(parts, length);
		parts.push(part);
		length += part.length;
	}
	throw new TooComplex();
}

function partFrom(reader: ReturnType<typeof decodePDFRawStream>): Uint8Array {
	try {
		return Uint8Array.from(reader.getBytes(PART));
	} catch {
		// The library throws where the data are damaged.
		return new Uint8Array(0);
	}
}

/** How much the library decodes at a time, in bytes. */
const PART = 65_536;

/** Takes back what a predictor did before compression (ISO 32000-1, 7.4.4.4). */
function unpredicted(
	bytes: Uint8Array,
	options: PDFDict | undefined,
	file: DecodeFile,
): Uint8Array {
	const predictor = numberIn(file, options, 'Predictor', 1);
	if (predictor < 2) return bytes;
	const bits = numberIn(file, options, 'BitsPerComponent', 8);
	const colors = numberIn(file, options, 'Colors', 1);
	const columns = numberIn(file, options, 'Columns', 1);
	const pixel = Math.max(1, (bits * colors) >> 3);
	const row = Math.ceil((bits * colors * columns) / 8);
	if (!(row > 0)) return bytes;
	return predictor < 10 ? addedUp(bytes, row, pixel, bits) : unfiltered(bytes, row, pixel);
}

/** TIFF's predictor; the kinds of less or more than a byte are for images only. */
function addedUp(bytes: Uint8Array, row: number, pixel: number, bits: number): Uint8Array {
	if (bits !== 8) return bytes;
	const out = Uint8Array.from(bytes);
	for (let start = 0; start < out.length; start += row) {
		const end = Math.min(start + row, out.length);
		for (let at = start + pixel; at < end; at++) out[at]! += out[at - pixel]!;
	}
	return out;
}

/** PNG's predictors: each row begins with the one it uses. */
function unfiltered(bytes: Uint8Array, row: number, pixel: number): Uint8Array {
	const rows = Math.ceil(bytes.length / (row + 1));
	const out = new Uint8Array(Math.max(0, bytes.length - rows));
	for (let from = 0, to = 0; from < bytes.length;) {
		const kind = bytes[from++];
		const end = Math.min(to + row, out.length);
		for (const start = to; to < end; to++, from++) {
			const left = to - pixel >= start ? out[to - pixel]! : 0;
			const up = start > 0 ? out[to - row]! : 0;
			const corner = start > 0 && to - pixel >= start ? out[to - row - pixel]! : 0;
			out[to] = bytes[from]! + predicted(kind, left, up, corner);
		}
	}
	return out;
}

function predicted(kind: number | undefined, left: number, up: number, corner: number): number {
	switch (kind) {
		case 1:
			return left;
		case 2:
			return up;
		case 3:
			return (left + up) >> 1;
		case 4:
			return paeth(left, up, corner);
		default:
			return 0;
	}
}

function paeth(left: number, up: number, corner: number): number {
	const estimate = left + up - corner;
	const [toLeft, toUp] = [Math.abs(estimate - left), Math.abs(estimate - up)];
	const toCorner = Math.abs(estimate - corner);
	if (toLeft <= toUp && toLeft <= toCorner) return left;
	return toUp <= toCorner ? up : corner;
}
