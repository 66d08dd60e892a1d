import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	asDocumentError,
	asNodeError,
	DocumentError,
	failedItemJson,
	NotSent,
	type Lost,
} from '../errors';
import { MAX_JOBS, readJobPlan } from './asJob';
import { mapConcurrently } from './mapConcurrently';
import type { Operation } from './operation';
import { USUAL_RESOURCE } from '../parameters/menu';
import { CONCURRENCY, FILES_PER_REQUEST, readNumber } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { Hints } from './hints';
import { finish, itemsOf, type Finished } from './items';
import { planItems, type PlannedDocument } from './planItems';
import { processProcessedFiles, type ProcessedFiles } from './processedFiles';
import { failedDocument, runBatch, type EndedDocument } from './runBatch';
import { operationNamed } from './resources';
import { RunningJobs } from './runningJobs';
import type { Run } from './runRequest';
import { SendOnce } from './sendOnce';
import { Slots } from './slots';
import { cancelledBy } from '../service/client';
import { processLimiters, type Limiters } from '../service/limiter';
import { RequestError } from '../service/requestError';
import { openSession, type Session } from '../service/session';
import { Traffic } from '../service/traffic';

/**
 * Runs all items of an execution. Whatever can be checked without a request is checked for all documents before the
 * first request, so that a run that stops because of one of them has cost nothing.
 *
 * @param limiters shared by the executions of a process; tests bring their own, with a clock that does not wait
 * @param processed likewise
 */
export async function runItems(
	context: IExecuteFunctions,
	limiters: Limiters = processLimiters,
	processed: ProcessedFiles = processProcessedFiles,
): Promise<INodeExecutionData[][]> {
	let operation: Operation;
	try {
		operation = operationNamed(
			context.getNodeParameter('resource', 0, USUAL_RESOURCE),
			context.getNodeParameter('operation', 0),
		);
	} catch (refusal) {
		// If this were thrown under On Error: Continue, n8n would pass the input on as if it were the result.
		if (!context.continueOnFail()) throw asNodeError(context.getNode(), refusal, 0);
		const hints = new Hints();
		const items = context
			.getInputData()
			.map((_, item) => failedItem(hints, asDocumentError(refusal), item));
		context.addExecutionHints(...hints.all(new Traffic()));
		return [items];
	}
	return [await runDocuments(context, operation, limiters, processed)];
}

async function runDocuments(
	context: IExecuteFunctions,
	operation: Operation,
	limiters: Limiters,
	processed: ProcessedFiles,
): Promise<INodeExecutionData[]> {
	const startedAt = Date.now();
	const hints = new Hints();
	const traffic = new Traffic();
	const cancelled = context.getExecutionCancelSignal() ?? new AbortController().signal;
	const failed = new AbortController();
	const refused = new AbortController();
	// Downloads and waits for results that are lost end at once; a request in flight may be billed, so its answer is awaited.
	const discarded = AbortSignal.any([cancelled, failed.signal]);
	const closed = AbortSignal.any([discarded, refused.signal]);

	let session: Promise<Session> | undefined;
	const run: Run = {
		operation,
		hints,
		context: cancelledBy(context, discarded),
		openSession: async () =>
			await (session ??= openSession(cancelledBy(context, discarded), limiters, {
				signal: closed,
				cancelled,
				traffic,
			})),
		jobs: new RunningJobs(),
		load: async (work) => await loads.use(work),
		stopsOnFailure: !context.continueOnFail(),
		refuseRest: (reason) => refused.abort(reason),
	};

	/** In order of time: a run that stops on failure ends with the first. */
	const failures: EndedDocument[] = [];
	const noteFailures = (documents: EndedDocument[]): EndedDocument[] => {
		failures.push(...documents.filter((document) => causesOf(document).length > 0));
		if (failures.length > 0 && !context.continueOnFail()) failed.abort(new NotSent());
		return documents;
	};

	const planned = await planItems(cancelledBy(context, closed), operation, hints);
	const unfit = noteFailures(
		planned.flatMap((document) =>
			document.refusal === undefined ? [] : [failedDocument(document, document.refusal)],
		),
	);
	const fit = planned.filter(({ refusal }) => refusal === undefined);
	// planItems has read all parameters of these items, so none of them throws here.
	const read: ReadParameter = fit[0]?.item.read ?? ((_, fallback) => fallback);
	const concurrency = readNumber(read, CONCURRENCY);
	const loads = new Slots(concurrency);
	const sendBatches = async (batches: PlannedDocument[][], atATime: number) =>
		await mapConcurrently(batches, atATime, async (batch) =>
			noteFailures(
				closed.aborted
					? batch.map((document) => failedDocument(document, closed.reason, document.fileName))
					: await runBatch(run, batch),
			),
		);
	const send = async (documents: PlannedDocument[]) => {
		const isJob = ({ item }: PlannedDocument) =>
			operation.waits === true || readJobPlan(operation, item.read) !== undefined;
		const direct = documents.filter((document) => !isJob(document));
		const sent = await Promise.all([
			// A job that runs holds no connection: only its upload counts for Concurrent Requests.
			sendBatches(inBatches(documents.filter(isJob), 1), MAX_JOBS),
			sendBatches(inBatches(direct, filesPerRequest(operation, read)), concurrency),
		]);
		return sent.flat(2);
	};
	const once = new SendOnce(run, processed, { send, note: noteFailures, concurrency, closed });
	try {
		const sent = await once.send(fit);
		const documents = [...unfit, ...sent].sort((one, other) => one.place - other.place);

		const [fatal] = failures;
		if (fatal !== undefined && (cancelled.aborted || !context.continueOnFail())) {
			const lost = lostIn(
				operation,
				documents.filter(({ place }) => place !== fatal.place),
			);
			throw asNodeError(context.getNode(), causesOf(fatal)[0], fatal.item.itemIndex, lost);
		}

		operation.nameFiles?.(documents.flatMap(({ outputs }) => outputs));
		const finished = documents.flatMap((document) => finishedOf(document, operation, hints));
		const items = itemsOf(finished, hints);
		if (!cancelled.aborted) await once.remember(cancelled);
		hints.isAllProcessed = hints.processedFiles.length === documents.length;
		context.addExecutionHints(...hints.all(traffic));
		context.logger.debug('Document Intelligence finished', {
			operation: operation.value,
			documents: planned.length,
			processed: documents.filter(({ answered }) => answered !== undefined).length,
			failed: hints.failures.length,
			...traffic.counts(),
			durationMs: Date.now() - startedAt,
		});
		return items;
	} finally {
		once.end();
	}
}

/** How many documents share a request. */
function filesPerRequest({ options }: Operation, read: ReadParameter): number {
	return options.includes(FILES_PER_REQUEST) ? readNumber(read, FILES_PER_REQUEST) : 1;
}

/** The items of a document. */
function finishedOf(
	{ item, subject, fileName, answered, outputs }: EndedDocument,
	operation: Operation,
	hints: Hints,
): Finished[] {
	return outputs.map((output, position) => {
		if (!(output instanceof DocumentError) && answered !== undefined)
			return finish(output, answered, operation, position);
		const failure = asDocumentError(output);
		const told = failure instanceof NotSent ? (failure.failureOf?.(subject) ?? failure) : failure;
		const name = answered === undefined ? fileName : (answered.fileName ?? undefined);
		return { item: failedItem(hints, told, item.itemIndex, name) };
	});
}

function failedItem(
	hints: Hints,
	failure: DocumentError,
	item: number,
	fileName?: string,
): INodeExecutionData {
	const json = failedItemJson(failure, fileName);
	hints.failures.push(json.error.message);
	return { json, pairedItem: { item } };
}

/** Why a document has no result, except that the run ended before it was sent. */
function causesOf({ outputs }: EndedDocument): DocumentError[] {
	return outputs.filter(
		(output) => output instanceof DocumentError && !(output instanceof NotSent),
	) as DocumentError[];
}

/** Which other documents a run that stops may have to pay for. */
function lostIn({ isFree }: Operation, documents: EndedDocument[]): Lost {
	if (isFree === true) return { processed: 0, maybeProcessed: 0, jobs: [] };
	const answered = documents.filter((document) => document.answered !== undefined);
	const maybeProcessed = documents.filter(
		({ answered: isAnswered, outputs: [failure] }) =>
			isAnswered === undefined && failure instanceof RequestError && failure.mayBeBilled,
	);
	const jobs = documents.flatMap(({ outputs }) =>
		outputs.flatMap((output) => {
			if (output instanceof DocumentError) return output.details.jobId ?? [];
			return 'json' in output ? (output.jobId ?? []) : [];
		}),
	);
	return { processed: answered.length, maybeProcessed: maybeProcessed.length, jobs };
}

function inBatches<Entry>(entries: Entry[], size: number): Entry[][] {
	return Array.from({ length: Math.ceil(entries.length / size) }, (_, number) =>
		entries.slice(number * size, (number + 1) * size),
	);
}
