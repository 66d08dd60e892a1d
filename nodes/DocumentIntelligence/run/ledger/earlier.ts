import { BrokenLink } from '../../operations/operation';
import type { Answer } from '../../service/envelope';
import { JobError, notFetched } from '../../service/jobs/jobResult';
import { readAnswerFrom } from '../../service/savedAnswer';
import { unlessAborted } from '../../waiting/waiting';
import type { Answered, Ended, Ready } from '../state';
import { conclude, concludeEarlierCall } from '../conclude';
import type { Run } from '../run';
import { wasPassedOn, type Earlier, type Past } from './past';
import { decideAgain } from './decide';

/**
 * The end of a document by what it got before or, where that is of no use, the document as it goes on.
 * @throws DocumentError, or the reason of the run's end
 */
export async function useEarlier(
	run: Run,
	document: Ready,
	earlier: Earlier,
): Promise<Ready | Ended> {
	const past =
		earlier.past.kind === 'pending'
			? await unlessAborted(earlier.past.outcome, run.end.work)
			: earlier.past;
	// What was in flight and ended at no cost is still `pending` for `decideAgain`.
	const arrived = past === null ? earlier : { ...earlier, past };
	const used = past && (await concludeEarlier(run, { ...document, earlier: arrived }, arrived));
	if (used instanceof BrokenLink) return withoutLinks(run, document, arrived, used);
	return used !== null && 'state' in used ? used : decideAgain(run, document, arrived, used);
}

/** A document whose earlier result has links that no longer work. */
function withoutLinks(run: Run, document: Ready, earlier: Earlier, failure: BrokenLink) {
	const lost = wasPassedOn(earlier) ? null : { kind: 'lost' as const, failure };
	const decided = decideAgain(run, document, earlier, lost);
	if (decided.state !== 'ready') return decided;
	const { notes, subject } = decided;
	return { ...decided, notes: [...notes, { kind: 'sentAnew' as const, entry: subject }] };
}

/** Where it is of no use: the link that is broken, that it is lost if it may be billed all the same, else null. */
async function concludeEarlier(
	run: Run,
	document: Ready,
	earlier: Earlier,
): Promise<Ended | BrokenLink | Past | null> {
	const { operation, attempt } = run;
	const { past } = earlier;
	if (past.kind === 'lost') return past;
	if (operation.kind === 'calls')
		return past.kind === 'outputs'
			? await concludeEarlierCall(run, operation, document, past.bytes)
			: null;
	if (past.kind === 'job') {
		const collected = await collectEarlier(run, past.jobId, document);
		if (collected instanceof JobError) return { kind: 'lost', failure: collected };
		return collected && unlessFree(await conclude(run, operation, document, collected));
	}
	if (past.kind !== 'answer') return null;
	// Its credits were shown when it was passed on, and 0 would say that it was free.
	const answer = readAnswerFrom(
		wasPassedOn(earlier) ? { ...past, creditsConsumed: undefined } : past,
	);
	const answered = await conclude(run, operation, document, answer);
	const broken = answered.outputs.find((output) => output instanceof BrokenLink);
	// Another attempt must not pay once more.
	if (broken === undefined || attempt.isOfEarlierAttempt(earlier)) return unlessFree(answered);
	return broken;
}

/** A job that was free and has no usable result is like one that failed at no cost. */
function unlessFree(answered: Answered): Answered | null {
	return answered.left.history === 'none' ? null : answered;
}

/** Null for a job that failed at no cost or was canceled, its failure for one that Cogneris no longer has. */
async function collectEarlier(
	{ collecting, jobs }: Run,
	jobId: string,
	{ subject, settings }: Ready,
): Promise<Answer | JobError | null> {
	try {
		const { job, retryAfterMs } = await jobs.find(settings, jobId);
		return await jobs.collect(settings, job, { subject, retryAfterMs, isOurs: true });
	} catch (thrown) {
		const failure = notFetched(collecting, thrown, jobId, subject);
		if (!failure.mayBeBilled) return null;
		if (failure.result === 'gone') return failure;
		throw failure;
	}
}
