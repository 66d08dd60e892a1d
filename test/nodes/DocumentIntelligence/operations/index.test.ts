import type { IDataObject } from 'n8n-workflow';

import { documentOperations as operations } from '../../../../nodes/DocumentIntelligence/operations/document';
import { readFileOf, useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import { itemWith, sampleBytes, storedSample, truth } from '../../samples';
import { failureOf, useService } from '../../service';

const service = useService();

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string;
const ISO_DATE = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) as string;
const PERCENT = expect.any(Number) as number;

/** Names of the template of the stand-in service where they are not those of the samples' truth. */
const TEMPLATE_NAMES: Record<string, string> = {
	supplier: 'supplierName',
	customer: 'customerName',
};

function asTemplateNames(fields: Record<string, string> = {}): Record<string, string> {
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]) => [TEMPLATE_NAMES[name] ?? name, value]),
	);
}

describe.each<BinaryMode>(['filesystem', 'default'])(
	'The operations, with files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		test.each([
			['invoice-us.pdf', 'Invoice'],
			['letter.docx', 'Invoice'],
			['contract.pdf', 'Contract'],
		])('Extract reads the fields of %s', async (name, documentType) => {
			const { items, hints } = await service.run({ operation: 'extract' }, [await itemWith(name)]);
			const { fields, lineItems, pages } = truth[name] ?? {};
			// Fields that a document does not have are null.
			const notPrinted =
				documentType === 'Invoice' && fields?.purchaseOrder === undefined
					? { purchaseOrder: null }
					: {};
			expect(items).toEqual([
				{
					json: {
						documentType,
						fields: {
							...asTemplateNames(fields),
							...notPrinted,
							...(lineItems === undefined ? {} : { lineItems }),
						},
						fileName: name,
						extractionId: UUID,
						createdDate: ISO_DATE,
						creditsConsumed: pages,
						fraudBlocked: false,
						fraudRequestId: null,
					},
					pairedItem: { item: 0 },
				},
			]);
			expect(hints).toEqual([]);
			expect(
				(await service.calls()).map(({ path, parts }) => [path, parts.map((part) => part.name)]),
			).toEqual([['/Document/extraction', ['file']]]);
		});

		test.each([
			['invoice-long.pdf', 'Invoice', 2],
			['letter.docx', 'Invoice', null],
			['id-card.png', 'Identity Card', 1],
		])(
			'Classify tells the type of %s, and passes the file on',
			async (name, documentType, pages) => {
				const item = await itemWith(name);
				const { items } = await service.run({ operation: 'classify' }, [item]);
				expect(items).toEqual([
					{
						json: {
							fileName: name,
							documentType,
							confidence: PERCENT,
							pages,
							templateId: documentType === 'Identity Card' ? null : UUID,
						},
						binary: item.binary,
						pairedItem: { item: 0 },
					},
				]);
				expect(
					(await service.calls()).map(({ path, parts }) => [path, parts.map((part) => part.name)]),
				).toEqual([['/Document/classifier', ['files']]]);
			},
		);

		test('Discover Fields finds what is printed in a form', async () => {
			const { items } = await service.run({ operation: 'zeroShot' }, [await itemWith('form.pdf')]);
			expect(items).toEqual([
				{
					json: {
						documentType: expect.stringMatching(/^membership application$/i) as string,
						confidence: PERCENT,
						fields: expect.any(Object) as IDataObject,
						fileName: 'form.pdf',
						creditsConsumed: 1,
					},
					pairedItem: { item: 0 },
				},
			]);
			const found = Object.values((items[0]?.json.fields ?? {}) as IDataObject);
			expect(found.sort()).toEqual(Object.values(truth['form.pdf']?.fields ?? {}).sort());
			expect(
				(await service.calls()).map(({ path, parts }) => [path, parts.map((part) => part.name)]),
			).toEqual([['/Document/zero-shot', ['file']]]);
		});
	},
);

describe('Full Result is what the service sent', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	const awkward = {
		id: '5c1f…',
		metadata: { number: { value: 'INV-1', confidence: 97, bbox: [0, 0.25, 0.5, 1] } },
		nothing: null,
		empty: {},
		list: [],
		big: 9007199254740991,
		small: 1e-9,
		text: 'Ünïcödé \u2028 🧾 "quoted"',
	};

	test.each<[string, unknown, object]>([
		['an object', awkward, awkward],
		['a list', [{ a: 1 }, 'b'], { data: [{ a: 1 }, 'b'] }],
		['a text', 'done', { data: 'done' }],
	])('%s', async (_, data, json) => {
		for (const { value: operation } of operations) {
			await service.standIn.reset();
			await service.standIn.queueFaults([{ kind: 'answer', data }]);
			const item = {
				json: {},
				binary: {
					data: await storedSample('invoice-us.pdf'),
					selfie: await storedSample('portrait.png'),
					documents: await storedSample('id-card.png'),
				},
			};
			const { items } = await service.run(
				{
					operation,
					binaryPropertyName: 'data',
					output: 'raw',
					options: { includeInputFile: false },
				},
				[item],
			);
			expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
			expect(JSON.stringify(items[0]?.json)).toBe(JSON.stringify(json));
		}
	});
});

describe('Answers of other forms', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	async function answered(operation: string, data: unknown, more: IDataObject = {}) {
		await service.standIn.queueFaults([{ kind: 'answer', data, creditsConsumed: null }]);
		const item = {
			json: {},
			binary: {
				data: await storedSample('two-cards.jpg'),
				selfie: await storedSample('portrait.png'),
				documents: await storedSample('id-card.png'),
			},
		};
		const options = { includeInputFile: false, downloadImages: false };
		const parameters = { operation, binaryPropertyName: 'data', options, ...more };
		const { items, hints } = await service.run(parameters, [item], {
			onError: 'continueRegularOutput',
		});
		for (const { pairedItem } of items) expect(pairedItem).toEqual({ item: 0 });
		return { jsons: items.map(({ json }) => json), items, hints };
	}

	test('Discover Fields: a confidence as text, and a type that is none', async () => {
		const data = { documentType: ['Note'], confidence: '40 %', metadata: { a: 'x' } };
		expect((await answered('zeroShot', data)).jsons).toEqual([
			{ documentType: null, confidence: 40, fields: { a: 'x' }, fileName: 'two-cards.jpg' },
		]);
	});

	test.each([[{}], [{ metadata: 'x' }]])(
		'Discover Fields: %j without fields is no result',
		async (data) => {
			const { items } = await answered('zeroShot', data);
			expect(items.map((item) => failureOf(item).message)).toEqual([
				'Cogneris returned no result for "two-cards.jpg"',
			]);
		},
	);

	test.each(operations.flatMap(({ value }) => ['fields', 'raw'].map((output) => [value, output])))(
		'%s: a success without data is no result, and may be billed (%s)',
		async (operation = '', output) => {
			const { items, hints } = await answered(operation, null, { output });
			expect(hints.map(({ message }) => message).join()).not.toMatch(/No document was found/);
			expect(items.map((item) => failureOf(item))).toEqual([
				expect.objectContaining({
					message: expect.stringMatching(/^Cogneris returned no result for "/) as string,
					description: expect.stringContaining('may have billed this document') as string,
				}),
			]);
			expect(await service.calls()).toHaveLength(1);
		},
	);

	test.each(['fields', 'raw'])(
		'Extract: quality 2 is a failed item that names the findings, quality 1 a hint (%s)',
		async (output) => {
			const findings = [
				{ probe: 'blur', level: 1, measured: 1, threshold: 2, message: 'The image is not sharp.' },
				{ probe: 'glare', level: 1, measured: 1, threshold: 2, message: 'There is glare.' },
			];
			const blocked = await answered(
				'extract',
				{ id: 'x', metadata: null, quality: { overall: 2, findings } },
				{ output },
			);
			expect(failureOf(blocked.items[0]).message).toMatch(/"two-cards.jpg".*not sharp.*glare/);
			expect(blocked.hints).toEqual([
				expect.objectContaining({
					type: 'warning',
					message: expect.stringMatching(/^1 item failed: The quality of/) as string,
				}),
			]);

			const warned = await answered(
				'extract',
				{ id: 'x', metadata: { a: 1 }, quality: { overall: 1, findings } },
				{ output },
			);
			expect(warned.items[0]?.error).toBeUndefined();
			expect(warned.hints).toEqual([
				{
					message: expect.stringMatching(/"two-cards.jpg".*not sharp.*glare/) as string,
					type: 'warning',
					location: 'outputPane',
				},
			]);
		},
	);
});

describe('Additional Instructions', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	const textsOf = async () =>
		(await service.calls()).flatMap(({ parts }) =>
			parts.filter((part) => 'value' in part).map(({ name, value }) => [name, value]),
		);

	test('reaches the service as written, and works', async () => {
		const complementaryPrompt = 'Also read: P.O. number — «Nº» 🧾\n"thanks"';
		await service.run({ operation: 'extract', options: { complementaryPrompt } }, [
			await itemWith('invoice-us.pdf'),
		]);
		expect(await textsOf()).toEqual([
			['ComplementaryPrompt', complementaryPrompt.replace('\n', '\r\n')],
		]);
	});

	test.each(['\n\t ', '={{ $json.nothing }}', '={{ null }}'])(
		'is absent from the form when blank: %j',
		async (complementaryPrompt) => {
			const { items } = await service.run(
				{ operation: 'extract', options: { complementaryPrompt } },
				[await itemWith('invoice-us.pdf')],
			);
			expect(items[0]?.json.documentType).toBe('Invoice');
			expect(await textsOf()).toEqual([]);
		},
	);
});

describe('An answer that is an image', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	test.each(['fields', 'raw'])(
		'an answer that is itself an image becomes an item with it (%s)',
		async (output) => {
			await service.standIn.queueFaults([{ kind: 'imageAnswer', contentType: 'image/jpeg' }]);
			const { items } = await service.run({ operation: 'crop', output }, [
				await itemWith('two-cards.jpg'),
			]);
			expect(items).toEqual([
				{
					json: { fileName: 'two-cards.jpg', index: 0 },
					binary: {
						data: expect.objectContaining({
							fileName: 'two-cards-1.jpg',
							mimeType: 'image/jpeg',
						}) as object,
					},
					pairedItem: { item: 0 },
				},
			]);
			const data = items[0]?.binary?.data;
			if (data === undefined) throw new Error('No image.');
			expect((await readFileOf(data)).equals(sampleBytes('two-cards.jpg'))).toBe(true);
		},
	);
});
