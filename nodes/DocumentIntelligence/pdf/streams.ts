import { type Budget, MB, Obstacle } from './budget';
import { decodePDFRawStream, Inflate, PDFContext, PDFRawStream } from './library';
import {
	type Dict,
	endsToken,
	isDict,
	MAX_NAME_LENGTH,
	Name,
	type Stream,
	unescaped,
	type Value,
} from './objects';

/** More than any file applies to one stream. */
const MAX_FILTERS = 8;

/** Short names are meant for images inside content, but readers take them everywhere. */
const SHORT = ['Fl', 'LZW', 'A85', 'AHx', 'RL'];
const LONG = ['FlateDecode', 'LZWDecode', 'ASCII85Decode', 'ASCIIHexDecode', 'RunLengthDecode'];

/** The largest content of one stream that is read, in bytes after decoding. */
const MAX_DECODED_BYTES = 64 * MB;

/** How much is decoded without a pause, in bytes: of the input when inflating, of the output of other filters. */
const [SLICE_TO_INFLATE, SLICE_DECODED] = [4096, 65_536];

/** What other filters take at most: nothing may come out of it, and one slice is decoded without a pause. */
const MAX_ENCODED_BYTES = 16 * MB;

/** The library takes so many times as long for a byte as `inflated`. */
export const WORK_OF_LIBRARY = 8;

/** Compressed bytes of which nothing comes may build tables, which takes so many times as long as to inflate others. */
const WORK_OF_EMPTY_BLOCKS = 1024;

/** What a reference leads to, or the value itself; `undefined` if there is nothing to read. */
export type Lookup = (value: Value | undefined) => Promise<Found> | Found;
type Found = Value | Stream | undefined;

/** The content of a stream, or what there is if it is damaged. `undefined` if it has a filter that is not known. */
export async function decode(
	{ dict, bytes: encoded }: Stream,
	lookup: Lookup,
	budget: Budget,
): Promise<Buffer | undefined> {
	const filters = await listAt(dict, 'Filter', lookup);
	const parameters = await listAt(dict, 'DecodeParms', lookup);
	if (filters.length > MAX_FILTERS) return undefined;
	let bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
	for (const [index, filter] of filters.entries()) {
		if (!(filter instanceof Name)) return undefined;
		const name = LONG[SHORT.indexOf(filter.text)] ?? filter.text;
		if (name === 'Crypt') continue;
		const own = parameters[index];
		const number = async (key: string, standard: number) => {
			const value = isDict(own) ? await lookup(own.get(key)) : undefined;
			return typeof value === 'number' ? value : standard;
		};
		if (!LONG.includes(name)) return undefined;
		if (name === 'FlateDecode') {
			bytes = await inflated(bytes, budget);
		} else {
			if (bytes.length > MAX_ENCODED_BYTES) throw new Obstacle('tooComplex');
			budget.spend(WORK_OF_LIBRARY * bytes.length);
			const EarlyChange = await number('EarlyChange', 1);
			const raw = PDFContext.create().obj({ Filter: name, DecodeParms: { EarlyChange } });
			bytes = await readOut(PDFRawStream.of(raw, bytes), budget);
		}
		const hasPredictor = name === 'FlateDecode' || name === 'LZWDecode';
		if (hasPredictor && (await number('Predictor', 1)) >= 10)
			bytes = await unfiltered(bytes, await number('Columns', 1), budget);
	}
	return bytes;
}

async function listAt(dict: Dict, key: string, lookup: Lookup) {
	const value = await lookup(dict.get(key));
	const list: Found[] = [];
	for (const item of Array.isArray(value) ? value.slice(0, MAX_FILTERS + 1) : [value])
		list.push(await lookup(item as Value | undefined));
	return value === undefined ? [] : list;
}

/** Reads zlib data (RFC 1950 and 1951), whose checksum nobody checks. */
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
		// A stored block is passed on once it is complete.
		shortfall = Math.max(0, at + slice.length - length);
		budget.spend(length - before[0] + WORK_OF_EMPTY_BLOCKS * (shortfall - before[1]));
		if (length > MAX_DECODED_BYTES) throw new Obstacle('tooComplex');
		if (!isTaken) break;
		await budget.rest();
	}
	return Buffer.concat(parts, length);
}

/** All that the library decodes or deciphers of a stream, as far as it can. */
export async function readOut(stream: PDFRawStream, budget: Budget): Promise<Buffer> {
	const reader = decodePDFRawStream(stream);
	const parts: Buffer[] = [];
	for (let length = 0; length <= MAX_DECODED_BYTES;) {
		let part = Buffer.alloc(0);
		try {
			part = Buffer.from(reader.getBytes(SLICE_DECODED));
		} catch {
			// The library throws if the data are damaged.
		}
		if (part.length === 0) return Buffer.concat(parts, length);
		parts.push(part);
		length += part.length;
		budget.spend(WORK_OF_LIBRARY * part.length);
		await budget.rest();
	}
	throw new Obstacle('tooComplex');
}

/** Takes back what PNG's predictors did: each row of bytes begins with the one it uses (ISO 32000-1, 7.4.4.4). */
async function unfiltered(bytes: Buffer, row: number, budget: Budget): Promise<Buffer> {
	if (!(row >= 1)) return bytes;
	budget.spend(bytes.length);
	const out = Buffer.alloc(bytes.length - Math.ceil(bytes.length / (row + 1)));
	for (let from = 0, to = 0, pause = 0; from < bytes.length;) {
		if (to >= pause) {
			pause = to + SLICE_DECODED;
			await budget.rest();
		}
		const predicted = PREDICTORS[bytes[from++]!] ?? PREDICTORS[0];
		for (const start = to; to < Math.min(start + row, out.length); to++, from++) {
			const left = to > start ? out[to - 1]! : 0;
			const up = start > 0 ? out[to - row]! : 0;
			const corner = start > 0 && to > start ? out[to - row - 1]! : 0;
			out[to] = bytes[from]! + predicted(left, up, corner);
		}
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

/** How far after a name its operator is looked for, in bytes. */
const MAX_AHEAD = 64;

/** What it takes to read a name, as bytes; after so many names others may run. */
const [WORK_OF_NAME, NAMES_PER_SLICE] = [16, 5000];

/** A resource that a content may use, and the kinds that its name may stand for. */
export interface ResourceName {
	kinds: readonly string[];
	name: string;
}

/** What a content names. In texts and images, too: a resource too many costs bytes, one too few a blank page. */
export async function resourceNames(content: Buffer, budget: Budget): Promise<ResourceName[]> {
	const names = new Map<string, ResourceName>();
	let found = 0;
	for (let at = content.indexOf(SLASH); at >= 0; at = content.indexOf(SLASH, at)) {
		if (++found % NAMES_PER_SLICE === 0) await budget.rest();
		budget.spend(WORK_OF_NAME);
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
