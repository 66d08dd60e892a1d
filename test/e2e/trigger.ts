import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { INodeExecutionData } from 'n8n-workflow';

import type { Execution } from '../n8n/execution';
import { latestN8n, n8nVersions } from '../n8n/recipes';
import type { HostOptions } from '../n8n/host';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import type { OtherJob, Settings, StandIn } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { withQueueMode } from './databases';
import { BEGINNINGS, expectNowhere, filesOf, formsOf, isIn, listOf, type Place } from './secrets';
import { addCredential, documents, fresh, newKey, withHost, type Setting } from './setting';
import { documentIntelligenceTrigger, node, nothing, reasonOf, workflow } from './workflows';

/** Jobs of other programs start a workflow, each once, in both versions of n8n and with every storage of trigger data. */
export async function trigger(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		// Cogneris promises no order, so one generation gets the list in the opposite one.
		const jobsOrder = version === latestN8n ? 'newest' : 'oldest';
		await overRestarts(setting, { version }, `n8n ${version}, ${jobsOrder} jobs first`, jobsOrder);
	}
	await overRestarts(
		setting,
		{
			env: {
				N8N_SCHEDULER_ENABLED: 'true',
				N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
				N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
			},
		},
		`n8n ${latestN8n} with a durable scheduler`,
	);
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
const MANY = 100;
const SMALL: OtherJob = {
	operation: 'Extraction',
	result: { Metadata: { documentType: 'Invoice', invoiceNumber: 'INV-1' } },
};

/** A successful poll. */
const LIST = 'list 200';

const EVENTS = { events: ['succeeded', 'failed'] };

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
	private constructor(
		private readonly server: Server,
		private readonly standIn: StandIn,
		readonly id: string,
		readonly apiKey: string,
		/** All jobs that have ended while the trigger was active, in order. */
		readonly jobIds: string[],
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
				documentIntelligenceTrigger(EVENTS, name),
				nothing('Next'),
				node(READ, 'n8n-nodes-base.crypto', 1, HASH_OF_FILE, {
					// Most items have no file.
					onError: 'continueRegularOutput',
				}),
			]),
		);
		return new Triggered(server, standIn, id, apiKey, []);
	}

	/** The same after a restart of n8n. */
	in(server: Server): Triggered {
		return new Triggered(server, this.standIn, this.id, this.apiKey, this.jobIds);
	}

	/** Adds jobs that have ended or will end. */
	async finish(jobs: OtherJob[]): Promise<string[]> {
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

	async requests(): Promise<string[]> {
		return await requestsWith(this.standIn, this.apiKey);
	}

	async lists(): Promise<number> {
		return (await this.requests()).filter((request) => request === LIST).length;
	}

	/** Waits until a poll has ended. */
	async nextPoll(): Promise<void> {
		const before = await this.lists();
		await until(async () => (await this.lists()) > before, POLL_SECONDS, 'no further poll came');
		await wait(2000);
	}

	/** The first execution first, after this many have ended. */
	async executions(count: number): Promise<Execution[]> {
		await until(
			async () => (await this.server.executionIds(this.id)).length >= count,
			POLL_SECONDS,
			`the trigger did not start ${count} executions`,
		);
		// An execution too many would appear at once.
		await wait(1000);
		const all = await this.ended();
		expectEqual(all.length, count, 'executions');
		return all;
	}

	/** The same, after all jobs have started executions: a poll without enough time leaves some jobs to the next poll. */
	async executionsOfAll(): Promise<Execution[]> {
		let all: Execution[] = [];
		await until(
			async () => {
				all = await this.ended();
				return new Set(all.flatMap(jobsOf)).size >= this.jobIds.length;
			},
			2 * POLL_SECONDS,
			`the trigger did not start with all ${this.jobIds.length} jobs`,
		);
		return all;
	}

	private async ended(): Promise<Execution[]> {
		const ids = await this.server.executionIds(this.id);
		const all = await Promise.all(ids.reverse().map(async (id) => await this.server.execution(id)));
		for (const execution of all) expect(execution.status === 'success', reasonOf(execution));
		return all;
	}

	/** The last of this many executions. */
	async execution(count: number): Promise<Execution> {
		return (await this.executions(count)).at(-1)!;
	}
}

/** The jobs of an execution, each once, sorted: jobs that ended at the same moment have no order. */
function jobsOf(execution: Execution): string[] {
	const jobIds = execution.items('Next').map(({ json }) => json.jobId as string);
	return [...new Set(jobIds)].sort();
}

/**
 * Every job of an account has started its workflow once, and no result was fetched twice, unless n8n polls while the
 * poll of an activation is still running: then the later poll does the work of both.
 */
async function expectEachOnce(
	{ jobIds, apiKey }: Triggered,
	executions: Execution[],
	standIn: StandIn,
	isDurable = false,
): Promise<string> {
	const started = executions.flatMap(jobsOf);
	const twice = started.filter((jobId, place) => started.indexOf(jobId) !== place);
	const fetches = await standIn.resultFetches();
	const missed = jobIds.filter((jobId) => !started.includes(jobId));
	expectEqual({ missed, twice }, { missed: [], twice: [] }, 'jobs');
	expectEqual(started.length, jobIds.length, `jobs with the key ending in ${apiKey.slice(-4)}`);
	const fetchedTwice = jobIds.filter((jobId) => (fetches[jobId]?.requests ?? 0) > 1);
	if (!isDurable) expectEqual(fetchedTwice, [], 'results fetched twice');
	return `${started.length} jobs in ${executions.length} executions, ${fetchedTwice.length} results fetched twice`;
}

async function overRestarts(
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
	const env = { ...options.env, N8N_LOG_LEVEL: 'debug' };
	const host = { ...options, userFolder, env };
	const logs: Place[] = [];
	let left: Place[] = [];
	const both: Triggered[] = [];
	const refusedKey = `${standIn.keys.revoked}_e2e_${process.pid}`;

	await withHost(setting, { ...host, binaryData: 'default' }, async (server) => {
		await refused(setting, server, refusedKey, where);
		const attempts = (await requestsWith(standIn, refusedKey)).length;
		const watched = await Triggered.add(server, standIn, 'Watched');
		const other = await Triggered.add(server, standIn, 'Other');
		both.push(watched, other);
		await atNextPoll(standIn, watched, other, where);
		await check(`The rejected key is not tried again in ${where}`, async () => {
			expectEqual((await requestsWith(standIn, refusedKey)).length, attempts, 'requests');
			return `${attempts} requests, minutes later`;
		});
		await server.stop();
		logs.push({ name: "n8n's output", content: server.log() });
	});
	const [before, otherBefore] = both;
	if (before === undefined || otherBefore === undefined) return;

	const missedJobs = await before.finish([CARDS, INVOICE]);
	await withHost(setting, { ...host, binaryData: 'filesystem' }, async (server) => {
		const [first, second] = [before.in(server), otherBefore.in(server)];
		await afterStart(first, missedJobs, where);
		await many(standIn, first, second, where, options.env !== undefined);
		left = [];
		for (const { id } of [first, second]) {
			for (const execution of await server.executionIds(id)) {
				const content = JSON.stringify(await server.rest('GET', `/rest/executions/${execution}`));
				left.push({ name: `execution ${execution}`, content });
			}
		}
		await server.stop();
		logs.push({ name: "n8n's output after the restart", content: server.log() });
	});

	await check(`The API key in what ${where} wrote for a trigger`, async () => {
		const files = await filesOf(userFolder);
		const places = [...files, ...left, ...logs];
		for (const key of [before.apiKey, otherBefore.apiKey, refusedKey]) {
			for (const form of formsOf(key)) expectNowhere(form, places);
		}
		for (const words of BEGINNINGS) expectNowhere(words, logs);
		// Proves that the search reads these places.
		const database = files.filter(({ name }) => name.includes('database.sqlite'));
		expect(isIn('Tallowmere', left), 'the search does not see the executions');
		expect(isIn(missedJobs[0] ?? '', database), 'the search does not see the database');
		expect(isIn('Document Intelligence Trigger polled', logs), 'the search does not see the log');
		return `3 keys, in clear or base64, in none of ${files.length} files, ${left.length} executions and ${logs.length} logs at level debug`;
	});
	await rm(userFolder, { recursive: true, force: true });
}

async function refused(
	{ standIn }: Setting,
	server: Server,
	apiKey: string,
	where: string,
): Promise<void> {
	await check(`With a rejected key the activation fails in ${where}`, async () => {
		const { id } = await Triggered.add(server, standIn, 'Refused', apiKey);
		const said = await server.activate(id).then(
			() => 'nothing',
			(error: Error) => error.message,
		);
		expect(said.includes('Cogneris rejected the API key'), `n8n says: ${said}`);
		const requests = await requestsWith(standIn, apiKey);
		expectEqual([...new Set(requests)], ['list 401'], 'requests');
		// n8n 2 tries an activation five times before it fails.
		expect(requests.length <= (where.startsWith('n8n 1') ? 1 : 5), `${requests.length} requests`);
		return `${said}, after ${requests.length} requests`;
	});
}

/** The requests with a key, and their statuses. */
async function requestsWith(standIn: StandIn, apiKey: string): Promise<string[]> {
	const ending = apiKey.slice(-4);
	return (await standIn.requests())
		.filter(({ keyEnding }) => keyEnding === ending)
		.map(({ step, status }) => `${step} ${status}`);
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
		return 'no execution';
	});

	await check(`Jobs of other programs start the workflow in ${where}`, async () => {
		const jobIds = await watched.finish(JOBS);
		const execution = await watched.execution(1);
		expectEqual(jobsOf(execution), jobIds.toSorted(), 'jobs');
		const items = execution.items('Next');
		const failing = items.filter(({ json }) => json.error !== undefined);
		expectEqual([...new Set(failing.map(({ json }) => json.jobId))], jobIds.slice(-1), 'failed');
		const failed = ofJob(items, jobIds.at(-1) ?? '')[0]?.json;
		expect(failed?.failureCode === 'corrupt', `the failed job is ${JSON.stringify(failed)}`);
		const files = await expectCards(execution, jobIds[2] ?? '');
		return `${items.length} items of ${jobIds.length} jobs; ${files} in memory; failed: ${JSON.stringify(failed)}`;
	});
}

async function afterStart(watched: Triggered, missedJobs: string[], where: string): Promise<void> {
	await check(`Jobs that finished while ${where} was stopped`, async () => {
		const execution = await watched.execution(2);
		expectEqual(jobsOf(execution), missedJobs.toSorted(), 'jobs');
		const files = await expectCards(execution, missedJobs[0] ?? '');
		return `${missedJobs.length} jobs once; ${files} on disk`;
	});
}

/** More jobs between two polls than one page of the list has. */
async function many(
	standIn: StandIn,
	watched: Triggered,
	other: Triggered,
	where: string,
	isDurable: boolean,
): Promise<void> {
	await check(`200 jobs between two polls in ${where}, through a list with pages`, async () => {
		await standIn.configure({ jobsCursor: 'honoured' });
		const [before, lists] = [2, await watched.lists()];
		await watched.finish([{ ...SMALL, count: 2 * MANY }]);
		const executions = await watched.executionsOfAll();
		const said = await expectEachOnce(watched, executions, standIn, isDurable);
		await standIn.configure({ jobsCursor: 'ignored' });
		return `${said}, the last ones with ${countsOf(executions.slice(before))}; ${(await watched.lists()) - lists} lists`;
	});

	await check(`200 jobs between two polls in ${where}, through a larger list`, async () => {
		// Without a cursor, only a larger limit shows more than 100 jobs.
		await standIn.configure({ maxListLimit: 1000 });
		const jobIds: string[] = [];
		for (let batch = 0; batch < 2; batch++) {
			jobIds.push(...(await other.finish([{ ...SMALL, status: 'Processing', count: MANY }])));
			await other.activate();
			// A durable scheduler does not save the data of an activation that started no execution.
			if (isDurable) await other.nextPoll();
			await other.deactivate();
		}
		const before = (await other.executions(0)).length;
		await standIn.endJobs(other.apiKey, jobIds);
		const requests = (await other.requests()).length;
		await other.activate();
		const executions = await other.executionsOfAll();
		const sent = (await other.requests()).length - requests;
		// Another activation starts nothing again.
		await other.deactivate();
		await other.activate();
		await other.deactivate();
		expectEqual((await other.executionsOfAll()).length, executions.length, 'executions');
		const said = await expectEachOnce(other, executions, standIn, isDurable);
		return `${said}, the last ones with ${countsOf(executions.slice(before))}; ${sent} requests`;
	});
}

/** The number of jobs of each execution. */
function countsOf(executions: Execution[]): string {
	return executions.map((execution) => jobsOf(execution).length).join(' and ');
}

function ofJob(items: INodeExecutionData[], jobId: string): INodeExecutionData[] {
	return items.filter(({ json }) => json.jobId === jobId);
}

/** The next node can read the images of a Crop job. */
async function expectCards(execution: Execution, jobId: string): Promise<string> {
	const cards = ofJob(execution.items('Next'), jobId);
	const offered = await Promise.all(
		cards.map(async ({ json }) => await (await fetch(json.imageUrl as string)).arrayBuffer()),
	);
	expectEqual(
		execution.items(READ).flatMap(({ json }) => json.sha256 ?? []),
		offered.map((bytes) => createHash('sha256').update(Buffer.from(bytes)).digest('hex')),
		'images by their content',
	);
	expectEqual(
		cards.map(({ binary }) => binary?.data?.mimeType),
		['image/png', 'image/png'],
		'images',
	);
	return `${cards.length} images`;
}

/** The main process polls, a worker executes. */
async function withWorker(setting: Setting): Promise<void> {
	const { standIn } = setting;
	await withQueueMode(async ({ env: queueMode, postgres }) => {
		const env = { ...queueMode, N8N_LOG_LEVEL: 'debug' };
		await fresh(standIn, REQUESTS_PER_MINUTE);
		await standIn.configure({ imageLifetimeMs: 10 * 60_000 });
		await withHost(setting, { binaryData: 'database', env }, async (server, host) => {
			const worker = await host.startWorker(3);
			const watched = await Triggered.add(server, standIn, 'Watched');
			await check('In queue mode a worker executes what the main process polls', async () => {
				await watched.activate();
				const jobIds = await watched.finish(JOBS);
				const first = await watched.execution(1);
				expectEqual(jobsOf(first), jobIds.toSorted(), 'jobs');
				const files = await expectCards(first, jobIds[2] ?? '');
				await watched.finish([{ ...SMALL, count: MANY }]);
				const executions = await watched.executions(2);
				for (const { id } of executions)
					expect(
						new RegExp(`Worker finished execution ${id}\\b`).test(worker.log()),
						`the worker does not say that it finished execution ${id}`,
					);
				const said = await expectEachOnce(watched, executions, standIn);
				return `${said}; ${files} in the database`;
			});
			await check('The API key in what n8n wrote in queue mode for a trigger', async () => {
				const places: Place[] = [
					{ name: 'the log of the main process', content: server.log() },
					{ name: 'the log of the worker', content: worker.log() },
					{ name: 'the database', content: await postgres.dump() },
				];
				for (const form of formsOf(watched.apiKey)) expectNowhere(form, places);
				expect(
					isIn('Document Intelligence Trigger polled', places.slice(0, 1)),
					'the search does not see the log',
				);
				expect(isIn(watched.jobIds[0] ?? '', places.slice(2)), 'the search sees no execution');
				return `in none of ${listOf(places)}`;
			});
		});
	});
}
