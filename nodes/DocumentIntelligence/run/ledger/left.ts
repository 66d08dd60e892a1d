import type { Output } from '../../document/document';
import { BrokenLink, Undelivered } from '../../operations/operation';
import { JobError } from '../../service/jobs/jobResult';
import { DocumentError } from '../../text/errors';
import { wasPassedOn, type Entry, type Past, type Processed } from './past';

interface Fate {
	/** What n8n's history is to say of the document; absent if that stays as it is. */
	readonly history?: Processed | 'none';
	/**
	 * What happens to its past after n8n has passed on the items of the run: the next run still uses it, it may be returned
	 * again, or it is dropped. Of a document that has come to nothing, what was passed on before stays as it is.
	 */
	readonly oncePassedOn: 'stays' | 'returnable' | 'dropped' | 'cameToNothing';
}

/** What the end of a document leaves to later runs. */
export interface Left extends Fate {
	/**
	 * For the memory of this process; absent if nothing new has come. A result that the run cannot hold gives way.
	 */
	past?: Past;
}

/** What follows from each end of a document; `DECISIONS` has what follows from each beginning. */
export const FATES = {
	delivered: { history: 'withResult', oncePassedOn: 'returnable' },
	/** What was passed on is not passed on again. */
	deliveredInPart: { history: 'withResult', oncePassedOn: 'dropped' },
	/** A job, a request in flight, or a result that n8n could not store. */
	owed: { history: 'withoutResult', oncePassedOn: 'stays' },
	/** May be billed, and has no usable result. A run that is passed on has shown the failure. */
	lost: { history: 'withoutResult', oncePassedOn: 'dropped' },
	/** Rejected at no cost, could not be sent, or its job cost nothing and has no usable result. */
	free: { history: 'none', oncePassedOn: 'cameToNothing' },
	/** It was skipped, or the run ended first. */
	untouched: { oncePassedOn: 'stays' },
	/** What was passed on before is passed on once more. */
	passedOnAgain: { history: 'withResult', oncePassedOn: 'stays' },
	/** By Record Only. */
	recorded: { history: 'withResult', oncePassedOn: 'stays' },
	skippedAsLost: { history: 'withoutResult', oncePassedOn: 'stays' },
} satisfies Record<string, Fate>;

/** Of a document that got no answer. @param earlier what it had before, and has not used */
export function leftByFailure(failure: DocumentError, earlier: Entry | null): Left {
	// The next run collects it, whatever On Error and Skip say.
	if (failure instanceof JobError && failure.result === 'kept')
		return { ...FATES.owed, past: { kind: 'job', jobId: failure.jobId } };
	if (failure.mayBeBilled) return { ...FATES.lost, past: { kind: 'lost', failure } };
	return earlier === null ? FATES.free : FATES.untouched;
}

/**
 * Of a document that was answered.
 * @param past its answer, for a later run
 * @param earlier what was used in place of sending it
 * @param wasFree whether its job was free: without a usable output, it is submitted anew
 */
export function leftByOutputs(
	outputs: Output[],
	past: Past | undefined,
	earlier: Entry | null,
	wasFree = false,
): Left {
	const failures = outputs.filter((output) => output instanceof DocumentError);
	if (wasPassedOn(earlier)) return failures.length === 0 ? FATES.passedOnAgain : FATES.untouched;
	if (failures.length === 0) return { ...FATES.delivered, past };
	const isInPart = failures.length < outputs.length;
	const unusable = failures.find(
		(failure) => !(failure instanceof Undelivered || failure instanceof BrokenLink),
	);
	if (unusable !== undefined && wasFree && !isInPart) return FATES.free;
	const fate = isInPart ? FATES.deliveredInPart : FATES.lost;
	if (unusable !== undefined) return { ...fate, past: { kind: 'lost', failure: unusable } };
	// A link that is broken now is broken in the next run, too, but an attempt does not pay once more.
	const isOwed = !isInPart && !failures.some((failure) => failure instanceof BrokenLink);
	return { ...(isOwed ? FATES.owed : fate), past };
}

/** Of a document whose request a stop has left in flight. @param late what its end leaves */
export function leftByDetached(late: Promise<Left | undefined>): Left {
	const outcome = late.then(
		(left) => left?.past ?? null,
		() => null,
	);
	return { ...FATES.owed, past: { kind: 'pending', outcome } };
}

/** What it leaves or, if nothing new has come, what it had before. */
export function pastOf(ended: { left: Left; earlier: Entry | null }): Past | undefined {
	return ended.left.past ?? ended.earlier?.past;
}

/** Whether it has a result, which may be returned again. */
export function hasResult(left: Left): left is Left & { past: Result } {
	return left.past !== undefined && 'bytes' in left.past;
}

type Result = Extract<Past, { bytes: Uint8Array }>;
