import { distinctInvoices, invoiceItems } from '../../samples';
import { goOn, useService } from '../../service';

// That a sum may be a part is in text/notes.test.ts, and what a rejected request of several files cost in group.test.ts.

const service = useService();

test('what a request of several files cost counts once', async () => {
	await service.standIn.queueFaults([
		{ kind: 'answer', data: { results: [] }, creditsConsumed: 16 },
	]);
	const parameters = { operation: 'classify', options: { filesPerRequest: 3 } };
	const { items, credits } = await service.run(parameters, await invoiceItems(3), goOn);
	expect(items.map(({ json }) => json.error !== undefined)).toEqual([true, true, true]);
	expect(credits).toEqual(['Cogneris reported 16 credits for this run.']);
});

const answer = (creditsConsumed: number | null) => ({
	kind: 'answer' as const,
	data: { metadata: { lines: [{ a: 1 }, { a: 2 }, { a: 3 }] } },
	creditsConsumed,
});

test.each([
	[[2, 3], ['Cogneris reported 5 credits for this run.']],
	[
		[null, 3],
		[expect.stringContaining('For 1 document it reported none, so this is only a part.')],
	],
])('documents that cost %j, in rows: %j', async (costs, expected) => {
	await service.standIn.queueFaults(costs.map(answer));
	const parameters = { operation: 'extract', output: 'rows', options: { concurrency: 1 } };
	const { items, credits } = await service.run(parameters, await invoiceItems(costs.length));
	expect(credits).toEqual(expected);
	// A row is not what was paid for.
	expect(items.filter(({ json }) => 'creditsConsumed' in json)).toEqual([]);
});

test.each<[string, Array<Parameters<typeof service.standIn.queueFaults>[0][number]>, string]>([
	[
		'lost',
		[{ kind: 'reset', afterWork: true, match: '1.pdf' }],
		' 1 failed document may be billed as well.',
	],
	['rejected', [{ kind: 'envelopeError', status: 422, match: '1.pdf' }], ''],
	// Its credits are in the sum.
	['rejected and billed', [{ kind: 'charged422', match: '1.pdf' }], ''],
])('beside a document whose response is %s', async (_, faults, expected) => {
	await service.standIn.queueFaults(faults);
	const items = await distinctInvoices(2);
	const { credits } = await service.run({ operation: 'extract' }, items, goOn);
	const billed = faults[0]?.kind === 'charged422' ? '3 credits' : '1 credit';
	expect(credits).toEqual([`Cogneris reported ${billed} for this run.${expected}`]);
});

test('a job of another execution adds nothing that may be billed', async () => {
	const asJob = {
		operation: 'extract',
		options: { processing: 'job', timeout: 100, concurrency: 1 },
	};
	const files = await distinctInvoices(2);
	await service.standIn.configure({ jobRules: [{ match: '0.pdf', runMs: 600_000 }] });
	await service.run(asJob, files.slice(0, 1), { ...goOn, executionId: 'one' });
	const { items, credits } = await service.run(asJob, files, { ...goOn, executionId: 'two' });
	expect(items.map(({ json }) => json.error !== undefined)).toEqual([true, false]);
	expect(credits).toEqual(['Cogneris reported 1 credit for this run.']);
});
