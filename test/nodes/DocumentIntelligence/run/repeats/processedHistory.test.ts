import type { IExecuteFunctions } from 'n8n-workflow';

import {
	ProcessedHistory,
	type Outcome,
} from '../../../../../nodes/DocumentIntelligence/run/repeats/processedHistory';
import { Turns } from '../../../../../nodes/DocumentIntelligence/waiting/waiting';

const never = new AbortController().signal;

/** n8n's history in memory, with the calls that were made. */
function historyWith(known: string[] = []) {
	const entries = new Set(known);
	const calls: Array<{ entries: string[]; maxEntries?: number }> = [];
	const helpers = {
		checkProcessedAndRecord: async (
			asked: string[],
			_scope: string,
			{ maxEntries }: { maxEntries: number },
		) => {
			calls.push({ entries: asked, maxEntries });
			const added = asked.filter((entry) => !entries.has(entry));
			added.forEach((entry) => entries.add(entry));
			return await Promise.resolve({ new: added, processed: [] });
		},
		removeProcessed: async (removed: string[]) => {
			calls.push({ entries: removed });
			removed.forEach((entry) => entries.delete(entry));
			await Promise.resolve();
		},
	};
	const context = { helpers, getWorkflow: () => ({ id: 'w' }) } as unknown as IExecuteFunctions;
	return { history: new ProcessedHistory(context, new Turns()), entries, calls };
}

test('a key is processed if its run recorded it as such, and not if the run ended before', async () => {
	const { history, entries } = historyWith();
	expect(await history.lookUp(['billed', 'lost', 'rejected', 'crashed'], never)).toEqual(new Map());
	const outcomes = new Map<string, Outcome>([
		['billed', 'answered'],
		['lost', 'lost'],
		['rejected', 'none'],
	]);
	await history.record(outcomes, never);
	expect([...entries].sort()).toEqual([
		'billed',
		'crashed',
		'crashed:lost',
		'crashed:open',
		'lost',
		'lost:lost',
	]);
	const keys = ['billed', 'lost', 'rejected', 'crashed', 'new'];
	// Looking up changes nothing.
	for (let times = 0; times < 2; times++)
		expect(Object.fromEntries(await history.lookUp(keys, never))).toEqual({
			billed: 'answered',
			lost: 'lost',
		});
	expect(entries.has('billed:open')).toBe(false);
});

test('n8n keeps 50,000 entries beyond the three of each key, and gets 200 keys a call', async () => {
	const { history, calls } = historyWith();
	const keys = Array.from({ length: 401 }, (_, number) => `key-${number}`);
	await history.lookUp(keys, never);
	expect(calls.map(({ entries, maxEntries }) => [entries.length, maxEntries])).toEqual([
		[600, 51_203],
		[600, 51_203],
		[3, 51_203],
	]);
	calls.length = 0;
	await history.record(new Map(keys.map((key) => [key, 'none'])), never);
	expect(calls.map(({ entries }) => entries.length)).toEqual([600, 600, 3]);
});

test('no call follows the end of its signal', async () => {
	const { history, calls } = historyWith();
	const ended = AbortSignal.abort(new Error('ended'));
	await expect(history.lookUp(['a'], ended)).rejects.toThrow('ended');
	await expect(history.record(new Map([['a', 'answered']]), ended)).rejects.toThrow('ended');
	expect(calls).toEqual([]);
});
