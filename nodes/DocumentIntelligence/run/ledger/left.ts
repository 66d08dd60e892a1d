import type { Output } from '../../document/document';
import { BrokenLink, Undelivered } from '../../operations/operation';
import { JobError } from '../../service/jobs/jobResult';
import { DocumentError } from '../../text/errors';
import { isCounted, type Entry, type Outcome, type Past } from './past';

/** What the end of a document leaves to later runs. */
export interface Left {
	/** For the memory of this process; absent if it got nothing new. A result that the run cannot hold gives way. */
	past?: Past;
	/** For n8n's history; absent if that stays as it is. */
	readonly history?: Outcome;
	/**
	 * What happens to the past after n8n has passed on the items of the run: the next run still uses it, it may be returned
	 * again, or it is dropped.
	 */
	readonly oncePassedOn: 'stays' | 'reusable' | 'dropped';
}

/** Of a document that got no answer. @param earlier what it had before, and has not used */
export function leftByFailure(failure: DocumentError, earlier: Entry | null): Left {
	// The next run collects it, whatever On Error and Skip say.
	if (failure instanceof JobError && failure.result === 'kept') {
		const { jobId, details } = failure;
		const counted = details.creditsConsumed !== undefined || isCounted(earlier);
		return {
			past: { kind: 'job', jobId, ...(counted && { isCounted: true }) },
			history: 'unanswered',
			oncePassedOn: 'stays',
		};
	}
	if (failure.mayBeBilled) return lost(failure);
	return earlier !== null
		? { oncePassedOn: 'stays' }
		: { history: 'none', oncePassedOn: 'dropped' };
}

/** Of a document that was answered. @param past its answer, for a later run */
export function leftByOutputs(outputs: Output[], past: Past | undefined): Left {
	const failures = outputs.filter((output) => output instanceof DocumentError);
	if (failures.length === 0) return { past, history: 'answered', oncePassedOn: 'reusable' };
	const history = failures.length === outputs.length ? 'unanswered' : 'answered';
	const unusable = failures.find(
		(failure) => !(failure instanceof Undelivered || failure instanceof BrokenLink),
	);
	if (unusable !== undefined) return { ...lost(unusable), history };
	// A part that was passed on is not passed on again, and a link that leads nowhere never will be.
	const stays = history === 'unanswered' && !failures.some((each) => each instanceof BrokenLink);
	return { past, history, oncePassedOn: stays ? 'stays' : 'dropped' };
}

/**
 * Of a document whose job was free: without a usable output, it is processed anew.
 * @param hasEarlier whether an earlier run has submitted the job, which would return the same again
 */
export function leftByFreeJob(left: Left, hasEarlier: boolean): Left {
	if (left.past?.kind !== 'lost' || left.history !== 'unanswered') return left;
	return { past: hasEarlier ? left.past : undefined, history: 'none', oncePassedOn: 'dropped' };
}

/** Of a document whose request a stop has left in flight. @param late what its end leaves */
export function leftInFlight(late: Promise<Left | undefined>): Left {
	const outcome = late.then(
		(left) => left?.past ?? null,
		() => null,
	);
	return { past: { kind: 'pending', outcome }, history: 'unanswered', oncePassedOn: 'stays' };
}

/** It counts between attempts: a run that is passed on has shown the failure. */
function lost(failure: DocumentError): Left {
	return { past: { kind: 'lost', failure }, history: 'unanswered', oncePassedOn: 'dropped' };
}

/** Whether it has a result, which may be returned again. */
export function hasResult({ past }: Left): boolean {
	return past?.kind === 'answer' || past?.kind === 'outputs';
}
