import type { IDataObject } from 'n8n-workflow';

import { documentOperations } from '../../../../nodes/DocumentIntelligence/operations/document';
import { nameOfPart } from '../../../../nodes/DocumentIntelligence/operations/operation';
import { readFileOf } from '../../../n8n-core/runNode';
import type { OtherJob } from '../../../stand-in/startStandIn';
import { failureOf, goOn, useJobs } from '../../service';
import { filesForAnyOperation, itemsWith, sampleBytes } from '../../samples';

const { service, run, job } = useJobs();

const NOTHING = [null, {}, []];

/** Data that no operation can read. */
const UNREAD: unknown[] = [
	...['done', 7, true, [1, 'x']],
	{ fields: { total: '5' } },
	{ metadata: [{ name: 'total', value: '5' }] },
	{ answer: { isMatch: true, similarity: 0.93, metadata: null } },
];

const UNKNOWN_FORMAT = 'the response is in an unknown format';

/** The item of data that cannot be read: whole, and with a decision that is left to a person. */
const passedOn = (operation: string, data: unknown, item = 0) => ({
	json: {
		...(operation === 'faceMatch' && { matched: null }),
		...{ needsReview: true, reviewReasons: [UNKNOWN_FORMAT] },
		...(typeof data === 'object' && !Array.isArray(data) ? data : { data }),
		fileName: operation === 'faceMatch' ? 'me.png' : 'one.png',
	},
	pairedItem: { item },
});

/** The items of direct responses with this data. */
async function directly(operation: string, answers: unknown[], parameters: IDataObject = {}) {
	await service.standIn.queueFaults(
		// Which promises nothing: only of jobs, no credits mean that they were free.
		answers.map((data) => ({ kind: 'answer', data, creditsConsumed: 0 })),
	);
	const options = { concurrency: 1, includeInputFile: false };
	const binary = await filesForAnyOperation();
	return await run(
		{ operation, binaryPropertyName: 'data', options, ...parameters },
		answers.map(() => ({ json: {}, binary })),
		goOn,
	);
}

/** The items of jobs with these results. */
async function asJobs(operation: OtherJob['operation'], results: unknown[]) {
	const jobIds = await service.standIn.addJobs(
		service.credential.apiKey,
		results.map((result) => ({ operation, result })),
	);
	const items = jobIds.map((jobId) => ({ json: { jobId, fileName: 'one.png' } }));
	return await job('getResult', items, { jobId: '={{ $json.jobId }}' }, goOn);
}

test.each(documentOperations.map(({ value, jobOperation }) => [value, jobOperation] as const))(
	'%s passes on data that cannot be read, and only missing data is no result',
	async (operation, jobOperation) => {
		// For Crop, a list without documents says that none was found.
		const missing = operation === 'crop' ? NOTHING.slice(0, -1) : NOTHING;
		const answers = [...NOTHING, ...UNREAD];
		const results = [await directly(operation, answers)];
		if (jobOperation !== undefined)
			results.push(await asJobs(jobOperation as OtherJob['operation'], answers));
		for (const { items, hints } of results) {
			for (const item of items.slice(0, missing.length))
				expect(failureOf(item).message).toMatch(/^Cogneris returned no (result|type) for /);
			expect(items.slice(missing.length)).toEqual(
				UNREAD.map((data, index) => passedOn(operation, data, NOTHING.length + index)),
			);
			expect(hints.map(({ message }) => message)).toContainEqual(
				expect.stringMatching(
					/^Cogneris returned 7 results in an unknown format, passed on unchanged: .*(one\.png|me\.png|job )/,
				),
			);
		}
	},
);

test.each<[string, IDataObject]>([
	['extract', { metadata: null, id: 'x', fields: { total: 5 } }],
	['zeroShot', { metadata: null, documentType: 'Invoice', confidence: 90 }],
	['zeroShot', { metadata: null, fields: { total: 5 } }],
	['classify', { results: null, type: 'Invoice' }],
	['classify', { results: [{ documentType: { name: 'Invoice' }, confidence: 90 }] }],
	['faceMatch', { matches: [], extractions: null, isMatch: true }],
])('%s, something under another name is no missing result: %j', async (operation, data) => {
	const { items } = await directly(operation, [data]);
	expect(items).toEqual([passedOn(operation, data)]);
});

test.each<[string, IDataObject]>([
	['extract', { metadata: null, id: 'x', quality: null, fraudBlocked: false }],
	['zeroShot', { metadata: null, documentType: null, confidence: 0 }],
	['classify', { results: null, error: '' }],
])('%s, nothing but known names is one: %j', async (operation, data) => {
	const { items } = await directly(operation, [data]);
	expect(failureOf(items[0]).message).toMatch(/^Cogneris returned no (result|fields|type) for /);
});

test.each(['documentRows', 'rows'])('%s: the reason is text, as in other rows', async (output) => {
	const data = { fields: { total: '5' } };
	const { items } = await directly('extract', [data], { output });
	const { json, pairedItem } = passedOn('extract', data);
	expect(items).toEqual([{ json: { ...json, reviewReasons: UNKNOWN_FORMAT }, pairedItem }]);
});

test('Match Faces leaves the decision open, whatever name the response has for its own', async () => {
	const data = { matched: true, similarity: 0.93, needsReview: false };
	const { items } = await directly('faceMatch', [data]);
	const renamed = { matched_: true, similarity: 0.93, needsReview_: false };
	expect(items).toEqual([passedOn('faceMatch', renamed)]);
});

test('of several files in one request, each gets the whole response', async () => {
	const binary = await filesForAnyOperation();
	const data = { labels: ['Invoice', 'Letter'] };
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const options = { filesPerRequest: 20, includeInputFile: false };
	const { items } = await run(
		{ operation: 'classify', binaryPropertyName: 'data', options },
		[1, 2].map(() => ({ json: {}, binary })),
	);
	expect(items).toEqual([0, 1].map((item) => passedOn('classify', data, item)));
});

describe.each(documentOperations.map(({ value }) => value))('%s, Raw', (operation) => {
	test('is what the service sent', async () => {
		const awkward = {
			metadata: { number: { value: 'INV-1', confidence: 97, bbox: [0, 0.25, 0.5, 1] } },
			...{ nothing: null, empty: {}, list: [], big: 9007199254740991, small: 1e-9 },
			text: 'Ünïcödé \u2028 🧾 "quoted"',
		};
		const list = [{ a: 1 }, 'b'];
		const { items } = await directly(operation, [awkward, list, 'done'], { output: 'raw' });
		const expected = [awkward, { data: list }, { data: 'done' }];
		// As text, which tells the order of the keys.
		expect(JSON.stringify(items)).toBe(
			JSON.stringify(expected.map((json, item) => ({ json, pairedItem: { item } }))),
		);
	});

	test('without data is no result, and may be billed', async () => {
		const { items } = await directly(operation, [null, undefined], { output: 'raw' });
		for (const { message, description } of items.map(failureOf))
			expect(`${message} ${description}`).toMatch(/^Cogneris returned no result for ".* billed/);
		expect(await service.calls()).toHaveLength(2);
	});
});

test.each([
	['image/png', 'a-3.png'],
	['image/svg+xml', 'a-3.svg'],
	['application/zip', 'a-3.zip'],
	['application/json', 'a-3.bin'],
	['image/../../../evil', 'a-3.bin'],
	['image/..\\..\\evil.exe', 'a-3.bin'],
	['image/x'.padEnd(3000, 'x'), 'a-3.bin'],
	['image/a b"c', 'a-3.bin'],
])('a part of the type %.30j has a harmless name: %s', (mimeType, expected) => {
	expect(nameOfPart({ fileName: 'a.jpg', subject: '"a.jpg"' }, 2, mimeType)).toBe(expected);
});

test.each(['fields', 'raw'])(
	'an answer that is itself an image becomes an item with it (%s)',
	async (output) => {
		await service.standIn.queueFaults([{ kind: 'imageAnswer', contentType: 'image/jpeg' }]);
		const { items } = await run({ operation: 'crop', output }, await itemsWith('two-cards.jpg'));
		const json = { fileName: 'two-cards.jpg', index: 0 };
		const data = items[0]!.binary!.data!;
		expect(items).toEqual([{ json, binary: { data }, pairedItem: { item: 0 } }]);
		expect(data).toMatchObject({ fileName: 'two-cards-1.jpg', mimeType: 'image/jpeg' });
		expect((await readFileOf(data)).equals(sampleBytes('two-cards.jpg'))).toBe(true);
	},
);
