import { asDocumentError, type DocumentError } from '../../text/errors';
import { isObject, parseJson } from '../../text/json';
import { pluralize } from '../../text/words';
import type { ServiceRequest, ServiceResponse } from '../client';
import { notUnderstood, readAnswer, type Answer } from '../envelope';
import { joined, RequestError, told, type FailureMessage } from '../requestError';
import type { Session } from '../session';
import { fetchContent, type CallSettings } from './calls';
import type { Job } from './job';

export async function answerOf(
	session: Session,
	job: Job,
	subject: string | undefined,
	settings: CallSettings,
): Promise<Answer> {
	const { jobId, status, outputReference: reference, creditsConsumed } = job;
	if (status !== 'Succeeded' || reference === null) throw noResult(job, subject);
	const what = `the result of job ${jobId}`;
	const answer = await fetchContent(session, reference, what, settings, readResult).catch(
		(thrown: unknown) => {
			throw notFetched(session, thrown, jobId, subject);
		},
	);
	const data = asDirectResult(answer.stored ?? null);
	return { ...answer, data, ...(creditsConsumed === null ? {} : { creditsConsumed }) };
}

/** A result is JSON without an envelope; what a gateway sends in its place may have one. */
function readResult(response: ServiceResponse, request: ServiceRequest): Answer | RequestError {
	const unreadable = notUnderstood(response.status, request.subject);
	try {
		const stored = parseJson(response.body.toString('utf8'));
		const isEnvelope = isObject(stored) && 'hasErrors' in stored && 'meta' in stored;
		if (!isEnvelope) return { data: null, stored };
		const answer = readAnswer(response, request);
		if (answer instanceof RequestError) return answer;
		return (answer.data ?? null) === null ? unreadable : { data: null, stored: answer.data };
	} catch {
		return unreadable;
	}
}

/**
 * A job writes the names of Cogneris with a capital (docs/internals/service-contract.md, jobs); below `metadata`, names
 * are those of the template and stay.
 */
export function asDirectResult(stored: unknown): unknown {
	if (Array.isArray(stored)) return stored.map(asDirectResult);
	if (!isObject(stored)) return stored;
	const entries = Object.entries(stored).map(([name, value]): [string, unknown] => {
		const direct = name.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase());
		const result = direct === 'metadata' ? value : asDirectResult(value);
		// If both spellings exist, they are two entries.
		return [Object.hasOwn(stored, direct) ? name : direct, result];
	});
	// Unlike an assignment, this treats `__proto__` as any other name.
	return Object.fromEntries(entries);
}

/** By status or failure code. */
const REASONS: Readonly<Record<string, FailureMessage>> = {
	Succeeded: told(
		'Job %s has finished without a result',
		'Do not process the document again: the result may become available later.',
	),
	Cancelled: told('Job %s was cancelled', 'To get a result, process the document again.'),
	template_unresolved: told(
		'Job %s found no template that fits',
		'Choose a template, set one up for this kind of document in your Cogneris account, or use Discover Fields, which needs none.',
	),
};

/** For a job that has ended. Its credits show whether it cost something; one that succeeded may have. */
export function noResult(job: Job, subject: string | undefined): RequestError {
	const { jobId, status, failureCode } = job;
	const credits = job.creditsConsumed ?? 0;
	const unknown = told(
		`Job %s returned no result${failureCode === null ? '' : `: ${failureCode}`}`,
		job.retryable
			? 'The job can be retried: process the document again later.'
			: 'Open the file and check that it is complete and legible, then process it again.',
	);
	const reason = REASONS[(status === 'Failed' ? failureCode : status) ?? ''] ?? unknown;
	const [message, suggestedFix] = reason(jobName(jobId, subject));
	return new RequestError(
		message,
		joined(
			credits > 0 ? `Cogneris billed ${pluralize(credits, 'credit')}.` : '',
			suggestedFix,
			status === 'Succeeded' ? fetchLater(jobId) : '',
		),
		{
			jobId,
			...(failureCode === null ? {} : { code: failureCode }),
			...(credits > 0 ? { creditsConsumed: credits } : {}),
		},
		status === 'Succeeded' ? 'lost' : 'never',
	);
}

export function notFinished(jobId: string, subject: string | undefined, seconds: number) {
	return new RequestError(
		`Job ${jobName(jobId, subject)} has not finished within ${pluralize(seconds, 'second')}`,
		`The job may continue and be billed. ${fetchLater(jobId)} For long documents, raise 'Timeout (Seconds)'.`,
		{ jobId },
		'lost',
	);
}

/** 0 if it failed without an HTTP status. */
export function statusOf(thrown: unknown): number {
	return asDocumentError(thrown).details.httpCode ?? 0;
}

/** Adds the job's ID, as the result may be paid; an error that has it is returned unchanged. */
export function notFetched(
	{ cancelled, signal }: Session,
	thrown: unknown,
	jobId: string,
	subject: string | undefined,
): DocumentError {
	const failure = asDocumentError(thrown);
	const { message, description, details } = failure;
	if (details.jobId !== undefined) return failure;
	const job = jobName(jobId, subject);
	const status = statusOf(failure);
	// The reason of an ended run applies to documents that were not sent, not to this one.
	const isEnd = cancelled.aborted || thrown === signal.reason;
	const isKept = isEnd || (status !== 404 && status !== 410);
	// A rejected key has to be corrected first.
	const isExplained = !isKept || status === 401 || status === 403;
	return new RequestError(
		isEnd
			? `The execution ${cancelled.aborted ? 'was stopped' : 'ended'} before the result of job ${job} was fetched`
			: `The result of job ${job} could not be fetched: ${message}`,
		joined(
			'The document may already be billed.',
			isKept ? fetchLater(jobId) : '',
			isExplained ? description : '',
		),
		{ ...details, jobId },
		'lost',
	);
}

function jobName(jobId: string, subject: string | undefined): string {
	return subject === undefined ? jobId : `${jobId} for ${subject}`;
}

function fetchLater(jobId: string): string {
	return `Cogneris keeps the result for 7 days: fetch it with the resource Job, operation Get Result, job ID ${jobId}.`;
}
