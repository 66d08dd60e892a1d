import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { runNode, storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes } from '../../samples';
import { failureOf, useService } from '../../service';

// Include Input Fields puts what other nodes have made beside what the service has read.

const service = useService({ requestsPerWindow: 100_000 });
let binary: NonNullable<INodeExecutionData['binary']>;

beforeAll(async () => {
	await useBinaryMode('filesystem');
	binary = { data: await storeFile(sampleBytes('invoice-us.pdf'), 'a.pdf', 'application/pdf') };
});
afterEach(() => {
	expect(Object.keys(Object.prototype)).toEqual([]);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

async function withInput(inputs: IDataObject[], output = 'rows'): Promise<INodeExecutionData[]> {
	await service.standIn.reset();
	await service.standIn.queueFaults(
		inputs.map(() => ({ kind: 'answer', data: { metadata: { total: 'read' } } })),
	);
	const items = inputs.map((json) => ({ json, binary }));
	const options = { concurrency: 1, includeInputFields: true };
	const more = {
		onError: 'continueRegularOutput' as const,
		credential: { ...service.credential, requestsPerMinute: 100_000 },
	};
	return (await service.run({ operation: 'extract', output, options }, items, more)).items;
}

const DEEP: Array<[string, () => IDataObject]> = [
	[
		'10,000 levels',
		() => JSON.parse('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)) as IDataObject,
	],
	[
		'an object that holds itself',
		() => {
			const round: IDataObject = {};
			round.self = round;
			return { round };
		},
	],
];

describe('The input’s JSON beside the result', () => {
	const name = fc.oneof(
		fc.constantFrom(
			'__proto__',
			'constructor',
			'prototype',
			'toString',
			'toJSON',
			'then',
			'length',
			'total',
			'fileName',
			'rowNumber',
			'input',
			'input_',
			'_',
			'',
			'a',
			'a_b',
		),
		fc.string({ unit: 'binary', maxLength: 4 }),
	);
	const numbers = { serial: 0 };
	const text = fc.constant(null).map(() => `v${++numbers.serial};`);
	const { object: input } = fc.letrec<{ value: unknown; object: object }>((tie) => ({
		value: fc.oneof(
			{ maxDepth: 4 },
			{ weight: 4, arbitrary: text },
			fc.integer(),
			fc.boolean(),
			fc.constant(null),
			fc.array(tie('value'), { maxLength: 3 }),
			tie('object'),
		),
		object: fc.dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: true }),
	}));
	const inputs = fc.array(input as fc.Arbitrary<IDataObject>, {
		minLength: 1,
		maxLength: 15,
		size: 'max',
	});

	test.each(['rows', 'fields'])(
		'hostile names lose nothing, replace nothing and reach no prototype (%s)',
		async (output) => {
			await fc.assert(
				fc.asyncProperty(inputs, async (jsons) => {
					const before = JSON.stringify(jsons);
					const results = await withInput(jsons, output);
					expect(JSON.stringify(jsons)).toBe(before);
					expect(results.map(({ json }) => [json.total, json.fileName])).toEqual(
						jsons.map(() => ['read', 'a.pdf']),
					);
					for (const [position, { json }] of results.entries()) {
						const shown = JSON.stringify(json);
						expect(textsIn(jsons[position]).filter((value) => !shown.includes(value))).toEqual([]);
						if (output === 'rows')
							expect(
								Object.values(json).filter((cell) => typeof cell === 'object' && cell !== null),
							).toEqual([]);
					}
				}),
				{ numRuns: 15 },
			);
		},
	);

	function textsIn(value: unknown): string[] {
		if (typeof value === 'string') return /^v\d+;$/.test(value) ? [value] : [];
		return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
	}

	test('an object that two fields share stands in both', async () => {
		const shared = { a: 1 };
		for (const output of ['rows', 'fields']) {
			const [item] = await withInput([{ one: shared, two: [shared] }], output);
			expect(item?.json).toMatchObject(
				output === 'rows'
					? { input_one_a: 1, input_two: '[{"a":1}]' }
					: { input: { one: { a: 1 }, two: [{ a: 1 }] } },
			);
		}
	});

	test('an object that holds itself is null where it does', async () => {
		const round: IDataObject = { kept: 'v' };
		round.self = round;
		for (const [output, expected] of [
			['rows', { input_round_kept: 'v', input_round_self: null }],
			['fields', { input: { round: { kept: 'v', self: null } } }],
		] as const) {
			const [item] = await withInput([{ round }], output);
			expect(item?.json).toMatchObject(expected);
		}
	});

	test('an object that refuses to be read costs no result', async () => {
		const refusing = {
			toJSON: () => {
				throw new Error('No');
			},
		} as unknown as IDataObject;
		for (const [output, expected] of [
			['rows', { input_refusing: null, input_plain: 1 }],
			['fields', { input: { refusing: null, plain: 1 } }],
		] as const) {
			const [item] = await withInput([{ refusing, plain: 1 }], output);
			expect(item?.json).toMatchObject({ total: 'read', ...expected });
		}
	});

	test('a date, which database and Code nodes put into items as an object, is a date in the row', async () => {
		const day = new Date('2026-11-03T10:00:00.000Z');
		const [row] = await withInput([{ day }]);
		// As n8n shows and saves it.
		expect(JSON.parse(JSON.stringify(row?.json))).toMatchObject({
			input_day: '2026-11-03T10:00:00.000Z',
		});
	});

	test('what JSON cannot hold does not keep the document from being read', async () => {
		const strange = {
			nothing: undefined,
			run: () => 1,
			not: Number.NaN,
			map: new Map([['a', 1]]),
			bytes: Buffer.from('x'),
		} as unknown as IDataObject;
		const [row] = await withInput([strange]);
		expect(row?.json).toMatchObject({ total: 'read', fileName: 'a.pdf' });
	});

	test.each(DEEP)('%s in one item do not lose the result of another', async (_, deep) => {
		const results = await withInput([{ plain: 1 }, deep()]);
		expect(results[0]?.json).toMatchObject({ total: 'read', input_plain: 1 });
		// Billed, so there has to be an output, or a message.
		if (results[1]?.json.error === undefined) expect(results[1]?.json.total).toBe('read');
		else expect(failureOf(results[1]).message).not.toMatch(/call stack|circular/i);
	});

	test('100,000 input fields take seconds at most', async () => {
		const json = Object.fromEntries(
			Array.from({ length: 100_000 }, (_, number) => [`field ${number}`, number]),
		);
		const startedAt = Date.now();
		const [row] = await withInput([json]);
		expect(row?.json['input_field 99999']).toBe(99_999);
		expect(Date.now() - startedAt).toBeLessThan(20_000);
	});
});

describe('Large runs', () => {
	/** Rows of documents of which the service says this, with this beside each; the time of the processor and the memory that they take. */
	async function measured(documents: object[], json: IDataObject) {
		await service.standIn.reset();
		await service.standIn.queueFaults(
			documents.map((metadata) => ({ kind: 'answer', data: { metadata }, creditsConsumed: null })),
		);
		const items = documents.map(() => ({ json, binary }));
		const options = { concurrency: 1, includeInputFields: true };
		const credential = { ...service.credential, requestsPerMinute: 100_000 };
		const [memory, cpu] = [process.memoryUsage().rss, process.cpuUsage()];
		// Not by way of the service's run, which searches all that is given out for keys: 2 GB of text here.
		const parameters = { operation: 'extract', output: 'rows', options };
		const result = await runNode({ parameters, items, credential });
		// Not the time on the clock, which tells more of what else the machine has to do.
		const { user, system } = process.cpuUsage(cpu);
		return {
			...result,
			milliseconds: (user + system) / 1000,
			megabytes: (process.memoryUsage().rss - memory) / 2 ** 20,
		};
	}

	const mail = {
		text: 'A line of a mail. '.repeat(11_000),
		recipients: Array.from({ length: 2000 }, (_, number) => `person${number}@example.com`),
	};

	test('10,000 rows beside a mail of 200 kB hold it once', async () => {
		const lines = Array.from({ length: 10_000 }, (_, number) => ({ amount: number }));
		const { items, milliseconds, megabytes } = await measured([{ lines }], mail);
		expect(items).toHaveLength(10_000);
		expect(items.at(-1)?.json).toMatchObject({
			rowNumber: 10_000,
			amount: 9999,
			input_text: mail.text,
			input_recipients: JSON.stringify(mail.recipients),
		});
		expect(milliseconds).toBeLessThan(20_000);
		expect(megabytes).toBeLessThan(300);
	});

	const fields = (document: number, count: number) =>
		Object.fromEntries(
			Array.from({ length: count }, (_, number) => [`field ${document} ${number}`, number]),
		);

	test('rows of 150 documents of 300 fields each hold those, and all columns are in the first', async () => {
		const documents = Array.from({ length: 150 }, (_, number) => ({ fields: fields(number, 300) }));
		const { items, hints, milliseconds, megabytes } = await measured(documents, {});
		const [first, second] = items.map(({ json }) => json);
		expect(Object.keys(first ?? {})).toHaveLength(150 * 300 + 4);
		expect(first).toMatchObject({ ...fields(0, 300), 'field 149 299': null, rowNumber: 1 });
		expect(second).toEqual({
			...fields(1, 300),
			...{ rowNumber: 1, fileName: 'a.pdf', needsReview: false, uncertainFields: '[]' },
		});
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^The rows have 45004 different columns\. Only the first row /),
		]);
		expect(milliseconds).toBeLessThan(20_000);
		expect(megabytes).toBeLessThan(300);
	});

	test('rows of 50 documents of 100 fields each all have the same columns', async () => {
		const documents = Array.from({ length: 50 }, (_, number) => ({ fields: fields(number, 100) }));
		const { items, hints } = await measured(documents, {});
		expect(new Set(items.map(({ json }) => JSON.stringify(Object.keys(json)))).size).toBe(1);
		expect(Object.keys(items[0]?.json ?? {})).toHaveLength(50 * 100 + 4);
		expect(hints).toEqual([]);
	});
});

describe('An item without a file', () => {
	// n8n 2 can keep files inside the JSON, where that is searched for one.
	test.each(DEEP)('whose JSON is %s is refused with a message', async (_, deep) => {
		for (const binaryMode of ['separate', 'combined'] as const) {
			for (const binaryPropertyName of ['data', '*']) {
				const { items } = await service.run(
					{ operation: 'extract', binaryPropertyName },
					[{ json: deep() }],
					{ onError: 'continueRegularOutput', settings: { binaryMode } },
				);
				expect(failureOf(items[0]).message).toMatch(/no file/i);
			}
		}
		expect(await service.calls()).toEqual([]);
	});
});
