import { randomUUID } from 'node:crypto';

import { LedgerMemory } from '../../../../../nodes/DocumentIntelligence/run/ledger/memory';
import { sampleBytes, distinctInvoices, itemOf } from '../../../samples';
import { startScriptedServer } from '../../../scriptedServer';
import { failureOf, goOn, thrownBy } from '../../../service';
import { asJob, asLongJob, combined, messagesOf, namesIn, skip, useRuns } from './runs';

// With Retry On Fail, n8n runs a node again, with the same items, if it throws or, with On Error set to Continue, if
// the first item of its output is a failed one, and discards what the attempt returned.

const { service, attempt, beginExecution, reject, sentFiles, submitted } = useRuns();

const ALL = ['0.pdf', '1.pdf', '2.pdf'];

/** The same picture, but no copy: each file has its name behind its end. */
const photoItem = async (name: string) =>
	await itemOf(Buffer.concat([sampleBytes('two-cards.jpg'), Buffer.from(name)]), name);

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

test('With Skip, too, no attempt sends a lost response again, and all return what the first one remembered', async () => {
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
	expect(messagesOf(later).join()).toContain('processed or recorded before');
});

test('A job of an earlier execution stays paid by that one, although an attempt has waited for it in between', async () => {
	const items = await distinctInvoices(1);
	await service.standIn.configure({ jobRunMs: 600_000 });
	await attempt(items, asLongJob, goOn);
	beginExecution();
	await attempt(items, asLongJob, goOn);
	await service.standIn.advanceClock(700_000);
	const collected = await attempt(items, asLongJob, goOn);
	expect([namesIn(collected), collected.credits, await submitted()]).toEqual([['0.pdf'], [], 1]);
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
	expect((await thrownBy(attempt(items, { operation: 'crop' }))).message).toContain('"b.jpg"');
	isSlow = false;
	const output = await attempt(items, { operation: 'crop' }).finally(() => images.close());
	expect(pairsIn(output)).toEqual([0, 1, 1]);
	expect(await sentFiles()).toEqual(['a.jpg', 'b.jpg', 'b.jpg']);
});

test('With a picture that is not there, all attempts return the others, and one of them sends', async () => {
	const images = await startScriptedServer();
	const served = { headers: { 'content-type': 'image/png' }, body: sampleBytes('id-card.png') };
	const urls = [`${images.url}/none.png`, images.serve('/card.png', served)];
	const documents = urls.map((imageUrl) => ({ type: 'card', imageUrl }));
	await service.standIn.queueFaults([{ kind: 'answer', data: { documents } }]);
	const items = [await photoItem('a.jpg')];
	for (let count = 0; count < 2; count++) {
		const { items: output } = await attempt(items, { operation: 'crop' }, goOn);
		expect(namesIn({ items: output })).toEqual(['failed', 'a.jpg']);
	}
	images.close();
	expect(await sentFiles()).toEqual(['a.jpg']);
});

test('Of results that are too large to be held, the jobs are kept, and what they cost is in the note once', async () => {
	const items = await distinctInvoices(4);
	const result = { Id: randomUUID(), Metadata: { note: { value: 'x'.repeat(40_000) } } };
	const succeeds = { match: '.pdf', result, runMs: 0 };
	const fails = { match: '3.pdf', failureCode: 'input_unreadable', runMs: 2500 };
	await service.standIn.configure({ jobQueueMs: 0, jobRules: [fails, succeeds] });
	// Half of it for a run.
	const memory = new LedgerMemory(Date.now, 120_000);
	const { description } = await thrownBy(attempt(items, asJob, { memory }));
	expect(description).toMatch(/1 result .*and 2 jobs are kept/);
	await service.standIn.configure({ jobRules: [succeeds] });
	const second = await attempt(items, asJob, { memory });
	expect(second.items.map(({ json }) => json.extractionId)).toEqual(Array(4).fill(result.Id));
	expect(await submitted()).toBe(5);
	expect(second.credits).toEqual(['Cogneris reported 4 credits for this run.']);
});
