/** What file systems store of a name, in bytes. */
export const MAX_FILE_NAME_BYTES = 255;

/** As much of a text as fits, between characters. */
export function cutToBytes(text: string, maxBytes: number): string {
	let start = '';
	let room = maxBytes;
	for (const character of text) {
		room -= Buffer.byteLength(character);
		if (room < 0) break;
		start += character;
	}
	return start;
}

/** A name without what services change: its folder, accents, encoded letters, case and extension. */
export function plainFileName(name: string): string {
	return decoded(name.replace(/^.*[/\\]/s, ''))
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/\.[^.]*$/, '');
}

function decoded(name: string): string {
	try {
		return decodeURIComponent(name);
	} catch {
		return name;
	}
}

/** Of a number that follows, for example ` (12345678)`. */
const NUMBER_BYTES = 12;

/** The longest name that is made, in bytes: a number and an extension may follow. */
const MAX_NAME_BYTES = 200;

const MAX_EXTENSION_BYTES = 20;

/** Leaves room for the type, which tells the parts of a file apart. */
const MAX_STEM_BYTES = 120;

/** Characters that some file system rejects, and invisible or direction-changing ones; joiners belong to letters. */
const UNSAFE = /(?![\u200C\u200D])[<>:"/\\|?*\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Device names, which Windows reserves also before the first dot of a name. */
const DEVICE = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)\s*(\.|$)/i;

/**
 * `bundle.pdf`, its first document, an invoice: `bundle-1-invoice.pdf`. Safe on every file system; letters of every
 * language stay.
 *
 * @param number of the document in the file, from 1
 */
export function partName(fileName: string, number: number, documentType: string | null): string {
	const stem = safe(fileName.replace(/\.[^.]+$/, ''), MAX_STEM_BYTES) || 'document';
	const type = safe(documentType ?? '', MAX_NAME_BYTES - MAX_STEM_BYTES - 20);
	const name = `${stem}-${number}${type === '' ? '' : `-${type}`}.pdf`;
	return DEVICE.test(name) ? `_${name}` : name;
}

/**
 * The name of a file that passes through, safe on every file system.
 *
 * @param fileName with its extension
 */
export function safeName(fileName: string): string {
	const extension = extensionOf(fileName);
	const stem = safe(stemOf(fileName), MAX_NAME_BYTES) || 'document';
	const type = safe(extension, MAX_EXTENSION_BYTES);
	const name = `${stem}${type === '' ? '' : `.${type}`}`;
	return DEVICE.test(name) ? `_${name}` : name;
}

function stemOf(fileName: string): string {
	return fileName.slice(0, fileName.length - extensionOf(fileName).length);
}

function extensionOf(fileName: string): string {
	return /\.[^.]*$/.exec(fileName)?.[0] ?? '';
}

/** A piece of a name, without characters that a name may not begin or end with. */
function safe(text: string, maxBytes: number): string {
	const plain = text.normalize('NFC').replace(UNSAFE, '_').replace(/\s+/g, ' ');
	return cutToBytes(plain, maxBytes).replace(/^[\s.~-]+|[\s.-]+$/g, '');
}

/** Names of files that may end up in one folder, where many file systems ignore case. */
export class DistinctNames {
	readonly #taken = new Set<string>();
	/** The last number of each name. */
	readonly #numbers = new Map<string, number>();

	/** The name, or where it is taken the next of `name (2).pdf`, `name (3).pdf` … that is not. */
	take(name: string): string {
		const extension = extensionOf(name);
		// Names that are alike once they are cut count together.
		const stem = cutToBytes(
			stemOf(name),
			MAX_FILE_NAME_BYTES - Buffer.byteLength(extension) - NUMBER_BYTES,
		);
		const series = folded(`${stem}${extension}`);
		let free = name;
		let number = this.#numbers.get(series) ?? 1;
		while (this.#taken.has(folded(free))) {
			number += 1;
			free = `${stem} (${number})${extension}`;
		}
		this.#numbers.set(series, number);
		this.#taken.add(folded(free));
		return free;
	}
}

function folded(name: string): string {
	return name.normalize('NFC').toUpperCase().toLowerCase();
}
