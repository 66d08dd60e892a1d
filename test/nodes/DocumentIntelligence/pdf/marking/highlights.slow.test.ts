import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';

import type { Highlight } from '../../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { corpus } from '../../../../pdf/corpus';
import { opened, partOf } from '../../../../pdf/cutting';
import { rawPdf, twoPages } from '../../../../pdf/rawPdf';

const folder = mkdtempSync(join(tmpdir(), 'highlights-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const highlight = (page: number): Highlight => ({
	page,
	box: [0.25, 0.5, 0.5, 0.625],
	number: page,
	note: 'total has a confidence of 40, below 80',
	color: [1, 0, 0],
});

function isInstalled(program: string): boolean {
	try {
		execFileSync('which', [program]);
		return true;
	} catch {
		return false;
	}
}

/** Skipped where the program is not installed. */
const testWith = (program: string) => (isInstalled(program) ? test : test.skip);

function stored(name: string, file: Buffer): string {
	const path = join(folder, name);
	writeFileSync(path, file);
	return path;
}

testWith('qpdf')('qpdf finds nothing wrong with the copies of the corpus', async () => {
	for (const [name, { file }] of Object.entries(corpus)) {
		const bundle = await opened(file()).catch(() => undefined);
		if (typeof (await bundle?.cut([1])) !== 'object') continue;
		const [source, copy] = [await partOf(bundle!, [1]), await partOf(bundle!, [1], [highlight(1)])];
		const check = (bytes: Buffer) => {
			try {
				execFileSync('qpdf', ['--check', stored('copy.pdf', bytes)], { stdio: 'pipe' });
				return 'fine';
			} catch (error) {
				return String((error as { stderr?: Buffer }).stderr).replace(/.*copy\.pdf/g, '');
			}
		};
		// What is wrong with a part without highlights is that of the source.
		const before = check(source);
		if (before === 'fine') expect({ name, check: check(copy) }).toEqual({ name, check: 'fine' });
	}
});

testWith('pdftoppm').each([0, 90, 180, 270])(
	'poppler shows the box on a cropped page turned by %d degrees',
	async (rotation) => {
		const first = `/CropBox [100 200 500 500] /Rotate ${rotation}`;
		const bundle = await opened(rawPdf(twoPages({ first, content: { data: '' } })));
		const path = stored('copy.pdf', await partOf(bundle, [1], [highlight(1)]));
		const out = join(folder, 'page');
		execFileSync('pdftoppm', ['-png', '-cropbox', '-singlefile', '-r', '108', path, out]);
		const { data, info } = await sharp(`${out}.png`)
			.removeAlpha()
			.raw()
			.toBuffer({ resolveWithObject: true });
		// As large as the crop box, and wider by the margin.
		const [long, short] = [400 * 1.5, 300 * 1.5];
		const width = rotation % 180 === 0 ? long : short;
		const point = long / 842;
		expect(Math.abs(info.width - width - 180 * point)).toBeLessThan(2);
		const isRed = (left: number, top: number, right = 0) => {
			const x = Math.floor(left * width + right * point);
			const at = 3 * (Math.floor(top * info.height) * info.width + x);
			return data[at]! > 200 && data[at + 1]! < 120;
		};
		expect([
			...[isRed(0.25, 0.5625, -2), isRed(0.5, 0.5625, 2)],
			...[isRed(0.375, 0.5625), isRed(0.25, 0.5625, -6), isRed(0.5, 0.5625, 6)],
		]).toEqual([true, true, false, false, false]);
	},
);
