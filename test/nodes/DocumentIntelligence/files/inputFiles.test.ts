import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import { storedSample } from '../../samples';
import { AVOIDED_WORDS, failureOf, useService } from '../../service';

const service = useService();
const combined = { settings: { binaryMode: 'combined' as const } };
const goOn = { onError: 'continueRegularOutput' as const };

/** Classifies with this parameter and tells what came of each item, and what arrived in which order of names. */
async function classified(parameter: unknown, items: INodeExecutionData[], more = {}) {
	const { items: results } = await service.run(
		{
			operation: 'classify',
			binaryPropertyName: parameter as string,
			options: { includeInputFile: false },
		},
		items,
		{ ...goOn, ...more },
	);
	return {
		results,
		names: results.map(({ json, pairedItem }) => [
			json.fileName ?? (json.error as IDataObject).message,
			pairedItem,
		]),
		arrived: (await service.files()).map(({ fileName }) => fileName).sort(),
	};
}

describe.each<BinaryMode>(['filesystem', 'default'])(
	'Input Binary Field, with files kept in n8n’s mode "%s"',
	(mode) => {
		let invoice: IBinaryData;
		let contract: IBinaryData;
		let letter: IBinaryData;

		beforeAll(async () => {
			await useBinaryMode(mode);
			invoice = await storedSample('invoice-us.pdf');
			contract = await storedSample('contract.pdf');
			letter = await storedSample('letter.docx');
		});

		/** Binary fields are in the order in which n8n holds them. */
		const mail = (): INodeExecutionData => ({
			json: { subject: 'Three attachments' },
			binary: { attachment_0: invoice, attachment_1: contract, attachment_2: letter },
		});

		test.each([
			['a name', 'attachment_1', ['contract.pdf']],
			['a name with white space', '  attachment_1 ', ['contract.pdf']],
			[
				'several names, in the order given',
				'attachment_2, attachment_0',
				['letter.docx', 'invoice-us.pdf'],
			],
			[
				'several names with a comma too many',
				',attachment_2,,attachment_0,',
				['letter.docx', 'invoice-us.pdf'],
			],
			['every file', '*', ['invoice-us.pdf', 'contract.pdf', 'letter.docx']],
			['a binary object', '={{ $binary.attachment_1 }}', ['contract.pdf']],
			[
				'a list of binary objects',
				'={{ [$binary.attachment_2, $binary.attachment_0] }}',
				['letter.docx', 'invoice-us.pdf'],
			],
			[
				'every binary object',
				'={{ Object.values($binary) }}',
				['invoice-us.pdf', 'contract.pdf', 'letter.docx'],
			],
			['a name by expression', '={{ "attachment_" + 2 }}', ['letter.docx']],
			[
				'a list of names by expression',
				'={{ Object.keys($binary).slice(1) }}',
				['contract.pdf', 'letter.docx'],
			],
			['other capitals', 'Attachment_1', ['contract.pdf']],
			['a name twice', 'attachment_1, attachment_1', ['contract.pdf']],
			['a name in two spellings', 'attachment_1, ATTACHMENT_1', ['contract.pdf']],
			[
				'a name, then every file',
				'attachment_1, *',
				['contract.pdf', 'invoice-us.pdf', 'letter.docx'],
			],
			['every file twice', '*, *', ['invoice-us.pdf', 'contract.pdf', 'letter.docx']],
			[
				'a binary object and its name',
				'={{ [$binary.attachment_1, "attachment_1"] }}',
				['contract.pdf'],
			],
			[
				'a name and its binary object, twice',
				'={{ ["attachment_1", $binary.attachment_1, $binary.attachment_1] }}',
				['contract.pdf'],
			],
			[
				'every file and a binary object',
				'={{ ["*", $binary.attachment_2] }}',
				['invoice-us.pdf', 'contract.pdf', 'letter.docx'],
			],
		])('%s', async (_, parameter, expected) => {
			const { names, arrived } = await classified(parameter, [mail()]);
			expect(names).toEqual(expected.map((name) => [name, { item: 0 }]));
			expect(arrived).toEqual([...expected].sort());
		});

		test('two fields with the same file are two documents', async () => {
			const item = { json: {}, binary: { first: invoice, second: invoice } };
			for (const parameter of ['*', 'first, second', '={{ Object.values($binary) }}']) {
				await service.standIn.reset();
				const { arrived } = await classified(parameter, [item]);
				expect({ parameter, arrived }).toEqual({
					parameter,
					arrived: ['invoice-us.pdf', 'invoice-us.pdf'],
				});
			}
		});

		test('a file of no item, given twice, is one document', async () => {
			const file = { ...invoice, fileName: 'other.pdf' };
			const items = [
				{ json: { file: file as unknown as IDataObject }, binary: { data: contract } },
			];
			const { arrived } = await classified('={{ [$json.file, "data", $json.file] }}', items);
			expect(arrived).toEqual(['contract.pdf', 'other.pdf']);
		});

		test('an exact name counts before one in other capitals', async () => {
			const item = { json: {}, binary: { Data: invoice, DATA: contract } };
			const { arrived } = await classified('DATA', [item]);
			expect(arrived).toEqual(['contract.pdf']);
		});

		test('a name that two fields fit in other capitals is not there', async () => {
			const item = { json: {}, binary: { Data: invoice, DATA: contract } };
			const { results, arrived } = await classified('data', [item]);
			expect(failureOf(results[0])).toMatchObject({
				message: 'No file in the field "data"',
				description:
					'The item has files in "Data", "DATA". Enter these names in Input Binary Field, or * for every file of the item.',
			});
			expect(arrived).toEqual([]);
		});

		test('of an item with a single file, its field is named in the singular', async () => {
			const item = { json: {}, binary: { data: invoice } };
			const { results, arrived } = await classified('invoice', [item]);
			expect(failureOf(results[0])).toMatchObject({
				message: 'No file in the field "invoice"',
				description:
					'The item has a file in "data". Enter this name in Input Binary Field, or * for every file of the item.',
			});
			expect(arrived).toEqual([]);
		});

		test('a name that is not there, given twice, is one failed item', async () => {
			const { names, arrived } = await classified('invoice, invoice', [mail()]);
			expect(names).toEqual([['No file in the field "invoice"', { item: 0 }]]);
			expect(arrived).toEqual([]);
		});

		test('JSON of the shape of a file is none', async () => {
			const items = [{ json: { attachment: { ...invoice } } as unknown as IDataObject }];
			const { names, arrived } = await classified('*', items);
			expect(names).toEqual([['The item has no file', { item: 0 }]]);
			expect(arrived).toEqual([]);
		});

		test('an expression is read for each item', async () => {
			const items = [
				{ json: { field: 'attachment_2' }, binary: mail().binary },
				{ json: { field: 'attachment_0' }, binary: mail().binary },
			];
			const { names } = await classified('={{ $json.field }}', items);
			expect(names).toEqual([
				['letter.docx', { item: 0 }],
				['invoice-us.pdf', { item: 1 }],
			]);
		});

		test('a field that is not there is named with those that are, and the other files go on', async () => {
			const { results, arrived } = await classified('attachment_0, invoice, attachment_2', [
				mail(),
			]);
			expect(results.map(({ json }) => json.fileName)).toEqual([
				'invoice-us.pdf',
				undefined,
				'letter.docx',
			]);
			expect(failureOf(results[1])).toEqual({
				message: 'No file in the field "invoice"',
				description:
					'The item has files in "attachment_0", "attachment_1", "attachment_2". Enter these names in Input Binary Field, or * for every file of the item.',
				details: expect.any(Object) as object,
			});
			expect(results[1]?.pairedItem).toEqual({ item: 0 });
			expect(arrived).toEqual(['invoice-us.pdf', 'letter.docx']);
		});

		test.each<[string, unknown, object | undefined, string, RegExp]>([
			[
				'no file at all, asked for by name',
				'data',
				undefined,
				'No file in the field "data"',
				/^The item has no files\./,
			],
			['no file at all, asked for all', '*', undefined, 'The item has no file', /Filter/],
			[
				'an empty parameter',
				'',
				{ data: true },
				'Input Binary Field is empty',
				/or \* for every file of the item/,
			],
			[
				'an expression that gives nothing',
				'={{ $binary.nothing }}',
				undefined,
				'Input Binary Field does not resolve to a file',
				/\{\{ \$binary\.data \}\}/,
			],
			[
				'an expression that gives a number',
				'={{ 5 }}',
				undefined,
				'Input Binary Field does not resolve to a file',
				/Enter the name/,
			],
		])(
			'%s: the item says so and nothing is sent for it',
			async (_, parameter, hasFile, message, description) => {
				const good = { json: {}, binary: { data: invoice } };
				const { results } = await classified(parameter, [good, hasFile ? good : { json: {} }]);
				const failure = failureOf(results.at(-1));
				expect(failure.message).toBe(message);
				expect(failure.description).toMatch(description);
				expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
				expect(results.at(-1)?.pairedItem).toEqual({ item: 1 });
				expect((await service.calls()).length).toBeLessThanOrEqual(1);
			},
		);

		describe('with files inside the JSON (combined binary mode)', () => {
			const item = (): INodeExecutionData => ({
				json: {
					subject: 'Three attachments',
					data: invoice,
					mail: { attachments: [contract, letter] as unknown as IDataObject[] },
				},
			});

			test.each([
				['a name', 'data', ['invoice-us.pdf']],
				['a path', 'mail.attachments[1]', ['letter.docx']],
				['several', 'mail.attachments[0], data', ['contract.pdf', 'invoice-us.pdf']],
				['every file', '*', ['invoice-us.pdf', 'contract.pdf', 'letter.docx']],
				[
					'a path in both spellings, then every file',
					'mail.attachments[1], mail.attachments.1, *',
					['letter.docx', 'invoice-us.pdf', 'contract.pdf'],
				],
				['other capitals', 'Mail.Attachments[0]', ['contract.pdf']],
				['a file by expression', '={{ $json.mail.attachments[0] }}', ['contract.pdf']],
				[
					'a list of files by expression',
					'={{ $json.mail.attachments }}',
					['contract.pdf', 'letter.docx'],
				],
			])('%s', async (_, parameter, expected) => {
				const { names, arrived } = await classified(parameter, [item()], combined);
				expect(names).toEqual(expected.map((name) => [name, { item: 0 }]));
				expect(arrived).toEqual([...expected].sort());
			});

			test('a name that is not there comes with names that can be entered', async () => {
				const { results } = await classified('invoice', [item()], combined);
				const { message, description } = failureOf(results[0]);
				expect(message).toBe('No file in the field "invoice"');
				const offered = [...description.matchAll(/"([^"]+)"/g)].map(([, name]) => String(name));
				expect(offered).toHaveLength(3);
				await service.standIn.reset();
				const { arrived } = await classified(offered.join(','), [item()], combined);
				expect(arrived).toEqual(['contract.pdf', 'invoice-us.pdf', 'letter.docx']);
			});
		});
	},
);

describe('Match Faces', () => {
	let selfie: IBinaryData;
	let card: IBinaryData;
	let form: IBinaryData;

	beforeAll(async () => {
		await useBinaryMode('filesystem');
		selfie = await storedSample('portrait.png');
		card = await storedSample('id-card.png');
		form = await storedSample('two-cards.jpg');
	});

	const files = async () =>
		(await service.files()).map(({ name, fileName }) => [name, fileName]).sort();

	test.each([
		['names', 'selfie', 'front, back', {}],
		['every file but the selfie', 'selfie', '*', {}],
		['names more than once', 'selfie, selfie', 'front, front, back, *', {}],
		['names in other capitals', 'Selfie', 'Front, BACK', {}],
		['the selfie among the documents', 'selfie', 'front, selfie, back', {}],
		[
			'binary objects more than once',
			'={{ [$binary.selfie, "selfie"] }}',
			'={{ [$binary.front, "front", "back", $binary.back] }}',
			{},
		],
		['binary objects', '={{ $binary.selfie }}', '={{ [$binary.front, $binary.back] }}', {}],
	])('%s: one request with all files of an item', async (_, selfieField, documentsField, more) => {
		const item = { json: {}, binary: { front: card, selfie, back: form } };
		const { items } = await service.run(
			{ operation: 'faceMatch', selfieField, documentsField },
			[item],
			more,
		);
		expect(items).toHaveLength(1);
		expect(items[0]?.json.matches).toHaveLength(2);
		expect(await service.calls()).toHaveLength(1);
		expect(await files()).toEqual([
			['documents', 'id-card.png'],
			['documents', 'two-cards.jpg'],
			['selfie', 'portrait.png'],
		]);
	});

	test('every file but the selfie, in combined binary mode', async () => {
		const item = { json: { front: card, selfie } as unknown as IDataObject };
		await service.run(
			{ operation: 'faceMatch', selfieField: 'selfie', documentsField: '*' },
			[item],
			combined,
		);
		expect(await files()).toEqual([
			['documents', 'id-card.png'],
			['selfie', 'portrait.png'],
		]);
	});

	test('a selfie given as an object does not count as "every file" either', async () => {
		const item = { json: {}, binary: { front: card, selfie } };
		await service.run(
			{ operation: 'faceMatch', selfieField: '={{ $binary.selfie }}', documentsField: '*' },
			[item],
		);
		expect(await files()).toEqual([
			['documents', 'id-card.png'],
			['selfie', 'portrait.png'],
		]);
	});

	test('a message about them begins with the selfie', async () => {
		const item = {
			json: {},
			binary: { front: card, selfie, back: form, third: card, fourth: card },
		};
		await service.standIn.queueFaults([{ kind: 'internal500' }]);
		const { items } = await service.run(
			{ operation: 'faceMatch', selfieField: 'selfie', documentsField: '*' },
			[item],
			goOn,
		);
		expect(failureOf(items[0]).message).toBe(
			'Cogneris or its gateway could not finish "portrait.png" (with "id-card.png", "two-cards.jpg" and 2 more)',
		);
	});

	test.each([
		[
			'two selfies',
			'selfie, front',
			'back',
			'2 files are given as the selfie, where one is expected',
		],
		['no selfie', 'face', 'front', 'No file in the field "face"'],
		['no document', 'selfie', 'passport', 'No file in the field "passport"'],
		['the selfie as the only document', 'selfie', 'selfie', 'No file besides the one in "selfie"'],
	])('%s: nothing is sent', async (_, selfieField, documentsField, message) => {
		const item = { json: {}, binary: { front: card, selfie, back: form } };
		const { items } = await service.run(
			{ operation: 'faceMatch', selfieField, documentsField },
			[item],
			goOn,
		);
		expect(items).toHaveLength(1);
		expect(failureOf(items[0]).message).toBe(message);
		expect(await service.calls()).toEqual([]);
	});
});

test('a wrong Selfie field is not told to use *, a wrong Documents field is', async () => {
	await useBinaryMode('filesystem');
	const item = { json: {}, binary: { selfie: await storedSample('portrait.png') } };
	const advice = async (selfieField: string, documentsField: string) => {
		const { items } = await service.run(
			{ operation: 'faceMatch', selfieField, documentsField },
			[item],
			goOn,
		);
		return failureOf(items[0]).description;
	};
	expect(await advice('face', '*')).toBe(
		'The item has a file in "selfie". If it is the file that Selfie Field asks for, enter its name there; otherwise the item does not have it.',
	);
	expect(await advice('', '*')).toBe('Enter the name of a binary field.');
	expect(await advice('selfie', 'front')).toBe(
		'The item has a file in "selfie". Add the other file to the item, or enter its field in Document Fields.',
	);
	expect(await advice('selfie', '*')).toBe(
		'Add the other file to the item, or enter its field in Document Fields.',
	);
	expect(await service.calls()).toEqual([]);
});

test('a file that n8n has removed is named, and the other files of its item go on', async () => {
	await useBinaryMode('filesystem');
	const there = await storedSample('invoice-us.pdf');
	const gone = { ...there, fileName: 'gone.pdf', id: `${there.id}-removed` };
	const { results, arrived } = await classified('*', [{ json: {}, binary: { gone, there } }]);
	expect(failureOf(results[0]).message).toBe('"gone.pdf" can no longer be read from n8n\'s store');
	expect(results[1]?.json.fileName).toBe('invoice-us.pdf');
	expect(arrived).toEqual(['invoice-us.pdf']);
});
