import { TooComplex } from './failures';
import { endsToken } from './objectParser';

const SLASH = 0x2f;

/** The kind of resource that an operator takes, directly after the name or after one number. */
const OPERATORS = new Map(
	Object.entries({
		Do: 'XObject',
		gs: 'ExtGState',
		sh: 'Shading',
		scn: 'Pattern',
		SCN: 'Pattern',
		cs: 'ColorSpace',
		CS: 'ColorSpace',
		BDC: 'Properties',
		DP: 'Properties',
	}),
);

/** Where it does not show what kind of resource a name is. */
export const ANY = '*';

/** Names by the kind of resource. */
export type Names = Map<string, Set<string>>;

/** More different names than any content has. */
const MAX_NAMES = 200_000;

/** Names longer than this are in no file: the limit is 127 (ISO 32000-1, annex C). */
const MAX_NAME_LENGTH = 1000;

/** How far after a name its operator is looked for. */
const MAX_AHEAD = 64;

/**
 * The names in a content stream, one Latin-1 character for each byte, without the slash. Names inside texts and images
 * count for every kind: a resource too many costs bytes, one too few a blank page.
 */
export function namesIn(content: Buffer): Names {
	const names: Names = new Map();
	let count = 0;
	for (let at = content.indexOf(SLASH); at >= 0; at = content.indexOf(SLASH, at)) {
		const start = ++at;
		while (!endsToken(content[at])) at++;
		if (at - start > MAX_NAME_LENGTH) continue;
		const kind = kindAt(content, at);
		let known = names.get(kind);
		if (known === undefined) names.set(kind, (known = new Set()));
		const before = known.size;
		known.add(unescaped(content.toString('latin1', start, at)));
		if (known.size > before && ++count > MAX_NAMES) throw new TooComplex();
	}
	return names;
}

function unescaped(name: string): string {
	return name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
}

/** The kind of resource that the operator after a name takes. */
function kindAt(content: Buffer, after: number): string {
	const word = wordFrom(content, after);
	if (word === undefined) return ANY;
	if (!/^[-+.\d]+$/.test(word.text)) return OPERATORS.get(word.text) ?? ANY;
	return wordFrom(content, word.end)?.text === 'Tf' ? 'Font' : ANY;
}

function wordFrom(content: Buffer, from: number): { text: string; end: number } | undefined {
	const limit = Math.min(content.length, from + MAX_AHEAD);
	let start = from;
	for (; start < limit && endsToken(content[start]); start++) {
		// A delimiter other than white space begins something else than a number or an operator.
		if (content[start]! > 32) return undefined;
	}
	let end = start;
	while (end < limit && !endsToken(content[end])) end++;
	return end < limit || end === content.length
		? { text: content.toString('latin1', start, end), end }
		: undefined;
}
