import type { INodeExecutionData } from 'n8n-workflow';

import type { Ended, Open } from '../../document/document';
import type { Run } from '../run';

/**
 * By the input of a run, what needs no second request. With On Error set to Continue, n8n's Retry On Fail runs a node again
 * with the same input if the first item is a failed one, and discards all items (docs/internals/n8n-behavior.md).
 */
const attempts = new WeakMap<INodeExecutionData[], ReadonlyMap<number, Ended>>();

/** Documents that ended in an earlier attempt are as they ended; the others are unchanged. */
export function takeFromEarlierAttempt({ context }: Run, documents: Array<Open | Ended>) {
	const ended = attempts.get(context.getInputData());
	return documents.map((document) => ended?.get(document.place) ?? document);
}

/** For the next attempt, if there is one: all but the documents that failed and cannot have been billed. */
export function keepForNextAttempt(
	{ context }: Run,
	ended: Ended[],
	[firstItem]: INodeExecutionData[],
): void {
	if (context.getNode().retryOnFail !== true || firstItem?.json.error === undefined) return;
	const settled = ended.filter((document) => document.state !== 'failed' || document.mayBeBilled);
	attempts.set(
		context.getInputData(),
		new Map(settled.map((document) => [document.place, document])),
	);
}
