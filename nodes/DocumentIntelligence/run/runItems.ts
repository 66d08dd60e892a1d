import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { operationNamed } from '../operations/index';
import { USUAL_RESOURCE } from '../parameters/menu';
import { processLimiters, type Limiters } from '../service/limiter';
import { asDocumentError, asNodeError, DocumentError } from '../text/errors';
import { Hints } from '../text/hints';
import { pluralize } from '../text/words';
import { failedItem, finish, itemsOf, type Finished } from './items';
import { Once, turnsOfProcess, type Turns } from './once';
import { planItems } from './planItems';
import { mayBeBilled, Run, type RunDocument } from './run';
import { sendDocuments } from './sendDocuments';

/**
 * Runs all items of an execution. Whatever can be checked without a request is checked for all documents before the
 * first request, so that a run that stops because of one of them has cost nothing.
 *
 * @param limiters shared by the executions of a process; tests bring their own, with a clock that does not wait
 * @param turns likewise
 */
export async function runItems(
	context: IExecuteFunctions,
	limiters: Limiters = processLimiters,
	turns: Turns = turnsOfProcess,
): Promise<INodeExecutionData[][]> {
	const run = await openRun(context, limiters).catch(asDocumentError);
	if (!(run instanceof DocumentError)) return [await runDocuments(run, turns)];
	if (!context.continueOnFail()) throw asNodeError(context.getNode(), run, 0);
	// If this were thrown under On Error: Continue, n8n would pass the input on as if it were the result.
	const items = context.getInputData().map((_, item) => failedItem(context, run, item));
	const hints = new Hints();
	items.forEach(() => hints.add('failed', run.message));
	context.addExecutionHints(...hints.all());
	return [items];
}

async function openRun(context: IExecuteFunctions, limiters: Limiters): Promise<Run> {
	const resource = context.getNodeParameter('resource', 0, USUAL_RESOURCE);
	const operation = operationNamed(resource, context.getNodeParameter('operation', 0));
	return await Run.open(context, operation, limiters);
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

/** The items of a document. */
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
	const lost = documents.filter((other) => other !== failed && mayBeBilled(other)).length;
	const advice = `The results of ${pluralize(lost, 'other document')} are lost and may be billed: to keep them next time, set 'On Error' to Continue (using error output).`;
	const { message, description, details } = asDocumentError(cause);
	const told = operation.isFree === true || lost === 0 ? '' : ` ${advice}`;
	return asNodeError(
		context.getNode(),
		new DocumentError(message, `${description}${told}`.trim(), details),
		failed.item.itemIndex,
	);
}
