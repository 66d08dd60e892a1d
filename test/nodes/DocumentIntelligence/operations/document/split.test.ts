import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readFileOf, useBinaryMode, type BinaryMode } from '../../../../n8n-core/runNode';
import { corpus } from '../../../../pdf/corpus';
import { opened, partOf } from '../../../../pdf/cutting';
import { itemOf, itemsWith, itemWith, sampleBytes, truth } from '../../../samples';
import { failureOf, goOn, useService } from '../../../service';

const service = useService();

/** Of six pages. */
const plain = corpus.plain!.file();

const upTo = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, index) => first + index);

const ranges = (...pages: unknown[]) => ({
	segments: pages.map((entry) => ({ type: 'letter', pages: entry })),
});

/** A run on a file under an answer that is made up. */
async function answered(
	data: unknown,
	{ file = plain, name = 'bundle.pdf', ...parameters }: IDataObject & { file?: Buffer } = {},
) {
	await service.standIn.queueFaults([{ kind: 'answer', data, creditsConsumed: 6 }]);
	const item = await itemOf(file, name as string, 'application/pdf');
	const { items, hints } = await service.run({ operation: 'split', ...parameters }, [item]);
	for (const { pairedItem } of items) expect(pairedItem).toEqual({ item: 0 });
	return { items, hints: hints.map(({ message }) => message), item };
}

/** That each item has a file of these pages, or none. That nothing else is in it is proved in pdf/part.test.ts. */
async function expectPages(
	items: INodeExecutionData[],
	file: Buffer,
	pages: Array<number[] | undefined>,
) {
	const bundle = await opened(file);
	expect(items).toHaveLength(pages.length);
	for (const [index, { json, binary }] of items.entries()) {
		const own = pages[index];
		const data = binary?.data && (await readFileOf(binary.data));
		expect(data).toEqual(own && (await partOf(bundle, own)));
		if (own) expect(json).toMatchObject({ pages: own, firstPage: own[0], lastPage: own.at(-1) });
	}
}

test.each<BinaryMode>(['filesystem', 'default'])(
	'each document of a bundle is a PDF of its own pages, for one request (files in n8n’s mode "%s")',
	async (mode) => {
		await useBinaryMode(mode);
		const [item] = await itemsWith('bundle.pdf');
		const { items, hints } = await service.run({ operation: 'split' }, [item!]);
		const segments = truth['bundle.pdf']?.segments ?? [];
		expect(segments).toHaveLength(5);
		const types = segments.map(({ documentType: [first = '', ...letters] }) =>
			[first.toUpperCase(), ...letters].join(''),
		);
		const pages = segments.map(({ firstPage, lastPage }) => upTo(firstPage, lastPage));
		expect(items).toEqual(
			segments.map(({ firstPage, lastPage }, index) => {
				const fileName = `bundle-${index + 1}-${types[index]}.pdf`;
				const file = { fileName, mimeType: 'application/pdf', fileExtension: 'pdf' };
				return {
					json: {
						...{ documentType: types[index], firstPage, lastPage, pages: pages[index], fileName },
						...{ sourceFileName: 'bundle.pdf', index, confidence: expect.any(Number) as number },
					},
					binary: { data: expect.objectContaining(file) as object },
					pairedItem: { item: 0 },
				};
			}),
		);
		await expectPages(items, sampleBytes('bundle.pdf'), pages);
		expect(hints).toEqual([]);
		expect(await service.calls()).toHaveLength(1);
		const { items: withoutFiles } = await service.run({ operation: 'split', output: 'fields' }, [
			item!,
		]);
		expect(withoutFiles).toEqual(
			items.map(({ json, pairedItem }) => ({
				json: { ...json, fileName: 'bundle.pdf' },
				pairedItem,
			})),
		);
		await useBinaryMode('filesystem');
	},
);

// The other reasons are in markedCopy.test.ts.
test('a file that needs a password: the page ranges without files, and why', async () => {
	const file = corpus['password, AES 128']!.file();
	const { items, hints } = await answered(ranges('1-2', '3'), { file });
	const reason = 'not cut: it needs a password';
	const json = { fileName: 'bundle.pdf', needsReview: true, reviewReasons: [reason] };
	expect(items).toMatchObject([{ json: { pages: [1, 2], ...json } }, { json: { pages: [3] } }]);
	expect(items.map(({ binary }) => binary)).toEqual([undefined, undefined]);
	expect(hints).toEqual([expect.stringContaining(`"bundle.pdf" (${reason})`)]);
});

test.each<[string[], Array<number[] | undefined>, string]>([
	[['1-4', '5-9999'], [upTo(1, 4), [5, 6]], "pages 7-9999 beyond the file's 6 pages"],
	[['1-3', 'all'], [upTo(1, 3), undefined], 'no page numbers for 1 of 2 documents'],
	[['0-1', '2-3'], [undefined, undefined], 'not cut: the response lists a page 0'],
])('of the ranges %j, the pages %j are cut, with a hint', async (said, expected, remark) => {
	const { items, hints } = await answered(ranges(...said));
	await expectPages(items, plain, expected);
	expect(hints).toEqual([expect.stringContaining(`"bundle.pdf" (${remark})`)]);
});

test('what the answer says besides is kept, under another name if we need that', async () => {
	const first = { type: 'a', pages: '1-2', index: 7, fileName: 'part.pdf', id: 'x' };
	const { items } = await answered({ segments: [first, { type: 'b', pages: '3-6' }] });
	expect(items[0]?.json).toEqual({
		...{ documentType: 'a', firstPage: 1, lastPage: 2, pages: [1, 2] },
		...{ fileName: 'bundle-1-a.pdf', sourceFileName: 'bundle.pdf', index: 0 },
		...{ id: 'x', index_: 7, fileName_: 'part.pdf' },
	});
});

test('no name comes twice in a run, and the first item keeps the plain one', async () => {
	const files = ['scan.pdf', 'scan.pdf', 'SCAN.PDF'].flatMap((name) => [
		itemWith('bundle.pdf', name),
		itemWith('invoice-us.pdf', name),
	]);
	const { items } = await service.run({ operation: 'split' }, await Promise.all(files));
	const names = items.map(({ json }) => json.fileName as string);
	expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(18);
	expect(items.map(({ binary }) => binary?.data?.fileName)).toEqual(names);
	expect(names.filter((_, index) => [0, 5, 6, 11, 12, 17].includes(index))).toEqual([
		...['scan-1-Invoice.pdf', 'scan.pdf'],
		...['scan-1-Invoice (2).pdf', 'scan (2).pdf'],
		...['SCAN-1-Invoice (3).pdf', 'SCAN (3).PDF'],
	]);
});

test('the names of ten and more parts sort as the parts do', async () => {
	const { items } = await answered(ranges(...upTo(1, 10).map(() => '1')));
	const names = items.map(({ json }) => json.fileName);
	expect(names).toEqual([...names].sort());
	expect([names[0], names[9]]).toEqual(['bundle-01-letter.pdf', 'bundle-10-letter.pdf']);
});

describe('If n8n’s storage fails', () => {
	const store = () => Container.get(BinaryDataService);

	afterEach(() => jest.restoreAllMocks());

	test('to take a part, the document fails, and the next run cuts the same result', async () => {
		const storing = store().store.bind(store());
		const spy = jest
			.spyOn(store(), 'store')
			.mockImplementation(async (location, content, binary) =>
				binary.fileName === 'bundle-2-letter.pdf'
					? await Promise.reject(new Error('no space left on device'))
					: await storing(location, content, binary),
			);
		const item = await itemOf(plain, 'bundle.pdf', 'application/pdf');
		await service.standIn.queueFaults([{ kind: 'answer', data: ranges('1-2', '3', '4-6') }]);
		const failed = await service.run({ operation: 'split' }, [item], goOn);
		expect(failed.items.map((each) => failureOf(each).message)).toEqual([
			'The result for "bundle.pdf" could not be passed on: no space left on device',
		]);
		spy.mockRestore();
		const { items } = await service.run({ operation: 'split' }, [item], goOn);
		await expectPages(items, plain, [[1, 2], [3], [4, 5, 6]]);
		expect(await service.calls()).toHaveLength(1);
	});

	test('to return the bundle, it keeps its items', async () => {
		const reading = store().getAsStream.bind(store());
		let times = 0;
		jest.spyOn(store(), 'getAsStream').mockImplementation(async (id, chunkSize) => {
			times += 1;
			// Read to see what it is, and to send it.
			return times > 2 ? await Promise.reject(new Error('gone')) : await reading(id, chunkSize);
		});
		const { items, hints } = await answered(ranges('1-2', '3-6'));
		expect(items.map(({ json, binary }) => [json.pages, binary])).toEqual([
			[[1, 2], undefined],
			[[3, 4, 5, 6], undefined],
		]);
		expect(hints).toEqual([
			expect.stringContaining('"bundle.pdf" (not cut: n8n could not read it again: '),
		]);
	});
});

describe('Include Input File', () => {
	const options = { includeInputFile: true };

	// A bundle that cannot be cut is not treated as its first document.
	test.each<[string, unknown, string[][]]>([
		['documents', ranges('1-2', '3', '4-6'), [['input', 'data'], ['data'], ['data']]],
		['documents', ranges('7-9', '1-6'), [['input'], ['data']]],
		['documents', { segments: [{ documentType: 'Letter' }, {}] }, [['input'], []]],
		['fields', ranges('1-2', '3-6'), [['input'], []]],
	])(
		'(%s) hands the bundle on once, with the first part, whatever is in it: %j',
		async (output, data, fields) => {
			const { items, item } = await answered(data, { output, options });
			expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toEqual(fields);
			expect(items[0]?.binary?.input).toEqual(item.binary?.data);
		},
	);

	test('hands a single document on once, or the next node would pay for it twice', async () => {
		const { items, hints, item } = await answered(ranges('1-6'), { options });
		expect(items.map(({ binary }) => binary)).toEqual([item.binary]);
		expect(hints).toEqual([]);
	});
});

describe('A single document', () => {
	test.each([
		['a:b?.pdf', 'a_b_.pdf'],
		['none', 'none.pdf'],
	])('%j has a name that every file system stores', async (name, fileName) => {
		const { items, item } = await answered(ranges('1-6'), { name });
		const json = { fileName, sourceFileName: name, firstPage: 1, lastPage: 6 };
		const data = { ...item.binary?.data, fileName };
		expect(items).toMatchObject([{ json, binary: { data } }]);
	});

	test.each([
		['receipt.jpg', [1]],
		['letter.docx', '1-2'],
		['letter.docx', 'all'],
	])('%s, whose pages cannot be counted, is passed on as it is (%j)', async (name, pages) => {
		const item = await itemWith(name);
		await service.standIn.queueFaults([{ kind: 'answer', data: ranges(pages) }]);
		const { items, hints } = await service.run({ operation: 'split' }, [item]);
		expect(items.map(({ binary }) => binary)).toEqual([item.binary]);
		expect(hints).toEqual([]);
	});
});
