import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { LedgerMemory } from '../../../../../nodes/DocumentIntelligence/run/ledger/memory';
import type { NodeRun } from '../../../../n8n-core/runNode';
import { until } from '../../../clock';
import { distinctInvoices, itemOf, itemWith, numberedInvoice } from '../../../samples';
import { failureOf, goOn, thrownBy } from '../../../service';
import {
	asJob,
	asLongJob,
	combined,
	inTurn,
	late,
	messagesOf,
	namesIn,
	reuse,
	skip,
	useRuns,
} from './runs';

// What was paid reaches a run, once: the cases in which it once did not. The rest of the table is in table.test.ts.

const { service, history, extract, attempt, requests, sent, submitted, reject, ...runs } =
	useRuns();

const anew = { options: { processedBefore: 'process' } };
const byHand: Partial<NodeRun> = { mode: 'manual' };

const idOf = ({ items }: { items: INodeExecutionData[] }) => items[0]?.json.extractionId;

/** Ends the job of a document that did not finish in time. */
async function endJob(item: INodeExecutionData | undefined, status: 'Failed' | 'Cancelled') {
	const { message, details } = failureOf(item);
	expect(message).toContain('did not finish');
	await service.standIn.endJobs(service.credential.apiKey, [details.jobId as string], { status });
}

test('with Skip and Retry On Fail, what an attempt paid is output by a later run if the execution ends in between', async () => {
	const items = await distinctInvoices(5);
	await reject('0.pdf', 3);
	// n8n is stopped before it repeats the run.
	await attempt(items, skip, goOn);
	const later = await extract(items, skip, goOn);
	expect(namesIn(later).slice(1)).toEqual(['1.pdf', '2.pdf', '3.pdf', '4.pdf']);
	expect(await sent()).toBe(6);
});

test('a stop between two attempts keeps the files of one item that were answered', async () => {
	const items = await distinctInvoices(5);
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
	async function leaveJob() {
		const items = await distinctInvoices(1);
		const unusable = { match: '.pdf', result: { Metadata: null } };
		await service.standIn.configure({ jobRules: [{ ...unusable, runMs: 600_000 }] });
		await thrownBy(extract(items, asLongJob));
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
		const { message } = await thrownBy(attempt(items, asJob));
		for (let count = 1; count < 3; count++)
			expect(await thrownBy(attempt(items, asJob))).toMatchObject({ message });
		expect(await submitted()).toBe(1);
	});
});

test('a run that asks what was uploaded when another was stopped waits for the answers, and returns them once', async () => {
	const items = await distinctInvoices(2);
	await service.standIn.configure({ latencyMs: late.ms });
	const areSent = async () => (await sent()) === 2 && (await runs.hasArrived());
	await runs.stopped(areSent, items);
	const second = await runs.whileLate(items);
	await service.standIn.configure({ latencyMs: 0 });
	expect(namesIn(second)).toEqual(['0.pdf', '1.pdf']);
	expect(await sent()).toBe(2);
	const third = await extract(items);
	expect(await sent()).toBe(4);
	expect(idOf(third)).not.toEqual(idOf(second));
});

test('a job that failed and was billed is not submitted by the next attempt, and is in the note', async () => {
	const jobId = randomUUID();
	const answer = (job: IDataObject) => ({
		kind: 'answer' as const,
		data: { jobId, operation: 'Extraction', ...job },
		creditsConsumed: null,
	});
	const billed = { status: 'Failed', failureCode: 'corrupt', creditsConsumed: 2 };
	await service.standIn.queueFaults([answer({ status: 'Queued' })], 'submit');
	const isNow = async (job: IDataObject) => {
		await service.standIn.clearFaults('get');
		await service.standIn.queueFaults([{ ...answer(job), times: 'always' }], 'get');
	};
	await isNow({ status: 'Processing' });
	const items = await distinctInvoices(1);
	const first = await attempt(items, asLongJob, goOn);
	expect(failureOf(first.items[0]).message).toContain('did not finish');
	await isNow(billed);
	const second = await attempt(items, asLongJob, goOn);
	const third = await attempt(items, asLongJob, goOn);
	expect(failureOf(second.items[0]).message).toContain('corrupt');
	expect(failureOf(third.items[0]).message).toContain('corrupt');
	expect(third.credits).toEqual(['Cogneris reported 2 credits for this run.']);
	expect(await submitted()).toBe(1);
});

describe('A stop while n8n writes its history leaves the files to the next run', () => {
	/** The first call looks up, the second one records what was answered. */
	async function stoppedAtRecord(items: INodeExecutionData[], at: 'beforeWrite' | 'afterWrite') {
		const stop = new AbortController();
		let calls = 0;
		history().interrupt = async (when) => {
			if (when === at && ++calls === 2) {
				stop.abort();
				await sleep(50);
			}
		};
		await extract(items, skip, { signal: stop.signal }).catch(() => undefined);
	}

	test('of this process, which pays nothing', async () => {
		const items = await distinctInvoices(3);
		await stoppedAtRecord(items, 'afterWrite');
		history().interrupt = () => undefined;
		const later = await extract(items, skip);
		expect(namesIn(later)).toEqual(['0.pdf', '1.pdf', '2.pdf']);
		expect(await sent()).toBe(3);
		expect(namesIn(await extract(items, skip))).toEqual([]);
	});

	test.each(['beforeWrite', 'afterWrite'] as const)(
		'of another process, which has only the history, %s',
		async (at) => {
			const items = await distinctInvoices(3);
			await stoppedAtRecord(items, at);
			// Entries that were closed are opened again after the run.
			await sleep(150);
			history().interrupt = () => undefined;
			const memory = new LedgerMemory(Date.now);
			const later = await extract(items, skip, { memory });
			expect(namesIn(later)).toEqual(['0.pdf', '1.pdf', '2.pdf']);
			expect(namesIn(await extract(items, skip, { memory }))).toEqual([]);
		},
	);
});

test('other workflows between two attempts do not make an execution pay twice', async () => {
	const memory = new LedgerMemory(Date.now, 10_000);
	const items = await distinctInvoices(3);
	await reject('2.pdf');
	await thrownBy(attempt(items, inTurn, { memory }));
	// A workflow can have half of the memory.
	for (const workflowId of ['second', 'third']) {
		await reject('39.pdf');
		await thrownBy(extract(await distinctInvoices(40), inTurn, { memory, workflowId }));
	}
	const before = await sent();
	const second = await attempt(items, inTurn, { memory });
	expect(namesIn(second)).toEqual(['0.pdf', '1.pdf', '2.pdf']);
	expect((await sent()) - before).toBe(1);
});

test.each<IDataObject>([{}, skip])(
	'a job that did not finish in a run under Continue is collected by the next run, %j',
	async (parameters) => {
		const items = await distinctInvoices(1);
		await service.standIn.configure({ jobRunMs: 600_000 });
		const first = await extract(items, combined(asLongJob, parameters), goOn);
		expect(failureOf(first.items[0]).message).toContain('did not finish');
		await service.standIn.advanceClock(700_000);
		const second = await extract(items, combined(asJob, parameters), goOn);
		expect(namesIn(second)).toEqual(['0.pdf']);
		expect(await submitted()).toBe(1);
	},
);

test('Skip does not submit anew what was recorded before, although a later job of it was canceled', async () => {
	const items = await distinctInvoices(1);
	await extract(items, { options: { processedBefore: 'record' } });
	await service.standIn.configure({ jobRunMs: 600_000 });
	await endJob((await extract(items, asLongJob, goOn)).items[0], 'Cancelled');
	const later = await extract(items, combined(asJob, skip), goOn);
	expect(later.items).toEqual([]);
	expect(messagesOf(later).join()).toContain('"0.pdf" (processed or recorded before)');
	expect(await submitted()).toBe(1);
});

test('Skip sends a document again whose job came to nothing', async () => {
	const items = await distinctInvoices(1);
	await service.standIn.configure({ jobRunMs: 600_000 });
	await endJob((await extract(items, combined(asLongJob, skip), goOn)).items[0], 'Failed');
	expect(namesIn(await extract(items, skip))).toEqual(['0.pdf']);
	expect([await sent(), await submitted()]).toEqual([1, 1]);
});

test('Skip sends a document again whose job was free and has no result, also in a run that fails', async () => {
	const items = await distinctInvoices(1);
	const unusable = { match: '.pdf', result: { Metadata: null }, credits: 0, runMs: 600_000 };
	await service.standIn.configure({ jobRules: [unusable] });
	await extract(items, combined(asLongJob, skip), goOn);
	await service.standIn.advanceClock(700_000);
	await reject('0.pdf');
	await thrownBy(extract(items, skip));
	expect(namesIn(await extract(items, skip))).toEqual(['0.pdf']);
	expect([await sent(), await submitted()]).toEqual([1, 1]);
});

test.each([
	['job', 'submit', 'submit', 'jobId'],
	['storedFile', 'upload', 'store', 'reference'],
])('%s: %s that fails in the middle sends only the rest', async (resource, operation, step, id) => {
	const items = await distinctInvoices(3);
	const rejected = { kind: 'envelopeError' as const, status: 422 };
	await service.standIn.queueFaults([null, null, rejected], step as 'submit' | 'store');
	const run = async () => await extract(items, { ...inTurn, resource, operation });
	await thrownBy(run());
	const { items: output } = await run();
	expect(new Set(output.map(({ json }) => json[id])).size).toBe(3);
	expect(await requests(step)).toBe(4);
});

test.each<[IDataObject, number]>([
	[{}, 4],
	[skip, 2],
])('two executions at the same moment, %j: %d requests', async (parameters, count) => {
	const items = await distinctInvoices(2);
	await service.standIn.configure({ latencyMs: 200 });
	const both = await Promise.all([extract(items, parameters), extract(items, parameters)]);
	expect(both.flatMap(namesIn)).toHaveLength(count);
	expect(await sent()).toBe(count);
});

test('a loop in a workflow that was never saved gets no result of an earlier pass', async () => {
	const items = await distinctInvoices(2);
	const pass = async (runIndex: number) =>
		await attempt(items, inTurn, { ...goOn, ...byHand, workflowId: null, runIndex });
	await reject('0.pdf');
	expect(namesIn(await pass(0))).toEqual(['failed', '1.pdf']);
	expect(namesIn(await pass(0))).toEqual(['0.pdf', '1.pdf']);
	expect(await sent()).toBe(3);
	await pass(1);
	expect(await sent()).toBe(5);
});

test.each(['trigger', 'manual'] as const)('a loop sends a failed file again, %s', async (mode) => {
	const items = await distinctInvoices(1);
	await service.standIn.queueFaults([{ kind: 'reset', afterWork: true }]);
	const pass = async (runIndex: number) =>
		await extract(items, {}, { ...goOn, executionId: 'loop', mode, runIndex });
	expect(namesIn(await pass(0))).toEqual(['failed']);
	expect(namesIn(await pass(1))).toEqual(['0.pdf']);
	expect(await sent()).toBe(2);
});

test.each(['trigger', 'manual'] as const)(
	'an execution that passes on its own result leaves that of another one at the same moment, %s',
	async (mode) => {
		const items = await distinctInvoices(2);
		await service.standIn.queueFaults([late]);
		const other = extract(items.slice(0, 1), {}, { mode });
		await until(async () => (await sent()) === 1);
		await reject('1.pdf');
		await thrownBy(attempt(items, inTurn));
		await service.standIn.answerNow();
		expect(namesIn(await other)).toEqual(['0.pdf']);
		const { credits } = await attempt(items, inTurn);
		expect(credits).toEqual(['Cogneris reported 2 credits for this run.']);
		// Two by each of the attempts, but 0.pdf only by the first.
		expect(await sent()).toBe(4);
	},
);

describe('Job: Submit with Return Earlier Result', () => {
	const submit = async (items: INodeExecutionData[], jobOperation = 'extract') =>
		await extract(items, { ...reuse, resource: 'job', operation: 'submit', jobOperation });

	test('submits another operation', async () => {
		const items = await distinctInvoices(1);
		await submit(items);
		await submit(items, 'classify');
		expect(await submitted()).toBe(2);
	});

	test('submits nothing if the job cannot be looked at', async () => {
		const items = await distinctInvoices(1);
		await submit(items);
		await service.standIn.queueFaults([{ kind: 'envelopeError', status: 403 }], 'get');
		await thrownBy(submit(items));
		expect(await submitted()).toBe(1);
	});

	test.each(['Failed', 'Cancelled'] as const)('submits anew if the job is %s', async (status) => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		const items = await distinctInvoices(1);
		const { items: output } = await submit(items);
		const jobId = output[0]?.json.jobId as string;
		await service.standIn.endJobs(service.credential.apiKey, [jobId], { status });
		expect((await submit(items)).items[0]?.json.jobId).not.toBe(jobId);
		expect(await submitted()).toBe(2);
	});
});

test.each<[string, IDataObject, Partial<NodeRun>]>([
	['test runs', {}, byHand],
	['runs with Return Earlier Result', reuse, {}],
])(
	'the first run with Skip passes on what %s have paid, and records it',
	async (_, before, more) => {
		const items = await distinctInvoices(2);
		await extract(items, before, more);
		const live = await extract(items, skip);
		expect(namesIn(live)).toEqual(['0.pdf', '1.pdf']);
		expect(namesIn(await extract(items, skip))).toEqual([]);
		expect(await sent()).toBe(2);
	},
);

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
	await until(runs.haveAllEnded);
});

test('the hour of a test run begins when its result is passed on', async () => {
	let now = Date.now();
	const more = { ...byHand, memory: new LedgerMemory(() => now) };
	const items = await distinctInvoices(2);
	await reject('1.pdf');
	await thrownBy(extract(items, inTurn, more));
	now += 50 * 60 * 1000;
	await extract(items, {}, more);
	now += 50 * 60 * 1000;
	await extract(items, {}, more);
	expect(await sent()).toBe(3);
});

test.each([
	['rejected at no cost', { kind: 'envelopeError' as const, status: 422 }, 2],
	['lost: what happened last counts', { kind: 'reset' as const }, 3],
])('after Process Again, %s', async (_, fault, expected) => {
	const items = await distinctInvoices(1);
	const more = { ...byHand, ...goOn };
	await extract(items, {}, more);
	await service.standIn.queueFaults([fault]);
	await extract(items, anew, more);
	await extract(items, {}, more);
	expect(await sent()).toBe(expected);
});

test('of copies, one of which was lost, a later test run returns the newer result', async () => {
	const [item] = await distinctInvoices(1);
	const more = { ...byHand, ...goOn };
	await extract([item!], {}, more);
	const copy = await itemOf(numberedInvoice('0.pdf'), 'copy.pdf');
	await service.standIn.queueFaults([{ kind: 'truncatedBody', match: 'copy.pdf', times: 9 }]);
	const second = await extract([item!, copy], anew, more);
	expect(namesIn(second)).toEqual(['0.pdf', 'failed']);
	const third = await extract([item!], {}, more);
	expect(idOf(third)).toBe(idOf(second));
	expect(await sent()).toBe(3);
});
