import type { IDataObject } from 'n8n-workflow';

/** Values of parsed JSON as the types that are meant. What is of another type becomes null, or empty. */

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or one without keys. */
export function objectOf(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

/** The entries of a list, or none. */
export function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The entries of a list that are objects. */
export function objectsOf(value: unknown): IDataObject[] {
	return listOf(value).filter(isObject);
}

/** A text; a number as the text of its digits, since ids may be either. */
export function textOf(value: unknown): string | null {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' ? value : null;
}

const NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?\s*%?$/i;

/** A finite number, also from a text such as `87`, `87.5 %` or `87,5`. */
export function numberOf(value: unknown): number | null {
	if (typeof value === 'string') {
		const text = value.trim();
		return NUMBER.test(text) ? numberOf(Number.parseFloat(text.replace(',', '.'))) : null;
	}
	return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** True or false, also from the texts `true` and `false`. */
export function booleanOf(value: unknown): boolean | null {
	const plain = typeof value === 'string' ? value.trim().toLowerCase() : value;
	if (plain === true || plain === 'true') return true;
	return plain === false || plain === 'false' ? false : null;
}
