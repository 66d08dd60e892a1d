import {
	mayBeBilled,
	type Answered,
	type Ended,
	type Failed,
	type Past,
} from '../../document/document';
import { BrokenLink, NotPassedOn } from '../../operations/operation';
import { StoppedRequest } from '../../service/exchange';
import { JobError } from '../../service/jobs/jobResult';
import { RequestError } from '../../service/requestError';
import { DocumentError } from '../../text/errors';
import type { Outcome } from './history';

/** What a run leaves of a document: a past, nothing where whatever was known is over, or all as before. */
export type Left = { past: Past; isPassedOn: boolean } | 'nothing' | 'asBefore';

/**
 * @param held its new answer, if it has one
 * @param isPassedOn whether n8n passes the items of the run on
 * @param isReusable whether a result is kept although it is passed on
 */
export function leftOf(
	ended: Ended,
	held: Past | undefined,
	isPassedOn: boolean,
	isReusable: boolean,
): Left {
	if (ended.state === 'failed') return leftOfFailed(ended, isPassedOn);
	if (ended.state === 'answered') return leftOfAnswered(ended, held, isPassedOn, isReusable);
	return ended.recordedAs === 'lost' && isPassedOn ? 'nothing' : 'asBefore';
}

function leftOfAnswered(
	{ outputs, earlier }: Answered,
	held: Past | undefined,
	isPassedOn: boolean,
	isReusable: boolean,
): Left {
	const failures = outputs.filter((output) => output instanceof DocumentError);
	const lost = failures.find((failure) => !(failure instanceof NotPassedOn));
	if (lost !== undefined) return lostUnless(isPassedOn, lost);
	const result = held ?? earlier?.past;
	const isWhole = failures.length === 0;
	// A later run may succeed with what could not be passed on, but not with a link that leads nowhere.
	const isWanted = isWhole ? isReusable : !failures.some((each) => each instanceof BrokenLink);
	if (result === undefined || (isPassedOn && !isWanted)) return 'nothing';
	const wasPassedOn = earlier?.isPassedOn === true;
	return { past: result, isPassedOn: wasPassedOn || (isPassedOn && isWhole) };
}

function leftOfFailed({ failure, earlier }: Failed, isPassedOn: boolean): Left {
	// A job that may still have its result is collected by the next run, whatever On Error is.
	if (failure instanceof JobError && failure.result === 'kept')
		return { past: { kind: 'job', jobId: failure.jobId }, isPassedOn: false };
	if (failure instanceof StoppedRequest) {
		const outcome = failure.late.then(pastOfLate);
		return { past: { kind: 'pending', outcome }, isPassedOn: false };
	}
	if (failure.mayBeBilled) return lostUnless(isPassedOn, failure);
	return earlier === null ? 'nothing' : 'asBefore';
}

/** It counts between attempts: a run that is passed on has told of it, and the next one may send it. */
function lostUnless(isPassedOn: boolean, failure: DocumentError): Left {
	return isPassedOn ? 'nothing' : { past: { kind: 'lost', failure }, isPassedOn: false };
}

/** What a request comes to after a stop is a past, a failure, or undefined if it is of no use. */
function pastOfLate(late: unknown): Past | null {
	if (!(late instanceof RequestError)) return (late ?? null) as Past | null;
	return late.mayBeBilled ? { kind: 'lost', failure: late } : null;
}

/** Whether it may leave something new. */
export function mayBeKept(ended: Ended): boolean {
	const isInFlight = ended.state === 'failed' && ended.failure instanceof StoppedRequest;
	return isInFlight || mayBeBilled(ended);
}

/** What n8n's history is to say of a document; undefined if it stays as it is. */
export function outcomeOf(ended: Ended): Outcome | undefined {
	if (ended.state === 'skipped') return ended.recordedAs;
	if (!mayBeBilled(ended)) return 'none';
	const outputs = ended.state === 'answered' ? ended.outputs : [ended.failure];
	const isLost = outputs.length > 0 && outputs.every((output) => output instanceof DocumentError);
	return isLost ? 'lost' : 'answered';
}

/** Of documents with the same key, the last one counts: a result matters more than a job, and a job more than none. */
export function rankOf(left: Left): number {
	if (typeof left === 'string') return left === 'nothing' ? 1 : 0;
	return { lost: 2, pending: 3, job: 4, outputs: 5, answer: 5 }[left.past.kind];
}
