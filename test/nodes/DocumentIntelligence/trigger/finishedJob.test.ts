import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { PolledNode } from '../../../n8n-core/polledNode';
import type { OtherJob } from '../../../stand-in/startStandIn';
import { samplePath } from '../../../stand-in/useStandIn';
import { fastLimiters } from '../../clock';
import { comparable, useJobs } from '../../service';

const { service, job } = useJobs();

const JOB_FIELDS = ['jobId', 'operation', 'status', 'completedAt', 'failureCode'];

async function activated(parameters: IDataObject = {}): Promise<PolledNode> {
	const { credential } = service;
	const node = new PolledNode({ parameters, credential, limiters: fastLimiters(20) });
	await node.activate();
	// Jobs finish later than that, one after the other.
	await service.standIn.configure({ clockSkewMs: 10_000 });
	return node;
}

const add = async (...jobs: OtherJob[]) =>
	await service.standIn.addJobs(service.credential.apiKey, jobs);

const finish = async (operation: OtherJob['operation'], ...names: string[]) =>
	await add(
		...names.map((name, age) => ({
			operation,
			file: samplePath(name),
			finishedMsAgo: (names.length - age) * 1000,
		})),
	);

/** Without what a trigger adds about the job. */
function withoutJob(item: INodeExecutionData): INodeExecutionData {
	const own = Object.entries(item.json).filter(([name]) => !JOB_FIELDS.includes(name));
	return { ...item, json: Object.fromEntries(own), pairedItem: undefined };
}

const resultIn = (item: INodeExecutionData) => comparable(withoutJob(item));

// That these are the items of a direct answer is in operations/job/getResult.test.ts.
test.each<[OtherJob['operation'], string, string, IDataObject?]>([
	[
		'Extraction',
		'rows',
		'invoice-de.pdf',
		{ requiredFields: 'total, nothing', checks: 'total = tax', confidenceThreshold: 99 },
	],
	['ZeroShot', 'documentRows', 'form.pdf', { includeFieldDetails: true }],
	['Classification', 'fields', 'invoice-uk.pdf', { confidenceThreshold: 80 }],
	['Crop', 'fields', 'two-cards.jpg'],
])(
	'the items are those that Get Result returns: %s, %s of %s, %j',
	async (operation, output, name, options = {}) => {
		const n8n = await activated({ output, options });
		const [jobId] = await finish(operation, name);
		await n8n.tick();
		const { items } = await job('getResult', [{ json: { jobId } }], {
			jobId: '={{ $json.jobId }}',
			output,
			options,
		});
		const started = n8n.starts.flat();
		expect(started.length).toBeGreaterThan(0);
		expect(started.map(resultIn)).toEqual(items.map(resultIn));
		expect(new Set(started.map(({ json }) => json.jobId))).toEqual(new Set([jobId]));
		expect(started.every((item) => item.pairedItem === undefined)).toBe(true);
	},
);

test('the rows of all jobs of a poll have the same columns, those of the job among them', async () => {
	const n8n = await activated({ output: 'rows' });
	const ids = await finish('Extraction', 'invoice-us.pdf', 'invoice-de.pdf');
	await n8n.tick();
	const [started = []] = n8n.starts;
	expect(n8n.starts).toHaveLength(1);
	expect([...new Set(started.map(({ json }) => json.jobId))]).toEqual(ids);
	const columns = new Set(started.map(({ json }) => Object.keys(json).join()));
	expect(columns.size).toBe(1);
	for (const field of JOB_FIELDS) expect(Object.keys(started[0]?.json ?? {})).toContain(field);
	expect(started[0]?.json.status).toBe('Succeeded');
});

test('a name of the result is kept, and what is known of the job gets another', async () => {
	const n8n = await activated({ output: 'documentRows', options: { values: 'printed' } });
	const result = { Metadata: { fields: { status: 'paid', operation: 'transfer' } } };
	await add({ operation: 'Extraction', result });
	await n8n.tick();
	expect(n8n.items).toMatchObject([
		{ status: 'paid', operation: 'transfer', status_: 'Succeeded', operation_: 'Extraction' },
	]);
});

test('a job in which nothing was found starts the workflow with an item that has its number', async () => {
	const n8n = await activated();
	const [jobId] = await add({ operation: 'Crop', result: { documents: [] } });
	await n8n.tick();
	const completedAt = expect.any(String) as string;
	expect(n8n.items).toEqual([
		{ jobId, operation: 'Crop', status: 'Succeeded', completedAt, failureCode: null },
	]);
	expect(await n8n.tick()).toBe(0);
});
