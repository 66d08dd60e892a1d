import type { IExecuteFunctions } from 'n8n-workflow';

import { ProcessedHistory } from '../../../../../nodes/DocumentIntelligence/run/ledger/history';
import { Locks } from '../../../../../nodes/DocumentIntelligence/waiting/waiting';

const never = new AbortController().signal;

/** On a history of n8n that knows nothing, with the calls that were made. */
function historyWithCalls() {
	const calls: Array<{ entries: string[]; maxEntries?: number }> = [];
	const helpers = {
		checkProcessedAndRecord: async (
			asked: string[],
			_scope: string,
			{ maxEntries }: { maxEntries: number },
		) => {
			calls.push({ entries: asked, maxEntries });
			return await Promise.resolve({ new: asked, processed: [] });
		},
		removeProcessed: async (removed: string[]) => {
			calls.push({ entries: removed });
			await Promise.resolve();
		},
	};
	const context = {
		...{ helpers, getNode: () => ({ id: 'n' }), getWorkflow: () => ({ id: 'w' }) },
	} as unknown as IExecuteFunctions;
	return { history: new ProcessedHistory(context, new Locks()), calls };
}

test('n8n keeps 50,000 entries beyond the three of each key, and gets 200 keys a call', async () => {
	const { history, calls } = historyWithCalls();
	const keys = Array.from({ length: 400 }, (_, number) => `key-${number}`);
	await history.lookUp(keys, never);
	expect(calls.map(({ entries, maxEntries }) => [entries.length, maxEntries])).toEqual([
		[600, 51_203],
		[600, 51_203],
		[3, 51_203],
	]);
	calls.length = 0;
	await history.close(new Map(keys.map((key) => [key, 'none'])), never);
	expect(calls.map(({ entries }) => entries.length)).toEqual([600, 600]);
});

test('no call follows the end of its signal', async () => {
	const { history, calls } = historyWithCalls();
	const ended = AbortSignal.abort(new Error('ended'));
	await expect(history.lookUp(['a'], ended)).rejects.toThrow('ended');
	await expect(history.close(new Map([['a', 'withResult']]), ended)).rejects.toThrow('ended');
	expect(calls).toEqual([]);
});
