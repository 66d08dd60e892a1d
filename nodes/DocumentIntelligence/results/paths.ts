/** The metadata key that column names leave out. */
export const FIELDS = 'fields';

/** Steps from a document to a value: names, and positions in lists. */
export type Path = ReadonlyArray<string | number>;

function pathName(path: Path): string {
	return path.reduce<string>((name, part) => {
		if (typeof part === 'number') return `${name}[${part}]`;
		return name === '' ? part : `${name}.${part}`;
	}, '');
}

/** As users see a field in their template, with positions from 0, for example `lineItems[2].amount`. */
export function shortName(path: Path): string {
	return pathName(withoutFields(path));
}

function withoutFields(path: Path): Path {
	return path.length > 1 && path[0] === FIELDS ? path.slice(1) : path;
}

/** A field in all rows of its table, without `fields`, for example `lineItems.amount`. */
export function fieldName(path: Path): string {
	return pathName(withoutFields(path).filter((part) => typeof part === 'string'));
}

/** Case, blanks, dots, dashes, underscores and a leading `fields` do not count: `Invoice number` is `invoiceNumber`. */
export function plainName(name: string): string {
	const plain = name.trim().toLowerCase();
	return plain.replace(/^fields[._]/, '').replace(/[\s._-]/g, '');
}

/** A field's name in all rows and, with the positions, its exact name, as names are compared. */
export function plainNames(path: Path): { name: string; exact: string } {
	return { name: plainName(fieldName(path)), exact: plainName(shortName(path)) };
}

/** The row that a value is in; empty for a value in no table. */
export function rowPath(path: Path): Path {
	return path.slice(0, path.findLastIndex((part) => typeof part === 'number') + 1);
}

/** A name, a field's detail as `[name]`, or 0 for any row of a table. */
export type Step = string | [string] | 0;

/** Where a value is in a document: its steps as JSON. */
export type CellPath = string;

/** Of a value in any row. */
export function cellPathOf(path: Path): CellPath {
	return JSON.stringify(path.map((part) => (typeof part === 'number' ? 0 : part)));
}
