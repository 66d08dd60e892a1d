import type { INodeExecutionData } from 'n8n-workflow';

import {
	isOpen,
	mayBeBilled,
	type Ended,
	type KeptResult,
	type Open,
} from '../../document/document';
import { DocumentError } from '../../text/errors';
import type { Run } from '../run';
import { lostJob } from './earlierResults';

/**
 * By the first input item of a run, what needs no second request. n8n's Retry On Fail runs a node again with the same
 * items if it throws or, with On Error set to Continue, if the first item is a failed one, and discards all items
 * (docs/internals/n8n-behavior.md).
 */
const attempts = new WeakMap<INodeExecutionData, ReadonlyMap<number, Ended>>();

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
		const ended = attempt.get(document.place);
		const earlier = ended && unfinishedOf(ended);
		if (!earlier || !isOpen(document)) return ended ?? document;
		return { ...document, earlier };
	});
}

/**
 * With On Error: Stop, what ended the earlier attempt also ends this one. Called when the kept results are at their
 * documents, so that the message of this attempt, which is the one that n8n shows, has them as well.
 */
export function endAsEarlierAttempt(run: Run): void {
	for (const ended of earlierAttempt(run).values()) {
		if (unfinishedOf(ended) !== null) continue;
		if (ended.state === 'failed') run.end.fail(ended, ended.failure);
		if (ended.state === 'answered') run.end.watch(ended);
	}
}

/** It may be recorded as processed, but the results of the earlier attempt are those of this one. */
export function wasProcessedByEarlierAttempt(run: Run, { place }: Open): boolean {
	const ended = earlierAttempt(run).get(place);
	return ended !== undefined && (mayBeBilled(ended) || unfinishedOf(ended) !== null);
}

function earlierAttempt({ context }: Run): ReadonlyMap<number, Ended> {
	const [item] = context.getInputData();
	return (item && attempts.get(item)) ?? new Map<number, Ended>();
}

/** The answer that could not be passed on, or the job that may still have one. */
function unfinishedOf(ended: Ended): KeptResult | null {
	if (ended.state === 'skipped') return null;
	if (ended.state !== 'answered') return lostJob(ended) ?? ended.earlier;
	const hasFailed = ended.outputs.some((output) => output instanceof DocumentError);
	return hasFailed ? (ended.result ?? ended.earlier) : null;
}

/** Keeps all but the documents that were not sent, or failed and cannot have been billed. */
export function keepForNextAttempt({ context, operation }: Run, ended: Ended[]): void {
	const [item] = context.getInputData();
	// To collect results again costs nothing.
	const isFree = operation.waitsForJobs === true;
	if (item === undefined || isFree || context.getNode().retryOnFail !== true) return;
	const decided = ended.filter((document) => {
		if (unfinishedOf(document) !== null) return true;
		return document.state === 'failed' ? document.mayBeBilled : document.state !== 'unsent';
	});
	attempts.set(item, new Map(decided.map((document) => [document.place, document])));
}
