import { attempt, type Budget, Obstacle } from './budget';
import { type Dict, endOfData, isDict, ObjectParser, Ref, Stream, type Value } from './objects';
import { decode } from './streams';

/** An offset in the file, or an index in the object stream of this number. */
export interface Place {
	stream?: number;
	at: number;
	generation: number;
}

export class CrossReference {
	readonly places = new Map<number, Place | undefined>();
	readonly trailer: Dict = new Map();
	/** Object streams that a scan of the file finds, in its order: the last one counts. */
	readonly streams: Array<{ number: number; offset: number }> = [];

	constructor(private readonly budget: Budget) {}

	set(number: number, place: Place | undefined): void {
		this.budget.keep(1);
		this.places.set(number, place);
	}

	/** An entry of a newer table takes precedence. */
	add(number: number, place: Place | undefined): void {
		if (!this.places.has(number)) this.set(number, place);
	}

	/** An entry of a newer trailer takes precedence. */
	addTrailer(dict: Dict): void {
		for (const key of ['Root', 'Encrypt', 'ID']) {
			const value = this.trailer.get(key) ?? dict.get(key);
			if (value !== undefined) this.trailer.set(key, value);
		}
	}
}

/** How many bytes from the end readers search for the start of the table. */
const END_SEARCH_BYTES = 2048;

/** How many entries are read without a pause. */
const ENTRIES_PER_SLICE = 20_000;

/** Cost of a section besides its entries, and of a slice of entries in a stream, in bytes. */
const [WORK_OF_SECTION, WORK_OF_SLICE] = [100, 100_000];

/** From the newest table to the oldest (ISO 32000-1, 7.5.4 to 7.5.8). */
export async function readTables(bytes: Buffer, budget: Budget): Promise<CrossReference> {
	const objects = new CrossReference(budget);
	const parserAt = (offset: number) => new ObjectParser(bytes, budget, offset);
	const end = bytes.lastIndexOf('startxref');
	if (end < bytes.length - END_SEARCH_BYTES && end < bytes.length / 2)
		throw new Obstacle('wrongTable');
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
				if (at === undefined || generation === undefined || !(isFree || parser.skip('n')))
					throw new Obstacle('wrongTable');
				// Writers that count from 1 by mistake begin with the entry of object 0.
				if (isFree && index === 0 && first === 1 && generation === 65535) first = 0;
				budget.keep(isFree ? 1 : 0);
				if (isFree) free.push(first + index);
				// Some writers use an offset of 0 for a free entry.
				else if (at > 0) objects.add(first + index, { at, generation });
			}
			await goOn();
		}
		const dict = parser.value();
		if (!isDict(dict)) throw new Obstacle('wrongTable');
		// A hybrid file lists objects as free that only its stream has (ISO 32000-1, 7.5.8.4).
		const hybrid = dict.get('XRefStm');
		if (typeof hybrid === 'number') await readStream(parserAt(hybrid));
		for (const number of free) objects.add(number, undefined);
		return dict;
	}

	async function readStream(parser: ObjectParser): Promise<Dict> {
		const dict = parser.header() && parser.value();
		if (!isDict(dict) || !parser.skipToData()) throw new Obstacle('wrongTable');
		const data = parser.at;
		const close = endOfData(bytes, data, dict.get('Length'), budget);
		const stream = new Stream(dict, bytes.subarray(data, close?.at));
		// Tables are read before any reference can be resolved.
		const lookup = (value?: Value) => (value instanceof Ref ? undefined : value);
		const rows = await decode(stream, lookup, budget);
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
				let found: Place | undefined;
				if (kind === 1 && place > 0) found = { at: place, generation: detail };
				if (kind === 2) found = { stream: place, at: detail, generation: 0 };
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

/** The number and generation of an object, before `obj`. */
const HEADER = /(?:^|[^\d.+-])(\d{1,10})[\s\0]+(\d{1,5})[\s\0]*$/;

/** How far into an object the data of its stream may begin. */
const MAX_HEAD_BYTES = 2000;

/** Cost of a check for the header of an object or for a trailer, in bytes. */
const [WORK_OF_HEADER, WORK_OF_TRAILER] = [200, 1000];

/** Scans a file with damaged tables; the last copy of an object counts. */
export async function findObjects(bytes: Buffer, budget: Budget): Promise<CrossReference> {
	const objects = new CrossReference(budget);
	const trailers: Array<{ offset: number; dict: Dict }> = [];
	const find = async (word: string, from: number) => {
		const found = bytes.indexOf(word, from);
		budget.spend((found < 0 ? bytes.length : found) - from);
		await budget.rest();
		return found;
	};
	const addTrailer = async (offset: number, start: number) => {
		budget.spend(WORK_OF_TRAILER);
		const dict = await attempt(() => new ObjectParser(bytes, budget, start).value(), 'damaged');
		if (isDict(dict)) trailers.push({ offset, dict });
	};
	for (let word = await find('obj', 0), at = 0; word >= 0; word = await find('obj', at)) {
		at = word + 'obj'.length;
		// Usually the end of "endobj".
		if (bytes[word - 1] === 'd'.charCodeAt(0)) continue;
		budget.spend(WORK_OF_HEADER);
		const before = Math.max(0, word - 40);
		const header = HEADER.exec(bytes.toString('latin1', before, word));
		if (header === null) continue;
		const offset = before + header.index + header[0].search(/\d/);
		const [number, generation] = [Number(header[1]), Number(header[2])];
		if (number > 0) objects.set(number, { at: offset, generation });
		const head = /^[^]*?(?:stream|endobj)/.exec(
			bytes.toString('latin1', at, at + MAX_HEAD_BYTES),
		)?.[0];
		budget.spend(head?.length ?? MAX_HEAD_BYTES);
		if (!head?.endsWith('stream')) continue;
		if (/\/ObjStm\b/.test(head)) objects.streams.push({ number, offset });
		if (/\/XRef\b/.test(head)) await addTrailer(offset, at);
		// Skipped, because the data of a stream may look like objects.
		const length = /\/Length\s+(\d{1,10})(?!\s+\d+\s+R|\d)/.exec(head)?.[1];
		at = endOfData(bytes, at + head.length, Number(length), budget)?.after ?? at;
	}
	for (let at = await find('trailer', 0); at >= 0; at = await find('trailer', at + 1))
		await addTrailer(at, at + 'trailer'.length);
	trailers.sort((one, other) => other.offset - one.offset);
	for (const { dict } of trailers) objects.addTrailer(dict);
	return objects;
}
