import { mayBeBilled, type Ended, type Past } from '../../document/document';
import { BrokenLink, NotPassedOn } from '../../operations/operation';
import { StoppedRequest } from '../../service/exchange';
import { JobError } from '../../service/jobs/jobResult';
import { RequestError } from '../../service/requestError';
import { DocumentError } from '../../text/errors';
import type { Outcome } from './history';

/** What a run leaves of a document. */
export type Left =
	| { what: 'past'; past: Past; isPassedOn: boolean }
	/** Whatever was known before is over. */
	| { what: 'nothing' }
	| { what: 'asBefore' };

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
	if (ended.state !== 'answered')
		return ended.recordedAs === 'lost' && isPassedOn ? { what: 'nothing' } : { what: 'asBefore' };
	const failures = ended.outputs.filter((output) => output instanceof DocumentError);
	const lost = failures.find((failure) => !(failure instanceof NotPassedOn));
	if (lost !== undefined)
		return isPassedOn ? { what: 'nothing' } : past({ kind: 'lost', failure: lost });
	const isBroken = failures.some((failure) => failure instanceof BrokenLink);
	const result = held ?? ended.earlier?.past;
	const isOver = isPassedOn && (isBroken || (failures.length === 0 && !isReusable));
	if (result === undefined || isOver) return { what: 'nothing' };
	const isNowPassedOn = isPassedOn && failures.length === 0;
	return past(result, isNowPassedOn || ended.earlier?.isPassedOn);
}

function leftOfFailed(ended: Extract<Ended, { state: 'failed' }>, isPassedOn: boolean): Left {
	const { failure, earlier } = ended;
	// A job that may still have its result is collected by the next run, whatever On Error is.
	if (failure instanceof JobError && failure.result === 'kept')
		return past({ kind: 'job', jobId: failure.jobId });
	if (failure instanceof StoppedRequest)
		return past({ kind: 'pending', outcome: failure.late.then(pastOfLate) });
	if (failure.mayBeBilled)
		return isPassedOn ? { what: 'nothing' } : past({ kind: 'lost', failure });
	return earlier === null ? { what: 'nothing' } : { what: 'asBefore' };
}

/** Whether it may leave something new. */
export function mayBeKept(ended: Ended): boolean {
	const isInFlight = ended.state === 'failed' && ended.failure instanceof StoppedRequest;
	return isInFlight || mayBeBilled(ended);
}

function past(value: Past, isPassedOn = false): Left {
	return { what: 'past', past: value, isPassedOn };
}

/** What a request comes to after a stop is a past, or undefined if it is of no use. */
function pastOfLate(late: unknown): Past | null {
	if (late instanceof JobError || !(late instanceof RequestError))
		return (late ?? null) as Past | null;
	return late.mayBeBilled ? { kind: 'lost', failure: late } : null;
}

/** What n8n's history is to say of a document that it was asked for. */
export function outcomeOf(ended: Ended): Outcome | undefined {
	if (ended.state === 'skipped') return ended.recordedAs;
	if (!mayBeBilled(ended)) return 'none';
	const isAnswered =
		ended.state === 'answered' &&
		(ended.outputs.length === 0 ||
			ended.outputs.some((output) => !(output instanceof DocumentError)));
	return isAnswered ? 'answered' : 'lost';
}

/** Of documents with the same key, the last one counts: a result matters more than a job, and a job more than none. */
export function rankOf(left: Left): number {
	if (left.what !== 'past') return left.what === 'nothing' ? 1 : 0;
	return { lost: 2, pending: 3, job: 4, outputs: 5, answer: 5 }[left.past.kind];
}
