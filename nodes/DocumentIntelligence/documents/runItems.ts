import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asNodeError, DocumentError, failedItemJson, NotSent, type Lost } from '../errors';
import { mapConcurrently } from './mapConcurrently';
import { operationNamed } from './operations/index';
import { fileOf, type InputItem, type Operation, type Output } from './operation';
import { CONCURRENCY, FILES_PER_REQUEST, readNumber } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { Hints } from './hints';
import { finish, itemsOf, type Finished } from './items';
import { planItems } from './planItems';
import { runBatch, type Outcome } from './runBatch';
import type { Run } from './runRequest';
import { CREDENTIAL_NAME, readAccount } from '../service/account';
import { cancelledBy } from '../service/client';
import { Traffic, type Connection } from '../service/exchange';
import { processLimiters, type Limiters } from '../service/limiter';
import { RequestError } from '../service/requestError';

/**
 * All items of an execution. Whatever can be known of a document is checked for all of them before the first
 * request is made: a run that has to stop because of one has then cost nothing.
 *
 * @param limiters shared by the executions of a process; tests bring their own, with a clock that does not wait
 */
export async function runItems(
	context: IExecuteFunctions,
	limiters: Limiters = processLimiters,
): Promise<INodeExecutionData[][]> {
	let operation: Operation;
	try {
		operation = operationNamed(context.getNodeParameter('operation', 0));
	} catch (refusal) {
		// Were it thrown under On Error: Continue, n8n would pass the input on as if it were the result.
		if (!context.continueOnFail()) throw asNodeError(context.getNode(), refusal, 0);
		const hints = new Hints();
		const items = context.getInputData().map((_, item) => failedItem(hints, refusal, item));
		context.addExecutionHints(...hints.all(new Traffic()));
		return [items];
	}
	return [await runDocuments(context, operation, limiters)];
}

/** What became of a document. */
interface Ended {
	/** Among the documents of all items. */
	place: number;
	item: InputItem;
	/** Its name or link in quotes, for messages. */
	subject: string;
	outcome: Outcome;
}

async function runDocuments(
	context: IExecuteFunctions,
	operation: Operation,
	limiters: Limiters,
): Promise<INodeExecutionData[]> {
	const startedAt = Date.now();
	const hints = new Hints();
	const traffic = new Traffic();
	const cancelled = context.getExecutionCancelSignal() ?? new AbortController().signal;
	const failed = new AbortController();
	const refused = new AbortController();
	// What only serves results that are lost ends at once; a request in flight may be billed, so its answer is awaited.
	const discarded = AbortSignal.any([cancelled, failed.signal]);
	const closed = AbortSignal.any([discarded, refused.signal]);

	let connection: Promise<Connection> | undefined;
	const connect = async (): Promise<Connection> => {
		const account = readAccount(await context.getCredentials(CREDENTIAL_NAME));
		return {
			context: cancelledBy(context, discarded),
			account,
			limiter: limiters.forAccount(account),
			clock: limiters.clock,
			signal: closed,
			cancelled,
			traffic,
		};
	};
	const run: Run = {
		operation,
		hints,
		connect: async () => await (connection ??= connect()),
		stopsOnFailure: !context.continueOnFail(),
		refuseRest: (reason) => refused.abort(reason),
	};

	/** In the order of time: the first is what a run that does not go on ends with. */
	const failures: Ended[] = [];
	const note = (documents: Ended[]): Ended[] => {
		failures.push(...documents.filter(({ outcome }) => failuresOf(outcome).some(isCause)));
		if (failures.length > 0 && !context.continueOnFail()) failed.abort(new NotSent());
		return documents;
	};

	const planned = (await planItems(cancelledBy(context, closed), operation, hints)).map(
		(entry, place) => ({ ...entry, place }),
	);
	const unfit = note(
		planned.flatMap((entry) =>
			'refusal' in entry
				? [{ ...entry, subject: '', outcome: { failure: entry.refusal, fileName: entry.fileName } }]
				: [],
		),
	);
	const ready = planned.flatMap((entry) => ('load' in entry ? [entry] : []));
	// All parameters of an item that is ready can be read.
	const read: ReadParameter = ready[0]?.item.read ?? ((_, fallback) => fallback);
	const together = operation.splitAnswer === undefined ? 1 : readNumber(read, FILES_PER_REQUEST);
	const sent = await mapConcurrently(
		inBatches(ready, together),
		readNumber(read, CONCURRENCY),
		async (batch) => {
			const outcomes = closed.aborted
				? batch.map(({ fileName }) => ({ failure: closed.reason as unknown, fileName }))
				: await runBatch(run, batch);
			return note(
				batch.map((entry, position) => ({ ...entry, outcome: outcomes[position] ?? 'leftOut' })),
			);
		},
	);
	const documents = [...unfit, ...sent.flat()].sort((one, other) => one.place - other.place);

	const [fatal] = failures;
	if (fatal !== undefined && (cancelled.aborted || !context.continueOnFail())) {
		const [failure] = failuresOf(fatal.outcome).filter(isCause);
		const lost = lostIn(documents.filter(({ place }) => place !== fatal.place));
		throw asNodeError(context.getNode(), failure, fatal.item.itemIndex, lost);
	}

	operation.nameFiles?.(documents.flatMap(({ outcome }) => outputsOf(outcome)));
	const finished = documents.flatMap((document) => finishedOf(document, operation, hints));
	const items = itemsOf(finished, hints);
	context.addExecutionHints(...hints.all(traffic));
	context.logger.debug('Document Intelligence finished', {
		operation: operation.value,
		documents: planned.length,
		processed: documents.filter(({ outcome }) => isProcessed(outcome)).length,
		failed: hints.failures.length,
		...traffic.counts(),
		durationMs: Date.now() - startedAt,
	});
	return items;
}

/** The items of a document. */
function finishedOf(
	{ item, subject, outcome }: Ended,
	operation: Operation,
	hints: Hints,
): Finished[] {
	const failed = (failure: unknown, fileName?: string): Finished => {
		const told = failure instanceof NotSent ? (failure.failureOf?.(subject) ?? failure) : failure;
		return { item: failedItem(hints, told, item.itemIndex, fileName) };
	};
	if (outcome === 'leftOut') return [];
	if ('failure' in outcome) return [failed(outcome.failure, outcome.fileName)];
	const { document, outputs } = outcome;
	return outputs.map((output, position) =>
		output instanceof DocumentError
			? failed(output, fileOf(document).name)
			: finish(output, document, operation, item, position),
	);
}

function failedItem(
	hints: Hints,
	thrown: unknown,
	item: number,
	fileName?: string,
): INodeExecutionData {
	const json = failedItemJson(thrown, fileName);
	hints.failures.push(json.error.message);
	return { json, pairedItem: { item } };
}

function outputsOf(outcome: Outcome): Output[] {
	return outcome !== 'leftOut' && 'outputs' in outcome ? outcome.outputs : [];
}

function failuresOf(outcome: Outcome): unknown[] {
	return outcome !== 'leftOut' && 'failure' in outcome
		? [outcome.failure]
		: outputsOf(outcome).filter((output) => output instanceof DocumentError);
}

/** Whether it is why a run ends, and not because it has ended. */
function isCause(failure: unknown): boolean {
	return !(failure instanceof NotSent);
}

function isProcessed(outcome: Outcome): boolean {
	return outcome !== 'leftOut' && 'document' in outcome;
}

/** What else a run that stops may have to pay for. */
function lostIn(documents: Ended[]): Lost {
	const outcomes = documents.map(({ outcome }) => outcome);
	return {
		processed: outcomes.filter(isProcessed).length,
		maybeProcessed: outcomes.filter(
			(outcome) =>
				outcome !== 'leftOut' &&
				'failure' in outcome &&
				outcome.failure instanceof RequestError &&
				outcome.failure.mayBeBilled,
		).length,
	};
}

function inBatches<Entry>(entries: Entry[], size: number): Entry[][] {
	return Array.from({ length: Math.ceil(entries.length / size) }, (_, number) =>
		entries.slice(number * size, (number + 1) * size),
	);
}
