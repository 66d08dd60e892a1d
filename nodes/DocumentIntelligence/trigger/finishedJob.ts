import type { IPollFunctions } from 'n8n-workflow';

import { getResult } from '../operations/jobGetResult';
import type { Document, Output } from '../operations/operation';
import type { ReadParameter } from '../parameters/read';
import { finish, type Finished } from '../run/items';
import { cancelledBy } from '../service/client';
import { getJob } from '../service/jobs/calls';
import { lacksResult, type Job } from '../service/jobs/job';
import { answerOf, statusOf } from '../service/jobs/jobResult';
import { RequestError } from '../service/requestError';
import type { Session } from '../service/session';
import { asDocumentError, DocumentError, failedItemJson } from '../text/errors';
import { Hints } from '../text/hints';
import type { readWanted } from './parameters';

export interface Polled {
	context: IPollFunctions;
	session: Session;
	wanted: ReturnType<typeof readWanted>;
	read: ReadParameter;
}

/** No retries: the next poll asks again at no cost, and retries would use up the rate limit. */
export const SETTINGS = { timeoutSeconds: 20, retries: 0 };

/**
 * The items of a job that has ended, as Get Result returns them; without a result, one item with the reason.
 * @param isLastTry whether a result that cannot be fetched now is given up
 * @returns undefined if it may be there later
 */
export async function finishedJob(
	{ context, session, wanted: { output }, read }: Polled,
	job: Job,
	isLastTry: boolean,
): Promise<Finished[] | undefined> {
	if (output === undefined) return [{ item: { json: { ...job } } }];
	const { jobId, operation, status, completedAt, failureCode } = job;
	const known = { jobId, operation, status, completedAt, failureCode };
	const subject = `job ${jobId}`;
	// A job does not include its file name.
	const document: Document = {
		item: { itemIndex: 0, json: {}, read },
		parts: [],
		skipped: 0,
		subject,
		fileName: null,
	};
	let outputs: Output[];
	try {
		// A list may show a job as succeeded before its result exists.
		const whole = lacksResult(job) ? await getJob(session, jobId, SETTINGS) : job;
		const answer = await answerOf(session, whole, undefined, SETTINGS);
		// Downloads end with the poll.
		const own = cancelledBy(context, session.signal);
		const shared = { context: own, hints: new Hints(), document, subject, read, output };
		outputs = await getResult.toOutputs({ job: whole, answer }, shared);
	} catch (thrown) {
		// Any other failure is permanent, such as a result that cannot be converted.
		const mayComeLater =
			status === 'Succeeded' && thrown instanceof RequestError && statusOf(thrown) !== 410;
		if (!isLastTry && (session.signal.aborted || mayComeLater)) return undefined;
		outputs = [asDocumentError(thrown)];
	}
	// Get Result returns no item for a picture without findings, but the job has finished.
	if (outputs.length === 0) return [{ item: { json: known } }];
	return outputs.map((found, position): Finished => {
		if (found instanceof DocumentError)
			return { item: { json: { ...known, ...failedItemJson(found) } } };
		// A trigger has no input to pair its items with.
		const { item, ...row } = finish(found, document, getResult, position, known);
		const { json, binary } = item;
		return { item: { json, ...(binary === undefined ? {} : { binary }) }, ...row, rowInput: known };
	});
}
