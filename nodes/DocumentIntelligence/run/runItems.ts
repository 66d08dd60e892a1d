import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	mayBeBilled,
	type Answered,
	type Ended,
	type Failed,
	type Past,
} from '../document/document';
import { processLimiters, type Limiters } from '../service/limiter';
import { RequestError } from '../service/requestError';
import { asDocumentError, asNodeError, DocumentError, joinLines } from '../text/errors';
import { hintsOf, type Note } from '../text/notes';
import { describeCredits, joinSentences, pluralize, subjectOf } from '../text/words';
import { processTurns, type Turns } from '../waiting/waiting';
import { finish } from './finish';
import { failedItem } from '../operations/items';
import { plan } from './plan';
import { Attempt } from './ledger/attempt';
import { Ledger, notesOnEarlier } from './ledger/ledger';
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
		const { items, notes, credits } = finish(run, ended);
		const isRepeated = run.attempt.mayBeRepeated && items[0]?.json.error !== undefined;
		const recorded = await ledger.record(ended, !isRepeated && !canceled.aborted);
		const { traffic } = run.session;
		const allNotes = [...notes, ...recorded.notes, ...notesOnEarlier(run, ended)];
		run.context.addExecutionHints(...hintsOf(allNotes, { ...traffic, credits }));
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
	run: Run,
	fatal: FatalFailure,
	ended: Ended[],
	kept: ReadonlyMap<number, Past>,
) {
	const { message, description, details } = fatal.failure;
	const remaining = ended.filter(({ place }) => place !== fatal.document.place);
	const isKept = ({ place }: Ended) => (kept.get(place)?.kind ?? 'lost') !== 'lost';
	const keptResults = remaining.filter(isKept).flatMap(({ place }) => kept.get(place) ?? []);
	const lost = remaining.filter(mayBeBilled).filter((document) => !isKept(document));
	const advice = joinSentences(
		keptResults.length > 0 && describeKept(keptResults, nextStep(run, fatal, ended)),
		run.hasLedger && run.operation.value !== 'upload' && lost.length > 0 && describeLost(lost),
	);
	return asNodeError(
		run.context.getNode(),
		new DocumentError(message, joinLines(description, advice), details),
		fatal.document.item.itemIndex,
	);
}

function describeKept(kept: Past[], advice: string): string {
	const answers = kept.filter((result) => result.kind !== 'job');
	const jobs = kept.length - answers.length;
	const cost = costOf(answers.filter((result) => result.kind === 'answer'));
	const subjects = [
		answers.length > 0 &&
			`results of ${pluralize(answers.length, 'other document')}${cost && ` (${cost})`}`,
		jobs > 0 && `jobs of ${pluralize(jobs, 'other document')}`,
	].filter((subject) => subject !== false);
	return `The ${subjects.join(' and the ')} are kept in the memory of this n8n process, for a day at most: ${advice} With several n8n workers, only the same worker has them.`;
}

/** Empty if Cogneris reported none. */
function costOf(documents: Array<{ credits?: number }>): string {
	const credits = documents.reduce((sum, document) => sum + (document.credits ?? 0), 0);
	return credits > 0 ? describeCredits(credits) : '';
}

/** Statuses that have nothing to do with the document. */
const NOT_OF_A_FILE = new Set([401, 403, 429]);

function nextStep({ end }: Run, { document, failure }: FatalFailure, ended: Ended[]): string {
	// Nor is a file to blame for a response that did not arrive.
	const isTransient = failure instanceof RequestError && failure.retryKind !== 'never';
	const isOfFile =
		!end.canceled.aborted && !isTransient && !NOT_OF_A_FILE.has(failure.details.httpCode ?? 0);
	// Documents that shared a request failed together, and any of them may be the cause.
	const failed = ended.filter((each) => each.state === 'failed' && each.failure === failure);
	const subject = subjectOf(failed.map((each) => each.subject)) || document.subject || 'the item';
	return isOfFile ? `correct or remove ${subject} and execute again.` : 'execute again.';
}

function describeLost(documents: Array<Failed | Answered>): string {
	// Other calls are free, so whatever is not sent directly is a job.
	const direct = documents.filter(({ route }) => route?.via === 'direct');
	const asJobs = documents.length - direct.length;
	const isAnswered = direct.every(({ state }) => state === 'answered');
	const cost = isAnswered && costOf(direct);
	return joinSentences(
		direct.length > 0 &&
			`The results of ${pluralize(direct.length, 'other document')} are lost, but ${cost ? `used ${cost}` : 'may have been billed'}.`,
		asJobs > 0 &&
			`Cogneris keeps the results of ${pluralize(asJobs, 'other document')} for 7 days: find their jobs with Job: Get Many, and fetch the results with Job: Get Result.`,
		"To keep the results of the other documents next time, set 'On Error' to Continue (using error output).",
	);
}
