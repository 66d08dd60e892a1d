import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useBinaryMode } from '../../../n8n-core/runNode';
import { storedSample } from '../../samples';
import { AVOIDED_WORDS, failureOf, useService } from '../../service';

const service = useService();
let items: INodeExecutionData[];

beforeAll(async () => {
	await useBinaryMode('filesystem');
	items = [{ json: {}, binary: { data: await storedSample('invoice-us.pdf') } }];
});

async function extracted(
	data: unknown,
	parameters: IDataObject = {},
	times = 1,
): Promise<INodeExecutionData[]> {
	await service.standIn.queueFaults([{ kind: 'answer', data, times }]);
	const { items: results } = await service.run(
		{ operation: 'extract', ...parameters },
		Array.from({ length: times }, () => items).flat(),
		{ onError: 'continueRegularOutput' },
	);
	expect(await service.calls()).toHaveLength(times);
	return results;
}

describe('A suspicion of fraud', () => {
	const metadata = { fields: { total: '9', lineItems: [{ a: 1 }, { a: 2 }] } };
	const suspected = { fraudBlocked: true, fraudRequestId: 'f-1' };
	const added = { fileName: 'invoice-us.pdf', creditsConsumed: 1 };
	const toReview = { needsReview: true };

	test('is passed on in Simplified, and asks for a person without any option', async () => {
		expect(await extracted({ metadata, ...suspected })).toEqual([
			{ json: { ...metadata, ...added, ...suspected, ...toReview }, pairedItem: { item: 0 } },
		]);
	});

	test('is passed on in rows, on each of them', async () => {
		const rows = await extracted({ metadata, ...suspected }, { output: 'rows' });
		expect(rows).toMatchObject([
			{ json: { total: 9, a: 1, ...suspected, ...toReview }, pairedItem: { item: 0 } },
			{ json: { total: 9, a: 2, ...suspected, ...toReview }, pairedItem: { item: 0 } },
		]);
	});

	test.each<[string, object, object]>([
		['nothing is said', {}, {}],
		['there is none', { fraudBlocked: false, fraudRequestId: null }, {}],
		[
			'only a request',
			{ fraudBlocked: false, fraudRequestId: 'f' },
			{ fraudBlocked: false, fraudRequestId: 'f', ...toReview },
		],
		[
			'a request by number',
			{ fraudRequestId: 7 },
			{ fraudBlocked: false, fraudRequestId: '7', ...toReview },
		],
		[
			'only a block',
			{ fraudBlocked: true },
			{ fraudBlocked: true, fraudRequestId: null, ...toReview },
		],
		[
			'a block as text',
			{ fraudBlocked: 'True' },
			{ fraudBlocked: true, fraudRequestId: null, ...toReview },
		],
		['an ID that cannot be read', { fraudRequestId: [] }, {}],
	])('where %s', async (_, said, expected) => {
		const [item] = await extracted({ metadata: { a: 1 }, ...said });
		expect(item?.json).toEqual({ a: 1, ...added, ...expected });
	});

	test.each<[unknown]>([[1], ['true'], ['yes'], [' '], [{}], [[]]])(
		'is every value but a clear no: %j',
		async (fraudBlocked) => {
			const [item] = await extracted({ metadata: { a: 1 }, fraudBlocked });
			expect(item?.json).toMatchObject({ fraudBlocked: true, needsReview: true });
		},
	);

	test.each<[unknown]>([[false], [0], ['false'], ['False'], [null], ['']])(
		'is none with %j',
		async (fraudBlocked) => {
			const [item] = await extracted({ metadata: { a: 1 }, fraudBlocked });
			expect(item?.json).toEqual({ a: 1, ...added });
		},
	);

	test('gives way to a template’s own names', async () => {
		const [item] = await extracted({ metadata: { fraudBlocked: 'theirs' }, ...suspected });
		expect(item?.json).toMatchObject({ fraudBlocked: 'theirs', fraudBlocked_: true });
	});

	test.each(['fields', 'rows', 'raw'])(
		'that blocks the document is a failed item that says so (%s)',
		async (output) => {
			const blocked = await extracted({ id: 'x', metadata: null, ...suspected }, { output });
			expect(blocked).toHaveLength(1);
			const { message, description, details } = failureOf(blocked[0]);
			expect(message).toBe('Cogneris blocked "invoice-us.pdf" on suspicion of fraud');
			expect(description).toMatch(/person.*f-1.*billed/s);
			expect(description).not.toMatch(/template/);
			expect(`${message} ${description}`).not.toMatch(AVOIDED_WORDS);
			expect(details).toMatchObject({
				fileName: 'invoice-us.pdf',
				httpCode: 200,
				fraudRequestId: 'f-1',
			});
			expect(blocked[0]?.pairedItem).toEqual({ item: 0 });
		},
	);

	test('that blocks the document and has no number', async () => {
		const [item] = await extracted({ metadata: null, fraudBlocked: true });
		expect(failureOf(item).message).toBe('Cogneris blocked "invoice-us.pdf" on suspicion of fraud');
		expect(failureOf(item).details).not.toHaveProperty('fraudRequestId');
		expect(failureOf(item).description).not.toMatch(/null|undefined/);
	});

	test('without a block, a document without fields is still told from it', async () => {
		const [item] = await extracted({ metadata: null, fraudBlocked: false, fraudRequestId: 'f-1' });
		expect(failureOf(item).message).toBe('Cogneris found no fields in "invoice-us.pdf"');
	});
});

test.each<[number, IDataObject, object]>([
	[1, {}, { needsReview: true }],
	[1, { confidenceThreshold: 50 }, { needsReview: true, lowConfidenceFields: [] }],
	[0, {}, {}],
])('of quality %d with the options %j, a person is asked', async (overall, options, review) => {
	const quality = { overall, findings: [{ message: 'Blurred' }] };
	const [item] = await extracted({ metadata: { a: 'x' }, quality }, { options });
	expect(item?.json).toEqual({ a: 'x', fileName: 'invoice-us.pdf', creditsConsumed: 1, ...review });
});

test.each<[string, unknown, string]>([
	[
		'a quality as text',
		{ metadata: null, quality: { overall: '2', findings: 'blur' } },
		'The quality of "invoice-us.pdf" is too low for reading',
	],
	[
		'findings that are none',
		{ metadata: null, quality: { overall: 2, findings: [null, 'x', 5, { probe: 'glare' }] } },
		'The quality of "invoice-us.pdf" is too low for reading: glare',
	],
	['metadata that are a text', { metadata: 'x' }, 'Cogneris found no fields in "invoice-us.pdf"'],
	['no data', null, 'Cogneris found no fields in "invoice-us.pdf"'],
	['data that are a list', [{ metadata: {} }], 'Cogneris found no fields in "invoice-us.pdf"'],
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
