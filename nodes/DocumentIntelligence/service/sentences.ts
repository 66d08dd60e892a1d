/** Characters of one text of the service that are shown. */
const LONGEST = 500;

/** A message that quotes more than this is no help. */
const MOST = 10;

/**
 * The different texts among what the service said, fit for a message: of bearable length and number, on one line,
 * and without a key that they might quote.
 */
export function sentences(values: unknown[]): string[] {
	const texts = new Set<string>();
	for (const value of values) {
		if (typeof value === 'string') texts.add(clean(value));
		texts.delete('');
		if (texts.size === MOST) break;
	}
	return [...texts];
}

function clean(text: string): string {
	// Cut with room for a key that begins before the end, so that none is cut in two and shown.
	const line = text.slice(0, 2 * LONGEST).replace(/\p{Cc}+/gu, ' ');
	const safe = line.replace(/xtkt_(live|test)_[\x21-\x7e]*/g, 'xtkt_$1_…').trim();
	return safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe;
}
