import { jsonCopy } from './jsonCopy';

/** What an expression gave where a text was asked for: nothing is blank, and what is no text its JSON. */
export function plainText(value: unknown): string {
	const json = jsonCopy(value) ?? '';
	return typeof json === 'string' ? json : JSON.stringify(json);
}
