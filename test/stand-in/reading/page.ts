/** Distances are in the page's own units, measured from its top left corner. */
export interface Box {
	x0: number;
	y0: number;
	x1: number;
	y1: number;
}

export interface Word extends Box {
	text: string;
	/** Height of the type, against which gaps are judged. */
	size: number;
}

export type Line = Word[];

export interface Page {
	/** Null where the format has no pages, as in a Word document; its values then have no place either. */
	number: number | null;
	width: number;
	height: number;
	lines: Line[];
}

/** A run of words that stand as close together as words of one phrase do. */
export type Cell = Word[];

/** Wider than a space even in typewriter type, narrower than the gap between columns. */
const widestSpace = 0.8;

export function cellsOf(line: Line): Cell[] {
	const cells: Cell[] = [];
	for (const word of line) {
		const before = cells.at(-1)?.at(-1);
		if (before && word.x0 - before.x1 <= widestSpace * Math.max(word.size, before.size))
			cells.at(-1)?.push(word);
		else cells.push([word]);
	}
	return cells;
}

export function textOf(words: Word[]): string {
	return words.map(({ text }) => text).join(' ');
}

export function boxAround(boxes: Box[]): Box {
	return {
		x0: Math.min(...boxes.map(({ x0 }) => x0)),
		y0: Math.min(...boxes.map(({ y0 }) => y0)),
		x1: Math.max(...boxes.map(({ x1 }) => x1)),
		y1: Math.max(...boxes.map(({ y1 }) => y1)),
	};
}

export function overlap(a: Box, b: Box): number {
	return Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);
}

/** Words on one baseline make a line; a superscript or a figure set two points higher still belongs to it. */
export function linesFrom(words: Word[]): Line[] {
	const lines: Array<{ y: number; words: Word[] }> = [];
	for (const word of words.toSorted((a, b) => a.y1 - b.y1)) {
		const line = lines.at(-1);
		if (line && word.y1 - line.y < 0.4 * word.size) line.words.push(word);
		else lines.push({ y: word.y1, words: [word] });
	}
	return lines.map((line) => asRead(line.words.toSorted((a, b) => a.x0 - b.x0)));
}

/** Joins what the file draws in pieces, as "INV" "-" "100". */
function asRead(words: Word[]): Line {
	const joined: Word[] = [];
	for (const word of words) {
		const before = joined.at(-1);
		if (before && word.x0 - before.x1 < 0.1 * Math.max(word.size, before.size)) {
			joined[joined.length - 1] = {
				...boxAround([before, word]),
				text: before.text + word.text,
				size: Math.max(before.size, word.size),
			};
		} else {
			joined.push(word);
		}
	}
	return joined;
}
