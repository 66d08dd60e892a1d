import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { n8nVersions, type N8nVersion } from '../n8n/recipes';
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
	succeeded,
	workflow,
} from './workflows';

/** Files Processed Before: Skip, with n8n's deduplication history, in both versions, across executions and a restart. */
export async function once(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		const folder = join(setting.folder, `once-${version}`);
		const userFolder = join(setting.folder, `once-home-${version}`);
		for (const path of [folder, userFolder]) await mkdir(path, { recursive: true });
		const host = { version, binaryData: 'filesystem', userFolder } as const;
		const id = await withHost(setting, host, async (server) => {
			await fresh(setting.standIn);
			await addCredential(server, setting.standIn);
			const skipping = await sendsOnce(setting, server, folder, version);
			await otherHistory(setting, server, folder, version);
			await retryOnFail(setting, server, folder, version);
			return skipping;
		});
		await withHost(setting, host, async (server) => {
			await check(`After a restart nothing is sent in n8n ${version}`, async () => {
				await fresh(setting.standIn);
				expectEqual((await succeeded(server, id)).items(NODE), [], 'results');
				expectEqual((await setting.standIn.requests()).length, 0, 'requests');
				return 'all files skipped';
			});
		});
	}
}

const SKIPPING = { operation: 'extract', options: { processedBefore: 'skip' } };

/** @returns the workflow that has processed all files of the folder */
async function sendsOnce(
	{ standIn }: Setting,
	server: Server,
	folder: string,
	version: N8nVersion,
): Promise<string> {
	const whole = workflow('Once', [
		start(),
		readFiles(join(folder, '*.pdf')),
		documentIntelligence(SKIPPING),
		nothing('Next'),
	]);
	const id = await server.addWorkflow(whole);
	const sent = async () => (await standIn.requests()).length;
	const put = async (sample: string, name: string) =>
		await copyFile(join(documents, sample), join(folder, name));

	await check(`A second run sends nothing in n8n ${version}`, async () => {
		await put('invoice-us.pdf', 'one.pdf');
		await put('invoice-de.pdf', 'two.pdf');
		await put('invoice-de.pdf', 'copy-of-two.pdf');
		expectEqual((await succeeded(server, id)).items('Next').length, 2, 'results of the first run');
		expectEqual(await sent(), 2, 'requests of the first run');

		expectEqual((await succeeded(server, id)).items(NODE), [], 'results of the second run');
		expectEqual(await sent(), 2, 'requests of both runs');

		await put('invoice-fr.pdf', 'three.pdf');
		const third = await succeeded(server, id);
		const added = third.items('Next').map(({ json }) => json.fileName);
		expectEqual(added, ['three.pdf'], 'results after a file was added');
		expectEqual(await sent(), 3, 'requests of the three runs');
		const hints = (third.record(NODE).hints ?? []).map(({ message }) => message).join(' | ');
		expect(hints.includes('3 files skipped'), `the hints are ${hints}`);
		return hints;
	});

	await check(`Two executions at once send each file once in n8n ${version}`, async () => {
		await put('invoice-long.pdf', 'four.pdf');
		await put('invoice-uk.pdf', 'five.pdf');
		await standIn.configure({ latencyMs: 1000 });
		const both = await Promise.all([succeeded(server, id), succeeded(server, id)]);
		await standIn.configure({ latencyMs: 0 });
		expectEqual(await sent(), 5, 'requests');
		return both.map((execution) => `${execution.items(NODE).length} results`).join(', ');
	});

	await check(`The history is forgotten as the hint says in n8n ${version}`, async () => {
		const path = `/rest/workflows/${id}`;
		const { nodes, connections } = await server.rest<{ nodes: object[]; connections: object }>(
			'GET',
			path,
		);
		const forget = node('Forget', 'n8n-nodes-base.removeDuplicates', 2, {
			operation: 'clearDeduplicationHistory',
			options: { scope: 'workflow' },
		});
		await server.rest('PATCH', path, workflow('Once', [start(), forget]));
		await succeeded(server, id);
		await server.rest('PATCH', path, { nodes, connections });
		expectEqual((await succeeded(server, id)).items('Next').length, 5, 'results');
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
	version: N8nVersion,
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
		const reason = reasonOf(execution);
		expect(reason.includes("n8n's deduplication history could not be used"), reason);
		expectEqual(execution.status, 'error', 'status');
		expectEqual((await standIn.requests()).length, 0, 'requests');
		return reason;
	});
}

async function retryOnFail(
	{ standIn }: Setting,
	server: Server,
	folder: string,
	version: N8nVersion,
): Promise<void> {
	await check(`Retry On Fail sends only what failed in n8n ${version}`, async () => {
		await fresh(standIn);
		await standIn.queueFaults([{ kind: 'envelopeError', status: 422, match: 'one.pdf' }]);
		const retrying = { onError: 'continueRegularOutput', retryOnFail: true, waitBetweenTries: 100 };
		const execution = await succeeded(
			server,
			workflow('Retry On Fail', [
				start(),
				readFiles(join(folder, '{one,three,two}.pdf')),
				documentIntelligence({ operation: 'extract' }, retrying),
			]),
		);
		const items = execution.items(NODE).filter(({ json }) => json.error === undefined);
		expectEqual(items.length, 3, 'results');
		expectEqual((await standIn.requests()).length, 4, 'requests');
		return '4 requests for 3 files, one of which failed at first';
	});
}
