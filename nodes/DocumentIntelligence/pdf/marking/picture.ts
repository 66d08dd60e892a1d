import { A4_HEIGHT } from './highlights';

/**
 * A PDF of one page, which the picture fills. Without a table, as its only reader is this library.
 * @returns undefined unless it is a JPEG, or a PNG without transparency and interlacing
 */
export function pdfOfPicture(file: Buffer): Buffer | undefined {
	const picture = readJpeg(file) ?? readPng(file);
	if (picture === undefined || picture.width === 0 || picture.height === 0) return undefined;
	const { width, height, entries, bytes } = picture;
	const scale = A4_HEIGHT / Math.max(width, height);
	const [right, top] = [(width * scale).toFixed(2), (height * scale).toFixed(2)];
	const content = `${right} 0 0 ${top} 0 0 cm /I Do`;
	const head = `%PDF-1.7
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1 /Resources <</XObject <</I 5 0 R>>>>>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 ${right} ${top}] /Rotate ${rotationOf(file)} /Contents 4 0 R>> endobj
4 0 obj <</Length ${content.length}>> stream
${content}
endstream endobj
5 0 obj <</Subtype /Image /Width ${width} /Height ${height} ${entries} /Length ${bytes.length}>> stream
`;
	const end = '\nendstream endobj\ntrailer <</Root 1 0 R>>\n';
	return Buffer.concat([Buffer.from(head), bytes, Buffer.from(end)]);
}

/** In either order of bytes, the entry with the orientation of a camera (Exif 2.3, 4.6.4); mirrored ones are not from cameras. */
const ORIENTATION =
	/\x01\x12\0\x03\0{3}\x01\0([\x03\x06\x08])|\x12\x01\x03\0\x01\0{3}([\x03\x06\x08])/;

const ROTATIONS: Record<string, number> = { '\x03': 180, '\x06': 90, '\x08': 270 };

/** Clockwise, in degrees. The entry is in the first segment of a JPEG. */
function rotationOf(file: Buffer): number {
	const [, big, little = ''] = ORIENTATION.exec(file.toString('latin1', 0, 65_536)) ?? [];
	return ROTATIONS[big ?? little] ?? 0;
}

/** More than any picture has, as its parts are read without a pause. */
const MAX_PARTS = 100_000;

/** The first segments of sequential and progressive frames, which readers of PDF know (ISO 32000-1, 7.4.8). */
const FRAMES = [0xc0, 0xc1, 0xc2];

/** By how many samples a pixel has. */
const COLORS: Record<number, string> = { 1: '/DeviceGray', 3: '/DeviceRGB' };

/** @returns the size in pixels, how the bytes are packed, and the bytes as a PDF can contain them (ISO 32000-1, 8.9.5) */
function readJpeg(file: Buffer) {
	if (file.toString('latin1', 0, 2) !== '\xff\xd8') return undefined;
	let at = 2;
	for (let part = 0; part < MAX_PARTS && at + 10 <= file.length; part++) {
		if (file[at] === 0xff && FRAMES.includes(file[at + 1]!)) {
			const [height, width] = [file.readUInt16BE(at + 5), file.readUInt16BE(at + 7)];
			const colors = COLORS[file[at + 9]!];
			const entries = `/ColorSpace ${colors} /BitsPerComponent 8 /Filter /DCTDecode`;
			return colors === undefined ? undefined : { width, height, entries, bytes: file };
		}
		at += 2 + file.readUInt16BE(at + 2);
	}
	return undefined;
}

/** Before the chunk with the size and the type of colors, which comes first. */
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Gray, colors and a palette; the other types have transparency. */
const [GRAY, RGB, PALETTE] = [0, 2, 3];

function readPng(file: Buffer) {
	if (!file.subarray(0, 8).equals(SIGNATURE) || file.length < 33) return undefined;
	const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
	const [bits, type, interlacing] = [file[24], file[25], file[28]];
	const samples = type === RGB ? 3 : 1;
	let colors = type === GRAY || type === RGB ? COLORS[samples] : undefined;
	const data: Buffer[] = [];
	let at = SIGNATURE.length;
	for (let part = 0; part < MAX_PARTS && at + 8 <= file.length; part++) {
		const name = file.toString('latin1', at + 4, at + 8);
		const chunk = file.subarray(at + 8, at + 8 + file.readUInt32BE(at));
		if (name === 'IDAT') data.push(chunk);
		if (name === 'PLTE' && type === PALETTE)
			colors = `[/Indexed /DeviceRGB ${chunk.length / 3 - 1} <${chunk.toString('hex')}>]`;
		if (name === 'tRNS') return undefined;
		at += 12 + chunk.length;
	}
	if (colors === undefined || interlacing !== 0 || data.length === 0) return undefined;
	const parameters = `<</Predictor 15 /Colors ${samples} /BitsPerComponent ${bits} /Columns ${width}>>`;
	const entries = `/ColorSpace ${colors} /BitsPerComponent ${bits} /Filter /FlateDecode /DecodeParms ${parameters}`;
	return { width, height, entries, bytes: Buffer.concat(data) };
}
