import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { storeFile } from '../../../n8n-core/runNode';
import { sampleBytes } from '../../samples';
import { failureOf, goOn, useService } from '../../service';

// Include Input Fields puts what other nodes have made beside what the service has read. That names lose and replace nothing
// is in results/rows.test.ts and results/fields.test.ts.

const service = useService();
let binary: NonNullable<INodeExecutionData['binary']>;

beforeAll(async () => {
	binary = { data: await storeFile(sampleBytes('invoice-us.pdf'), 'a.pdf', 'application/pdf') };
});
afterEach(() => {
	expect(Object.keys(Object.prototype)).toEqual([]);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

async function withInput(inputs: unknown[], output = 'rows'): Promise<IDataObject[]> {
	await service.standIn.queueFaults(
		inputs.map(() => ({ kind: 'answer', data: { metadata: { total: 'read' } } })),
	);
	const items = inputs.map((json) => ({ json: json as IDataObject, binary }));
	const options = { includeInputFields: true };
	const results = await service.run({ operation: 'extract', output, options }, items, goOn);
	return results.items.map(({ json }) => json);
}

function circle(): IDataObject {
	const round: IDataObject = { kept: 'v' };
	round.self = round;
	return { round };
}
const DEEP: Array<[string, () => IDataObject]> = [
	[
		'of 10,000 levels',
		() => JSON.parse(`${'{"a":'.repeat(1e4)}1${'}'.repeat(1e4)}`) as IDataObject,
	],
	['that holds itself', circle],
];

test('whatever n8n saves in its own way is beside the result like this', async () => {
	const shared = { a: 1 };
	const day = new Date('2026-11-03T10:00:00.000Z');
	const odd = { run: () => 1, not: Number.NaN, map: new Map([['a', 1]]), plain: 1 };
	const input = { one: shared, two: [shared], day, ...odd, ...circle() };
	const saved = async (output: string) =>
		JSON.parse(JSON.stringify((await withInput([input], output))[0])) as unknown;
	expect(await saved('rows')).toMatchObject({
		...{ total: 'read', input_one_a: 1, input_two: '[{"a":1}]', input_plain: 1 },
		...{ input_day: day.toISOString(), input_round: null },
	});
	const fields = { one: shared, two: [shared], day: day.toISOString(), plain: 1, round: null };
	expect(await saved('fields')).toMatchObject({ total: 'read', input: fields });
});

test.each(DEEP)('an input %s does not lose the result of another', async (_, deep) => {
	const [first, second] = await withInput([{ plain: 1 }, deep()]);
	expect(first).toMatchObject({ total: 'read', input_plain: 1 });
	expect(second).toMatchObject({ total: 'read' });
});

// n8n 2 can keep files inside the JSON, where that is searched for one.
test.each(DEEP)('an item without a file whose JSON is one %s is refused', async (_, deep) => {
	for (const binaryMode of ['separate', 'combined'] as const) {
		for (const binaryPropertyName of ['data', '*']) {
			const { items } = await service.run(
				{ operation: 'extract', binaryPropertyName },
				[{ json: deep() }],
				{ ...goOn, settings: { binaryMode } },
			);
			expect(failureOf(items[0]).message).toMatch(/no file/i);
		}
	}
	expect(await service.calls()).toEqual([]);
});
