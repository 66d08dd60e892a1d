import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { Execution } from '../n8n/execution';
import { n8nVersions } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { check, expect, expectEqual } from './checks';
import { addCredential, documents, fresh, withHost, type Setting } from './setting';
import {
	documentIntelligence,
	node,
	NODE,
	nothing,
	readFiles,
	reasonOf,
	start,
	workflow,
} from './workflows';

/** Files Processed Before: Skip, with n8n's deduplication history, in both versions, across executions and a restart. */
export async function once(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		const folder = join(setting.folder, `once-${version}`);
		await mkdir(folder, { recursive: true });
		const userFolder = join(setting.folder, `once-home-${version}`);
		await mkdir(userFolder, { recursive: true });
		const options = { version, binaryData: 'filesystem', userFolder } as const;
		let id = '';
		await withHost(setting, options, async (server) => {
			id = await sendsOnce(setting, server, folder, version);
			await otherHistory(setting, server, folder, version);
			await retryOnFail(setting, server, folder, version);
		});
		await withHost(
			setting,
			options,
			async (server) => await afterRestart(setting, server, id, version),
		);
	}
}

const SKIPPING = { operation: 'extract', options: { processedBefore: 'skip' } };

async function sendsOnce(
	{ standIn }: Setting,
	server: Server,
	folder: string,
	version: string,
): Promise<string> {
	await fresh(standIn);
	await addCredential(server, standIn);
	const id = await server.addWorkflow(
		workflow('Once', [
			start(),
			readFiles(join(folder, '*.pdf')),
			documentIntelligence(SKIPPING),
			nothing('Next'),
		]),
	);
	const sent = async () => (await standIn.requests()).length;
	const put = async (sample: string, name: string) =>
		await copyFile(join(documents, sample), join(folder, name));

	await check(`A second run sends nothing in n8n ${version}`, async () => {
		await put('invoice-us.pdf', 'one.pdf');
		await put('invoice-de.pdf', 'two.pdf');
		await put('invoice-de.pdf', 'copy-of-two.pdf');
		expectEqual((await run(server, id)).items('Next').length, 2, 'results of the first run');
		expectEqual(await sent(), 2, 'requests of the first run');

		const second = await run(server, id);
		expectEqual(second.items(NODE), [], 'results of the second run');
		expectEqual(await sent(), 2, 'requests of both runs');

		await put('invoice-fr.pdf', 'three.pdf');
		const third = await run(server, id);
		expectEqual(
			third.items('Next').map(({ json }) => json.fileName),
			['three.pdf'],
			'results after a file was added',
		);
		expectEqual(await sent(), 3, 'requests of the three runs');
		const { hints = [] } = third.record(NODE);
		expect(
			hints.some(({ message }) => message.startsWith('3 files skipped')),
			`the hints are ${JSON.stringify(hints)}`,
		);
		return hints.map(({ message }) => message).join(' | ');
	});

	await check(`Two executions at once send each file once in n8n ${version}`, async () => {
		await put('invoice-long.pdf', 'four.pdf');
		await put('invoice-uk.pdf', 'five.pdf');
		await standIn.configure({ latencyMs: 1000 });
		const executions = await Promise.all(
			(await Promise.all([server.begin(id), server.begin(id)])).map(
				async (execution) => await server.execution(execution),
			),
		);
		for (const execution of executions) expect(execution.status === 'success', reasonOf(execution));
		expectEqual(await sent(), 5, 'requests');
		await standIn.configure({ latencyMs: 0 });
		return executions.map((execution) => `${execution.items(NODE).length} results`).join(', ');
	});

	await check(`The history is forgotten as the hint says in n8n ${version}`, async () => {
		const text = await server.rest<{ nodes: object[]; connections: object }>(
			'GET',
			`/rest/workflows/${id}`,
		);
		const forgetting = workflow('Once', [
			start(),
			node('Forget', 'n8n-nodes-base.removeDuplicates', 2, {
				operation: 'clearDeduplicationHistory',
				options: { scope: 'workflow' },
			}),
		]);
		await server.rest('PATCH', `/rest/workflows/${id}`, forgetting);
		await run(server, id);
		const { nodes, connections } = text;
		await server.rest('PATCH', `/rest/workflows/${id}`, { nodes, connections });
		expectEqual((await run(server, id)).items('Next').length, 5, 'results');
		// Those of the runs by hand are in memory.
		expectEqual(await sent(), 5, 'requests');
		return 'five files, returned from memory';
	});
	return id;
}

async function otherHistory(
	{ standIn }: Setting,
	server: Server,
	folder: string,
	version: string,
): Promise<void> {
	await check(`A history that is kept in another way in n8n ${version}`, async () => {
		await fresh(standIn);
		const execution = await server.run(
			workflow('Other history', [
				start(),
				readFiles(join(folder, '*.pdf')),
				node('By Date', 'n8n-nodes-base.removeDuplicates', 2, {
					operation: 'removeItemsSeenInPreviousExecutions',
					logic: 'removeItemsUpToStoredDate',
					dateDedupeValue: '={{ $now }}',
					options: { scope: 'workflow' },
				}),
				documentIntelligence(SKIPPING),
			]),
		);
		expectEqual(execution.status, 'error', 'status');
		expect(
			execution.error?.message.startsWith("n8n's deduplication history could not be used") ?? false,
			reasonOf(execution),
		);
		expectEqual((await standIn.requests()).length, 0, 'requests');
		return reasonOf(execution);
	});
}

async function retryOnFail(
	{ standIn }: Setting,
	server: Server,
	folder: string,
	version: string,
): Promise<void> {
	await check(`Retry On Fail sends only what failed in n8n ${version}`, async () => {
		await fresh(standIn);
		await standIn.queueFaults([{ kind: 'envelopeError', status: 422, match: 'one.pdf' }]);
		const execution = await run(
			server,
			await server.addWorkflow(
				workflow('Retry On Fail', [
					start(),
					readFiles(join(folder, '{one,three,two}.pdf')),
					{
						...documentIntelligence({ operation: 'extract' }),
						onError: 'continueRegularOutput',
						retryOnFail: true,
						waitBetweenTries: 100,
					},
				]),
			),
		);
		const items = execution.items(NODE);
		expectEqual(
			items.map(({ json }) => json.error === undefined),
			[true, true, true],
			'results',
		);
		const sent = (await standIn.requests()).length;
		expectEqual(sent, 4, 'requests');
		return `${sent} requests for 3 files, one of which failed at first`;
	});
}

async function afterRestart(
	{ standIn }: Setting,
	server: Server,
	id: string,
	version: string,
): Promise<void> {
	await check(`After a restart nothing is sent in n8n ${version}`, async () => {
		await fresh(standIn);
		expectEqual((await run(server, id)).items(NODE), [], 'results');
		expectEqual((await standIn.requests()).length, 0, 'requests');
		return 'all files skipped';
	});
}

async function run(server: Server, id: string): Promise<Execution> {
	const execution = await server.run(id);
	expect(execution.status === 'success', reasonOf(execution));
	return execution;
}
