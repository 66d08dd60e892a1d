import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { documentOperations as operations } from '../../../../nodes/DocumentIntelligence/operations/document';
import { SEED } from '../../numRuns';
import { filesForAnyOperation } from '../../samples';
import { goOn, useService } from '../../service';

// A service that is broken, or not the service, may answer any JSON. Each answer has to become items, or a message a user can read.

const service = useService({ requestsPerWindow: 100_000 });

let binary: NonNullable<INodeExecutionData['binary']>;

beforeAll(async () => {
	binary = await filesForAnyOperation();
});
afterEach(() => {
	// Whatever was answered, no object of this process has learnt anything from it.
	expect(Object.keys(Object.prototype)).toEqual([]);
	expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

/** The items also carry what Match Faces takes. */
const ONE_FILE = { binaryPropertyName: 'data' };

/** Texts of the language's own failures, which tell a user nothing. */
const NOT_FOR_USERS =
	/is not a function|not iterable|Cannot (read|destructure|convert)|call stack|\[object |undefined|Invalid (array|string) length/;

const OF_FIELDS: IDataObject[] = [
	{ operation: 'extract' },
	{
		operation: 'extract',
		output: 'rows',
		options: { includeFieldDetails: true, confidenceThreshold: 50 },
	},
	{ operation: 'extract', output: 'raw' },
	{ operation: 'zeroShot', options: { includeFieldDetails: true, confidenceThreshold: 50 } },
	{ operation: 'zeroShot', output: 'rows' },
];

/** Every operation with each of its outputs, and with the options that change what is made of an answer. */
const PARAMETERS: IDataObject[] = [
	...operations.flatMap(({ value: operation, outputs }) =>
		[...outputs.map(({ value }) => value), 'raw'].map((output) => ({
			operation,
			output,
			options: { includeInputFile: false },
		})),
	),
	...OF_FIELDS.filter(({ options }) => options !== undefined),
	{ operation: 'crop', options: { downloadImages: false } },
];

/** The items that become of answers with these data, one document for each. */
async function outputsOf(
	parameters: IDataObject,
	answers: unknown[],
): Promise<INodeExecutionData[]> {
	await service.standIn.reset();
	await service.standIn.queueFaults(answers.map((data) => ({ kind: 'answer', data })));
	const options = { concurrency: 1, ...(parameters.options as object) };
	const items = answers.map(() => ({ json: {}, binary }));
	const { items: outputs } = await service.run({ ...ONE_FILE, ...parameters, options }, items, {
		credential: { ...service.credential, requestsPerMinute: 100_000 },
		...goOn,
	});
	return outputs;
}

/** What is true of every output, whatever was answered. */
function expectFit(outputs: INodeExecutionData[], answers: unknown[]) {
	// n8n saves items as JSON.
	expect(() => JSON.stringify(outputs)).not.toThrow();
	const order = outputs.map(({ pairedItem }) => (pairedItem as { item: number }).item);
	expect(order).toEqual([...order].sort((a, b) => a - b));
	for (const { json, pairedItem } of outputs) {
		const { error } = json as { error?: { message: string; description?: string } };
		const answer = JSON.stringify(answers[(pairedItem as { item: number }).item]) ?? '';
		// An answer may have a field called error, too.
		if (typeof error?.message !== 'string' || answer.includes('"error"')) continue;
		const shown = `${error.message} ${error.description ?? ''}`;
		const readable = { answer: answer.slice(0, 500), shown };
		expect({ ...readable, isReadable: !NOT_FOR_USERS.test(shown) }).toEqual({
			...readable,
			isReadable: true,
		});
		expect(shown).toMatch(/one\.png|me\.png|2 files/);
	}
}

describe('Data of any form', () => {
	const oneOf = (words: string) => fc.constantFrom(...words.split(' '));
	const known = oneOf(
		'metadata fields results documents imageUrls matches extractions segments quality findings overall value ' +
			'confidence items page bbox message probe documentType fileName imageUrl score sourceDocumentId pages',
	);
	const name = fc.oneof(
		{ weight: 4, arbitrary: known },
		oneOf('__proto__ constructor prototype hasOwnProperty toString toJSON then length error'),
		fc.string({ maxLength: 3 }),
	);
	const scalar = fc.oneof(
		fc.constantFrom<unknown>(...[null, true, false, 0, 1, 2, -1, 1e308, 0.1]),
		fc.constantFrom(
			...['', 'x', '=1+1', 'https://', 'file:///etc/passwd', 'data:,x', '\0', '\ud800'],
		),
		fc.string({ maxLength: 3 }),
	);
	const { data } = fc.letrec<{ data: unknown; object: object }>((tie) => ({
		data: fc.oneof({ maxDepth: 5 }, scalar, fc.array(tie('data'), { maxLength: 3 }), {
			weight: 3,
			arbitrary: tie('object'),
		}),
		object: fc.dictionary(name, tie('data'), { maxKeys: 5, noNullPrototype: true }),
	}));
	const answers = fc.array(data, { minLength: 1, maxLength: 25, size: 'max' });

	test.each(PARAMETERS)('%j', async (parameters) => {
		await fc.assert(
			fc.asyncProperty(answers, async (answered) => {
				expectFit(await outputsOf(parameters, answered), answered);
			}),
			{ numRuns: 2, seed: SEED },
		);
	});
});

/** Every value of an output. */
const valuesIn = (value: unknown): unknown[] => [
	value,
	...(typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : []),
];

test.each(OF_FIELDS)(
	'texts that mean something elsewhere come out as they came in: %j',
	async (parameters) => {
		const hostile = {
			...{ formula: '=HYPERLINK("http://example.com","x")', plus: '+1+1', at: '@SUM(A1)' },
			...{ pipe: "=cmd|' /C calc'!A0", expression: '{{ $env.SECRET }}', turned: 'a\u202eb' },
			...{ ofN8n: '={{ $credentials }}', html: '<img src=x onerror=alert(1)>', lines: 'a\tb\r\nd' },
		};
		const outputs = await outputsOf(parameters, [{ documentType: 'x', metadata: hostile }]);
		const cells = outputs.flatMap(({ json }) => valuesIn(json));
		expect(cells).toEqual(expect.arrayContaining(Object.values(hostile)));
	},
);

describe('An answer with the name of the prototype at every place', () => {
	const evil = '"__proto__":{"polluted":"yes","firstPage":77}';
	const answer: unknown = JSON.parse(`{${evil},"id":"x",
		"metadata":{${evil},"a":{"value":"1","confidence":9,${evil}},"lines":[{${evil},"b":"2"}],"t":{"items":[{${evil},"c":"3"}]}},
		"results":[{${evil},"fileName":"one.png","documentType":"t"}],
		"segments":[{${evil},"type":"t","pages":"1"}],
		"documents":[{${evil},"type":"t","side":"front","box2D":[{${evil}}]}],
		"quality":{${evil},"overall":1,"findings":[{${evil},"message":"m"}]},
		"matches":[{${evil},"score":0.5,"matched":true}],"extractions":[{${evil},"hasFace":true}]}`);

	test.each(PARAMETERS)('gives no object another prototype: %j', async (parameters) => {
		const inputFields = { ...(parameters.options as object), includeInputFields: true };
		for (const options of [parameters.options, inputFields]) {
			const outputs = await outputsOf({ ...parameters, options }, [answer]);
			expect(outputs.length).toBeGreaterThan(0);
			for (const value of valuesIn(outputs.map(({ json }) => json)))
				if (typeof value === 'object' && value !== null && !Array.isArray(value))
					expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
		}
	});
});
