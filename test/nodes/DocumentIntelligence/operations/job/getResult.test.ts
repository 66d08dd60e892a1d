import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { OtherJob } from '../../../../stand-in/startStandIn';
import { asInput, comparable, failureOf, goOn, useJobs } from '../../../service';
import { itemsWith } from '../../../samples';

const { service, run, job, steps } = useJobs();

const UNDECIDED = {
	needsReview: true,
	reviewReasons: ['the response is in an unknown format'],
};

const byItem = { jobId: '={{ $json.jobId }}' };

/** Submits a job for each of the documents. */
async function submitted(jobOperation: string, ...names: string[]): Promise<INodeExecutionData[]> {
	return asInput((await job('submit', await itemsWith(...names), { jobOperation })).items);
}

describe('The items that the operation would have given', () => {
	test.each<[string, string, string, IDataObject?]>([
		[
			'extract',
			'fields',
			'invoice-us.pdf',
			{ includeFieldDetails: true, confidenceThreshold: 99, checks: 'total = subtotal' },
		],
		['extract', 'rows', 'invoice-de.pdf', { requiredFields: 'total, nothing' }],
		['extract', 'documentRows', 'invoice-fr.pdf', { decimalMark: 'comma', textFields: 'total' }],
		['zeroShot', 'rows', 'form.pdf', { confidenceThreshold: 99 }],
		['classify', 'fields', 'invoice-uk.pdf', { confidenceThreshold: 80 }],
		['split', 'fields', 'bundle.pdf'],
		['crop', 'fields', 'two-cards.jpg'],
		['crop', 'fields', 'two-cards.jpg', { downloadImages: false }],
	])('%s, %s of %s, %j', async (operation, output, name, options = {}) => {
		const includeInputFile = false;
		const parameters = { operation, output, options: { ...options, includeInputFile } };
		const direct = await run(parameters, await itemsWith(name));
		expect(direct.items.length).toBeGreaterThan(0);
		for (const jobResultCase of ['pascal', 'camel'] as const) {
			await service.standIn.configure({ jobResultCase });
			const { items, credits } = await job('getResult', await submitted(operation, name), {
				...byItem,
				output,
				options,
			});
			expect(items.map(comparable)).toEqual(direct.items.map(comparable));
			// Nothing is billed for looking.
			expect(credits).toEqual([]);
		}
	});

	test('Raw is what is stored, as it is', async () => {
		const parameters = { ...byItem, output: 'raw' };
		const { items } = await job(
			'getResult',
			await submitted('extract', 'contract.pdf'),
			parameters,
		);
		expect(Object.keys(items[0]?.json ?? {})).toEqual(expect.arrayContaining(['Id', 'Metadata']));
	});

	test('in the order of the input, with their columns, with one look at the list', async () => {
		const names = ['invoice-us.pdf', 'invoice-uk.pdf', 'invoice-de.pdf', 'invoice-fr.pdf'];
		const input = await submitted('extract', ...names);
		const before = (await service.calls()).length;
		const { items } = await job('getResult', input, { ...byItem, output: 'rows' });
		expect([...new Set(items.map(({ json }) => json.fileName))]).toEqual(names);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			items.map(({ json }) => ({ item: names.indexOf(json.fileName as string) })),
		);
		expect(new Set(items.map(({ json }) => Object.keys(json).join())).size).toBe(1);
		const made = (await steps()).slice(before).sort();
		expect(made).toEqual(['fetch', 'fetch', 'fetch', 'fetch', 'list']);
	});

	test('a job of an unknown operation: what is stored, with a note', async () => {
		const result = { Redacted: [{ Page: 1 }], Note: null };
		const ids = await service.standIn.addJobs(service.credential.apiKey, [
			{ operation: 'Facematch', result },
			{ operation: 'Facematch', result: ['a'] as unknown },
		]);
		const input = ids.map((jobId) => ({ json: { jobId } }));
		const { items, hints } = await job('getResult', input, { ...byItem, output: 'rows' });
		expect(items.map(({ json }) => json)).toEqual([
			{ ...UNDECIDED, ...result, fileName: null },
			{ ...UNDECIDED, data: ['a'], fileName: null },
		]);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^Cogneris returned 2 results in an unknown format, passed on unch/),
		]);
		const { items: raw } = await job('getResult', input, { ...byItem, output: 'raw' });
		expect(raw.map(({ json }) => json)).toEqual([result, { data: ['a'] }]);
	});
});

const fields = { Total: '1' };
const INVOICE = { DocumentType: 'Invoice', Confidence: 97, TemplateId: 't' };
const ofClassify = { documentType: 'Invoice', confidence: 97, pages: null, templateId: 't' };
const ofCrop = { side: null, confidence: null, imageUrl: null, index: 0 };

test.each<[OtherJob['operation'], unknown, IDataObject]>([
	[
		'Extraction',
		{ Metadata: { fields }, Id: 5 },
		{ fields, extractionId: '5', creditsConsumed: 1 },
	],
	['Classification', { Results: [INVOICE] }, ofClassify],
	['Classification', INVOICE, ofClassify],
	['Crop', [{ Type: 'id', Box2D: [1, 2] }], { ...ofCrop, type: 'id', box: [1, 2] }],
	['Crop', { Cards: [{ Kind: 'id' }] }, { ...UNDECIDED, cards: [{ kind: 'id' }] }],
])(
	'a result of %s in another form, %j, is read, or comes through whole',
	async (operation, result, given) => {
		const [jobId] = await service.standIn.addJobs(service.credential.apiKey, [
			{ operation, result },
		]);
		const { items } = await job('getResult', [{ json: { jobId: jobId! } }], byItem);
		expect(items.map(({ json }) => json)).toEqual([{ fileName: null, ...given }]);
	},
);

test('the name of the file is the one beside the number in the item, else not known', async () => {
	const [{ json }] = (await submitted('extract', 'invoice-us.pdf')) as [INodeExecutionData];
	const { jobId } = json;
	const other = { jobId: 'other', fileName: 'other.pdf' };
	const capitals = { ...json, jobId: (jobId as string).toUpperCase() };
	const input = [json, { jobId }, other, capitals].map((one) => ({ json: one }));
	for (const output of ['fields', 'documentRows']) {
		const given = { jobId: jobId as string, output };
		const { items } = await job('getResult', input, given);
		expect(items.map((item) => item.json.fileName)).toEqual([
			'invoice-us.pdf',
			null,
			null,
			'invoice-us.pdf',
		]);
	}
});

describe('A job that has not finished', () => {
	test.each([false, '={{ "false" }}'])(
		'with Wait for Completion %j: its state, and what to do',
		async (waitForCompletion) => {
			await service.standIn.configure({ jobRunMs: 600_000 });
			const input = await submitted('extract', 'invoice-us.pdf');
			const given = { ...byItem, waitForCompletion };
			const { items } = await job('getResult', input, given, goOn);
			const { jobId } = input[0]!.json;
			const failure = failureOf(items[0]);
			expect(failure).toMatchObject({
				message: `Job ${jobId as string} has not finished: its status is Processing`,
				details: { jobId, fileName: 'invoice-us.pdf' },
			});
			expect(failure.description).toContain('Wait for Completion');
			expect(await steps()).toEqual(['store', 'submit', 'get']);
		},
	);
});

test('of several types for one job, the one without a name is not guessed', async () => {
	const Results = [{ FileName: 'other.pdf', DocumentType: 'Contract' }, INVOICE];
	const jobs = [{ operation: 'Classification', result: { Results } } as const];
	const [jobId] = await service.standIn.addJobs(service.credential.apiKey, jobs);
	const { items } = await job('getResult', [{ json: {} }], { jobId: jobId! }, goOn);
	expect(failureOf(items[0]).message).toBe(`Cogneris returned no type for job ${jobId}`);
});
test('once a key is rejected, no other result is fetched with it; each job is named', async () => {
	const result = { operation: 'Extraction', result: { Metadata: { a: 1 } }, count: 30 } as const;
	const ids = await service.standIn.addJobs(service.credential.apiKey, [result]);
	const rejected = { kind: 'problem', status: 401, code: 'key_revoked', times: 'always' } as const;
	await service.standIn.queueFaults([rejected], 'fetch');
	const input = ids.map((jobId) => ({ json: { jobId } }));
	const { items } = await job('getResult', input, byItem, goOn);
	for (const [at, { message, description }] of items.map(failureOf).entries())
		expect(`${message} ${description}`).toMatch(new RegExp(`${ids[at]}.*Get Result`));
	expect((await steps()).filter((step) => step === 'fetch').length).toBeLessThan(20);
});
test.each(['Queued', 'Succeeded'])(
	'a redaction that is %s: it has no result here, which is said at once',
	async (status) => {
		const data = { jobId: 'j-1', operation: 'Redaction', status, outputReference: null };
		await service.standIn.queueFaults([{ kind: 'answer', data }], 'get');
		const { items } = await job('getResult', undefined, { jobId: 'j-1' }, goOn);
		expect(failureOf(items[0]).message).toBe(
			'Job j-1 is a redaction, and its result cannot be fetched with this node',
		);
		expect(await steps()).toEqual(['get']);
	},
);
