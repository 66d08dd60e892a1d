import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { filesForAnyOperation, MB } from '../../samples';
import { goOn, useService } from '../../service';

// Slow because of the sizes. However much an answer holds, it becomes items or a message, and soon: in three or four seconds
// on a quiet machine. A step that looks at all entries for each would take longer than the time that a test has.

const service = useService();

let binary: NonNullable<INodeExecutionData['binary']>;

beforeAll(async () => {
	binary = await filesForAnyOperation();
});

const outputsOf = async (parameters: IDataObject) =>
	// The item also carries what Match Faces takes.
	(await service.run({ binaryPropertyName: 'data', ...parameters }, [{ json: {}, binary }], goOn))
		.items;

const list = <T>(length: number, entry: (number: number) => T) =>
	Array.from({ length }, (_, number) => entry(number));
const field = (number: number) => [`a_long_field_name_${number}`, { value: 'v', confidence: 50 }];
const fields = (count: number) => Object.fromEntries(list(count, field)) as object;
const tables = Object.fromEntries(list(130_000, (number) => [`table${number}`, []]));
const face = () => ({ score: 0.5, matched: true });
const line = (number: number) => ({ description: `line ${number}`, amount: '1.00' });
const page = (number: number) => ({ type: 'Invoice', startPage: number, endPage: number });

const ROWS = { operation: 'extract', output: 'rows' };
const REVIEWED = { operation: 'extract', options: { confidenceThreshold: 80 } };
const DISCOVERED = { operation: 'zeroShot', output: 'rows' };
const SEGMENTS = { operation: 'split', options: { includeInputFile: false } };

test.each<[string, IDataObject, () => object, number]>([
	['100,000 fields', ROWS, () => ({ metadata: { fields: fields(100_000) } }), 1],
	['100,000 fields to review', REVIEWED, () => ({ metadata: { fields: fields(100_000) } }), 1],
	['20,000 fields', DISCOVERED, () => ({ metadata: fields(20_000) }), 20_000],
	['50,000 line items', ROWS, () => ({ metadata: { lines: list(50_000, line) } }), 50_000],
	['130,000 empty tables', ROWS, () => ({ metadata: { fields: tables } }), 1],
	['130,000 faces', { operation: 'faceMatch' }, () => ({ matches: list(130_000, face) }), 1],
	['50,000 segments', SEGMENTS, () => ({ segments: list(50_000, page) }), 50_000],
	['a text of 5 MB', ROWS, () => ({ metadata: { text: 'x'.repeat(5 * MB) } }), 1],
])('%s: %j', async (_, parameters, data, expected) => {
	await service.standIn.queueFaults([{ kind: 'answer', data: data() }]);
	const outputs = await outputsOf(parameters);
	expect(outputs[0]?.json.error).toBeUndefined();
	expect(outputs).toHaveLength(expected);
});
