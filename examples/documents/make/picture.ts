import sharp from 'sharp';
import type { Box } from './truth';

/** A document drawn as SVG, before it is laid onto a background. */
export interface Drawing {
	width: number;
	height: number;
	svg: string;
	printed: string[];
}

export interface TextLook {
	size: number;
	font?: 'sans' | 'mono' | 'serif';
	bold?: boolean;
	color?: string;
	align?: 'left' | 'center' | 'right';
	spacing?: number;
}

const families = { sans: 'DejaVu Sans', mono: 'DejaVu Sans Mono', serif: 'DejaVu Serif' };
const anchors = { left: 'start', center: 'middle', right: 'end' };

/** Collects the shapes of a drawing and the texts in it; y of a text is its baseline. */
export class Sketch {
	private readonly shapes: string[] = [];
	readonly printed: string[] = [];

	constructor(
		readonly width: number,
		readonly height: number,
	) {}

	shape(svg: string): void {
		this.shapes.push(svg);
	}

	text(text: string, x: number, y: number, look: TextLook): void {
		this.printed.push(text);
		this.shapes.push(
			`<text x="${x}" y="${y}" font-family="${families[look.font ?? 'sans']}" font-size="${look.size}"` +
				` font-weight="${look.bold ? 'bold' : 'normal'}" fill="${look.color ?? '#222'}"` +
				` text-anchor="${anchors[look.align ?? 'left']}" letter-spacing="${look.spacing ?? 0}">${escaped(text)}</text>`,
		);
	}

	drawing(): Drawing {
		return { width: this.width, height: this.height, svg: this.shapes.join('\n'), printed: this.printed };
	}
}

/** Where a drawing lies in the picture: its top left corner before it is turned around its middle. */
export interface Place {
	x: number;
	y: number;
	scale: number;
	degrees: number;
}

/** The drawing with a soft shadow, laid down at its place. */
export function laid(drawing: Drawing, place: Place): string {
	const { width, height, svg } = drawing;
	return `<g transform="${transform(drawing, place)}">
		<rect x="5" y="7" width="${width}" height="${height}" rx="8" fill="#000" opacity="0.4" filter="url(#soft)"/>
		${svg}
	</g>`;
}

/** The upright box around a drawing at its place in the picture. */
export function boxIn(drawing: Drawing, place: Place): Box {
	const angle = (place.degrees * Math.PI) / 180;
	const [halfWidth, halfHeight] = [(drawing.width * place.scale) / 2, (drawing.height * place.scale) / 2];
	const reach = (along: number, across: number) =>
		Math.abs(along * Math.cos(angle)) + Math.abs(across * Math.sin(angle));
	const [middleX, middleY] = [place.x + halfWidth, place.y + halfHeight];
	const [reachX, reachY] = [reach(halfWidth, halfHeight), reach(halfHeight, halfWidth)];
	return [middleX - reachX, middleY - reachY, middleX + reachX, middleY + reachY].map(Math.round) as Box;
}

export async function render(
	file: string,
	{ width, height }: { width: number; height: number },
	background: string,
	content: string,
): Promise<Buffer> {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
		<defs><filter id="soft" x="-10%" y="-10%" width="120%" height="120%"><feGaussianBlur stdDeviation="6"/></filter></defs>
		<rect width="${width}" height="${height}" fill="${background}"/>
		${content}
	</svg>`;
	const picture = sharp(Buffer.from(svg)).flatten({ background });
	return await (file.endsWith('.jpg') ? picture.jpeg({ quality: 82 }) : picture.png({ palette: true, quality: 90 })).toBuffer();
}

function transform({ width, height }: Drawing, { x, y, scale, degrees }: Place): string {
	return `translate(${x} ${y}) rotate(${degrees} ${(width * scale) / 2} ${(height * scale) / 2}) scale(${scale})`;
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
