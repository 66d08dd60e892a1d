import { numberOf } from '../text/json';
import { Field, isFieldObject, type FieldTree } from './fields';

/** What a review adds to a document: each entry only where it is asked for. */
export interface Review {
	needsReview?: boolean;
	/** Values that are there, and of which the service is less sure than the threshold. */
	lowConfidenceFields?: string[];
	/** Required fields that have no value, as the user wrote them. */
	missingFields?: string[];
	/** Values that stayed as printed because they can be read in two ways. */
	uncertainFields?: string[];
}

/** The values that a person should look at, by the list that names them; undefined where they are not looked for. */
export interface Doubts {
	lowConfidenceFields?: Path[];
	uncertainFields?: Path[];
}

/** @param missing names of required fields; undefined where none is required */
export function review(
	{ lowConfidenceFields, uncertainFields }: Doubts,
	missing: string[] | undefined,
): Review {
	const lists = [lowConfidenceFields, missing, uncertainFields].filter(
		(list) => list !== undefined,
	);
	if (lists.length === 0) return {};
	return {
		needsReview: lists.some((list) => list.length > 0),
		...(lowConfidenceFields && { lowConfidenceFields: lowConfidenceFields.map(pathName) }),
		...(missing && { missingFields: missing }),
		...(uncertainFields && { uncertainFields: uncertainFields.map(pathName) }),
	};
}

/** Names and positions that lead to a part of a document. */
export type Path = ReadonlyArray<string | number>;

/** As the Fields output shows it, for example `fields.lineItems[2].amount`. */
export function pathName(path: Path): string {
	return path.reduce<string>((name, part) => {
		if (typeof part === 'number') return `${name}[${part}]`;
		return name === '' ? part : `${name}.${part}`;
	}, '');
}

/**
 * The values of which the service is less sure than the threshold. A field without a value has no confidence to judge;
 * a value without a confidence is not judged.
 *
 * @param threshold 0 to 100
 */
export function lowConfidencePaths(tree: FieldTree, threshold: number, path: Path = []): Path[] {
	if (tree instanceof Field) {
		const isLow = (numberOf(tree.confidence) ?? threshold) < threshold;
		if (!isLow) return lowConfidencePaths(tree.value, threshold, path);
		return hasValue(tree) ? [path] : [];
	}
	return entriesOf(tree).flatMap(([name, entry]) =>
		lowConfidencePaths(entry, threshold, [...path, name]),
	);
}

/**
 * The names that a user may give a field, in the order in which they count: its path, the same without `fields`, and
 * without positions for all rows of a table. A name alone is never a cell: a total of a line is not that of the invoice.
 */
const NAMES: ReadonlyArray<(path: Path) => string> = [
	pathName,
	(path) => pathName(withoutFields(path)),
	fieldName,
];

export function withoutFields(path: Path): Path {
	return path.length > 1 && path[0] === 'fields' ? path.slice(1) : path;
}

/** Of a field in all rows of its table, without `fields`, for example `lineItems.amount`. */
export function fieldName(path: Path): string {
	return pathName(withoutFields(path).filter((part) => typeof part === 'string'));
}

/** A plain name without a leading `fields`, which is optional. */
export function withoutPrefix(name: string): string {
	return name.replace(/^fields\./, '');
}

/** Upper and lower case count alike, and so does a column's `_` between names. Blanks around names do not count. */
export function plainName(name: string): string {
	const names = name.toLowerCase().replaceAll('_', '.').split('.');
	return names.map((part) => part.trim()).join('.');
}

/** The required fields that have no value, as they were written. */
export function missingFields(tree: FieldTree, required: string[]): string[] {
	// For each kind of name: whether every field of that name has a value.
	const complete = NAMES.map(() => new Map<string, boolean>());
	visit(tree, [], (path, part) => {
		const present = hasValue(part);
		for (const [kind, nameOf] of NAMES.entries()) {
			const name = plainName(nameOf(path));
			complete[kind]?.set(name, present && complete[kind].get(name) !== false);
		}
	});
	const isComplete = (name: string) => {
		const written = plainName(name);
		const names = [written, withoutPrefix(written)];
		const values = complete.flatMap((kind) => names.map((known) => kind.get(known)));
		return values.find((value) => value !== undefined) ?? false;
	};
	return required.filter((name) => !isComplete(name));
}

function visit(tree: FieldTree, path: Path, see: (path: Path, part: FieldTree) => void): void {
	if (tree instanceof Field) return visit(tree.value, path, see);
	if (path.length > 0) see(path, tree);
	for (const [name, entry] of entriesOf(tree)) visit(entry, [...path, name], see);
}

/** Also false and 0 are values; a table has one where a cell has. */
function hasValue(tree: FieldTree): boolean {
	if (tree instanceof Field) return hasValue(tree.value);
	if (typeof tree === 'object') return entriesOf(tree).some(([, entry]) => hasValue(entry));
	return typeof tree !== 'string' || tree.trim() !== '';
}

function entriesOf(tree: FieldTree): Array<[string | number, FieldTree]> {
	if (Array.isArray(tree)) return [...tree.entries()];
	return isFieldObject(tree) ? Object.entries(tree) : [];
}
