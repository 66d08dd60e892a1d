/** The limit of common file systems. */
const MAX_FILE_NAME_BYTES = 255;

/** Leaves room for the extension and the number of a duplicate. */
const MAX_STEM_BYTES = 200;

/** Leaves room for the document type, which tells the parts of a bundle apart. */
const MAX_SOURCE_BYTES = 120;

/** Rejected by some file system, invisible, or changing direction; joiners are part of letters. */
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
	number: number | string,
	documentType: string | null,
	extension = 'pdf',
): string {
	const source = safe(splitName(fileName)[0], MAX_SOURCE_BYTES) || 'document';
	const type = safe(documentType ?? '', MAX_STEM_BYTES);
	return safeName(`${source}-${number}${type === '' ? '' : `-${type}`}.${extension}`);
}

/** Safe on every file system; letters of every language are kept. */
export function safeName(fileName: string): string {
	const [stem, extension] = splitName(fileName);
	return `${safe(stem, MAX_STEM_BYTES) || 'document'}${extension.replace(UNSAFE, '_')}`;
}

/** Also trims the characters that a name may not start or end with. */
function safe(text: string, maxBytes: number): string {
	const plain = text.normalize('NFC').replace(UNSAFE, '_').replace(/\s+/g, ' ');
	return cutToBytes(plain, maxBytes).replace(/^[\s.~-]+|[\s.-]+$/g, '');
}

/** File names for one folder, where many file systems ignore case. */
export class DistinctNames {
	readonly #numbers = new Map<string, number>();

	/** Returns the name, or if it is taken, the next free `name (2).pdf`. */
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

/** Removes what services change in a name: folder, accents, URL encoding, case and extension. */
export function plainFileName(name: string): string {
	const letters = decoded(lastPart(name)).normalize('NFD').replace(/\p{M}/gu, '');
	return splitName(letters.toLowerCase())[0];
}

/** The encoded form takes precedence, since it may hold any letter. */
export function fileNameIn(disposition: string): string | undefined {
	const encoded = /filename\*=(?:utf-8)?'[^']*'([^;]+)/i.exec(disposition)?.[1];
	const [, inQuotes, plain] = /filename=(?:"([^"]+)"|([^;"]+))/i.exec(disposition) ?? [];
	return encoded === undefined ? (inQuotes ?? plain?.trim()) : decoded(encoded.trim());
}

export function lastPart(path: string): string {
	return path.split(/[/\\]/).at(-1) ?? '';
}

/** Returns badly encoded text as it is. */
export function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** The extension includes its dot; more than ten characters are not an extension. */
function splitName(name: string): [stem: string, extension: string] {
	const [extension = ''] = /\.[^.\s]{1,10}$/u.exec(name) ?? [];
	return [name.slice(0, name.length - extension.length), extension];
}

function cutToBytes(text: string, maxBytes: number): string {
	// In stream mode, the decoder holds back a character that is cut in half.
	return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}
