import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asNodeError, DocumentError, failedItemJson } from '../errors';
import { mapConcurrently } from './mapConcurrently';
import { operationNamed } from './operations/index';
import { type InputItem } from './operation';
import { CONCURRENCY, FILES_PER_REQUEST, readNumber } from '../parameters/options';
import { parameterReader } from '../parameters/readParameter';
import { Hints } from './hints';
import { finish, itemsOf, type Finished } from './items';
import { planItems } from './planItems';
import { runBatch, type Outcome } from './runBatch';
import type { Run } from './runRequest';
import { CREDENTIAL_NAME, readAccount } from '../service/account';
import { Traffic, type Connection } from '../service/exchange';
import { processLimiters, type Limiters } from '../service/limiter';

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
	const startedAt = Date.now();
	const operation = operationNamed(context.getNodeParameter('operation', 0));
	const hints = new Hints();
	const traffic = new Traffic();
	const stop = new AbortController();
	const signal = anySignal(context.getExecutionCancelSignal(), stop.signal);
	const count = { processed: 0, failed: 0 };

	/** The only place where a failure becomes the end of the run, or an item. */
	const fail = (thrown: unknown, { itemIndex }: InputItem, fileName?: string): Finished => {
		count.failed += 1;
		if (context.continueOnFail() && !signal.aborted) {
			const json = failedItemJson(thrown, fileName);
			hints.failures.push(json.error.message);
			return { item: { json, pairedItem: { item: itemIndex } } };
		}
		const error = asNodeError(context.getNode(), thrown, itemIndex, count.processed);
		stop.abort(error);
		throw error;
	};

	const complete = (outcome: Outcome, item: InputItem): Finished[] => {
		if (outcome === 'leftOut') return [];
		if ('failure' in outcome) return [fail(outcome.failure, item, outcome.fileName)];
		count.processed += 1;
		const { document, outputs } = outcome;
		return outputs.map((output) =>
			output instanceof DocumentError
				? fail(output, item, document.parts[0]?.file.name)
				: finish(output, document, operation, item),
		);
	};

	let connection: Promise<Connection> | undefined;
	const connect = async (): Promise<Connection> => {
		const account = readAccount(await context.getCredentials(CREDENTIAL_NAME));
		return {
			context,
			account,
			limiter: limiters.forAccount(account),
			clock: limiters.clock,
			signal,
			traffic,
		};
	};
	const run: Run = { operation, hints, connect: async () => await (connection ??= connect()) };

	const planned = await planItems(context, operation, hints);
	const finished = planned.map((entry) =>
		'refusal' in entry ? [fail(entry.refusal, entry.item, entry.fileName)] : [],
	);
	const ready = planned.flatMap((entry, position) =>
		'load' in entry ? [{ ...entry, position }] : [],
	);
	const read = parameterReader(context, 0);
	const concurrency = readNumber(read, CONCURRENCY);
	const together = operation.splitAnswer === undefined ? 1 : readNumber(read, FILES_PER_REQUEST);
	await mapConcurrently(inBatches(ready, together), concurrency, async (batch) => {
		const outcomes = await runBatch(run, batch);
		for (const [place, { position, item }] of batch.entries()) {
			const outcome = outcomes[place];
			if (outcome !== undefined) finished[position] = complete(outcome, item);
		}
	});

	const items = itemsOf(finished.flat(), hints);
	context.addExecutionHints(...hints.all(traffic));
	context.logger.debug('Document Intelligence finished', {
		operation: operation.value,
		documents: planned.length,
		...count,
		...traffic.counts(),
		durationMs: Date.now() - startedAt,
	});
	return [items];
}

function inBatches<Entry>(entries: Entry[], size: number): Entry[][] {
	return Array.from({ length: Math.ceil(entries.length / size) }, (_, number) =>
		entries.slice(number * size, (number + 1) * size),
	);
}

function anySignal(cancel: AbortSignal | undefined, stop: AbortSignal): AbortSignal {
	return cancel === undefined ? stop : AbortSignal.any([cancel, stop]);
}
