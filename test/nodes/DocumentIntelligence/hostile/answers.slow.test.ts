import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { documentOperations } from '../../../../nodes/DocumentIntelligence/operations/document';
import { filesForAnyOperation } from '../../samples';
import { failureOf, goOn, useService } from '../../service';

// Slow because of the sizes. However much an answer holds, it becomes items or a message, and soon.

const service = useService();

/** The items also carry what Match Faces takes. */
const ONE_FILE = { binaryPropertyName: 'data' };

let binary: NonNullable<INodeExecutionData['binary']>;

beforeAll(async () => {
	binary = await filesForAnyOperation();
});

// They take three or four seconds on a quiet machine. A step that looks at all entries for each would take longer than the
// time that a test has.
describe('Answers of many megabytes', () => {
	/** 5 MB and more as JSON. */
	const fields = Object.fromEntries(
		Array.from({ length: 100_000 }, (_, number) => [
			`a_long_field_name_${number}`,
			{ value: `value ${number}`, confidence: 50 },
		]),
	);
	const list = <T>(length: number, entry: (number: number) => T) =>
		Array.from({ length }, (_, number) => entry(number));

	test.each<[string, IDataObject, unknown, number]>([
		['100,000 fields', { operation: 'extract', output: 'rows' }, { metadata: { fields } }, 1],
		[
			'100,000 fields to review',
			{ operation: 'extract', options: { confidenceThreshold: 80 } },
			{ metadata: { fields } },
			1,
		],
		[
			'20,000 fields',
			{ operation: 'zeroShot', output: 'rows' },
			{ metadata: Object.fromEntries(Object.entries(fields).slice(0, 20_000)) },
			20_000,
		],
		[
			'50,000 line items',
			{ operation: 'extract', output: 'rows' },
			{
				metadata: {
					lines: list(50_000, (number) => ({ description: `line ${number}`, amount: '1.00' })),
				},
			},
			50_000,
		],
		[
			'130,000 empty tables',
			{ operation: 'extract', output: 'rows' },
			{
				metadata: { fields: Object.fromEntries(list(130_000, (number) => [`table${number}`, []])) },
			},
			1,
		],
		[
			'130,000 faces',
			{ operation: 'faceMatch' },
			{ matches: list(130_000, () => ({ score: 0.5, matched: true })) },
			1,
		],
		[
			'50,000 segments',
			{ operation: 'split', options: { includeInputFile: false } },
			{
				segments: list(50_000, (number) => ({
					documentType: 'Invoice',
					startPage: number,
					endPage: number,
				})),
			},
			50_000,
		],
		[
			'a text of 5 MB',
			{ operation: 'extract', output: 'rows' },
			{ metadata: { text: 'x'.repeat(5 * 1024 * 1024) } },
			1,
		],
	])('%s: %j', async (_, parameters, data, expected) => {
		await service.standIn.queueFaults([{ kind: 'answer', data }]);
		const { items: outputs } = await service.run({ ...ONE_FILE, ...parameters }, [
			{ json: {}, binary },
		]);
		expect(outputs[0]?.json.error).toBeUndefined();
		expect(outputs).toHaveLength(expected);
	});

	test('10,000 levels are a message', async () => {
		const body = `{"data":{"metadata":${'{"a":['.repeat(5000)}1${']}'.repeat(5000)}},"meta":{},"hasErrors":false}`;
		await service.standIn.queueFaults([
			{ kind: 'status', status: 200, body, times: documentOperations.length },
		]);
		for (const { value: operation } of documentOperations) {
			const { items } = await service.run({ ...ONE_FILE, operation }, [{ json: {}, binary }], goOn);
			expect(items.map((item) => failureOf(item).message)).toEqual([
				expect.stringMatching(/could not be read/),
			]);
		}
	});
});
