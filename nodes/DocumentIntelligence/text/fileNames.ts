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
