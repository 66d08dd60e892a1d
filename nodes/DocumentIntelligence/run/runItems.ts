import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { processLimiters, type Limiters } from '../service/limiter';
import { joined } from '../service/requestError';
import { asDocumentError, asNodeError, DocumentError } from '../text/errors';
import { Hints } from '../text/hints';
import { pluralize } from '../text/words';
import { failedItem, finish, itemsOf, type Finished } from './items';
import { Once, turnsOfProcess, type Turns } from './once';
import { planItems } from './planItems';
import { mayBeBilled, Run, type RunDocument } from './run';
import { sendDocuments } from './sendDocuments';

/**
 * Whatever can be checked without a request is checked for all documents before the first request, so that a run that
 * stops because of one of them has cost nothing. Tests bring `limiters` and `turns` of their own.
 */
export async function runItems(
	context: IExecuteFunctions,
	limiters: Limiters = processLimiters,
	turns: Turns = turnsOfProcess,
): Promise<INodeExecutionData[][]> {
	const run = await Run.open(context, limiters).catch(asDocumentError);
	if (!(run instanceof DocumentError)) return [await runDocuments(run, turns)];
	if (!context.continueOnFail()) throw asNodeError(context.getNode(), run, 0);
	// If this were thrown under On Error: Continue, n8n would pass the input on as if it were the result.
	const items = context.getInputData().map((_, item) => failedItem(context, run, item));
	const hints = new Hints();
	items.forEach(() => hints.add('failed', run.message));
	context.addExecutionHints(...hints.all());
	return [items];
}

async function runDocuments(run: Run, turns: Turns): Promise<INodeExecutionData[]> {
	const { context, operation, session, hints } = run;
	const startedAt = Date.now();
	const documents = await planItems(run);
	const once = new Once(run, turns);
	try {
		await once.skip(documents);
		await sendDocuments(
			run,
			documents.filter(({ outputs }) => outputs === undefined),
		);
		if (run.fatal !== undefined) throw fatalError(run, run.fatal, documents);
		operation.nameFiles?.(documents.flatMap(({ outputs = [] }) => outputs));
		const items = itemsOf(
			documents.flatMap((document) => finished(run, once, document)),
			hints,
		);
		if (!session.cancelled.aborted) await once.remember();
		context.addExecutionHints(...hints.all(session.traffic));
		context.logger.debug('Document Intelligence finished', {
			operation: operation.value,
			documents: documents.length,
			processed: documents.filter(({ isAnswered }) => isAnswered).length,
			failed: items.filter(({ json }) => json.error !== undefined).length,
			...session.traffic,
			durationMs: Date.now() - startedAt,
		});
		return items;
	} finally {
		once.end();
	}
}

function finished(run: Run, once: Once, document: RunDocument): Finished[] {
	const { item, fileName, outputs = [] } = document;
	return outputs.map((output, position) => {
		if (!(output instanceof DocumentError))
			return finish(output, document, run.operation, position);
		const failure = once.explain(document, output);
		run.hints.add('failed', failure.message);
		return { item: failedItem(run.context, failure, item.itemIndex, fileName ?? undefined) };
	});
}

/** What the run throws, with what it may have cost for nothing. */
function fatalError({ context, operation }: Run, failed: RunDocument, documents: RunDocument[]) {
	const cause = failed.outputs?.find((output) => output instanceof DocumentError);
	const others = documents.filter((other) => other !== failed && mayBeBilled(other));
	// Submit is the only operation of its own that is billed.
	const asJobs = others.filter(
		({ job }) => job !== undefined || operation.ask !== undefined,
	).length;
	const lost = others.length - asJobs;
	const advice = [
		lost > 0 &&
			`The results of ${pluralize(lost, 'other document')} are lost, but may have been billed.`,
		asJobs > 0 &&
			`Cogneris keeps the results of ${pluralize(asJobs, 'other document')} for 7 days: find their jobs with Job: Get Many, and fetch the results with Job: Get Result.`,
		"To keep the results of the other documents next time, set 'On Error' to Continue (using error output).",
	];
	const { message, description, details } = asDocumentError(cause);
	const told = operation.isFree === true || others.length === 0 ? '' : joined(...advice);
	return asNodeError(
		context.getNode(),
		new DocumentError(message, joined(description, told), details),
		failed.item.itemIndex,
	);
}
