import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readFileOf, useBinaryMode, type BinaryMode } from '../../../../n8n-core/runNode';
import { corpus } from '../../../../pdf/corpus';
import { opened, partOf } from '../../../../pdf/cutting';
import { itemOf, itemWith, sampleBytes, truth } from '../../../samples';
import { failureOf, goOn, useService } from '../../../service';

const service = useService();

afterEach(() => {
	jest.restoreAllMocks();
});

const segments = truth['bundle.pdf']?.segments ?? [];

const upTo = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The file of each item, or undefined where it has none. */
async function filesOf(items: INodeExecutionData[]) {
	return await Promise.all(
		items.map(async ({ binary }) => binary?.data && (await readFileOf(binary.data))),
	);
}

/** Parts with these pages. That nothing else is in them is proved where they are cut (pdf/part.test.ts). */
async function partsOf(file: Buffer, pages: Array<number[] | undefined>) {
	const bundle = await opened(file);
	const parts: Array<Buffer | undefined> = [];
	for (const own of pages) parts.push(own && (await partOf(bundle, own)));
	return parts;
}

describe.each<BinaryMode>(['filesystem', 'default'])(
	'Split, with files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		test('outputs each document of a bundle as a PDF of its own pages, for one request', async () => {
			const { items, hints } = await service.run({ operation: 'split' }, [
				await itemWith('bundle.pdf'),
			]);
			expect(segments).toHaveLength(5);
			expect(items).toEqual(
				segments.map(({ documentType, firstPage, lastPage }, index) => {
					const type = documentType.replace(/^./, (letter) => letter.toUpperCase());
					const fileName = `bundle-${index + 1}-${type}.pdf`;
					return {
						json: {
							documentType: type,
							firstPage,
							lastPage,
							pages: upTo(firstPage, lastPage),
							fileName,
							sourceFileName: 'bundle.pdf',
							index,
							confidence: expect.any(Number) as number,
						},
						binary: {
							data: expect.objectContaining({
								fileName,
								mimeType: 'application/pdf',
								fileExtension: 'pdf',
							}) as object,
						},
						pairedItem: { item: 0 },
					};
				}),
			);
			const pages = segments.map(({ firstPage, lastPage }) => upTo(firstPage, lastPage));
			expect(await filesOf(items)).toEqual(await partsOf(sampleBytes('bundle.pdf'), pages));
			expect(hints).toEqual([]);
			expect(await service.calls()).toHaveLength(1);
		});

		test('passes a file on as it is if it is a single document', async () => {
			const item = await itemWith('invoice-long.pdf');
			const { items, hints } = await service.run(
				{ operation: 'split', options: { includeInputFile: true } },
				[item],
			);
			expect(items).toMatchObject([
				{
					json: {
						firstPage: 1,
						lastPage: 2,
						fileName: 'invoice-long.pdf',
						sourceFileName: 'invoice-long.pdf',
						index: 0,
					},
				},
			]);
			// Were it in another field as well, the next node would pay for it twice.
			expect(items[0]?.binary).toEqual(item.binary);
			expect(hints).toEqual([]);
		});
	},
);

describe('Split', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	/** A run on a file under an answer that is made up. */
	async function answered(
		file: Buffer | string,
		data: unknown,
		{ parameters = {}, name = 'bundle.pdf' }: { parameters?: IDataObject; name?: string } = {},
	) {
		await service.standIn.queueFaults([{ kind: 'answer', data, creditsConsumed: 6 }]);
		const bytes = typeof file === 'string' ? corpusFile(file) : file;
		const item = await itemOf(bytes, name, 'application/pdf');
		const { items, hints } = await service.run({ operation: 'split', ...parameters }, [item]);
		for (const { pairedItem } of items) expect(pairedItem).toEqual({ item: 0 });
		return { items, hints: hints.map(({ message }) => message), item };
	}

	test('Page Ranges are the same without files', async () => {
		const bundle = await itemWith('bundle.pdf');
		const { items } = await service.run({ operation: 'split', output: 'fields' }, [bundle]);
		const documents = (await service.run({ operation: 'split' }, [bundle])).items;
		expect(items).toEqual(
			documents.map(({ json, pairedItem }) => ({
				json: { ...json, fileName: 'bundle.pdf' },
				pairedItem,
			})),
		);
	});

	function corpusFile(name: string): Buffer {
		const entry = corpus[name];
		if (entry === undefined) throw new Error(`The corpus has no "${name}".`);
		return entry.file();
	}

	const ranges = (...pages: unknown[]) => ({
		segments: pages.map((entry) => ({ type: 'letter', pages: entry })),
	});

	test.each([
		['locked', 'it needs a password'],
		['damaged', 'it is damaged'],
		['notPdf', 'it is not a PDF, JPEG or PNG without transparency and interlacing'],
	])('a file that is %s: the page ranges without files, and why', async (ending, reason) => {
		const [, unreadable] = Object.entries(corpus).find(
			([name, entry]) => entry.ending === ending && name !== 'empty',
		)!;
		const { items, hints } = await answered(unreadable.file(), ranges('1-2', '3'));
		expect(items.map(({ json, binary }) => [json.pages, json.fileName, binary])).toEqual([
			[[1, 2], 'bundle.pdf', undefined],
			[[3], 'bundle.pdf', undefined],
		]);
		expect(hints).toEqual([expect.stringContaining(`"bundle.pdf" (not cut: ${reason})`) as string]);
		for (const { json } of items)
			expect(json).toMatchObject({ needsReview: true, reviewReasons: [`not cut: ${reason}`] });
	});

	test.each<[string, unknown[], Array<number[] | undefined>, string]>([
		[
			'past the end',
			['1-4', '5-9999'],
			[upTo(1, 4), [5, 6]],
			"pages 7-9999 beyond the file's 6 pages",
		],
		[
			'in no known form',
			['1-3', 'all'],
			[upTo(1, 3), undefined],
			'no page numbers for 1 of 2 documents',
		],
		['from 0', ['0-1', '2-3'], [undefined, undefined], 'not cut: the response lists a page 0'],
	])('ranges %s: what is there, and a hint', async (_, said, expected, remark) => {
		const { items, hints } = await answered('plain', ranges(...said));
		expect(await filesOf(items)).toEqual(await partsOf(corpusFile('plain'), expected));
		for (const [index, pages] of expected.entries()) {
			if (pages === undefined) continue;
			expect(items[index]?.json).toMatchObject({
				pages,
				firstPage: pages[0],
				lastPage: pages.at(-1),
			});
		}
		expect(hints).toEqual([expect.stringContaining(`"bundle.pdf" (${remark})`) as string]);
	});

	test.each([
		['a:b?.pdf', 'a_b_.pdf'],
		['none', 'none.pdf'],
	])('a single document %j has a name that every file system stores', async (name, expected) => {
		const { items, item } = await answered('plain', ranges('1-6'), { name });
		expect(items).toMatchObject([
			{
				json: { fileName: expected, sourceFileName: name },
				binary: { data: { ...item.binary?.data, fileName: expected } },
			},
		]);
	});

	test('what the answer says besides is kept, under another name if we need that', async () => {
		const first = { type: 'a', pages: '1-2', index: 7, fileName: 'part.pdf', id: 'x' };
		const { items } = await answered('plain', {
			segments: [first, { type: 'b', pages: '3-6' }],
		});
		expect(items[0]?.json).toEqual({
			documentType: 'a',
			firstPage: 1,
			lastPage: 2,
			pages: [1, 2],
			fileName: 'bundle-1-a.pdf',
			sourceFileName: 'bundle.pdf',
			index: 0,
			id: 'x',
			index_: 7,
			fileName_: 'part.pdf',
		});
	});

	test('no name comes twice in a run, and the first item keeps the plain one', async () => {
		const files = ['scan.pdf', 'scan.pdf', 'SCAN.PDF'];
		const items = await Promise.all(files.map(async (name) => await itemWith('bundle.pdf', name)));
		const alone = await Promise.all(
			files.map(async (name) => await itemWith('invoice-us.pdf', name)),
		);
		const results = (await service.run({ operation: 'split' }, [...items, ...alone])).items;
		const names = results.map(({ json }) => json.fileName as string);
		expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(18);
		expect(results.map(({ binary }) => binary?.data?.fileName)).toEqual(names);
		expect(names.filter((_, index) => [0, 5, 10, 15, 16, 17].includes(index))).toEqual([
			'scan-1-Invoice.pdf',
			'scan-1-Invoice (2).pdf',
			'SCAN-1-Invoice (3).pdf',
			'scan.pdf',
			'scan (2).pdf',
			'SCAN (3).PDF',
		]);
	});

	test('the names of ten and more parts sort as the parts do', async () => {
		const { items } = await answered('plain', ranges(...upTo(1, 10).map(() => '1')));
		const names = items.map(({ json }) => json.fileName);
		expect(names).toEqual([...names].sort());
		expect([names[0], names[9]]).toEqual(['bundle-01-letter.pdf', 'bundle-10-letter.pdf']);
	});

	test('a part that n8n cannot store fails its document, and the next run cuts the same result', async () => {
		const store = Container.get(BinaryDataService);
		const storing = store.store.bind(store);
		const spy = jest
			.spyOn(store, 'store')
			.mockImplementation(async (location, content, binary) =>
				binary.fileName === 'bundle-2-letter.pdf'
					? await Promise.reject(new Error('no space left on device'))
					: await storing(location, content, binary),
			);
		const item = await itemOf(corpusFile('plain'), 'bundle.pdf', 'application/pdf');
		await service.standIn.queueFaults([{ kind: 'answer', data: ranges('1-2', '3', '4-6') }]);
		const failed = await service.run({ operation: 'split' }, [item], goOn);
		expect(failed.items.map((each) => failureOf(each).message)).toEqual([
			'The result for "bundle.pdf" could not be passed on: no space left on device',
		]);
		spy.mockRestore();
		const { items } = await service.run({ operation: 'split' }, [item], goOn);
		expect(items.map(({ binary }) => binary?.data?.fileName)).toEqual(
			['1', '2', '3'].map((number) => `bundle-${number}-letter.pdf`),
		);
		expect(await service.calls()).toHaveLength(1);
	});

	test('a bundle that can no longer be read keeps its items', async () => {
		const store = Container.get(BinaryDataService);
		const reading = store.getAsStream.bind(store);
		let times = 0;
		jest.spyOn(store, 'getAsStream').mockImplementation(async (id, chunkSize) => {
			times += 1;
			// Read to see what it is, and to send it.
			return times > 2 ? await Promise.reject(new Error('gone')) : await reading(id, chunkSize);
		});
		const { items, hints } = await answered('plain', ranges('1-2', '3-6'));
		expect(items.map(({ json, binary }) => [json.pages, binary])).toEqual([
			[[1, 2], undefined],
			[[3, 4, 5, 6], undefined],
		]);
		expect(hints).toHaveLength(1);
		expect(hints[0]).toContain('"bundle.pdf" (not cut: n8n could not read it again: ');
	});

	test('Include Input File hands the bundle on once, whatever is in it', async () => {
		const parameters = { options: { includeInputFile: true } };
		const { items, item } = await answered('plain', ranges('1-2', '3', '4-6'), { parameters });
		expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toEqual([
			['input', 'data'],
			['data'],
			['data'],
		]);
		expect(items[0]?.binary?.input).toEqual(item.binary?.data);

		const only = { ...parameters, output: 'fields' };
		const inRanges = await answered('plain', ranges('1-2', '3-6'), { parameters: only });
		expect(inRanges.items.map(({ binary }) => binary)).toEqual([
			{ input: inRanges.item.binary?.data },
			undefined,
		]);
	});

	test('Include Input File: a bundle that cannot be cut is not treated as its first document', async () => {
		const parameters = { options: { includeInputFile: true } };
		const said = [ranges('7-9', '1-6'), { segments: [{ documentType: 'Letter' }, {}] }];
		for (const answer of said) {
			const { items, item } = await answered('plain', answer, { parameters });
			expect(items[0]?.binary).toEqual({ input: item.binary?.data });
		}
	});

	test.each([
		['receipt.jpg', 'receipt.jpg', [1]],
		['letter.docx', 'letter.docx', '1-2'],
		['receipt.jpg', 'scan.tiff', '1-9'],
		['letter.docx', 'letter.docx', 'all'],
	])(
		'%s as %s, whose pages cannot be counted, is passed on as a single document',
		async (...file) => {
			const [sample, name, pages] = file;
			const item = await itemWith(sample, name);
			await service.standIn.queueFaults([{ kind: 'answer', data: ranges(pages) }]);
			const { items, hints } = await service.run({ operation: 'split' }, [item]);
			expect(items.map(({ binary }) => binary)).toEqual([item.binary]);
			const isMisnamed = sample !== name;
			expect(hints.map(({ message }) => message)).toEqual(
				isMisnamed
					? ['1 file with other content than its name says: "scan.tiff" (sent as "scan.jpg")']
					: [],
			);
		},
	);
});
