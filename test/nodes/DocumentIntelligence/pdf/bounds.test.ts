import { PDFName } from '@cantoo/pdf-lib';

import { openBundle } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { corpus } from '../../../pdf/corpus';
import { endOfCutting, opened, partOf } from '../../../pdf/cutting';
import { hostile } from '../../../pdf/hostile';
import {
	deflated,
	everythingIn,
	form,
	rawPdf,
	type RawObjects,
	twoPages,
} from '../../../pdf/rawPdf';
import { effortOf } from './effort';

const openedRaw = async (objects: RawObjects) => await opened(rawPdf(objects));

// With hostile sizes, and timed, in bounds.slow.test.ts.
test.each(Object.entries(hostile))('%s: reading ends', async (_name, file) => {
	const { end } = await effortOf(file(4000));
	expect(end).toMatch(/cut|damaged|tooComplex/);
});

describe('What takes too much memory or time is not cut', () => {
	test('what a page refers to has millions of values', async () => {
		const values = `<< /X [${'[]'.repeat(600_000)}] >>`;
		const bundle = await openedRaw(twoPages({ first: '/Group 20 0 R', more: { 20: values } }));
		expect(await bundle.cut([1])).toBe('tooComplex');
	});

	test('an encryption with thousands of names, which the library would keep, is locked', async () => {
		const kept = jest.spyOn(PDFName, 'of');
		const names = Array.from({ length: 5000 }, (_, index) => `/Name${index} 0`).join(' ');
		const trailer = `/Encrypt << /Filter /Standard ${names} >>`;
		expect(await openBundle(rawPdf(twoPages(), { trailer }))).toBe('locked');
		expect(kept.mock.calls.length).toBeLessThan(100);
		kept.mockRestore();
	});

	test('a page that nests without end is damaged', async () => {
		const objects = twoPages({ first: `/Group ${'['.repeat(50_000)}${']'.repeat(50_000)}` });
		expect(await openBundle(rawPdf(objects))).toBe('damaged');
	});

	test('streams that overlap, so that together they are larger than the file', async () => {
		// Each begins in the data of the one before, and ends where all end.
		const count = 400;
		const head = (index: number) =>
			`${20 + index} 0 obj\n<< /Subtype /Image /Length ${lengthOf(index)} >>\nstream\n`;
		const tail = 1_000_000;
		const headBytes = 60;
		const lengthOf = (index: number) => tail + (count - 1 - index) * headBytes;
		const heads = Array.from({ length: count }, (_, index) =>
			head(index).padStart(headBytes, '\n'),
		);
		const names = heads.map((_, index) => `/Im${index} ${20 + index} 0 R`);
		const objects = twoPages({
			resources: `/XObject << ${names.join(' ')} >>`,
			content: heads.map((_, index) => `/Im${index} Do`).join(' '),
		});
		const file = rawPdf(objects).toString('latin1');
		const at = file.indexOf('xref\n0');
		const data = `${heads.join('')}${'x'.repeat(tail)}\nendstream\nendobj\n`;
		const rows = heads.map(
			(_, index) => `${`${at + index * headBytes}`.padStart(10, '0')} 00000 n \n`,
		);
		const table = `${at + data.length}`;
		const bundle = await opened(
			Buffer.from(
				file.slice(0, at) +
					data +
					file
						.slice(at)
						.replace('trailer', `20 ${count}\n${rows.join('')}trailer`)
						.replace(/startxref\n\d+/, `startxref\n${table}`),
				'latin1',
			),
		);
		expect(await endOfCutting(bundle, [1])).toBe('tooComplex');
		expect(await endOfCutting(bundle, [2])).toBe('cut');
	});

	test('a file with which half a minute is spent', async () => {
		let now = 0;
		// Longer than a slice each time that it is asked.
		const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 21));
		expect(await openBundle(corpus['1,000 pages']!.file())).toBe('tooComplex');
		clock.mockRestore();
	});

	test('but not because of an object that no page uses', async () => {
		const bundle = await openedRaw(twoPages({ more: { 20: `[${'[]'.repeat(600_000)}]` } }));
		expect(await endOfCutting(bundle, [1])).toBe('cut');
	});
});

test('data after what cannot be inflated are not charged', async () => {
	// A block of a type that does not exist.
	const data = Buffer.concat([Buffer.from('789c07', 'hex'), Buffer.alloc(400_000)]);
	const bundle = await openedRaw(twoPages({ content: { dict: '/Filter /FlateDecode', data } }));
	expect(await endOfCutting(bundle, [1])).toBe('cut');
});

test('forms that share a resource dictionary share it in the part', async () => {
	const names = Array.from({ length: 100 }, (_, index) => `/Fm${index}`);
	const shared = `/XObject << ${names.map((name, index) => `${name} ${21 + index} 0 R`).join(' ')} >>`;
	const more: RawObjects = { 20: `<< ${shared} >>` };
	const all = names.map((name) => `${name} Do`).join(' ');
	for (const index of names.keys()) more[21 + index] = form(`${index}`, '/Resources 20 0 R');
	const bundle = await openedRaw(
		twoPages({
			resources: shared,
			content: deflated(all),
			more: { ...more, 21: { dict: '/Subtype /Form /Resources 20 0 R', data: all } },
		}),
	);
	const part = await partOf(bundle, [1]);
	// Once for the page, once for the forms.
	expect(everythingIn(part).match(/\/Fm99 \d+ 0 R/g)?.length).toBeLessThanOrEqual(2);
});
