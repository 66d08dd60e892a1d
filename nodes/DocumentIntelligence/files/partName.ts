/** The longest name that is made, in bytes: file systems store 255, and a number may follow. */
const MAX_NAME_BYTES = 200;

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

/** A piece of a name, without characters that a name may not begin or end with. */
function safe(text: string, maxBytes: number): string {
	const plain = text.normalize('NFC').replace(UNSAFE, '_').replace(/\s+/g, ' ');
	let cut = '';
	let room = maxBytes;
	for (const character of plain) {
		room -= Buffer.byteLength(character);
		if (room < 0) break;
		cut += character;
	}
	return cut.replace(/^[\s.~-]+|[\s.-]+$/g, '');
}

/** Names of files that may end up in one folder, where many file systems ignore case. */
export class DistinctNames {
	readonly #taken = new Set<string>();

	/** The name, or where it is taken the next of `name (2).pdf`, `name (3).pdf` … that is not. */
	take(name: string): string {
		let free = name;
		for (let number = 2; this.#taken.has(folded(free)); number++) {
			free = name.replace(/(\.[^.]*)?$/, ` (${number})$1`);
		}
		this.#taken.add(folded(free));
		return free;
	}
}

function folded(name: string): string {
	return name.normalize('NFC').toUpperCase().toLowerCase();
}
