import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Turns } from '../../../../../nodes/DocumentIntelligence/waiting/waiting';
import { extract as extractOperation } from '../../../../../nodes/DocumentIntelligence/operations/document/extract';
import { useStoredHistory } from '../../../../n8n-core/history';
import { searchList, storeFile, useBinaryMode, type NodeRun } from '../../../../n8n-core/runNode';
import { filesForAnyOperation, itemWith, numberedInvoice } from '../../../samples';
import { failureOf, thrownBy, useService } from '../../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

/** So many items with an invoice of its own each: `0.pdf`, `1.pdf` and so on. */
async function distinctItems(count: number): Promise<INodeExecutionData[]> {
	return await Promise.all(
		Array.from({ length: count }, async (_, number) => ({
			json: {},
			binary: {
				data: await storeFile(numberedInvoice(`R-${number}`), `${number}.pdf`, 'application/pdf'),
			},
		})),
	);
}

const extract = async (
	items: INodeExecutionData[],
	parameters: IDataObject = {},
	more: Partial<NodeRun> = {},
) => await service.run({ operation: 'extract', ...parameters }, items, more);

/** The names of the files that were sent since the last call. */
let seen = 0;
beforeEach(() => (seen = 0));
async function sentFiles(): Promise<string[]> {
	const files = await service.files();
	return files
		.slice(seen, (seen = files.length))
		.map(({ fileName }) => fileName)
		.sort();
}

const messagesOf = ({ hints }: { hints: Array<{ message: string }> }) =>
	hints.map(({ message }) => message);

const fromEarlierRun = (count: number) =>
	`${count} results were paid for by an earlier run that did not pass its results on. To process the same files anew, execute again with Process Again in 'Files Processed Before'.`;

/** Rejected after all others have been sent. */
const reject = async (name: string) =>
	await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422, match: name }]);

const hasArrived = async () => (await service.calls()).length > 0;

const haveAllEnded = async () => (await service.calls()).every(({ endedAt }) => endedAt !== null);

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
	while (!(await holds())) await sleep(20);
}

/** What a run throws that the user stops when this holds, and its requests are sent. */
async function stopped(
	holds: Parameters<typeof until>[0],
	...[items, parameters, more]: Parameters<typeof extract>
) {
	const stop = new AbortController();
	const running = thrownBy(extract(items, parameters, { ...more, signal: stop.signal }));
	await until(holds);
	await sleep(200);
	stop.abort();
	return await running;
}

/** A run that fails at its last file, when the others have been answered. */
async function failingRun(items: INodeExecutionData[], parameters: IDataObject = {}) {
	await reject(`${items.length - 1}.pdf`);
	const { options, ...others } = parameters;
	return await thrownBy(
		extract(items, { ...others, options: { ...(options as IDataObject), concurrency: 1 } }),
	);
}

describe('A run that fails at its last file', () => {
	test('keeps the other results for the next run, which passes them on once, copies included', async () => {
		const items = await distinctItems(4);
		const error = await failingRun(items);
		expect(error.description).toMatch(
			/Of the other documents, 3 results \(\d+ credits\) are kept in the memory of this n8n process for a day at most: correct or remove "3\.pdf" and execute again\.$/,
		);
		expect(await sentFiles()).toHaveLength(4);

		const [first, ...others] = items.slice(0, 3);
		const second = await extract([first!, ...others, first!]);
		expect(await sentFiles()).toEqual([]);
		expect(second.items.map(({ json }) => json.fileName)).toEqual(
			[0, 1, 2, 0].map((number) => `${number}.pdf`),
		);
		expect(second.items.every(({ json }) => Number(json.creditsConsumed) > 0)).toBe(true);
		expect(messagesOf(second)).toEqual([fromEarlierRun(4)]);
		expect(second.credits).toEqual([]);

		await extract([first!, ...others]);
		expect(await sentFiles()).toHaveLength(3);
	});

	test('is like a run that succeeds for another output', async () => {
		const items = await distinctItems(3);
		await failingRun(items);
		const rows = { output: 'rows', options: { includeInputFields: true } };
		const kept = await extract(items.slice(0, 2), rows);
		expect(await sentFiles()).toHaveLength(3);
		const anew = await extract(items.slice(0, 2), rows);
		expect(await sentFiles()).toHaveLength(2);
		const withoutIds = ({ items }: { items: INodeExecutionData[] }) =>
			items.map(({ json }) => ({ ...json, extractionId: '', createdDate: '' }));
		expect(withoutIds(kept)).toEqual(withoutIds(anew));
	});

	test.each(['without', 'with'])(
		'has its results kept again if the next run fails, too, %s a template',
		async (how) => {
			const items = await distinctItems(4);
			await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 0 });
			const { results } = await searchList('searchTemplates', service.credential);
			const template = results.find(({ value }) => value !== '')?.value ?? '';
			const parameters: IDataObject = how === 'with' ? { templateId: template } : {};
			await failingRun(items, parameters);
			const error = await failingRun(items, parameters);
			expect(error.description).toMatch(/ [23] (results|jobs).* are kept/);
			expect(await sentFiles()).toEqual(['0.pdf', '1.pdf', '2.pdf', '3.pdf', '3.pdf']);
			await extract(items.slice(0, 3), parameters);
			expect(await sentFiles()).toEqual([]);
		},
	);

	test('keeps nothing for another node, workflow, key, operation, instructions or content', async () => {
		const items = await distinctItems(2);
		await failingRun(items);
		const [first] = items;
		const others: Array<[IDataObject, Partial<NodeRun>]> = [
			[{}, { node: { id: 'another' } }],
			[{}, { workflowId: 'another' }],
			[{}, { credential: { ...service.credential, apiKey: `${service.credential.apiKey}2` } }],
			[{ operation: 'zeroShot' }, {}],
			[{ options: { complementaryPrompt: 'Read the footer' } }, {}],
		];
		await sentFiles();
		for (const [parameters, more] of others) await extract([first!], parameters, more);
		await extract((await distinctItems(3)).slice(2));
		expect(await sentFiles()).toHaveLength(others.length + 1);
		await extract([first!]);
		expect(await sentFiles()).toEqual([]);
	});

	test('keeps nothing of a workflow without an ID', async () => {
		const items = await distinctItems(3);
		await reject('2.pdf');
		const more = { workflowId: null };
		const run = extract(items, { options: { concurrency: 1 } }, more);
		expect((await thrownBy(run)).description).toContain(
			'Of the other documents, 2 that may be billed are lost',
		);
	});

	test('of a workflow without an ID, the last attempt does not promise what earlier ones have kept', async () => {
		const items = await distinctItems(2);
		const retried = { retryOnFail: true, maxTries: 2 };
		const more = { workflowId: null, executionId: 'unsaved', node: retried };
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 422, match: '1.pdf', times: 2 },
		]);
		const attempt = async () =>
			await thrownBy(extract(items, { options: { concurrency: 1 } }, more));
		expect((await attempt()).description).toContain('1 result (');
		expect((await attempt()).description).toContain('1 that may be billed is lost');
		expect(await sentFiles()).toEqual(['0.pdf', '1.pdf', '1.pdf']);
	});
});

test('A document that is sent anew, because the images of its earlier result are gone, counts for Concurrent Requests', async () => {
	const items = await Promise.all(
		Array.from({ length: 6 }, async () => await itemWith('two-cards.jpg')),
	);
	const crop = async () =>
		await service.run(
			{ operation: 'crop', options: { processedBefore: 'reuse', concurrency: 2 } },
			items,
		);
	await crop();
	await service.standIn.advanceClock(120_000);
	await service.standIn.configure({ latencyMs: 100 });
	const before = await sentFiles();
	await crop();
	expect(await sentFiles()).toEqual(before);
	const requests = (await service.calls()).slice(before.length);
	const atOnce = requests.map(
		({ startedAt: at }) =>
			requests.filter(({ startedAt, endedAt }) => startedAt <= at && at < (endedAt ?? Infinity))
				.length,
	);
	expect(Math.max(...atOnce)).toBe(2);
});

test('Under On Error: Continue, what was passed on is not kept', async () => {
	const items = await distinctItems(3);
	await reject('2.pdf');
	const more = { onError: 'continueErrorOutput' as const };
	const { items: first } = await extract(items, {}, more);
	expect(failureOf(first[2]).message).toContain('"2.pdf"');
	await sentFiles();
	await extract(items, {}, more);
	expect(await sentFiles()).toHaveLength(3);
});

test('Under On Error: Continue, a result that could not be passed on is kept', async () => {
	const items = await distinctItems(2);
	const more = { onError: 'continueRegularOutput' as const };
	const spy = jest.spyOn(extractOperation, 'toOutputs').mockImplementationOnce(() => {
		throw new Error('No space is left');
	});
	const { items: first } = await extract(items, {}, more);
	spy.mockRestore();
	expect(first.filter(({ json }) => json.error !== undefined)).toHaveLength(1);
	await sentFiles();
	const { items: second } = await extract(items, {}, more);
	expect(second.map(({ json }) => json.documentType)).toEqual(['Invoice', 'Invoice']);
	expect(await sentFiles()).toHaveLength(1);
});

test('Of a request for several files, the part of each is kept', async () => {
	const items = await distinctItems(5);
	const options = { filesPerRequest: 2, concurrency: 1 };
	await reject('4.pdf');
	await thrownBy(service.run({ operation: 'classify', options }, items));
	expect(await sentFiles()).toHaveLength(5);
	const { items: types } = await service.run({ operation: 'classify', options }, items.slice(1, 4));
	expect(await sentFiles()).toEqual([]);
	expect(types.map(({ json }) => [json.fileName, typeof json.documentType])).toEqual([
		['1.pdf', 'string'],
		['2.pdf', 'string'],
		['3.pdf', 'string'],
	]);
});

describe('Return Earlier Result', () => {
	const reusing = { options: { processedBefore: 'reuse' } };
	const reused = (count: number) =>
		`${count} results of an earlier run were reused. To process the same files anew, execute again with Process Again in 'Files Processed Before'.`;

	test('returns what a run has passed on, without its credits and read anew', async () => {
		const items = await distinctItems(2);
		const first = await extract(items, reusing);
		expect(first.items.every(({ json }) => Number(json.creditsConsumed) > 0)).toBe(true);
		await sentFiles();
		for (const output of ['fields', 'fields', 'raw']) {
			const again = await extract(items, { ...reusing, output });
			expect(messagesOf(again)).toEqual([reused(2)]);
			expect(again.credits).toEqual([]);
			expect(again.items.map(({ json }) => 'creditsConsumed' in json)).toEqual([false, false]);
		}
		expect(await sentFiles()).toEqual([]);
		await extract(items);
		expect(await sentFiles()).toEqual(['0.pdf', '1.pdf']);
	});

	test('returns the newer answer after it was off for one run', async () => {
		const items = await distinctItems(1);
		const answerWith = async (documentType: string) =>
			await service.standIn.queueFaults([
				{ kind: 'answer', match: '0.pdf', data: { metadata: { documentType, fields: {} } } },
			]);
		await answerWith('Old');
		await extract(items, reusing);
		await answerWith('New');
		await extract(items);
		const { items: rows } = await extract(items, reusing);
		expect(rows[0]?.json.documentType).toBe('New');
		expect(await sentFiles()).toHaveLength(2);
	});

	test('is free again after a run that failed with it', async () => {
		const items = await distinctItems(2);
		await extract(items.slice(0, 1), reusing);
		await failingRun(items, reusing);
		const again = await extract(items.slice(0, 1), reusing);
		expect(messagesOf(again)).toEqual([expect.stringContaining('an earlier run was reused')]);
		expect(again.items.map(({ json }) => 'creditsConsumed' in json)).toEqual([false]);
		expect(await sentFiles()).toEqual(['0.pdf', '1.pdf']);
	});

	test('is read for each item, and does not return what failed', async () => {
		const items = await distinctItems(3);
		await reject('2.pdf');
		const more = { onError: 'continueRegularOutput' as const };
		const options = { processedBefore: '={{ $itemIndex > 0 ? "reuse" : "process" }}' };
		await extract(items, { options }, more);
		await sentFiles();
		await extract(items, { options }, more);
		expect(await sentFiles()).toEqual(['0.pdf', '2.pdf']);
	});
});

describe('Test runs', () => {
	const byHand: Partial<NodeRun> = { mode: 'manual' };
	const tool = { type: 'n8n-nodes-document-intelligence.documentIntelligenceTool' };

	test('of a job that was submitted ask for it once; as the tool of an agent, each call submits', async () => {
		const items = await distinctItems(1);
		const submit = { resource: 'job', operation: 'submit' };
		const { items: first } = await service.run(submit, items, byHand);
		const { items: second, hints } = await service.run(submit, items, byHand);
		expect(second[0]?.json.jobId).toBe(first[0]?.json.jobId);
		expect(hints[0]?.message).toMatch(/^1 result of earlier test runs was reused/);
		const methods = async () => (await service.calls()).map(({ method }) => method);
		expect(await methods()).toEqual(['POST', 'POST', 'GET']);
		await service.run(submit, items, { ...byHand, node: tool });
		expect(await methods()).toEqual(['POST', 'POST', 'GET', 'POST', 'POST']);
	});

	test('of Match Faces are never reused, because a decision is made anew', async () => {
		const items = [{ json: {}, binary: await filesForAnyOperation() }];
		const parameters = { operation: 'faceMatch', documentsField: 'documents' };
		for (let times = 0; times < 2; times++) await service.run(parameters, items, byHand);
		expect(await service.calls()).toHaveLength(2);
	});

	test('reuse nothing of the same execution, and nothing is kept of automatic runs', async () => {
		const items = await distinctItems(1);
		const loop = { ...byHand, executionId: 'loop' };
		for (const runIndex of [0, 1]) await extract(items, {}, { ...loop, runIndex });
		expect(await sentFiles()).toHaveLength(2);
		await extract(await distinctItems(2), {}, byHand);
		expect(await sentFiles()).toEqual(['1.pdf']);
		const other = (await distinctItems(3)).slice(2);
		await extract(other);
		await extract(other, {}, byHand);
		expect(await sentFiles()).toHaveLength(2);
	});
});

describe('After a stop', () => {
	test('the answer of a request that was sent completely is kept', async () => {
		const items = await distinctItems(1);
		await service.standIn.queueFaults([{ kind: 'late', ms: 600 }]);
		await stopped(hasArrived, items);
		expect(await haveAllEnded()).toBe(false);
		await until(haveAllEnded);
		expect((await service.calls()).map(({ aborted }) => aborted)).toEqual([false]);
		await sentFiles();
		const { items: rows } = await extract(items);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await sentFiles()).toEqual([]);
	});

	test('files that shared a request each get their own part of the answer', async () => {
		const items = await distinctItems(3);
		await service.standIn.queueFaults([{ kind: 'late', ms: 600 }]);
		const parameters = { operation: 'classify', options: { filesPerRequest: 3 } };
		const stop = new AbortController();
		const running = thrownBy(service.run(parameters, items, { signal: stop.signal }));
		await until(hasArrived);
		await sleep(200);
		stop.abort();
		await running;
		await sentFiles();
		// The answer is still on its way.
		const { items: types } = await service.run(parameters, items.slice(1));
		expect(types.map(({ json }) => [json.fileName, json.documentType])).toEqual([
			['1.pdf', 'Invoice'],
			['2.pdf', 'Invoice'],
		]);
		expect(await sentFiles()).toEqual([]);
	});

	test('what files that shared a request cost counts once', async () => {
		const items = await distinctItems(4);
		await service.standIn.queueFaults([
			{
				...{ kind: 'answer', creditsConsumed: 3, match: '0.pdf' },
				data: {
					results: ['0.pdf', '1.pdf', '2.pdf'].map((fileName) => ({
						...{ fileName, documentType: 'Invoice', confidence: 99 },
						...{ pages: 1, templateId: null, templateMetadata: null },
					})),
				},
			},
		]);
		await service.standIn.configure({ latencyMs: 600 });
		const classify = async (files: INodeExecutionData[], options: IDataObject, more = {}) =>
			await thrownBy(service.run({ operation: 'classify', options }, files, more));
		const stop = new AbortController();
		const running = classify(items.slice(0, 3), { filesPerRequest: 3 }, { signal: stop.signal });
		await until(hasArrived);
		await sleep(200);
		stop.abort();
		await running;
		await until(haveAllEnded);
		await service.standIn.configure({ latencyMs: 0 });
		await reject('3.pdf');
		const { description } = await classify(items, {});
		expect(description).toContain('3 results (3 credits) are kept');
	});

	test('no file is read of documents that have no result', async () => {
		const items = await distinctItems(5);
		await service.standIn.queueFaults([{ kind: 'late', ms: 600 }]);
		const stop = new AbortController();
		const options = { concurrency: 1 };
		const running = thrownBy(extract(items, { options }, { signal: stop.signal }));
		await until(hasArrived);
		await sleep(200);
		const spy = jest.spyOn(Container.get(BinaryDataService), 'getAsStream');
		stop.abort();
		await running;
		expect(spy).not.toHaveBeenCalled();
		spy.mockRestore();
	});

	test('while n8n records the processed files, their results are kept', async () => {
		const history = await useStoredHistory();
		const items = await distinctItems(1);
		const parameters = { options: { processedBefore: 'skip' } };
		const stop = new AbortController();
		let calls = 0;
		history.interrupt = async () => {
			if ((calls += 1) <= 2) return;
			stop.abort();
			await new Promise(() => undefined);
		};
		await extract(items, parameters, { signal: stop.signal, turns: new Turns() });
		expect(stop.signal.aborted).toBe(true);
		history.interrupt = () => undefined;
		await sentFiles();
		await extract(items, parameters, { turns: new Turns() });
		expect(await sentFiles()).toEqual([]);
	});

	test('a request that is still being uploaded is aborted', async () => {
		const items = await distinctItems(1);
		const store = Container.get(BinaryDataService);
		const stalled = Readable.from(
			(async function* () {
				yield Buffer.alloc(100);
				await new Promise(() => undefined);
			})(),
		);
		const first = await store.getAsStream(items[0]?.binary?.data?.id ?? '');
		const spy = jest.spyOn(store, 'getAsStream').mockResolvedValue(stalled);
		// The first bytes are read before anything is sent.
		spy.mockResolvedValueOnce(first);
		await stopped(() => spy.mock.calls.length > 1, items);
		spy.mockRestore();
		await until(haveAllEnded);
		expect((await service.calls()).map(({ aborted }) => aborted)).toEqual([true]);
		await extract(items);
		expect(await service.calls()).toHaveLength(2);
	});
});

describe('Jobs that were submitted and not collected', () => {
	const asJob = { options: { processing: 'job' } };
	const submissions = async () =>
		(await service.calls()).filter(({ step }) => step === 'submit').length;
	const areSubmitted = (count: number) => async () => (await submissions()) >= count;

	test('are collected by the next run', async () => {
		const items = await distinctItems(2);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 60_000 });
		const error = await stopped(areSubmitted(2), items, asJob);
		await service.standIn.advanceClock(60_000);
		expect(error.description).toContain('Of the other documents, 1 job is kept');
		const { items: rows, hints } = await extract(items, asJob);
		expect(rows.map(({ json }) => json.documentType)).toEqual(['Invoice', 'Invoice']);
		expect(await submissions()).toBe(2);
		expect(hints.map(({ message }) => message)).toEqual([fromEarlierRun(2)]);
	});

	/** A job of one file that a stop leaves behind, and its ID. */
	async function jobLeftBehind(items: INodeExecutionData[], queueMs = 0): Promise<string> {
		await service.standIn.configure({ jobQueueMs: queueMs, jobRunMs: 60_000 });
		const { description = '' } = await stopped(areSubmitted(1), items, asJob);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 0 });
		return /job ID (\S+?)\.?( |$)/.exec(description)?.[1] ?? '';
	}

	const end = async (jobId: string, status?: 'Failed' | 'Cancelled') =>
		await service.standIn.endJobs(service.credential.apiKey, [jobId], { status });

	test.each<[string, (jobId: string) => Promise<void>]>([
		['failed', async (jobId) => await end(jobId, 'Failed')],
		['was canceled', async (jobId) => await end(jobId, 'Cancelled')],
		[
			'is unknown',
			async (match) => await service.standIn.queueFaults([{ kind: 'problem', status: 404, match }]),
		],
	])('are submitted anew if the job %s', async (_, change) => {
		const items = await distinctItems(1);
		await change(await jobLeftBehind(items));
		const { items: rows, hints, credits } = await extract(items, asJob);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(2);
		expect([hints, credits.length]).toEqual([[], 1]);
	});

	test('are not submitted anew because a gateway does not find them', async () => {
		const items = await distinctItems(1);
		const match = await jobLeftBehind(items);
		await service.standIn.queueFaults([
			{ kind: 'status', status: 404, body: '<html>Not Found</html>', match },
		]);
		const error = await thrownBy(extract(items, asJob));
		expect(error.message).toContain(`${match} for "0.pdf" could not be fetched`);
		await end(match);
		const { items: rows } = await extract(items, asJob);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(1);
	});

	test('are asked to be canceled while they are queued, and then submitted anew', async () => {
		const items = await distinctItems(1);
		await jobLeftBehind(items, 60_000);
		const cancellations = (await service.calls()).filter(({ step }) => step === 'cancel');
		expect(cancellations).toHaveLength(1);
		await extract(items, asJob);
		expect(await submissions()).toBe(2);
	});

	test('are kept if their submission is answered after the stop', async () => {
		const items = await distinctItems(1);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 0 });
		await service.standIn.queueFaults([{ kind: 'late', ms: 600 }], 'submit');
		await stopped(areSubmitted(1), items, asJob);
		expect(await haveAllEnded()).toBe(false);
		await until(haveAllEnded);
		await sleep(100);
		const { items: rows } = await extract(items, asJob);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(1);
	});

	test('are kept by a run in which they did not finish, whatever On Error is', async () => {
		const items = await distinctItems(1);
		const jobId = await jobLeftBehind(items);
		const options = { ...asJob.options, timeout: 1 };
		const more = { onError: 'continueRegularOutput' as const };
		const { items: failed } = await extract(items, { options }, more);
		expect(failureOf(failed[0]).message).toContain('did not finish within');
		await end(jobId);
		const { items: rows } = await extract(items, asJob, more);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(1);
	});

	test('are collected by the next run although a run under Continue has passed on that they did not finish', async () => {
		await useStoredHistory();
		const items = await distinctItems(1);
		await service.standIn.configure({ jobRunMs: 60_000 });
		const more = { onError: 'continueRegularOutput' as const };
		const options = { processing: 'job', processedBefore: 'skip' };
		const { items: failed } = await extract(items, { options: { ...options, timeout: 1 } }, more);
		expect(failureOf(failed[0]).message).toContain('did not finish within');
		await service.standIn.advanceClock(60_000);
		const { items: rows } = await extract(items, { options }, more);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(1);
		expect((await extract(items, { options }, more)).items).toEqual([]);
		expect(await submissions()).toBe(1);
	});
});
