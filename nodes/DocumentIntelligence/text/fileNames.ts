/** A name without what services change: its folder, accents, encoded letters, case and extension. */
export function plainFileName(name: string): string {
	const base = name.split(/[/\\]/).at(-1) ?? '';
	return decoded(base)
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
