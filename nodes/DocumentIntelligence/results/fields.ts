import type { IDataObject } from 'n8n-workflow';

import { isObject, listOf } from '../text/json';
import { freeName } from './freeName';

/** Keys of the service's form of a field (docs/service-contract.md, Extract). An object with others is data. */
const FIELD_KEYS = new Set(['value', 'confidence', 'page', 'bbox', 'bbox_confidence']);

/** A field has a value and a confidence; an object with nothing but a value counts as a field as well. */
function isField(names: string[]): boolean {
	return (
		names.includes('value') &&
		(names.length === 1 || names.includes('confidence')) &&
		names.every((name) => FIELD_KEYS.has(name))
	);
}

/** A number, also as text. A column of a table may be called confidence too, and hold something else. */
function isConfidence(tree: FieldTree | undefined): boolean {
	if (typeof tree === 'string') return /^\s*\d+([.,]\d+)?\s*%?\s*$/.test(tree);
	return tree === undefined || tree === null || typeof tree === 'number';
}

/** A value as the service read it from a page. */
export class Field {
	constructor(
		readonly value: FieldTree,
		/** 0 to 100. */
		readonly confidence: unknown,
		/** Counted from 1. */
		readonly page: unknown,
		/** `[x0, y0, x1, y1]` as fractions of the page. */
		readonly boundingBox: unknown,
	) {}
}

/** Metadata with its fields recognised and its tables as arrays; whatever else a template holds is as it came. */
export type FieldTree = Field | FieldTree[] | FieldObject | string | number | boolean | null;

export interface FieldObject {
	[name: string]: FieldTree;
}

/** Reads metadata of any shape: plain values and field objects, mixed, at any depth, with `fields` or without. */
export function readMetadata(metadata: object): FieldObject {
	// The outermost object is the document, even where it looks like a field or a table.
	return readEntries(metadata);
}

function read(value: unknown): FieldTree {
	if (Array.isArray(value)) return value.map(read);
	if (!isObject(value)) return scalarOf(value);
	// Inside out, so that what an inner field or table turns out to be is judged as well.
	const entries = readEntries(value);
	const names = Object.keys(value);
	if (isField(names) && isConfidence(entries.confidence)) {
		const [confidence, page, boundingBox] = [entries.confidence, entries.page, entries.bbox].map(
			(part) => (part === undefined ? null : valuesOf(part)),
		);
		return new Field(entries.value ?? null, confidence, page, boundingBox);
	}
	if (names.length === 1 && isTable(entries.items)) return entries.items;
	return entries;
}

function scalarOf(value: unknown): string | number | boolean | null {
	return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
		? value
		: null;
}

function readEntries(object: object): FieldObject {
	return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, read(value)]));
}

/** An array of which every entry is a row, or null where the service has none. */
export function isTable(tree: FieldTree | undefined): tree is FieldTree[] {
	return (
		Array.isArray(tree) &&
		tree.every((entry) => rowOf(entry) !== undefined || valuesOf(entry) === null)
	);
}

/** The row that an entry of a table is, also where the service gave the whole row as a field. */
export function rowOf(entry: FieldTree): FieldObject | undefined {
	if (entry instanceof Field) return rowOf(entry.value);
	return isFieldObject(entry) ? entry : undefined;
}

export function isFieldObject(tree: FieldTree): tree is FieldObject {
	return (
		typeof tree === 'object' && tree !== null && !Array.isArray(tree) && !(tree instanceof Field)
	);
}

export function valuesOf(tree: FieldObject, details?: boolean): IDataObject;
export function valuesOf(tree: FieldTree, details?: boolean): unknown;
/**
 * The tree as JSON: fields reduced to their values.
 *
 * @param details with confidence, page and bounding box beside each value
 */
export function valuesOf(tree: FieldTree, details = false): unknown {
	if (Array.isArray(tree)) return tree.map((entry) => valuesOf(entry, details));
	if (tree instanceof Field) {
		const value = valuesOf(tree.value, details);
		const { confidence, page, boundingBox } = tree;
		return details ? { value, confidence, page, boundingBox } : value;
	}
	if (!isFieldObject(tree)) return tree;
	return Object.fromEntries(
		Object.entries(tree).map(([name, entry]) => [name, valuesOf(entry, details)]),
	);
}

/** Data of the service as the JSON of an item, which has to be an object: anything else stands under its own name. */
export function itemJson(data: unknown): IDataObject {
	if (isObject(data)) return data;
	return { data: Array.isArray(data) ? listOf(data) : scalarOf(data) };
}

/**
 * Puts what the service adds beside what a template holds. Where both use a name the template keeps it,
 * and the addition gets a trailing underscore. Additions that are undefined are skipped.
 */
export function beside(own: IDataObject, additions: Record<string, unknown>): IDataObject {
	const result = new Map(Object.entries(own));
	for (const [name, value] of Object.entries(additions)) {
		if (value !== undefined)
			result.set(
				freeName(name, (other) => result.has(other)),
				value,
			);
	}
	// Unlike an assignment, it takes a name of the language for one like any other.
	return Object.fromEntries(result);
}
