import { typeOfName, type FileType } from './fileTypes';

/** The limit of common file systems. */
const MAX_FILE_NAME_BYTES = 255;

/** Leaves room for the extension and the number of a duplicate. */
const MAX_STEM_BYTES = 200;

/** Leaves room for the document type, which tells the parts of a bundle apart. */
const MAX_SOURCE_BYTES = 120;

/** Rejected by some file system, invisible, or changing direction; joiners are part of letters. */
const UNSAFE = /(?![\u200C\u200D])[<>:"/\\|?*\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** No longer than file systems allow, with its extension. */
export function uploadNameOf(name: string): string {
	const [stem, extension] = splitName(name);
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

/** File names that stay different, even for whoever changes them. */
export class DistinctNames {
	readonly #numbers = new Map<string, number>();

	/** @param changed a name as others may write it; by default, as file systems do that ignore case */
	constructor(private readonly changed: (name: string) => string = folded) {}

	/** Returns the name, or if it is taken, the next free `name (2).pdf`. */
	take(name: string): string {
		const [stem, extension] = splitName(name);
		let free = name;
		let number = this.#numbers.get(this.changed(name)) ?? 1;
		while (this.#numbers.has(this.changed(free))) {
			number += 1;
			free = `${stem} (${number})${extension}`;
		}
		this.#numbers.set(this.changed(free), 1);
		this.#numbers.set(this.changed(name), number);
		return free;
	}
}

function folded(name: string): string {
	return name.normalize('NFC').toUpperCase().toLowerCase();
}

/** As Cogneris writes a name, apart from case and the number of underscores (docs/internals/service-contract.md, stored files). */
export function asCognerisWrites(name: string): string {
	// A form sends quotation marks as %22.
	return name
		.replaceAll('"', '%22')
		.replace(/[^A-Za-z0-9.-]+/g, '_')
		.toLowerCase();
}

/** With the extension of a type that is known, in place of that of another type. */
export function nameOfType(name: string, type: FileType | undefined): string {
	const named = typeOfName(name);
	if (type === undefined || named === type) return name;
	const stem = named === undefined ? name : splitName(name)[0];
	return `${stem}.${type.extensions[0]}`;
}

/** Of a header: its name, and its value in quotes or without. */
const PARAMETER = /(?:^|;)\s*([\w*-]+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^;]*))/g;

/** The encoded form takes precedence, since it may hold any letter. */
export function fileNameIn(disposition: string): string | undefined {
	const parameters = new Map<string, string>();
	for (const [, name = '', inQuotes, plain = ''] of disposition.matchAll(PARAMETER)) {
		const value = inQuotes?.replace(/\\(["\\])/g, '$1') ?? plain.replaceAll('"', '').trim();
		parameters.set(name.toLowerCase(), value);
	}
	const { filename = '', 'filename*': encoded = '' } = Object.fromEntries(parameters);
	const [, charset, text = encoded] = /^([^']*)'[^']*'(.*)$/.exec(encoded) ?? [];
	const bytes = text.replace(/%([\da-f]{2})/gi, (_, hex) =>
		String.fromCharCode(Number(`0x${hex}`)),
	);
	return inCharset(bytes, charset) || inCharset(filename) || undefined;
}

/** @param bytes one character per byte, as Node.js reads headers; returned as they are if they are in no charset */
function inCharset(bytes: string, charset = ''): string {
	try {
		const decoder = new TextDecoder(charset || 'utf-8', { fatal: true });
		return /^[\0-\xFF]*$/.test(bytes) ? decoder.decode(Buffer.from(bytes, 'latin1')) : bytes;
	} catch {
		return bytes;
	}
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
