import { deflateSync } from 'node:zlib';

import { type Bundle, openBundle } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import {
	deflated,
	everythingIn,
	form,
	rawPdf,
	type RawObjects,
	twoPages,
} from '../../../pdf/rawPdf';

async function opened(objects: RawObjects): Promise<Bundle> {
	const bundle = await openBundle(rawPdf(objects));
	if (typeof bundle === 'string') throw new Error(`It cannot be cut: ${bundle}.`);
	return bundle;
}

/** The longest time in which nothing else ran, in milliseconds. */
async function longestBlock(work: () => Promise<void>): Promise<number> {
	let last = performance.now();
	let longest = 0;
	const note = () => {
		const now = performance.now();
		longest = Math.max(longest, now - last);
		last = now;
	};
	const timer = setInterval(note, 5);
	await work();
	note();
	clearInterval(timer);
	return longest;
}

const manyMembers = (body: string) =>
	deflated(`20 0 ${body}`, `/Type /ObjStm /N 1 /First ${'20 0 '.length}`);

/** A file with a cross-reference stream, as objects in object streams have no row in a table. */
function withPackedTree(kids: number): Buffer {
	const objects: RawObjects = {
		1: '<< /Type /Catalog /Pages 20 0 R >>',
		3: '<< /Type /Page /Parent 20 0 R >>',
		9: manyMembers(`<< /Type /Pages /Kids [${'3 0 R '.repeat(kids)}] >>`),
	};
	// Without a table it is found by going through the file.
	return Buffer.from(rawPdf(objects).toString('latin1').replace('xref\n0', 'xxxx\n0'), 'latin1');
}

describe('What takes too much memory or time is not cut', () => {
	test.each([
		['compressed once', deflateSync(Buffer.alloc(200_000_000, 'q Q ')), '/FlateDecode'],
		[
			'compressed twice',
			deflateSync(deflateSync(Buffer.alloc(300_000_000, 'q Q '))),
			'[/FlateDecode /FlateDecode]',
		],
	])(
		'a content of hundreds of megabytes, %s: only the other page',
		async (_name, data, filter) => {
			const bundle = await opened(twoPages({ content: { dict: `/Filter ${filter}`, data } }));
			expect(await bundle.cut([1])).toBe('tooComplex');
			expect(Buffer.isBuffer(await bundle.cut([2]))).toBe(true);
		},
		30_000,
	);

	test('a page tree with millions of references', async () => {
		expect(await openBundle(withPackedTree(4_000_000))).toBe('tooComplex');
		expect(await openBundle(withPackedTree(40))).toMatchObject({ pageCount: 40 });
	}, 30_000);

	test('what a page refers to has millions of numbers', async () => {
		const bundle = await opened(
			twoPages({ first: '/Group 20 0 R', more: { 20: `<< /X [${'1 '.repeat(3_000_000)}] >>` } }),
		);
		expect(await bundle.cut([1])).toBe('tooComplex');
	}, 30_000);

	test('millions of names in a content', async () => {
		const names = Array.from({ length: 300_000 }, (_, index) => `/N${index}`).join(' ');
		const bundle = await opened(twoPages({ content: deflated(names) }));
		expect(await bundle.cut([1])).toBe('tooComplex');
	});

	test('a page that nests without end is damaged', async () => {
		const objects = twoPages({ first: `/Group ${'['.repeat(50_000)}${']'.repeat(50_000)}` });
		expect(await openBundle(rawPdf(objects))).toBe('damaged');
	});
});

describe('What nobody asks for is not read', () => {
	test('millions of numbers in an object that no page uses', async () => {
		const bundle = await opened(twoPages({ more: { 20: `[${'1 '.repeat(3_000_000)}]` } }));
		expect(Buffer.isBuffer(await bundle.cut([1]))).toBe(true);
	});
});

describe('A large file keeps others waiting for a moment only', () => {
	test('a part of 30,000 objects is written without looking through all for each', async () => {
		const more: RawObjects = {};
		const links: string[] = [];
		for (let number = 20; number < 30_020; number++) {
			more[number] = `<< /Subtype /Link /Rect [0 0 1 1] >>`;
			links.push(`${number} 0 R`);
		}
		const bundle = await opened(twoPages({ first: `/Annots [${links.join(' ')}]`, more }));
		let part: Awaited<ReturnType<Bundle['cut']>> = 'noPages';
		const block = await longestBlock(async () => {
			part = await bundle.cut([1]);
		});
		expect(Buffer.isBuffer(part)).toBe(true);
		// Ten seconds on a machine that does nothing else, if each object is looked for among all.
		expect(block).toBeLessThan(3000);
	}, 60_000);

	test('forms that share a resource dictionary share it in the part', async () => {
		const count = 300;
		const names = Array.from({ length: count }, (_, index) => `/Fm${index}`);
		const shared = `/XObject << ${names.map((name, index) => `${name} ${21 + index} 0 R`).join(' ')} >>`;
		const more: RawObjects = { 20: `<< ${shared} >>` };
		const all = names.map((name) => `${name} Do`).join(' ');
		for (const index of names.keys()) more[21 + index] = form(`${index}`, '/Resources 20 0 R');
		const bundle = await opened(
			twoPages({
				resources: shared,
				content: all,
				more: { ...more, 21: { dict: '/Subtype /Form /Resources 20 0 R', data: all } },
			}),
		);
		const part = await bundle.cut([1]);
		if (typeof part === 'string') throw new Error(part);
		// Once for the page, once for the forms.
		expect(everythingIn(part).match(/\/Fm299 \d+ 0 R/g)?.length).toBeLessThanOrEqual(2);
	});
});
