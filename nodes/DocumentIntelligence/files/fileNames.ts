/** What file systems store of a name, in bytes. */
const MAX_FILE_NAME_BYTES = 255;

/** The longest name that is made, in bytes, before its extension and a number. */
const MAX_STEM_BYTES = 200;

/** Of the bundle in the name of a part: leaves room for the type, which tells the parts apart. */
const MAX_SOURCE_BYTES = 120;

/** Characters that some file system rejects, and invisible or direction-changing ones; joiners belong to letters. */
const UNSAFE = /(?![\u200C\u200D])[<>:"/\\|?*\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** @param missingExtension of its type, if the name has none that Cogneris supports */
export function uploadNameOf(name: string, missingExtension: string | undefined): string {
	const [stem, extension] =
		missingExtension === undefined ? splitName(name) : [name, `.${missingExtension}`];
	return cutToBytes(stem, MAX_FILE_NAME_BYTES - Buffer.byteLength(extension)) + extension;
}

/** For example `bundle-1-invoice.pdf`, safe on every file system. Numbers start at 1. */
export function partName(
	fileName: string,
	number: number,
	documentType: string | null,
	extension = 'pdf',
): string {
	const source = safe(splitName(fileName)[0], MAX_SOURCE_BYTES) || 'document';
	const type = safe(documentType ?? '', MAX_STEM_BYTES);
	return safeName(`${source}-${number}${type === '' ? '' : `-${type}`}.${extension}`);
}

/** The name of a file that passes through, safe on every file system; letters of every language stay. */
export function safeName(fileName: string): string {
	const [stem, extension] = splitName(fileName);
	return `${safe(stem, MAX_STEM_BYTES) || 'document'}${extension.replace(UNSAFE, '_')}`;
}

/** A piece of a name, without characters that a name may not begin or end with. */
function safe(text: string, maxBytes: number): string {
	const plain = text.normalize('NFC').replace(UNSAFE, '_').replace(/\s+/g, ' ');
	return cutToBytes(plain, maxBytes).replace(/^[\s.~-]+|[\s.-]+$/g, '');
}

/** Names of files that may end up in one folder, where many file systems ignore case. */
export class DistinctNames {
	readonly #numbers = new Map<string, number>();

	/** The name, or if it is taken, the next free one of `name (2).pdf`, `name (3).pdf` … */
	take(name: string): string {
		const [stem, extension] = splitName(name);
		let free = name;
		let number = this.#numbers.get(folded(name)) ?? 1;
		while (this.#numbers.has(folded(free))) {
			number += 1;
			free = `${stem} (${number})${extension}`;
		}
		this.#numbers.set(folded(free), 1);
		this.#numbers.set(folded(name), number);
		return free;
	}
}

function folded(name: string): string {
	return name.normalize('NFC').toUpperCase().toLowerCase();
}

/** A name without what services change: its folder, accents, encoded letters, case and extension. */
export function plainFileName(name: string): string {
	const letters = decoded(lastPart(name)).normalize('NFD').replace(/\p{M}/gu, '');
	return splitName(letters.toLowerCase())[0];
}

/** The file name in a Content-Disposition header; the encoded form, which may hold any letter, takes precedence. */
export function fileNameIn(disposition: string): string | undefined {
	const encoded = /filename\*=(?:utf-8)?'[^']*'([^;]+)/i.exec(disposition)?.[1];
	const [, inQuotes, plain] = /filename=(?:"([^"]+)"|([^;"]+))/i.exec(disposition) ?? [];
	return encoded === undefined ? (inQuotes ?? plain?.trim()) : decoded(encoded.trim());
}

export function lastPart(path: string): string {
	return path.split(/[/\\]/).at(-1) ?? '';
}

/** Text of a URL with its encoded letters decoded; as it is if it is badly encoded. */
export function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** The name before its extension, and the extension with its dot. More than ten characters are none. */
function splitName(name: string): [stem: string, extension: string] {
	const [extension = ''] = /\.[^.\s]{1,10}$/u.exec(name) ?? [];
	return [name.slice(0, name.length - extension.length), extension];
}

function cutToBytes(text: string, maxBytes: number): string {
	// What may go on in the next piece of a stream, half a character, is not decoded.
	return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}
