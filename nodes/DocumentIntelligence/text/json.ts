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

/** The value of a text parameter, which an expression may set to anything: blank for nothing, JSON for other types. */
export function plainText(value: unknown): string {
	const json = jsonCopy(value) ?? '';
	return typeof json === 'string' ? json : JSON.stringify(json);
}

/** Levels of JSON beyond what any document has: saving more would end n8n's execution. */
export const MAX_JSON_DEPTH = 200;

/** Walks without recursion, which deep values would overflow. Not for circular values. */
export function isTooDeep(value: unknown): boolean {
	let level: unknown[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_JSON_DEPTH) return true;
		level = level.flatMap((entry) =>
			typeof entry === 'object' && entry !== null
				? Object.values(entry as Record<string, unknown>)
				: [],
		);
	}
	return false;
}

/** What JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/**
 * A value as n8n saves it, with objects of its own but the texts of the original: dates become texts, functions are
 * omitted, and null stands for what is nested too deeply or circular.
 */
export function jsonCopy(value: unknown, above: object[] = []): Json | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : null;
	if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
	if (typeof value !== 'object') return undefined;
	if (above.length >= MAX_JSON_DEPTH || above.includes(value)) return null;
	const within = [...above, value];
	if (hasOwnForm(value)) return jsonCopy(value.toJSON(), within);
	if (Array.isArray(value)) return value.map((entry) => jsonCopy(entry, within) ?? null);
	return Object.fromEntries(
		Object.entries(value).flatMap(([name, entry]) => {
			const copy = jsonCopy(entry, within);
			return copy === undefined ? [] : [[name, copy]];
		}),
	);
}

/** Dates, for example. */
function hasOwnForm(value: object): value is { toJSON: () => unknown } {
	return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** Numbers that a double may not hold exactly: of 16 or more digits, or with an exponent. */
const LONG_NUMBER = /-?\d[\d.]{15,}(?:[eE][+-]?\d+)?|-?\d[\d.]*[eE][+-]?\d+/g;

/**
 * JSON whose numbers keep all of their digits: one that a JavaScript number cannot hold exactly becomes a text, as
 * it is written. Whole numbers beyond 2^53 always do: account numbers are such numbers. A byte order mark in front is
 * skipped.
 *
 * @throws SyntaxError as JSON.parse does
 */
export function parseJson(text: string): unknown {
	const json = text.replace(/^\uFEFF/, '');
	// Parsed unchanged first: the quotes added below could make invalid JSON valid.
	const value: unknown = JSON.parse(json);
	if (json.search(LONG_NUMBER) < 0) return value;
	const exact = quoteInexactNumbers(json);
	return exact === json ? value : JSON.parse(exact);
}

function quoteInexactNumbers(json: string): string {
	let inString = false;
	return json
		.split('"')
		.map((piece) => {
			if (inString) {
				inString = endsInEscape(piece);
				return piece;
			}
			inString = true;
			return piece.replace(LONG_NUMBER, (number) => (isExact(number) ? number : `"${number}"`));
		})
		.join('"');
}

/** Whether the quote after this part of a string is escaped. */
function endsInEscape(piece: string): boolean {
	let end = piece.length;
	while (piece[end - 1] === '\\') end--;
	return (piece.length - end) % 2 === 1;
}

function isExact(number: string): boolean {
	const double = Number(number);
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(double);
	if (!Number.isFinite(double)) return false;
	const shown = String(double);
	return shown === number || normalize(shown) === normalize(number);
}

/** The same text for every way to write a decimal: its digits without zeros around them, and the power of ten behind them. */
function normalize(decimal: string): string {
	const [, sign = '', whole = '', fraction = '', power = '0'] = DECIMAL.exec(decimal) ?? [];
	const digits = whole + fraction;
	let [begin, end] = [0, digits.length];
	while (digits[begin] === '0') begin++;
	if (begin === end) return '0';
	while (digits[end - 1] === '0') end--;
	const shift = Number(power) - fraction.length + digits.length - end;
	return `${sign}${digits.slice(begin, end)}e${shift}`;
}

const DECIMAL = /^(-?)(\d+)\.?(\d*)(?:[eE](.+))?$/;
