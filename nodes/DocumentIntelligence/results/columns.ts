import { freeName } from './fields';

/** A name that leads to a value, the name of a detail of a field in a list, or 0 for any row of a table. */
export type Step = string | [string] | 0;

/** Where a value is in a document, whatever its column is called: the JSON of a list of steps. */
export type Place = string;

/** The part of metadata whose name is dropped from the columns of what it holds. */
export const FIELDS = 'fields';

interface Column {
	place: Place;
	/** From the shortest name, which for a cell of a table begins in its row, to the full path. */
	names: string[];
	/** How many names its path has, from the document or from the row of its table. */
	depth: number;
}

/**
 * A name for the column of each place, the shortest that no other has. Of several columns that want the same, the one
 * with the shortest path gets it, and the others, or all if they are equal, take more of their path; underscores
 * distinguish those that are equal in full. It depends on what places there are, but not on their order.
 *
 * @param taken names that are in use; the new ones are added
 * @returns in the order of the places
 */
export function nameColumns(places: ReadonlySet<Place>, taken: Set<string>): Map<Place, string> {
	const named = new Map([...places].map((place) => [place, '']));
	let waiting = [...places].map(columnAt).sort(compareColumns);
	const give = ({ place }: Column, name: string) => {
		named.set(place, name);
		taken.add(name);
	};
	for (let size = 0; waiting.some(({ names }) => size < names.length); size++) {
		const wanting = new Map<string, Column[]>();
		for (const column of waiting) {
			const name = column.names[size];
			if (name !== undefined) wanting.set(name, [...(wanting.get(name) ?? []), column]);
		}
		const settled = new Set<Column>();
		for (const [name, [first, second]] of wanting) {
			if (first === undefined || first.depth === second?.depth || taken.has(name)) continue;
			give(first, name);
			settled.add(first);
		}
		waiting = waiting.filter((column) => !settled.has(column));
	}
	for (const column of waiting) give(column, freeName(column.names.at(-1) ?? '', taken));
	return named;
}

function columnAt(place: Place): Column {
	const steps = JSON.parse(place) as Step[];
	const namesIn = (part: Step[]) => part.flat().filter((step) => step !== 0);
	const path = namesIn(steps);
	const inRow = steps.includes(0) ? namesIn(steps.slice(steps.indexOf(0))).length : 0;
	const paths = inRow > 0 ? [path.slice(-inRow), path.slice(-inRow - 1)] : [];
	if (path[0] === FIELDS && path.length > 1) paths.push(path.slice(1));
	const names = [...paths, path].map((one) => one.join('_'));
	return { place, names: [...new Set(names)], depth: inRow || path.length };
}

function compareColumns(one: Column, other: Column): number {
	return one.depth - other.depth || (one.place < other.place ? -1 : 1);
}
