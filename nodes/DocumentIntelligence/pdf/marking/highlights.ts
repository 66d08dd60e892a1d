import { type Dict, dictOf, Name, type Ref, Stream, Text } from '../objects';

/** A box around a value, with a short label. */
export interface Highlight {
	/** Counted from 1. */
	page: number;
	/** Left, top, right and bottom, as fractions of a {@link ShownPage} from its top left corner. */
	box: readonly [number, number, number, number];
	/** Characters that {@link canShow}; a long one is cut. */
	label: string;
	/** What readers show as its comment. */
	comment: string;
	/** Red, green and blue, from 0 to 1. */
	color: readonly [number, number, number];
}

/**
 * A page as readers show it: only its crop box, after its rotation. The contract leaves open whether boxes refer to that
 * (docs/internals/service-contract.md, Results). They do here, because Cogneris reads what a person sees.
 */
export interface ShownPage {
	width: number;
	height: number;
	/** From the shown page, with its origin at the bottom left, to the coordinates of the file (ISO 32000-1, 8.3.3). */
	matrix: readonly [number, number, number, number, number, number];
}

type Rectangle = readonly [left: number, bottom: number, right: number, top: number];

/** What readers show of a page without a size. */
const LETTER: Rectangle = [0, 0, 612, 792];

function rectangleOf(corners: unknown[]): Rectangle | undefined {
	const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = corners.filter((corner) => typeof corner === 'number');
	if (x0 === x1 || y0 === y1) return undefined;
	return [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
}

/** @param cropBox shown of the page; all of it is if the two boxes have no area in common */
export function shownPage(mediaBox: unknown[], cropBox: unknown[], rotate: unknown): ShownPage {
	const media = rectangleOf(mediaBox) ?? LETTER;
	const crop = rectangleOf(cropBox) ?? media;
	const [left, bottom] = [Math.max(media[0], crop[0]), Math.max(media[1], crop[1])];
	const [right, top] = [Math.min(media[2], crop[2]), Math.min(media[3], crop[3])];
	const [x0, y0, x1, y1] = left < right && bottom < top ? [left, bottom, right, top] : media;
	const rotation = typeof rotate === 'number' ? rotate : 0;
	const [width, height] = [x1 - x0, y1 - y0];
	switch (((rotation % 360) + 360) % 360) {
		case 90:
			return { width: height, height: width, matrix: [0, 1, -1, 0, x1, y0] };
		case 180:
			return { width, height, matrix: [-1, 0, 0, -1, x1, y1] };
		case 270:
			return { width: height, height: width, matrix: [0, -1, 1, 0, x0, y1] };
		default:
			return { width, height, matrix: [1, 0, 0, 1, x0, y0] };
	}
}

/** The height of an A4 page, for which lines and labels have their sizes, in points. */
const A4_HEIGHT = 842;
const [LINE_WIDTH, DISTANCE, FONT_SIZE] = [1.2, 2, 7];

/** A standard font, which readers have. Its characters have one width, as a share of the font size. */
const FONT = dictOf({
	Type: new Name('Font'),
	Subtype: new Name('Type1'),
	BaseFont: new Name('Courier-Bold'),
	Encoding: new Name('WinAnsiEncoding'),
});
const CHARACTER_WIDTH = 0.6;

const MAX_CHARACTERS = 40;

/** Whether the font has all characters of a label: it is used for those of Latin-1 only. */
export function canShow(label: string): boolean {
	return /^[ -~\u00a0-\u00ff]*$/.test(label);
}

/** The annotation that draws a highlight and is printed with the page. */
export function highlightAnnotation(
	{ box, label, comment, color }: Highlight,
	page: ShownPage,
	add: (object: Stream) => Ref,
): Dict {
	const { width, height, matrix } = page;
	const unit = Math.max(width, height) / A4_HEIGHT;
	const [line, distance, size] = [LINE_WIDTH * unit, DISTANCE * unit, FONT_SIZE * unit];
	const within = (value: number, end: number) =>
		Math.min(Math.max(value, line / 2), end - line / 2);
	const left = within(box[0] * width - distance, width);
	const right = within(box[2] * width + distance, width);
	const top = within((1 - box[1]) * height + distance, height);
	const bottom = within((1 - box[3]) * height - distance, height);
	const text = label.length <= MAX_CHARACTERS ? label : `${label.slice(0, MAX_CHARACTERS - 3)}...`;
	const tag = { width: CHARACTER_WIDTH * size * text.length + 2 * distance, height: 1.2 * size };
	const x = Math.max(0, Math.min(left, width - tag.width));
	// Above the box, or below if the page ends there.
	const y = top + tag.height <= height ? top : Math.max(0, bottom - tag.height);
	const rectangle = inFile(page, [
		Math.min(left - line / 2, x),
		Math.min(bottom - line / 2, y),
		Math.max(right + line / 2, x + tag.width),
		Math.max(top + line / 2, y + tag.height),
	]);
	const drawing = [
		`${numbers(matrix)} cm ${numbers(color)} RG ${numbers(color)} rg ${numbers([line])} w`,
		`${numbers([left, bottom, right - left, top - bottom])} re S`,
		`${numbers([x, y, tag.width, tag.height])} re f`,
		`BT 1 g /F ${numbers([size])} Tf ${numbers([x + distance, y + 0.3 * size])} Td <${Buffer.from(text, 'latin1').toString('hex')}> Tj ET`,
	].join('\n');
	const look = dictOf({
		Type: new Name('XObject'),
		Subtype: new Name('Form'),
		BBox: [...rectangle],
		Resources: dictOf({ Font: dictOf({ F: FONT }) }),
	});
	return dictOf({
		Type: new Name('Annot'),
		Subtype: new Name('Square'),
		Rect: [...rectangle],
		F: PRINT,
		C: [...color],
		Contents: textOf(comment),
		AP: dictOf({ N: add(new Stream(look, Buffer.from(drawing))) }),
	});
}

/** ISO 32000-1, 12.5.3. */
const PRINT = 4;

function inFile({ matrix: [a, b, c, d, e, f] }: ShownPage, [x0, y0, x1, y1]: Rectangle): Rectangle {
	const [firstX, firstY] = [a * x0 + c * y0 + e, b * x0 + d * y0 + f];
	const [secondX, secondY] = [a * x1 + c * y1 + e, b * x1 + d * y1 + f];
	const [left, right] = [Math.min(firstX, secondX), Math.max(firstX, secondX)];
	return [left, Math.min(firstY, secondY), right, Math.max(firstY, secondY)];
}

/** In UTF-16, which has all characters (ISO 32000-1, 7.9.2.2). */
function textOf(text: string): Text {
	return new Text(`<${Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex')}>`);
}

/** As content streams have them, without exponents. */
function numbers(values: readonly number[]): string {
	return values.map((value) => value.toFixed(4)).join(' ');
}
