import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { INodeExecutionData } from 'n8n-workflow';

import { latestN8n, n8nVersions } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import { check, expect, expectEqual, Unavailable } from './checks';
import { startsByMinute, untilSecond } from './clock';
import { checkExamples } from './examples';
import { MIXED, realUses, uses, type Use } from './operations';
import {
	addCredential,
	documents,
	fresh,
	nameOf,
	realDocuments,
	requestsFromNow,
	requestsWith,
	withHost,
	type Setting,
} from './setting';
import {
	documentIntelligence,
	node,
	NODE,
	nothing,
	readFiles,
	reasonOf,
	sending,
	start,
	succeeded,
	workflow,
} from './workflows';

/** Results of the first host, by check, to compare the other hosts with. */
type Expected = Map<string, { host: string; items: unknown[] }>;

/** Every operation, every On Error mode and every example, in both versions of n8n and with both ways of storing files. */
export async function hosts(setting: Setting): Promise<void> {
	const expected: Expected = new Map();
	for (const version of n8nVersions) {
		for (const binaryData of ['default', 'filesystem'] as const) {
			await withHost(setting, { version, binaryData }, async (server) => {
				const host = nameOf(version, binaryData);
				const isOnDisk = binaryData === 'filesystem';
				await operations(setting, server, host, expected);
				// n8n 2 has files on disk unless it is told otherwise, and n8n 3 always.
				if (isOnDisk || version !== latestN8n) await checkExamples(setting, server, host);
				if (!isOnDisk) return;
				if (version === latestN8n) await thirdPartyDocuments(setting, server, host);
				await stopWorkflow(setting, server, version);
				await rateLimit(setting, server, version);
			});
		}
	}
}

async function operations(
	{ standIn }: Setting,
	server: Server,
	host: string,
	expected: Expected,
): Promise<void> {
	await fresh(standIn);
	await addCredential(server, standIn);
	for (const use of uses)
		await check(`${use.name} in ${host}`, async () => {
			const { saw, items } = await runUse(use, server);
			const compared = await comparable(server, items);
			const first = expected.get(use.name);
			if (first === undefined) {
				expected.set(use.name, { host, items: compared });
				return saw;
			}
			expectEqual(compared, first.items, `not as in ${first.host}`);
			return `${saw}; items, files and pairing as in ${first.host}`;
		});
}

async function thirdPartyDocuments(
	{ standIn }: Setting,
	server: Server,
	host: string,
): Promise<void> {
	await fresh(standIn);
	for (const use of realUses)
		await check(`${use.name} in ${host}`, async () => {
			if (!existsSync(realDocuments))
				throw new Unavailable('there is no folder shared/documents beside the repository');
			return (await runUse(use, server)).saw;
		});
}

async function runUse({ workflow: made, judge }: Use, server: Server) {
	const execution = await succeeded(server, made());
	return { saw: judge(execution), items: execution.items(NODE) };
}

/** Names that differ between runs or machines. */
const OF_THE_RUN = new Set(
	'extractionId createdDate requestId imageUrl sourceDocumentId selfieDocumentId correlationId id templateId jobId reference outputReference startedAt completedAt expiresAt'.split(
		' ',
	),
);

/** Items in a form that can be compared between hosts: files by content, without values that differ between runs. */
async function comparable(server: Server, items: INodeExecutionData[]): Promise<unknown[]> {
	const compared: unknown[] = [];
	for (const { json, binary = {}, pairedItem } of items) {
		const files: Record<string, unknown> = {};
		for (const [field, file] of Object.entries(binary)) {
			const { fileName, mimeType } = file;
			const sha256 = createHash('sha256')
				.update(await server.bytes(file))
				.digest('hex');
			files[field] = { fileName, mimeType, sha256 };
		}
		compared.push({ json: withoutTheRun(json), files, pairedItem });
	}
	return compared;
}

const JOB_NUMBER = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

function withoutTheRun(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutTheRun);
	// Messages contain job IDs.
	if (typeof value === 'string') return value.replace(JOB_NUMBER, 'of the run');
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, entry]) => [
			key,
			OF_THE_RUN.has(key) ? typeof entry : withoutTheRun(entry),
		]),
	);
}

async function stopWorkflow({ standIn }: Setting, server: Server, version: string): Promise<void> {
	await fresh(standIn);
	await check(`On Error: Stop Workflow in n8n ${version}`, async () => {
		const requests = await requestsFromNow(standIn);
		const nodes = [...sending(MIXED, { operation: 'extract' }), nothing('Next')];
		const execution = await server.run(workflow('On Error', nodes));
		expectEqual([execution.status, execution.lastNode], ['error', NODE], 'the end');
		expect(execution.error?.message.includes('notes.txt') ?? false, reasonOf(execution));
		expectEqual(await requests(), [], 'requests, although one file could be seen to be wrong');
		return execution.error?.message;
	});
}

async function rateLimit({ standIn }: Setting, server: Server, version: string): Promise<void> {
	// The service counts.
	await standIn.reset();
	const name = 'One a minute';
	const stoppedKey = await addCredential(server, standIn, { name, requestsPerMinute: 1 });
	const sentByStopped = async () => (await requestsWith(standIn, stoppedKey)).length;
	let stoppedAt = 0;

	await check(`Stop during a wait for the rate limit in n8n ${version}`, async () => {
		const id = await server.begin(
			workflow('Stopped', sending('invoice-*.pdf', { operation: 'extract' }, { credential: name })),
		);
		await until(async () => (await sentByStopped()) > 0, 20, 'the first document was not sent');
		// Long enough that the second document has to wait.
		await wait(500);
		stoppedAt = Date.now();
		await server.rest('POST', `/rest/executions/${id}/stop`, {});
		const { status } = await server.execution(id);
		const ms = Date.now() - stoppedAt;
		expectEqual(status, 'canceled', 'status');
		expect(ms < 1000, `it took ${ms} ms`);
		return `canceled after ${ms} ms, with 1 of 5 documents sent`;
	});

	await check(`Two workflows at once keep to 50 requests a minute in n8n ${version}`, async () => {
		await standIn.configure({ latencyMs: 50 });
		const credential = 'Fifty a minute';
		const apiKey = await addCredential(server, standIn, {
			name: credential,
			requestsPerMinute: 50,
		});
		const each = 35;
		const copies = node('Copies', 'n8n-nodes-base.code', 2, {
			jsCode: `return Array.from({ length: ${each} }, (_, item) => ({ json: { copy: item }, binary: $input.first().binary, pairedItem: 0 }));`,
		});
		const made = workflow('At once', [
			start(),
			readFiles(join(documents, 'invoice-us.pdf')),
			copies,
			documentIntelligence({ operation: 'extract' }, { credential }),
		]);
		// The rate limit window must not end while the first documents are sent.
		await untilSecond(0, 50);
		const both = await Promise.all([succeeded(server, made), succeeded(server, made)]);
		for (const execution of both) expectEqual(execution.items(NODE).length, each, 'results');
		const requests = await requestsWith(standIn, apiKey);
		expectEqual(requests.filter(({ refused }) => refused).length, 0, 'refused requests');
		const windows = startsByMinute(requests);
		expect(Math.max(...windows) <= 50, `starts by minute: ${windows.join(', ')}`);
		expectEqual(requests.length, 2 * each, 'requests');
		return `${requests.length} documents, starts by minute ${windows.join(' and ')}, none refused`;
	});

	await check(`Nothing is sent after the stop in n8n ${version}`, async () => {
		const nextWindow = (Math.floor(stoppedAt / 60_000) + 1) * 60_000;
		// Requests that waited for the window would continue at once.
		await wait(Math.max(0, nextWindow - Date.now()) + 2000);
		expectEqual(await sentByStopped(), 1, 'requests of the stopped workflow');
		return `one request with that key, ${Math.round((Date.now() - stoppedAt) / 1000)} s after the stop, when the next window had begun`;
	});
}
