import { randomUUID } from 'node:crypto';

import { LedgerMemory } from '../../../../../nodes/DocumentIntelligence/run/ledger/memory';
import { sampleBytes, distinctInvoices, itemOf } from '../../../samples';
import { startScriptedServer } from '../../../scriptedServer';
import { failureOf, goOn, thrownBy } from '../../../service';
import { asJob, asLongJob, combined, messagesOf, namesIn, skip, useRuns } from './runs';

// With Retry On Fail, n8n runs a node again, with the same items, if it throws or, with On Error set to Continue, if
// the first item of its output is a failed one, and discards what the attempt returned.

const { service, extract, attempt, beginExecution, reject, sentFiles, submitted } = useRuns();

const ALL = ['0.pdf', '1.pdf', '2.pdf'];

/** The same picture, but no copy: each file has its name behind its end. */
const photoItem = async (name: string) =>
	await itemOf(Buffer.concat([sampleBytes('two-cards.jpg'), Buffer.from(name)]), name);

const crop = { operation: 'crop' };

const pairsIn = ({ items }: Awaited<ReturnType<typeof attempt>>) =>
	items.map(({ pairedItem }) => (pairedItem as { item: number }).item);

test('Another attempt sends only what failed, and returns and counts everything', async () => {
	const items = await distinctInvoices(3);
	await reject('0.pdf', 2);
	const first = await attempt(items, {}, goOn);
	expect(failureOf(first.items[0]).message).toContain('"0.pdf"');
	const second = await attempt(items, {}, goOn);
	expect(second.items.slice(1)).toEqual(first.items.slice(1));
	const third = await attempt(items, {}, goOn);
	expect([namesIn(third), pairsIn(third)]).toEqual([ALL, [0, 1, 2]]);
	expect(third.items.slice(1)).toEqual(first.items.slice(1));
	expect(await sentFiles()).toEqual(['0.pdf', '0.pdf', ...ALL]);
	expect(third.credits).toEqual(['Cogneris reported 3 credits for this run.']);
});

test.each([
	['a response was lost', { kind: 'reset' as const }, /lost/],
	['Cogneris could not read a document', { kind: 'qualityBlock' as const }, /quality/],
])('Another attempt after a run that stopped because %s sends nothing', async (_, fault, said) => {
	const items = await distinctInvoices(3);
	await service.standIn.queueFaults([fault]);
	const { message, description } = await thrownBy(attempt(items));
	expect(message).toMatch(said);
	expect(description).toMatch(/2 results .* are kept in the memory/);
	expect(await sentFiles()).toEqual(ALL);
	// n8n shows what the last attempt says.
	expect(await thrownBy(attempt(items))).toMatchObject({ message, description });
	expect(await sentFiles()).toEqual([]);
});

test('Another attempt with Skip returns the results that the first one remembered', async () => {
	const items = await distinctInvoices(3);
	await reject('0.pdf');
	await attempt(items, skip, goOn);
	expect(namesIn(await attempt(items, skip, goOn))).toEqual(ALL);
	expect(await sentFiles()).toEqual(['0.pdf', ...ALL]);
});

test('A lost response is not sent again by any attempt, and its item stays, also with Skip', async () => {
	const items = await distinctInvoices(3);
	await service.standIn.queueFaults([{ kind: 'reset', match: '0.pdf' }]);
	for (let count = 0; count < 3; count++)
		expect(namesIn(await attempt(items, skip, goOn))).toEqual(['failed', '1.pdf', '2.pdf']);
	expect(await sentFiles()).toEqual(ALL);
});

test('The job of an earlier attempt is collected, also with Skip, and not submitted again', async () => {
	const items = await distinctInvoices(1);
	await service.standIn.configure({ jobRunMs: 600_000 });
	const parameters = combined(skip, asLongJob);
	const first = await attempt(items, parameters, goOn);
	expect(failureOf(first.items[0]).message).toContain('did not finish within');
	await service.standIn.advanceClock(700_000);
	expect(namesIn(await attempt(items, parameters, goOn))).toEqual(['0.pdf']);
	beginExecution();
	const later = await attempt(items, parameters, goOn);
	expect([later.items, await submitted()]).toEqual([[], 1]);
	expect(messagesOf(later).join()).toContain('already processed');
});

test('An answer that could not be passed on because the run stopped is passed on by the next attempt', async () => {
	const images = await startScriptedServer();
	let isSlow = true;
	const imageUrl = images.serve('/card.png', (response) => {
		if (isSlow) return;
		response.setHeader('content-type', 'image/png');
		response.end(sampleBytes('id-card.png'));
	});
	const items = await Promise.all(['a.jpg', 'b.jpg'].map(photoItem));
	await service.standIn.queueFaults([
		{ kind: 'answer', match: 'a.jpg', data: { documents: [{ type: 'card', imageUrl }] } },
		{ kind: 'envelopeError', status: 422, match: 'b.jpg' },
	]);
	expect((await thrownBy(attempt(items, crop))).message).toContain('"b.jpg"');
	isSlow = false;
	const output = await attempt(items, crop).finally(() => images.close());
	expect(pairsIn(output)).toEqual([0, 1, 1]);
	expect(await sentFiles()).toEqual(['a.jpg', 'b.jpg', 'b.jpg']);
});

test('A job that an attempt did not come to is collected by the one after it, also of Crop', async () => {
	const [bad, slow] = await Promise.all(['bad.jpg', 'slow.jpg'].map(photoItem));
	const run = async (binary = bad!.binary!) => {
		bad!.binary = binary;
		return await attempt([bad!, slow!], combined(crop, asJob));
	};
	await service.standIn.configure({
		imageLifetimeMs: 7_000_000,
		jobRules: [
			{ match: 'bad', failureCode: 'input_unreadable', runMs: 300 },
			{ match: 'slow', runMs: 600_000 },
		],
	});
	await thrownBy(run());
	const { binary = {} } = bad!;
	const lost = { data: { ...binary.data!, id: 'filesystem-v2:lost' } };
	expect((await thrownBy(run(lost))).message).toContain('can no longer be read');
	await service.standIn.configure({ jobRules: [] });
	await service.standIn.advanceClock(700_000);
	expect(pairsIn(await run(binary))).toEqual([0, 0, 1, 1]);
	expect(await submitted()).toBe(3);
});

test.each([
	['What was passed on is sent again by another execution', extract, 6],
	['What n8n discarded to repeat the run is not', attempt, 4],
])('%s', async (_, run, expected) => {
	const items = await distinctInvoices(3);
	await reject('0.pdf');
	await run(items, {}, goOn);
	beginExecution();
	await run(items, {}, goOn);
	expect(await sentFiles()).toHaveLength(expected);
});

describe('What a job cost is in the note once', () => {
	test('although its result was not kept, and is fetched again', async () => {
		const items = await distinctInvoices(4);
		const result = { Metadata: { note: { value: 'x'.repeat(40_000) } } };
		await service.standIn.configure({
			jobQueueMs: 0,
			jobRules: [
				{ match: '0.pdf', failureCode: 'input_unreadable', runMs: 0 },
				{ match: '.pdf', result, runMs: 0 },
			],
		});
		// Half of it for a run.
		const memory = new LedgerMemory(Date.now, 120_000);
		const first = await attempt(items, asJob, { ...goOn, memory });
		const second = await attempt(items, asJob, { ...goOn, memory });
		expect(namesIn(second)).toEqual(['failed', '1.pdf', '2.pdf', '3.pdf']);
		expect(await submitted()).toBe(5);
		expect(second.credits).toEqual(first.credits);
	});

	test('although it has no result', async () => {
		const job = { jobId: randomUUID(), operation: 'Extraction', creditsConsumed: 2 };
		const answer = (data: object) => ({
			kind: 'answer' as const,
			data: { ...job, ...data },
			creditsConsumed: null,
		});
		const ended = answer({ status: 'Succeeded', outputReference: null });
		await service.standIn.queueFaults([answer({ status: 'Queued' })], 'submit');
		await service.standIn.queueFaults([{ ...ended, times: 'always' }], 'get');
		const items = await distinctInvoices(1);
		await attempt(items, asJob, goOn);
		const second = await attempt(items, asJob, goOn);
		expect(failureOf(second.items[0]).message).toContain('Cogneris did not return it');
		expect(second.credits).toEqual(['Cogneris reported 2 credits for this run.']);
	});
});
