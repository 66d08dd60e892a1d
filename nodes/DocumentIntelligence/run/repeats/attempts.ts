import type { INodeExecutionData } from 'n8n-workflow';

import {
	hasFailure,
	isOpen,
	mayBeBilled,
	type Ended,
	type KeptResult,
	type Open,
} from '../../document/document';
import type { Run } from '../run';
import { paidResult } from './earlierResults';

interface Attempt {
	/** By place, what needs no second request. */
	documents: ReadonlyMap<number, Ended>;
	/** What all further attempts throw as well, because one of these documents has failed; undefined if they may succeed. */
	error: Error | undefined;
}

/**
 * By the first input item of a run. n8n's Retry On Fail runs a node again with the same items if it throws or, with On
 * Error set to Continue, if the first item is a failed one, and discards all items (docs/internals/n8n-behavior.md).
 */
const attempts = new WeakMap<INodeExecutionData, Attempt>();

/** @throws with On Error: Stop, what an earlier attempt threw, if no other one can succeed */
export function throwAsEarlierAttempt(run: Run): void {
	const error = earlierAttempt(run)?.error;
	if (error !== undefined) throw error;
}

/**
 * Documents that ended in an earlier attempt end in the same way. What it paid for and could not pass on is passed on, or
 * collected. The other documents are unchanged.
 */
export function takeFromEarlierAttempt(
	run: Run,
	documents: Array<Open | Ended>,
): Array<Open | Ended> {
	const attempt = earlierAttempt(run);
	return documents.map((document) => {
		const ended = attempt?.documents.get(document.place);
		const earlier = ended && unfinishedOf(ended);
		if (!earlier || !isOpen(document)) return ended ?? document;
		return { ...document, earlier };
	});
}

/** It may be recorded as processed, but the results of the earlier attempt are those of this one. */
export function wasProcessedByEarlierAttempt(run: Run, { place }: Open): boolean {
	const ended = earlierAttempt(run)?.documents.get(place);
	return ended !== undefined && (mayBeBilled(ended) || unfinishedOf(ended) !== null);
}

function earlierAttempt({ context }: Run): Attempt | undefined {
	const [item] = context.getInputData();
	return item && attempts.get(item);
}

/** The answer that could not be passed on, or the job that may still have one. */
function unfinishedOf(ended: Ended): KeptResult | null {
	const isPassedOn = ended.state === 'answered' && !hasFailure(ended);
	return ended.state === 'skipped' || isPassedOn ? null : paidResult(ended);
}

/**
 * Keeps all but the documents that were not sent, or failed and cannot have been billed.
 * @param error with On Error: Stop, what this attempt throws
 */
export function keepForNextAttempt(
	{ context, operation }: Run,
	ended: Ended[],
	error?: Error,
): void {
	const [item] = context.getInputData();
	// To collect results again costs nothing.
	const isFree = operation.waitsForJobs === true;
	if (item === undefined || isFree || context.getNode().retryOnFail !== true) return;
	const decided = ended.filter((document) => {
		if (unfinishedOf(document) !== null) return true;
		return document.state === 'failed' ? document.mayBeBilled : document.state !== 'unsent';
	});
	const isFinal = decided.some((document) => hasFailure(document) && !unfinishedOf(document));
	const documents = new Map(decided.map((document) => [document.place, document]));
	attempts.set(item, { documents, error: isFinal ? error : undefined });
}
