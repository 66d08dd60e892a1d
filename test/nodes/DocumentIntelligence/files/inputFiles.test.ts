import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import { storedSample } from '../../samples';
import { AVOIDED_WORDS, failureOf, ONCE, useService } from '../../service';

const service = useService();
const combined = { settings: { binaryMode: 'combined' as const } };
const goOn = { onError: 'continueRegularOutput' as const };

/** Classifies with this parameter and tells what came of each item, and what arrived in which order of names. */
async function classified(parameter: unknown, items: INodeExecutionData[], more = {}) {
	const { items: results } = await service.run(
		{
			operation: 'classify',
			binaryPropertyName: parameter as string,
			options: { includeInputFile: false, ...ONCE },
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
		])('%s', async (_, parameter, expected) => {
			const { names, arrived } = await classified(parameter, [mail()]);
			expect(names).toEqual(expected.map((name) => [name, { item: 0 }]));
			expect(arrived).toEqual([...expected].sort());
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
				message: 'Item 0 has no file in the field "invoice"',
				description:
					'The item has files in "attachment_0", "attachment_1", "attachment_2". Enter one of these names, or * for every file of the item.',
				details: expect.any(Object) as object,
			});
			expect(results[1]?.pairedItem).toEqual({ item: 0 });
			expect(arrived).toEqual(['invoice-us.pdf', 'letter.docx']);
		});

		test.each<[string, unknown, IDataObject | undefined, string, RegExp]>([
			[
				'no file at all, asked for by name',
				'data',
				undefined,
				'Item 1 has no file in the field "data"',
				/carries no file at all/,
			],
			[
				'no file at all, asked for all',
				'*',
				undefined,
				'Item 1 has no file that the service could read',
				/Filter/,
			],
			[
				'an empty parameter',
				'',
				undefined,
				'Item 1 has no file that the service could read',
				/input field names them/,
			],
			[
				'an expression that gives nothing',
				'={{ $binary.nothing }}',
				undefined,
				'Item 1 has no file where the input field says one is',
				/\{\{ \$binary\.data \}\}/,
			],
			[
				'an expression that gives a number',
				'={{ 5 }}',
				undefined,
				'Item 1 has no file where the input field says one is',
				/Enter the name/,
			],
		])(
			'%s: the item says so and nothing is sent for it',
			async (_, parameter, __, message, description) => {
				const good = { json: {}, binary: { data: invoice } };
				const { results } = await classified(parameter, [good, { json: {} }]);
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
				expect(message).toBe('Item 0 has no file in the field "invoice"');
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

	test('a selfie given as an object is left out of "every file" as well', async () => {
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
			'The service could not finish "portrait.png" (with "id-card.png", "two-cards.jpg" and 2 more)',
		);
	});

	test.each([
		['two selfies', 'selfie, front', 'back', 'Item 0 has 2 selfies where one is expected'],
		['no selfie', 'face', 'front', 'Item 0 has no file in the field "face"'],
		['no document', 'selfie', 'passport', 'Item 0 has no file in the field "passport"'],
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

test('a file that n8n has removed is named, and the other files of its item go on', async () => {
	await useBinaryMode('filesystem');
	const there = await storedSample('invoice-us.pdf');
	const gone = { ...there, fileName: 'gone.pdf', id: `${there.id}-removed` };
	const { results, arrived } = await classified('*', [{ json: {}, binary: { gone, there } }]);
	expect(failureOf(results[0]).message).toBe('"gone.pdf" can no longer be read from n8n\'s store');
	expect(results[1]?.json.fileName).toBe('invoice-us.pdf');
	expect(arrived).toEqual(['invoice-us.pdf']);
});
