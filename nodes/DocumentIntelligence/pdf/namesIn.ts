const SLASH = 0x2f;
const NUMBER_SIGN = 0x23;

/** What ends a name: white space and delimiters (ISO 32000-1, 7.2.2). */
const ENDS_NAME = new Set([0, 9, 10, 12, 13, 32, ...Buffer.from('()<>[]{}/%')]);

/**
 * Adds every name in a content stream to `names`, one Latin-1 character for each byte, without the slash. Names inside
 * texts and images are added as well: a resource too many costs bytes, one too few a blank page.
 */
export function addNamesIn(content: Uint8Array, names: Set<string>): void {
	for (let at = content.indexOf(SLASH); at >= 0; at = content.indexOf(SLASH, at)) {
		let name = '';
		let byte = content[++at];
		while (byte !== undefined && !ENDS_NAME.has(byte)) {
			const escaped = byte === NUMBER_SIGN ? hexByte(content[at + 1], content[at + 2]) : undefined;
			name += String.fromCharCode(escaped ?? byte);
			at += escaped === undefined ? 1 : 3;
			byte = content[at];
		}
		names.add(name);
	}
}

/** The byte that two hexadecimal digits stand for. */
function hexByte(high: number | undefined, low: number | undefined): number | undefined {
	if (high === undefined || low === undefined) return undefined;
	const digits = String.fromCharCode(high, low);
	return /^[0-9a-f]{2}$/i.test(digits) ? parseInt(digits, 16) : undefined;
}
