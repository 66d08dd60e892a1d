import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useBinaryMode } from '../../../n8n-core/runNode';
import { storedSample } from '../../samples';
import { useService } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

/** What is given for files of which the service says this. */
async function classified(
	results: object[],
	options: IDataObject,
	output?: string,
): Promise<IDataObject[]> {
	const items: INodeExecutionData[] = await Promise.all(
		results.map(async (_, position) => ({
			json: {},
			binary: { data: await storedSample('invoice-us.pdf', `${position}.pdf`) },
		})),
	);
	await service.standIn.queueFaults([
		{
			kind: 'answer',
			data: { results: results.map((result, n) => ({ fileName: `${n}.pdf`, ...result })) },
		},
	]);
	const { items: outputs } = await service.run(
		{
			operation: 'classify',
			output: output ?? 'fields',
			options: { filesPerRequest: 20, ...options },
		},
		items,
	);
	return outputs.map(({ json }) => json);
}

const sureTo = (confidence: unknown, documentType: string | null = 'Invoice') => ({
	documentType,
	confidence,
});

describe('Confidence Threshold of Classify', () => {
	test.each<[string, object, boolean]>([
		['below', sureTo(79.9), true],
		['at the threshold', sureTo(80), false],
		['above', sureTo(97), false],
		['below, as text', sureTo('12 %'), true],
		['above, as text', sureTo('97'), false],
		['zero', sureTo(0), true],
		['null', sureTo(null), true],
		['none', { documentType: 'Invoice' }, true],
		['no number', sureTo('low'), true],
		['an object', sureTo({ value: 97 }), true],
		['no type', sureTo(97, null), true],
	])('%s', async (_, result, needsReview) => {
		const [json] = await classified([result], { confidenceThreshold: 80 });
		expect(json).toMatchObject({ fileName: '0.pdf', needsReview });
		expect(Object.keys(json ?? {}).at(-1)).toBe('needsReview');
	});

	test('judges each file of a request by itself', async () => {
		const results = await classified([sureTo(12), sureTo(97), sureTo(50)], {
			confidenceThreshold: 60,
		});
		expect(results.map(({ needsReview }) => needsReview)).toEqual([true, false, true]);
		expect(await service.calls()).toHaveLength(1);
	});

	test('is not there unless it is set, and not in Full Result', async () => {
		expect((await classified([sureTo(12)], {}))[0]).not.toHaveProperty('needsReview');
		const [raw] = await classified([sureTo(12)], { confidenceThreshold: 80 }, 'raw');
		expect(raw).toEqual({ results: [{ fileName: '0.pdf', ...sureTo(12) }] });
	});
});
