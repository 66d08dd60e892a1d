import { asDocumentError, type FailureDetails } from '../../text/errors';
import type { Cost } from '../../text/failures';
import { isObject, parseJson } from '../../text/json';
import { joinSentences, plainMimeType, pluralize } from '../../text/words';
import type { ServiceRequest, ServiceResponse } from '../client';
import { isFreeJob, notUnderstood, readEnvelope, type Answer } from '../envelope';
import { RequestError, failureMessage, type FailureMessage } from '../requestError';
import type { Session } from '../exchange';
import { fetchContent, type CallSettings } from '../api';
import type { Job } from './job';

/** What a job may have cost, if it does not say so. */
const COST_OF_RESULT = { none: 'nothing', gone: 'document', kept: 'document' } as const;

/** A job without its result. */
export class JobError extends RequestError {
	/**
	 * @param remarks what else to do than to fetch a result that Cogneris still keeps
	 * @param result whether it has one, which may be billed, and whether Cogneris still keeps it
	 * @param who fetches a result that is kept
	 */
	constructor(
		message: string,
		private readonly remarks: string,
		readonly jobId: string,
		readonly result: 'none' | 'gone' | 'kept',
		details: FailureDetails = {},
		cost: Cost = COST_OF_RESULT[result],
		who: keyof typeof FETCH = 'nextRun',
	) {
		const kind = result === 'none' ? 'never' : 'lost';
		const fetch = `${FETCH[who]} within 7 days with Job: Get Result and the job ID ${jobId}.`;
		const advice = joinSentences(result === 'kept' && fetch, remarks);
		super(message, advice, { ...details, jobId }, kind, {}, cost);
	}

	/** For a job that no later run or poll asks for. */
	leftToUser(): JobError {
		const { message, remarks, jobId, result, details, cost } = this;
		return new JobError(message, remarks, jobId, result, details, cost, 'user');
	}
}

const FETCH = {
	nextRun: 'Execute again to collect the result, or fetch it',
	user: 'Fetch the result',
};

/** Without the result itself, or without the reference to it. */
const NOT_RETURNED = failureMessage(
	'The result of job %s could not be fetched: Cogneris did not return it, although the job has succeeded',
	'If it is still missing then, contact Cogneris support with this ID.',
);

/** A job has succeeded, but Cogneris does not return its result, perhaps only for a moment. */
export class ResultNotFound extends JobError {
	constructor({ jobId }: Job, subject: string | undefined, details: FailureDetails) {
		const [message, suggestedFix] = NOT_RETURNED(jobName(jobId, subject));
		super(message, suggestedFix, jobId, 'kept', details);
	}
}

/** @throws ResultNotFound if the job has one that Cogneris does not return, JobError if there is no result */
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
			throw NOT_FOUND.has(statusOf(thrown))
				? new ResultNotFound(job, subject, asDocumentError(thrown).details)
				: notFetched(session, thrown, jobId, subject);
		},
	);
	return { ...answer, jobId, ...(creditsConsumed === null ? {} : { creditsConsumed }) };
}

/**
 * JSON has no envelope, although what a gateway sends in its place may have one. Any other type is a file, such as an
 * image, a PDF or an archive (docs/internals/service-contract.md, Jobs).
 */
function readResult(response: ServiceResponse, request: ServiceRequest): Answer | RequestError {
	const { body, headers } = response;
	const mimeType = plainMimeType(headers['content-type']);
	// A proxy that does not know better labels anything as plain text.
	const isJson = ['', 'text/plain'].includes(mimeType) || /[/+]json$/.test(mimeType);
	if (!isJson) return { kind: 'file', bytes: body, mimeType };
	const unreadable = notUnderstood(response.status, request.subject);
	try {
		const sent = parseJson(body.toString('utf8'));
		const isEnvelope = isObject(sent) && 'hasErrors' in sent && 'meta' in sent;
		const content = isEnvelope ? readEnvelope(response, request) : { data: sent };
		if (content instanceof RequestError) return content;
		const { data } = content;
		if (isEnvelope && data === null) return unreadable;
		return { kind: 'data', data: asDirectResult(data), asSent: data };
	} catch {
		return unreadable;
	}
}

/**
 * A job writes the names of Cogneris with a capital (docs/internals/service-contract.md, jobs); below `metadata`, names
 * are those of the template and stay.
 */
export function asDirectResult(sent: unknown): unknown {
	if (Array.isArray(sent)) return sent.map(asDirectResult);
	if (!isObject(sent)) return sent;
	const entries = Object.entries(sent).map(([name, value]): [string, unknown] => {
		const direct = name.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase());
		const result = direct === 'metadata' ? value : asDirectResult(value);
		// If both spellings exist, they are two entries.
		return [Object.hasOwn(sent, direct) ? name : direct, result];
	});
	// Unlike an assignment, this treats `__proto__` as any other name.
	return Object.fromEntries(entries);
}

/** By status or failure code. */
const REASONS: Readonly<Record<string, FailureMessage>> = {
	Succeeded: NOT_RETURNED,
	Cancelled: failureMessage('Job %s was canceled', 'To get a result, process the document again.'),
	template_unresolved: failureMessage(
		'Job %s could not find the chosen template when it ran',
		"The template may have been deleted. Choose another one, or set 'Template' to Automatic, and process the document again.",
	),
};

/** For a job that has ended. Its credits show whether it cost something; one that succeeded may have. */
export function noResult(job: Job, subject: string | undefined): JobError {
	const { jobId, status, failureCode } = job;
	const creditsConsumed = job.creditsConsumed ?? undefined;
	const hasSucceeded = status === 'Succeeded';
	const unknown = failureMessage(
		`Job %s returned no result${failureCode === null ? '' : `: ${failureCode}`}`,
		job.retryable
			? 'The job can be retried: process the document again later.'
			: 'Open the file and check that it is complete and legible, then process it again.',
	);
	const reason = REASONS[(status === 'Failed' ? failureCode : status) ?? ''] ?? unknown;
	const [message, suggestedFix] = reason(jobName(jobId, subject));
	const details = {
		...(failureCode === null ? {} : { code: failureCode }),
		...(creditsConsumed === undefined ? {} : { creditsConsumed }),
	};
	const result = hasSucceeded ? 'kept' : 'none';
	const cost = isFreeJob({ jobId, creditsConsumed }) ? 'nothing' : COST_OF_RESULT[result];
	return new JobError(message, suggestedFix, jobId, result, details, cost);
}

export function notFinished(jobId: string, subject: string | undefined, seconds: number) {
	return new JobError(
		`Job ${jobName(jobId, subject)} did not finish within ${pluralize(seconds, 'second')}`,
		"For long documents, raise 'Timeout (Seconds)'.",
		jobId,
		'kept',
		{},
		'runningJob',
	);
}

/** Unknown, unreadable or another account's, which Cogneris does not tell apart. */
const NOT_FOUND = new Set([400, 404]);

/** No longer kept. */
const EXPIRED = 410;

/** Whether Cogneris, and not a server in between, says that it does not have what was asked for. */
export function isGone(thrown: unknown): boolean {
	return (
		thrown instanceof RequestError &&
		thrown.circumstances.isFromCogneris === true &&
		(NOT_FOUND.has(statusOf(thrown)) || statusOf(thrown) === EXPIRED)
	);
}

/** 0 if it failed without an HTTP status. */
export function statusOf(thrown: unknown): number {
	return asDocumentError(thrown).details.httpCode ?? 0;
}

/**
 * Names the job, as its result may be billed. A failure of the job itself is returned unchanged.
 * @param remark what else is known of the job
 */
export function notFetched(
	{ canceled, signal }: Session,
	thrown: unknown,
	jobId: string,
	subject: string | undefined,
	remark = '',
): JobError {
	if (thrown instanceof JobError) return thrown;
	const failure = asDocumentError(thrown);
	const { message, advice, details } = failure;
	const job = jobName(jobId, subject);
	const status = statusOf(failure);
	// The reason of an ended run applies to documents that were not sent, not to this one.
	const isStopped = canceled.aborted && !isTimeUp(canceled);
	const isEnd = canceled.aborted || thrown === signal.reason;
	const isKept = isEnd || !isGone(failure);
	// A rejected key has to be corrected first.
	const isExplained = !isKept || status === 401 || status === 403;
	return new JobError(
		isEnd
			? `The execution ${isStopped ? 'was stopped' : 'ended'} before the result of job ${job} was fetched`
			: `The result of job ${job} could not be fetched: ${message}`,
		joinSentences(isExplained && advice, remark),
		jobId,
		isKept ? 'kept' : 'gone',
		details,
	);
}

/** Polls have a time limit; an execution ends because the user stops it. */
function isTimeUp({ reason }: AbortSignal): boolean {
	return reason instanceof Error && reason.name === 'TimeoutError';
}

function jobName(jobId: string, subject: string | undefined): string {
	return subject === undefined ? jobId : `${jobId} for ${subject}`;
}
