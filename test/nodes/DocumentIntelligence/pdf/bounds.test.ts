import { deflateSync } from 'node:zlib';

import { type Bundle, openBundle } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { hostile } from '../../../pdf/hostile';
import {
	deflated,
	everythingIn,
	form,
	rawPdf,
	type RawObjects,
	twoPages,
} from '../../../pdf/rawPdf';
import { effortOf } from './limits';

async function opened(objects: RawObjects): Promise<Bundle> {
	const bundle = await openBundle(rawPdf(objects));
	if (typeof bundle === 'string') throw new Error(`It cannot be cut: ${bundle}.`);
	return bundle;
}

// With hostile sizes, and timed, in bounds.slow.test.ts.
test.each(Object.entries(hostile))('%s: reading ends', async (_name, file) => {
	const { end } = await effortOf(file(20_000));
	expect(end).toMatch(/cut|damaged|tooComplex/);
});

describe('What takes too much memory or time is not cut', () => {
	test('a content of more than 64 MB: only the other page', async () => {
		const data = deflateSync(Buffer.alloc(70_000_000, 'q Q '));
		const bundle = await opened(twoPages({ content: { dict: '/Filter /FlateDecode', data } }));
		expect(await bundle.cut([1])).toBe('tooComplex');
		expect(Buffer.isBuffer(await bundle.cut([2]))).toBe(true);
	});

	test('what a page refers to has millions of values', async () => {
		const values = `<< /X [${'[]'.repeat(600_000)}] >>`;
		const bundle = await opened(twoPages({ first: '/Group 20 0 R', more: { 20: values } }));
		expect(await bundle.cut([1])).toBe('tooComplex');
	});

	test('a page that nests without end is damaged', async () => {
		const objects = twoPages({ first: `/Group ${'['.repeat(50_000)}${']'.repeat(50_000)}` });
		expect(await openBundle(rawPdf(objects))).toBe('damaged');
	});

	test('but not because of an object that no page uses', async () => {
		const bundle = await opened(twoPages({ more: { 20: `[${'[]'.repeat(600_000)}]` } }));
		expect(Buffer.isBuffer(await bundle.cut([1]))).toBe(true);
	});
});

test('forms that share a resource dictionary share it in the part', async () => {
	const names = Array.from({ length: 300 }, (_, index) => `/Fm${index}`);
	const shared = `/XObject << ${names.map((name, index) => `${name} ${21 + index} 0 R`).join(' ')} >>`;
	const more: RawObjects = { 20: `<< ${shared} >>` };
	const all = names.map((name) => `${name} Do`).join(' ');
	for (const index of names.keys()) more[21 + index] = form(`${index}`, '/Resources 20 0 R');
	const bundle = await opened(
		twoPages({
			resources: shared,
			content: deflated(all),
			more: { ...more, 21: { dict: '/Subtype /Form /Resources 20 0 R', data: all } },
		}),
	);
	const part = await bundle.cut([1]);
	if (typeof part === 'string') throw new Error(part);
	// Once for the page, once for the forms.
	expect(everythingIn(part).match(/\/Fm299 \d+ 0 R/g)?.length).toBeLessThanOrEqual(2);
});
