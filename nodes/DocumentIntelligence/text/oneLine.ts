/** A text as a message can quote it: on one line, and cut where it has more characters. */
export function oneLine(text: string, maxCharacters: number): string {
	// What is cut anyway is not searched.
	const start = text.slice(0, 2 * maxCharacters).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
	const line = start.trim();
	if (line.length <= maxCharacters && text.length <= 2 * maxCharacters) return line;
	// Not between the two halves of a character.
	return `${line.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
