import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { INodeExecutionData } from 'n8n-workflow';

import { n8nVersions } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import { startScriptedServer } from '../nodes/scriptedServer';
import type { RecordedRequest } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { untilMinuteAfter, untilSecond } from './clock';
import { checkExamples } from './examples';
import { realDocumentsNeeded, realUses, uses, type Use } from './operations';
import {
	addCredential,
	byName,
	documents,
	fresh,
	newKey,
	requestsFromNow,
	withHost,
	type Setting,
} from './setting';
import { checkTool } from './tool';
import {
	comparable,
	documentIntelligence,
	httpRequest,
	node,
	NODE,
	nothing,
	readFiles,
	readSorted,
	reasonOf,
	start,
	workflow,
} from './workflows';

const modes = ['default', 'filesystem'] as const;

/** Results of the first host, by check, to compare the other hosts with. */
type Expected = Map<string, { host: string; items: unknown[] }>;

/** Every operation, every On Error mode and every example, in both versions of n8n and with both ways of storing files. */
export async function hosts(setting: Setting): Promise<void> {
	const expected: Expected = new Map();
	for (const version of n8nVersions) {
		for (const binaryData of modes) {
			await withHost(setting, { version, binaryData }, async (server) => {
				const host = `n8n ${version}, files ${binaryData === 'default' ? 'in memory' : 'on disk'}`;
				await operations(setting, server, host, expected);
				await examples(setting, server, host);
				await errorModes(setting, server, host);
				if (binaryData === 'filesystem') {
					await checkTool(server, version);
					await otherHosts(setting, server, host);
					await rateLimit(setting, server, host);
				}
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
	for (const use of [...uses, ...realUses])
		await check(`${use.name} in ${host}`, async () => {
			if (realUses.includes(use)) realDocumentsNeeded();
			return await runUse(use, server, host, expected);
		});
}

async function runUse(
	{ name, workflow: made, judge }: Use,
	server: Server,
	host: string,
	expected: Expected,
): Promise<string> {
	const execution = await server.run(made());
	expect(execution.status === 'success', reasonOf(execution));
	const items = execution.items(NODE);
	const saw = judge(execution);
	const compared = await comparable(server, items);
	const first = expected.get(name);
	if (first === undefined) {
		expected.set(name, { host, items: compared });
		return saw;
	}
	expectEqual(compared, first.items, `not as in ${first.host}`);
	return `${saw}; items, files and pairing as in ${first.host}`;
}

async function examples({ standIn, folder }: Setting, server: Server, host: string): Promise<void> {
	await check(`Every example workflow in ${host}`, async () => {
		await fresh(standIn);
		const said = await checkExamples(server, standIn, await mkdtemp(join(folder, 'examples-')));
		return said.join('; ');
	});
}

/** Two files that succeed, one of an unsupported type, and one without a matching template. */
const MIXED = join(documents, '{invoice-de.pdf,invoice-us.pdf,notes.txt,portrait.png}');

async function errorModes({ standIn }: Setting, server: Server, host: string): Promise<void> {
	await fresh(standIn);
	const run = async (onError?: string) =>
		await server.run(
			workflow(onError ?? 'Stop', [
				start(),
				...readSorted(MIXED),
				documentIntelligence({ operation: 'extract' }, { onError }),
				nothing('Next'),
			]),
		);

	await check(`On Error: Continue in ${host}`, async () => {
		const execution = await run('continueRegularOutput');
		expect(execution.status === 'success', reasonOf(execution));
		const items = execution.items('Next');
		expectEqual(
			items.map(({ pairedItem }) => pairedItem),
			[0, 1, 2, 3].map((item) => ({ item })),
			'paired items',
		);
		expectSaid(items.filter(({ json }) => json.error !== undefined));
	});

	await check(`On Error: Continue (using error output) in ${host}`, async () => {
		const execution = await run('continueErrorOutput');
		expect(execution.status === 'success', reasonOf(execution));
		expectEqual(
			execution.items('Next').map(({ json }) => json.fileName),
			['invoice-de.pdf', 'invoice-us.pdf'],
			'files on the first output',
		);
		expectSaid(execution.items(NODE, 1));
	});

	await check(`On Error: Stop Workflow in ${host}`, async () => {
		const requests = await requestsFromNow(standIn);
		const execution = await run();
		expectEqual(execution.status, 'error', 'status');
		expect(execution.error?.message.includes('notes.txt') ?? false, reasonOf(execution));
		expect(execution.runData.Next === undefined, 'the next node ran');
		expectEqual(await requests(), [], 'requests, although one file could be seen to be wrong');
		return execution.error?.message;
	});
}

/** A failed item shows its file name and what to do, whatever its fields are called. */
const SAID = [
	['notes.txt', 'Ignore Unsupported Files'],
	['portrait.png', 'Discover Fields'],
];

function expectSaid(failed: INodeExecutionData[]): void {
	expectEqual(failed.length, SAID.length, 'failed items');
	for (const [position, words] of SAID.entries()) {
		const json = JSON.stringify(failed[position]?.json);
		for (const word of words)
			expect(json.includes(word), `a failed item does not say "${word}": ${json}`);
	}
}

/** The HTTP Request node sends the key only to the credential's address, and on no redirect to another host. */
async function otherHosts({ standIn }: Setting, server: Server, host: string): Promise<void> {
	await fresh(standIn);
	const other = await startScriptedServer();
	const request = (name: string, url: string) =>
		workflow(name, [start(), readFiles(join(documents, 'invoice-us.pdf')), httpRequest(url)]);
	try {
		await check(`HTTP Request node at the service's host in ${host}`, async () => {
			const execution = await server.run(
				request('To the service', `${standIn.url}/Document/extraction`),
			);
			expect(execution.status === 'success', reasonOf(execution));
			expectEqual(
				(await standIn.requests()).map(({ key, status }) => ({ key, status })),
				[{ key: 'valid', status: 200 }],
				'requests',
			);
			return 'answered 200 with the key of the credential';
		});
		for (const [what, url] of [
			['another host', byName(other.url)],
			['another port of the same host', other.url],
		] as const) {
			await check(`HTTP Request node at ${what} in ${host}`, async () => {
				const execution = await server.run(request(`To ${what}`, url));
				expectEqual(execution.status, 'error', 'status');
				expectEqual(other.received, [], 'requests there');
				return `refused: ${execution.error?.message}${execution.error?.description ? ` / ${execution.error.description}` : ''}`;
			});
		}
		await check(`A service that redirects in ${host}`, async () => {
			const location = `${byName(other.url)}/elsewhere`;
			await standIn.queueFaults([{ kind: 'redirect', location }]);
			const execution = await server.run(
				workflow('Redirect', [
					start(),
					readFiles(join(documents, 'invoice-us.pdf')),
					documentIntelligence({ operation: 'extract' }),
				]),
			);
			expectEqual(execution.status, 'error', 'status');
			expectEqual(other.received, [], 'requests where it redirects to');
			return `not followed: ${execution.error?.message}`;
		});
	} finally {
		other.close();
	}
}

async function rateLimit({ standIn }: Setting, server: Server, host: string): Promise<void> {
	await standIn.reset();
	let stoppedAt = 0;
	const stoppedKey = await addCredential(server, standIn, {
		name: 'One a minute',
		apiKey: newKey(),
		requestsPerMinute: 1,
	});

	await check(`Stop during a wait for the rate limit in ${host}`, async () => {
		const id = await server.begin(
			workflow('Stopped', [
				start(),
				readFiles(join(documents, 'invoice-*.pdf')),
				documentIntelligence({ operation: 'extract' }, { credential: 'One a minute' }),
			]),
		);
		await until(
			async () => (await standIn.requests()).some(({ status }) => status === 200),
			20,
			'the first document was not sent',
		);
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

	await check(`Two workflows at once keep to 50 requests a minute in ${host}`, async () => {
		await standIn.configure({ latencyMs: 50 });
		const apiKey = await addCredential(server, standIn, {
			name: 'Fifty a minute',
			requestsPerMinute: 50,
		});
		const each = 35;
		const name = (which: string) => `At once ${which}`;
		const copies = node('Copies', 'n8n-nodes-base.code', 2, {
			jsCode: `return Array.from({ length: ${each} }, (_, item) => ({ json: { copy: item }, binary: $input.first().binary, pairedItem: 0 }));`,
		});
		const made = (which: string) =>
			workflow(name(which), [
				start(),
				readFiles(join(documents, 'invoice-us.pdf')),
				copies,
				documentIntelligence({ operation: 'extract' }, { credential: 'Fifty a minute' }),
			]);
		// Keeps the rate limit window from ending while the first documents are sent.
		await untilSecond(0, 50);
		const executions = await Promise.all([server.run(made('one')), server.run(made('two'))]);
		for (const execution of executions) {
			expect(execution.status === 'success', reasonOf(execution));
			expectEqual(execution.items(NODE).length, each, 'results');
		}
		const requests = (await standIn.requests()).filter(
			({ keyEnding }) => keyEnding === apiKey.slice(-4),
		);
		const refused = requests.filter((request) => request.refused).length;
		expectEqual(refused, 0, 'refused requests');
		const windows = startsByMinute(requests);
		expect(Math.max(...windows) <= 50, `starts by minute: ${windows.join(', ')}`);
		expectEqual(requests.length, 2 * each, 'requests');
		return `${requests.length} documents, starts by minute ${windows.join(' and ')}, none refused`;
	});

	await check(`Nothing is sent after the stop in ${host}`, async () => {
		expect(stoppedAt > 0, 'nothing was stopped');
		await untilMinuteAfter(stoppedAt);
		// Requests that waited for the window would continue at once.
		await wait(2000);
		const sent = (await standIn.requests()).filter(
			({ keyEnding }) => keyEnding === stoppedKey.slice(-4),
		);
		expectEqual(sent.length, 1, 'requests of the stopped workflow, a minute later');
		return `one request with that key, ${Math.round((Date.now() - stoppedAt) / 1000)} s after the stop, when the next window had begun`;
	});
}

/** The requests that began in each minute of the service's clock. */
export function startsByMinute(requests: RecordedRequest[]): number[] {
	const counts = new Map<number, number>();
	for (const { startedAt } of requests) {
		const minute = Math.floor(startedAt / 60_000);
		counts.set(minute, (counts.get(minute) ?? 0) + 1);
	}
	return [...counts.entries()].sort(([a], [b]) => a - b).map(([, count]) => count);
}
