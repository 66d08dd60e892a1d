import { invoiceItems } from '../../samples';
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
