import { describeCredits, joinSentences, pluralize, subjectOf } from './words';

/*
 * What a failure says. What happened and what to do next stand where it is recognized (STATUS_MESSAGES, CONNECTION_MESSAGES,
 * the failures of jobs, the operations). What it may have cost, and what is kept or lost of the other documents, stand
 * here. Each part is one sentence and what to do takes at most two or three, so a message has at most four.
 */

/** What a failure may have cost, unless Cogneris says so. */
export type Cost = 'nothing' | 'document' | 'submission' | 'runningJob' | 'inFlight';

const COSTS: Record<Cost, string> = {
	nothing: '',
	document: 'The document may already be billed',
	submission: 'The job may have been created and billed',
	runningJob: 'The job may continue and be billed',
	inFlight: 'The document may still be processed and billed',
};

const SKIPPED =
	", so Skip will skip the document: to process it again, choose Process Again in 'Files Processed Before' for one run with only that file";

export const FIND_JOB = 'Find the job with Job: Get Many before you process the document again.';

const KEPT = 'Then execute again: the result is kept, and not paid for twice.';

/** What the next run does with the document: it sends it, Skip skips it, or it uses the result of this run. */
export type Next = 'send' | 'skip' | 'useResult';

const NEXT: Record<Cost | 'billed', Record<Exclude<Next, 'useResult'>, string>> = {
	nothing: { send: '', skip: '' },
	billed: { send: '', skip: SKIPPED },
	document: { send: ', and processing it again may be billed twice', skip: SKIPPED },
	submission: { send: '', skip: SKIPPED },
	runningJob: { send: '', skip: '' },
	inFlight: { send: '', skip: '' },
};

/** One sentence, or none where it cost nothing and nothing is kept. */
export function describeCost(cost: Cost, credits = 0, next: Next = 'send'): string {
	if (next === 'useResult') return KEPT;
	const isBilled = credits > 0;
	const what = isBilled ? `Cogneris billed ${describeCredits(credits)}` : COSTS[cost];
	const then = NEXT[isBilled && cost === 'nothing' ? 'billed' : cost][next];
	return what === '' ? '' : `${what}${then}.`;
}

/** What is kept of the other documents of a run that failed, and what is lost. */
export interface Others {
	results: number;
	/** Of the results. */
	credits: number;
	jobs: number;
	inFlight: number;
	lost: number;
	/** Whether a result is of no use when the links in it have expired. */
	followsLinks: boolean;
}

/** One sentence, or none without other documents that may be billed. */
export function describeOthers(others: Others, nextStep: string): string {
	const { results, credits, jobs, inFlight, lost, followsLinks } = others;
	const kept = [
		results > 0 &&
			`${pluralize(results, 'result')}${credits > 0 ? ` (${describeCredits(credits)})` : ''}`,
		jobs > 0 && pluralize(jobs, 'job'),
		inFlight > 0 && `${pluralize(inFlight, 'request')} in progress`,
	].filter((part) => part !== false);
	const are = results + jobs + inFlight === 1 ? 'is' : 'are';
	const howLong = followsLinks ? 'as long as the links to the images work' : 'for a day at most';
	const losses =
		lost === 1 ? '1 that may be billed is lost' : `${lost} that may be billed are lost`;
	const parts = [
		kept.length > 0 &&
			`${kept.join(' and ')} ${are} kept in the memory of this n8n process ${howLong}`,
		lost > 0 && losses,
	].filter((part) => part !== false);
	const when = followsLinks ? ' soon' : '';
	return parts.length === 0
		? ''
		: `Of the other documents, ${parts.join(', and ')}: ${nextStep}${when}.`;
}

/** @param culprits the documents that failed for a reason of their own; none if another run may succeed with them */
export function describeNextStep(culprits: string[]): string {
	return joinSentences(
		culprits.length > 0 && `correct or remove ${subjectOf(culprits)} and`,
		'execute again',
	);
}
