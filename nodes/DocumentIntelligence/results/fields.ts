import type { IDataObject } from 'n8n-workflow';

import { isObject, listOf } from '../text/json';

export class Field {
	constructor(
		readonly value: FieldTree,
		/** `confidence` (0 to 100), `page` (from 1), `boundingBox` (`[x0, y0, x1, y1]`, fractions of the page), and others. */
		readonly details: IDataObject,
	) {}
}

/** Metadata with its fields recognised and its tables as arrays; whatever else a template holds is as it came. */
export type FieldTree = Field | FieldTree[] | FieldObject | string | number | boolean | null;

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
	// Inside out, so that what an inner field or table turns out to be is judged as well.
	const entries = readMetadata(value);
	const [[name, entry] = ['', null], ...others] = Object.entries(entries);
	if (others.length === 0 && name.toLowerCase() === 'items' && isTable(entry)) return entry;
	return fieldIn(entries) ?? entries;
}

/** A field has a value and a confidence, in any letters, or a value and nothing but its place. */
function fieldIn(entries: FieldObject): Field | undefined {
	const parts = new Map(Object.entries(entries).map(([name, part]) => [name.toLowerCase(), part]));
	const { value, confidence, page = null, bbox = null, ...others } = Object.fromEntries(parts);
	delete others.bbox_confidence;
	const isAlone = Object.keys(others).length === 0;
	if (value === undefined || (confidence === undefined && !isAlone)) return undefined;
	const own = valuesOf({ confidence: confidence ?? null, page, boundingBox: bbox });
	return new Field(value, beside(own, valuesOf(others)));
}

function scalarOf(value: unknown): string | number | boolean | null {
	const isScalar = ['string', 'number', 'boolean'].includes(typeof value);
	return isScalar ? (value as string | number | boolean) : null;
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

/** If both use a name, the template keeps it and the addition gets a trailing underscore. Undefined is skipped. */
export function beside(own: IDataObject, additions: Record<string, unknown>): IDataObject {
	const result = new Map(Object.entries(own));
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
