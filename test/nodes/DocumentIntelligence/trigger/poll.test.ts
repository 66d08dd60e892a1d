import type { IDataObject } from 'n8n-workflow';

import { PolledNode } from '../../../n8n-core/polledNode';
import type { OtherJob, Fault } from '../../../stand-in/startStandIn';
import { samplePath } from '../../../stand-in/useStandIn';
import { fastLimiters, fastWindowMs } from '../../clock';
import { startScriptedServer } from '../../scriptedServer';
import { keysIn, thrownBy, useService } from '../../service';

/** How much faster than the machine's the clock of a node is. */
const SPEED = 60;

const HOUR = 60 * 60_000;

const service = useService({ windowMs: fastWindowMs(SPEED), requestsPerWindow: 1000 });
const { steps } = service;

const INVOICE: OtherJob = { operation: 'Extraction', file: samplePath('invoice-us.pdf') };

/** Whose result is as short as it can be. */
const SMALL: OtherJob = {
	operation: 'Extraction',
	result: { Metadata: { fields: { total: '5.00' } } },
};
const RUNNING: OtherJob = { ...SMALL, status: 'Processing' };

const JOB_ONLY = { parameters: { output: 'job' } };

const limiters = fastLimiters(SPEED);

let nodes: PolledNode[] = [];
beforeEach(() => (nodes = []));
afterEach(() => {
	const shown = nodes.flatMap((node) =>
		keysIn([node.starts, node.saved, node.warnings], [service.credential.apiKey]),
	);
	expect(shown).toEqual([]);
});

function polled(more: Partial<ConstructorParameters<typeof PolledNode>[0]> = {}): PolledNode {
	const credential = { ...service.credential, requestsPerMinute: 1000 };
	const node = new PolledNode({ credential, limiters, ...more });
	nodes.push(node);
	return node;
}

/** Jobs finish a minute later than the workflow is activated, so that they may finish one after the other. */
const finishLater = async () => await service.standIn.configure({ clockSkewMs: 60_000 });

async function activated(more?: Parameters<typeof polled>[0]): Promise<PolledNode> {
	const node = polled(more);
	await node.activate();
	await finishLater();
	return node;
}

const add = async (...jobs: OtherJob[]) =>
	await service.standIn.addJobs(service.credential.apiKey, jobs);
const end = async (jobIds: string[]) =>
	await service.standIn.endJobs(service.credential.apiKey, jobIds);

/** From now on, the service fails every request of a step. */
const failAlways = async (step: 'list' | 'get' | 'fetch', fault: Fault, match?: string) =>
	await service.standIn.queueFaults([{ ...fault, match, times: 'always' }], step);

/** That each of these jobs has started the workflow once. */
const expectStarts = (n8n: PolledNode, jobIds: string[]) =>
	expect([...n8n.jobIds].sort()).toEqual([...jobIds].sort());

/** That of all jobs, one that is added now is the next one to start the workflow. */
async function expectNextStart(n8n: PolledNode, before = 1): Promise<void> {
	const [jobId] = await add(SMALL);
	await n8n.tick();
	expect(n8n.jobIds.slice(before)).toEqual([jobId]);
}

const countOf = async (step: string) => (await steps()).filter((own) => own === step).length;

describe('A job that finishes', () => {
	test('starts the workflow once, with one request per poll where nothing is new', async () => {
		const n8n = polled();
		await add(INVOICE, { operation: 'Split', status: 'Failed' });
		await n8n.activate();
		expect(await n8n.tick()).toBe(0);
		expect(await steps()).toEqual(['list', 'list']);
		const [jobId] = await add(INVOICE);
		expect(await n8n.tick()).toBe(1);
		expect(await n8n.tick()).toBe(0);
		expect(await steps()).toEqual(['list', 'list', 'list', 'fetch', 'list']);
		const json = expect.objectContaining({
			documentType: 'Invoice',
			fileName: null,
			jobId,
			operation: 'Extraction',
			status: 'Succeeded',
			completedAt: expect.any(String) as string,
			failureCode: null,
		}) as IDataObject;
		expect(n8n.starts).toEqual([[{ json }]]);
	});

	test('and ran when the workflow was activated starts it, also where the list does not show it any more', async () => {
		const n8n = polled();
		const [slow = ''] = await add(RUNNING);
		await n8n.activate();
		const others = await add({ ...SMALL, count: 100 });
		expect(await n8n.tick()).toBe(100);
		await end([slow]);
		expect(await n8n.tick()).toBe(1);
		expectStarts(n8n, [...others, slow]);
		expect(await countOf('get')).toBe(2);
	});

	test.each<[Fault, number]>([
		[{ kind: 'envelopeError', status: 404 }, 1],
		[{ kind: 'envelopeError', status: 410 }, 1],
		[{ kind: 'envelopeError', status: 500 }, 2],
		// Of a server in between.
		[{ kind: 'status', status: 404, body: '<html>' }, 2],
	])(
		'and is not shown by the list while it runs is asked for again unless it is gone: %j, %i times',
		async (fault, times) => {
			const n8n = polled();
			await add(RUNNING);
			await n8n.activate();
			await add({ ...SMALL, count: 100 });
			await service.standIn.queueFaults([fault], 'get');
			await n8n.tick();
			await n8n.tick();
			expect(await countOf('get')).toBe(times);
		},
	);

	test('while the first poll reads the list starts it, once', async () => {
		await service.standIn.configure({ jobsCursor: 'honoured', jobsLimit: 'ignored' });
		const n8n = polled();
		const [slow = ''] = await add(RUNNING, { ...SMALL, count: 150 });
		await service.standIn.queueFaults([null, { kind: 'late', ms: 300 }], 'list');
		const activating = n8n.activate();
		while ((await countOf('list')) < 2) await new Promise(setImmediate);
		await finishLater();
		await end([slow]);
		await activating;
		await n8n.tick();
		await n8n.restart();
		expect(n8n.jobIds).toEqual([slow]);
	});

	test.each([false, true])(
		'while the workflow is inactive, or n8n is not running, comes once, with the next activation (durable: %s)',
		async (isDurable) => {
			const n8n = await activated({ isDurable });
			n8n.deactivate();
			const [first] = await add(SMALL);
			await n8n.activate();
			const [second] = await add(SMALL);
			await n8n.restart();
			expect(await n8n.tick()).toBe(0);
			expect(n8n.jobIds).toEqual([first, second]);
		},
	);

	test('starts the workflow once, although the list does not say where its result is', async () => {
		const n8n = await activated();
		const withoutReference = [{ entries: [{ omit: ['outputReference'] }] }];
		await service.standIn.changeLists(service.credential.apiKey, withoutReference);
		await expectNextStart(n8n, 0);
		await n8n.tick();
		expect(n8n.starts).toHaveLength(1);
	});

	test('as a redaction starts the workflow with its data, as its result cannot be fetched', async () => {
		const n8n = await activated();
		const changed = { set: { operation: 'Redaction', outputReference: null } };
		const [jobId] = await add(SMALL);
		await service.standIn.changeLists(service.credential.apiKey, [{ entries: [changed] }]);
		await n8n.tick();
		expect(n8n.items).toMatchObject([{ jobId, operation: 'Redaction', status: 'Succeeded' }]);
		expect(await steps()).toEqual(['list', 'list']);
	});

	test('is described by Job Only, and nothing is fetched', async () => {
		const n8n = await activated(JOB_ONLY);
		const [jobId] = await add(INVOICE);
		await n8n.tick();
		const outputReference = expect.stringMatching(/^artifact:/) as string;
		expect(n8n.items).toMatchObject([
			{ jobId, status: 'Succeeded', outputReference, creditsConsumed: 1 },
		]);
		expect(await countOf('fetch')).toBe(0);
	});
});

describe('Many jobs that finish between two polls', () => {
	test('start the workflow once each, where half of the requests of a minute fetch their results', async () => {
		const n8n = await activated({ credential: { ...service.credential, requestsPerMinute: 40 } });
		const ids = await add({ ...RUNNING, count: 30 });
		await n8n.tick();
		ids.push(...(await add({ ...RUNNING, count: 30 })));
		await n8n.tick();
		await end(ids);
		for (let poll = 0; poll < 6; poll++) {
			const before = (await steps()).length;
			await n8n.tick();
			expect((await steps()).length - before).toBeLessThanOrEqual(21);
		}
		expectStarts(n8n, ids);
		const fetches = Object.values(await service.standIn.resultFetches());
		expect(fetches.map(({ requests }) => requests)).toEqual(ids.map(() => 1));
	});

	test.each<[Fault, number]>([
		[{ kind: 'html502' }, 0],
		// The next poll begins anew, so that a cursor that is rejected leaves no gap for ever.
		[{ kind: 'problem', status: 400, code: 'x' }, 1],
	])(
		'start the workflow once each if a page of the list fails once: %j',
		async (fault, warnings) => {
			await service.standIn.configure({ jobsCursor: 'honoured' });
			const n8n = polled(JOB_ONLY);
			await add(SMALL);
			await n8n.activate();
			const ids = await add({ ...SMALL, count: 150 });
			await service.standIn.queueFaults([null, null, fault], 'list');
			for (const count of [100, 50, 0]) expect(await n8n.tick()).toBe(count);
			expectStarts(n8n, ids);
			expect(n8n.warnings).toHaveLength(warnings);
		},
		60_000,
	);

	test('are partly unknown while the cursor is rejected, which the log says once each time', async () => {
		const n8n = polled(JOB_ONLY);
		await add(SMALL);
		await n8n.activate();
		await add({ ...SMALL, count: 150 });
		await service.standIn.configure({ jobsCursor: 'rejected' });
		for (const count of [100, 0, 0]) {
			expect(await n8n.tick()).toBe(count);
			expect(n8n.warnings).toEqual([expect.stringMatching(/some may be missed/)]);
		}
		await service.standIn.configure({ jobsCursor: 'honoured' });
		expect(await n8n.tick()).toBe(50);
		await service.standIn.configure({ jobsCursor: 'rejected' });
		await n8n.tick();
		expect(n8n.warnings).toHaveLength(2);
	}, 60_000);

	test.each([
		{ jobsOrder: 'newest', maxListLimit: 10_000 },
		{ jobsOrder: 'oldest', maxListLimit: 1000 },
		{ jobsOrder: 'shuffled', jobsCursor: 'honoured' },
		{ jobsOrder: 'oldest', jobsCursor: 'honoured', jobsLimit: 'ignored' },
	] as const)(
		'start the workflow once each, in whatever way the list shows 260: %j',
		async (settings) => {
			await service.standIn.configure(settings);
			const n8n = polled(JOB_ONLY);
			await add({ ...SMALL, count: 30 });
			await n8n.activate();
			const ids = await add({ ...SMALL, count: 260 });
			expect(await n8n.tick()).toBe(260);
			await n8n.restart();
			await n8n.tick();
			expectStarts(n8n, ids);
			expect(n8n.warnings).toEqual([]);
		},
	);

	test('take at most 10 pages a poll, and the next one goes on there, even days later', async () => {
		await service.standIn.configure({ jobsCursor: 'honoured', jobsOrder: 'newest' });
		const own = fastLimiters(SPEED);
		const n8n = polled({ limiters: own, ...JOB_ONLY });
		await add(RUNNING);
		await n8n.activate();
		await finishLater();
		const ids = await add({ ...SMALL, count: 1050 });
		await n8n.tick();
		expect(await countOf('list')).toBe(1 + 10);
		// What is on the pages to come is not asked for by its number.
		expect(await countOf('get')).toBe(0);
		own.pass(3 * 24 * HOUR);
		await n8n.tick();
		await n8n.tick();
		await n8n.restart();
		expectStarts(n8n, ids);
	});
});

describe('What a trigger remembers', () => {
	const memoriesOf = ({ saved }: PolledNode) =>
		Object.keys(saved.global?.documentIntelligenceTrigger ?? {});

	async function startedOnce(): Promise<PolledNode> {
		const n8n = await activated();
		await expectNextStart(n8n, 0);
		return n8n;
	}

	test('is kept by its ID: after it was renamed, no job starts the workflow again', async () => {
		const n8n = await startedOnce();
		n8n.set({ nodeName: 'When a job has finished' });
		await n8n.restart();
		expect(n8n.starts).toHaveLength(1);
		await expectNextStart(n8n);
	});

	test('is removed with its node, and not by another trigger of the workflow', async () => {
		const n8n = await startedOnce();
		expect(memoriesOf(n8n)).toEqual(['trigger']);
		n8n.set({ nodeId: 'another', neighborId: 'trigger' });
		await n8n.restart();
		expect(memoriesOf(n8n)).toEqual(['trigger', 'another']);
		n8n.set({ neighborId: undefined });
		await n8n.restart();
		expect(memoriesOf(n8n)).toEqual(['another']);
	});

	test('and cannot be read: it begins anew', async () => {
		const n8n = await startedOnce();
		n8n.saved = { global: { documentIntelligenceTrigger: { trigger: '{' } } };
		await n8n.restart();
		await expectNextStart(n8n);
		expect(n8n.warnings).toEqual([expect.stringMatching(/cannot be read/)]);
	});

	test.each([{ credentialId: 'another' }, { workflowId: 'copy' }])(
		'is of one credential and workflow: after a change, only later jobs start it: %j',
		async (change) => {
			const n8n = await startedOnce();
			await add(SMALL);
			n8n.set(change);
			await n8n.restart();
			await expectNextStart(n8n);
		},
	);
});

describe('A poll', () => {
	test('at which the list fails says so, and the next one misses nothing', async () => {
		const n8n = await activated();
		const [jobId] = await add(SMALL);
		for (const kind of ['html502', 'truncatedJson'] as const) {
			await service.standIn.queueFaults([{ kind }], 'list');
			expect((await thrownBy(n8n.tick())).message).toMatch(/job list/);
		}
		await n8n.tick();
		await n8n.tick();
		expect(n8n.jobIds).toEqual([jobId]);
	});

	test('that n8n starts while another is in flight does the work of both', async () => {
		const n8n = await activated();
		await add({ ...SMALL, count: 10 });
		expect(await Promise.all([n8n.tick(), n8n.tick(), n8n.tick()])).toEqual([0, 0, 10]);
		expect(await n8n.tick()).toBe(0);
	});

	test('that n8n discards leaves its jobs to the next', async () => {
		const n8n = await activated({ isDurable: true });
		const [jobId] = await add(SMALL);
		await n8n.discardedTick();
		await n8n.activate();
		expect(await n8n.tick()).toBe(0);
		expect(n8n.jobIds).toEqual([jobId]);
	});

	test('with a budget that ends before the list is answered says so', async () => {
		const n8n = polled({ budgetMs: 300 });
		await failAlways('list', { kind: 'hang' });
		const thrown = await thrownBy(n8n.activate());
		expect(thrown.message).toMatch(/^The job list did not arrive in time\. Nothing is lost/);
	});

	test('with a rejected key fails with the message of that, and saves nothing', async () => {
		const revoked = { ...service.credential, apiKey: service.standIn.keys.revoked };
		const n8n = polled({ credential: revoked });
		const thrown = await thrownBy(n8n.activate());
		expect(thrown.message).toMatch(/rejected the API key.*, check/);
		expect(n8n.saved).toEqual({});
	});
});

describe('Jobs that are asked for by their numbers', () => {
	test('leave requests of the minute to results, and to others than the trigger', async () => {
		const n8n = polled({ credential: { ...service.credential, requestsPerMinute: 16 } });
		await add({ ...RUNNING, count: 20 });
		await n8n.activate();
		await add({ ...SMALL, count: 100 });
		const before = (await steps()).length;
		await n8n.tick();
		// Half of them, a quarter for the jobs that are asked for.
		expect((await steps()).length - before).toBe(8);
		expect(await countOf('get')).toBe(4);
	});

	test('are asked for four at a time, and hold up no result of a job that the list shows', async () => {
		const n8n = polled({ budgetMs: 2000 });
		const hanging = await add({ ...RUNNING, count: 8 });
		await n8n.activate();
		await finishLater();
		// Failed jobs need no request.
		const shown = await add({ ...SMALL, status: 'Failed', count: 99 }, SMALL);
		await failAlways('get', { kind: 'hang' });
		expect(await n8n.tick()).toBe(100);
		expectStarts(n8n, shown);
		expect(await countOf('get')).toBe(4);
		await service.standIn.clearFaults('get');
		await end(hanging);
		await n8n.tick();
		expectStarts(n8n, [...shown, ...hanging]);
	}, 60_000);
});

describe('A result that cannot be fetched', () => {
	const NOT_FOUND: Fault = { kind: 'problem', status: 404, code: 'artifact_not_found' };

	test('is tried again after fresh jobs, also if it hung and n8n was restarted', async () => {
		const n8n = await activated({ budgetMs: 500 });
		const hanging = await add({ ...SMALL, count: 4 });
		for (const jobId of hanging) await failAlways('fetch', { kind: 'hang' }, jobId);
		expect(await n8n.tick()).toBe(0);
		const fresh = await add({ ...SMALL, count: 8 });
		await n8n.tick();
		expectStarts(n8n, fresh);
		await service.standIn.clearFaults('fetch');
		await n8n.restart();
		expectStarts(n8n, [...fresh, ...hanging]);
	}, 60_000);

	test('because a picture hangs ends with the poll', async () => {
		const n8n = await activated({ budgetMs: 300 });
		const files = await startScriptedServer();
		const imageUrl = files.serve('/hangs.png', () => undefined);
		await add({ operation: 'Crop', result: { documents: [{ imageUrl }] } });
		const began = Date.now();
		expect(await n8n.tick()).toBe(0);
		expect(Date.now() - began).toBeLessThan(5000);
		files.close();
	});

	test.each([false, true])(
		'is given up after a day as an item with the number of the job (durable: %s)',
		async (isDurable) => {
			const own = fastLimiters(SPEED);
			const n8n = await activated({ limiters: own, isDurable });
			await expectNextStart(n8n, 0);
			const [bad = ''] = await add(SMALL);
			await failAlways('fetch', NOT_FOUND, bad);
			for (const count of [0, 0, 1]) {
				expect(await n8n.tick()).toBe(count);
				own.pass(12 * HOUR);
			}
			expect(n8n.items).toHaveLength(2);
			const { error, ...known } = n8n.items[1] as { error: Error & { description: string } };
			expect(known).toMatchObject({ jobId: bad, status: 'Succeeded' });
			expect(error.message).toMatch(`The result of job ${bad} could not be fetched`);
			// No later poll collects it.
			expect(error.description).toMatch(/^Fetch the result within 7 days/);
			expect(error.description).toContain(`job ID ${bad}.`);
			expect(await n8n.tick()).toBe(0);
		},
	);

	test('and still hangs after a day says that the execution ended, not that a user stopped it', async () => {
		const own = fastLimiters(SPEED);
		const n8n = await activated({ limiters: own, budgetMs: 500 });
		const [jobId = ''] = await add(SMALL);
		await failAlways('fetch', { kind: 'hang' });
		expect(await n8n.tick()).toBe(0);
		own.pass(24 * HOUR);
		expect(await n8n.tick()).toBe(1);
		const message = `The execution ended before the result of job ${jobId} was fetched`;
		expect(n8n.items).toMatchObject([{ jobId, error: { message } }]);
	});

	test('because it has been deleted is an item at once', async () => {
		const n8n = await activated();
		const [jobId = ''] = await add(SMALL);
		await failAlways('fetch', { kind: 'envelopeError', status: 410, code: 'artifact_expired' });
		await n8n.tick();
		expect(n8n.items).toMatchObject([{ jobId, error: { httpCode: 410, jobId } }]);
	});
});

describe('Trigger On and Operations', () => {
	const JOBS: OtherJob[] = [
		{ ...SMALL, finishedMsAgo: 4000 },
		{
			operation: 'Classification',
			status: 'Failed',
			failureCode: 'unreadable',
			finishedMsAgo: 3000,
		},
		{ operation: 'Extraction', status: 'Cancelled', finishedMsAgo: 2000 },
		{ operation: 'Split', result: { segments: [] }, finishedMsAgo: 1000 },
	];

	test.each([
		[{}, [0, 1, 2, 3]],
		[{ events: ['failed'] }, [1, 2]],
		[{ events: ['succeeded', 'failed'], operations: ['extract'] }, [0, 2]],
		[{ operations: ['split', 'crop'] }, [3]],
	])('%j; another choice later brings no job that was not wanted', async (parameters, wanted) => {
		const n8n = await activated({ parameters });
		const ids = await add(...JOBS);
		await n8n.tick();
		const expected = wanted.map((position) => ids[position]);
		expect(n8n.jobIds).toEqual(expected);
		n8n.set({ parameters: { events: ['succeeded', 'failed'] } });
		await n8n.activate();
		expect(n8n.jobIds).toEqual(expected);
	});
});

describe('Fetch Test Event', () => {
	test('gives the newest finished job, again and again, and changes nothing', async () => {
		await add({ ...SMALL, finishedMsAgo: 5000 });
		const [newest] = await add({ ...INVOICE, finishedMsAgo: 2000 });
		const split: OtherJob = { operation: 'Split', status: 'Failed', finishedMsAgo: 7000 };
		await add({ ...SMALL, finishedMsAgo: 9000 }, RUNNING, split);
		const n8n = polled();
		for (let click = 0; click < 2; click++) {
			const items = await n8n.fetchTestEvent();
			expect(items).toMatchObject([{ json: { jobId: newest, documentType: 'Invoice' } }]);
		}
		expect(await steps()).toEqual(['list', 'fetch', 'list', 'fetch']);
		await n8n.activate();
		expect(n8n.starts).toEqual([]);
	});

	test('finds a job behind pages of unfinished ones', async () => {
		await service.standIn.configure({ jobsCursor: 'honoured', jobsLimit: 'ignored' });
		const [finished] = await add({ ...SMALL, finishedMsAgo: 5000 });
		await add({ ...RUNNING, count: 120 });
		expect(await polled().fetchTestEvent()).toMatchObject([{ json: { jobId: finished } }]);
	});

	test('with running and unwanted jobs only says what to do', async () => {
		await add(RUNNING, { operation: 'Split', status: 'Failed' });
		const n8n = polled({ parameters: { events: ['succeeded'] } });
		expect(await thrownBy(n8n.fetchTestEvent())).toMatchObject({
			message: "No finished job matches 'Trigger On' and 'Operations'",
			description: expect.stringMatching(/use Job: Submit/) as string,
		});
	});
});
