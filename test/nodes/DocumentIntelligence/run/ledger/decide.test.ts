import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { Container } from '@n8n/di';
import fc from 'fast-check';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';

import { LedgerMemory } from '../../../../../nodes/DocumentIntelligence/run/ledger/memory';
import { Locks } from '../../../../../nodes/DocumentIntelligence/waiting/waiting';
import { type NodeResult, type NodeRun } from '../../../../n8n-core/runNode';
import type { Fault } from '../../../../stand-in/startStandIn';
import { until } from '../../../clock';
import { SEED } from '../../../numRuns';
import { type ScriptedServer, startScriptedServer } from '../../../scriptedServer';
import { failureOf, goOn, thrownBy } from '../../../service';
import {
	filesForAnyOperation,
	itemOf,
	numberedInvoice,
	sampleBytes,
	sha256,
} from '../../../samples';
import { asJob, combined, messagesOf, useRuns } from './runs';

const { service, history } = useRuns();

let links: ScriptedServer;

beforeAll(async () => {
	links = await startScriptedServer();
});
afterAll(() => links.close());

/** With Skip. Files are stored anew for each run, as each mail brings its own copy. */
async function run(
	contents: Buffer[],
	more: Partial<NodeRun> = {},
	parameters: IDataObject = {},
): Promise<NodeResult> {
	const files = contents.map(async (content, at) => await itemOf(content, `invoice-${at}.pdf`));
	const { processedBefore = 'skip' } = (parameters.options ?? {}) as IDataObject;
	return await service.run(
		combined({ operation: 'extract', ...parameters }, { options: { processedBefore } }),
		contents.length > 0 ? await Promise.all(files) : [{ json: {} }],
		{ credential: { ...service.credential, requestsPerMinute: 1_000_000 }, ...more },
	);
}

/** An invoice unlike any other. */
const invoice = () => numberedInvoice(randomUUID());

/** How often each content was sent, in the order given. */
async function timesSent(...contents: Buffer[]): Promise<number[]> {
	const sent = (await service.files()).map((file) => file.sha256);
	return contents.map((content) => sent.filter((digest) => digest === sha256(content)).length);
}

const placesOf = ({ items }: NodeResult) =>
	items.map(({ pairedItem }) => (pairedItem as { item: number }).item);

const rejected = { kind: 'status' as const, status: 422 };

const REMEMBERED = /Skip will skip the document: to process it again, choose Process Again/;

// The notes of these runs are in text/failures.test.ts.
describe('Files Processed Before', () => {
	test('a later run sends what is new, and changes nothing of what it skips, whatever its files are called', async () => {
		const [one, other, added] = [invoice(), invoice(), invoice()];
		expect(placesOf(await run([one, other]))).toEqual([0, 1]);
		expect(placesOf(await run([one, added, other]))).toEqual([1]);
		expect(placesOf(await run([one, other]))).toEqual([]);
		expect(await timesSent(one, other, added)).toEqual([1, 1, 1]);
		const workflow = { id: 'workflow', active: true };
		await history().clearAllProcessedItems('workflow', { workflow });
		expect(placesOf(await run([one]))).toEqual([0]);
	});

	test('a file that can no longer be read, and a link that leads nowhere, fail by name before anything is asked', async () => {
		const [lost, kept] = [invoice(), invoice()];
		const spy = jest
			.spyOn(Container.get(BinaryDataService), 'getAsStream')
			.mockRejectedValueOnce(new Error('ENOENT'));
		const { items } = await run([lost, kept], goOn);
		spy.mockRestore();
		expect(failureOf(items[0]).message).toBe(
			'"invoice-0.pdf" can no longer be read from n8n\'s file storage',
		);
		expect(items[1]?.json.error).toBeUndefined();
		const fileUrl = 'http://127.0.0.1:1/invoice.pdf';
		const link = await run([], goOn, { inputSource: 'fileUrl', fileUrl });
		expect(failureOf(link.items[0]).message).toMatch(/^The file at .*invoice\.pdf could not be/);
		expect(await timesSent(lost, kept)).toEqual([0, 1]);
		// Neither is remembered.
		expect((await run([lost], goOn)).items).toHaveLength(1);
	});

	test('off, leaves the history alone; the option is read for each item', async () => {
		const [once, always] = [invoice(), invoice()];
		await run([once], {}, { options: { processedBefore: 'process' } });
		expect(history().rows.size).toBe(0);
		const options = { processedBefore: '={{ $itemIndex === 0 ? "skip" : "process" }}' };
		for (let times = 0; times < 2; times++) await run([once, always], {}, { options });
		expect(await timesSent(once, always)).toEqual([2, 2]);
	});

	test('Match Faces never skips or reuses a decision', async () => {
		await service.standIn.queueFaults([{ kind: 'answer', data: { matches: [] }, times: 2 }]);
		const items = [{ json: {}, binary: await filesForAnyOperation() }];
		const options = { processedBefore: 'skip' };
		const parameters = { operation: 'faceMatch', documentsField: 'documents', options };
		for (let times = 0; times < 2; times++)
			await service.run(parameters, items, { mode: 'manual' });
		expect(await service.calls()).toHaveLength(2);
		expect(history().rows.size).toBe(0);
	});

	test('of copies, the first one is sent, even if its file is read last', async () => {
		const content = invoice();
		const store = Container.get(BinaryDataService);
		const open = store.getAsStream.bind(store);
		const spy = jest.spyOn(store, 'getAsStream').mockImplementationOnce(async (...location) => {
			await sleep(200);
			return await open(...location);
		});
		const result = await run([content, content]);
		spy.mockRestore();
		expect(placesOf(result)).toEqual([0]);
	});

	test('Record Only records files and sends nothing; from then on they are skipped', async () => {
		const [known, added, later] = [invoice(), invoice(), invoice()];
		const recording = { options: { processedBefore: 'record' } };
		expect((await run([known], {}, recording)).items).toEqual([]);
		// What is new is listed before what is known.
		const again = await run([known, added], {}, recording);
		expect(again.hints[0]?.message).toMatch(/^2 files skipped: "invoice-1.pdf" \(recorded/);
		expect(placesOf(await run([known, added, later]))).toEqual([2]);
		expect(await timesSent(known, added, later)).toEqual([0, 0, 1]);
	});

	test('a first run whose only file is rejected leaves it to the next one to say that files are skipped', async () => {
		await service.standIn.queueFaults([rejected]);
		await run([invoice()], goOn);
		const { hints } = await run([invoice()]);
		expect(hints[0]?.message).toBe('1 file processed. From now on, this node skips it.');
	});
});

test('a first run says how many files are skipped: not one whose job is collected later or was free', async () => {
	const contents = [invoice(), invoice(), invoice()];
	const late = { match: 'invoice-0.pdf', runMs: 600_000 };
	const free = { match: 'invoice-1.pdf', result: { Metadata: null }, credits: 0 };
	await service.standIn.configure({ jobRules: [late, free] });
	const { hints } = await run(contents, goOn, combined(asJob, { options: { timeout: 300 } }));
	expect(hints.map(({ message }) => message)).toContain(
		'1 file processed. From now on, this node skips it.',
	);
	await service.standIn.advanceClock(700_000);
	expect(placesOf(await run(contents, goOn, asJob))).toEqual([0, 1]);
});

describe('A file is the same', () => {
	// What else is part of the identity is in identity.test.ts.
	test.each<[string, boolean, IDataObject, string?]>([
		['with blank instructions', true, { options: { complementaryPrompt: ' \n' } }],
		['with another output', true, { output: 'rows' }],
		['as a job', true, { options: { processing: 'job' } }],
		['with instructions', false, { options: { complementaryPrompt: 'Be exact' } }],
		['with another live key', true, {}, 'xtkt_live_valid_another'],
		['with a sandbox key', false, {}, 'xtkt_test_0001_sandbox_key'],
	])('%s: %s', async (_, isSame, parameters, apiKey = service.credential.apiKey) => {
		const content = invoice();
		await run([content]);
		const credential = { ...service.credential, requestsPerMinute: 1_000_000, apiKey };
		const { items } = await run([content], { credential }, parameters);
		expect(items.length === 0).toBe(isSame);
		expect(await timesSent(content)).toEqual([isSame ? 1 : 2]);
	});

	test('behind links, and among files that share a request', async () => {
		const [one, two] = [invoice(), invoice()];
		const served = { headers: { 'content-type': 'application/pdf' }, body: one };
		const fileUrl = [links.serve('/a.pdf', served), links.serve('/b.pdf', served)].join(' ');
		const together = { operation: 'classify', options: { filesPerRequest: 20 } };
		const first = await run([], {}, { ...together, inputSource: 'fileUrl', fileUrl });
		expect(first.items).toHaveLength(1);
		expect(first.hints[0]?.message).toMatch(/^1 file skipped: "b\.pdf" \(a copy of another file/);
		expect(placesOf(await run([one, two, two], {}, together))).toEqual([1]);
		expect(await timesSent(one, two)).toEqual([1, 1]);
	});
});

describe('A file is paid once', () => {
	const imageUrl = () => `${service.standIn.url}/none.png`;

	const croppedTo = (...urls: string[]) => ({
		kind: 'answer' as const,
		data: { documents: urls.map((url) => ({ type: 'a', imageUrl: url })) },
	});

	const lost = () => ({ kind: 'reset' as const, afterWork: true });
	const withoutPicture = () => croppedTo(imageUrl());

	test.each<[string, () => Fault, IDataObject?, Partial<NodeRun>?]>([
		['failed and billed', () => ({ kind: 'charged422' })],
		['answered without a result', () => ({ kind: 'qualityBlock' })],
		['answered, with a picture that is not there', withoutPicture, { operation: 'crop' }],
		['answered, with a picture that is not there', withoutPicture, { operation: 'crop' }, {}],
		['sent, its answer lost', lost],
		['sent, its answer lost', lost, {}, {}],
	])(
		'%s: it is remembered, and the failure says so',
		async (_, fault, parameters = {}, more = goOn) => {
			await service.standIn.queueFaults([fault()]);
			const content = parameters.operation === 'crop' ? sampleBytes('two-cards.jpg') : invoice();
			const descriptions = await run([content], more, parameters).then(
				({ items }) => items.map((item) => failureOf(item).description),
				({ description }: { description: string }) => [description],
			);
			expect(descriptions).toEqual([expect.stringMatching(REMEMBERED)]);
			const { items, hints } = await run([content], more, parameters);
			expect(items).toEqual([]);
			expect(messagesOf({ hints }).join()).toContain('(may have been billed on an earlier run');
			expect(await timesSent(content)).toEqual([1]);
		},
	);

	test('in a run that stops, the server of one picture down: the next run passes all on', async () => {
		const served = {
			headers: { 'content-type': 'image/jpeg' },
			body: sampleBytes('two-cards.jpg'),
		};
		const there = links.serve('/there.jpg', served);
		const down = links.serve('/down.jpg', { status: 503 });
		await service.standIn.queueFaults([croppedTo(there, down)]);
		const content = sampleBytes('two-cards.jpg');
		const crop = async () => await run([content], {}, { operation: 'crop' });
		expect((await thrownBy(crop())).description).not.toMatch(REMEMBERED);
		links.serve('/down.jpg', served);
		expect((await crop()).items).toHaveLength(2);
		expect(await timesSent(content)).toEqual([1]);
	});

	test('lost by a run without Skip: Skip skips it, also after a restart', async () => {
		await service.standIn.queueFaults([lost()]);
		const content = invoice();
		await thrownBy(run([content], {}, { options: { processedBefore: 'process' } }));
		expect((await run([content])).items).toEqual([]);
		const memory = new LedgerMemory(Date.now);
		expect((await run([content], { memory })).items).toEqual([]);
		expect(await timesSent(content)).toEqual([1]);
	});

	test('answered in a run that stops: after a restart it is sent again, as nobody got its result', async () => {
		const [good, bad] = [invoice(), invoice()];
		await service.standIn.queueFaults([null, rejected]);
		await thrownBy(run([good, bad], {}, { options: { concurrency: 1 } }));
		const memory = new LedgerMemory(Date.now);
		expect(placesOf(await run([good, bad], { memory }))).toEqual([0, 1]);
		expect(await timesSent(good, bad)).toEqual([2, 2]);
	});

	test('rejected at no cost: a later run sends it', async () => {
		await service.standIn.queueFaults([rejected]);
		const content = invoice();
		const first = await run([content, content], goOn);
		expect(first.items.map((item) => failureOf(item).description)).toEqual([
			expect.not.stringMatching(REMEMBERED),
		]);
		expect((await run([content], goOn)).items).toHaveLength(1);
		expect((await run([content], goOn)).items).toEqual([]);
		expect(await timesSent(content)).toEqual([2]);
	});
});

describe('A history that cannot be used', () => {
	// One that is kept in another mode is in text/failures.test.ts.
	test.each<[string, () => void, Partial<NodeRun>, RegExp]>([
		['an unsaved workflow', () => undefined, { workflowId: null }, /needs a saved workflow$/],
		[
			'locked',
			() => {
				history().interrupt = () => {
					throw new Error('SQLITE_BUSY');
				};
			},
			{},
			/^n8n's deduplication history could not be used: SQLITE_BUSY$/,
		],
		[
			'of another form',
			() =>
				jest.spyOn(history(), 'checkProcessedAndRecord').mockResolvedValue({ new: null } as never),
			{},
			/^n8n's deduplication history could not be used: n8n returned an unexpected response$/,
		],
	])('is said before anything is sent: %s', async (_, prepare, more, message) => {
		prepare();
		const error = await thrownBy(run([invoice()], more));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(/Nothing was sent\.$/);
		expect(await service.calls()).toEqual([]);
	});

	test('at the end: the results are passed on with a hint', async () => {
		const content = invoice();
		let calls = 0;
		history().interrupt = (when) => {
			if (when === 'beforeWrite' && ++calls === 2) throw new Error('database is locked');
		};
		const { items, hints } = await run([content]);
		expect(items).toHaveLength(1);
		expect(hints[0]?.message).toMatch(/n8n could not record all files of this run/);
		expect((await run([content])).items).toHaveLength(1);
	});
});

describe('Executions of a process at the same moment', () => {
	test('send each content once, in opposite orders and with copies; n8n is called by one at a time', async () => {
		await service.standIn.configure({ latencyMs: 30 });
		const contents = Array.from({ length: 6 }, invoice);
		const runs = await Promise.all([
			run(contents),
			run([...contents].reverse()),
			run([...contents, ...contents]),
			run(contents.slice(2)),
		]);
		expect(await timesSent(...contents)).toEqual(contents.map(() => 1));
		expect(runs.flatMap(({ items }) => items)).toHaveLength(6);
		expect(history().mostAtOnce).toBe(1);
	});

	test('if one fails, exactly one of those that wait sends it', async () => {
		const content = invoice();
		await service.standIn.configure({ latencyMs: 30 });
		await service.standIn.queueFaults([rejected]);
		const runs = await Promise.all([1, 2, 3].map(async () => await run([content], goOn)));
		expect(await timesSent(content)).toEqual([2]);
		expect(runs.map(({ items }) => items.length).sort()).toEqual([0, 1, 1]);
	});

	test('a wait ends at once if the user stops, and the others go on', async () => {
		const content = invoice();
		await service.standIn.configure({ latencyMs: 500 });
		const first = run([content]);
		await until(async () => (await service.standIn.requests()).length === 1);
		const stop = new AbortController();
		const second = thrownBy(run([content], { signal: stop.signal }));
		const third = run([content]);
		await sleep(100);
		stop.abort(new Error('stopped'));
		const ended = [first.then(() => 'first'), second.then(() => 'second')];
		expect(await Promise.race(ended)).toBe('second');
		expect([(await first).items.length, (await third).items.length]).toEqual([1, 0]);
	});

	test('stopping ends the wait for a history that does not answer', async () => {
		history().interrupt = async () => await new Promise(() => undefined);
		const stop = new AbortController();
		const stopped = thrownBy(run([invoice()], { signal: stop.signal, locks: new Locks() }));
		await sleep(100);
		stop.abort(new Error('stopped'));
		await stopped;
		expect(await service.calls()).toEqual([]);
	});
});

type Moment = 'beforeWrite' | 'afterWrite';

/** Its runs never return; the next process knows nothing of them. */
async function diesAt(call: number, when: Moment, contents: Buffer[]) {
	let calls = 0;
	let died: () => void = () => undefined;
	const death = new Promise<undefined>((resolve) => (died = () => resolve(undefined)));
	history().interrupt = async (moment) => {
		if (moment === 'beforeWrite') calls += 1;
		if (calls !== call || moment !== when) return;
		died();
		await new Promise(() => undefined);
	};
	const outcome = await Promise.race([run(contents, { locks: new Locks() }), death]);
	history().interrupt = () => undefined;
	return outcome;
}

test('whenever a process dies, a file counts as processed only after a run that ended with its result', async () => {
	const death = fc.tuple(
		fc.integer({ min: 1, max: 3 }),
		fc.constantFrom<Moment[]>('beforeWrite', 'afterWrite'),
	);
	const execution = fc.record({
		files: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
		diesAt: fc.option(death, { freq: 2 }),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(execution, { minLength: 1, maxLength: 6 }), async (executions) => {
			history().rows.clear();
			const contents = Array.from({ length: 4 }, invoice);
			const passedOn = new Set<number>();
			for (const { files, diesAt: deathAt } of executions) {
				const own = files.map((file) => contents[file]!);
				const before = await timesSent(...contents);
				const outcome =
					deathAt === null
						? await run(own, { locks: new Locks() })
						: await diesAt(deathAt[0], deathAt[1], own);
				const after = await timesSent(...contents);
				const sent = files.filter((file) => (after[file] ?? 0) > (before[file] ?? 0));
				if (outcome !== undefined) {
					expect(outcome.items).toHaveLength(sent.length);
					for (const file of files)
						if (!sent.includes(file) && !passedOn.has(file))
							throw new Error(`File ${file} was lost.`);
				}
				// After the last write, only n8n's saving of the items was missing.
				if (outcome !== undefined || deathAt?.[1] === 'afterWrite')
					for (const file of sent) passedOn.add(file);
			}
		}),
		{ numRuns: 8, seed: SEED },
	);
}, 60_000);

test('of 12 files, as many are open at once as Concurrent Requests allows', async () => {
	const contents = Array.from({ length: 12 }, invoice);
	const together = { operation: 'classify', options: { filesPerRequest: 20 } };
	const credential = { ...service.credential, requestsPerMinute: 1_000_000, concurrentRequests: 5 };
	await run(contents, { credential }, together);
	const store = Container.get(BinaryDataService);
	const open = store.getAsStream.bind(store);
	const streams: Array<{ destroyed: boolean }> = [];
	// One that has been left closes a moment later.
	const readers = () => streams.filter(({ destroyed }) => !destroyed).length;
	let mostReaders = 0;
	const spy = jest.spyOn(store, 'getAsStream').mockImplementation(async (...location) => {
		const stream = await open(...location);
		streams.push(stream);
		mostReaders = Math.max(mostReaders, readers());
		return stream;
	});
	// All are skipped, so each file is only read for its identity.
	const { items } = await run(contents, { credential }, together);
	spy.mockRestore();
	expect(items).toEqual([]);
	expect([mostReaders, readers()]).toEqual([5, 0]);
});

test('a look-up that fails once forgets nothing', async () => {
	const content = invoice();
	await run([content]);
	history().interrupt = () => {
		history().interrupt = () => undefined;
		throw new Error('SQLITE_BUSY');
	};
	const { items } = await run([content], goOn);
	expect(failureOf(items[0]).message).toContain('SQLITE_BUSY');
	expect((await run([content], goOn)).items).toEqual([]);
	expect(await timesSent(content)).toEqual([1]);
});

test('a look-up whose clean-up fails twice forgets nothing; if that fails for good, the message says what to do', async () => {
	const content = invoice();
	await run([content]);
	const failing = (times: number) => {
		const removing = jest.spyOn(history(), 'removeProcessed');
		for (let time = 0; time < times; time++)
			removing.mockRejectedValueOnce(new Error('SQLITE_BUSY'));
	};
	failing(2);
	expect((await run([content], goOn)).items).toEqual([]);
	failing(3);
	const { items } = await run([content], goOn);
	expect(failureOf(items[0]).description).toMatch(
		/^Some files that were processed before are no longer recorded\. .* Record Only .*Nothing was sent\.$/,
	);
	expect(await timesSent(content)).toEqual([1]);
});
