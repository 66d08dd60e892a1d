import { freeName } from './fields';

/** A name, a field's detail as `[name]`, or 0 for any row of a table. */
export type Step = string | [string] | 0;

/** Where a value is in a document: its steps as JSON. */
export type Place = string;

/** The part of metadata whose name columns omit. */
export const FIELDS = 'fields';

/**
 * A name for the column of each place, the shortest that no other has: of several places that may have a name, the one
 * with the shortest path gets it. Underscores distinguish equal paths. The order of the places does not matter.
 * @param taken names in use; the new ones are added
 */
export function nameColumns(places: ReadonlySet<Place>, taken: Set<string>): Map<Place, string> {
	const columns = [...places]
		.map((place) => ({ place, ...namesOf(place) }))
		.sort((one, other) => one.depth - other.depth || (one.place < other.place ? -1 : 1));
	const owners = new Map<string, { place?: Place; depth: number }>();
	for (const { place, depth, names } of columns)
		for (const name of names) {
			const owner = owners.get(name) ?? { place, depth };
			const isShared = owner.depth === depth && owner.place !== place;
			owners.set(name, isShared ? { depth } : owner);
		}
	const named = new Map<Place, string>();
	for (const { place, names } of columns) {
		const own = names.find((name) => owners.get(name)?.place === place && !taken.has(name));
		if (own !== undefined) named.set(place, own);
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
	const names = [...paths, path].map((one) => one.join('_'));
	return { names, depth: inRow || path.length };
}
