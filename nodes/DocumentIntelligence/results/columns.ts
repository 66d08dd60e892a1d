import { freeName } from './freeName';

/**
 * Where a value is in a document, whatever its column is called: each name on the path follows a sign for its kind.
 * `.fields.total` is a field, `.fields.total#confidence` a detail of it, `.fields.lineItems[].total` a cell of a table.
 */
export type Place = string;

/** The document. */
export const ROOT: Place = '';

export function inside(place: Place, name: string): Place {
	return `${place}.${escaped(name)}`;
}

export function detailOf(place: Place, name: string): Place {
	return `${place}#${escaped(name)}`;
}

export function rowOfTable(table: Place): Place {
	return `${table}${ROW}`;
}

const ROW = '[]';

function escaped(name: string): string {
	return name.replace(/[\\.#[\]]/g, '\\$&');
}

function namesIn(place: Place): string[] {
	return [...place.matchAll(/[.#](?:\\.|[^\\.#[])*/gs)].map(([step]) =>
		step.slice(1).replace(/\\(.)/gs, '$1'),
	);
}

/** The part of metadata whose name is dropped from the columns of what it holds. */
export const FIELDS = 'fields';

const IN_FIELDS = `${inside(ROOT, FIELDS)}.`;

interface Column {
	place: Place;
	name: string;
	/** What else it may be called, up to the full path. */
	longer: string[];
	/** How many names its path has, from the document or from the row of its table. */
	depth: number;
}

function columnAt(place: Place): Column {
	const path = namesIn(place);
	const paths = place.startsWith(IN_FIELDS) ? [path.slice(1), path] : [path];
	let depth = path.length;
	if (place.includes(ROW)) {
		depth = namesIn(place.slice(place.indexOf(ROW))).length;
		paths.unshift(path.slice(-depth), path.slice(-depth - 1));
	}
	const [name = '', ...longer] = new Set(paths.map((names) => names.join('_')));
	return { place, name, longer, depth };
}

/**
 * A name for the column of each place. It depends on what places there are but not on their order, and is the
 * shortest that is free. Of several columns that want the same, the one with the shortest path gets it, and
 * the others, or all where they are equal, take more of their path. Underscores distinguish names that are still equal.
 *
 * @param taken names that are in use; the new ones are added
 * @returns in the order of the places
 */
export function nameColumns(places: Iterable<Place>, taken: Set<string>): Map<Place, string> {
	const columns = [...places].map(columnAt);
	// Set beforehand in the order of the places.
	const names = new Map(columns.map(({ place }) => [place, '']));
	const alike: Column[] = [];
	for (const [name, wanting] of settle(columns, taken)) {
		for (const column of wanting.sort(compareColumns)) {
			if (taken.has(name)) {
				alike.push(column);
				continue;
			}
			names.set(column.place, name);
			taken.add(name);
		}
	}
	for (const { place, name } of alike.sort(compareColumns)) {
		const free = freeName(name, (other) => taken.has(other));
		names.set(place, free);
		taken.add(free);
	}
	return names;
}

/** The columns by the name that each ends up wanting; one that is taken or wanted by several has no longer form left. */
function settle(columns: Column[], taken: ReadonlySet<string>): Map<string, Column[]> {
	const settled = new Map<string, Column[]>();
	let moving = columns;
	while (moving.length > 0) {
		for (const column of moving) {
			const wanting = settled.get(column.name);
			if (wanting === undefined) settled.set(column.name, [column]);
			else wanting.push(column);
		}
		moving = [...new Set(moving.map(({ name }) => name))].flatMap((name) => {
			const wanting = settled.get(name) ?? [];
			const keeping = taken.has(name) ? undefined : highestOf(wanting);
			const stays = (column: Column) => column === keeping || column.longer.length === 0;
			settled.set(name, wanting.filter(stays));
			return wanting.filter((column) => !stays(column)).map(lengthened);
		});
	}
	return settled;
}

function lengthened({ longer: [name = '', ...longer], ...column }: Column): Column {
	return { ...column, name, longer };
}

/** The one with the shortest path, if there is only one. */
function highestOf(columns: Column[]): Column | undefined {
	const least = columns.reduce((depth, column) => Math.min(depth, column.depth), Infinity);
	const [highest, ...equals] = columns.filter(({ depth }) => depth === least);
	return equals.length === 0 ? highest : undefined;
}

function compareColumns(one: Column, other: Column): number {
	if (one.depth !== other.depth) return one.depth - other.depth;
	return one.place < other.place ? -1 : 1;
}
