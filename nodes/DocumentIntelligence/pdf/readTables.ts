import { type Budget, Obstacle } from './budget';
import { CrossReference, type ObjectLocation } from './crossReference';
import { type Dict, endOfData, isDict, ObjectParser, Ref, Stream, type Value } from './objects';
import { decode } from './streams';

/** How many bytes from the end readers search for the start of the table. */
const END_SEARCH_BYTES = 2048;

/** How many entries are read without a pause. */
const ENTRIES_PER_SLICE = 20_000;

/** Cost of a section besides its entries, and of a slice of entries in a stream, in bytes. */
const [COST_OF_SECTION, COST_OF_SLICE] = [100, 100_000];

/** No writer uses rows of more bytes than this, and longer ones exceed what a number can represent. */
const MAX_ROW_BYTES = 24;

/** Reads from the newest table to the oldest (ISO 32000-1, 7.5.4 to 7.5.8). Throws `wrongTable` or `damaged`. */
export async function readTables(bytes: Buffer, budget: Budget): Promise<CrossReference> {
	const end = bytes.lastIndexOf('startxref');
	if (end < bytes.length - END_SEARCH_BYTES && end < bytes.length / 2)
		throw new Obstacle('wrongTable');
	const objects = new CrossReference(budget);
	const reader = new TableReader(bytes, budget, objects);
	const seen = new Set<unknown>();
	let next: Value | undefined = reader.parserAt(end + 'startxref'.length).integer();
	while (typeof next === 'number' && next >= 0 && !seen.has(next)) {
		seen.add(next);
		const trailer = await reader.read(next);
		objects.addTrailer(trailer);
		next = trailer.get('Prev');
	}
	if (!objects.trailer.has('Root')) throw new Obstacle('wrongTable');
	return objects;
}

class TableReader {
	constructor(
		private readonly bytes: Buffer,
		private readonly budget: Budget,
		private readonly objects: CrossReference,
	) {}

	parserAt(offset: number): ObjectParser {
		return new ObjectParser(this.bytes, this.budget, offset);
	}

	/** Reads a table or a stream with one; returns its trailer. */
	async read(offset: number): Promise<Dict> {
		const parser = this.parserAt(offset);
		return parser.skip('xref') ? await this.readTable(parser) : await this.readStream(parser);
	}

	private async readTable(start: ObjectParser): Promise<Dict> {
		let parser = start;
		const free: number[] = [];
		while (!parser.skip('trailer')) {
			let first = parser.integer();
			const count = parser.integer();
			if (first === undefined || count === undefined) throw new Obstacle('wrongTable');
			for (let index = 0; index < count; index++) {
				if (index % ENTRIES_PER_SLICE === 0) parser = await this.continued(parser);
				const { isFree, at, generation } = readEntry(parser);
				// Writers that count from 1 by mistake begin with the entry of object 0.
				if (isFree && index === 0 && first === 1 && generation === 65535) first = 0;
				this.budget.keep(isFree ? 1 : 0);
				if (isFree) free.push(first + index);
				// Some writers use an offset of 0 for a free entry.
				else if (at > 0) this.objects.add(first + index, { at, generation });
			}
			parser = await this.continued(parser);
		}
		const trailer = parser.value();
		if (!isDict(trailer)) throw new Obstacle('wrongTable');
		await this.readHybrid(trailer);
		for (const number of free) this.objects.add(number, undefined);
		return trailer;
	}

	/** A hybrid file lists objects as free that only its stream has (ISO 32000-1, 7.5.8.4). */
	private async readHybrid(trailer: Dict): Promise<void> {
		const offset = trailer.get('XRefStm');
		if (typeof offset === 'number') await this.readStream(this.parserAt(offset));
	}

	/** Charges what was parsed, and goes on with a new parser, because each has a limited length. */
	private async continued(parser: ObjectParser): Promise<ObjectParser> {
		this.budget.spend(COST_OF_SECTION + parser.at - parser.start);
		await this.budget.yieldToN8n();
		return this.parserAt(parser.at);
	}

	private async readStream(parser: ObjectParser): Promise<Dict> {
		const dict = parser.header() && parser.value();
		if (!isDict(dict) || !parser.skipToData()) throw new Obstacle('wrongTable');
		const end = endOfData(this.bytes, parser.at, dict.get('Length'), this.budget);
		const stream = new Stream(dict, this.bytes.subarray(parser.at, end?.at));
		// Tables are read before any reference can be resolved.
		const lookup = (value?: Value) => (value instanceof Ref ? undefined : value);
		const rows = await decode(stream, lookup, this.budget);
		const locations = locationsIn(rows, numbersIn(dict.get('W')));
		for (const [first, count] of rangesOf(dict)) await this.addRange(first, count, locations);
		return dict;
	}

	private async addRange(
		first: number,
		count: number,
		locations: Iterator<ObjectLocation | undefined>,
	): Promise<void> {
		for (let index = 0; index < count; index++) {
			if (index % ENTRIES_PER_SLICE === 0) {
				this.budget.spend(index === 0 ? COST_OF_SECTION : COST_OF_SLICE);
				await this.budget.yieldToN8n();
			}
			const next = locations.next();
			if (next.done) return;
			this.objects.add(first + index, next.value);
		}
	}
}

function readEntry(parser: ObjectParser) {
	const [at, generation] = [parser.integer(), parser.integer()];
	const isFree = parser.skip('f');
	if (at === undefined || generation === undefined || !(isFree || parser.skip('n')))
		throw new Obstacle('wrongTable');
	return { isFree, at, generation };
}

/** One location for each row of a cross-reference stream; undefined for a free object. */
function* locationsIn(
	rows: Buffer,
	[kindWidth = 0, placeWidth = 0, detailWidth = 0]: number[],
): Generator<ObjectLocation | undefined, void> {
	const width = kindWidth + placeWidth + detailWidth;
	if (width === 0 || width > MAX_ROW_BYTES) throw new Obstacle('wrongTable');
	let at = 0;
	const take = (count: number) => {
		let value = 0;
		for (const end = at + count; at < end; at++) value = value * 256 + rows[at]!;
		return value;
	};
	while (at + width <= rows.length) {
		const kind = kindWidth === 0 ? 1 : take(kindWidth);
		const [place, detail] = [take(placeWidth), take(detailWidth)];
		if (kind === 1 && place > 0) yield { at: place, generation: detail };
		else if (kind === 2) yield { stream: place, at: detail, generation: 0 };
		else yield undefined;
	}
}

/** The first number and the count of each range of objects. */
function rangesOf(dict: Dict): Array<[first: number, count: number]> {
	const listed = numbersIn(dict.get('Index'));
	const numbers = listed.length > 1 ? listed : [0, ...numbersIn(dict.get('Size'))];
	const ranges: Array<[number, number]> = [];
	for (let at = 0; at + 1 < numbers.length; at += 2) ranges.push([numbers[at]!, numbers[at + 1]!]);
	return ranges;
}

function numbersIn(value: Value | undefined): number[] {
	const items = Array.isArray(value) ? value : [value];
	return items.filter((item): item is number => typeof item === 'number' && item >= 0);
}
