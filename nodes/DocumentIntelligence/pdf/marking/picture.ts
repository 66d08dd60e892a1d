/** A picture with its bytes as a PDF can contain them (ISO 32000-1, 8.9.5). */
interface Picture {
	/** In pixels. */
	width: number;
	height: number;
	/** Clockwise, in degrees. */
	rotation: number;
	/** Its colors, and how its bytes are packed. */
	entries: string;
	bytes: Buffer;
}

const [JPEG, PNG] = [Buffer.from('ffd8ff', 'hex'), Buffer.from('89504e470d0a1a0a', 'hex')];

/** Of a page with a picture: the longer side of an A4 page, in points. */
const LONGER_SIDE = 842;

/**
 * A PDF of one page, which the picture fills. Without a table, as its only reader is this library.
 * @returns undefined unless it is a JPEG, or a PNG without transparency and interlacing
 */
export function pdfOfPicture(file: Buffer): Buffer | undefined {
	const isJpeg = file.subarray(0, JPEG.length).equals(JPEG);
	const isPng = file.subarray(0, PNG.length).equals(PNG);
	const picture = isJpeg ? readJpeg(file) : isPng ? readPng(file) : undefined;
	if (picture === undefined) return undefined;
	const { width, height, rotation, entries, bytes } = picture;
	const scale = LONGER_SIDE / Math.max(width, height);
	const [right, top] = [(width * scale).toFixed(2), (height * scale).toFixed(2)];
	const content = `${right} 0 0 ${top} 0 0 cm /I Do`;
	const head = `%PDF-1.7
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1 /Resources <</XObject <</I 5 0 R>>>>>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 ${right} ${top}] /Rotate ${rotation} /Contents 4 0 R>> endobj
4 0 obj <</Length ${content.length}>> stream
${content}
endstream endobj
5 0 obj <</Subtype /Image /Width ${width} /Height ${height} ${entries} /Length ${bytes.length}>> stream
`;
	const end = '\nendstream endobj\ntrailer <</Root 1 0 R>>\n';
	return Buffer.concat([Buffer.from(head), bytes, Buffer.from(end)]);
}

/** More than any picture has, as its parts are read without a pause. */
const MAX_PARTS = 100_000;

/** The first segments of sequential and progressive frames, which readers of PDF know (ISO 32000-1, 7.4.8). */
const FRAMES = [0xc0, 0xc1, 0xc2];

const EXIF = 0xe1;

const COLORS: Record<number, string> = { 1: '/DeviceGray', 3: '/DeviceRGB' };

function readJpeg(file: Buffer): Picture | undefined {
	let rotation = 0;
	let at = 2;
	for (let part = 0; part < MAX_PARTS && at + 10 <= file.length && file[at] === 0xff; part++) {
		const marker = file[at + 1]!;
		const end = at + 2 + file.readUInt16BE(at + 2);
		if (marker === EXIF) rotation = rotationIn(file.subarray(at + 4, end)) ?? rotation;
		if (FRAMES.includes(marker)) {
			const [height, width] = [file.readUInt16BE(at + 5), file.readUInt16BE(at + 7)];
			const colors = COLORS[file[at + 9]!];
			if (width === 0 || height === 0 || colors === undefined) return undefined;
			const entries = `/ColorSpace ${colors} /BitsPerComponent 8 /Filter /DCTDecode`;
			return { width, height, rotation, entries, bytes: file };
		}
		at = end;
	}
	return undefined;
}

/** By the orientation of the camera (Exif 2.3, 4.6.4); mirrored ones are not from cameras. */
const ROTATIONS: Record<number, number> = { 3: 180, 6: 90, 8: 270 };

const ORIENTATION = 0x0112;

function rotationIn(segment: Buffer): number | undefined {
	if (!segment.toString('latin1').startsWith('Exif\0\0') || segment.length < 14) return undefined;
	const tiff = segment.subarray(6);
	const isLittle = tiff.toString('latin1', 0, 2) === 'II';
	const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
	const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
	for (let at = directory + 2; at + 12 <= tiff.length; at += 12)
		if (short(at) === ORIENTATION) return ROTATIONS[short(at + 8)];
	return undefined;
}

/** By the type of colors of a PNG; the other types have transparency. */
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1 };

const PALETTE = 3;

/** In hex. */
const MAX_PALETTE = 2 * 3 * 256;

/** Its first part, with the size and the type of colors. */
const PNG_HEAD_BYTES = 33;

function readPng(file: Buffer): Picture | undefined {
	if (file.length < PNG_HEAD_BYTES) return undefined;
	const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
	const [bits, type = NaN, interlacing] = [file[24], file[25], file[28]];
	const samples = SAMPLES[type];
	const data: Buffer[] = [];
	let palette = '';
	let isPlain = samples !== undefined && interlacing === 0;
	let at = PNG.length;
	for (let part = 0; part < MAX_PARTS && at + 8 <= file.length; part++) {
		const end = at + 8 + file.readUInt32BE(at);
		const name = file.toString('latin1', at + 4, at + 8);
		if (name === 'IDAT') data.push(file.subarray(at + 8, end));
		if (name === 'PLTE') palette = file.toString('hex', at + 8, end).slice(0, MAX_PALETTE);
		if (name === 'tRNS') isPlain = false;
		at = end + 4;
	}
	if (!isPlain || data.length === 0 || width === 0 || height === 0) return undefined;
	const listed = `[/Indexed /DeviceRGB ${Math.floor(palette.length / 6) - 1} <${palette}>]`;
	const colors = type === PALETTE ? listed : COLORS[samples!];
	const predictor = `<</Predictor 15 /Colors ${samples} /BitsPerComponent ${bits} /Columns ${width}>>`;
	const entries = `/ColorSpace ${colors} /BitsPerComponent ${bits} /Filter /FlateDecode /DecodeParms ${predictor}`;
	return { width, height, rotation: 0, entries, bytes: Buffer.concat(data) };
}
