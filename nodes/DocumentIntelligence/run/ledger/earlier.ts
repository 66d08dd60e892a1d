import { BrokenLink } from '../../operations/operation';
import type { Answer } from '../../service/envelope';
import { JobError, notFetched } from '../../service/jobs/jobResult';
import { readAnswerFrom } from '../../service/savedAnswer';
import { unlessAborted } from '../../waiting/waiting';
import type { Ended, Ready } from '../state';
import { conclude, concludeEarlierCall } from '../conclude';
import type { Run } from '../run';
import { wasPassedOn, type Earlier } from './past';
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
	if (past === null || past.kind === 'lost') return decideAgain(run, document, earlier, past);
	const arrived = { ...earlier, past };
	const ended = await concludeEarlier(run, { ...document, earlier: arrived }, arrived);
	if (ended instanceof JobError)
		return decideAgain(run, document, arrived, { kind: 'lost', failure: ended });
	return ended ?? decideAgain(run, document, arrived, null);
}

/** Undefined if it is of no use, its failure if it may be billed all the same. */
async function concludeEarlier(
	run: Run,
	document: Ready,
	earlier: Earlier,
): Promise<Ended | JobError | undefined> {
	const { operation, attempt } = run;
	const { past } = earlier;
	if (operation.kind === 'calls')
		return past.kind === 'outputs'
			? await concludeEarlierCall(run, operation, document, past.bytes)
			: undefined;
	if (past.kind === 'job') {
		const collected = await collectEarlier(run, past.jobId, document);
		if (collected === undefined || collected instanceof JobError) return collected;
		return await conclude(run, operation, document, collected);
	}
	if (past.kind !== 'answer') return undefined;
	// Its credits were shown when it was passed on, and 0 would say that it was free.
	const answer = readAnswerFrom(
		wasPassedOn(earlier) ? { ...past, creditsConsumed: undefined } : past,
	);
	const answered = await conclude(run, operation, document, answer);
	const isBroken = answered.outputs.some((output) => output instanceof BrokenLink);
	// Another attempt must not pay once more.
	return isBroken && !attempt.isOfEarlierAttempt(earlier) ? undefined : answered;
}

/** Undefined for a job that failed at no cost or was canceled, its failure for one that Cogneris no longer has. */
async function collectEarlier(
	{ collecting, jobs }: Run,
	jobId: string,
	{ subject, settings }: Ready,
): Promise<Answer | JobError | undefined> {
	try {
		const { job, retryAfterMs } = await jobs.find(settings, jobId);
		return await jobs.collect(settings, job, { subject, retryAfterMs, isOurs: true });
	} catch (thrown) {
		const failure = notFetched(collecting, thrown, jobId, subject);
		if (!failure.mayBeBilled) return undefined;
		if (failure.result === 'gone') return failure;
		throw failure;
	}
}
