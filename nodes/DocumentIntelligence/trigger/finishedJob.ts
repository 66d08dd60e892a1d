import type { IPollFunctions } from 'n8n-workflow';

import { getResult, outputsOfJob } from '../operations/job/getResult';
import { undelivered } from '../operations/operation';
import type { ReadParameter } from '../parameters/read';
import { toPendingItem, type PendingItem } from '../run/items';
import { getJob } from '../service/api';
import { isRedaction, lacksResult, type Job } from '../service/jobs/job';
import { answerOf, JobError, statusOf } from '../service/jobs/jobResult';
import { RequestError } from '../service/requestError';
import type { Session } from '../service/exchange';
import { DocumentError, failedItemJson } from '../text/errors';
import { Notes } from '../text/notes';
import type { readWanted } from './parameters';

export interface Polled {
	context: IPollFunctions;
	session: Session;
	wanted: ReturnType<typeof readWanted>;
	read: ReadParameter;
}

/** No retries: the next poll asks again, and retries would use up the rate limit. */
export const POLL_CALL = { timeoutSeconds: 20, retries: 0 };

/** Whether the items of a job need its result. */
export function needsRequest({ wanted: { output } }: Polled, job: Job): boolean {
	return output !== undefined && job.status === 'Succeeded' && !isRedaction(job);
}

/**
 * The items of a job that has ended, as Get Result returns them; without a result, one item with the reason.
 * @param isLastTry whether a result that cannot be fetched now is given up
 * @returns undefined if it may be there later
 */
export async function finishedJob(
	{ context, session, wanted: { output }, read }: Polled,
	job: Job,
	isLastTry: boolean,
): Promise<PendingItem[] | undefined> {
	// The result of a redaction cannot be fetched.
	const isJobOnly = output === undefined || (isRedaction(job) && job.status === 'Succeeded');
	if (isJobOnly) return [{ kind: 'item', item: { json: { ...job } } }];
	const { jobId, operation, status, completedAt, failureCode } = job;
	const known = { jobId, operation, status, completedAt, failureCode };
	const subject = `job ${jobId}`;
	const item = { itemIndex: 0, json: {}, read };
	// A job does not include the name of its file.
	const document = { item, subject, fileName: null, parts: [], stored: null, skippedFiles: 0 };
	let outputs: Awaited<ReturnType<typeof outputsOfJob>>;
	try {
		// A list may show a job as succeeded before its result exists.
		const { job: whole } = lacksResult(job) ? await getJob(session, jobId, POLL_CALL) : { job };
		const answer = await answerOf(session, whole, undefined, POLL_CALL);
		// Downloads end with the poll.
		const files = { helpers: context.helpers, signal: session.signal };
		const shared = { files, notes: new Notes(), document, read, output, session };
		outputs = await outputsOfJob(whole, answer, shared);
	} catch (thrown) {
		// Any other failure is permanent, such as a result that cannot be converted.
		const mayComeLater =
			status === 'Succeeded' && thrown instanceof RequestError && statusOf(thrown) !== 410;
		if (!isLastTry && (session.signal.aborted || mayComeLater)) return undefined;
		outputs = [failureFor(subject, thrown)];
	}
	// Get Result returns no item for a picture without findings, but the job has finished.
	if (outputs.length === 0) return [{ kind: 'item', item: { json: known } }];
	return outputs.map((result, position): PendingItem => {
		if (result instanceof DocumentError)
			return { kind: 'item', item: { json: { ...known, ...failedItemJson(result) } } };
		const pending = toPendingItem(result, document, getResult, position, known);
		// A trigger has no input to pair its items with.
		delete pending.item.pairedItem;
		return pending.kind === 'row' ? { ...pending, input: known } : pending;
	});
}

const FETCH_AGAIN = 'Then fetch the result with Job: Get Result.';

/** No later poll asks for the job. */
function failureFor(subject: string, thrown: unknown): DocumentError {
	if (thrown instanceof JobError) return thrown.leftToUser();
	return undelivered(subject, thrown, getResult, 'nothing', FETCH_AGAIN);
}
