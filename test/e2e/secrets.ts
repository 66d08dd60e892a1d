import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { expect, expectEqual } from './checks';

/** The first bytes of a PDF, as text and as base64. */
export const BEGINNINGS = ['%PDF-', 'JVBERi0'];

/** A key as text and inside base64 text, in which it has three forms, depending on its offset. */
function formsOf(key: string): string[] {
	return [key, ...[0, 1, 2].map((before) => inBase64(key, before))];
}

/** Without the characters at both ends, which also depend on the neighboring bytes. */
function inBase64(text: string, before: number): string {
	const bits = 8 * (before + text.length);
	return Buffer.from(' '.repeat(before) + text)
		.toString('base64')
		.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
}

/** Something that n8n wrote. */
export interface Place {
	name: string;
	content: Buffer | string;
}

function isIn(words: string, places: Place[]): boolean {
	return places.some(({ content }) => content.includes(words));
}

export function expectNowhere(words: string, places: Place[]): void {
	const found = places.filter((place) => isIn(words, [place])).map(({ name }) => name);
	expectEqual(found, [], `"${words}" is in`);
}

/**
 * No key is in these places, in clear or base64.
 *
 * @param seen words that are there, which proves that the search reads a place
 */
export function expectNoKey(
	keys: string[],
	places: Place[],
	seen: Array<[string, Place[]]>,
): string {
	for (const form of keys.flatMap(formsOf)) expectNowhere(form, places);
	for (const [words, searched] of seen)
		expect(isIn(words, searched), `the search does not see "${words}" in ${searched[0]?.name}`);
	return `${keys.length} keys, in clear or base64, in none of ${listOf(places)}`;
}

/** Names and sizes. */
function listOf(places: Place[]): string {
	const sizes = places.map(
		({ name, content }) => `${name} (${Math.ceil(content.length / 1000)} KB)`,
	);
	return [...sizes.slice(0, 8), ...(sizes.length > 8 ? [`${sizes.length - 8} more`] : [])].join(
		', ',
	);
}

/** Every file below a folder, except the package itself. */
export async function filesOf(folder: string): Promise<Place[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const paths = entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => !path.includes('node_modules'));
	return await Promise.all(
		paths.map(async (path) => ({ name: relative(folder, path), content: await readFile(path) })),
	);
}
