import { MAX_OBJECT_NUMBER } from './bounds';
import { decode } from './decode';
import { letOthersRun } from './eventLoop';
import { attempt, DamagedObject, DamagedTable, TooComplex } from './failures';
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRawStream } from './library';
import { endOfStreamFrom, ObjectParser } from './objectParser';
import type { SourceFile } from './sourceFile';

const UNKNOWN = 0;
const FREE = 1;
const AT_OFFSET = 2;
const IN_STREAM = 3;

/** Where an object is: at an offset in the file, or at an index in an object stream. */
export type Place = { offset: number; generation: number } | { stream: number; index: number };

/** Where the objects of a file are, in 9 bytes for each. */
export class CrossReference {
	private kinds = new Uint8Array(1024);
	/** Offsets, or the numbers of object streams. */
	private places = new Uint32Array(1024);
	/** Generations, or indexes in object streams. */
	private details = new Uint32Array(1024);
	size = 0;

	/** Enters an object, unless a newer table has it already. */
	add(number: number, kind: number, place: number, detail: number): void {
		if (this.kindOf(number) === UNKNOWN) this.set(number, kind, place, detail);
	}

	set(number: number, kind: number, place: number, detail: number): void {
		if (number > MAX_OBJECT_NUMBER) throw new TooComplex();
		if (number >= this.kinds.length) this.grow(number);
		this.kinds[number] = kind;
		this.places[number] = place;
		this.details[number] = detail;
		this.size = Math.max(this.size, number + 1);
	}

	private grow(number: number): void {
		const length = Math.min(MAX_OBJECT_NUMBER + 1, Math.max(number + 1, this.kinds.length * 2));
		const [kinds, places, details] = [this.kinds, this.places, this.details];
		this.kinds = new Uint8Array(length);
		this.kinds.set(kinds);
		this.places = new Uint32Array(length);
		this.places.set(places);
		this.details = new Uint32Array(length);
		this.details.set(details);
	}

	private kindOf(number: number): number {
		return this.kinds[number] ?? UNKNOWN;
	}

	get(number: number): Place | undefined {
		const [place, detail] = [this.places[number] ?? 0, this.details[number] ?? 0];
		switch (this.kindOf(number)) {
			case AT_OFFSET:
				return { offset: place, generation: detail };
			case IN_STREAM:
				return { stream: place, index: detail };
			default:
				return undefined;
		}
	}

	has(number: number, generation: number): boolean {
		const place = this.get(number);
		return place !== undefined && generation === ('offset' in place ? place.generation : 0);
	}
}

/** The entries of a trailer that count, from the newest that has them. */
export interface Trailer {
	Root?: PDFObject;
	Encrypt?: PDFObject;
	ID?: PDFObject;
}

function addTo(trailer: Trailer, dict: PDFDict): void {
	for (const key of ['Root', 'Encrypt', 'ID'] as const) {
		trailer[key] ??= dict.get(PDFName.of(key));
	}
}

/** How many bytes at the end of a file readers search for the start of its table. */
const END_SEARCH_BYTES = 2048;

/** After so many entries others may run. */
const ENTRIES_PER_SLICE = 20_000;

/**
 * Reads the tables of a file from the newest to the oldest (ISO 32000-1, 7.5.4 to 7.5.8).
 *
 * @param origin what offsets count from: the header may have junk before it
 */
export async function readTables(file: SourceFile, origin: number): Promise<void> {
	const { bytes } = file;
	const end = bytes.lastIndexOf('startxref');
	if (end < bytes.length - END_SEARCH_BYTES && end < bytes.length / 2) throw new DamagedTable();
	const parser = new ObjectParser(bytes, file, end + 'startxref'.length);
	const start = parser.integer();
	const seen = new Set<number>();
	for (let next = start; next !== undefined;) {
		if (seen.has(next)) break;
		seen.add(next);
		next = await readSection(file, origin, next);
	}
	if (seen.size === 0 || file.trailer.Root === undefined) throw new DamagedTable();
}

/** One table; what it points back to. */
async function readSection(
	file: SourceFile,
	origin: number,
	offset: number,
): Promise<number | undefined> {
	const parser = new ObjectParser(file.bytes, file, origin + offset);
	parser.skipWhiteSpace();
	const isTable = parser.skipWord('xref');
	const dict = isTable
		? await readTable(file, origin, parser)
		: await readStream(file, origin, parser);
	addTo(file.trailer, dict);
	return offsetIn(dict, 'Prev');
}

function offsetIn(dict: PDFDict, key: string): number | undefined {
	const value = dict.get(PDFName.of(key));
	return value instanceof PDFNumber && value.asNumber() >= 0 ? value.asNumber() : undefined;
}

async function readTable(file: SourceFile, origin: number, parser: ObjectParser): Promise<PDFDict> {
	const free: number[] = [];
	const { objects } = file;
	for (;;) {
		parser.skipWhiteSpace();
		if (parser.skipWord('trailer')) break;
		let first = parser.integer();
		const count = parser.integer();
		if (first === undefined || count === undefined) throw new DamagedTable();
		for (let index = 0; index < count; index++) {
			if (index % ENTRIES_PER_SLICE === 0) await letOthersRun();
			const offset = parser.integer();
			const generation = parser.integer();
			parser.skipWhiteSpace();
			if (offset === undefined || generation === undefined) throw new DamagedTable();
			if (parser.skipWord('f')) {
				// Writers that count from 1 by mistake begin with the entry that is always object 0.
				if (index === 0 && first === 1 && generation === 65535) first = 0;
				if (free.length <= MAX_OBJECT_NUMBER) free.push(first + index);
			} else if (parser.skipWord('n')) {
				// Some writers mean a free entry by an offset of 0.
				if (offset > 0) objects.add(first + index, AT_OFFSET, origin + offset, generation);
			} else {
				throw new DamagedTable();
			}
		}
	}
	const dict = parser.value();
	if (!(dict instanceof PDFDict)) throw new DamagedTable();
	// A hybrid file lists as free what only its stream tells of (ISO 32000-1, 7.5.8.4).
	const hybrid = offsetIn(dict, 'XRefStm');
	if (hybrid !== undefined) {
		await readStream(file, origin, new ObjectParser(file.bytes, file, origin + hybrid));
	}
	for (const number of free) objects.add(number, FREE, 0, 0);
	return dict;
}

async function readStream(
	file: SourceFile,
	origin: number,
	parser: ObjectParser,
): Promise<PDFDict> {
	const number = parser.integer();
	const generation = parser.integer();
	parser.skipWhiteSpace();
	if (number === undefined || generation === undefined || !parser.skipWord('obj')) {
		throw new DamagedTable();
	}
	const stream = parser.value();
	if (!(stream instanceof PDFRawStream)) throw new DamagedTable();
	const { dict } = stream;
	const [kindWidth = 0, placeWidth = 0, detailWidth = 0] = numbersIn(dict, 'W');
	const width = kindWidth + placeWidth + detailWidth;
	const rows = decode(stream, file);
	if (rows === undefined || !(width > 0) || width > 24) throw new DamagedTable();
	const ranges = numbersIn(dict, 'Index');
	const size = numbersIn(dict, 'Size');
	let at = 0;
	const take = (count: number) => {
		let value = 0;
		for (let index = 0; index < count; index++) value = value * 256 + rows[at++]!;
		return value;
	};
	for (const [index, first] of (ranges.length > 1 ? ranges : [0, ...size]).entries()) {
		const count = (ranges.length > 1 ? ranges : [0, ...size])[index + 1];
		if (index % 2 === 1 || count === undefined) continue;
		for (let entry = 0; entry < count && at + width <= rows.length; entry++) {
			if (entry % ENTRIES_PER_SLICE === 0) await letOthersRun();
			const kind = kindWidth === 0 ? 1 : take(kindWidth);
			const place = take(placeWidth);
			const detail = take(detailWidth);
			if (kind === 1 && place > 0) {
				file.objects.add(first + entry, AT_OFFSET, origin + place, detail);
			} else if (kind === 2) {
				file.objects.add(first + entry, IN_STREAM, place, detail);
			} else {
				file.objects.add(first + entry, FREE, 0, 0);
			}
		}
	}
	return dict;
}

function numbersIn(dict: PDFDict, key: string): number[] {
	const value = dict.get(PDFName.of(key));
	const items = value instanceof PDFArray ? value.asArray() : [value];
	return items.flatMap((item) => (item instanceof PDFNumber ? item.asNumber() : []));
}

// Repair

/** An object stream that was found, and where: what stands later in the file counts. */
interface FoundStream {
	number: number;
	offset: number;
}

/** Finds the objects of a file whose tables are damaged by going through it. The last copy of an object counts. */
export async function findObjects(file: SourceFile): Promise<void> {
	const { bytes, objects } = file;
	const trailers: Array<{ offset: number; dict: PDFDict }> = [];
	const streams: FoundStream[] = [];
	const nextStream = finderOf(bytes, 'stream');
	const nextEnd = finderOf(bytes, 'endobj');
	for (let at = 0; ;) {
		await letOthersRun();
		const word = bytes.indexOf('obj', at);
		if (word < 0) break;
		at = word + 'obj'.length;
		const header = headerBefore(bytes, word);
		if (header === undefined || header.number > MAX_OBJECT_NUMBER) continue;
		const { number, generation, offset } = header;
		if (number > 0) objects.set(number, AT_OFFSET, offset, generation);
		const stream = nextStream(at);
		if (stream > nextEnd(at)) continue;
		const head = bytes.toString('latin1', at, Math.min(stream, at + MAX_HEAD_BYTES));
		if (/\/ObjStm\b/.test(head)) streams.push({ number, offset });
		if (/\/XRef\b/.test(head)) {
			const dict = dictAt(file, at);
			if (dict !== undefined) trailers.push({ offset, dict });
		}
		at = afterStream(file, head, stream) ?? at;
	}
	for (let at = bytes.indexOf('trailer'); at >= 0; at = bytes.indexOf('trailer', at + 1)) {
		const dict = dictAt(file, at + 'trailer'.length);
		if (dict !== undefined) trailers.push({ offset: at, dict });
		await letOthersRun();
	}
	trailers.sort((one, other) => other.offset - one.offset);
	for (const { dict } of trailers) addTo(file.trailer, dict);
	file.unlock();
	for (const stream of streams) await addMembers(file, stream);
}

/** How far into an object its type is looked for. */
const MAX_HEAD_BYTES = 2000;

/** Finds the next place of a word from positions that only grow, so that each byte is searched once. */
function finderOf(bytes: Buffer, word: string): (from: number) => number {
	let found = -1;
	return (from) => {
		if (found < from) {
			const next = bytes.indexOf(word, from);
			found = next < 0 ? Infinity : next;
		}
		return found;
	};
}

function headerBefore(bytes: Buffer, word: number) {
	const from = Math.max(0, word - 40);
	const text = bytes.toString('latin1', from, word);
	const match = /(?:^|[^\d.+-])(\d{1,10})[\s\0]+(\d{1,5})[\s\0]*$/.exec(text);
	if (match === null) return undefined;
	const offset = from + match.index + match[0].search(/\d/);
	return { number: Number(match[1]), generation: Number(match[2]), offset };
}

function dictAt(file: SourceFile, offset: number): PDFDict | undefined {
	const parser = new ObjectParser(file.bytes, file, offset);
	const value = attempt(() => parser.value(), DamagedObject);
	return value instanceof PDFRawStream ? value.dict : value instanceof PDFDict ? value : undefined;
}

/** The end of a stream, whose data may look like objects. */
function afterStream({ bytes, searched }: SourceFile, head: string, word: number) {
	const start = word + 'stream'.length;
	const length = /\/Length\s+(\d{1,10})(?!\s+\d+\s+R|\d)/.exec(head)?.[1];
	if (length !== undefined) {
		const end = bytes.toString('latin1', start + Number(length), start + Number(length) + 20);
		if (/^\s*endstream/.test(end)) return start + Number(length);
	}
	return endOfStreamFrom(bytes, start, searched)?.after;
}

async function addMembers(file: SourceFile, { number, offset }: FoundStream): Promise<void> {
	const own = file.objects.get(number);
	if (own === undefined || !('offset' in own) || own.offset !== offset) return;
	const members = file.membersOf(number);
	for (const [index, member] of (members ?? []).entries()) {
		if (index % ENTRIES_PER_SLICE === 0) await letOthersRun();
		if (member > MAX_OBJECT_NUMBER || member === number) continue;
		const place = file.objects.get(member);
		// Streams are in the order of the file: what is packed elsewhere is older.
		if (place !== undefined && 'offset' in place && place.offset > offset) continue;
		file.objects.set(member, IN_STREAM, number, index);
	}
}
