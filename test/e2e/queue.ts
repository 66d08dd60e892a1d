import { join } from 'node:path';

import type { Execution } from '../n8n/execution';
import type { Running } from '../n8n/processes';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import type { RecordedRequest, StandIn } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { untilSecond } from './clock';
import { copies } from './copies';
import { withQueueMode } from './databases';
import { startsByMinute } from './hosts';
import { BEGINNINGS, expectNowhere, formsOf, isIn, listOf, type Place } from './secrets';
import { addCredential, fresh, withHost, type Setting } from './setting';
import { workerLost } from './workerLost';
import { documentIntelligence, nothing, readFiles, webhook, workflow } from './workflows';

const EXECUTIONS = 6;
const EACH = 50;
const WORKERS = 2;

/** Time that the service needs for a document, in milliseconds; the longer one keeps documents in flight until the kill. */
const LATENCY = 2000;
const LONG_LATENCY = 15_000;

/** Several processes with one key that share only a database and a queue. One of them is killed. */
export async function queue(setting: Setting): Promise<void> {
	await withQueueMode(async ({ env: queueMode, postgres }) => {
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
			const others = await Promise.all(
				Array.from({ length: WORKERS - 1 }, async () => await host.startWorker(3)),
			);
			const apiKey = await run(setting, server, [lost.remaining, ...others]);
			await searched(
				[lost.apiKey, apiKey],
				[
					{ name: 'the log of the main process', content: server.log() },
					...[...lost.workers, ...others].map((worker, number) => ({
						name: `the log of worker ${number + 1}`,
						content: worker.log(),
					})),
					{ name: 'the database', content: await postgres.dump() },
				],
			);
		});
	});
}

async function run(
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
	const startedAt = Date.now();
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
	await until(
		async () => {
			const [number] = (await inFlight(standIn)).flatMap(fileNames).map(executionOf);
			const started = `Worker started execution ${executionIds[number ?? -1]} `;
			busy = workers.find((worker) => worker.log().includes(started));
			return busy !== undefined;
		},
		50,
		'no worker has a document in flight',
	);
	const sentBefore = (await standIn.requests()).length;
	const killedAt = Date.now();
	await busy?.kill();
	const goneAt = Date.now();
	await standIn.configure({ latencyMs: LATENCY });
	const executions = await ended(server, id);
	const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);

	const requests = (await standIn.requests()).filter(({ kind }) => kind === 'api');
	const accepted = requests.filter(({ refused }) => !refused);
	const statuses = executions.map(({ status }) => status);
	// The service sees the connection close before its response.
	const cutOff = accepted.filter(
		({ aborted, startedAt: at, endedAt }) => aborted && at <= goneAt && (endedAt ?? 0) >= killedAt,
	);

	await check('Every execution ends as a success or as a reported failure', () => {
		expectEqual(executions.length, EXECUTIONS, 'executions');
		const bad = statuses.filter(
			(status) => !['success', 'error', 'crashed', 'canceled'].includes(status),
		);
		expectEqual(bad, [], 'executions without an end');
		// n8n sets `crashed` for an execution whose worker is gone; any other failure must have a message.
		const reasons = executions
			.filter(({ status }) => !['success', 'crashed'].includes(status))
			.map(({ error }) => error?.message ?? '');
		expect(
			reasons.every((reason) => reason !== ''),
			`a failed execution gives no reason: ${statuses.join(', ')} (${reasons.join(' | ')})`,
		);
		expect(cutOff.length > 0, 'the killed worker had no document in flight');
		return `a worker was killed after ${sentBefore} requests, ${cutOff.length} of its documents in flight; after ${minutes} minutes: ${statuses.join(', ')} (${[...new Set(reasons)].join(' | ')})`;
	});

	await check('No document is missing without a word', () => {
		const done = new Set(
			executions.filter(({ status }) => status === 'success').flatMap(resultsOf),
		);
		const failed = executions.filter(({ status }) => status !== 'success').length;
		const missing = names.filter((name) => !done.has(name));
		// A failed execution accounts for all of its documents.
		expect(
			missing.length <= failed * EACH && missing.length % EACH === 0,
			`${missing.length} documents without a result beside ${failed} failed executions`,
		);
		expect(done.size >= names.length / 2, `only ${done.size} results`);
		const sent = new Set(accepted.flatMap(fileNames));
		const twice = accepted.length - sent.size;
		expect(
			twice <= cutOff.length,
			`${twice} documents were sent twice, but the killed worker had ${cutOff.length} in flight`,
		);
		return `${names.length} documents: ${done.size} results, ${missing.length} in ${failed} executions that are reported as failed; ${accepted.length} accepted requests, ${twice} of them for a document sent before`;
	});

	await check('The workers together keep to the rate limit', () => {
		const firstWindowEnds = (Math.floor((requests[0]?.startedAt ?? 0) / 60_000) + 1) * 60_000;
		const later = requests.filter((request) => request.startedAt >= firstWindowEnds);
		const refusedLater = later.filter(({ refused }) => refused).length;
		const refusedFirst = requests.length - accepted.length - refusedLater;
		const windows = startsByMinute(accepted);
		const seen = `accepted by minute ${windows.join(', ')}; refused ${refusedFirst} in the first window and ${refusedLater} of ${later.length} after it`;
		expect(refusedLater <= 0.1 * later.length, seen);
		return seen;
	});
	return apiKey;
}

/** Number of the execution that a file belongs to, in the order in which they were started. */
function executionOf(fileName: string): number {
	return Number(fileName.split('-')[1]);
}

async function inFlight(standIn: StandIn): Promise<RecordedRequest[]> {
	const requests = await standIn.requests();
	return requests.filter(({ kind, refused, endedAt }) => kind === 'api' && !refused && !endedAt);
}

/** All executions of the workflow, after all of them have ended. */
async function ended(server: Server, workflowId: string): Promise<Execution[]> {
	const executions: Execution[] = [];
	for (const id of await server.executionIds(workflowId))
		executions.push(await server.execution(id));
	return executions;
}

async function searched(apiKeys: string[], places: Place[]): Promise<void> {
	await check('The API key and documents in what n8n wrote in queue mode', () => {
		for (const words of [...apiKeys.flatMap(formsOf), ...BEGINNINGS]) expectNowhere(words, places);
		// Otherwise the search may have looked at nothing.
		for (const [words, where] of [
			['Document Intelligence finished', 'worker'],
			['-00.pdf', 'database'],
		] as const)
			expect(
				isIn(
					words,
					places.filter(({ name }) => name.includes(where)),
				),
				`the search does not see "${words}" in the ${where}`,
			);
		return `in none of ${listOf(places)}`;
	});
}

function resultsOf(execution: Execution): string[] {
	const { Next } = execution.runData;
	return Next === undefined
		? []
		: execution
				.items('Next')
				.filter(({ json }) => json.error === undefined)
				.map(({ json }) => json.fileName as string);
}

function fileNames({ parts }: RecordedRequest): string[] {
	return parts.flatMap((part) => ('fileName' in part ? [part.fileName] : []));
}
