import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { ProcessedFiles } from '../../../../nodes/DocumentIntelligence/run/processedFiles';
import { useStoredHistory, type StoredHistory } from '../../../n8n-core/history';
import {
	searchList,
	storeFile,
	useBinaryMode,
	type NodeResult,
	type NodeRun,
} from '../../../n8n-core/runNode';
import { startFileServer, type FileServer } from '../../fileServer';
import { sampleBytes, sha256, storedSample, uniquePdf } from '../../samples';
import { failureOf, thrownBy, useService } from '../../service';

const service = useService({ requestsPerWindow: 1_000_000 });

let history: StoredHistory;
let links: FileServer;

beforeAll(async () => {
	await useBinaryMode('filesystem');
	links = await startFileServer();
});
beforeEach(async () => {
	history = await useStoredHistory();
});
afterAll(() => links.close());

async function itemOf(content: Buffer, name = 'invoice.pdf'): Promise<INodeExecutionData> {
	return { json: {}, binary: { data: await storeFile(content, name, 'application/pdf') } };
}

const parameters = (further: IDataObject = {}, options: IDataObject = {}): IDataObject => ({
	operation: 'extract',
	options: { skipProcessedFiles: true, ...options },
	...further,
});

/** Files are stored anew for each run, as each mail brings its own copy. */
async function run(
	contents: Array<Buffer | INodeExecutionData>,
	more: Partial<NodeRun> = {},
	further: IDataObject = {},
	options: IDataObject = {},
): Promise<NodeResult> {
	const items = await Promise.all(
		contents.map(async (content, number) =>
			Buffer.isBuffer(content) ? await itemOf(content, `invoice-${number}.pdf`) : content,
		),
	);
	return await service.run(parameters(further, options), items, {
		credential: { ...service.credential, requestsPerMinute: 1_000_000 },
		...more,
	});
}

/** How often each content was sent, in the order given. */
async function timesSent(contents: Buffer[]): Promise<number[]> {
	const sent = (await service.files()).map((file) => file.sha256);
	return contents.map((content) => sent.filter((digest) => digest === sha256(content)).length);
}

const resultsOf = ({ items }: NodeResult) => items.filter(({ json }) => json.error === undefined);

const onFailure = { onError: 'continueRegularOutput' as const };

const failing = { kind: 'status' as const, status: 422 };

describe('Skip Processed Files', () => {
	test('does not send a file again in a later run, and a hint counts it and says how to forget', async () => {
		const [one, other, added] = [uniquePdf(), uniquePdf(), uniquePdf()];
		expect((await run([one, other])).items).toHaveLength(2);

		const second = await run([one, added, other]);

		expect(await timesSent([one, other, added])).toEqual([1, 1, 1]);
		expect(second.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
		expect(second.hints).toEqual([
			{
				type: 'info',
				location: 'outputPane',
				message:
					'2 files skipped because this workflow has already processed them: "invoice-0.pdf", "invoice-2.pdf". To process files again, add a Remove Duplicates node that is connected to nothing, choose the operation Clear Deduplication History and, under Options, the Scope Workflow, and click Execute step. While you build a workflow, you can turn Skip Processed Files off.',
			},
		]);
		const third = await run([one, other]);
		expect(third.items).toEqual([]);
		expect(third.hints[0]?.message).toContain(
			'"invoice-1.pdf". The run has no output because nothing else was there to process. To process',
		);
		expect(await timesSent([one, other, added])).toEqual([1, 1, 1]);
		await history.clearAllProcessedItems('workflow', {
			workflow: { id: 'workflow', active: true },
		});
		expect((await run([one])).items).toHaveLength(1);
		expect(await timesSent([one])).toEqual([2]);
	});

	test('is off unless it is turned on, and then leaves the history alone', async () => {
		const content = uniquePdf();
		for (const options of [{}, { skipProcessedFiles: false }, {}]) {
			await service.run({ operation: 'extract', options }, [await itemOf(content)]);
		}
		expect(await timesSent([content])).toEqual([3]);
		expect(history.rows.size).toBe(0);
	});

	test.each(['classify', 'crop', 'zeroShot', 'extract', 'split'])(
		'%s sends a file once, each operation for itself',
		async (operation) => {
			const bytes = sampleBytes(operation === 'crop' ? 'two-cards.jpg' : 'invoice-us.pdf');
			const name = operation === 'crop' ? 'cards.jpg' : 'invoice.pdf';
			const file = async () => [await itemOf(bytes, name)];
			const parametersOf = { operation, output: 'raw' };
			const other = operation === 'classify' ? 'extract' : 'classify';
			await run(await file(), {}, { operation: other, output: 'raw' });
			const before = (await service.calls()).length;
			const first = await run(await file(), {}, parametersOf);
			const second = await run(await file(), {}, parametersOf);
			expect([first, second].map(({ items }) => items.length)).toEqual([1, 0]);
			expect((await service.calls()).length - before).toBe(1);
		},
	);

	test('Match Faces never skips a decision', async () => {
		const item = {
			json: {},
			binary: {
				selfie: await storedSample('portrait.png'),
				documents: await storedSample('id-card.png'),
			},
		};
		for (let times = 0; times < 2; times++)
			expect((await run([item], {}, { operation: 'faceMatch' })).items).toHaveLength(1);
		expect(await service.calls()).toHaveLength(2);
	});

	test('other instructions, another address, another workflow or another content send', async () => {
		const content = uniquePdf();
		await run([content]);
		await run([content], {}, {}, { complementaryPrompt: 'Dates are American' });
		await run([content], { workflowId: 'another' });
		await run([content], {
			credential: {
				...service.credential,
				baseUrl: `${service.standIn.url.replace('127.0.0.1', 'localhost')}`,
			},
		});
		expect(await timesSent([content])).toEqual([4]);
		await run([content], {}, {}, { complementaryPrompt: ' \n' });
		await run([content], {}, {}, { complementaryPrompt: 'Dates are American' });
		expect(await timesSent([content])).toEqual([4]);
	});

	test('another template sends, and the same one does not', async () => {
		await service.standIn.configure({ templateCount: 3 });
		const { results } = await searchList('searchTemplates', service.credential);
		const content = uniquePdf();
		const chosen = (index: number) => ({
			templateId: { __rl: true, mode: 'list', value: String(results[index]?.value) },
		});
		const sent: number[] = [];
		for (const further of [{}, chosen(0), chosen(1), chosen(0), {}, chosen(1)]) {
			await run([content], onFailure, further);
			sent.push(...(await timesSent([content])));
		}
		expect(sent).toEqual([1, 2, 3, 3, 3, 3]);
	});

	test('a copy within a run is sent once, and tried where the one before it fails', async () => {
		const [good, bad] = [uniquePdf(), uniquePdf()];
		await service.standIn.queueFaults([failing]);
		const first = await run(
			[bad, bad, good, good, bad],
			{ ...onFailure },
			{ options: { skipProcessedFiles: true, concurrency: 1 } },
		);
		expect(await timesSent([bad, good])).toEqual([2, 1]);
		expect(first.items.map(({ pairedItem, json }) => [pairedItem, 'error' in json])).toEqual([
			[{ item: 0 }, true],
			[{ item: 1 }, false],
			[{ item: 2 }, false],
		]);
		expect(first.hints.map(({ message }) => message)).toContain(
			'2 files skipped because they are copies of other files in this run: "invoice-3.pdf", "invoice-4.pdf"',
		);
		const second = await run([bad, bad, good]);
		expect(second.items).toEqual([]);
		expect(second.hints[0]?.message).toMatch(
			/^3 files skipped because this workflow has already processed them: .*The run has no output/,
		);
	});

	test.each<[string, IDataObject, Parameters<typeof service.standIn.queueFaults>]>([
		['lost its answer', {}, [[{ kind: 'reset', afterWork: true }]]],
		['has a job that may go on', { processing: 'job', timeout: 1 }, [[], 'list']],
	])('a copy of a document that %s is not paid for again', async (_, options, faults) => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		await service.standIn.queueFaults(...faults);
		const content = uniquePdf();
		const { items, hints } = await run([content, content], onFailure, parameters({}, options));
		expect(await timesSent([content])).toEqual([1]);
		expect(items.map(({ pairedItem, json }) => [pairedItem, 'error' in json])).toEqual([
			[{ item: 0 }, true],
		]);
		expect(hints.map(({ message }) => message)).toContain(
			'1 file skipped because it is a copy of another file in this run: "invoice-1.pdf"',
		);
	});

	describe('A job that may have a result yet', () => {
		const asJob = parameters({}, { processing: 'job', timeout: 2 });
		const failures = ({ items }: NodeResult) => items.filter(({ json }) => 'error' in json).length;
		const submissions = async () =>
			(await service.calls()).filter(({ step }) => step === 'submit').length;

		test('has not finished: a later run collects it, and it is paid once', async () => {
			await service.standIn.configure({ jobRunMs: 600_000 });
			const content = uniquePdf();
			const first = await run([content], onFailure, asJob);
			const second = await run([content], onFailure, asJob);
			expect([first, second].map(failures)).toEqual([1, 1]);
			expect(second.items[0]?.json.error).toMatchObject({
				message: expect.stringMatching(/^Job \S+ for "invoice-0.pdf" has not finished/) as string,
			});
			await service.standIn.advanceClock(600_000);
			const third = await run([content], onFailure, asJob);
			expect(third.items).toEqual([
				expect.objectContaining({
					json: expect.objectContaining({ fileName: 'invoice-0.pdf' }) as object,
					pairedItem: { item: 0 },
				}),
			]);
			expect((await run([content], onFailure, asJob)).items).toEqual([]);
			expect([await submissions(), await timesSent([content])]).toEqual([1, [1]]);
			expect(await service.standIn.charges()).toHaveLength(1);
		});

		test('could not be fetched: a later run fetches it', async () => {
			await service.standIn.configure({ jobRunMs: 0 });
			await service.standIn.queueFaults(
				[{ kind: 'problem', status: 403, times: 'always' }],
				'fetch',
			);
			const content = uniquePdf();
			expect(failures(await run([content], onFailure, asJob))).toBe(1);
			await service.standIn.clearFaults('fetch');
			expect(resultsOf(await run([content], onFailure, asJob))).toHaveLength(1);
			expect(await submissions()).toBe(1);
		});

		test('and another execution waits for the document: that collects it', async () => {
			await service.standIn.configure({ jobRunMs: 3000 });
			const content = uniquePdf();
			const runs = await Promise.all([
				run([content], onFailure, asJob),
				run([content], onFailure, asJob),
			]);
			expect(runs.flatMap(resultsOf)).toHaveLength(1);
			expect(runs.map(failures).sort()).toEqual([0, 1]);
			expect(await submissions()).toBe(1);
		});

		test.each<[string, (jobId: string) => Promise<unknown>]>([
			[
				'has failed since',
				async (jobId) =>
					await service.standIn.endJobs(service.credential.apiKey, [jobId], {
						failureCode: 'engine_lost',
					}),
			],
			[
				'was cancelled since',
				async (jobId) =>
					await service.standIn.endJobs(service.credential.apiKey, [jobId], {
						status: 'Cancelled',
					}),
			],
			['is not known any more', async () => await service.standIn.advanceClock(8 * 86_400_000)],
		])('%s: the document is submitted anew', async (_, change) => {
			await service.standIn.configure({ jobRunMs: 30 * 86_400_000 });
			const content = uniquePdf();
			await run([content], onFailure, asJob);
			const [jobId] = (await service.calls()).flatMap((call) => call.jobId ?? []);
			await change(jobId ?? '');
			await service.standIn.configure({ jobRunMs: 0 });
			expect(resultsOf(await run([content], onFailure, asJob))).toHaveLength(1);
			expect(await submissions()).toBe(2);
			expect((await service.standIn.charges()).length).toBeLessThanOrEqual(2);
		});
	});

	test('a copy of a document that was answered is not sent, although a part of its result failed', async () => {
		const photo = sampleBytes('two-cards.jpg');
		const copies = async () => [await itemOf(photo, 'a.jpg'), await itemOf(photo, 'b.jpg')];
		const imageUrl = `${service.standIn.url}/none.png`;
		const answer = { kind: 'answer' as const, data: { documents: [{ type: 'a', imageUrl }] } };
		await service.standIn.queueFaults([answer, answer, answer]);
		const first = await run(await copies(), onFailure, { operation: 'crop' });
		expect(first.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
		expect(failureOf(first.items[0]).message).toContain('cropped image');
		expect(await service.files()).toHaveLength(1);
		// Nothing was processed, and nothing is remembered that could be forgotten.
		expect(first.hints.map(({ message }) => message)).toEqual([
			expect.stringContaining('gave no result'),
			'1 file skipped because it is a copy of another file in this run: "b.jpg"',
		]);
		// Only success is remembered for later runs.
		await run(await copies(), onFailure, { operation: 'crop' });
		expect(await service.files()).toHaveLength(2);
	});

	test.each([
		[false, 2],
		['false', 2],
		[' False ', 2],
		['no', 2],
		['', 2],
		[null, 2],
		[true, 1],
		['true', 1],
	])('an expression that gives %j sends a file %i times in two runs', async (value, times) => {
		const content = uniquePdf();
		const options = { skipProcessedFiles: `={{ ${JSON.stringify(value)} }}` };
		for (let runs = 0; runs < 2; runs++) await run([content], {}, { options });
		expect(await timesSent([content])).toEqual([times]);
	});

	test('a failure is not remembered', async () => {
		const [bad, good] = [uniquePdf(), uniquePdf()];
		await service.standIn.queueFaults([failing]);
		const first = await run([bad, good], onFailure, {
			options: { skipProcessedFiles: true, concurrency: 1 },
		});
		expect(resultsOf(first)).toHaveLength(1);
		expect((await run([bad, good])).items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
		]);
		expect(await timesSent([bad, good])).toEqual([2, 1]);
		expect((await run([bad, good])).items).toEqual([]);
	});

	test('a run that stops forgets what it had processed, as its results are lost', async () => {
		const [good, bad] = [uniquePdf(), uniquePdf()];
		await service.standIn.queueFaults([null, failing]);
		await thrownBy(run([good, bad], {}, { options: { skipProcessedFiles: true, concurrency: 1 } }));
		expect((await run([good, bad])).items).toHaveLength(2);
		expect(await timesSent([good, bad])).toEqual([2, 2]);
	});

	test('files behind links are skipped by their content', async () => {
		const content = uniquePdf();
		const served = { headers: { 'content-type': 'application/pdf' }, body: content };
		const link = [links.serve('/a.pdf', served), links.serve('/b.pdf', served)].join(' ');
		const fromLinks = { inputSource: 'fileUrl', fileUrl: link };
		const first = await run([{ json: {} }], {}, fromLinks);
		expect(first.items).toHaveLength(1);
		expect((await run([{ json: {} }, content], {}, fromLinks)).items).toEqual([]);
		expect(await timesSent([content])).toEqual([1]);
		expect(links.seen.length).toBe(6);
	});

	test('files that share a request are skipped one by one', async () => {
		const [one, two, three] = [uniquePdf(), uniquePdf(), uniquePdf()];
		const together = {
			operation: 'classify',
			options: { skipProcessedFiles: true, filesPerRequest: 20 },
		};
		await run([one], {}, together);
		const second = await run([one, two, two, three], {}, together);
		expect(second.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }, { item: 3 }]);
		expect(await service.calls()).toHaveLength(2);
		expect(await timesSent([one, two, three])).toEqual([1, 1, 1]);
	});

	test('the option may differ from item to item', async () => {
		const [once, always] = [uniquePdf(), uniquePdf()];
		const byItem = { options: { skipProcessedFiles: '={{ $itemIndex === 0 }}' } };
		for (let times = 0; times < 2; times++) await run([once, always], {}, byItem);
		expect(await timesSent([once, always])).toEqual([1, 2]);
	});

	test('a file that n8n no longer has is a failed item that names it', async () => {
		const data = await storeFile(uniquePdf(), 'lost.pdf', 'application/pdf');
		const gone = { json: {}, binary: { data: { ...data, id: 'filesystem-v2:gone' } } };
		const { items } = await run([gone], onFailure);
		expect(failureOf(items[0]).message).toBe('"lost.pdf" can no longer be read from n8n\'s store');
		expect(await service.calls()).toEqual([]);
	});
});

describe('A history that cannot be used is said before anything is sent', () => {
	test('in a workflow that was never saved', async () => {
		const { message, description } = await thrownBy(run([uniquePdf()], { workflowId: null }));
		expect(message).toBe('Skip Processed Files needs a saved workflow');
		expect(description).toContain('Save the workflow');
		expect(await service.calls()).toEqual([]);
	});

	test('where a Remove Duplicates node keeps it in another mode', async () => {
		history.rows.set('workflow', JSON.stringify({ mode: 'latestDate', data: '2026-01-01' }));
		const { items } = await run([uniquePdf(), uniquePdf()], onFailure);
		for (const item of items) {
			const { message, description } = failureOf(item);
			expect(message).toContain('A Remove Duplicates node');
			expect(description).toContain('Clear Deduplication History');
		}
		expect(items).toHaveLength(2);
		expect(await service.calls()).toEqual([]);
	});

	test('where its database does not answer as it should', async () => {
		history.interrupt = () => {
			throw new Error('SQLITE_BUSY: database is locked');
		};
		const { message } = await thrownBy(run([uniquePdf()]));
		expect(message).toBe(
			"n8n's deduplication history could not be read: SQLITE_BUSY: database is locked",
		);
		expect(await service.calls()).toEqual([]);
	});

	test.each([
		['null', null],
		['an object without entries', {}],
		['an object without a list', { new: null }],
		['a text', { new: 'x' }],
		['a list', []],
	])('where its answer is %s', async (_, answer) => {
		jest.spyOn(history, 'checkProcessedAndRecord').mockResolvedValue(answer as never);
		const { message, description } = await thrownBy(run([uniquePdf()]));
		expect(message).toBe("n8n's deduplication history gave an answer that cannot be read");
		expect(description).toContain('Nothing was sent');
		expect(await service.calls()).toEqual([]);
	});

	test('except at the end, where the results are passed on with a hint', async () => {
		const content = uniquePdf();
		let calls = 0;
		history.interrupt = (when) => {
			if (when === 'beforeWrite' && ++calls === 2) throw new Error('database is locked');
		};
		const { items, hints } = await run([content]);
		expect(items).toHaveLength(1);
		expect(hints.map(({ message }) => message)).toEqual([
			"1 document could not be marked as processed in n8n's deduplication history. Skip Processed Files will not skip it next time.",
		]);
		expect((await run([content])).items).toHaveLength(1);
	});
});

describe('Executions of a process at the same moment', () => {
	test('send each content once, also in opposite orders and with copies', async () => {
		await service.standIn.configure({ latencyMs: 30 });
		const contents = Array.from({ length: 6 }, uniquePdf);
		const runs = await Promise.all([
			run(contents),
			run([...contents].reverse()),
			run([...contents, ...contents]),
			run(contents.slice(2)),
		]);
		expect(await timesSent(contents)).toEqual(contents.map(() => 1));
		expect(runs.flatMap(({ items }) => items)).toHaveLength(6);
		expect(history.mostAtOnce).toBe(1);
	});

	test('where one fails, exactly one of those that wait sends it', async () => {
		const contents = Array.from({ length: 3 }, uniquePdf);
		await service.standIn.configure({ latencyMs: 30 });
		await service.standIn.queueFaults([failing, failing, failing]);
		const runs = await Promise.all([
			run(contents, onFailure),
			run([...contents].reverse(), onFailure),
			run(contents, onFailure),
		]);
		expect(await timesSent(contents)).toEqual([2, 2, 2]);
		expect(runs.flatMap(resultsOf)).toHaveLength(3);
		expect(runs.map(({ items }) => items.length).sort()).toEqual([0, 3, 3]);
	});

	test('where one stops, another sends what it had processed', async () => {
		const [good, bad] = [uniquePdf(), uniquePdf()];
		await service.standIn.configure({ latencyMs: 30 });
		await service.standIn.queueFaults([null, failing]);
		const inOrder = { options: { skipProcessedFiles: true, concurrency: 1 } };
		// Which of them comes first is open: both read and hash their files before they get in line.
		const runs = await Promise.allSettled([
			run([good, bad], {}, inOrder),
			run([good, bad], {}, inOrder),
		]);
		expect(runs.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
		expect(
			runs.flatMap((ended) => (ended.status === 'fulfilled' ? ended.value.items : [])),
		).toHaveLength(2);
		expect(await timesSent([good, bad])).toEqual([2, 2]);
	});

	test('a wait ends at once when the user stops, and the others go on', async () => {
		const content = uniquePdf();
		await service.standIn.configure({ latencyMs: 1500 });
		const first = run([content]);
		await until(async () => (await service.standIn.requests()).length === 1);
		const stop = new AbortController();
		const second = thrownBy(run([content], { signal: stop.signal }));
		const third = run([content]);
		await new Promise((resolve) => setTimeout(resolve, 100));
		const stoppedAt = Date.now();
		stop.abort(new Error('stopped'));
		await second;
		expect(Date.now() - stoppedAt).toBeLessThan(500);
		expect([(await first).items.length, (await third).items.length]).toEqual([1, 0]);
		expect(await timesSent([content])).toEqual([1]);
	});

	test('stopping ends the wait for a history that does not answer', async () => {
		history.interrupt = async () => await new Promise(() => undefined);
		const stop = new AbortController();
		const stopped = thrownBy(
			run([uniquePdf()], { signal: stop.signal, processed: new ProcessedFiles() }),
		);
		await new Promise((resolve) => setTimeout(resolve, 100));
		stop.abort(new Error('stopped'));
		await stopped;
		expect(await service.calls()).toEqual([]);
	});

	test('a stopped execution whose call never returns gives its place to the next', async () => {
		const processed = new ProcessedFiles();
		history.interrupt = async () => await new Promise(() => undefined);
		const stop = new AbortController();
		const stopped = thrownBy(run([uniquePdf()], { signal: stop.signal, processed }));
		await new Promise((resolve) => setTimeout(resolve, 100));
		history.interrupt = () => undefined;
		const next = run([uniquePdf()], { processed });
		stop.abort(new Error('stopped'));
		await stopped;
		expect((await next).items).toHaveLength(1);
	}, 10_000);

	test('a call that does not return within a minute fails its run before anything is sent', async () => {
		let now = 0;
		const sleep = async (ms: number) => {
			await new Promise(setImmediate);
			now += ms;
		};
		const processed = new ProcessedFiles({ now: () => now, sleep });
		history.interrupt = async () => await new Promise(() => undefined);
		const { message, description } = await thrownBy(run([uniquePdf()], { processed }));
		expect(message).toBe("n8n's deduplication history did not answer within 60 seconds");
		expect(description).toContain('Nothing was sent');
		expect(now).toBeGreaterThanOrEqual(60_000);
		expect(now).toBeLessThan(62_000);
		expect(await service.calls()).toEqual([]);
	}, 10_000);
});

describe('A user who stops an execution while it is being remembered', () => {
	/** Stops at the second write, the first one that remembers, and lets that go on for a while. */
	async function stopsWhileRemembering(
		contents: Buffer[],
		duringWrite: () => Promise<unknown>,
		processed = new ProcessedFiles(),
	) {
		const stop = new AbortController();
		let writes = 0;
		history.interrupt = async (when) => {
			if (when !== 'beforeWrite' || ++writes !== 2) return;
			stop.abort(new Error('stopped'));
			await duringWrite();
		};
		const first = run(contents, { signal: stop.signal, processed });
		await until(async () => (await service.calls()).length > 0);
		const waiting = run(contents, { processed });
		await first.catch(() => undefined);
		const second = await waiting;
		history.interrupt = () => undefined;
		return second;
	}

	test('loses no file: one that waits sends it, and so it is remembered', async () => {
		const content = uniquePdf();
		await service.standIn.configure({ latencyMs: 30 });
		const pause = async () => await new Promise((resolve) => setTimeout(resolve, 50));
		expect((await stopsWhileRemembering([content], pause)).items).toHaveLength(1);
		expect((await run([content])).items).toEqual([]);
		expect(await timesSent([content])).toEqual([2]);
	});

	test('loses no file either where the call has not begun yet', async () => {
		const [content, other] = [uniquePdf(), uniquePdf()];
		const processed = new ProcessedFiles();
		let letOn: () => void = () => undefined;
		const held = new Promise<void>((resolve) => (letOn = resolve));
		let writes = 0;
		await service.standIn.configure({ latencyMs: 150 });
		const stop = new AbortController();
		const first = run([content], { signal: stop.signal, processed });
		await until(async () => (await service.calls()).length > 0);
		history.interrupt = async (when) => {
			if (when === 'beforeWrite' && ++writes === 1) await held;
		};
		const another = run([other], { processed });
		await new Promise((resolve) => setTimeout(resolve, 400));
		stop.abort(new Error('stopped'));
		await first.catch(() => undefined);
		letOn();
		await another;
		expect((await run([content], { processed })).items).toHaveLength(1);
	});
});

describe('A process that dies', () => {
	const forever = async () => await new Promise<void>(() => undefined);

	/** Its runs never return; the next process knows nothing of them. */
	async function diesAt(call: number, when: 'beforeWrite' | 'afterWrite', contents: Buffer[]) {
		let calls = 0;
		let died: () => void = () => undefined;
		const death = new Promise<void>((resolve) => (died = resolve));
		history.interrupt = async (moment) => {
			if (moment === 'beforeWrite') calls += 1;
			if (calls !== call || moment !== when) return;
			died();
			await new Promise(() => undefined);
		};
		const outcome = await Promise.race([
			run(contents, { processed: new ProcessedFiles({ now: () => 0, sleep: forever }) }),
			death.then(() => undefined),
		]);
		history.interrupt = () => undefined;
		return outcome;
	}

	test.each(
		[1, 2].flatMap((call) =>
			(['beforeWrite', 'afterWrite'] as const).map((when) => [call, when] as const),
		),
	)('at call %i of the history, %s: its file is not lost', async (call, when) => {
		const content = uniquePdf();
		expect(await diesAt(call, when, [content])).toBeUndefined();
		const later = await run([content], { processed: new ProcessedFiles() });
		// After the last write everything was processed and only n8n's own saving was left.
		expect(later.items).toHaveLength(call === 2 && when === 'afterWrite' ? 0 : 1);
	});

	test('while it looks up a processed file: that is skipped or processed once more, and remembered', async () => {
		for (const call of [1, 2]) {
			for (const when of ['beforeWrite', 'afterWrite'] as const) {
				const content = uniquePdf();
				await run([content]);
				await diesAt(call, when, [content]);
				await run([content], { processed: new ProcessedFiles() });
				expect((await run([content], { processed: new ProcessedFiles() })).items).toEqual([]);
				expect((await timesSent([content]))[0]).toBeLessThanOrEqual(2);
			}
		}
	});

	test('at any calls of any runs: a file counts as processed only after a run that ended with its result', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(
					fc.record({
						files: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
						diesAt: fc.option(
							fc.tuple(
								fc.integer({ min: 1, max: 3 }),
								fc.constantFrom('beforeWrite' as const, 'afterWrite' as const),
							),
							{ freq: 2 },
						),
					}),
					{ minLength: 1, maxLength: 6 },
				),
				async (executions) => {
					history.rows.clear();
					const contents = Array.from({ length: 4 }, uniquePdf);
					const passedOn = new Set<number>();
					const written = new Set<number>();
					for (const { files, diesAt: death } of executions) {
						const own = files.map((file) => contents[file]!);
						const before = await timesSent(contents);
						const outcome =
							death === null
								? await run(own, { processed: new ProcessedFiles() })
								: await diesAt(death[0], death[1], own);
						const after = await timesSent(contents);
						if (outcome === undefined) {
							// The very last write may have been done, so that only n8n's saving of the items was missing.
							for (const file of files)
								if ((after[file] ?? 0) > (before[file] ?? 0) && death?.[1] === 'afterWrite')
									written.add(file);
							continue;
						}
						for (const file of files) {
							const wasSent = (after[file] ?? 0) > (before[file] ?? 0);
							if (!wasSent && !passedOn.has(file) && !written.has(file))
								throw new Error(`File ${file} was lost.`);
							passedOn.add(file);
						}
						expect(outcome.items).toHaveLength(
							files.filter((file) => (after[file] ?? 0) > (before[file] ?? 0)).length,
						);
					}
				},
			),
			{ numRuns: 12 },
		);
	}, 60_000);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
	while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
