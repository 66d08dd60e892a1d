/** Longer texts are not quoted: a parameter may hold a whole document by mistake. */
const MAX_CHARACTERS = 100;

/**
 * The value of a parameter as a message quotes it: on one line, without the user and the query of a link, and without
 * content.
 */
export function quoted(text: string): string {
	if (text.length > MAX_CHARACTERS) return `a text of ${text.length} characters`;
	const shown = text
		.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
		.trim()
		.replace(/^(data:).*/i, '$1…')
		.replace(/^([\w+.-]+:\/\/|\/\/)?[^\s/]*@/, '$1')
		.replace(/[?#].*/, '');
	return `"${shown}"`;
}
