import type { IDataObject } from 'n8n-workflow';

import { isObject, listOf } from '../text/json';
import type { Path } from './paths';

export class Field {
	constructor(
		readonly value: FieldTree,
		/** `confidence` (0 to 100), `page` (from 1), `boundingBox` (`[x0, y0, x1, y1]`, fractions of the page), and others. */
		readonly details: IDataObject,
	) {}
}

/** A value that has no parts. */
export type Scalar = string | number | boolean | null;

/** Metadata in which fields are recognized and tables are arrays. Everything else is unchanged. */
export type FieldTree = Field | FieldTree[] | FieldObject | Scalar;

export interface FieldObject {
	[name: string]: FieldTree;
}

/**
 * Reads metadata of any shape: plain values and field objects, mixed, at any depth, with `fields` or without. The
 * outermost object is the document, even if it has the form of a field or a table.
 */
export function readMetadata(metadata: object): FieldObject {
	return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, read(value)]));
}

function read(value: unknown): FieldTree {
	if (Array.isArray(value)) return value.map(read);
	if (!isObject(value)) return scalarOf(value);
	// Reads inner values first, because what they are decides what the outer value is.
	const entries = readMetadata(value);
	const parts = new Map(Object.entries(entries).map(([name, part]) => [name.toLowerCase(), part]));
	const { items, ...remaining } = Object.fromEntries(parts);
	if (!isTable(items) || 'value' in remaining) return fieldIn(Object.fromEntries(parts)) ?? entries;
	if (Object.keys(remaining).length === 0) return items;
	return fieldIn({ ...remaining, value: items }) ?? entries;
}

/**
 * A field is a value with a confidence, or with nothing but its place. The value of a table is its rows.
 * @param parts with names in lower case
 * @returns undefined for anything else
 */
function fieldIn(parts: FieldObject): Field | undefined {
	const { value, confidence, page = null, bbox = null, ...remaining } = parts;
	const isAlone = Object.keys(remaining).every((name) => name === 'bbox_confidence');
	if (value === undefined || (confidence === undefined && !isAlone)) return undefined;
	const details = valuesOf({ confidence: confidence ?? null, page, boundingBox: bbox });
	return new Field(value, withAdditions(details, valuesOf(remaining)));
}

function scalarOf(value: unknown): Scalar {
	return ['string', 'number', 'boolean'].includes(typeof value) ? (value as Scalar) : null;
}

/** An array of which every entry is a row, or null if the service has none. */
export function isTable(tree: FieldTree | undefined): tree is FieldTree[] {
	return (
		Array.isArray(tree) &&
		tree.every((entry) => rowOf(entry) !== undefined || valuesOf(entry) === null)
	);
}

/** The row that an entry of a table is, even if the service returned the whole row as a field. */
export function rowOf(entry: FieldTree): FieldObject | undefined {
	if (entry instanceof Field) return rowOf(entry.value);
	return isFieldObject(entry) ? entry : undefined;
}

export function isFieldObject(tree: FieldTree): tree is FieldObject {
	return (
		typeof tree === 'object' && tree !== null && !Array.isArray(tree) && !(tree instanceof Field)
	);
}

export function valuesOf(tree: FieldObject, withDetails?: boolean): IDataObject;
export function valuesOf(tree: FieldTree, withDetails?: boolean): unknown;
/** Fields are reduced to their values or, with details, have confidence, page and bounding box next to them. */
export function valuesOf(tree: FieldTree, withDetails = false): unknown {
	if (Array.isArray(tree)) return tree.map((entry) => valuesOf(entry, withDetails));
	if (tree instanceof Field) {
		const value = valuesOf(tree.value, withDetails);
		return withDetails ? { value, ...tree.details } : value;
	}
	if (!isFieldObject(tree)) return tree;
	return Object.fromEntries(
		Object.entries(tree).map(([name, entry]) => [name, valuesOf(entry, withDetails)]),
	);
}

/** Data of the service as the JSON of an item, which has to be an object: anything else stands under its own name. */
export function itemJson(data: unknown): IDataObject {
	if (isObject(data)) return data;
	return { data: Array.isArray(data) ? listOf(data) : scalarOf(data) };
}

/** Adds entries. If a name is taken, the added entry gets a trailing underscore. Undefined values are skipped. */
export function withAdditions(
	templateFields: IDataObject,
	additions: Record<string, unknown>,
): IDataObject {
	const result = new Map(Object.entries(templateFields));
	for (const [name, value] of Object.entries(additions)) {
		if (value !== undefined) result.set(freeName(name, result), value);
	}
	// Unlike an assignment, it takes `__proto__` for a name like any other.
	return Object.fromEntries(result);
}

export function freeName(name: string, inUse: { has: (name: string) => boolean }): string {
	let free = name;
	while (inUse.has(free)) free += '_';
	return free;
}

/** White space and characters without a glyph, such as a zero-width space. */
const INVISIBLE = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** What documents print in place of a value. */
const NO_VALUE =
	/^(n\/a|n\.a\.|k\.a\.|none|null|[-\u2010-\u2015\u2212]+|_+|[.\u00b7\u2022\u2024-\u2027]+)?$/i;

/** False and 0 are values, too; a table has a value if a cell has one. */
export function hasValue(tree: FieldTree): boolean {
	if (tree instanceof Field) return hasValue(tree.value);
	if (typeof tree === 'object') return partsOf(tree).some(([, part]) => hasValue(part));
	return typeof tree !== 'string' || !NO_VALUE.test(tree.replace(INVISIBLE, ''));
}

interface Part {
	path: Path;
	part: Exclude<FieldTree, Field>;
}

/** A value and everything in it, the outer before the inner. Of a field, it is the value. */
export function partsIn(tree: FieldTree, path: Path = [], parts: Part[] = []): Part[] {
	const part = plainPart(tree);
	parts.push({ path, part });
	for (const [step, inner] of partsOf(part)) partsIn(inner, [...path, step], parts);
	return parts;
}

interface LocatedScalar {
	path: Path;
	value: Scalar;
}

/** The values in it that have no parts, in the order of the document. */
export function scalarsIn(
	tree: FieldTree,
	path: Path = [],
	found: LocatedScalar[] = [],
): LocatedScalar[] {
	const part = plainPart(tree);
	if (Array.isArray(part) || isFieldObject(part))
		for (const [step, inner] of partsOf(part)) scalarsIn(inner, [...path, step], found);
	else found.push({ path, value: part });
	return found;
}

function plainPart(tree: FieldTree): Exclude<FieldTree, Field> {
	return tree instanceof Field ? plainPart(tree.value) : tree;
}

export function partsOf(tree: FieldTree): Array<[string | number, FieldTree]> {
	if (Array.isArray(tree)) return [...tree.entries()];
	return isFieldObject(tree) ? Object.entries(tree) : [];
}

/** The same tree with other values, in the order of `scalarsIn`. */
export function withScalars(tree: FieldTree, values: Iterator<Scalar, unknown>): FieldTree {
	if (Array.isArray(tree)) return tree.map((entry) => withScalars(entry, values));
	if (tree instanceof Field) return new Field(withScalars(tree.value, values), tree.details);
	if (!isFieldObject(tree)) return values.next().value as Scalar;
	return Object.fromEntries(
		Object.entries(tree).map(([name, part]) => [name, withScalars(part, values)]),
	);
}
