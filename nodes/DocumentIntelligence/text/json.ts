import type { IDataObject, JsonValue } from 'n8n-workflow';

/** Reads values of parsed JSON as the expected type; other types become null or empty. */

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

/** Whether there is nothing in it; 0 and false are something. */
export function isEmpty(value: unknown): boolean {
	if (value === null || value === undefined || value === '') return true;
	return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Whether an object has something under other names than these. */
export function hasOthers(data: unknown, names: string[]): boolean {
	return Object.entries(objectOf(data)).some(
		([name, value]) => !names.includes(name) && !isEmpty(value),
	);
}

export function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? (value as unknown[]) : [];
}

export function objectsOf(value: unknown): IDataObject[] {
	return listOf(value).filter(isObject);
}

/** IDs may be numbers, which become text. */
export function textOf(value: unknown): string | null {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' ? value : null;
}

const NUMBER = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?\s*%?$/i;

/** Also reads text such as `87`, `87.5 %` or `87,5`; null unless the number is finite. */
export function numberOf(value: unknown): number | null {
	if (typeof value === 'string') {
		const text = value.trim();
		return NUMBER.test(text) ? numberOf(Number.parseFloat(text.replace(',', '.'))) : null;
	}
	return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function booleanOf(value: unknown): boolean | null {
	const plain = typeof value === 'string' ? value.trim().toLowerCase() : value;
	if (plain === true || plain === 'true') return true;
	return plain === false || plain === 'false' ? false : null;
}

/** No document is nested deeper, and very deep JSON ends the execution when n8n saves it. */
export const MAX_JSON_DEPTH = 200;

function isTooDeep(value: unknown, depth = 0): boolean {
	if (depth > MAX_JSON_DEPTH) return true;
	if (typeof value !== 'object' || value === null) return false;
	return Object.values(value).some((entry) => isTooDeep(entry, depth + 1));
}

/** A value as n8n saves it, in objects of its own; null for what it cannot save: a function, a circle, or too deep. */
export function jsonCopy(value: unknown): JsonValue {
	try {
		const copy = JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue;
		return isTooDeep(copy) ? null : copy;
	} catch {
		return null;
	}
}

/** An expression may set text to anything: nothing becomes empty, other types become JSON. */
export function plainText(value: unknown): string {
	const json = jsonCopy(value) ?? '';
	return typeof json === 'string' ? json : JSON.stringify(json);
}

/** Numbers that a double may not hold exactly: of 16 or more digits, or with an exponent. */
const LONG_NUMBER = /-?\d[\d.]{15,}(?:[eE][+-]?\d+)?|-?\d[\d.]*[eE][+-]?\d+/;

/** Quotes and escapes show whether a number is in a string. */
const TOKEN = new RegExp(`\\\\.|"|${LONG_NUMBER.source}`, 'g');

/** Escapes of JSON; those of control characters, and these as they are, are in the group. */
const CONTROLS = /(\\u00(?:0[0-8bcef]|1[\da-f]|7f|[89][\da-f])|\\[bf]|[\x7F-\x9F])|\\[^]/gi;

/**
 * Numbers that JavaScript cannot hold exactly, such as account numbers, become text as written. Control characters are
 * removed from names and values, except tabs and line breaks: databases refuse them.
 * @throws SyntaxError as `JSON.parse` does, and for JSON that is nested too deeply
 */
export function parseJson(text: string): unknown {
	const source = text.replace(/^\uFEFF/, '');
	// Parsed unchanged first, since the changes below could make invalid JSON valid.
	const unchanged: unknown = JSON.parse(source);
	if (isTooDeep(unchanged)) throw new SyntaxError('Nested too deeply');
	const json = source.replace(CONTROLS, (token, control?: string) => (control ? '' : token));
	const value: unknown = json === source ? unchanged : JSON.parse(json);
	if (!LONG_NUMBER.test(json)) return value;
	let inString = false;
	const exact = json.replace(TOKEN, (token) => {
		if (token === '"') inString = !inString;
		return inString || /^["\\]/.test(token) || isExact(token) ? token : `"${token}"`;
	});
	return exact === json ? value : JSON.parse(exact);
}

/** A double keeps 15 significant digits, unless it is next to zero or infinite. */
function isExact(number: string): boolean {
	const double = Number(number);
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(double);
	const [digits = ''] = number.replace(/^[-0.]+|\./g, '').split(/e/i);
	if (String(double) === number || digits === '') return true;
	const size = Math.abs(double);
	return size > 1e-300 && size < Infinity && !/[1-9]/.test(digits.slice(15));
}
