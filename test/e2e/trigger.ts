import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Execution } from '../n8n/execution';
import { latestN8n, n8nVersions } from '../n8n/recipes';
import type { HostOptions } from '../n8n/host';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import type { OtherJob, Settings, StandIn } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { withQueueMode } from './databases';
import { BEGINNINGS, expectNoKey, expectNowhere, filesOf, type Place } from './secrets';
import {
	addCredential,
	documents,
	fresh,
	newKey,
	requestsWith,
	withHost,
	type Setting,
} from './setting';
import { assertSuccess, documentIntelligenceTrigger, node, nothing, workflow } from './workflows';

/** Jobs of other programs start a workflow, each once, in both versions of n8n and with every storage of trigger data. */
export async function trigger(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		// Cogneris promises no order, so one generation gets the list in the opposite one.
		const jobsOrder = version === latestN8n ? 'newest' : 'oldest';
		await overRestart(setting, { version }, `n8n ${version}, ${jobsOrder} jobs first`, jobsOrder);
	}
	const durable = {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	};
	await overRestart(setting, { env: durable }, `n8n ${latestN8n} with a durable scheduler`);
	await withWorker(setting);
}

/** n8n polls each minute at a second that it chooses; a durable scheduler polls some seconds later. */
const POLL_SECONDS = 150;

/** Rate limits that let a poll fetch everything it finds. */
const REQUESTS_PER_MINUTE = 1000;

const INVOICE: OtherJob = { operation: 'Extraction', file: join(documents, 'invoice-us.pdf') };
const CARDS: OtherJob = { operation: 'Crop', file: join(documents, 'two-cards.jpg') };

/** One job of each operation, and one that fails. */
const JOBS: OtherJob[] = [
	INVOICE,
	{ operation: 'Classification', file: join(documents, 'contract.pdf') },
	CARDS,
	{ operation: 'ZeroShot', file: join(documents, 'form.pdf') },
	{ operation: 'Split', file: join(documents, 'bundle.pdf') },
	{ operation: 'Extraction', status: 'Failed', failureCode: 'corrupt' },
];

/** Small, so that many of them are fast. */
const SMALL: OtherJob = {
	operation: 'Extraction',
	result: { Metadata: { documentType: 'Invoice', invoiceNumber: 'INV-1' } },
};

/** A successful poll. */
const LIST = 'list 200';

/** After the trigger: whether a node can read the files. */
const READ = 'Read File';

const HASH_OF_FILE = {
	action: 'hash',
	type: 'SHA256',
	binaryData: true,
	binaryPropertyName: 'data',
	dataPropertyName: 'sha256',
};

/** A workflow that starts with the trigger, and a client that submits jobs with the same key. */
class Triggered {
	/** All jobs that have ended while the trigger was active, in order. */
	readonly jobIds: string[] = [];

	private constructor(
		/** The n8n that runs now: another one after a restart. */
		public server: Server,
		private readonly standIn: StandIn,
		readonly id: string,
		readonly apiKey: string,
	) {}

	static async add(
		server: Server,
		standIn: StandIn,
		name: string,
		apiKey = newKey(),
	): Promise<Triggered> {
		await addCredential(server, standIn, { name, apiKey, requestsPerMinute: REQUESTS_PER_MINUTE });
		const id = await server.addWorkflow(
			workflow(name, [
				documentIntelligenceTrigger({ events: ['succeeded', 'failed'] }, name),
				nothing('Next'),
				// Most items have no file.
				node(READ, 'n8n-nodes-base.crypto', 1, HASH_OF_FILE, { onError: 'continueRegularOutput' }),
			]),
		);
		return new Triggered(server, standIn, id, apiKey);
	}

	/** Adds jobs that have ended or will end. */
	async finish(...jobs: OtherJob[]): Promise<string[]> {
		const added = await this.standIn.addJobs(this.apiKey, jobs);
		this.jobIds.push(...added);
		return added;
	}

	async activate(): Promise<void> {
		await this.server.activate(this.id);
	}

	async deactivate(): Promise<void> {
		await this.server.deactivate(this.id);
	}

	/** What was asked with the key, and the statuses of the responses. */
	async requests(): Promise<string[]> {
		const requests = await requestsWith(this.standIn, this.apiKey);
		return requests.map(({ step, status }) => `${step} ${status}`);
	}

	/** Waits until a poll has ended. */
	async nextPoll(): Promise<void> {
		const lists = async () => (await this.requests()).filter((request) => request === LIST).length;
		const before = await lists();
		await until(async () => (await lists()) > before, POLL_SECONDS, 'no further poll came');
		await wait(2000);
	}

	/** All of so many executions, the first one first. */
	async executions(count: number): Promise<Execution[]> {
		const started = async () => (await this.server.executionIds(this.id)).length >= count;
		await until(started, POLL_SECONDS, `the trigger did not start ${count} executions`);
		// An execution too many would appear at once.
		await wait(1000);
		const all = await this.ended();
		expectEqual(all.length, count, 'executions');
		return all;
	}

	/**
	 * Waits until every job has started an execution, as a poll without enough time leaves some to the next poll. Each has
	 * started one, and no result was fetched twice, unless n8n polls while the poll of an activation is still running: then the
	 * later poll does the work of both.
	 */
	async eachOnce(isDurable = false): Promise<string> {
		let started: string[][] = [];
		const all = async () => {
			started = (await this.ended()).map(jobsOf);
			return new Set(started.flat()).size >= this.jobIds.length;
		};
		await until(all, 2 * POLL_SECONDS, `not all ${this.jobIds.length} jobs started an execution`);
		expectEqual(started.flat().sort(), this.jobIds.toSorted(), 'jobs');
		const fetches = await this.standIn.resultFetches();
		const fetchedTwice = this.jobIds.filter((jobId) => (fetches[jobId]?.requests ?? 0) > 1);
		if (!isDurable) expectEqual(fetchedTwice, [], 'results fetched twice');
		return `${started.map(({ length }) => length).join(' and ')} jobs, ${fetchedTwice.length} results fetched twice`;
	}

	private async ended(): Promise<Execution[]> {
		const ids = await this.server.executionIds(this.id);
		const all = await Promise.all(ids.reverse().map(async (id) => await this.server.execution(id)));
		return all.map(assertSuccess);
	}
}

/** The jobs of an execution, each once, sorted: jobs that ended at the same moment have no order. */
function jobsOf(execution: Execution): string[] {
	const jobIds = execution.items('Next').map(({ json }) => json.jobId as string);
	return [...new Set(jobIds)].sort();
}

async function overRestart(
	setting: Setting,
	options: Pick<HostOptions, 'version' | 'env'>,
	where: string,
	jobsOrder: Settings['jobsOrder'] = 'newest',
): Promise<void> {
	const { standIn } = setting;
	await fresh(standIn, REQUESTS_PER_MINUTE);
	// The trigger downloads images in a poll, not when the job ends.
	await standIn.configure({ imageLifetimeMs: 10 * 60_000, jobsOrder });
	const userFolder = await mkdtemp(join(setting.folder, 'trigger-'));
	const host = { ...options, userFolder, env: { ...options.env, N8N_LOG_LEVEL: 'debug' } };
	const isDurable = options.env !== undefined;
	const logs: Place[] = [];
	const stop = async (server: Server) => {
		await server.stop();
		logs.push({ name: "n8n's output", content: server.log() });
	};

	const all = await withHost(setting, { ...host, binaryData: 'default' }, async (server) => {
		const revoked = `${standIn.keys.revoked}_e2e_${process.pid}`;
		const refused = await Triggered.add(server, standIn, 'Refused', revoked);
		await rejectedKey(refused, where);
		const attempts = (await refused.requests()).length;
		const watched = await Triggered.add(server, standIn, 'Watched');
		const other = await Triggered.add(server, standIn, 'Other');
		await atNextPoll(standIn, watched, other, where);
		await check(`The rejected key is not tried again in ${where}`, async () => {
			expectEqual((await refused.requests()).length, attempts, 'requests');
		});
		await stop(server);
		return { watched, other, refused };
	});

	const { watched, other } = all;
	const missedJobs = await watched.finish(CARDS, INVOICE);
	const executions: Place[] = [];
	await withHost(setting, { ...host, binaryData: 'filesystem' }, async (server) => {
		watched.server = other.server = server;
		await check(`Jobs that finished while ${where} was stopped`, async () => {
			const [, execution] = await watched.executions(2);
			await expectJobs(execution, missedJobs, missedJobs[0]);
		});
		await inactive(standIn, other, where, isDurable);
		for (const { id } of [watched, other])
			for (const execution of await server.executionIds(id)) {
				const content = JSON.stringify(await server.rest('GET', `/rest/executions/${execution}`));
				executions.push({ name: `execution ${execution}`, content });
			}
		await stop(server);
	});

	await check(`The API key in what ${where} wrote for a trigger`, async () => {
		const files = await filesOf(userFolder);
		for (const words of BEGINNINGS) expectNowhere(words, logs);
		const keys = Object.values(all).map(({ apiKey }) => apiKey);
		return expectNoKey(
			keys,
			[...logs, ...executions, ...files],
			[
				['Tallowmere', executions],
				[missedJobs[0] ?? '', files.filter(({ name }) => name.includes('database.sqlite'))],
				['Document Intelligence Trigger polled', logs],
			],
		);
	});
	await rm(userFolder, { recursive: true, force: true });
}

async function rejectedKey(refused: Triggered, where: string): Promise<void> {
	await check(`With a rejected key the activation fails in ${where}`, async () => {
		const said = await refused.activate().then(
			() => 'nothing',
			(error: Error) => error.message,
		);
		expect(said.includes('Cogneris rejected the API key'), `n8n says: ${said}`);
		const requests = await refused.requests();
		expectEqual([...new Set(requests)], ['list 401'], 'requests');
		// n8n 2 tries an activation five times before it fails.
		expect(requests.length <= (where.startsWith('n8n 1') ? 1 : 5), `${requests.length} requests`);
		return `${said}, after ${requests.length} requests`;
	});
}

/** A poll at its time, and none of an inactive workflow. */
async function atNextPoll(
	standIn: StandIn,
	watched: Triggered,
	other: Triggered,
	where: string,
): Promise<void> {
	await check(`Jobs that finished before the activation start nothing in ${where}`, async () => {
		await standIn.addJobs(watched.apiKey, [INVOICE, SMALL, SMALL]);
		await watched.activate();
		await other.activate();
		await other.deactivate();
		await watched.executions(0);
		// n8n polls at the activation, and then each minute at a second of its choice.
		expectEqual([...new Set(await watched.requests())], [LIST], 'requests');
	});

	await check(`Jobs of other programs start the workflow in ${where}`, async () => {
		const jobIds = await watched.finish(...JOBS);
		const [execution] = await watched.executions(1);
		await expectJobs(execution, jobIds, jobIds[2]);
		const failing = execution?.items('Next').filter(({ json }) => json.error !== undefined);
		expectEqual(
			failing?.map(({ json }) => [json.jobId, json.failureCode]),
			[[jobIds.at(-1), 'corrupt']],
			'failed jobs',
		);
	});
}

/** Jobs that ran at the last poll of a workflow that was then switched off, and ended before it is switched on. */
async function inactive(
	standIn: StandIn,
	other: Triggered,
	where: string,
	isDurable: boolean,
): Promise<void> {
	await check(`200 jobs that finished while a workflow was inactive in ${where}`, async () => {
		// Without a cursor, only a larger limit shows more than 100 jobs.
		await standIn.configure({ jobsCursor: 'ignored', maxListLimit: 1000 });
		await other.finish({ ...SMALL, status: 'Processing', count: 200 });
		await other.activate();
		// A durable scheduler does not save the data of an activation that started no execution.
		if (isDurable) await other.nextPoll();
		await other.deactivate();
		await other.executions(0);
		await standIn.endJobs(other.apiKey, other.jobIds);
		await other.activate();
		await other.eachOnce(isDurable);
		// Another activation starts nothing again.
		await other.deactivate();
		await other.activate();
		await other.deactivate();
		return await other.eachOnce(isDurable);
	});
}

/** An execution has these jobs, and the next node can read the images of a Crop job. */
async function expectJobs(
	execution: Execution | undefined,
	jobIds: string[],
	cropId: string | undefined,
): Promise<void> {
	expect(execution !== undefined, 'there is no execution');
	expectEqual(jobsOf(execution), jobIds.toSorted(), 'jobs');
	const cards = execution.items('Next').filter(({ json }) => json.jobId === cropId);
	const offered = await Promise.all(
		cards.map(async ({ json }) => await (await fetch(json.imageUrl as string)).arrayBuffer()),
	);
	expectEqual(
		execution.items(READ).flatMap(({ json }) => json.sha256 ?? []),
		offered.map((bytes) => createHash('sha256').update(Buffer.from(bytes)).digest('hex')),
		'images by their content',
	);
	const types = cards.map(({ binary }) => binary?.data?.mimeType);
	expectEqual(types, ['image/png', 'image/png'], 'images');
}

/** The main process polls, a worker executes. */
async function withWorker(setting: Setting): Promise<void> {
	const { standIn } = setting;
	await withQueueMode(async ({ env: queueMode, dump }) => {
		const env = { ...queueMode, N8N_LOG_LEVEL: 'debug' };
		await fresh(standIn, REQUESTS_PER_MINUTE);
		await standIn.configure({ imageLifetimeMs: 10 * 60_000 });
		await withHost(setting, { binaryData: 'database', env }, async (server, host) => {
			const worker = await host.startWorker();
			const watched = await Triggered.add(server, standIn, 'Watched');
			await check('In queue mode a worker executes what the main process polls', async () => {
				await watched.activate();
				const jobIds = await watched.finish(...JOBS);
				const [first] = await watched.executions(1);
				await expectJobs(first, jobIds, jobIds[2]);
				await watched.finish({ ...SMALL, count: 100 });
				const said = await watched.eachOnce();
				for (const id of await server.executionIds(watched.id))
					expect(
						new RegExp(`Worker finished execution ${id}\\b`).test(worker.log()),
						`the worker does not say that it finished execution ${id}`,
					);
				return said;
			});
			await check('The API key in what n8n wrote in queue mode for a trigger', async () => {
				const main = { name: 'the log of the main process', content: server.log() };
				const database = { name: 'the database', content: await dump() };
				const log = { name: 'the log of the worker', content: worker.log() };
				return expectNoKey(
					[watched.apiKey],
					[main, log, database],
					[
						['Trigger polled', [main]],
						[watched.jobIds[0] ?? '', [database]],
					],
				);
			});
		});
	});
}
