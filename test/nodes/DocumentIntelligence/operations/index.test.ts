import type { IDataObject } from 'n8n-workflow';

import { documentOperations as operations } from '../../../../nodes/DocumentIntelligence/operations/document';
import { readFileOf } from '../../../n8n-core/runNode';
import { filesForAnyOperation, itemsWith, itemWith, sampleBytes, truth } from '../../samples';
import { useService } from '../../service';

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

/** The paths of the requests that arrived, with the names of their parts. */
const requests = async () =>
	(await service.calls()).map(({ path, parts }) => [path, ...parts.map(({ name }) => name)]);

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
	expect(await requests()).toEqual([['/Document/extraction', 'file']]);
});

test.each([
	['invoice-long.pdf', 'Invoice', 2],
	['letter.docx', 'Invoice', null],
	['id-card.png', 'Identity Card', 1],
])('Classify tells the type of %s, and passes the file on', async (name, documentType, pages) => {
	const item = await itemWith(name);
	const templateId = documentType === 'Identity Card' ? null : UUID;
	const { items } = await service.run({ operation: 'classify' }, [item]);
	expect(items).toEqual([
		{
			json: { fileName: name, documentType, confidence: PERCENT, pages, templateId },
			binary: item.binary,
			pairedItem: { item: 0 },
		},
	]);
	expect(await requests()).toEqual([['/Document/classifier', 'files']]);
});

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
	expect(await requests()).toEqual([['/Document/zero-shot', 'file']]);
});

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
])('Raw is what the service sent: %s', async (_, data, json) => {
	for (const { value: operation } of operations) {
		await service.standIn.reset();
		await service.standIn.queueFaults([{ kind: 'answer', data }]);
		const options = { includeInputFile: false };
		const parameters = { operation, binaryPropertyName: 'data', output: 'raw', options };
		const item = { json: {}, binary: await filesForAnyOperation() };
		const { items } = await service.run(parameters, [item]);
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
		expect(JSON.stringify(items[0]?.json)).toBe(JSON.stringify(json));
	}
});

test('of an answer to Discover Fields, a confidence as text is read, and a type that is none is not', async () => {
	const data = { documentType: ['Note'], confidence: '40 %', metadata: { a: 'x' } };
	await service.standIn.queueFaults([{ kind: 'answer', data, creditsConsumed: null }]);
	const { items } = await service.run({ operation: 'zeroShot' }, await itemsWith('form.pdf'));
	expect(items.map(({ json }) => json)).toEqual([
		{ documentType: null, confidence: 40, fields: { a: 'x' }, fileName: 'form.pdf' },
	]);
});

test.each(['\n\t ', '={{ $json.nothing }}', '={{ null }}'])(
	'blank Additional Instructions are absent from the form: %j',
	async (complementaryPrompt) => {
		const parameters = { operation: 'extract', options: { complementaryPrompt } };
		await service.run(parameters, await itemsWith('invoice-us.pdf'));
		expect(await requests()).toEqual([['/Document/extraction', 'file']]);
	},
);

test.each(['fields', 'raw'])(
	'an answer that is itself an image becomes an item with it (%s)',
	async (output) => {
		await service.standIn.queueFaults([{ kind: 'imageAnswer', contentType: 'image/jpeg' }]);
		const item = await itemWith('two-cards.jpg');
		const { items } = await service.run({ operation: 'crop', output }, [item]);
		const data = items[0]?.binary?.data;
		expect(data).toMatchObject({ fileName: 'two-cards-1.jpg', mimeType: 'image/jpeg' });
		expect(items).toEqual([
			{
				json: { fileName: 'two-cards.jpg', index: 0 },
				binary: { data },
				pairedItem: { item: 0 },
			},
		]);
		expect((await readFileOf(data!)).equals(sampleBytes('two-cards.jpg'))).toBe(true);
	},
);
