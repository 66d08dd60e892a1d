import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readFileOf, storeFile } from '../../../../n8n-core/runNode';
import type { Fault } from '../../../../stand-in/startStandIn';
import { mimeTypeOf, sampleBytes, sha256 } from '../../../samples';
import { failureOf, goOn, thrownBy, useService } from '../../../service';

const service = useService();

/** A sample under another name. */
type Sample = [sample: string, name: string];

async function itemWith(...samples: Sample[]): Promise<INodeExecutionData> {
	const files = samples.map(async ([sample, name], position) => [
		`attachment_${position}`,
		await storeFile(sampleBytes(sample), name, mimeTypeOf(name)),
	]);
	return {
		json: {},
		binary: Object.fromEntries(await Promise.all(files)) as INodeExecutionData['binary'],
	};
}

/** An item for each name. */
const itemsOf = async (...names: string[]) =>
	await Promise.all(names.map(async (name) => await itemWith(['contract.pdf', name])));

const classify = async (
	items: INodeExecutionData[],
	options: IDataObject = {},
	more: Parameters<typeof service.run>[2] = {},
	parameters: IDataObject = {},
) =>
	await service.run(
		{
			operation: 'classify',
			binaryPropertyName: '*',
			options: { filesPerRequest: 20, ...options },
			...parameters,
		},
		items,
		more,
	);

const requests = async () => (await service.calls()).map(({ parts }) => parts.length);

/** What each item says: its type, or the message of the failed item. */
const typesOf = (items: INodeExecutionData[]) =>
	items.map((item) =>
		item.json.error === undefined ? item.json.documentType : failureOf(item).message,
	);

const result = (fileName: unknown, documentType: unknown) => ({ fileName, documentType });
const none = (name: string) => `Cogneris returned no type for "${name}"`;

test.each<[string, string[], unknown[], unknown[]]>([
	[
		'one is missing: no type goes to another file',
		['Ä.pdf', 'Ö.pdf', 'c.pdf'],
		[result('__2_.pdf', 'Invoice'), result('c.pdf', 'Contract')],
		[none('Ä.pdf'), 'Invoice', 'Contract'],
	],
	[
		'names with other characters as underscores, in another order',
		['Ä.pdf', 'Ö.pdf', 'c d&e.pdf', '1.pdf'],
		[
			result('1.pdf', 'One'),
			result('c_d_e.pdf', 'Space'),
			result('__2_.pdf', 'O'),
			result('_.pdf', 'A'),
		],
		['A', 'O', 'Space', 'One'],
	],
	[
		'names of other files',
		['a.pdf', 'b.pdf'],
		[result('a.pdf', 'Invoice'), result('upload-1.bin', 'Contract')],
		['Invoice', none('b.pdf')],
	],
	[
		'no names: none is guessed by its position',
		['a.pdf', 'b.pdf'],
		[result(null, 'Invoice'), { documentType: 'Contract' }],
		[none('a.pdf'), none('b.pdf')],
	],
	[
		'two types for one name: neither is guessed',
		['a.pdf', 'b.pdf', 'c.pdf'],
		[result('a.pdf', 'Invoice'), result('a.pdf', 'Contract'), result('c.pdf', 'Receipt')],
		[none('a.pdf'), none('b.pdf'), 'Receipt'],
	],
	[
		'an entry without a type',
		['a.pdf', 'b.pdf'],
		[result('a.pdf', null), result('b.pdf', 'Invoice')],
		[null, 'Invoice'],
	],
	[
		'a name without a type: the type of no name is not guessed',
		['a.pdf', 'b.pdf'],
		[{ fileName: 'b.pdf' }, { documentType: 'Invoice' }],
		[none('a.pdf'), none('b.pdf')],
	],
	['a file by itself, without a name', ['a.pdf'], [result(null, 'Invoice')], ['Invoice']],
	['a file by itself, whatever name the result has', ['a.pdf'], [result('b.pdf', 'X')], ['X']],
	[
		'a file by itself, and results of other files only',
		['a.pdf'],
		[result('b.pdf', 'X'), result('c.pdf', 'Y')],
		[none('a.pdf')],
	],
	[
		'a file by itself, after one of another file',
		['a.pdf'],
		[result('x.pdf', 'Invoice'), result('a.pdf', 'Contract')],
		['Contract'],
	],
	['a file by itself, and nothing but null', ['a.pdf'], [null], [none('a.pdf')]],
])('results, %s', async (_, names, results, expected) => {
	await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
	const { items } = await classify(await itemsOf(...names), {}, goOn);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(names.map((__, item) => ({ item })));
	expect(typesOf(items)).toEqual(expected);
	expect(await service.calls()).toHaveLength(1);
});

test('what is no text or number is null, and a confidence as text is a number', async () => {
	const results = [
		{ fileName: 'a.pdf', documentType: 'Invoice', confidence: '87%', pages: '2', templateId: {} },
		{ fileName: 'b.pdf', documentType: null, confidence: 'high', pages: [] },
	];
	await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
	const { items, hints } = await classify(await itemsOf('a.pdf', 'b.pdf'));
	expect(hints.map(({ message }) => message)).toEqual(['2 documents: Invoice 1, no type 1']);
	expect(items.map(({ json }) => json)).toEqual([
		{ fileName: 'a.pdf', documentType: 'Invoice', confidence: 87, pages: 2, templateId: null },
		{ fileName: 'b.pdf', documentType: null, confidence: null, pages: null, templateId: null },
	]);
});

describe('Confidence Threshold', () => {
	test('of 80: a lower or missing confidence and a missing type need a review', async () => {
		const said: Array<[answer: object, needsReview: boolean]> = [
			[{ confidence: 79.9 }, true],
			[{ confidence: 80 }, false],
			[{ confidence: '12 %' }, true],
			[{ confidence: '97' }, false],
			[{ confidence: 0 }, true],
			[{ confidence: null }, true],
			[{}, true],
			[{ confidence: 'low' }, true],
			[{ confidence: { value: 97 } }, true],
			[{ confidence: 97, documentType: null }, true],
		];
		const names = said.map((_, number) => `${number}.pdf`);
		const results = said.map(([answer], number) => ({
			...{ fileName: names[number], documentType: 'Invoice' },
			...answer,
		}));
		await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
		const { items } = await classify(await itemsOf(...names), { confidenceThreshold: 80 });
		expect(items.map(({ json }) => json.needsReview)).toEqual(said.map(([, expected]) => expected));
		expect(items[1]?.json).toMatchObject({ needsReview: false, reviewReasons: [] });
	});

	test('the reasons of a review', async () => {
		const results = [{ documentType: ' ', confidence: 40 }];
		await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
		const { items } = await classify(await itemsOf('a.pdf'), { confidenceThreshold: 80 });
		expect(items[0]?.json.reviewReasons).toEqual([
			'documentType has no value',
			'documentType has a confidence of 40, below 80',
		]);
	});
});

describe('Files per Request', () => {
	test('files that share a name are sent under different names, and keep their own', async () => {
		await service.standIn.queueFaults([{ kind: 'reorderedResults' }]);
		const item = await itemWith(['contract.pdf', 'scan.pdf'], ['invoice-us.pdf', 'scan.pdf']);
		const { items: results } = await classify([item]);
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual([
			'scan.pdf',
			'scan (2).pdf',
		]);
		expect(results.map(({ json }) => [json.fileName, json.documentType])).toEqual([
			['scan.pdf', 'Contract'],
			['scan.pdf', 'Invoice'],
		]);
	});

	/** The type of each, which has to be that of this very file. */
	const TYPES: Record<string, string> = {
		'invoice-us.pdf': 'Invoice',
		'contract.pdf': 'Contract',
		'letter.docx': 'Invoice',
		'id-card.png': 'Identity Card',
	};
	const mixed: Sample[][] = [
		[
			['contract.pdf', 'a.pdf'],
			['invoice-us.pdf', 'b.pdf'],
		],
		[['id-card.png', 'c.png']],
		[
			['letter.docx', 'd.docx'],
			['contract.pdf', 'e.pdf'],
		],
	];
	test('the results of files go back to item and file, in any order', async () => {
		await service.standIn.queueFaults([{ kind: 'reorderedResults' }]);
		const items = await Promise.all(mixed.map(async (own) => await itemWith(...own)));
		const { items: results } = await classify(items);
		expect(await requests()).toEqual([5]);
		const found = results.map(async ({ json, binary, pairedItem }) => [
			json.fileName,
			json.documentType,
			binary?.data === undefined ? undefined : sha256(await readFileOf(binary.data)),
			pairedItem,
		]);
		expect(await Promise.all(found)).toEqual(
			mixed.flatMap((own, item) =>
				own.map(([sample, name]) => [name, TYPES[sample], sha256(sampleBytes(sample)), { item }]),
			),
		);
	});

	test.each([
		[1, [1, 1, 1, 1, 1]],
		[2, [1, 2, 2]],
		[20, [5]],
	])('%d: requests of %j files', async (filesPerRequest, expected) => {
		const items = await Promise.all(mixed.map(async (own) => await itemWith(...own)));
		await classify(items, { filesPerRequest });
		expect((await requests()).sort()).toEqual(expected);
	});

	test('above 1 is refused with Raw before anything is sent, unless a document is processed as a job', async () => {
		const items = await itemsOf('a.pdf', 'b.pdf');
		const error = await thrownBy(classify(items, {}, {}, { output: 'raw' }));
		expect(error.message).toBe("With 'Files per Request' above 1, 'Output' cannot be Raw");
		expect(await service.calls()).toEqual([]);
		const { items: raw } = await classify(
			items,
			{ processing: 'job', includeInputFile: false },
			{},
			{ output: 'raw' },
		);
		expect(raw).toHaveLength(2);
	});

	test('each file is read as if it had been sent alone, and items that differ are not mixed', async () => {
		const items = (await itemsOf('a.pdf', 'b.pdf', 'c.pdf')).map((item, place) => ({
			...item,
			json: { size: place === 1 ? 1 : 20 },
		}));
		const { items: results } = await classify(items, { filesPerRequest: '={{ $json.size }}' });
		expect(await requests()).toEqual(expect.arrayContaining([2, 1]));
		expect(results.map(({ json }) => [json.fileName, json.documentType])).toEqual(
			['a.pdf', 'b.pdf', 'c.pdf'].map((name) => [name, 'Contract']),
		);
	});
});

describe('A request rejected because of one of its files', () => {
	const twenty = async () =>
		await itemsOf(
			...Array.from({ length: 20 }, (_, number) => `${number === 13 ? 'broken' : number}.pdf`),
		);
	const paired = Array.from({ length: 20 }, (_, item) => ({ item }));

	test.each([400, 413, 415, 422])('status %d: the others have their result', async (status) => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status, match: 'broken', times: 99 },
		]);
		const { items } = await classify(await twenty(), {}, goOn);
		expect(items.map(({ json }) => json.documentType)).toEqual(
			items.map((_, position) => (position === 13 ? undefined : 'Contract')),
		);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(paired);
		expect(failureOf(items[13]).message).toContain('"broken.pdf"');
		expect(failureOf(items[13]).details.fileName).toBe('broken.pdf');
		expect(await requests()).toEqual([20, ...paired.map(() => 1)]);
	});

	test.each<Fault>([
		{ kind: 'charged422', match: 'broken', times: 99 },
		{ kind: 'envelopeError', status: 400, creditsConsumed: 16, match: 'broken', times: 99 },
		{ kind: 'charged503', match: 'broken', times: 99 },
	])('one that was billed is sent once: %j', async (fault) => {
		await service.standIn.queueFaults([fault]);
		const { items } = await classify(await twenty(), {}, goOn);
		expect(await requests()).toEqual([20]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(paired);
		for (const item of items) {
			const { description, details } = failureOf(item);
			expect(description).toMatch(/billed \d+ credits/);
			expect(details).toMatchObject({
				creditsConsumed: 'creditsConsumed' in fault ? fault.creditsConsumed : 2,
			});
		}
	});

	test('with On Error: Stop, too: the message names the file, and what was answered before it is kept', async () => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 400, match: 'broken', times: 99 },
		]);
		const error = await thrownBy(classify(await twenty()));
		expect(error.message).toBe('Cogneris rejected "broken.pdf"');
		expect(error.description).toContain('13 results');
		expect(await requests()).toEqual([20, ...Array.from({ length: 14 }, () => 1)]);
	});

	test.each([401, 403, 500])(
		'what is not about a file, such as status %d, is not tried file by file',
		async (status) => {
			await service.standIn.queueFaults([{ kind: 'envelopeError', status }]);
			const { items } = await classify(await twenty(), {}, goOn);
			expect(items.map((item) => failureOf(item).details.httpCode)).toEqual(
				Array.from({ length: 20 }, () => status),
			);
			expect(await service.calls()).toHaveLength(1);
		},
	);
});
