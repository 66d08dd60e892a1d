import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { processLimiters, type Limiters } from '../service/limiter';
import { asDocumentError, asNodeError, DocumentError, ofNothingSent } from '../text/errors';
import { hintsOf, type Note } from '../text/notes';
import { processLocks, type Locks } from '../waiting/waiting';
import { fatalError, finish } from './finish';
import { failedItem } from './items';
import { plan } from './plan';
import { Attempt } from './ledger/attempt';
import { Ledger } from './ledger/ledger';
import { processMemory, type LedgerMemory } from './ledger/memory';
import { Run } from './run';
import { send } from './send';

/**
 * Whatever can be checked without a request is checked for all documents before the first request, so that a run that
 * stops because of one of them has cost nothing. Tests bring limiters, locks and a memory of their own.
 */
export async function runItems(
	context: IExecuteFunctions,
	limiters: Limiters = processLimiters,
	locks: Locks = processLocks,
	memory: LedgerMemory = processMemory,
): Promise<INodeExecutionData[][]> {
	const attempt = new Attempt(context, memory);
	const run = await Run.open(context, limiters, attempt, memory).catch((thrown: unknown) =>
		ofNothingSent(asDocumentError(thrown)),
	);
	if (!(run instanceof DocumentError)) return [await runDocuments(run, locks)];
	if (!context.continueOnFail()) throw asNodeError(context.getNode(), run, 0);
	// If this were thrown under On Error: Continue, n8n would pass the input on as if it were the result.
	const items = context.getInputData().map((_, item) => failedItem(context, run, item));
	const notes = items.map((): Note => ({ kind: 'failed', entry: run.message }));
	context.addExecutionHints(...hintsOf(notes));
	return [items];
}

/** Each step takes all documents and returns all of them. What does not concern it passes through unchanged. */
async function runDocuments(run: Run, locks: Locks): Promise<INodeExecutionData[]> {
	const startedAt = Date.now();
	const ledger = new Ledger(run, locks);
	try {
		const planned = await plan(run);
		const recalled = await ledger.recall(planned);
		const isAnySent = !run.end.sending.aborted;
		const ended = await send(run, recalled);
		const finished = run.end.fatal ?? finish(run, ended);
		if ('failure' in finished) {
			const { kept } = await ledger.record(ended, null);
			throw fatalError(run, finished, ended, kept, isAnySent);
		}
		const { items, notes, costs } = finished;
		const recorded = await ledger.record(ended, items);
		const { traffic } = run.session;
		const { credits } = recorded;
		const totals = { ...traffic, credits, ...costs };
		run.context.addExecutionHints(...hintsOf([...notes, ...recorded.notes], totals));
		run.context.logger.debug('Document Intelligence finished', {
			operation: run.operation.value,
			documents: ended.length,
			processed: ended.filter(({ state }) => state === 'answered').length,
			failed: items.filter(({ json }) => json.error !== undefined).length,
			...traffic,
			durationMs: Date.now() - startedAt,
		});
		return items;
	} finally {
		ledger.release();
	}
}
