import fc from 'fast-check';
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	entriesOf,
	History,
	ProcessedFiles,
	wasProcessed,
} from '../../../../nodes/DocumentIntelligence/run/processedFiles';
import { StoredHistory } from '../../../n8n-core/history';

/** What n8n does with the entries: it appends those that are missing, and tells which. */
function record(history: string[], key: string): { history: string[]; processed: boolean } {
	const added = entriesOf(key).all.filter((entry) => !history.includes(entry));
	return { history: [...history, ...added], processed: wasProcessed(key, new Set(added)) };
}

function succeed(history: string[], key: string): string[] {
	return history.filter((entry) => !entriesOf(key).untilProcessed.includes(entry));
}

describe('The entries of a document', () => {
	test('say that it was processed only between its success and the cut of its oldest entry', () => {
		const first = record([], 'a');
		expect(first.processed).toBe(false);
		expect(record(first.history, 'a').processed).toBe(false);
		const done = succeed(first.history, 'a');
		expect(done).toHaveLength(2);
		expect(record(done, 'a').processed).toBe(true);
		expect(record(done.slice(1), 'a').processed).toBe(false);
		expect(record(done.slice(2), 'a').processed).toBe(false);
		expect(record(done, 'b').processed).toBe(false);
	});

	test('that only crashed never look processed, wherever n8n cuts its history between the tries', () => {
		const seen = new Set<string>();
		const cutAnywhere = (history: string[], times: number) => {
			for (let cut = 0; cut <= 4; cut++) {
				const again = record(history.slice(cut), 'a');
				seen.add(again.history.join());
				expect(again.processed).toBe(false);
				if (times > 1) cutAnywhere(again.history, times - 1);
			}
		};
		// Twice in the middle of one document, which is more than ever happens to one.
		cutAnywhere(record([], 'a').history, 2);
		expect(seen.size).toBeGreaterThan(5);
	});
});

describe('Runs of a process that have the same documents', () => {
	test('all end, and each document is processed at most once, whichever of them fail', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(
					fc.record({
						keys: fc.uniqueArray(fc.nat(4), { minLength: 1 }),
						succeeds: fc.boolean(),
						pauses: fc.nat(3),
					}),
					{ minLength: 1, maxLength: 8 },
				),
				async (runs) => {
					const processed = new ProcessedFiles();
					const times = new Map<number, number>();
					await Promise.all(
						runs.map(async ({ keys, succeeds, pauses }) => {
							for (let pause = 0; pause < pauses; pause++) await Promise.resolve();
							const claims = keys.map((key) => ({
								key,
								claim: processed.claim('workflow', String(key)),
							}));
							for (const { key, claim } of claims) {
								if (!((await claim.earlier) ?? false) && succeeds)
									times.set(key, (times.get(key) ?? 0) + 1);
							}
							for (const { claim } of claims) claim.end(succeeds);
						}),
					);
					const wanted = new Set(runs.flatMap(({ keys, succeeds }) => (succeeds ? keys : [])));
					// A run that begins after the others have ended asks n8n's history, which is not part of this.
					for (const key of wanted) expect(times.get(key)).toBeGreaterThanOrEqual(1);
					const together = runs.every(({ pauses }) => pauses === 0);
					if (together) for (const key of wanted) expect(times.get(key)).toBe(1);
				},
			),
		);
	});

	test('call the history one after the other, also after a call that fails', async () => {
		const processed = new ProcessedFiles();
		let inFlight = 0;
		const calls = Array.from({ length: 5 }, (_, number) =>
			processed.oneAtATime('workflow', async () => {
				expect((inFlight += 1)).toBe(1);
				await new Promise(setImmediate);
				inFlight -= 1;
				if (number === 1) throw new Error('locked');
				return number;
			}),
		);
		const outcomes = await Promise.allSettled(calls);
		expect(outcomes.map(({ status }) => status)).toEqual([
			'fulfilled',
			'rejected',
			'fulfilled',
			'fulfilled',
			'fulfilled',
		]);
	});
});

describe('A run with many files', () => {
	/** A run's view of the history, and how many entries each of its calls has. */
	function historyOf(stored: StoredHistory, processed: ProcessedFiles) {
		const workflow = { id: 'workflow', active: true };
		const sizes: number[] = [];
		const helpers: Pick<
			IExecuteFunctions['helpers'],
			'checkProcessedAndRecord' | 'removeProcessed'
		> = {
			checkProcessedAndRecord: async (entries, scope, options) => {
				sizes.push(entries.length);
				return await stored.checkProcessedAndRecord(entries, scope, { workflow }, options);
			},
			removeProcessed: async (entries, scope) => {
				sizes.push(entries.length);
				await stored.removeProcessed(entries, scope, { workflow });
			},
		};
		const context = { getWorkflow: () => workflow, helpers } as unknown as IExecuteFunctions;
		return { history: History.of(context, processed), sizes };
	}

	const running = new AbortController().signal;

	test('is remembered whole, also where a small run looks up a file while it is in flight', async () => {
		const processed = new ProcessedFiles();
		const { history } = historyOf(new StoredHistory(), processed);
		const keys = Array.from({ length: 12_600 }, (_, number) => `key-${number}`);
		const claims = keys.map((key) => processed.claim('workflow', key));
		expect((await history.processedAmong(keys, running)).size).toBe(0);
		await history.processedAmong(['small'], running);
		await history.markProcessed(keys, running);
		for (const claim of claims) claim.end(true);
		expect((await history.processedAmong(keys, running)).size).toBe(12_600);
	}, 60_000);

	test('calls the history with few entries at a time, and lets other runs go on in between', async () => {
		const keys = Array.from({ length: 1_200 }, (_, number) => `key-${number}`);
		const { history, sizes } = historyOf(new StoredHistory(), new ProcessedFiles());
		await history.processedAmong(keys, running);
		await history.markProcessed(keys, running);
		expect(Math.max(...sizes)).toBeLessThanOrEqual(2_000);
		const order: string[] = [];
		await Promise.all([
			history.processedAmong(keys, running).then(() => order.push('large')),
			history.processedAmong(['one'], running).then(() => order.push('small')),
		]);
		expect(order).toEqual(['small', 'large']);
	});
});
