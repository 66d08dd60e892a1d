import { type Dict, dictOf, Name, type Ref, Stream, Text, type Value } from '../objects';

/** A box around a value, with a number that its note in the margin has as well. */
export interface Highlight {
	/** Of the part that it is drawn in, counted from 1. */
	page: number;
	/** Left, top, right and bottom, as fractions of a {@link shownPage} from its top left corner. */
	box: readonly [number, number, number, number];
	number: number;
	/** Also what readers show as the comment of the box. */
	note: string;
	/** Red, green and blue, from 0 to 1. */
	color: readonly [number, number, number];
}

type Rectangle = [left: number, bottom: number, right: number, top: number];

/** The longer side of an A4 page, in points. */
export const A4_HEIGHT = 842;

/** What readers show of a page without a size. */
const LETTER: Rectangle = [0, 0, 612, 792];

function rectangleOf(corners: unknown): Rectangle | undefined {
	const numeric = [corners].flat().filter((corner) => typeof corner === 'number');
	const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = numeric;
	if (x0 === x1 || y0 === y1) return undefined;
	return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
}

/** Cosine and sine. */
const TURNS: Record<number, [number, number]> = { 90: [0, 1], 180: [-1, 0], 270: [0, -1] };

/**
 * A page as readers show it: only its crop box, after its rotation. The contract leaves open whether boxes refer to that
 * (docs/internals/service-contract.md, Results). They do here, because Cogneris reads what a person sees.
 * @param valueOf an entry of the page, without references
 * @returns its size, with the longer side of an A4 page, and the matrix from its bottom left corner to the coordinates of the
 * file (ISO 32000-1, 8.3.3)
 */
export async function shownPage(valueOf: (key: string) => Promise<unknown>) {
	const media = rectangleOf(await valueOf('MediaBox')) ?? LETTER;
	const crop = rectangleOf(await valueOf('CropBox')) ?? media;
	const [left, bottom] = [Math.max(media[0], crop[0]), Math.max(media[1], crop[1])];
	const [right, top] = [Math.min(media[2], crop[2]), Math.min(media[3], crop[3])];
	// Readers show all of the page if the two boxes have no area in common.
	const [x0, y0, x1, y1] = left < right && bottom < top ? [left, bottom, right, top] : media;
	const unit = Math.max(x1 - x0, y1 - y0) / A4_HEIGHT;
	const rotation = Number(await valueOf('Rotate')) || 0;
	const [cos, sin] = TURNS[((rotation % 360) + 360) % 360] ?? [1, 0];
	const size = [(x1 - x0) / unit, (y1 - y0) / unit] as const;
	const [width, height] = sin === 0 ? size : [size[1], size[0]];
	const origin = [cos < sin ? x1 : x0, cos + sin < 0 ? y1 : y0] as const;
	const matrix = [cos * unit, sin * unit, -sin * unit, cos * unit, ...origin] as const;
	return { width, height, matrix };
}

type ShownPage = Awaited<ReturnType<typeof shownPage>>;

const [LINE_WIDTH, DISTANCE, FONT_SIZE, LINE_HEIGHT] = [1.2, 2, 7, 8.5];

/** The width added to the right of a page for the notes, which would cover other values on the page, and their distance. */
const [MARGIN, INDENT] = [180, 8];

/** As many characters as the margin has room for, up to a space if there is one. */
const NOTE_LINES = /.{1,35}(?:\s|$)|.{1,35}/gm;

/** A standard font, which readers have. All of its characters have the same width. */
const FONT =
	'<</Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Courier-Bold /Encoding /WinAnsiEncoding>>>>>>';

/** Widens a page by the margin; @returns annotations with the highlights and the notes */
export function markPage(
	page: Dict,
	shown: ShownPage,
	highlights: Highlight[],
	add: (object: Value | Stream) => Ref,
): Ref[] {
	const { width, height, matrix } = shown;
	const annotation = (subtype: string, area: Rectangle, comment: string, drawing: string) => {
		const entries = { Subtype: new Name('Form'), BBox: area, Matrix: [...matrix] };
		const look = dictOf({ ...entries, Resources: new Text(FONT) });
		return add(
			dictOf({
				Subtype: new Name(subtype),
				Rect: inFile(shown, area),
				F: PRINT,
				Contents: textOf(comment),
				AP: dictOf({ N: add(new Stream(look, Buffer.from(drawing))) }),
			}),
		);
	};
	const boxes = highlights.map(({ box, number, note, color }) => {
		const [left, right] = [box[0] * width - DISTANCE, box[2] * width + DISTANCE];
		const [bottom, top] = [(1 - box[3]) * height - DISTANCE, (1 - box[1]) * height + DISTANCE];
		const end = right + FONT_SIZE * `${number}`.length;
		const drawing = `${numbers(color)} RG ${numbers(color)} rg ${LINE_WIDTH} w
${numbers([left, bottom, right - left, top - bottom])} re S
BT /F ${FONT_SIZE} Tf ${numbers([right + LINE_WIDTH, top - FONT_SIZE / 2])} Td ${shownText(`${number}`)} ET`;
		const area: Rectangle = [left - LINE_WIDTH, bottom - LINE_WIDTH, end, top + FONT_SIZE];
		return annotation('Square', area, note, drawing);
	});
	const wide = inFile(shown, [0, 0, width + MARGIN, height]);
	page.set('MediaBox', wide).set('CropBox', wide);
	const margin: Rectangle = [width, 0, width + MARGIN, height];
	return [annotation('Stamp', margin, '', notesOf(highlights, shown)), ...boxes];
}

/** ISO 32000-1, 12.5.3. */
const PRINT = 4;

/** Draws the margin, with smaller text if there are many notes. */
function notesOf(highlights: Highlight[], { width, height }: ShownPage): string {
	const notes = new Map(highlights.map((highlight) => [highlight.number, highlight]));
	const lines = [...notes.values()].flatMap(({ number, note, color }) => [
		`T* ${numbers(color)} rg`,
		...(note.match(NOTE_LINES) ?? []).map(
			(line, at) => `T* ${shownText((at === 0 ? `${number}` : '').padEnd(4) + line.trim())}`,
		),
	]);
	const scale = Math.min(1, height / (LINE_HEIGHT * lines.length));
	return `0.95 g ${numbers([width, 0, MARGIN, height])} re f
${numbers([scale, 0, 0, scale, width + INDENT, height])} cm
BT /F ${FONT_SIZE} Tf ${LINE_HEIGHT} TL
${lines.join('\n')}
ET`;
}

function inFile({ matrix: [a, b, c, d, e, f] }: ShownPage, [x0, y0, x1, y1]: Rectangle): Rectangle {
	const [from, to] = [
		[a * x0 + c * y0 + e, b * x0 + d * y0 + f],
		[a * x1 + c * y1 + e, b * x1 + d * y1 + f],
	];
	return rectangleOf([...from, ...to]) ?? LETTER;
}

/** What the font does not have becomes a question mark: the comment has all characters. */
function shownText(text: string): string {
	const known = text.replaceAll('€', '\x80').replace(/[^ -~\x80\u00a0-\u00ff]/gu, '?');
	return `<${Buffer.from(known, 'latin1').toString('hex')}> Tj`;
}

/** In UTF-16, which has all characters (ISO 32000-1, 7.9.2.2). */
function textOf(text: string): Text {
	return new Text(`<${Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex')}>`);
}

/** As content streams have them, without exponents. */
function numbers(values: readonly number[]): string {
	return values.map((value) => value.toFixed(4)).join(' ');
}
