import { jsonCopy } from './jsonCopy';

/** The value of a text parameter, which an expression may set to anything: blank for nothing, JSON for other types. */
export function plainText(value: unknown): string {
	const json = jsonCopy(value) ?? '';
	return typeof json === 'string' ? json : JSON.stringify(json);
}
