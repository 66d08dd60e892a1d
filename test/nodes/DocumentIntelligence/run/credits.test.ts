import { invoiceItems } from '../../samples';
import { goOn, useService } from '../../service';

const service = useService();

test('what a request without a result cost counts once, however many files it had', async () => {
	await service.standIn.queueFaults([
		{ kind: 'envelopeError', status: 400, creditsConsumed: 16, match: '1.pdf', times: 99 },
	]);
	const { items, credits } = await service.run(
		{ operation: 'classify', options: { filesPerRequest: 3 } },
		await invoiceItems(3),
		goOn,
	);
	expect(items.map(({ json }) => json.error !== undefined)).toEqual([true, true, true]);
	expect(credits).toEqual(['Cogneris reported 16 credits for this run.']);
});

describe('Where Cogneris reports credits for some results only', () => {
	const unpriced = { kind: 'answer', data: { metadata: { a: 1 } }, creditsConsumed: null } as const;

	test('the sum says that it is a part', async () => {
		await service.standIn.queueFaults([unpriced]);
		const { credits } = await service.run({ operation: 'extract' }, await invoiceItems(3));
		expect(credits).toEqual([
			'Cogneris reported 2 credits for this run. For 1 document it reported none, so this is only a part.',
		]);
	});

	test('there is no sum without any', async () => {
		await service.standIn.queueFaults([unpriced]);
		const { credits } = await service.run({ operation: 'extract' }, await invoiceItems(1));
		expect(credits).toEqual([]);
	});

	test('those of a request count for all of its files', async () => {
		const options = { filesPerRequest: 3 };
		const run = { operation: 'classify', options };
		const { credits } = await service.run(run, await invoiceItems(3));
		expect(credits).toEqual([
			expect.stringMatching(/^Cogneris reported \d+ credits? for this run\.$/),
		]);
	});
});

describe('The credits of a run', () => {
	const all = (credits: number) => [
		`Cogneris reported ${credits} credit${credits === 1 ? '' : 's'} for this run.`,
	];

	/** Requests that the service answers like this, one document each. */
	async function charged(faults: Parameters<typeof service.standIn.queueFaults>[0], more = {}) {
		await service.standIn.queueFaults(faults);
		return await service.run(
			{ operation: 'extract', options: { concurrency: 1 }, ...more },
			await invoiceItems(faults.length),
			goOn,
		);
	}

	const answer = (creditsConsumed: number | null) => ({
		kind: 'answer' as const,
		data: { metadata: { lines: [{ a: 1 }, { a: 2 }, { a: 3 }] } },
		creditsConsumed,
	});

	test.each(['fields', 'rows', 'documentRows', 'raw'])('are added up (%s)', async (output) => {
		const { credits, items: results } = await charged([answer(2), answer(3)], { output });
		expect(credits).toEqual(all(5));
		expect(results.some(({ json }) => 'creditsConsumed' in json)).toBe(
			['fields', 'documentRows'].includes(output),
		);
	});
});
