import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Execution } from '../n8n/execution';
import type { Server } from '../n8n/server';
import type { RecordedRequest } from '../stand-in/control';
import { check, expect, expectEqual } from './checks';
import { startPostgres, startRedis, type Backend } from './databases';
import { startsByMinute, untilSecond } from './hosts';
import { addCredential, documents, fresh, withHost, type Setting } from './setting';
import { documentIntelligence, node, nothing, readFiles, workflow } from './workflows';

const EXECUTIONS = 6;
const EACH = 50;
const WORKERS = 2;

/** How long the service takes for a document, in milliseconds. */
const LATENCY = 2000;

/** Several processes with one key and nothing in common but a database and a queue, one of which dies. */
export async function queue(setting: Setting): Promise<void> {
	const backends: Backend[] = [];
	try {
		backends.push(await startPostgres());
		backends.push(await startRedis());
		const env = {
			...Object.assign({}, ...backends.map((backend) => backend.env)) as Record<string, string>,
			// A dead worker's executions are noticed within the run, not within the half minutes and hours of the defaults.
			QUEUE_WORKER_LOCK_DURATION: '15000',
			QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
			QUEUE_WORKER_STALLED_INTERVAL: '10000',
			N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '1',
		};
		await withHost(setting, { binaryData: 'database', env }, async (server, host) => {
			const workers = await Promise.all(Array.from({ length: WORKERS }, async () => await host.startWorker(3)));
			await run(setting, server, async () => await workers[0]?.kill());
		});
	} finally {
		for (const backend of backends.reverse()) await backend.stop();
	}
}

async function run({ standIn, folder }: Setting, server: Server, killWorker: () => Promise<void>): Promise<void> {
	await fresh(standIn, 50);
	await standIn.configure({ latencyMs: LATENCY });
	await addCredential(server, standIn, { requestsPerMinute: 50 });
	const names = await copies(join(folder, 'queue'));
	const path = 'documents';
	const id = await server.addWorkflow(
		workflow('Queue', [
			node('Webhook', 'n8n-nodes-base.webhook', 2, { path, httpMethod: 'GET', responseMode: 'onReceived', options: {} }, { webhookId: path }),
			readFiles("={{ $json.query.files }}"),
			documentIntelligence({ operation: 'extract' }, { onError: 'continueRegularOutput' }),
			nothing('Next'),
		]),
	);
	await server.activate(id);

	// In the first window the workers learn of each other, so there has to be enough of it.
	await untilSecond(2, 20);
	const startedAt = Date.now();
	for (let number = 0; number < EXECUTIONS; number++) {
		const files = encodeURIComponent(join(folder, 'queue', `of-${number}-*.pdf`));
		const answer = await fetch(`${server.url}/webhook/${path}?files=${files}`);
		expect(answer.ok, `the webhook was answered with ${answer.status}`);
	}
	// A worker dies when the second window has just begun, and each has documents under way, behind it and before it.
	await untilSecond(1, 2);
	const sentBefore = (await standIn.requests()).length;
	await killWorker();
	const executions = await ended(server, id);
	const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);

	const requests = (await standIn.requests()).filter(({ kind }) => kind === 'api');
	const accepted = requests.filter(({ refused }) => !refused);
	const statuses = executions.map(({ status }) => status);

	await check('Every execution ends as a success or as a reported failure', async () => {
		expectEqual(executions.length, EXECUTIONS, 'executions');
		const bad = statuses.filter((status) => !['success', 'error', 'crashed', 'canceled'].includes(status));
		expectEqual(bad, [], 'executions without an end');
		const reasons = new Set(executions.filter(({ status }) => status !== 'success').map(({ error }) => error?.message ?? 'no reason given'));
		return await Promise.resolve(`a worker was killed after ${sentBefore} requests; after ${minutes} minutes: ${statuses.join(', ')} (${[...reasons].join(' | ')})`);
	});

	await check('No document is missing without a word', async () => {
		const done = new Set(executions.filter(({ status }) => status === 'success').flatMap(resultsOf));
		const failed = executions.filter(({ status }) => status !== 'success').length;
		const missing = names.filter((name) => !done.has(name));
		// An execution that is reported as failed accounts for all of its documents.
		expect(missing.length <= failed * EACH && missing.length % EACH === 0, `${missing.length} documents without a result beside ${failed} failed executions`);
		expect(done.size >= names.length / 2, `only ${done.size} results`);
		const sent = new Set(accepted.flatMap(fileNames));
		const twice = accepted.length - sent.size;
		return await Promise.resolve(
			`${names.length} documents: ${done.size} results, ${missing.length} in ${failed} executions that are reported as failed; ${accepted.length} accepted requests, ${twice} of them for a document sent before`,
		);
	});

	await check('The workers together keep to the rate limit', async () => {
		const firstWindowEnds = (Math.floor((requests[0]?.startedAt ?? 0) / 60_000) + 1) * 60_000;
		const later = requests.filter((request) => request.startedAt >= firstWindowEnds);
		const refusedLater = later.filter(({ refused }) => refused).length;
		const refusedFirst = requests.length - accepted.length - refusedLater;
		const windows = startsByMinute(accepted);
		const seen = `accepted by minute ${windows.join(', ')}; refused ${refusedFirst} in the first window and ${refusedLater} of ${later.length} after it`;
		expect(Math.max(...windows) <= 50, seen);
		expect(refusedLater <= 0.1 * later.length, seen);
		return await Promise.resolve(seen);
	});
}

/** Files with names of their own, by execution. */
async function copies(folder: string): Promise<string[]> {
	await mkdir(folder, { recursive: true });
	const names: string[] = [];
	for (let number = 0; number < EXECUTIONS * EACH; number++) {
		const name = `of-${Math.floor(number / EACH)}-${String(number % EACH).padStart(2, '0')}.pdf`;
		await copyFile(join(documents, 'invoice-us.pdf'), join(folder, name));
		names.push(name);
	}
	return names;
}

/** All executions of the workflow, once none of them is under way any more. */
async function ended(server: Server, workflowId: string): Promise<Execution[]> {
	const executions: Execution[] = [];
	const deadline = Date.now() + 15 * 60_000;
	for (const id of await server.executionIds(workflowId)) {
		const end = await Promise.race([server.execution(id), wait(deadline - Date.now(), undefined, { ref: false })]);
		if (end !== undefined) executions.push(end);
	}
	return executions;
}

function resultsOf(execution: Execution): string[] {
	const { Next } = execution.runData;
	return Next === undefined ? [] : execution.items('Next').filter(({ json }) => json.error === undefined).map(({ json }) => json.fileName as string);
}

function fileNames({ parts }: RecordedRequest): string[] {
	return parts.flatMap((part) => ('fileName' in part ? [part.fileName] : []));
}
