import { type Budget, Obstacle } from './budget';
import { CrossReference, type ObjectLocation } from './crossReference';
import {
	type Dict,
	endOfData,
	isDict,
	type ObjectParser,
	Ref,
	Stream,
	type Value,
} from './objects';
import { decode } from './streams';

/** How many bytes from the end readers search for the start of the table. */
const END_SEARCH_BYTES = 2048;

/** How many entries are read without a pause. */
const ENTRIES_PER_SLICE = 20_000;

/** Cost of a section besides its entries, and of an entry in a stream, in bytes. */
const [COST_OF_SECTION, COST_OF_ROW] = [100, 5];

/** Reads from the newest table to the oldest (ISO 32000-1, 7.5.4 to 7.5.8). Throws `wrongTable` or `damaged`. */
export async function readTables(bytes: Buffer, budget: Budget): Promise<CrossReference> {
	const end = bytes.lastIndexOf('startxref');
	if (end < bytes.length - END_SEARCH_BYTES && end < bytes.length / 2)
		throw new Obstacle('wrongTable');
	const objects = new CrossReference(bytes, budget);
	const seen = new Set<unknown>();
	let next: Value | undefined = objects.parserAt(end + 'startxref'.length).integer();
	while (typeof next === 'number' && next >= 0 && !seen.has(next)) {
		seen.add(next);
		const parser = objects.parserAt(next);
		const read = parser.skip('xref') ? readTable : readStream;
		const trailer = await read(parser, objects);
		objects.addTrailer(trailer);
		next = trailer.get('Prev');
	}
	if (!objects.trailer.has('Root')) throw new Obstacle('wrongTable');
	return objects;
}

async function readTable(start: ObjectParser, objects: CrossReference): Promise<Dict> {
	let parser = start;
	const free: number[] = [];
	while (!parser.skip('trailer')) {
		let first = parser.integer();
		const count = parser.integer();
		if (first === undefined || count === undefined) throw new Obstacle('wrongTable');
		for (let index = 0; index < count; index++) {
			if (index % ENTRIES_PER_SLICE === 0) parser = await continued(parser, objects);
			const { isFree, at, generation } = readEntry(parser);
			// Writers that count from 1 by mistake begin with the entry of object 0.
			if (isFree && index === 0 && first === 1 && generation === 65535) first = 0;
			if (isFree) {
				objects.budget.keep(1);
				free.push(first + index);
			} else if (at > 0) {
				// Some writers use an offset of 0 for a free entry.
				objects.add(first + index, { at, generation });
			}
		}
		parser = await continued(parser, objects);
	}
	const trailer = parser.value();
	if (!isDict(trailer)) throw new Obstacle('wrongTable');
	// A hybrid file lists objects as free that only its stream has (ISO 32000-1, 7.5.8.4).
	const hybrid = trailer.get('XRefStm');
	if (typeof hybrid === 'number') await readStream(objects.parserAt(hybrid), objects);
	for (const number of free) objects.add(number, undefined);
	return trailer;
}

/** Charges what was parsed, and goes on with a new parser, because each has a limited length. */
async function continued(parser: ObjectParser, objects: CrossReference): Promise<ObjectParser> {
	objects.budget.spend(COST_OF_SECTION + parser.at - parser.start);
	await objects.budget.yieldToN8n();
	return objects.parserAt(parser.at);
}

async function readStream(parser: ObjectParser, objects: CrossReference): Promise<Dict> {
	const { bytes, budget } = objects;
	const dict = parser.header() && parser.value();
	if (!isDict(dict) || !parser.skipToData()) throw new Obstacle('wrongTable');
	const end = endOfData(bytes, parser.at, dict.get('Length'), budget);
	const stream = new Stream(dict, bytes.subarray(parser.at, end?.at));
	// Tables are read before any reference can be resolved.
	const lookup = (value?: Value) => (value instanceof Ref ? undefined : value);
	const rows = await decode(stream, lookup, budget);
	const listed = numbersIn(dict.get('Index'));
	// The first number and the count of each range of objects.
	const ranges = listed.length > 1 ? listed : [0, ...numbersIn(dict.get('Size'))];
	await addRows(rows, numbersIn(dict.get('W')), numbersOf(ranges), objects);
	return dict;
}

function* numbersOf(ranges: number[]): Generator<number, void> {
	for (let at = 0; at + 1 < ranges.length; at += 2) {
		const [first = 0, count = 0] = ranges.slice(at, at + 2);
		for (let index = 0; index < count; index++) yield first + index;
	}
}

/** Adds what each row of a cross-reference stream says about the next of the objects. */
async function addRows(
	rows: Buffer,
	[kindWidth = 0, placeWidth = 0, detailWidth = 0]: number[],
	numbers: Iterable<number>,
	objects: CrossReference,
): Promise<void> {
	const width = kindWidth + placeWidth + detailWidth;
	if (width === 0) throw new Obstacle('wrongTable');
	let at = 0;
	const take = (count: number) => {
		let value = 0;
		for (const end = at + count; at < end; at++) value = value * 256 + rows[at]!;
		return value;
	};
	objects.budget.spend(COST_OF_SECTION);
	for (const number of numbers) {
		if (at + width > rows.length) return;
		objects.budget.spend(COST_OF_ROW);
		if (at % (width * ENTRIES_PER_SLICE) === 0) await objects.budget.yieldToN8n();
		const kind = kindWidth === 0 ? 1 : take(kindWidth);
		const [place, detail] = [take(placeWidth), take(detailWidth)];
		objects.add(number, locationOf(kind, place, detail));
	}
}

/** Undefined for a free object. */
function locationOf(kind: number, place: number, detail: number): ObjectLocation | undefined {
	if (kind === 2) return { stream: place, at: detail, generation: 0 };
	return kind === 1 && place > 0 ? { at: place, generation: detail } : undefined;
}

function readEntry(parser: ObjectParser) {
	const [at, generation] = [parser.integer(), parser.integer()];
	const isFree = parser.skip('f');
	if (at === undefined || generation === undefined || !(isFree || parser.skip('n')))
		throw new Obstacle('wrongTable');
	return { isFree, at, generation };
}

function numbersIn(value: Value | undefined): number[] {
	const items = Array.isArray(value) ? value : [value];
	return items.filter((item): item is number => typeof item === 'number' && item >= 0);
}
