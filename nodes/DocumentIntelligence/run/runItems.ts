import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	asDocumentError,
	asNodeError,
	DocumentError,
	failedItemJson,
	NotSent,
	type Lost,
} from '../text/errors';
import { MAX_JOBS, readJobPlan } from '../operations/asJob';
import { mapConcurrently } from './mapConcurrently';
import type { Operation } from '../operations/operation';
import { USUAL_RESOURCE } from '../parameters/menu';
import { FILES_PER_REQUEST, readNumber } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { Hints } from '../text/hints';
import { finish, itemsOf, type Finished } from './items';
import { planItems, type PlannedDocument } from './planItems';
import { processProcessedFiles, type ProcessedFiles } from './processedFiles';
import { failedDocument, mayBeBilled, runBatch, type EndedDocument } from './runBatch';
import { operationNamed } from '../operations';
import { RunEnd, type Failure } from './runEnd';
import { RunningJobs } from '../service/jobs/runningJobs';
import type { Run } from './runRequest';
import { SendOnce } from './sendOnce';
import { cancelledBy } from '../service/client';
import { processLimiters, type Limiters } from '../service/limiter';
import { openSession, Slots, Traffic } from '../service/session';

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
	const end = new RunEnd(context);
	const own = cancelledBy(context, end.discarded);
	const { closed: signal, cancelled } = end;
	const session = openSession(own, limiters, { signal, cancelled, traffic });
	// Why it cannot be opened is what each document fails with.
	const account = (await session.catch(() => undefined))?.account;
	const { concurrentRequests: concurrency = 1, isSandbox = false } = account ?? {};
	const planning = cancelledBy(context, end.closed);
	const planned = await planItems(planning, operation, hints, isSandbox);
	const unfit = end.note(refusedOf(planned));
	const fit = planned.filter(({ refusal }) => refusal === undefined);
	// planItems has read all parameters of these items, so none of them throws here.
	const read: ReadParameter = fit[0]?.item.read ?? ((_, fallback) => fallback);
	const open = async () => await session;
	const run = runOf(own, operation, end, concurrency, { hints, openSession: open });
	const once = new SendOnce(run, processed, {
		send: async (documents) => await sendAll(run, end, documents, read, concurrency),
		note: (documents) => end.note(documents),
		concurrency,
		closed: end.closed,
	});
	try {
		const sent = await once.send(fit);
		const documents = [...unfit, ...sent].sort((one, other) => one.place - other.place);
		if (end.fatal !== undefined) throw fatalError(context, operation, end.fatal, documents);
		const items = itemsOfDocuments(operation, documents, hints);
		if (!end.cancelled.aborted) await once.remember(end.cancelled);
		context.addExecutionHints(...hints.all(traffic));
		context.logger.debug('Document Intelligence finished', {
			operation: operation.value,
			documents: planned.length,
			processed: documents.filter(({ answered }) => answered !== undefined).length,
			failed: items.filter(({ json }) => json.error !== undefined).length,
			...traffic.counts(),
			durationMs: Date.now() - startedAt,
		});
		return items;
	} finally {
		once.end();
	}
}

/** The documents that cannot be sent. */
function refusedOf(planned: PlannedDocument[]): EndedDocument[] {
	return planned.flatMap((document) =>
		document.refusal === undefined ? [] : failedDocument(document, document.refusal),
	);
}

/** What all requests of a run have in common. */
function runOf(
	context: IExecuteFunctions,
	operation: Operation,
	end: RunEnd,
	concurrency: number,
	{ hints, openSession }: Pick<Run, 'hints' | 'openSession'>,
): Run {
	// Links and uploads each have their slots: in one line, the first job would wait until all links are followed.
	const loads = new Slots(concurrency);
	return {
		operation,
		hints,
		context,
		openSession,
		jobs: new RunningJobs(new Slots(concurrency)),
		load: async (work) => await loads.use(work),
		stopsOnFailure: end.stopsOnFailure,
		closeRest: (reason) => end.close(reason),
	};
}

/** Sends documents as jobs or directly, at the same time. */
async function sendAll(
	run: Run,
	end: RunEnd,
	documents: PlannedDocument[],
	read: ReadParameter,
	concurrency: number,
): Promise<EndedDocument[]> {
	const { operation } = run;
	const isJob = ({ item }: PlannedDocument) =>
		operation.waits === true || readJobPlan(operation, item) !== undefined;
	const jobs = inBatches(documents.filter(isJob), 1);
	const direct = inBatches(
		documents.filter((document) => !isJob(document)),
		filesPerRequest(operation, read),
	);
	const sent = await Promise.all([
		// A job that runs holds no connection: only its upload counts for Concurrent Requests.
		sendBatches(run, end, jobs, MAX_JOBS),
		sendBatches(run, end, direct, concurrency),
	]);
	return sent.flat();
}

/** Runs the batches, at most so many at a time; one that the end of the run precedes is not sent. */
async function sendBatches(
	run: Run,
	end: RunEnd,
	batches: PlannedDocument[][],
	atATime: number,
): Promise<EndedDocument[]> {
	const { closed } = end;
	const ended = await mapConcurrently(batches, atATime, async (batch) =>
		end.note(
			closed.aborted
				? batch.map((document) => failedDocument(document, closed.reason, document.fileName))
				: await runBatch(run, batch),
		),
	);
	return ended.flat();
}

function fatalError(
	context: IExecuteFunctions,
	operation: Operation,
	{ document: { place, item }, cause }: Failure,
	documents: EndedDocument[],
): Error {
	const others = documents.filter((document) => document.place !== place);
	return asNodeError(context.getNode(), cause, item.itemIndex, lostIn(operation, others));
}

function itemsOfDocuments(
	operation: Operation,
	documents: EndedDocument[],
	hints: Hints,
): INodeExecutionData[] {
	operation.nameFiles?.(documents.flatMap(({ outputs }) => outputs));
	const finished = documents.flatMap((document) => finishedOf(document, operation, hints));
	return itemsOf(finished, hints);
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
	hints.add('failed', json.error.message);
	return { json, pairedItem: { item } };
}

/** Which other documents a run that stops may have to pay for. */
function lostIn({ isFree }: Operation, documents: EndedDocument[]): Lost {
	if (isFree === true) return { processed: 0, maybeProcessed: 0, jobs: [] };
	const answered = documents.filter((document) => document.answered !== undefined);
	const maybeProcessed = documents.filter(mayBeBilled);
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
