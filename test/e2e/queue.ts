import { join } from 'node:path';

import type { Execution } from '../n8n/execution';
import type { Running } from '../n8n/processes';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import type { RecordedRequest } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { startsByMinute, untilSecond } from './clock';
import { copies } from './copies';
import { withQueueMode } from './databases';
import { BEGINNINGS, expectNowhere, formsOf, isIn, listOf } from './secrets';
import { addCredential, fresh, withHost, type Setting } from './setting';
import { workerLost } from './workerLost';
import { documentIntelligence, nothing, readFiles, webhook, workflow } from './workflows';

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
			const other = await host.startWorker(3);
			const apiKey = await sharedKey(setting, server, [lost.remaining, other]);
			await check('The API key and documents in what n8n wrote in queue mode', async () => {
				const logs = [server, ...lost.workers, other].map((process, number) => ({
					name: `the log of process ${number}`,
					content: process.log(),
				}));
				const database = { name: 'the database', content: await dump() };
				const places = [...logs, database];
				for (const words of [...[lost.apiKey, apiKey].flatMap(formsOf), ...BEGINNINGS])
					expectNowhere(words, places);
				// Otherwise the search may have looked at nothing.
				expect(
					isIn('Document Intelligence finished', logs.slice(1)),
					'the search does not see the logs of the workers',
				);
				expect(isIn('-00.pdf', [database]), 'the search does not see the database');
				return `in none of ${listOf(places)}`;
			});
		});
	});
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
	const path = 'documents';
	const id = await server.addWorkflow(
		workflow('Queue', [
			webhook(path),
			readFiles('={{ $json.query.files }}'),
			documentIntelligence({ operation: 'extract' }, { onError: 'continueRegularOutput' }),
			nothing('Next'),
		]),
	);
	await server.activate(id);

	// The workers adapt to each other in the first window, so enough of it has to be left.
	await untilSecond(2, 20);
	for (let number = 0; number < EXECUTIONS; number++) {
		const files = encodeURIComponent(join(folder, 'queue', `of-${number}-*.pdf`));
		const answer = await fetch(`${server.url}/webhook/${path}?files=${files}`);
		expect(answer.ok, `the webhook was answered with ${answer.status}`);
	}
	// A worker is killed in the second window, when each has documents done and waiting, and this one has some in flight.
	await untilSecond(0, 1);
	await standIn.configure({ latencyMs: LONG_LATENCY });
	const executionIds = (await server.executionIds(id)).sort((a, b) => Number(a) - Number(b));
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
