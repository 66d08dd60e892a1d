import { join } from 'node:path';

import type { Execution } from '../n8n/execution';
import type { Host } from '../n8n/host';
import type { Running } from '../n8n/processes';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import type { RecordedRequest } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { startsByMinute, untilSecond } from './clock';
import { copies } from './copies';
import { withQueueMode } from './databases';
import { assertPrinted, collectedRows, CREDENTIAL, example } from './exampleWorkflow';
import { BEGINNINGS, expectNoKey, expectNowhere } from './secrets';
import { addCredential, documents, fresh, invoices, withHost, type Setting } from './setting';
import {
	documentIntelligence,
	node,
	nothing,
	readFiles,
	reasonOf,
	succeeded,
	workflow,
} from './workflows';

const EXECUTIONS = 4;
const EACH = 50;

/** Time that the service needs for a document, in milliseconds; the longer one keeps documents in flight until the kill. */
const LATENCY = 2000;
const LONG_LATENCY = 15_000;

/** Several processes with one key that share only a database and a queue. One of them is killed. */
export async function queue(setting: Setting): Promise<void> {
	await withQueueMode(async ({ env: queueMode, dump }) => {
		const env = {
			...queueMode,
			// n8n detects the executions of a killed worker within seconds, instead of minutes and hours by default.
			QUEUE_WORKER_LOCK_DURATION: '15000',
			QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
			QUEUE_WORKER_STALLED_INTERVAL: '10000',
			N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
			// As in n8n 3; otherwise the main process would fetch the results of a worker.
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			N8N_LOG_LEVEL: 'debug',
		};
		await withHost(setting, { binaryData: 'database', env }, async (server, host) => {
			const lost = await workerLost(setting, server, host);
			const other = await host.startWorker();
			const apiKey = await sharedKey(setting, server, [lost.remaining, other]);
			await check('The API key and documents in what n8n wrote in queue mode', async () => {
				const logs = [server, ...lost.workers, other].map((process, number) => ({
					name: `the log of process ${number}`,
					content: process.log(),
				}));
				const database = { name: 'the database', content: await dump() };
				for (const words of BEGINNINGS) expectNowhere(words, [...logs, database]);
				return expectNoKey(
					[lost.apiKey, apiKey],
					[...logs, database],
					[
						['Document Intelligence finished', logs.slice(1)],
						['-00.pdf', [database]],
					],
				);
			});
		});
	});
}

/** A workflow for files that a webhook is called with, which starts at once for each call. */
async function byWebhook(
	server: Server,
	path: string,
	...sent: Parameters<typeof documentIntelligence>
) {
	const parameters = { path, httpMethod: 'GET', responseMode: 'onReceived', options: {} };
	const id = await server.addWorkflow(
		workflow(path, [
			node('Webhook', 'n8n-nodes-base.webhook', 2, parameters, { webhookId: path }),
			readFiles('={{ $json.query.files }}'),
			documentIntelligence(...sent),
			nothing('Next'),
		]),
	);
	await server.activate(id);
	return {
		id,
		async begin(files: string) {
			const url = `${server.url}/webhook/${path}?files=${encodeURIComponent(files)}`;
			const answer = await fetch(url);
			expect(answer.ok, `the webhook was answered with ${answer.status}`);
		},
	};
}

/** Run time of the jobs, in milliseconds. One has finished when the worker is killed. */
const JOB_MS = 8000;

/**
 * The only worker is killed while its documents are processed as jobs, and an example workflow fetches their results.
 *
 * @returns the API key, and the workers, including the one that still runs
 */
async function workerLost(
	{ standIn }: Setting,
	server: Server,
	host: Host,
): Promise<{ apiKey: string; workers: Running[]; remaining: Running }> {
	await fresh(standIn, 50);
	await standIn.configure({
		jobRunMs: JOB_MS,
		jobRules: [{ match: 'invoice-us', runMs: 1000 }],
	});
	const apiKey = await addCredential(server, standIn, { name: CREDENTIAL, requestsPerMinute: 50 });
	const steps = async (wanted: string) =>
		(await standIn.requests()).filter(({ step }) => step === wanted);

	const killed = await host.startWorker();
	let remaining = killed;
	await check('Results of jobs whose worker was killed are fetched afterwards', async () => {
		const parameters = { operation: 'extract', output: 'rows', options: { processing: 'job' } };
		const queued = await byWebhook(server, 'jobs', parameters, { credential: CREDENTIAL });
		const from = new Date().toISOString();
		await queued.begin(join(documents, 'invoice-*.pdf'));
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

		remaining = await host.startWorker();
		const execution = await server.triggeredExecution(queued.id);
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
		const files = invoices.map(([file]) => file);
		assertPrinted(rows, files);
		expectEqual(run.runData['Needs Review'], undefined, 'results that could not be fetched');
		const charges = await standIn.charges();
		const billed = new Set(charges.flatMap((charge) => charge.files.map(({ sha256 }) => sha256)));
		expectEqual([charges.length, billed.size], [files.length, files.length], 'billed documents');
		expectEqual((await steps('submit')).length, invoices.length, 'submissions');
		expectEqual((await steps('process')).length, 0, 'documents processed directly');
		return `a worker was killed with ${invoices.length} jobs submitted, ${finished} of them finished: "${reasonOf(execution)}"; ${rows.length} rows as printed, each document billed once`;
	});
	return { apiKey, workers: [killed, remaining], remaining };
}

/** @returns the API key that the workers share */
async function sharedKey(
	{ standIn, folder }: Setting,
	server: Server,
	workers: Running[],
): Promise<string> {
	await fresh(standIn, 50);
	await standIn.configure({ latencyMs: LATENCY });
	const apiKey = await addCredential(server, standIn, { requestsPerMinute: 50 });
	const names = Array.from(
		{ length: EXECUTIONS * EACH },
		(_, number) => `of-${Math.floor(number / EACH)}-${String(number % EACH).padStart(2, '0')}.pdf`,
	);
	await copies(join(folder, 'queue'), names);
	const goesOn = { onError: 'continueRegularOutput' };
	const queued = await byWebhook(server, 'documents', { operation: 'extract' }, goesOn);

	// The workers adapt to each other in the first window, so enough of it has to be left.
	await untilSecond(2, 20);
	for (let number = 0; number < EXECUTIONS; number++)
		await queued.begin(join(folder, 'queue', `of-${number}-*.pdf`));
	// A worker is killed in the second window, when each has documents done and waiting, and this one has some in flight.
	await untilSecond(0, 1);
	await standIn.configure({ latencyMs: LONG_LATENCY });
	const executionIds = (await server.executionIds(queued.id)).sort((a, b) => Number(a) - Number(b));
	let busy: Running | undefined;
	const isBusy = async () => {
		const [name] = (await standIn.requests())
			.filter(({ kind, refused, endedAt }) => kind === 'api' && !refused && !endedAt)
			.flatMap(fileNames);
		// The files have the numbers of the executions, in the order in which they were started.
		const started = `Worker started execution ${executionIds[Number(name?.split('-')[1])]} `;
		busy = workers.find((worker) => worker.log().includes(started));
		return busy !== undefined;
	};
	await until(isBusy, 50, 'no worker has a document in flight');
	const sentBefore = (await standIn.requests()).length;
	const killedAt = Date.now();
	await busy?.kill();
	const goneAt = Date.now();
	await standIn.configure({ latencyMs: LATENCY });
	const executions: Execution[] = [];
	for (const one of executionIds) executions.push(await server.execution(one));

	const requests = (await standIn.requests()).filter(({ kind }) => kind === 'api');
	const accepted = requests.filter(({ refused }) => !refused);
	// The service sees the connection close before its response.
	const cutOff = accepted.filter(
		({ aborted, startedAt, endedAt }) =>
			aborted && startedAt <= goneAt && (endedAt ?? 0) >= killedAt,
	);

	await check('Every execution ends as a success or as a reported failure', () => {
		expectEqual(executions.length, EXECUTIONS, 'executions');
		// n8n sets `crashed` for an execution whose worker is gone; any other failure must have a message.
		const ends = executions.map(({ status, error }) =>
			['success', 'crashed'].includes(status) ? status : `${status}: ${error?.message ?? ''}`,
		);
		const bad = ends.filter((end) => !/^(success|crashed|(error|canceled): .+)$/.test(end));
		expectEqual(bad, [], 'executions without an end or without a reason');
		expect(cutOff.length > 0, 'the killed worker had no document in flight');
		return `a worker was killed after ${sentBefore} requests, ${cutOff.length} of its documents in flight; ${ends.join(', ')}`;
	});

	await check('No document is missing without a word', () => {
		const succeeded = executions.filter(({ status }) => status === 'success');
		const done = new Set(succeeded.flatMap(resultsOf));
		const failed = EXECUTIONS - succeeded.length;
		const missing = names.filter((name) => !done.has(name));
		// A failed execution accounts for all of its documents.
		expect(
			missing.length <= failed * EACH && missing.length % EACH === 0,
			`${missing.length} documents without a result beside ${failed} failed executions`,
		);
		expect(done.size >= names.length / 2, `only ${done.size} results`);
		const twice = accepted.length - new Set(accepted.flatMap(fileNames)).size;
		expect(
			twice <= cutOff.length,
			`${twice} documents were sent twice, but the killed worker had ${cutOff.length} in flight`,
		);
		return `${names.length} documents: ${done.size} results, ${missing.length} in ${failed} executions that are reported as failed; ${accepted.length} accepted requests, ${twice} of them for a document sent before`;
	});

	await check('The workers together keep to the rate limit', () => {
		const firstWindowEnds = (Math.floor((requests[0]?.startedAt ?? 0) / 60_000) + 1) * 60_000;
		const later = requests.filter(({ startedAt }) => startedAt >= firstWindowEnds);
		const refused = later.filter((request) => request.refused).length;
		const seen = `accepted by minute ${startsByMinute(accepted).join(', ')}; refused ${requests.length - accepted.length - refused} in the first window and ${refused} of ${later.length} after it`;
		expect(refused <= 0.1 * later.length, seen);
		return seen;
	});
	return apiKey;
}

function resultsOf(execution: Execution): string[] {
	return execution
		.items('Next')
		.filter(({ json }) => json.error === undefined)
		.map(({ json }) => json.fileName as string);
}

function fileNames({ parts }: RecordedRequest): string[] {
	return parts.flatMap((part) => ('fileName' in part ? [part.fileName] : []));
}
