import { withoutKeys } from './cogneris';

/** In bytes: the larger reading of a megabyte, which the contract leaves open (docs/internals/service-contract.md, limits). */
export const MB = 1024 * 1024;

/** Several things as messages list them: the first, then at most two others that go with it. */
export function subjectOf([first = '', ...remaining]: string[]): string {
	if (remaining.length === 0) return first;
	const more = remaining.length > 2 ? ` and ${remaining.length - 2} more` : '';
	return `${first} (with ${remaining.slice(0, 2).join(', ')}${more})`;
}

/** Without those that are false or empty. */
export function joinSentences(...sentences: Array<string | false>): string {
	return sentences.filter(Boolean).join(' ');
}

/** Undefined if none is known. */
export function sumOf(numbers: Array<number | undefined>): number | undefined {
	const known = numbers.filter((each) => each !== undefined);
	return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0);
}

export function pluralize(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A sum of credits, without the digits that adding binary fractions leaves. */
export function describeCredits(credits: number): string {
	return pluralize(Number(credits.toFixed(6)), 'credit');
}

/** A text as a message can quote it: on one line, and cut where it has more characters. */
export function oneLine(text: string, maxCharacters: number): string {
	// What is cut anyway is not searched.
	const start = text.slice(0, 2 * maxCharacters).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
	const line = start.trim();
	if (line.length <= maxCharacters && text.length <= 2 * maxCharacters) return line;
	// Not between the two halves of a character.
	return `${line.slice(0, maxCharacters).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Longer texts are not quoted: a parameter may hold a whole document by mistake. */
const MAX_QUOTED_CHARACTERS = 100;

/** The value of a parameter as a message quotes it: without the user and the query of a link, and without content. */
export function quoted(text: string): string {
	if (text.length > MAX_QUOTED_CHARACTERS) return `(${text.length} characters of text)`;
	const shown = oneLine(withoutKeys(text), MAX_QUOTED_CHARACTERS)
		.replace(/^(data:).*/i, '$1…')
		.replace(/^([\w+.-]+:\/\/|\/\/)?([^\s/]*|[^?#]*)@([^&]*).*/, '$1$3')
		.replace(/[?#].*/, '');
	return `"${shown}"`;
}

/** A content type in lower case and without its parameters, as in `application/pdf; name=x`; empty when it is none. */
export function plainMimeType(contentType = ''): string {
	const plain = contentType.replace(/;[^]*/, '').trim().toLowerCase();
	return /^[\w+-]+\/[\w.+-]{1,100}$/.test(plain) ? plain : '';
}

/** Whether an ID stands for none. */
export function isAllZeros(id: string): boolean {
	return /^[0-]+$/.test(id);
}
