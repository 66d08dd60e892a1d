import type { IPollFunctions } from 'n8n-workflow';

import { getResult } from '../operations/jobGetResult';
import type { Document, Output } from '../operations/operation';
import type { ReadParameter } from '../parameters/read';
import { finish, type Finished } from '../run/items';
import { cancelledBy } from '../service/client';
import { getJob } from '../service/jobs/calls';
import { lacksResult, type Job } from '../service/jobs/job';
import { answerOf } from '../service/jobs/jobResult';
import { RunningJobs } from '../service/jobs/runningJobs';
import { RequestError } from '../service/requestError';
import { Slots, type Session } from '../service/session';
import { asDocumentError, DocumentError, failedItemJson } from '../text/errors';
import { Hints } from '../text/hints';
import type { Wanted } from './parameters';

/** What all steps of a poll have in common. */
export interface Polled {
	context: IPollFunctions;
	session: Session;
	wanted: Wanted;
	read: ReadParameter;
}

/** What fails costs nothing, and the next poll asks again: retries would use up the requests of a minute. */
export const SETTINGS = { timeoutSeconds: 20, retries: 0 };

/**
 * The items of a job that has ended, as Get Result returns them, with what is known of the job. One without a result is
 * a single item with the reason.
 *
 * @param isLastTry whether a result that cannot be fetched now is given up
 * @returns undefined if it may be there later
 */
export async function finishedJob(
	polled: Polled,
	job: Job,
	isLastTry: boolean,
): Promise<Finished[] | undefined> {
	const { wanted, session } = polled;
	if (wanted.output === undefined) return [{ item: { json: { ...job } } }];
	const { jobId, operation, status, completedAt, failureCode } = job;
	const known = { jobId, operation, status, completedAt, failureCode };
	// A job does not say which file it is about.
	const document: Document = {
		item: {
			itemIndex: 0,
			json: {},
			read: polled.read,
			isSandbox: session.account.isSandbox,
			files: async () => await Promise.resolve([]),
		},
		parts: [],
		skipped: 0,
		subject: `job ${jobId}`,
		fileName: null,
	};
	let outputs: Output[];
	try {
		outputs = await fetchOutputs(polled, wanted.output, job, document);
	} catch (thrown) {
		if (!isLastTry && (session.signal.aborted || mayBeThereLater(job, thrown))) return undefined;
		outputs = [asDocumentError(thrown)];
	}
	// Get Result has no item for a picture in which nothing was found; the job has finished all the same.
	if (outputs.length === 0) return [{ item: { json: known } }];
	return outputs.map((output, position): Finished => {
		if (output instanceof DocumentError)
			return { item: { json: { ...known, ...failedItemJson(output) } } };
		// A trigger has no input that its items could be paired with.
		const { item, ...row } = finish(output, document, getResult, position, known);
		const { json, binary } = item;
		return { item: { json, ...(binary === undefined ? {} : { binary }) }, ...row, rowInput: known };
	});
}

async function fetchOutputs(
	polled: Polled,
	output: string,
	job: Job,
	document: Document,
): Promise<Output[]> {
	const { session, read } = polled;
	// A list may show a job as succeeded before its result is there.
	const whole = lacksResult(job) ? await getJob(session, job.jobId, SETTINGS) : job;
	const answer = await answerOf(session, whole, undefined, SETTINGS);
	const { subject } = document;
	// Downloads end with the poll.
	const context = cancelledBy(polled.context, session.signal);
	const jobs = new RunningJobs(new Slots(1));
	const hints = new Hints();
	return await getResult.toOutputs(
		{ job: whole, answer },
		{ session, context, jobs, hints, document, subject, read, output, settings: SETTINGS },
	);
}

/** Whether a job that succeeded has a result that could not be fetched, and has not been deleted. */
function mayBeThereLater({ status, outputReference }: Job, thrown: unknown): boolean {
	if (status !== 'Succeeded' || !(thrown instanceof RequestError)) return false;
	// A result that came and cannot be passed on is the same the next time.
	return (thrown.retryKind === 'lost' || outputReference === null) && !isGone(thrown);
}

/** Whether Cogneris does not keep it any longer. */
export function isGone(thrown: unknown, ...others: number[]): boolean {
	const { httpCode = 0 } = thrown instanceof RequestError ? thrown.details : {};
	return [410, ...others].includes(httpCode);
}
