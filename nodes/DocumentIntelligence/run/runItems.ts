import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mayBeBilled, type Ended, type Past } from '../document/document';
import { processLimiters, type Limiters } from '../service/limiter';
import { RequestError } from '../service/requestError';
import { asDocumentError, asNodeError, DocumentError } from '../text/errors';
import { describeNextStep, describeOthers } from '../text/failures';
import { hintsOf, type Note } from '../text/notes';
import { processTurns, type Turns } from '../waiting/waiting';
import { sumOf } from '../text/words';
import { finish } from './finish';
import { failedItem } from './items';
import { plan } from './plan';
import { Attempt } from './ledger/attempt';
import { Ledger } from './ledger/ledger';
import { processMemory, type LedgerMemory } from './ledger/memory';
import { Run } from './run';
import type { FatalFailure } from './runEnd';
import { send } from './send';

/**
 * Whatever can be checked without a request is checked for all documents before the first request, so that a run that
 * stops because of one of them has cost nothing. Tests bring `limiters`, `turns` and a memory of their own.
 */
export async function runItems(
	context: IExecuteFunctions,
	limiters: Limiters = processLimiters,
	turns: Turns = processTurns,
	memory: LedgerMemory = processMemory,
): Promise<INodeExecutionData[][]> {
	const attempt = new Attempt(context, memory);
	const run = await Run.open(context, limiters, attempt, memory).catch(asDocumentError);
	if (!(run instanceof DocumentError)) return [await runDocuments(run, turns)];
	if (!context.continueOnFail()) throw asNodeError(context.getNode(), run, 0);
	// If this were thrown under On Error: Continue, n8n would pass the input on as if it were the result.
	const items = context.getInputData().map((_, item) => failedItem(context, run, item));
	const notes = items.map((): Note => ({ kind: 'failed', entry: run.message }));
	context.addExecutionHints(...hintsOf(notes));
	return [items];
}

/** Each step takes all documents and returns all of them. What does not concern it passes through unchanged. */
async function runDocuments(run: Run, turns: Turns): Promise<INodeExecutionData[]> {
	const startedAt = Date.now();
	const ledger = new Ledger(run, turns);
	try {
		const planned = await plan(run);
		const recalled = await ledger.recall(planned);
		const ended = await send(run, recalled);
		const { canceled, fatal } = run.end;
		if (fatal !== undefined) {
			const { kept } = await ledger.record(ended, false);
			throw fatalError(run, fatal, ended, kept);
		}
		const { items, notes, ...costs } = finish(run, ended);
		const isRepeated = run.attempt.mayBeRepeated && items[0]?.json.error !== undefined;
		const recorded = await ledger.record(ended, !isRepeated && !canceled.aborted);
		const { traffic } = run.session;
		const allNotes = [...notes, ...recorded.notes];
		run.context.addExecutionHints(...hintsOf(allNotes, { ...traffic, ...costs }));
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

/** What the run throws, with what became of the results of the other documents. */
function fatalError(
	{ context, end, hasLedger }: Run,
	{ document: { place, item, subject }, failure }: FatalFailure,
	ended: Ended[],
	kept: ReadonlyMap<number, Past>,
) {
	const remaining = ended.filter((document) => document.place !== place);
	const pasts = remaining.flatMap((document) => kept.get(document.place) ?? []);
	const countOf = (...kinds: Array<Past['kind']>) =>
		pasts.filter(({ kind }) => kinds.includes(kind)).length;
	const others = {
		results: countOf('answer', 'outputs'),
		credits: sumOf(...pasts.map((past) => ('credits' in past ? past.credits : undefined))) ?? 0,
		jobs: countOf('job'),
		inFlight: countOf('pending'),
		lost: remaining.filter((each) => mayBeBilled(each) && !kept.has(each.place)).length,
	};
	// A file is not to blame for a response that did not arrive.
	const isTransient = failure instanceof RequestError && failure.retryKind !== 'never';
	const isOfFile =
		!end.canceled.aborted && !isTransient && !NOT_OF_A_FILE.has(failure.details.httpCode ?? 0);
	const nextStep = describeNextStep(isOfFile ? [subject || 'the item'] : []);
	const sentence = hasLedger ? describeOthers(others, nextStep) : '';
	return asNodeError(context.getNode(), failure, item.itemIndex, sentence);
}

/** Statuses that have nothing to do with the document. */
const NOT_OF_A_FILE = new Set([401, 403, 429]);
