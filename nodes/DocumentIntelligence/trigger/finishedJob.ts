import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { asDocumentError, DocumentError, failedItemJson } from '../text/errors';
import { readOutput } from '../parameters/menu';
import type { ReadParameter } from '../parameters/readParameter';
import { beside } from '../results/fields';
import { getJob, type CallSettings } from '../service/jobs/calls';
import { hasEnded, jobJson, type Job } from '../service/jobs/job';
import { answerOf, RunningJobs } from '../service/jobs/runningJobs';
import { RequestError } from '../service/requestError';
import { Slots, type Session } from '../service/session';
import { Hints } from '../text/hints';
import { finish, type Finished } from '../run/items';
import { getResult } from '../operations/jobGetResult';
import type { Document, DocumentContext, Output } from '../operations/operation';

/** What the items of a poll have in common. */
export interface Delivery {
	context: IPollFunctions;
	session: Session;
	settings: CallSettings;
	read: ReadParameter;
	downloadsResult: boolean;
}

/**
 * The items of a job that has ended, as Get Result gives them, with what is known of the job beside them. One without a
 * result is a single item that says why.
 *
 * @param isLastTry whether a result that cannot be fetched now is given up
 * @returns undefined where it may be there later
 */
export async function itemsOfJob(
	delivery: Delivery,
	job: Job,
	isLastTry: boolean,
): Promise<Finished[] | undefined> {
	if (!delivery.downloadsResult) return [{ item: { json: jobJson(job) } }];
	const document = documentOf(job, delivery);
	const fetched = await fetchOutputs(delivery, job, document).catch((thrown: unknown) => {
		// A poll that has no time left says nothing of the result.
		const isGivenUp = isLastTry && !delivery.session.signal.aborted;
		if (!isGivenUp && mayBeThereLater(job, thrown)) return undefined;
		return { job, outputs: [asDocumentError(thrown)] };
	});
	if (fetched === undefined) return undefined;
	const known = jobFields(fetched.job);
	// Get Result has no item for a picture in which nothing was found; the job has finished all the same.
	if (fetched.outputs.length === 0) return [{ item: { json: known } }];
	return fetched.outputs.map((output, position) => {
		if (output instanceof DocumentError) {
			return { item: { json: { ...known, ...failedItemJson(output) } } };
		}
		const { item, row } = finish(output, document, getResult, position);
		// A trigger has no input that its items could be paired with.
		const { json, binary } = item;
		const own = { json, ...(binary === undefined ? {} : { binary }) };
		return row === undefined
			? { item: { ...own, json: beside(json, known) } }
			: { item: own, row, rowInput: known };
	});
}

async function fetchOutputs(
	delivery: Delivery,
	job: Job,
	document: Document,
): Promise<{ job: Job; outputs: Output[] }> {
	const { context, session, settings, read } = delivery;
	const { subject } = document;
	// A list may show a job as succeeded before its result is there.
	const isShort = job.status === 'Succeeded' && job.outputReference === null;
	const whole = isShort ? await getJob(session, job.jobId, settings) : job;
	if (!hasEnded(whole)) throw new NotThereYet();
	const answer = await answerOf(session, whole, undefined, settings);
	const output = readOutput(getResult, read);
	const own: DocumentContext = {
		session,
		jobs: new RunningJobs(new Slots(1)),
		context,
		hints: new Hints(),
		document,
		subject,
		read,
		output,
		settings,
	};
	try {
		const result = { job: whole, answer };
		const outputs = await getResult.toOutputs(result, own);
		return { job: whole, outputs };
	} catch (thrown) {
		// What has been fetched is not fetched again, whatever becomes of it.
		return { job: whole, outputs: [asDocumentError(thrown)] };
	}
}

class NotThereYet extends Error {}

const GONE = 410;

/** Whether a job that succeeded has a result that could not be fetched, and has not been deleted. */
function mayBeThereLater({ status, outputReference }: Job, thrown: unknown): boolean {
	if (status !== 'Succeeded') return false;
	if (!(thrown instanceof RequestError)) return true;
	// A result that came and is nested too deeply will be the same the next time.
	const hasCome = outputReference !== null && thrown.retryKind === 'never';
	return !hasCome && thrown.details.httpCode !== GONE;
}

/** What is known of the job beside its result. */
function jobFields({ jobId, operation, status, completedAt, failureCode }: Job): IDataObject {
	return { jobId, operation, status, completedAt, failureCode };
}

/** The document of a job: which file it was, the service does not say. */
function documentOf({ jobId }: Job, { read }: Delivery): Document {
	return {
		item: {
			itemIndex: 0,
			json: {},
			read,
			isSandbox: false,
			files: async () => await Promise.resolve([]),
		},
		parts: [],
		skipped: 0,
		subject: `job ${jobId}`,
		fileName: null,
		nameOfFiles: jobId,
	};
}
