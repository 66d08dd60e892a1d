import { PDFDocument, StandardFonts, rgb, type PDFFont, type PDFPage } from 'pdf-lib';

/** Fixed, so that making the documents again gives the same bytes. */
export const madeOn = new Date('2026-11-01T09:00:00Z');

export const letterSize: [number, number] = [612, 792];
export const a4Size: [number, number] = [595, 842];

const fontNames = {
	sans: StandardFonts.Helvetica,
	sansBold: StandardFonts.HelveticaBold,
	sansItalic: StandardFonts.HelveticaOblique,
	serif: StandardFonts.TimesRoman,
	serifBold: StandardFonts.TimesRomanBold,
	serifItalic: StandardFonts.TimesRomanItalic,
};

export type FontName = keyof typeof fontNames;

export interface TextStyle {
	font?: FontName;
	size?: number;
	/** As in CSS: `#1b3a57`. */
	color?: string;
	/** Which point of the text stands at x. */
	align?: 'left' | 'right' | 'center';
	/** Text wider than this stops the making: nothing may run into its neighbour. */
	maxWidth?: number;
}

const defaultSize = 10;
const defaultColor = '#1a1a1a';

/** A PDF being drawn, and every text drawn so far. */
export class Paper {
	readonly printed: string[] = [];

	private constructor(
		private readonly document: PDFDocument,
		private readonly fonts: Record<FontName, PDFFont>,
	) {}

	static async open(title: string): Promise<Paper> {
		const document = await PDFDocument.create({ updateMetadata: false });
		document.setTitle(title);
		document.setProducer('examples/documents/make.ts');
		document.setCreationDate(madeOn);
		document.setModificationDate(madeOn);
		const fonts: Partial<Record<FontName, PDFFont>> = {};
		for (const [name, standard] of Object.entries(fontNames)) {
			fonts[name as FontName] = await document.embedFont(standard);
		}
		return new Paper(document, fonts as Record<FontName, PDFFont>);
	}

	get pages(): number {
		return this.document.getPageCount();
	}

	newSheet(size: [number, number]): Sheet {
		return new Sheet(this.document.addPage(size), this.fonts, this.printed);
	}

	async close(): Promise<Uint8Array> {
		return await this.document.save();
	}
}

/** One page, measured in points from its top left corner; a text's y is its baseline. */
export class Sheet {
	constructor(
		private readonly page: PDFPage,
		private readonly fonts: Record<FontName, PDFFont>,
		private readonly printed: string[],
	) {}

	get width(): number {
		return this.page.getWidth();
	}

	get height(): number {
		return this.page.getHeight();
	}

	text(text: string, x: number, y: number, style: TextStyle = {}): void {
		const font = this.fonts[style.font ?? 'sans'];
		const size = style.size ?? defaultSize;
		const width = font.widthOfTextAtSize(text, size);
		if (style.maxWidth !== undefined && width > style.maxWidth) {
			throw new Error(`"${text}" is ${Math.ceil(width)} points wide, only ${style.maxWidth} are free`);
		}
		const shift = style.align === 'right' ? width : style.align === 'center' ? width / 2 : 0;
		this.printed.push(text);
		this.page.drawText(text, { x: x - shift, y: this.height - y, font, size, color: color(style.color) });
	}

	/** Each entry on a line of its own. Returns the baseline of the line that would follow. */
	lines(texts: string[], x: number, y: number, leading: number, style: TextStyle = {}): number {
		texts.forEach((text, index) => this.text(text, x, y + index * leading, style));
		return y + texts.length * leading;
	}

	/** Running text, broken between words. Returns the baseline of the line that would follow. */
	paragraph(text: string, x: number, y: number, width: number, leading: number, style: TextStyle = {}): number {
		const font = this.fonts[style.font ?? 'sans'];
		const size = style.size ?? defaultSize;
		const lines: string[] = [];
		let line = '';
		for (const word of text.split(' ')) {
			const longer = line === '' ? word : `${line} ${word}`;
			if (line !== '' && font.widthOfTextAtSize(longer, size) > width) {
				lines.push(line);
				line = word;
			} else {
				line = longer;
			}
		}
		return this.lines([...lines, line], x, y, leading, style);
	}

	line(x1: number, y1: number, x2: number, y2: number, thickness = 0.75, stroke = defaultColor): void {
		this.page.drawLine({
			start: { x: x1, y: this.height - y1 },
			end: { x: x2, y: this.height - y2 },
			thickness,
			color: color(stroke),
		});
	}

	fill(x: number, y: number, width: number, height: number, fillColor: string): void {
		this.page.drawRectangle({ x, y: this.height - y - height, width, height, color: color(fillColor) });
	}

	frame(x: number, y: number, width: number, height: number, thickness = 0.75, stroke = defaultColor): void {
		this.page.drawRectangle({
			x,
			y: this.height - y - height,
			width,
			height,
			borderWidth: thickness,
			borderColor: color(stroke),
		});
	}
}

function color(hex = defaultColor) {
	const value = parseInt(hex.slice(1), 16);
	return rgb((value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255);
}
