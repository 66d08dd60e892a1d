import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { itemsWith } from '../../../samples';
import { failureOf, goOn, useService } from '../../../service';

const service = useService();
let items: INodeExecutionData[];

beforeAll(async () => {
	items = await itemsWith('invoice-us.pdf');
});

async function extracted(
	data: unknown,
	parameters: IDataObject = {},
): Promise<INodeExecutionData[]> {
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const run = { operation: 'extract', ...parameters };
	const { items: results } = await service.run(run, items, goOn);
	expect(await service.calls()).toHaveLength(1);
	return results;
}

describe('A fraud screening', () => {
	const metadata = { fields: { total: '9', lineItems: [{ a: 1 }, { a: 2 }] } };
	const added = { fileName: 'invoice-us.pdf', creditsConsumed: 1 };

	test.each<object>([
		{},
		{ fraudBlocked: false, fraudRequestId: null },
		{ fraudRequestId: 'f' },
		{ fraudBlocked: true },
		{ fraudBlocked: { by: 'x' }, fraudRequestId: ['f'] },
	])('%j is passed on as it came, without a review or a hint', async (screening) => {
		await service.standIn.queueFaults([{ kind: 'answer', data: { metadata, ...screening } }]);
		const { items: results, hints } = await service.run({ operation: 'extract' }, items);
		expect(results.map(({ json }) => json)).toEqual([{ ...metadata, ...added, ...screening }]);
		expect(hints).toEqual([]);
	});

	test.each([
		['rows', 'fileName,rowNumber,a,needsReview,total,uncertainFields,reviewReasons,extractionId'],
		[
			'documentRows',
			'fileName,needsReview,total,creditsConsumed,uncertainFields,reviewReasons,lineItems,extractionId',
		],
	])(
		'is no column of %s, and the ID of the extraction is the last one',
		async (output, columns) => {
			const ofCogneris = { id: 'e', createdDate: '2026-01-02', fraudBlocked: false };
			const data = { metadata, ...ofCogneris, fraudRequestId: 'f' };
			const [row] = await extracted(data, { output });
			expect(Object.keys(row?.json ?? {}).join()).toBe(columns);
		},
	);

	test('is not why a document has no fields', async () => {
		const [item] = await extracted({ metadata: null, fraudBlocked: true, fraudRequestId: 'f-1' });
		const { message, description } = failureOf(item);
		expect(message).toBe('Cogneris returned no fields for "invoice-us.pdf"');
		expect(description).not.toMatch(/fraud/);
	});
});

const BLURRED = { needsReview: true, reviewReasons: ['Cogneris reports low quality: Blurred'] };

test.each<[number, IDataObject, object]>([
	[1, {}, BLURRED],
	[1, { confidenceThreshold: 50 }, { ...BLURRED, lowConfidenceFields: [] }],
	[0, {}, {}],
])('of quality %d with the options %j, a person is asked', async (overall, options, review) => {
	const quality = { overall, findings: [{ message: 'Blurred' }] };
	const [item] = await extracted({ metadata: { a: 'x' }, quality }, { options });
	expect(item?.json).toEqual({ a: 'x', fileName: 'invoice-us.pdf', creditsConsumed: 1, ...review });
});

test.each(['fields', 'raw'])(
	'a quality that is too low fails the document, a low one is a note (%s)',
	async (output) => {
		const findings = [{ message: 'The image is not sharp.' }, { message: 'There is glare.' }];
		const answers = [
			{ metadata: null, quality: { overall: 2, findings } },
			{ metadata: { a: 1 }, quality: { overall: 1, findings } },
		];
		await service.standIn.queueFaults(answers.map((data) => ({ kind: 'answer', data })));
		const parameters = { operation: 'extract', output, options: { concurrency: 1 } };
		const results = await service.run(parameters, [...items, ...items], goOn);
		expect(failureOf(results.items[0]).message).toMatch(/not sharp.*glare/);
		expect(results.items[1]?.json.error).toBeUndefined();
		expect(results.hints.map(({ type, message }) => [type, message])).toEqual([
			['warning', expect.stringMatching(/^1 item failed: The quality of .*not sharp.*glare/)],
			['warning', expect.stringMatching(/"invoice-us.pdf".*not sharp.*glare/)],
		]);
	},
);

test.each<[string, unknown, string]>([
	[
		'a quality as text',
		{ metadata: null, quality: { overall: '2', findings: 'blur' } },
		'The quality of "invoice-us.pdf" is too low to read it',
	],
	[
		'findings that are none',
		{ metadata: null, quality: { overall: 2, findings: [null, 'x', 5, { probe: 'glare' }] } },
		'The quality of "invoice-us.pdf" is too low to read it: glare',
	],
	['no key for data', undefined, 'Cogneris returned no result for "invoice-us.pdf"'],
	['nothing in the data', {}, 'Cogneris returned no result for "invoice-us.pdf"'],
	['fields that are null', { metadata: null }, 'Cogneris returned no fields for "invoice-us.pdf"'],
])('%s', async (_, data, message) => {
	const [item] = await extracted(data);
	expect(failureOf(item).message).toBe(message);
});

test('what the service says of itself is text', async () => {
	const [item] = await extracted({ metadata: { a: 1 }, id: 5, createdDate: { year: 2026 } });
	expect(item?.json).toEqual({
		a: 1,
		fileName: 'invoice-us.pdf',
		extractionId: '5',
		creditsConsumed: 1,
	});
});

test.each([
	['Invalid PDF structure.', 'Cogneris rejected "invoice-us.pdf": Invalid PDF structure'],
	['', 'Cogneris could not read "invoice-us.pdf", or found no template for it'],
])(
	'of a 422, the reason of Cogneris comes first, then the file, then the template: %j',
	async (reason, message) => {
		await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422, message: reason }]);
		const { items: results } = await service.run({ operation: 'extract' }, items, goOn);
		const failure = failureOf(results[0]);
		expect(failure.message).toBe(message);
		expect(failure.description).toBe(
			'Open the file and check that it is complete, legible and not protected by a password. If it is, set up a template for this kind of document in your Cogneris account, or use Discover Fields, which needs none.',
		);
	},
);
