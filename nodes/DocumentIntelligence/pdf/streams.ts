import { type Budget, MB, Obstacle } from './budget';
import { decodePDFRawStream, Inflate, PDFContext, PDFRawStream } from './library';
import { type Dict, endsToken, isDict, Name, type Stream, unescaped, type Value } from './objects';

/** More than any file applies to one stream. */
const MAX_FILTERS = 8;

/** Short names are meant for inline images, but readers accept them everywhere. */
const SHORT = ['Fl', 'LZW', 'A85', 'AHx', 'RL'];
const LONG = ['FlateDecode', 'LZWDecode', 'ASCII85Decode', 'ASCIIHexDecode', 'RunLengthDecode'];

/** For one stream after decoding. */
const MAX_DECODED_BYTES = 64 * MB;

/** Bytes decoded without a pause: of the input when inflating, of the output of other filters. */
const [SLICE_TO_INFLATE, SLICE_DECODED] = [4096, 65_536];

/** For other filters, which may read all of their input without output, and so without a pause. */
const MAX_ENCODED_BYTES = 16 * MB;

/** The library takes this many times as long for a byte as `inflated`. */
export const COST_OF_LIBRARY = 8;

/** Input without output may build tables, which takes this many times as long as inflating. */
const COST_OF_EMPTY_BLOCKS = 1024;

/** Resolves a reference; undefined if there is nothing to read. */
export type Lookup = (value: Value | undefined) => Promise<Resolved> | Resolved;
type Resolved = Value | Stream | undefined;

/** The content of a stream, or its intact part. Throws `damaged` if a filter or its parameters are not understood. */
export async function decode(
	{ dict, bytes: encoded }: Stream,
	lookup: Lookup,
	budget: Budget,
): Promise<Buffer> {
	const filters = await listAt(dict, 'Filter', lookup);
	const parameters = await listAt(dict, 'DecodeParms', lookup);
	if (filters.length > MAX_FILTERS) throw new Obstacle('damaged');
	let bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
	for (const [index, filter] of filters.entries()) {
		const written = filter instanceof Name ? filter.text : '';
		if (written === 'Crypt') continue;
		const name = LONG[SHORT.indexOf(written)] ?? written;
		if (!LONG.includes(name)) throw new Obstacle('damaged');
		const numbers = await readParameters(parameters[index], lookup);
		bytes = await undone(name, numbers, bytes, budget);
		if (PREDICTED.includes(name)) bytes = await unfiltered(bytes, numbers, budget);
	}
	return bytes;
}

/** Whether a stream of an encrypted file is enciphered in its own way, or not at all (ISO 32000-1, 7.4.10). */
export async function hasCryptFilter(dict: Dict, lookup: Lookup): Promise<boolean> {
	const filters = await listAt(dict, 'Filter', lookup);
	return filters.some((filter) => filter instanceof Name && filter.text === 'Crypt');
}

async function listAt(dict: Dict, key: string, lookup: Lookup): Promise<Resolved[]> {
	const value = await lookup(dict.get(key));
	if (value === undefined) return [];
	const items = Array.isArray(value) ? value.slice(0, MAX_FILTERS + 1) : [value];
	const list: Resolved[] = [];
	for (const item of items) list.push(await lookup(item as Value));
	return list;
}

/** Filters whose data may be differences from the byte to the left or above (ISO 32000-1, 7.4.4.4). */
const PREDICTED = ['FlateDecode', 'LZWDecode'];

const DEFAULTS = { Predictor: 1, Columns: 1, Colors: 1, BitsPerComponent: 8, EarlyChange: 1 };
type Parameters = typeof DEFAULTS;

async function readParameters(dict: Resolved, lookup: Lookup): Promise<Parameters> {
	const numbers = { ...DEFAULTS };
	for (const key of isDict(dict) ? (Object.keys(DEFAULTS) as Array<keyof Parameters>) : []) {
		const value = (await lookup((dict as Dict).get(key))) ?? DEFAULTS[key];
		if (typeof value !== 'number') throw new Obstacle('damaged');
		numbers[key] = value;
	}
	return numbers;
}

async function undone(
	filter: string,
	{ EarlyChange }: Parameters,
	bytes: Buffer,
	budget: Budget,
): Promise<Buffer> {
	if (filter === 'FlateDecode') return await inflated(bytes, budget);
	if (bytes.length > MAX_ENCODED_BYTES) throw new Obstacle('tooComplex');
	budget.spend(COST_OF_LIBRARY * bytes.length);
	const dict = PDFContext.create().obj({ Filter: filter, DecodeParms: { EarlyChange } });
	return await readOut(PDFRawStream.of(dict, bytes), budget);
}

/** Reads zlib data (RFC 1950 and 1951) without checking the checksum, as readers do. */
async function inflated(data: Buffer, budget: Budget): Promise<Buffer> {
	const [method = 0, flags = 0] = data;
	if ((method & 0x0f) !== 8 || ((method << 8) | flags) % 31 !== 0) return Buffer.alloc(0);
	const parts: Uint8Array[] = [];
	let [length, shortfall] = [0, 0];
	const inflate = new Inflate((part) => {
		parts.push(part);
		length += part.length;
	});
	for (let at = 2; at < data.length; at += SLICE_TO_INFLATE) {
		const before = [length, shortfall] as const;
		const slice = data.subarray(at, at + SLICE_TO_INFLATE);
		let isTaken = true;
		try {
			inflate.push(slice);
		} catch {
			isTaken = false;
		}
		// A stored block has no output until it is complete.
		shortfall = Math.max(0, at + slice.length - length);
		budget.spend(length - before[0] + COST_OF_EMPTY_BLOCKS * (shortfall - before[1]));
		if (length > MAX_DECODED_BYTES) throw new Obstacle('tooComplex');
		if (!isTaken) break;
		await budget.yieldToN8n();
	}
	return Buffer.concat(parts, length);
}

/** All that the library can decode or decipher of a stream. */
export async function readOut(stream: PDFRawStream, budget: Budget): Promise<Buffer> {
	const reader = decodePDFRawStream(stream);
	const parts: Buffer[] = [];
	for (let length = 0; length <= MAX_DECODED_BYTES;) {
		let part = Buffer.alloc(0);
		try {
			part = Buffer.from(reader.getBytes(SLICE_DECODED));
		} catch {
			// The library throws on damaged data.
		}
		if (part.length === 0) return Buffer.concat(parts, length);
		parts.push(part);
		length += part.length;
		budget.spend(COST_OF_LIBRARY * part.length);
		await budget.yieldToN8n();
	}
	throw new Obstacle('tooComplex');
}

/** Reverses PNG predictors in place: the first byte of each row selects one (ISO 32000-1, 7.4.4.4). */
async function unfiltered(
	bytes: Buffer,
	{ Predictor, Columns: row, Colors, BitsPerComponent }: Parameters,
	budget: Budget,
): Promise<Buffer> {
	if (Predictor === 1) return bytes;
	const isPng = [10, 11, 12, 13, 14, 15].includes(Predictor) && Number.isInteger(row) && row >= 1;
	// Content and tables have no colors, and no samples of other sizes than a byte.
	if (!isPng || Colors !== 1 || BitsPerComponent !== 8) throw new Obstacle('damaged');
	budget.spend(bytes.length);
	const out = Buffer.alloc(bytes.length - Math.ceil(bytes.length / (row + 1)));
	for (let start = 0, length = 0; start < bytes.length; start += row + 1) {
		if (start % SLICE_DECODED <= row) await budget.yieldToN8n();
		const predicted = PREDICTORS[bytes[start]!] ?? PREDICTORS[0];
		// This byte is the left neighbor of the first byte of a row, which counts as 0.
		bytes[start] = 0;
		const end = Math.min(start + row + 1, bytes.length);
		for (let at = start + 1, up = at - row - 1; at < end; at++, up++)
			bytes[at]! += predicted(bytes[at - 1]!, bytes[up] ?? 0, bytes[up - 1] ?? 0);
		length += bytes.copy(out, length, start + 1, end);
	}
	return out;
}

type Predictor = (left: number, up: number, corner: number) => number;

const PREDICTORS: [Predictor, ...Predictor[]] = [
	() => 0,
	(left) => left,
	(_left, up) => up,
	(left, up) => (left + up) >> 1,
	(left, up, corner) => {
		const [toLeft, toUp] = [Math.abs(up - corner), Math.abs(left - corner)];
		const toCorner = Math.abs(left + up - 2 * corner);
		if (toLeft <= toUp && toLeft <= toCorner) return left;
		return toUp <= toCorner ? up : corner;
	},
];

const SLASH = 0x2f;

const KINDS = ['ExtGState', 'ColorSpace', 'Pattern', 'Shading', 'XObject', 'Font', 'Properties'];

/** The operator after a name, by the kind of resource that it takes. */
const OPERATOR =
	/^[\s\0]+(?:(?<XObject>Do)|(?<ExtGState>gs)|(?<Shading>sh)|(?<Pattern>scn|SCN)|(?<ColorSpace>cs|CS)|(?<Properties>BDC|DP)|[-+.\d]+[\s\0]+(?<Font>Tf))(?![^\s\0()<>[\]{}/%])/;

/** How far after a name to search for its operator, in bytes. */
const MAX_AHEAD = 64;

/** Longer than in any file: the limit is 127 (ISO 32000-1, annex C). */
const MAX_NAME_LENGTH = 1000;

/** Cost of a name in bytes, and how many are read without a pause. */
const [COST_OF_NAME, NAMES_PER_SLICE] = [16, 5000];

/** The kinds of resource that a name in a content may refer to. */
export interface ResourceName {
	kinds: readonly string[];
	name: string;
}

/** Scans text and images as well, because an extra resource costs bytes, but a missing one a blank page. */
export async function resourceNames(content: Buffer, budget: Budget): Promise<ResourceName[]> {
	const names = new Map<string, ResourceName>();
	let count = 0;
	for (let at = content.indexOf(SLASH); at >= 0; at = content.indexOf(SLASH, at)) {
		if (++count % NAMES_PER_SLICE === 0) await budget.yieldToN8n();
		budget.spend(COST_OF_NAME);
		const start = ++at;
		while (!endsToken(content[at])) at++;
		if (at - start > MAX_NAME_LENGTH) continue;
		const groups = OPERATOR.exec(content.toString('latin1', at, at + MAX_AHEAD))?.groups;
		const kinds = groups ? KINDS.filter((kind) => groups[kind] !== undefined) : KINDS;
		const name = unescaped(content.toString('latin1', start, at));
		const key = `${kinds.length === 1 ? kinds[0] : ''}/${name}`;
		if (names.has(key)) continue;
		budget.keep(2);
		names.set(key, { kinds, name });
	}
	return [...names.values()];
}
