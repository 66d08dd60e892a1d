import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { documentOperations } from '../../../../nodes/DocumentIntelligence/operations/document';
import type { OtherJob } from '../../../stand-in/startStandIn';
import { failureOf, goOn, useJobs } from '../../service';
import { filesForAnyOperation } from '../../samples';

const { service, run, job } = useJobs();

const NOTHING = [null, {}, []];

/** Data that no operation can read. */
const UNREAD: unknown[] = [
	'done',
	7,
	true,
	[1, 'x'],
	{ fields: { total: '5' } },
	{ metadata: [{ name: 'total', value: '5' }] },
	{ answer: { isMatch: true, similarity: 0.93, metadata: null } },
];

const SHAPES = [...NOTHING, ...UNREAD];

const UNDECIDED = {
	needsReview: true,
	reviewReasons: ['the response is in an unknown format'],
};

const NO_MATCH = { matched: null, ...UNDECIDED };

/** The items of a direct response of each shape. */
async function directly(operation: string, shapes: unknown[], more: IDataObject = {}) {
	await service.standIn.queueFaults(
		shapes.map((data) => ({ kind: 'answer', data, creditsConsumed: null })),
	);
	const binary = await filesForAnyOperation();
	const { options, ...parameters } = more;
	return await run(
		{
			operation,
			binaryPropertyName: 'data',
			options: { concurrency: 1, includeInputFile: false, ...(options as object) },
			...parameters,
		},
		shapes.map(() => ({ json: {}, binary })),
		goOn,
	);
}

/** The items of a job whose result has each shape. */
async function asJob(operation: OtherJob['operation'], shapes: unknown[]) {
	const jobIds = await service.standIn.addJobs(
		service.credential.apiKey,
		shapes.map((result) => ({ operation, result })),
	);
	return await job(
		'getResult',
		jobIds.map((jobId) => ({ json: { jobId, fileName: 'one.png' } })),
		{ jobId: '={{ $json.jobId }}' },
		goOn,
	);
}

function expectPassedOn(items: INodeExecutionData[], more: IDataObject) {
	const unread = items.slice(-UNREAD.length);
	expect(unread).toEqual(
		UNREAD.map((data, index) => ({
			json: {
				...more,
				...(typeof data === 'object' && !Array.isArray(data) ? data : { data }),
			},
			pairedItem: { item: NOTHING.length + index },
		})),
	);
	for (const item of items.slice(0, -UNREAD.length))
		expect(failureOf(item).message).toMatch(/^Cogneris returned no (result|type) for /);
}

const cases = documentOperations.map(({ value, jobOperation }) => [value, jobOperation] as const);

test.each(cases)(
	'%s passes on data that cannot be read, and only missing data is no result',
	async (operation, jobOperation) => {
		const isMatch = operation === 'faceMatch';
		const more = isMatch
			? { ...NO_MATCH, fileName: 'me.png' }
			: { ...UNDECIDED, fileName: 'one.png' };
		// For Crop, a list without documents says that none was found.
		const count = SHAPES.length - (operation === 'crop' ? 1 : 0);
		const results = [await directly(operation, SHAPES)];
		if (jobOperation !== undefined)
			results.push(await asJob(jobOperation as OtherJob['operation'], SHAPES));
		for (const { items, hints } of results) {
			expect(items).toHaveLength(count);
			expectPassedOn(items, more);
			const notes = hints.map(({ message }) => message);
			expect(notes).toContainEqual(
				expect.stringMatching(
					/^Cogneris returned 7 results in an unknown format, passed on unchanged: .*(one\.png|me\.png|job )/,
				),
			);
		}
	},
);

describe('Something under another name is no missing result', () => {
	test.each<[string, IDataObject]>([
		['extract', { metadata: null, id: 'x', fields: { total: 5 } }],
		['zeroShot', { metadata: null, documentType: 'Invoice', confidence: 90 }],
		['zeroShot', { metadata: null, fields: { total: 5 } }],
		['classify', { results: null, type: 'Invoice' }],
		['classify', { results: [{ documentType: { name: 'Invoice' }, confidence: 90 }] }],
		['faceMatch', { matches: [], extractions: null, isMatch: true }],
	])('%s, %j', async (operation, data) => {
		const { items } = await directly(operation, [data]);
		const isMatch = operation === 'faceMatch';
		const [fileName, more] = isMatch ? ['me.png', NO_MATCH] : ['one.png', UNDECIDED];
		expect(items).toEqual([{ json: { ...more, ...data, fileName }, pairedItem: { item: 0 } }]);
	});

	test.each<[string, IDataObject]>([
		['extract', { metadata: null, id: 'x', quality: null, fraudBlocked: false }],
		['zeroShot', { metadata: null, documentType: null, confidence: 0 }],
		['classify', { results: null, error: '' }],
	])('%s, %j has none', async (operation, data) => {
		const { items } = await directly(operation, [data]);
		expect(failureOf(items[0]).message).toMatch(/^Cogneris returned no (result|fields|type) for /);
	});
});

describe('A decision on data that cannot be read', () => {
	test.each<[string, IDataObject]>([
		['extract', { output: 'documentRows' }],
		['extract', { output: 'rows' }],
		['zeroShot', { output: 'rows' }],
	])('of %s with %j has its reasons as text, as rows have', async (operation, more) => {
		const data = { fields: { total: '5' } };
		const { items } = await directly(operation, [data], more);
		const json = { ...UNDECIDED, reviewReasons: UNDECIDED.reviewReasons.join(), ...data };
		expect(items).toEqual([{ json: { ...json, fileName: 'one.png' }, pairedItem: { item: 0 } }]);
	});

	test('of Match Faces is null, whatever name the response has for its own', async () => {
		const data = { matched: true, similarity: 0.93, needsReview: false };
		const { items } = await directly('faceMatch', [data]);
		expect(items.map(({ json }) => json)).toEqual([
			{
				...{ ...NO_MATCH, matched_: true, needsReview_: false, similarity: 0.93 },
				fileName: 'me.png',
			},
		]);
	});
});

test.each(documentOperations.map(({ value }) => value))(
	'%s, Raw: a success without data is no result, and may be billed',
	async (operation) => {
		const { items } = await directly(operation, [null], { output: 'raw' });
		expect(failureOf(items[0])).toMatchObject({
			message: expect.stringMatching(/^Cogneris returned no result for "/) as string,
			description: expect.stringContaining('may already be billed') as string,
		});
		expect(await service.calls()).toHaveLength(1);
	},
);

test('of several files in one request, each gets the whole response', async () => {
	const binary = await filesForAnyOperation();
	const data = { labels: ['Invoice', 'Letter'] };
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const { items } = await run(
		{
			operation: 'classify',
			binaryPropertyName: 'data',
			options: { filesPerRequest: 20, includeInputFile: false },
		},
		[
			{ json: {}, binary },
			{ json: {}, binary },
		],
	);
	expect(items).toEqual(
		[0, 1].map((item) => ({
			json: { ...UNDECIDED, ...data, fileName: 'one.png' },
			pairedItem: { item },
		})),
	);
});
