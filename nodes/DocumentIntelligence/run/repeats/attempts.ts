import type { INodeExecutionData } from 'n8n-workflow';

import { isOpen, mayBeBilled, type Ended, type Open } from '../../document/document';
import type { Run } from '../run';
import { lostJob } from './earlierResults';

/**
 * By the first input item of a run, what needs no second request. n8n's Retry On Fail runs a node again with the same
 * items if it throws or, with On Error set to Continue, if the first item is a failed one, and discards all items
 * (docs/internals/n8n-behavior.md).
 */
const attempts = new WeakMap<INodeExecutionData, ReadonlyMap<number, Ended>>();

/** Documents that ended in an earlier attempt end in the same way, or its job is collected; the others are unchanged. */
export function takeFromEarlierAttempt(
	run: Run,
	documents: Array<Open | Ended>,
): Array<Open | Ended> {
	const earlier = earlierAttempt(run);
	return documents.map((document) => {
		const ended = earlier.get(document.place);
		const job = ended && lostJob(ended);
		if (!job || !isOpen(document)) return ended ?? document;
		return { ...document, earlier: job };
	});
}

/**
 * With On Error: Stop, what ended the earlier attempt also ends this one. Called when the kept results are at their
 * documents, so that the message of this attempt, which is the one that n8n shows, has them as well.
 */
export function endAsEarlierAttempt(run: Run): void {
	for (const ended of earlierAttempt(run).values()) {
		if (lostJob(ended) !== null) continue;
		if (ended.state === 'failed') run.end.fail(ended, ended.failure);
		if (ended.state === 'answered') run.end.watch(ended);
	}
}

/** It may be recorded as processed, but the results of the earlier attempt are those of this one. */
export function wasProcessedByEarlierAttempt(run: Run, { place }: Open): boolean {
	const ended = earlierAttempt(run).get(place);
	return ended !== undefined && mayBeBilled(ended);
}

function earlierAttempt({ context }: Run): ReadonlyMap<number, Ended> {
	const [item] = context.getInputData();
	return (item && attempts.get(item)) ?? new Map<number, Ended>();
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
