import { MAX_JSON_DEPTH } from './jsonDepth';

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
