import { join } from 'node:path';

import type { Host } from '../n8n/host';
import type { Running } from '../n8n/processes';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import { check, expect, expectEqual } from './checks';
import { assertPrinted, collectedRows, CREDENTIAL, example } from './exampleWorkflow';
import { addCredential, documents, fresh, invoices, type Setting } from './setting';
import {
	documentIntelligence,
	nothing,
	readFiles,
	reasonOf,
	succeeded,
	webhook,
	workflow,
} from './workflows';

/** Run time of the jobs, in milliseconds, except one that has finished when the worker is killed. */
const JOB_MS = 8000;
const SHORT_JOB_MS = 1000;

/**
 * The only worker is killed while its documents are processed as jobs, and an example workflow fetches their results.
 *
 * @returns the API key, and the workers, including the one that still runs
 */
export async function workerLost(
	{ standIn }: Setting,
	server: Server,
	host: Host,
): Promise<{ apiKey: string; workers: Running[]; remaining: Running }> {
	await fresh(standIn, 50);
	await standIn.configure({
		jobRunMs: JOB_MS,
		jobRules: [{ match: 'invoice-us', runMs: SHORT_JOB_MS }],
	});
	const apiKey = await addCredential(server, standIn, {
		name: CREDENTIAL,
		requestsPerMinute: 50,
	});
	const steps = async (wanted: string) =>
		(await standIn.requests()).filter(({ step }) => step === wanted);

	const killed = await host.startWorker(3);
	let remaining = killed;
	await check('Results of jobs whose worker was killed are fetched afterwards', async () => {
		const path = 'jobs';
		const id = await server.addWorkflow(
			workflow('Jobs', [
				webhook(path),
				readFiles(join(documents, 'invoice-*.pdf')),
				documentIntelligence(
					{ operation: 'extract', output: 'rows', options: { processing: 'job' } },
					{ credential: CREDENTIAL },
				),
				nothing('Next'),
			]),
		);
		await server.activate(id);
		const from = new Date().toISOString();
		const answer = await fetch(`${server.url}/webhook/${path}`);
		expect(answer.ok, `the webhook was answered with ${answer.status}`);
		await until(
			async () =>
				(await steps('submit')).filter(({ status }) => status === 202).length === invoices.length &&
				(await standIn.charges()).length > 0,
			60,
			'the jobs were not submitted',
		);
		await killed.kill();
		const finished = (await standIn.charges()).length;
		expect(finished < invoices.length, 'no job was running when the worker was killed');

		remaining = await host.startWorker(3);
		const execution = await server.triggeredExecution(id);
		expect(['error', 'crashed'].includes(execution.status), reasonOf(execution));
		expectEqual(execution.runData.Next, undefined, 'results of the killed worker');
		await until(
			async () => (await standIn.charges()).length === invoices.length,
			JOB_MS / 1000,
			'the jobs have not finished',
		);

		const collecting = { from, until: new Date().toISOString() };
		const run = await succeeded(server, await example('collect-results.json', collecting));
		const rows = await collectedRows(server, run);
		assertPrinted(
			rows,
			invoices.map(([file]) => file),
		);
		expectEqual(run.runData['Needs Review'], undefined, 'results that could not be fetched');
		const billed = (await standIn.charges()).flatMap(({ files }) =>
			files.map(({ sha256 }) => sha256),
		);
		expectEqual(
			[billed.length, new Set(billed).size],
			[invoices.length, invoices.length],
			'documents that were billed',
		);
		expectEqual((await steps('submit')).length, invoices.length, 'submissions');
		expectEqual((await steps('process')).length, 0, 'documents processed directly');
		return `a worker was killed with ${invoices.length} jobs submitted, ${finished} of them finished: "${reasonOf(execution)}"; ${rows.length} rows as printed, each document billed once`;
	});
	return { apiKey, workers: [killed, remaining], remaining };
}
