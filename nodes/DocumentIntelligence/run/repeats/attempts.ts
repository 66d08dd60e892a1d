import type { INodeExecutionData } from 'n8n-workflow';

import type { Ended, Open } from '../../document/document';
import { DocumentError } from '../../text/errors';
import type { Run } from '../run';

/**
 * By the input of a run, what needs no second request. n8n's Retry On Fail runs a node again with the same input if it
 * throws or, with On Error set to Continue, if the first item is a failed one, and discards all items
 * (docs/internals/n8n-behavior.md).
 */
const attempts = new WeakMap<INodeExecutionData[], ReadonlyMap<number, Ended>>();

/** Documents that ended in an earlier attempt are as they ended; the others are unchanged. */
export function takeFromEarlierAttempt({ context }: Run, documents: Array<Open | Ended>) {
	const ended = attempts.get(context.getInputData());
	return documents.map((document) => ended?.get(document.place) ?? document);
}

/** If a run throws, only whole answers: a failure has to fail the next attempt by itself. */
export function keepWholeAnswers(run: Run, ended: Ended[]): void {
	// Others are kept for any later run.
	if (run.keepsResults) return;
	const isFailure = (output: unknown) => output instanceof DocumentError;
	keep(
		run,
		ended.filter((document) => document.state === 'answered' && !document.outputs.some(isFailure)),
	);
}

/** If the first item is a failed one, all but the documents that failed and cannot have been billed. */
export function keepForNextAttempt(
	run: Run,
	ended: Ended[],
	[firstItem]: INodeExecutionData[],
): void {
	if (firstItem?.json.error === undefined) return;
	keep(
		run,
		ended.filter((document) => document.state !== 'failed' || document.mayBeBilled),
	);
}

function keep({ context }: Run, ended: Ended[]): void {
	if (context.getNode().retryOnFail !== true) return;
	attempts.set(
		context.getInputData(),
		new Map(ended.map((document) => [document.place, document])),
	);
}
