import { attempt, type Budget, MAX_OBJECT_NUMBER, Obstacle } from './budget';
import { type Dict, endOfData, isDict, ObjectParser, Ref, Stream, type Value } from './objects';
import { decode } from './streams';

/** Where an object is: at an offset in the file, or, if it has the number of an object stream, at an index there. */
export interface Place {
	stream: number;
	at: number;
	generation: number;
}

/** An object that is deleted; newer tables have those that older ones say where to find. */
const FREE: Place = { stream: 0, at: 0, generation: 1 };

/** Above each generation and each index in an object stream. */
const [GENERATIONS, INDEXES] = [2 ** 16, 2 ** 24];

/** Where the objects of a file are, in 8 bytes for each, and the entries of its trailers that count. */
export class CrossReference {
	/** One above the highest number. */
	size = 0;
	readonly trailer: Dict = new Map();
	/** 0 if unknown, positive for an offset with a generation, negative for a stream with an index. */
	private places = new Float64Array(1024);

	/** Enters an object, unless a newer table has it already. */
	add(number: number, place: Place): void {
		if (!this.places[number]) this.set(number, place);
	}

	set(number: number, { stream, at, generation }: Place): void {
		if (number > MAX_OBJECT_NUMBER) throw new Obstacle('tooComplex');
		if (number >= this.places.length) {
			const { places } = this;
			this.places = new Float64Array(
				Math.max(number, Math.min(MAX_OBJECT_NUMBER, places.length * 2)) + 1,
			);
			this.places.set(places);
		}
		const isPacked = stream > 0;
		this.places[number] = isPacked ? -(stream * INDEXES + at) : at * GENERATIONS + generation;
		this.size = Math.max(this.size, number + 1);
	}

	get(number: number): Place | undefined {
		const place = this.places[number] ?? 0;
		if (place < 0) {
			return { stream: Math.floor(-place / INDEXES), at: -place % INDEXES, generation: 0 };
		}
		const at = Math.floor(place / GENERATIONS);
		return at === 0 ? undefined : { stream: 0, at, generation: place % GENERATIONS };
	}

	/** Takes the entries of a trailer that no newer one has. */
	addTrailer(dict: Dict): void {
		for (const key of ['Root', 'Encrypt', 'ID']) {
			const value = dict.get(key) ?? null;
			if (value !== null && !this.trailer.has(key)) this.trailer.set(key, value);
		}
	}
}

/** How many bytes at the end of a file readers search for the start of its table. */
const END_SEARCH_BYTES = 2048;

/** After so many entries others may run. */
const ENTRIES_PER_SLICE = 20_000;

/** What a section of a table takes besides its entries, and the entries of a slice in a stream, as bytes. */
const [WORK_OF_SECTION, WORK_OF_SLICE] = [100, 100_000];

/**
 * Reads the tables of a file from the newest to the oldest (ISO 32000-1, 7.5.4 to 7.5.8).
 */
export async function readTables(bytes: Buffer, budget: Budget): Promise<CrossReference> {
	const objects = new CrossReference();
	const parserAt = (offset: number) => new ObjectParser(bytes, budget, offset);
	const end = bytes.lastIndexOf('startxref');
	if (end < bytes.length - END_SEARCH_BYTES && end < bytes.length / 2) {
		throw new Obstacle('wrongTable');
	}
	const seen = new Set<unknown>();
	let next: Value | undefined = parserAt(end + 'startxref'.length).integer();
	while (typeof next === 'number' && next >= 0 && !seen.has(next)) {
		seen.add(next);
		const parser = parserAt(next);
		const isTable = parser.skip('xref');
		const dict: Dict = isTable ? await readTable(parser) : await readStream(parser);
		objects.addTrailer(dict);
		next = dict.get('Prev');
	}
	if (!objects.trailer.has('Root')) throw new Obstacle('wrongTable');
	return objects;

	async function readTable(from: ObjectParser): Promise<Dict> {
		let parser = from;
		const goOn = async () => {
			budget.spend(WORK_OF_SECTION + parser.at - parser.start);
			await budget.rest();
			parser = parserAt(parser.at);
		};
		const free: number[] = [];
		while (!parser.skip('trailer')) {
			let first = parser.integer();
			const count = parser.integer();
			if (first === undefined || count === undefined) throw new Obstacle('wrongTable');
			for (let index = 0; index < count; index++) {
				if (index % ENTRIES_PER_SLICE === 0) await goOn();
				const at = parser.integer();
				const generation = parser.integer();
				const isFree = parser.skip('f');
				if (at === undefined || generation === undefined || !(isFree || parser.skip('n'))) {
					throw new Obstacle('wrongTable');
				}
				// Writers that count from 1 by mistake begin with the entry that is always object 0.
				if (isFree && index === 0 && first === 1 && generation === 65535) first = 0;
				if (isFree) free.push(first + index);
				// Some writers mean a free entry by an offset of 0.
				else if (at > 0) objects.add(first + index, { stream: 0, at: at, generation });
			}
			await goOn();
		}
		const dict = parser.value();
		if (!isDict(dict)) throw new Obstacle('wrongTable');
		// A hybrid file lists as free what only its stream tells of (ISO 32000-1, 7.5.8.4).
		const hybrid = dict.get('XRefStm');
		if (typeof hybrid === 'number') await readStream(parserAt(hybrid));
		for (const number of free) objects.add(number, FREE);
		return dict;
	}

	async function readStream(parser: ObjectParser): Promise<Dict> {
		const dict = parser.header() && parser.value();
		if (!isDict(dict) || !parser.skipToData()) throw new Obstacle('wrongTable');
		const data = parser.at;
		const close = endOfData(bytes, data, dict.get('Length'), budget);
		const stream = new Stream(dict, bytes.subarray(data, close?.at));
		// Tables are read before any reference can be followed.
		const rows = await decode(
			stream,
			(value) => (value instanceof Ref ? undefined : value),
			budget,
		);
		const [kindWidth = 0, placeWidth = 0, detailWidth = 0] = numbersIn(dict.get('W'));
		const width = kindWidth + placeWidth + detailWidth;
		if (rows === undefined || width === 0 || width > 24) throw new Obstacle('wrongTable');
		let at = 0;
		const take = (count: number) => {
			let value = 0;
			for (let index = 0; index < count; index++) value = value * 256 + rows[at++]!;
			return value;
		};
		const listed = numbersIn(dict.get('Index'));
		const ranges = listed.length > 1 ? listed : [0, ...numbersIn(dict.get('Size'))];
		for (let range = 0; range + 1 < ranges.length; range += 2) {
			for (let entry = 0; entry < ranges[range + 1]! && at + width <= rows.length; entry++) {
				if (entry % ENTRIES_PER_SLICE === 0) {
					budget.spend(entry === 0 ? WORK_OF_SECTION : WORK_OF_SLICE);
					await budget.rest();
				}
				const kind = kindWidth === 0 ? 1 : take(kindWidth);
				const [place, detail] = [take(placeWidth), take(detailWidth)];
				let found = FREE;
				if (kind === 1 && place > 0) {
					found = { stream: 0, at: place, generation: detail };
				} else if (kind === 2) {
					found = { stream: place, at: detail, generation: 0 };
				}
				objects.add(ranges[range]! + entry, found);
			}
		}
		return dict;
	}
}

function numbersIn(value: Value | undefined): number[] {
	const items = Array.isArray(value) ? value : [value];
	return items.filter((item): item is number => typeof item === 'number' && item >= 0);
}

/** What going through a file finds. */
export interface Found {
	objects: CrossReference;
	/** Object streams in the order of the file: what stands later counts. */
	streams: Array<{ number: number; offset: number }>;
}

/** How far into an object its type is looked for. */
const MAX_HEAD_BYTES = 2000;

/** What it takes to see whether a word is the header of an object or the start of a trailer, as bytes. */
const [WORK_OF_HEADER, WORK_OF_TRAILER] = [200, 1000];

/** Finds the objects of a file whose tables are damaged by going through it. The last copy of an object counts. */
export async function findObjects(bytes: Buffer, budget: Budget): Promise<Found> {
	const objects = new CrossReference();
	const trailers: Array<{ offset: number; dict: Dict }> = [];
	const streams: Found['streams'] = [];
	const addTrailer = async (offset: number, start: number) => {
		budget.spend(WORK_OF_TRAILER);
		const dict = await attempt(() => new ObjectParser(bytes, budget, start).value(), 'damaged');
		if (isDict(dict)) trailers.push({ offset, dict });
	};
	const nextObject = finderOf(bytes, 'obj', budget);
	const nextStream = finderOf(bytes, 'stream', budget);
	const nextEnd = finderOf(bytes, 'endobj', budget);
	for (let word = nextObject(0), at = 0; word !== Infinity; word = nextObject(at)) {
		await budget.rest();
		at = word + 'obj'.length;
		const header = headerBefore(bytes, word, budget);
		if (header === undefined || header.number > MAX_OBJECT_NUMBER) continue;
		const { number, generation, offset } = header;
		if (number > 0) objects.set(number, { stream: 0, at: offset, generation });
		const stream = nextStream(at);
		if (stream > nextEnd(at)) continue;
		const head = bytes.toString('latin1', at, Math.min(stream, at + MAX_HEAD_BYTES));
		budget.spend(head.length);
		if (/\/ObjStm\b/.test(head)) streams.push({ number, offset });
		if (/\/XRef\b/.test(head)) await addTrailer(offset, at);
		if (stream === Infinity) continue;
		// The data of a stream may look like objects.
		const length = /\/Length\s+(\d{1,10})(?!\s+\d+\s+R|\d)/.exec(head)?.[1];
		const end = endOfData(bytes, stream + 'stream'.length, Number(length), budget);
		at = end?.after ?? at;
	}
	const nextTrailer = finderOf(bytes, 'trailer', budget);
	for (let at = nextTrailer(0); at !== Infinity; at = nextTrailer(at + 1)) {
		await addTrailer(at, at + 'trailer'.length);
		await budget.rest();
	}
	trailers.sort((one, other) => other.offset - one.offset);
	for (const { dict } of trailers) objects.addTrailer(dict);
	return { objects, streams };
}

/** Finds the next place of a word from positions that only grow, so that each byte is searched once. */
function finderOf(bytes: Buffer, word: string, budget: Budget): (from: number) => number {
	let found = -1;
	return (from) => {
		if (found < from) {
			const next = bytes.indexOf(word, from);
			budget.spend((next < 0 ? bytes.length : next) - from);
			found = next < 0 ? Infinity : next;
		}
		return found;
	};
}

function headerBefore(bytes: Buffer, word: number, budget: Budget) {
	// Most often it is the end of "endobj".
	if (bytes[word - 1] === 'd'.charCodeAt(0)) return undefined;
	budget.spend(WORK_OF_HEADER);
	const from = Math.max(0, word - 40);
	const text = bytes.toString('latin1', from, word);
	const match = /(?:^|[^\d.+-])(\d{1,10})[\s\0]+(\d{1,5})[\s\0]*$/.exec(text);
	if (match === null) return undefined;
	const offset = from + match.index + match[0].search(/\d/);
	return { number: Number(match[1]), generation: Number(match[2]), offset };
}
