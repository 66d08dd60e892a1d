import sharp, { type Sharp } from 'sharp';

import { openBundle } from '../../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { partOf } from '../../../../pdf/cutting';
import { PdfReader } from '../../../../pdf/reader';

let reader: PdfReader;

beforeAll(() => {
	reader = new PdfReader();
});
afterAll(() => reader.stop());

const [WIDTH, HEIGHT] = [120, 80];

/** Four fields: red, green, blue and white, from the top left on. */
function picture(): Sharp {
	const pixels = Buffer.alloc(WIDTH * HEIGHT * 3);
	for (let at = 0; at < WIDTH * HEIGHT; at++) {
		const [isRight, isLow] = [at % WIDTH >= WIDTH / 2, at >= (WIDTH * HEIGHT) / 2];
		const color = isLow ? (isRight ? '#ffffff' : '#0000ff') : isRight ? '#00ff00' : '#ff0000';
		pixels.writeUIntBE(parseInt(color.slice(1), 16), 3 * at, 3);
	}
	return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
}

/** The colors in the middle of the four fields. */
function colorsIn(
	{ width, height, pixels }: { width: number; height: number; pixels: Uint8ClampedArray },
	channels: number,
): number[] {
	return [0.25, 0.75].flatMap((y) =>
		[0.25, 0.75].flatMap((x) => {
			const at = Math.floor(y * height) * width + Math.floor(x * width);
			return [0, 1, 2].map((channel) => pixels[at * channels + channel]!);
		}),
	);
}

async function pageOf(file: Buffer) {
	const bundle = await openBundle(file);
	if (typeof bundle === 'string') return bundle;
	const page = await partOf(bundle, [1]);
	return { page, rendered: await reader.render(page, 1) };
}

const oriented = (orientation: number) => async () =>
	await picture().jpeg({ quality: 100 }).withMetadata({ orientation }).toBuffer();

test.each<[string, () => Promise<Buffer>]>([
	['JPEG', async () => await picture().jpeg({ quality: 100 }).toBuffer()],
	['progressive JPEG', async () => await picture().jpeg({ progressive: true }).toBuffer()],
	['gray JPEG', async () => await picture().grayscale().jpeg().toBuffer()],
	['JPEG of a camera held upright', oriented(1)],
	['JPEG of a camera turned by 90 degrees', oriented(6)],
	['JPEG of a camera turned by 180 degrees', oriented(3)],
	['JPEG of a camera turned by 270 degrees', oriented(8)],
	['PNG', async () => await picture().png().toBuffer()],
	['gray PNG', async () => await picture().toColourspace('b-w').png().toBuffer()],
	['PNG with a palette', async () => await picture().png({ palette: true }).toBuffer()],
	['PNG of 16 bits', async () => await picture().toColourspace('rgb16').png().toBuffer()],
])('%s: the page looks like the picture', async (_, make) => {
	const file = await make();
	const result = await pageOf(file);
	if (typeof result === 'string') throw new Error(result);
	const { data, info } = await sharp(file)
		.rotate()
		.toColourspace('srgb')
		.removeAlpha()
		.raw()
		.toBuffer({ resolveWithObject: true });
	const { width, height } = result.rendered;
	expect(Math.max(width, height)).toBe(842);
	expect(width > height).toBe(info.width > info.height);
	const expected = colorsIn({ ...info, pixels: new Uint8ClampedArray(data) }, info.channels);
	for (const [at, value] of colorsIn(result.rendered, 4).entries())
		expect(Math.abs(value - expected[at]!)).toBeLessThan(12);
});

test('the bytes of a picture are in the page as they are', async () => {
	const jpeg = await picture().jpeg().toBuffer();
	const result = await pageOf(jpeg);
	expect(typeof result !== 'string' && result.page.includes(jpeg)).toBe(true);
});

const withoutFrame = Buffer.from('ffd8ffe000020000ffda0002', 'hex');

test.each<[string, () => Promise<Buffer> | Buffer]>([
	['a PNG with transparency', async () => await picture().ensureAlpha(0.5).png().toBuffer()],
	[
		'a palette with transparency',
		async () => await picture().ensureAlpha(0.5).png({ palette: true }).toBuffer(),
	],
	['an interlaced PNG', async () => await picture().png({ progressive: true }).toBuffer()],
	['a JPEG of four colors', async () => await picture().toColourspace('cmyk').jpeg().toBuffer()],
	['a JPEG without a frame', () => withoutFrame],
	['a JPEG of millions of segments', () => Buffer.alloc(10_000_000, 'ffd8ffe00002ffe00002', 'hex')],
	[
		'a PNG of millions of chunks',
		async () =>
			Buffer.concat([(await picture().png().toBuffer()).subarray(0, 33), Buffer.alloc(10_000_000)]),
	],
	['a PNG without data', async () => (await picture().png().toBuffer()).subarray(0, 33)],
	['a short PNG', async () => (await picture().png().toBuffer()).subarray(0, 20)],
	['a TIFF', async () => await picture().tiff().toBuffer()],
])('%s has no page', async (_, make) => {
	expect(await pageOf(await make())).toBe('notPdf');
});
