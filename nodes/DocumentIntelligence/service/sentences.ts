import { oneLine } from '../text/oneLine';

/** How many characters of one text of the service are shown. */
const MAX_CHARACTERS = 500;

/** A message that quotes more than this is no help. */
const MAX_SENTENCES = 10;

/**
 * The different texts among what the service said, fit for a message: limited in length and number, on one line,
 * and without any key that they quote.
 */
export function sentences(values: unknown[]): string[] {
	const texts = new Set<string>();
	for (const value of values) {
		if (typeof value === 'string') texts.add(clean(value));
		texts.delete('');
		if (texts.size === MAX_SENTENCES) break;
	}
	return [...texts];
}

function clean(text: string): string {
	// Cut with room for a key that begins before the end, so that none is cut in two and shown.
	const start = text.slice(0, 2 * MAX_CHARACTERS).replace(/\p{Cf}/gu, '');
	// Before control characters become blanks: a key may be split over lines.
	const masked = start.replace(/xtkt_(live|test)_[\x21-\x7e\p{Cc}]*/giu, 'xtkt_$1_…');
	return oneLine(masked, MAX_CHARACTERS);
}
