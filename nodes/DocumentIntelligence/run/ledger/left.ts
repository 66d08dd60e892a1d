import type { Answered, Ended, Failed, Past } from '../../document/document';
import { NotPassedOn } from '../../operations/operation';
import { StoppedRequest } from '../../service/exchange';
import { JobError } from '../../service/jobs/jobResult';
import { RequestError } from '../../service/requestError';
import { DocumentError } from '../../text/errors';
import type { Outcome } from './history';

/** What is left of a document at the end of a run, for the memory of this process and for n8n's history. */
export interface Left {
	/** Undefined if it got nothing new, or what the run could not hold. */
	past?: Past;
	/** Undefined if n8n's history stays as it is. */
	outcome?: Outcome;
	/** Whether nothing remains of it if n8n passes its items on. */
	isWhole: boolean;
	/** Whether only some of its outputs can be passed on: a later run must not pass these on again. */
	isPartial?: boolean;
}

/** @param held its new answer, if the run holds one */
export function leftOf(ended: Ended, held: Past | undefined): Left {
	if (ended.state === 'failed') return { ...leftOfFailed(ended), isWhole: false };
	if (ended.state === 'answered') return leftOfAnswered(ended, held);
	return { outcome: ended.recordedAs, isWhole: false };
}

function leftOfFailed({ failure, earlier }: Failed): Omit<Left, 'isWhole'> {
	if (isCollected(failure))
		return { past: { kind: 'job', jobId: failure.jobId }, outcome: 'unanswered' };
	if (failure instanceof StoppedRequest)
		return {
			past: { kind: 'pending', outcome: failure.late.then(pastOfLate) },
			outcome: 'unanswered',
		};
	if (failure.mayBeBilled) return { past: { kind: 'lost', failure }, outcome: 'unanswered' };
	// What it had before, and has not used, stays.
	return earlier === null ? { outcome: 'none' } : {};
}

/** Whether it is of a job that may still have its result: the next run collects it, whatever On Error and Skip say. */
export function isCollected(failure: DocumentError): failure is JobError {
	return failure instanceof JobError && failure.result === 'kept';
}

function leftOfAnswered({ outputs, earlier }: Answered, held: Past | undefined): Left {
	const failures = outputs.filter((output) => output instanceof DocumentError);
	const isAnswered = failures.length === 0 || failures.length < outputs.length;
	const outcome = isAnswered ? 'answered' : 'unanswered';
	// A later run may succeed with what could not be passed on.
	const failure = failures.find((each) => !(each instanceof NotPassedOn));
	if (failure !== undefined) return { past: { kind: 'lost', failure }, outcome, isWhole: false };
	const isWhole = failures.length === 0;
	return { past: held ?? earlier?.past, outcome, isWhole, isPartial: isAnswered && !isWhole };
}

/** What a request comes to after a stop is a past, a failure, or undefined if it is of no use. */
function pastOfLate(late: unknown): Past | null {
	if (!(late instanceof RequestError)) return (late ?? null) as Past | null;
	return late.mayBeBilled ? { kind: 'lost', failure: late } : null;
}
