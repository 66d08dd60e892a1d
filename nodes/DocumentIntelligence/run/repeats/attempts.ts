import type { INodeExecutionData } from 'n8n-workflow';

import type { Ended, Open } from '../../document/document';
import type { Run } from '../run';

/**
 * By the first input item of a run, what needs no second request. n8n's Retry On Fail runs a node again with the same
 * items if it throws or, with On Error set to Continue, if the first item is a failed one, and discards all items
 * (docs/internals/n8n-behavior.md).
 */
const attempts = new WeakMap<INodeExecutionData, ReadonlyMap<number, Ended>>();

/** Documents that ended in an earlier attempt end in the same way; the others are unchanged. */
export function takeFromEarlierAttempt({ context, end }: Run, documents: Array<Open | Ended>) {
	const [item] = context.getInputData();
	const attempt = item && attempts.get(item);
	return documents.map((document) => {
		const ended = attempt?.get(document.place);
		// With On Error: Stop, what ended the earlier attempt also ends this one.
		if (ended?.state === 'failed') end.fail(ended, ended.failure);
		if (ended?.state === 'answered') end.watch(ended);
		return ended ?? document;
	});
}

/** Keeps all but the documents that were not sent, or failed and cannot have been billed. */
export function keepForNextAttempt({ context, operation }: Run, ended: Ended[]): void {
	const [item] = context.getInputData();
	if (item === undefined || context.getNode().retryOnFail !== true) return;
	const decided = ended.filter((document) => {
		// Collecting a result again costs nothing.
		if (document.state === 'failed') return document.mayBeBilled && operation.waitsForJobs !== true;
		return document.state !== 'unsent';
	});
	attempts.set(item, new Map(decided.map((document) => [document.place, document])));
}
