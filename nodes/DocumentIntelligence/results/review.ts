import { numberOf } from '../text/json';
import { Field, isFieldObject, rowOf, type FieldTree } from './fields';

/** The values to review, by output list; undefined if the list is not requested. */
export type Doubts = Partial<Record<'lowConfidenceFields' | 'uncertainFields', Path[]>>;

/** @param isSuspect whether Cogneris itself asks for a review, whatever the lists hold */
export function review(
	{ lowConfidenceFields, uncertainFields }: Doubts,
	missingFields: string[] | undefined,
	isSuspect = false,
): Record<string, boolean | string[]> {
	const lists = {
		...(lowConfidenceFields && { lowConfidenceFields: lowConfidenceFields.map(pathName) }),
		...(missingFields && { missingFields }),
		...(uncertainFields && { uncertainFields: uncertainFields.map(pathName) }),
	};
	const all = Object.values(lists);
	if (all.length === 0 && !isSuspect) return {};
	return { needsReview: isSuspect || all.some((list) => list.length > 0), ...lists };
}

export type Path = ReadonlyArray<string | number>;

/** As in the Simplified output, for example `fields.lineItems[2].amount`. */
export function pathName(path: Path): string {
	return path.reduce<string>((name, part) => {
		if (typeof part === 'number') return `${name}[${part}]`;
		return name === '' ? part : `${name}.${part}`;
	}, '');
}

export function withoutFields(path: Path): Path {
	return path.length > 1 && path[0] === 'fields' ? path.slice(1) : path;
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

/** Confidence is 0 to 100; a missing one, or one that is not a number, counts as 0. */
export function isLow(confidence: unknown, threshold: number): boolean {
	return (numberOf(confidence) ?? 0) < threshold;
}

/** Fields with a value and a low confidence. A plain value has no confidence by its nature and is not judged. */
export function lowConfidencePaths(tree: FieldTree, threshold: number, path: Path = []): Path[] {
	if (tree instanceof Field && isLow(tree.details.confidence, threshold))
		return hasValue(tree) ? [path] : [];
	if (tree instanceof Field) return lowConfidencePaths(tree.value, threshold, path);
	return partsOf(tree).flatMap(([name, part]) =>
		lowConfidencePaths(part, threshold, [...path, name]),
	);
}

/**
 * Whether fields have a value, by plain name: of their path (`lineItems[2].amount`) and, without positions, of all rows
 * (`lineItems.amount`). A cell has no name by itself: the total of a line is not that of the invoice.
 */
export function filledFields(document: FieldTree): Map<string, boolean> {
	const counts = new Map<string, { fields: number; filled: number; table?: string }>();
	const rowCounts = new Map<string, number>();
	const count = (name: string, part: FieldTree, table?: string) => {
		const { fields, filled } = counts.get(name) ?? { fields: 0, filled: 0 };
		counts.set(name, { fields: fields + 1, filled: filled + Number(hasValue(part)), table });
	};
	const visit = (part: FieldTree, path: Path, table?: string): void => {
		if (part instanceof Field) return visit(part.value, path, table);
		const [exact, name] = [plainName(pathName(withoutFields(path))), plainName(fieldName(path))];
		if (exact !== name) count(exact, part);
		// Without its position, a row has no name.
		if (typeof path.at(-1) === 'string') count(name, part, table);
		for (const [step, inner] of partsOf(part)) {
			const isEntry = typeof step === 'number';
			if (isEntry && rowOf(inner)) rowCounts.set(name, (rowCounts.get(name) ?? 0) + 1);
			visit(inner, [...path, step], isEntry ? name : table);
		}
	};
	visit(document, []);
	return new Map(
		[...counts].map(([name, { fields, filled, table = '' }]) => [
			name,
			filled === fields && fields >= (rowCounts.get(table) ?? 1),
		]),
	);
}

/** White space and characters without a glyph, such as a zero-width space. */
const INVISIBLE = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** What documents print in place of a value. */
const NO_VALUE = /^(n\/a|null|[-\u2010-\u2015\u2212]+|[.\u00b7\u2022\u2024-\u2027]+)?$/i;

/** False and 0 are values, too; a table has a value if a cell has one. */
function hasValue(tree: FieldTree): boolean {
	if (tree instanceof Field) return hasValue(tree.value);
	if (typeof tree === 'object') return partsOf(tree).some(([, part]) => hasValue(part));
	return typeof tree !== 'string' || !NO_VALUE.test(tree.replace(INVISIBLE, ''));
}

function partsOf(tree: FieldTree): Array<[string | number, FieldTree]> {
	if (Array.isArray(tree)) return [...tree.entries()];
	return isFieldObject(tree) ? Object.entries(tree) : [];
}
