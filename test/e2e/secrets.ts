/** How a PDF begins, in clear and in base64. */
export const BEGINNINGS = ['%PDF-', 'JVBERi0'];

/** A key in clear and inside any base64 text, where it looks different for each of three places to begin at. */
export function formsOf(key: string): string[] {
	return [key, ...[0, 1, 2].map((before) => inBase64(key, before))];
}

/** Without the characters at either end that also depend on what stands beside it. */
function inBase64(text: string, before: number): string {
	const bits = 8 * (before + text.length);
	return Buffer.from(' '.repeat(before) + text)
		.toString('base64')
		.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
}
