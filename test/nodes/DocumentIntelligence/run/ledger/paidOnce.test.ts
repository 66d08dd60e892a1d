import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { LedgerMemory } from '../../../../../nodes/DocumentIntelligence/run/ledger/memory';
import { useStoredHistory, type StoredHistory } from '../../../../n8n-core/history';
import { storeFile, useBinaryMode, type NodeRun } from '../../../../n8n-core/runNode';
import { filesForAnyOperation, itemWith, numberedInvoice } from '../../../samples';
import { failureOf, thrownBy, useService } from '../../../service';

// What was paid reaches a run, once: the cases in which it once did not. The rest of the table is in table.test.ts.

const service = useService({ requestsPerWindow: 1_000_000 });

let history: StoredHistory;
let executionId: string;

beforeAll(async () => await useBinaryMode('filesystem'));
beforeEach(async () => {
	history = await useStoredHistory();
	executionId = randomUUID();
});

const skip = { processedBefore: 'skip' };
const goOn: Partial<NodeRun> = { onError: 'continueRegularOutput' };
const RETRIED = { retryOnFail: true, maxTries: 3 };

async function invoices(count: number): Promise<INodeExecutionData[]> {
	return await Promise.all(
		Array.from({ length: count }, async (_, number) => {
			const name = `${number}.pdf`;
			const data = await storeFile(numberedInvoice(name), name, 'application/pdf');
			return { json: {}, binary: { data } };
		}),
	);
}

type Rest = [options?: IDataObject, more?: Partial<NodeRun>, parameters?: IDataObject];

const extract = async (
	items: INodeExecutionData[],
	...[options = {}, more = {}, parameters = {}]: Rest
) => await service.run({ operation: 'extract', ...parameters, options }, items, more);

/** Runs of one execution. */
const attempt = async (items: INodeExecutionData[], ...[options, more, parameters]: Rest) =>
	await extract(items, options, { executionId, node: RETRIED, ...more }, parameters);

const namesIn = ({ items }: { items: INodeExecutionData[] }) =>
	items.map(({ json }) => (json.error === undefined ? json.fileName : 'failed'));

const messagesOf = ({ hints }: { hints: Array<{ message: string }> }) =>
	hints.map(({ message }) => message).join(' | ');

const requests = async (...steps: string[]) =>
	(await service.calls()).filter(({ step }) => steps.includes(step ?? '')).length;

const sent = async () => await requests('process');
const submitted = async () => await requests('submit');

const reject = async (match: string, times = 1) =>
	await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422, match, times }]);

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
	while (!(await holds())) await sleep(10);
}

/** A run that is stopped when so many requests with a document have arrived. */
async function stopped(
	arrivals: number,
	...[items, options, more = {}]: Parameters<typeof extract>
): Promise<void> {
	const stop = new AbortController();
	const before = await sent();
	const running = extract(items, options, { ...more, signal: stop.signal }).catch(() => undefined);
	await until(async () => (await sent()) - before >= arrivals);
	await sleep(100);
	stop.abort();
	await running;
}

const haveAllEnded = async () => (await service.calls()).every(({ endedAt }) => endedAt !== null);

test('with Skip and Retry On Fail, what an attempt paid is output by a later run if the execution ends in between', async () => {
	const items = await invoices(5);
	await reject('0.pdf', 3);
	// n8n is stopped before it repeats the run.
	await attempt(items, skip, goOn);
	const sameFiles = items.map((item) => ({ ...item }));
	const later = await extract(sameFiles, skip, goOn);
	expect(namesIn(later).slice(1)).toEqual(['1.pdf', '2.pdf', '3.pdf', '4.pdf']);
	expect(await sent()).toBe(6);
});

test('a stop between two attempts keeps the files of one item that were answered', async () => {
	const items = await invoices(5);
	const [first] = items;
	const binary = Object.fromEntries(
		items.map((item, number) => [`${number}`, item.binary!.data!] as const),
	);
	const one = [{ ...first!, binary }];
	await reject('0.pdf');
	await attempt(one, {}, goOn);
	const stop = new AbortController();
	stop.abort();
	await attempt(one, {}, { ...goOn, signal: stop.signal }).catch(() => undefined);
	const later = await extract(one, {}, goOn);
	expect(namesIn(later)).toEqual(['0.pdf', '1.pdf', '2.pdf', '3.pdf', '4.pdf']);
	expect(await sent()).toBe(6);
});

describe('A kept job without a usable result', () => {
	const asJob = { processing: 'job' };

	async function leaveJob(options: IDataObject = {}) {
		const items = await invoices(1);
		const unusable = { match: '.pdf', result: { Metadata: null } };
		await service.standIn.configure({ jobRules: [{ ...unusable, runMs: 600_000 }] });
		await thrownBy(extract(items, { ...asJob, timeout: 1, ...options }));
		await service.standIn.advanceClock(700_000);
		await service.standIn.configure({ jobRules: [] });
		return items;
	}

	test('fails one run, and the next one submits the document anew', async () => {
		const items = await leaveJob();
		const { message } = await thrownBy(extract(items, asJob));
		expect(message).toContain('no fields');
		expect(namesIn(await extract(items, asJob))).toEqual(['0.pdf']);
		expect(await submitted()).toBe(2);
	});

	test('fails all attempts of a run in the same way', async () => {
		const items = await leaveJob();
		const messages: string[] = [];
		for (let count = 0; count < 3; count++)
			messages.push((await thrownBy(attempt(items, asJob))).message);
		expect(new Set(messages).size).toBe(1);
		expect(await submitted()).toBe(1);
	});

	test('is listed first by Skip', async () => {
		const items = await leaveJob({ ...skip });
		await thrownBy(extract(items, { ...asJob, ...skip }));
		const later = await extract(items, { ...asJob, ...skip });
		expect(messagesOf(later)).toContain('1 file skipped: "0.pdf" (may have been billed');
		expect(await submitted()).toBe(1);
	});
});

test('a run that asks what is in flight in a stopped one waits for the answers, and returns them once', async () => {
	const items = await invoices(2);
	await service.standIn.configure({ latencyMs: 800 });
	await stopped(2, items);
	const second = await extract(items);
	expect(namesIn(second)).toEqual(['0.pdf', '1.pdf']);
	expect(await sent()).toBe(2);
	const third = await extract(items);
	expect(await sent()).toBe(4);
	const idsOf = ({ items }: typeof third) => items.map(({ json }) => json.extractionId);
	expect(idsOf(third)).not.toEqual(idsOf(second));
});

test('under Stop, the note reports the credits of all attempts', async () => {
	const items = await invoices(5);
	await reject('4.pdf');
	await thrownBy(attempt(items, { concurrency: 1 }));
	const { credits } = await attempt(items, { concurrency: 1 });
	expect(credits).toEqual(['Cogneris reported 5 credits for this run.']);
});

test('a job that failed and was billed is not submitted by the next attempt, and is in the note', async () => {
	const jobId = randomUUID();
	const answer = (job: IDataObject) => ({
		kind: 'answer' as const,
		data: { jobId, operation: 'Extraction', ...job },
		creditsConsumed: null,
		offContract: true,
	});
	const billed = { status: 'Failed', failureCode: 'corrupt', creditsConsumed: 2 };
	await service.standIn.queueFaults([answer({ status: 'Queued' })], 'submit');
	const isNow = async (job: IDataObject) => {
		await service.standIn.clearFaults('get');
		await service.standIn.queueFaults([{ ...answer(job), times: 'always' }], 'get');
	};
	await isNow({ status: 'Processing' });
	const items = await invoices(1);
	const options = { processing: 'job', timeout: 1 };
	const first = await attempt(items, options, goOn);
	expect(failureOf(first.items[0]).message).toContain('did not finish');
	await isNow(billed);
	const second = await attempt(items, options, goOn);
	const third = await attempt(items, options, goOn);
	expect(failureOf(second.items[0]).message).toContain('corrupt');
	expect(failureOf(third.items[0]).message).toContain('corrupt');
	expect(third.credits).toEqual(['Cogneris reported 2 credits for this run.']);
	expect(await submitted()).toBe(1);
});

test('an entry of a run expires although nobody asks', async () => {
	let now = 0;
	const woken: Array<() => void> = [];
	const memory = new LedgerMemory(
		() => now,
		undefined,
		(_, call) => woken.push(call),
	);
	const items = await invoices(2);
	await reject('1.pdf');
	await thrownBy(extract(items, { concurrency: 1 }, { memory }));
	expect(woken).toHaveLength(1);
	now += 24 * 60 * 60 * 1000;
	woken.forEach((call) => call());
	// What was only overlooked would be found again.
	now = 0;
	await extract(items, {}, { memory });
	expect(await sent()).toBe(4);
});

describe('A stop while n8n writes its history leaves the files to the next run', () => {
	/** The first call looks up, the second one records what was answered. */
	async function stoppedAtRecord(items: INodeExecutionData[], at: 'beforeWrite' | 'afterWrite') {
		const stop = new AbortController();
		let calls = 0;
		history.interrupt = async (when) => {
			if (when === at && ++calls === 2) {
				stop.abort();
				await sleep(50);
			}
		};
		await extract(items, skip, { signal: stop.signal }).catch(() => undefined);
	}

	test('of this process, which pays nothing', async () => {
		const items = await invoices(3);
		await stoppedAtRecord(items, 'afterWrite');
		history.interrupt = () => undefined;
		const later = await extract(items, skip);
		expect(namesIn(later)).toEqual(['0.pdf', '1.pdf', '2.pdf']);
		expect(await sent()).toBe(3);
		expect(namesIn(await extract(items, skip))).toEqual([]);
	});

	test.each(['beforeWrite', 'afterWrite'] as const)(
		'of another process, which has only the history, %s',
		async (at) => {
			const items = await invoices(3);
			await stoppedAtRecord(items, at);
			// Entries that were closed are opened again after the run.
			await sleep(150);
			history.interrupt = () => undefined;
			const memory = new LedgerMemory(Date.now);
			const later = await extract(items, skip, { memory });
			expect(namesIn(later)).toEqual(['0.pdf', '1.pdf', '2.pdf']);
			expect(namesIn(await extract(items, skip, { memory }))).toEqual([]);
		},
	);
});

test('what was passed on makes room for what was not', async () => {
	const size = 40_000;
	const answer = { id: randomUUID(), metadata: { note: { value: 'x'.repeat(size) } } };
	await service.standIn.queueFaults([
		...['0.pdf', '1.pdf', '2.pdf'].map((match) => ({
			...{ kind: 'answer' as const, data: answer, match },
			offContract: true,
		})),
		{ kind: 'envelopeError', status: 422, match: '3.pdf' },
	]);
	// Room for two, in a workflow.
	const memory = new LedgerMemory(Date.now, 6 * size);
	const items = await invoices(4);
	const reuse = { processedBefore: 'reuse', concurrency: 1 };
	await thrownBy(extract([items[0]!, items[3]!], { concurrency: 1 }, { memory }));
	await extract(items.slice(1, 3), reuse, { memory });
	expect(await sent()).toBe(4);
	expect(namesIn(await extract(items.slice(0, 1), {}, { memory }))).toEqual(['0.pdf']);
	expect(await sent()).toBe(4);
});

test('other workflows between two attempts do not make an execution pay twice', async () => {
	const memory = new LedgerMemory(Date.now, 10_000);
	const items = await invoices(3);
	await reject('2.pdf');
	await thrownBy(attempt(items, { concurrency: 1 }, { memory }));
	// A workflow can have half of the memory.
	for (const workflowId of ['second', 'third']) {
		await reject('39.pdf');
		const other = { memory, workflowId };
		await thrownBy(extract(await invoices(40), { concurrency: 1 }, other));
	}
	const before = await sent();
	const second = await attempt(items, { concurrency: 1 }, { memory });
	expect(namesIn(second)).toEqual(['0.pdf', '1.pdf', '2.pdf']);
	expect((await sent()) - before).toBe(1);
});

test.each([{}, skip])(
	'a job that did not finish in a run under Continue is collected by the next run, %j',
	async (options) => {
		const items = await invoices(1);
		await service.standIn.configure({ jobRunMs: 600_000 });
		const first = await extract(items, { processing: 'job', timeout: 1, ...options }, goOn);
		expect(failureOf(first.items[0]).message).toContain('did not finish');
		await service.standIn.advanceClock(700_000);
		const second = await extract(items, { processing: 'job', ...options }, goOn);
		expect(namesIn(second)).toEqual(['0.pdf']);
		expect(await submitted()).toBe(1);
	},
);

test('Skip does not submit anew what was recorded before, although a later job of it was canceled', async () => {
	const items = await invoices(1);
	await extract(items, { processedBefore: 'record' });
	await service.standIn.configure({ jobRunMs: 600_000 });
	const asJob = { processing: 'job', timeout: 1 };
	const { message, details } = failureOf((await extract(items, asJob, goOn)).items[0]);
	expect(message).toContain('did not finish');
	const jobId = (details as { jobId: string }).jobId;
	await service.standIn.endJobs(service.credential.apiKey, [jobId], { status: 'Cancelled' });
	const later = await extract(items, { processing: 'job', ...skip }, goOn);
	expect(later.items).toEqual([]);
	expect(messagesOf(later)).toContain('"0.pdf" (already processed)');
	expect(await submitted()).toBe(1);
});

test.each([
	['job', 'submit', 'submit', 'jobId'],
	['storedFile', 'upload', 'store', 'reference'],
])('%s: %s that fails in the middle sends only the rest', async (resource, operation, step, id) => {
	const items = await invoices(3);
	const rejected = { kind: 'envelopeError' as const, status: 422 };
	await service.standIn.queueFaults([null, null, rejected], step as 'submit' | 'store');
	const run = async () => await extract(items, { concurrency: 1 }, {}, { resource, operation });
	await thrownBy(run());
	const { items: output } = await run();
	expect(new Set(output.map(({ json }) => json[id])).size).toBe(3);
	expect(await requests(step)).toBe(4);
});

test.each<[IDataObject, number]>([
	[{}, 4],
	[skip, 2],
])('two executions at the same moment, %j: %d requests', async (options, count) => {
	const items = await invoices(2);
	await service.standIn.configure({ latencyMs: 200 });
	const both = await Promise.all([extract(items, options), extract(items, options)]);
	expect(both.flatMap(namesIn)).toHaveLength(count);
	expect(await sent()).toBe(count);
});

test.each(['trigger', 'manual'] as const)('a loop sends a failed file again, %s', async (mode) => {
	const items = await invoices(1);
	await service.standIn.queueFaults([{ kind: 'reset', afterWork: true }]);
	const pass = async (runIndex: number) =>
		await extract(items, {}, { ...goOn, executionId, mode, runIndex });
	expect(namesIn(await pass(0))).toEqual(['failed']);
	expect(namesIn(await pass(1))).toEqual(['0.pdf']);
	expect(await sent()).toBe(2);
});

test.each(['trigger', 'manual'] as const)(
	'an execution that passes on its own result leaves that of another one at the same moment, %s',
	async (mode) => {
		const items = await invoices(2);
		await service.standIn.queueFaults([{ kind: 'late', ms: 800 }]);
		const other = extract(items.slice(0, 1), {}, { mode });
		await until(async () => (await sent()) === 1);
		await reject('1.pdf');
		await thrownBy(attempt(items, { concurrency: 1 }));
		expect(namesIn(await other)).toEqual(['0.pdf']);
		const { credits } = await attempt(items, { concurrency: 1 });
		expect(credits).toEqual(['Cogneris reported 2 credits for this run.']);
		// Two by each of the attempts, but 0.pdf only by the first.
		expect(await sent()).toBe(4);
	},
);

describe('Job: Submit with Return Earlier Result', () => {
	const reuse = { processedBefore: 'reuse' };
	const submit = async (items: INodeExecutionData[], jobOperation = 'extract') =>
		await extract(items, reuse, {}, { resource: 'job', operation: 'submit', jobOperation });

	test('returns the job that it has', async () => {
		const items = await invoices(1);
		const first = await submit(items);
		expect((await submit(items)).items[0]?.json.jobId).toBe(first.items[0]?.json.jobId);
		expect(await submitted()).toBe(1);
	});

	test('submits another operation', async () => {
		const items = await invoices(1);
		await submit(items);
		await submit(items, 'classify');
		expect(await submitted()).toBe(2);
	});

	test.each(['Failed', 'Cancelled'] as const)('submits anew if the job is %s', async (status) => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		const items = await invoices(1);
		const { items: output } = await submit(items);
		const jobId = output[0]?.json.jobId as string;
		await service.standIn.endJobs(service.credential.apiKey, [jobId], { status });
		expect((await submit(items)).items[0]?.json.jobId).not.toBe(jobId);
		expect(await submitted()).toBe(2);
	});
});

test('the first run with Skip passes on what test runs have paid, and records it', async () => {
	const items = await invoices(2);
	await extract(items, {}, { mode: 'manual' });
	const live = await extract(items, skip);
	expect(namesIn(live)).toEqual(['0.pdf', '1.pdf']);
	expect(namesIn(await extract(items, skip))).toEqual([]);
	expect(await sent()).toBe(2);
});

test('test runs are paid once for an hour, and automatic runs process everything', async () => {
	let now = Date.now();
	const memory = new LedgerMemory(() => now);
	const item = await itemWith('invoice-us.pdf');
	const run = async (mode: 'manual' | 'trigger' | 'integrated') =>
		await extract([item], {}, { mode, memory });
	await run('manual');
	const again = await run('manual');
	expect(again.hints[0]?.message).toMatch(/^1 result from earlier test runs/);
	expect([again.credits, await sent()]).toEqual([[], 1]);
	await run('integrated');
	await run('trigger');
	expect(await sent()).toBe(3);
	now += 50 * 60 * 1000;
	await run('trigger');
	await run('manual');
	expect(await sent()).toBe(4);
	// The hour is that of the run by hand, although a newer answer has taken the place of its answer.
	now += 11 * 60 * 1000;
	await run('manual');
	expect(await sent()).toBe(5);
	await until(haveAllEnded);
});

test('the result of a test run is returned although the job of a newer one has failed at no cost', async () => {
	const items = await invoices(1);
	const byHand: Partial<NodeRun> = { mode: 'manual' };
	const first = await extract(items, {}, byHand);
	await service.standIn.configure({ jobRunMs: 600_000 });
	const again = { processedBefore: 'process', processing: 'job', timeout: 1 };
	const { details } = failureOf((await extract(items, again, { ...byHand, ...goOn })).items[0]);
	const { jobId } = details as { jobId: string };
	await service.standIn.endJobs(service.credential.apiKey, [jobId], { status: 'Failed' });
	const third = await extract(items, {}, byHand);
	expect(third.items[0]?.json.extractionId).toBe(first.items[0]?.json.extractionId);
	expect(messagesOf(third)).toContain('1 result from earlier test runs was reused');
	expect([await sent(), await submitted()]).toEqual([1, 1]);
});

test('of copies, one of which was lost, a later test run returns the newer result', async () => {
	const [item] = await invoices(1);
	const byHand: Partial<NodeRun> = { mode: 'manual', ...goOn };
	await extract([item!], {}, byHand);
	const data = await storeFile(numberedInvoice('0.pdf'), 'copy.pdf', 'application/pdf');
	await service.standIn.queueFaults([{ kind: 'truncatedBody', match: 'copy.pdf', times: 9 }]);
	const again = { processedBefore: 'process' };
	const second = await extract([item!, { json: {}, binary: { data } }], again, byHand);
	expect(namesIn(second)).toEqual(['0.pdf', 'failed']);
	const third = await extract([item!], {}, byHand);
	expect(third.items[0]?.json.extractionId).toBe(second.items[0]?.json.extractionId);
	expect(await sent()).toBe(3);
});

test('Match Faces is paid in each test run', async () => {
	const binary = await filesForAnyOperation();
	for (let count = 0; count < 2; count += 1)
		await extract(
			[{ json: {}, binary }],
			{},
			{ mode: 'manual' },
			{ operation: 'faceMatch', documentsField: 'data' },
		);
	expect(await sent()).toBe(2);
});
