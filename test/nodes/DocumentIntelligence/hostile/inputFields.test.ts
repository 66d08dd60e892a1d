import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { storeFile } from '../../../n8n-core/runNode';
import { numRuns } from '../../numRuns';
import { sampleBytes } from '../../samples';
import { failureOf, goOn, useService } from '../../service';

// Include Input Fields puts what other nodes have made beside what the service has read.

const service = useService({ requestsPerWindow: 100_000 });
let binary: NonNullable<INodeExecutionData['binary']>;

beforeAll(async () => {
	binary = { data: await storeFile(sampleBytes('invoice-us.pdf'), 'a.pdf', 'application/pdf') };
});
afterEach(() => {
	expect(Object.keys(Object.prototype)).toEqual([]);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

async function withInput(inputs: unknown[], output = 'rows'): Promise<IDataObject[]> {
	await service.standIn.reset();
	await service.standIn.queueFaults(
		inputs.map(() => ({ kind: 'answer', data: { metadata: { total: 'read' } } })),
	);
	const items = inputs.map((json) => ({ json: json as IDataObject, binary }));
	const options = { includeInputFields: true };
	const { items: results } = await service.run({ operation: 'extract', output, options }, items, {
		...goOn,
		credential: { ...service.credential, requestsPerMinute: 100_000 },
	});
	return results.map(({ json }) => json);
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

const NAMES =
	'__proto__ constructor prototype toString toJSON then length total fileName rowNumber input input_ _ a a_b';
const numbers = { serial: 0 };
const { object: input } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		{ weight: 4, arbitrary: fc.constant(null).map(() => `v${++numbers.serial};`) },
		fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)),
		fc.array(tie('value'), { maxLength: 3 }),
		tie('object'),
	),
	object: fc.dictionary(
		fc.oneof(fc.constantFrom('', ...NAMES.split(' ')), fc.string({ unit: 'binary', maxLength: 4 })),
		tie('value'),
		{ maxKeys: 5, noNullPrototype: true },
	),
}));

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return /^v\d+;$/.test(value) ? [value] : [];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test.each(['rows', 'fields'])(
	'hostile names lose nothing, replace nothing and reach no prototype (%s)',
	async (output) => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(input, { minLength: 1, maxLength: 15, size: 'max' }),
				async (jsons) => {
					const before = JSON.stringify(jsons);
					const results = await withInput(jsons, output);
					expect(JSON.stringify(jsons)).toBe(before);
					expect(results.map(({ total, fileName }) => [total, fileName])).toEqual(
						jsons.map(() => ['read', 'a.pdf']),
					);
					for (const [position, json] of results.entries()) {
						const shown = JSON.stringify(json);
						expect(textsIn(jsons[position]).filter((value) => !shown.includes(value))).toEqual([]);
						const objects = Object.values(json).filter((cell) => cell instanceof Object);
						if (output === 'rows') expect(objects).toEqual([]);
					}
				},
			),
			numRuns(8),
		);
	},
);

const shared = { a: 1 };
const day = new Date('2026-11-03T10:00:00.000Z');

test.each<[string, object, object, object]>([
	[
		'an object that two fields share',
		{ one: shared, two: [shared] },
		{ input_one_a: 1, input_two: '[{"a":1}]' },
		{ one: { a: 1 }, two: [{ a: 1 }] },
	],
	['an object that holds itself', circle(), { input_round: null }, { round: null }],
	['a date', { day }, { input_day: day.toISOString() }, { day: day.toISOString() }],
	[
		'what JSON cannot hold',
		{ run: () => 1, not: Number.NaN, map: new Map([['a', 1]]), plain: 1 },
		{ input_plain: 1 },
		{ plain: 1 },
	],
])('%s is beside the result as n8n saves it', async (_, json, row, fields) => {
	const saved = async (output: string) =>
		JSON.parse(JSON.stringify((await withInput([json], output))[0])) as unknown;
	expect(await saved('rows')).toMatchObject({ total: 'read', ...row });
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
