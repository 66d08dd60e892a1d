import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';

import type { Highlight } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { corpus, scan } from '../../../pdf/corpus';
import { opened } from '../../../pdf/cutting';
import { hostile } from '../../../pdf/hostile';
import { rawPdf, twoPages } from '../../../pdf/rawPdf';

const folder = mkdtempSync(join(tmpdir(), 'highlights-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const highlight = (page: number): Highlight => ({
	page,
	box: [0.25, 0.5, 0.5, 0.625],
	label: 'total',
	comment: 'total has a confidence of 40, below 80',
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
		const copy = await bundle?.cut([1], [highlight(1)]);
		if (!(copy instanceof Buffer)) continue;
		const source = await bundle!.cut([1]);
		const check = (bytes: Buffer) => {
			try {
				execFileSync('qpdf', ['--check', stored('copy.pdf', bytes)], { stdio: 'pipe' });
				return 'fine';
			} catch (error) {
				return String((error as { stderr?: Buffer }).stderr).replace(/.*copy\.pdf/g, '');
			}
		};
		// What is wrong with a part without highlights is that of the source.
		const before = check(source as Buffer);
		if (before === 'fine') expect({ name, check: check(copy) }).toEqual({ name, check: 'fine' });
	}
});

testWith('pdftoppm').each([0, 90, 180, 270])(
	'poppler shows the box on a cropped page turned by %d degrees',
	async (rotation) => {
		const first = `/CropBox [100 200 500 500] /Rotate ${rotation}`;
		const bundle = await opened(rawPdf(twoPages({ first, content: { data: '' } })));
		const path = stored('copy.pdf', (await bundle.cut([1], [highlight(1)])) as Buffer);
		const out = join(folder, 'page');
		execFileSync('pdftoppm', ['-png', '-cropbox', '-singlefile', '-r', '108', path, out]);
		const { data, info } = await sharp(`${out}.png`)
			.removeAlpha()
			.raw()
			.toBuffer({ resolveWithObject: true });
		const point = Math.max(info.width, info.height) / 842;
		const isRed = (left: number, top: number, right = 0) => {
			const x = Math.floor(left * info.width + right * point);
			const at = 3 * (Math.floor(top * info.height) * info.width + x);
			return data[at]! > 200 && data[at + 1]! < 120;
		};
		expect([
			...[isRed(0.25, 0.5625, -2), isRed(0.5, 0.5625, 2)],
			...[isRed(0.375, 0.5625), isRed(0.25, 0.5625, -6), isRed(0.5, 0.5625, 6)],
		]).toEqual([true, true, false, false, false]);
	},
);

const MB = 1_000_000;

/** Processor time in milliseconds, which other programs on a busy machine do not add to. */
function spent(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

test('a copy of 95 MB of scans takes no more memory than a cut, and blocks n8n briefly', async () => {
	const file = scan(95, MB);
	const numbers = Array.from({ length: 95 }, (_, index) => index + 1);
	const growthOf = async (highlights: Highlight[]) => {
		const bundle = await opened(file);
		const before = process.memoryUsage().rss;
		let [highest, last, longest] = [0, spent(), 0];
		const timer = setInterval(() => {
			highest = Math.max(highest, process.memoryUsage().rss - before);
			longest = Math.max(longest, spent() - last);
			last = spent();
		}, 1);
		const part = await bundle.cut(numbers, highlights);
		highest = Math.max(highest, process.memoryUsage().rss - before);
		longest = Math.max(longest, spent() - last);
		clearInterval(timer);
		expect(part).toBeInstanceOf(Buffer);
		return { highest, longest };
	};
	// What the first one loads stays.
	await growthOf([]);
	const cut = await growthOf([]);
	const copy = await growthOf(numbers.map(highlight));
	expect(copy.highest).toBeLessThan(Math.max(cut.highest, 95 * MB) * 1.1 + 10 * MB);
	expect(copy.longest).toBeLessThan(250);
});

test.each(Object.entries(hostile))('hostile: %s', async (_, file) => {
	const bundle = await opened(file(10 * MB)).catch(() => undefined);
	const highlights = Array.from({ length: 1000 }, () => highlight(1));
	const copy = await bundle?.cut([1], highlights);
	expect(copy === undefined || copy instanceof Buffer || typeof copy === 'string').toBe(true);
});
