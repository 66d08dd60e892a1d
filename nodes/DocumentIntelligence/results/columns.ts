import { freeName, type Scalar } from './fields';
import type { Path } from './review';

/** A name, a field's detail as `[name]`, or 0 for any row of a table. */
export type Step = string | [string] | 0;

/** Where a value is in a document: its steps as JSON. */
export type Place = string;

/** The metadata key that column names leave out. */
export const FIELDS = 'fields';

/**
 * A name for the column of each place, the shortest that no other has: of several places that may have a name, the one
 * with the shortest path gets it. Underscores distinguish equal paths. The order of the places does not matter.
 * @param taken names in use; the new ones are added
 */
export function nameColumns(places: ReadonlySet<Place>, taken: Set<string>): Map<Place, string> {
	const columns = [...places]
		.map((place) => ({ place, ...namesOf(place) }))
		.sort((first, second) => first.depth - second.depth || (first.place < second.place ? -1 : 1));
	const owners = new Map<string, { place?: Place; depth: number }>();
	for (const { place, depth, names } of columns)
		for (const name of names) {
			const owner = owners.get(name) ?? { place, depth };
			const isShared = owner.depth === depth && owner.place !== place;
			owners.set(name, isShared ? { depth } : owner);
		}
	const named = new Map<Place, string>();
	for (const { place, names } of columns) {
		const candidate = names.find((name) => owners.get(name)?.place === place && !taken.has(name));
		if (candidate !== undefined) named.set(place, candidate);
	}
	for (const name of named.values()) taken.add(name);
	for (const { place, names } of columns) {
		const name = named.get(place) ?? freeName(names.at(-1) ?? '', taken);
		named.set(place, name);
		taken.add(name);
	}
	return new Map([...places].map((place) => [place, named.get(place) ?? '']));
}

/** Shortest name to full path; the shortest of a table cell, like its `depth`, starts in the row. */
function namesOf(place: Place): { names: string[]; depth: number } {
	const steps = JSON.parse(place) as Step[];
	const stepNames = (part: Step[]) => part.flat().filter((step) => step !== 0);
	const path = stepNames(steps);
	const inRow = steps.includes(0) ? stepNames(steps.slice(steps.indexOf(0))).length : 0;
	const paths = inRow > 0 ? [path.slice(-inRow), path.slice(-inRow - 1)] : [];
	if (path[0] === FIELDS && path.length > 1) paths.push(path.slice(1));
	const names = [...paths, path].map((each) => each.join('_'));
	return { names, depth: inRow || path.length };
}

/** A value of a document, as its column sees it. */
export interface ColumnCell {
	path: Path;
	value: Scalar;
	/** `converted` is a number that was text, `text` has a digit and can be listed, `word` is left alone. */
	kind: 'converted' | 'number' | 'uncertain' | 'text' | 'word' | 'empty';
}

/** The column of a table that a value is in; undefined for a value that is in no table. */
export function columnOf({ path }: ColumnCell): string | undefined {
	const isCell = path.some((part) => typeof part === 'number') && typeof path.at(-1) === 'string';
	return isCell ? placeOf(path) : undefined;
}

/** Where a value is in any row, as JSON. */
export function placeOf(path: Path): string {
	return JSON.stringify(path.map((part) => (typeof part === 'number' ? 0 : part)));
}

/**
 * Finds text that a sum of its column would skip: in columns of which more than half of the filled cells, and at least
 * two, are numbers, if any of these was text.
 */
export function textsAmongNumbers(
	cells: Iterable<ColumnCell>,
	column: (cell: ColumnCell) => string | undefined,
): Set<ColumnCell> {
	const texts = new Set<ColumnCell>();
	const filledIn = (cell: ColumnCell) => (cell.kind === 'empty' ? undefined : column(cell));
	for (const filled of grouped(cells, filledIn).values()) {
		const converted = filled.filter(({ kind }) => kind === 'converted').length;
		const numbers = converted + filled.filter(({ kind }) => kind === 'number').length;
		if (converted === 0 || numbers < 2 || numbers * 2 <= filled.length) continue;
		for (const cell of filled) if (cell.kind === 'text') texts.add(cell);
	}
	return texts;
}

/** Entries by their key, in their order; an entry without a key is in no group. */
export function grouped<Entry>(
	entries: Iterable<Entry>,
	keyOf: (entry: Entry) => string | undefined,
): Map<string, Entry[]> {
	const groups = new Map<string, Entry[]>();
	for (const entry of entries) {
		const key = keyOf(entry);
		if (key === undefined) continue;
		const group = groups.get(key) ?? [];
		group.push(entry);
		groups.set(key, group);
	}
	return groups;
}
