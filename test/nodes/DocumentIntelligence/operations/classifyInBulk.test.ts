import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readFileOf, storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import type { Fault } from '../../../stand-in/startStandIn';
import { mimeTypeOf, sampleBytes, sha256 } from '../../samples';
import { failureOf, thrownBy, useService } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

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

const TYPES: Record<string, string> = {
	'invoice-us.pdf': 'Invoice',
	'invoice-de.pdf': 'Invoice',
	'contract.pdf': 'Contract',
	'letter.docx': 'Invoice',
	'id-card.png': 'Identity Card',
};

const classify = async (
	items: INodeExecutionData[],
	options: IDataObject,
	more: Parameters<typeof service.run>[2] = {},
) => await service.run({ operation: 'classify', binaryPropertyName: '*', options }, items, more);

const requests = async () => (await service.calls()).map(({ path, parts }) => [path, parts.length]);

/** What each result says, with the file that came along: the type has to be that of this very file. */
async function summary(items: INodeExecutionData[]): Promise<unknown[]> {
	return await Promise.all(
		items.map(async ({ json, binary, pairedItem }) => [
			(json.error as IDataObject | undefined)?.message ?? json.fileName,
			json.documentType,
			binary?.data === undefined ? undefined : sha256(await readFileOf(binary.data)),
			(pairedItem as { item: number }).item,
		]),
	);
}

const expected = (item: number, [sample, name]: Sample) => [
	name,
	TYPES[sample],
	sha256(sampleBytes(sample)),
	item,
];

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

describe('Files per Request', () => {
	test('files of several items share a request, and their results go back to item and file', async () => {
		const items = await Promise.all(mixed.map(async (samples) => await itemWith(...samples)));
		const { items: results } = await classify(items, { filesPerRequest: 20 });
		expect(await requests()).toEqual([['/Document/classifier', 5]]);
		expect(await summary(results)).toEqual(
			mixed.flatMap((samples, item) => samples.map((sample) => expected(item, sample))),
		);
		expect(Object.keys(results[0]?.json ?? {})).toEqual([
			'fileName',
			'documentType',
			'confidence',
			'pages',
			'templateId',
		]);
	});

	test('unset, each file is a request of its own', async () => {
		const items = await Promise.all(mixed.map(async (samples) => await itemWith(...samples)));
		await classify(items, {});
		expect(await requests()).toEqual(Array.from({ length: 5 }, () => ['/Document/classifier', 1]));
	});

	test('the last request takes what is left', async () => {
		const items = await Promise.all(mixed.map(async (samples) => await itemWith(...samples)));
		await classify(items, { filesPerRequest: 2, concurrency: 1 });
		expect((await requests()).map(([, files]) => files)).toEqual([2, 2, 1]);
	});

	test('results in another order find their files', async () => {
		await service.standIn.queueFaults([{ kind: 'reorderedResults' }]);
		const items = await Promise.all(mixed.map(async (samples) => await itemWith(...samples)));
		const { items: results } = await classify(items, { filesPerRequest: 20 });
		expect(await summary(results)).toEqual(
			mixed.flatMap((samples, item) => samples.map((sample) => expected(item, sample))),
		);
	});

	test('files that share a name are told apart, also in another order, and keep their name', async () => {
		await service.standIn.queueFaults([{ kind: 'reorderedResults' }]);
		const same: Sample[] = [
			['contract.pdf', 'scan.pdf'],
			['invoice-us.pdf', 'scan.pdf'],
			['contract.pdf', 'scan (2).pdf'],
			['invoice-de.pdf', 'scan.pdf'],
		];
		const items = [await itemWith(...same.slice(0, 2)), await itemWith(...same.slice(2))];
		const { items: results } = await classify(items, { filesPerRequest: 20 });
		expect(await summary(results)).toEqual(
			same.map((sample, position) => expected(position < 2 ? 0 : 1, sample)),
		);
		const sent = (await service.files()).map(({ fileName }) => fileName);
		expect(new Set(sent).size).toBe(4);
	});

	test.each<[string, Sample[]]>([
		[
			'no name at all',
			[
				['contract.pdf', ''],
				['invoice-us.pdf', ''],
			],
		],
		[
			'a name without extension',
			[
				['contract.pdf', 'scan'],
				['invoice-us.pdf', 'other'],
			],
		],
		[
			'quotes',
			[
				['contract.pdf', 'the "big" deal.pdf'],
				['invoice-us.pdf', 'other.pdf'],
			],
		],
		[
			'letters of any script',
			[
				['contract.pdf', 'Vertrag – Übersicht.pdf'],
				['invoice-us.pdf', '契約書.pdf'],
				['contract.pdf', 'חוזה.pdf'],
			],
		],
		[
			'an upper-case extension',
			[
				['contract.pdf', 'CONTRACT.PDF'],
				['invoice-us.pdf', 'contract.pdf'],
			],
		],
		[
			'a name that is cut',
			[
				['contract.pdf', `${'é'.repeat(200)}1.pdf`],
				['invoice-us.pdf', `${'é'.repeat(200)}2.pdf`],
			],
		],
	])('%s goes back to its file', async (_, samples) => {
		await service.standIn.queueFaults([{ kind: 'reorderedResults' }]);
		const { items: results } = await classify(
			[await itemWith(...samples)],
			{ filesPerRequest: 20 },
			{ onError: 'continueRegularOutput' },
		);
		expect(
			results.map(
				({ json }) => (json.error as IDataObject | undefined)?.message ?? json.documentType,
			),
		).toEqual(samples.map(([sample]) => TYPES[sample]));
	});

	/** Files of these names, and what becomes of each: its type, or the message of the failed item. */
	async function typesOf(names: string[], results: unknown): Promise<unknown[]> {
		await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
		const items = await Promise.all(
			names.map(async (name) => await itemWith(['contract.pdf', name])),
		);
		const { items: outputs } = await classify(
			items,
			{ filesPerRequest: 20 },
			{ onError: 'continueRegularOutput' },
		);
		expect(outputs.map(({ pairedItem }) => pairedItem)).toEqual(names.map((_, item) => ({ item })));
		expect(await service.calls()).toHaveLength(1);
		return outputs.map(({ json }) =>
			json.error === undefined ? json.documentType : failureOf({ json }).message,
		);
	}
	const none = (name: string) => `Cogneris returned no type for "${name}"`;
	const result = (fileName: unknown, documentType: unknown) => ({ fileName, documentType });

	test.each<[string, string[], unknown, unknown[]]>([
		[
			'one is missing: no type goes to another file',
			['Ä.pdf', 'Ö.pdf', 'c.pdf'],
			[result('O.pdf', 'Invoice'), result('c.pdf', 'Contract')],
			[none('Ä.pdf'), 'Invoice', 'Contract'],
		],
		[
			'names written in other letters, in another order',
			['Ä.pdf', 'Ö.pdf', 'c d.pdf', '1.pdf'],
			[result(1, 'One'), result('/tmp/c%20d', 'Space'), result('O.PDF', 'O'), result('A.pdf', 'A')],
			['A', 'O', 'Space', 'One'],
		],
		[
			'a name that two files may have',
			['a.pdf', 'a.png', 'b.pdf'],
			[result('A', 'Invoice'), result('A', 'Contract'), result('b.pdf', 'Receipt')],
			[none('a.pdf'), none('a.png'), 'Receipt'],
		],
		[
			'names of other files',
			['a.pdf', 'b.pdf'],
			[result('a.pdf', 'Invoice'), result('upload-1.bin', 'Contract')],
			['Invoice', none('b.pdf')],
		],
		[
			'no names: by position',
			['a.pdf', 'b.pdf', 'c.pdf'],
			[result(null, 'Invoice'), null, { documentType: 'Contract' }],
			['Invoice', none('b.pdf'), 'Contract'],
		],
		[
			'no names, and not one for each',
			['a.pdf', 'b.pdf'],
			[result(null, 'Invoice')],
			[none('a.pdf'), none('b.pdf')],
		],
		[
			'entries that are none',
			['a.pdf', 'b.pdf'],
			['Invoice', 5, [], null, result('b.pdf', 'Contract')],
			[none('a.pdf'), 'Contract'],
		],
		[
			'two types for one name: neither is guessed',
			['a.pdf', 'b.pdf', 'c.pdf'],
			[result('a.pdf', 'Invoice'), result('a.pdf', 'Contract'), result('c.pdf', 'Receipt')],
			[none('a.pdf'), none('b.pdf'), 'Receipt'],
		],
		[
			'the same type twice for one name',
			['a.pdf', 'b.pdf'],
			[result('a.pdf', 'Invoice'), result('a.pdf', 'Invoice')],
			['Invoice', none('b.pdf')],
		],
		[
			'an entry without a type is no type',
			['a.pdf', 'b.pdf'],
			[result('a.pdf', null), result('b.pdf', 'Invoice')],
			[null, 'Invoice'],
		],
		['a file by itself, without a name', ['a.pdf'], [result(null, 'Invoice')], ['Invoice']],
		[
			'a file by itself, and another name',
			['a.pdf'],
			[result('b.pdf', 'Invoice')],
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
		expect(await typesOf(names, results)).toEqual(expected);
	});

	test('what is no text or number is null, and a confidence as text is a number', async () => {
		const results = [
			{ documentType: 'Invoice', confidence: '87%', pages: '2', templateId: {} },
			{ documentType: ['Invoice'], confidence: 'high', pages: null },
		];
		await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
		const files: Sample[] = [
			['contract.pdf', 'a.pdf'],
			['contract.pdf', 'b.pdf'],
		];
		const { items } = await classify([await itemWith(...files)], { filesPerRequest: 20 });
		expect(items.map(({ json }) => json)).toEqual([
			{ fileName: 'a.pdf', documentType: 'Invoice', confidence: 87, pages: 2, templateId: null },
			{ fileName: 'b.pdf', documentType: null, confidence: null, pages: null, templateId: null },
		]);
	});

	test('a hundred files cost five requests', async () => {
		const items = await Promise.all(
			Array.from(
				{ length: 100 },
				async (_, number) =>
					await itemWith([number % 3 === 0 ? 'contract.pdf' : 'invoice-us.pdf', `${number}.pdf`]),
			),
		);
		const { items: results } = await classify(items, {
			filesPerRequest: 20,
			includeInputFile: false,
		});
		expect(await requests()).toEqual(Array.from({ length: 5 }, () => ['/Document/classifier', 20]));
		expect(
			results.map(({ json, pairedItem }) => [json.fileName, json.documentType, pairedItem]),
		).toEqual(
			items.map((_, item) => [`${item}.pdf`, item % 3 === 0 ? 'Contract' : 'Invoice', { item }]),
		);
	});

	test('Full Result is one item for the request, paired with all its items', async () => {
		const items = await Promise.all(mixed.map(async (samples) => await itemWith(...samples)));
		const { items: results } = await classify(items, {
			filesPerRequest: 20,
			includeInputFile: false,
		});
		expect(results).toHaveLength(5);
		const { items: raw } = await service.run(
			{
				operation: 'classify',
				binaryPropertyName: '*',
				output: 'raw',
				options: { filesPerRequest: 20, includeInputFile: false },
			},
			items,
		);
		expect(
			raw.map(({ json, pairedItem }) => [
				(json.results as IDataObject[]).map(({ fileName }) => fileName),
				pairedItem,
			]),
		).toEqual([
			[
				['a.pdf', 'b.pdf', 'c.png', 'd.docx', 'e.pdf'],
				[{ item: 0 }, { item: 1 }, { item: 2 }],
			],
		]);
	});

	test('the first document chooses Output for the request, and none is lost where others differ', async () => {
		const ofOutput = async (output: string, [sample, name]: Sample) => ({
			...(await itemWith([sample, name])),
			json: { output },
		});
		const run = async (...outputs: string[]) => {
			const items = await Promise.all([
				ofOutput(outputs[0] ?? '', ['contract.pdf', 'a.pdf']),
				ofOutput(outputs[1] ?? '', ['invoice-us.pdf', 'b.pdf']),
			]);
			const { items: results } = await service.run(
				{
					operation: 'classify',
					binaryPropertyName: '*',
					output: '={{ $json.output }}',
					options: { filesPerRequest: 20, includeInputFile: false },
				},
				items,
			);
			return results.map(({ json, pairedItem }) => [
				json.documentType ?? (json.results as unknown[]).length,
				pairedItem,
			]);
		};
		expect(await run('fields', 'raw')).toEqual([
			['Contract', { item: 0 }],
			['Invoice', { item: 1 }],
		]);
		expect(await run('raw', 'fields')).toEqual([[2, [{ item: 0 }, { item: 1 }]]]);
	});
});

describe('A request rejected because of one of its files', () => {
	const twenty = async () =>
		await Promise.all(
			Array.from(
				{ length: 20 },
				async (_, number) =>
					await itemWith(['contract.pdf', `${number === 13 ? 'broken' : number}.pdf`]),
			),
		);

	test.each([400, 413, 415, 422])('status %d: the others have their result', async (status) => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status, match: 'broken', times: 99 },
		]);
		const { items } = await classify(
			await twenty(),
			{ filesPerRequest: 20 },
			{ onError: 'continueRegularOutput' },
		);
		expect(items.map(({ json }) => json.documentType)).toEqual(
			items.map((_, position) => (position === 13 ? undefined : 'Contract')),
		);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: 20 }, (_, item) => ({ item })),
		);
		expect(failureOf(items[13]).message).toContain('"broken.pdf"');
		expect(failureOf(items[13]).details.fileName).toBe('broken.pdf');
		// Halving finds one file of twenty in far fewer requests than one for each.
		expect((await service.calls()).length).toBeLessThanOrEqual(11);
	});

	test.each<Fault>([
		{ kind: 'charged422', match: 'broken', times: 99 },
		{ kind: 'envelopeError', status: 400, creditsConsumed: 16, match: 'broken', times: 99 },
		{ kind: 'charged503', match: 'broken', times: 99 },
	])('one that was billed is sent once: %j', async (fault) => {
		await service.standIn.queueFaults([fault]);
		const { items } = await classify(
			await twenty(),
			{ filesPerRequest: 20 },
			{ onError: 'continueRegularOutput' },
		);
		expect(await requests()).toEqual([['/Document/classifier', 20]]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: 20 }, (_, item) => ({ item })),
		);
		for (const [position, item] of items.entries()) {
			const { description, details } = failureOf(item);
			expect(description).toMatch(
				/^Cogneris billed \d+ credits, so the document was not retried\./,
			);
			expect(details).toMatchObject({
				fileName: position === 13 ? 'broken.pdf' : `${position}.pdf`,
				creditsConsumed: 'creditsConsumed' in fault ? fault.creditsConsumed : 2,
			});
		}
	});

	test('two such files in it are found both', async () => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 400, match: 'broken', times: 99 },
		]);
		const items = await Promise.all(
			['1', 'broken-2', '3', '4', 'broken-5'].map(
				async (name) => await itemWith(['contract.pdf', `${name}.pdf`]),
			),
		);
		const { items: results } = await classify(
			items,
			{ filesPerRequest: 20 },
			{ onError: 'continueRegularOutput' },
		);
		expect(
			results.map(({ json }) => json.documentType ?? failureOf({ json }).details.fileName),
		).toEqual(['Contract', 'broken-2.pdf', 'Contract', 'Contract', 'broken-5.pdf']);
	});

	test('stops the run: to look for the file would pay for results that are lost', async () => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 400, match: 'broken', times: 99 },
		]);
		const error = await thrownBy(classify(await twenty(), { filesPerRequest: 20 }));
		expect(error.message).toMatch(/^Cogneris rejected "0\.pdf" \(with .* 17 more\)$/);
		expect(error.description).toMatch(
			/To find the file, set Files per Request to 1, or On Error to Continue\.$/,
		);
		expect(await requests()).toEqual([['/Document/classifier', 20]]);
	});

	test('a file that can be known to be refused is not sent at all', async () => {
		const items = [
			await itemWith(['contract.pdf', 'a.pdf']),
			await itemWith(['notes.txt', 'notes.txt']),
			await itemWith(['invoice-us.pdf', 'b.pdf']),
		];
		const { items: results } = await classify(
			items,
			{ filesPerRequest: 20 },
			{ onError: 'continueRegularOutput' },
		);
		expect(await requests()).toEqual([['/Document/classifier', 2]]);
		expect(results.map(({ json }) => json.documentType)).toEqual([
			'Contract',
			undefined,
			'Invoice',
		]);
	});

	test.each([401, 403, 500, 502])(
		'what is not about a file, such as status %d, is not tried file by file',
		async (status) => {
			await service.standIn.queueFaults([{ kind: 'envelopeError', status }]);
			const { items } = await classify(
				await twenty(),
				{ filesPerRequest: 20 },
				{ onError: 'continueRegularOutput' },
			);
			expect(items.map((item) => failureOf(item).details.httpCode)).toEqual(
				Array.from({ length: 20 }, () => status),
			);
			expect(await service.calls()).toHaveLength(1);
		},
	);
});
