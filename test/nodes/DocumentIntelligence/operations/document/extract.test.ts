import type { IDataObject } from 'n8n-workflow';

import { itemsWith, truth } from '../../../samples';
import { failureOf, goOn, useService } from '../../../service';

const service = useService();

const INVOICE = 'invoice-us.pdf';
const added = { fileName: INVOICE, creditsConsumed: 1 };

/** What a run says of an invoice if the service says this. */
async function extracted(data: unknown, parameters: IDataObject = {}) {
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const run = { operation: 'extract', ...parameters };
	const { items, hints } = await service.run(run, await itemsWith(INVOICE), goOn);
	expect(await service.calls()).toHaveLength(1);
	return { items, hints };
}

test.each<[string, IDataObject]>([
	[INVOICE, {}],
	// A field that the document does not have is null.
	['letter.docx', { purchaseOrder: null }],
])('the fields of %s', async (fileName, notPrinted) => {
	const { items, hints } = await service.run({ operation: 'extract' }, await itemsWith(fileName));
	const { fields: { supplier, customer, ...fields } = {}, lineItems, pages } = truth[fileName]!;
	expect(items).toEqual([
		{
			json: {
				documentType: 'Invoice',
				fields: {
					...{ ...fields, ...notPrinted, lineItems },
					...{ supplierName: supplier, customerName: customer },
				},
				fileName,
				extractionId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
				createdDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
				creditsConsumed: pages,
				fraudBlocked: false,
				fraudRequestId: null,
			},
			pairedItem: { item: 0 },
		},
	]);
	expect(hints).toEqual([]);
	const [call] = await service.calls();
	expect([call?.path, call?.parts.map(({ name }) => name)]).toEqual([
		'/Document/extraction',
		['file'],
	]);
});

test.each(['\n\t ', '={{ $json.nothing }}', '={{ null }}'])(
	'blank Additional Instructions are absent from the form: %j',
	async (complementaryPrompt) => {
		const parameters = { operation: 'extract', options: { complementaryPrompt } };
		await service.run(parameters, await itemsWith(INVOICE));
		const parts = (await service.calls()).flatMap((call) => call.parts.map(({ name }) => name));
		expect(parts).toEqual(['file']);
	},
);

const metadata = { fields: { total: '9', lineItems: [{ a: 1 }, { a: 2 }] } };

test.each<[answered: object, expected: object]>([
	[{}, {}],
	[
		{ fraudBlocked: false, fraudRequestId: null },
		{ fraudBlocked: false, fraudRequestId: null },
	],
	[{ fraudRequestId: 'f' }, { fraudRequestId: 'f' }],
	[{ fraudBlocked: true }, { fraudBlocked: true }],
	[{ fraudBlocked: { by: 'x' } }, { fraudBlocked: { by: 'x' } }],
	[{ id: 5, createdDate: { year: 2026 } }, { extractionId: '5' }],
])(
	'%j is passed on, a screening for fraud as it came, without a review or a hint',
	async (answered, expected) => {
		const { items, hints } = await extracted({ metadata, ...answered });
		expect(items.map(({ json }) => json)).toEqual([{ ...metadata, ...added, ...expected }]);
		expect(hints).toEqual([]);
	},
);

test.each([
	['rows', 'fileName,rowNumber,a,needsReview,total,uncertainFields,reviewReasons,extractionId'],
	[
		'documentRows',
		'fileName,needsReview,total,creditsConsumed,uncertainFields,reviewReasons,lineItems,extractionId',
	],
])('a screening is no column of %s, and the ID is the last one', async (output, columns) => {
	const ofCogneris = { id: 'e', createdDate: '2026-01-02', fraudBlocked: false };
	const data = { metadata, ...ofCogneris, fraudRequestId: 'f' };
	const { items } = await extracted(data, { output });
	expect(Object.keys(items[0]?.json ?? {}).join()).toBe(columns);
});

const REASON = 'Cogneris reports low quality: Not sharp., Glare.';

test.each<[string, number, IDataObject]>([
	['fields', 1, { a: 'x', ...added, needsReview: true, reviewReasons: [REASON] }],
	['raw', 1, { metadata: { a: 'x' } }],
	['fields', 0, { a: 'x', ...added }],
])('a low quality is a note and a reason for a review (%s, %d)', async (output, overall, json) => {
	const quality = { overall, findings: [{ message: 'Not sharp.' }, { message: 'Glare.' }] };
	const { items, hints } = await extracted({ metadata: { a: 'x' }, quality }, { output });
	expect(items[0]?.json).toEqual(output === 'raw' ? { ...json, quality } : json);
	expect(hints.map(({ type, message }) => [type, message])).toEqual(
		overall === 0 ? [] : [['warning', expect.stringMatching(/"invoice-us.pdf".*Not sharp.*Glare/)]],
	);
});

const tooLow = 'The quality of "invoice-us.pdf" is too low to read it';
const findings = [null, 'x', 5, { probe: 'glare' }, { message: 'not sharp' }];

test.each<[string, string, unknown, string]>([
	['too low a quality', 'fields', { overall: 2, findings }, `${tooLow}: glare, not sharp`],
	['too low a quality', 'raw', { overall: 2 }, tooLow],
	['a quality as text', 'fields', { overall: '2', findings: 'blur' }, tooLow],
	['no fields', 'fields', null, 'Cogneris returned no fields for "invoice-us.pdf"'],
])(
	'%s (%s) fails the document, whatever the screening says',
	async (_, output, quality, message) => {
		const data = { metadata: null, quality, fraudBlocked: true, fraudRequestId: 'f-1' };
		const { items } = await extracted(data, { output });
		const failure = failureOf(items[0]);
		expect(failure.message).toBe(message);
		expect(failure.description).not.toMatch(/fraud/);
	},
);

test('of a 422 without a reason, the message is about the file, then the template', async () => {
	await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422, message: '' }]);
	const { items } = await service.run({ operation: 'extract' }, await itemsWith(INVOICE), goOn);
	expect(failureOf(items[0]).message).toBe(
		'Cogneris could not read "invoice-us.pdf", or found no template for it',
	);
});
