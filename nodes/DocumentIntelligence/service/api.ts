import { randomUUID } from 'node:crypto';

import { booleanOf, numberOf, objectOf, objectsOf, textOf } from '../text/json';
import { plainMimeType } from '../text/words';
import type { ServiceRequest, ServiceResponse } from './client';
import { isSuccess, notUnderstood, readEnvelope } from './envelope';
import { sendWithRetries, type ReadResponse, type Session } from './exchange';
import { NOT_OUR_SERVICE, RequestError, failureMessage } from './requestError';
import { parseHttpDate, readRetryAfter } from './retry';
import { jobKey, readJob } from './jobs/job';

const ARTIFACTS = '/api/v1/artifacts';
const JOBS = '/api/v1/document-jobs';

/** Many, because none of these calls starts a job twice, and a result that may be billed may depend on them. */
const MAX_RETRIES = 8;

/** For calls that move no file, which can be repeated if the response is lost. */
const MAX_CALL_SECONDS = 60;

export type CallSettings = Pick<ServiceRequest, 'timeoutSeconds' | 'retries' | 'onDetached'>;

/** Its code says which of the two it is (docs/internals/service-contract.md, statuses). */
const UPLOAD_REJECTED = failureMessage(
	'Cogneris did not accept %s',
	'The security policy of Cogneris rejected the file, or the file could not be converted. Open it and check that it is complete and not protected by a password, or convert it to PDF before this node.',
);

export async function storeFile(
	session: Session,
	body: InstanceType<typeof FormData>,
	subject: string,
	settings: CallSettings,
) {
	const request: CallRequest = {
		method: 'POST',
		path: ARTIFACTS,
		body,
		subject,
		processes: 'storedFile',
		timeoutSeconds: settings.timeoutSeconds,
		// Not those of jobs: it names no job or reference that could be wrong.
		statusMessages: { 422: UPLOAD_REJECTED },
	};
	return await callService(session, request, settings, (data) => {
		const { contentType, sizeBytes, expiresAt, ...remaining } = objectOf(data);
		const reference = textOf(remaining.reference) ?? '';
		return reference === '' ? undefined : { reference, contentType, sizeBytes, expiresAt };
	});
}

export interface DocumentJob {
	/** The service's name for it, e.g. `Extraction`. */
	operation: string;
	templateId?: string;
	/** The file name in quotes. */
	subject: string;
}

/** A stop does not abort it: a job that nobody knows cannot be canceled. */
export async function submitJob(
	session: Session,
	{ operation, templateId, subject }: DocumentJob,
	inputReference: string,
	settings: CallSettings,
) {
	const request: CallRequest = {
		method: 'POST',
		path: JOBS,
		body: { operation, inputReference, templateId },
		subject,
		processes: 'job',
		statusMessages: {
			...JOB_STATUS_MESSAGES,
			template_unknown: failureMessage(
				`Cogneris cannot find the template for %s (${templateId})`,
				'Choose a finished template from the list. It must belong to the account of the API key.',
			),
		},
	};
	const submit = async () => {
		// Every try sends the same key, so that the service starts one job.
		const submission = { ...request, headers: { 'Idempotency-Key': randomUUID() } };
		return await callService(session, submission, settings, readSubmitted);
	};
	return await submit().catch(async (thrown: unknown) => {
		if (thrown instanceof RequestError && thrown.retryKind === 'newKey') return await submit();
		throw thrown as Error;
	});
}

function readSubmitted(data: unknown, { headers }: ServiceResponse) {
	const job = readJob(data);
	const seconds = numberOf(objectOf(data).retryAfterSeconds);
	const suggestedMs = seconds === null ? undefined : seconds * 1000;
	return job && { job, retryAfterMs: readRetryAfter(headers) ?? suggestedMs };
}

export type JobPage = Awaited<ReturnType<typeof listJobs>>;

/** @param cursor as for templates, which is open for jobs (docs/internals/service-contract.md, jobs) */
export async function listJobs(
	session: Session,
	settings: CallSettings,
	limit: number,
	cursor?: string,
) {
	const request = pageRequest(JOBS, limit, 'job list', cursor);
	return await callService(session, request, settings, (data, { headers }) => {
		const page = objectOf(data);
		if (!Array.isArray(page.jobs)) return undefined;
		const readable = objectsOf(page.jobs).flatMap((entry) => readJob(entry) ?? []);
		return {
			/** By {@link jobKey}. */
			jobs: new Map(readable.map((job) => [jobKey(job.jobId), job])),
			/** Whether the account has jobs that are not on this page. */
			hasMore: booleanOf(page.hasMore) === true,
			nextCursor: textOf(page.nextCursor) || undefined,
			/** How many jobs Cogneris returns at once, as far as it says so. */
			limit: numberOf(page.limit),
			retryAfterMs: readRetryAfter(headers),
			servedAt: parseHttpDate(headers.date),
		};
	});
}

/** The job, and how long Cogneris asks to wait before the next status check. */
export async function getJob(session: Session, jobId: string, settings: CallSettings) {
	return await callService(session, jobRequest('GET', jobId), settings, (data, { headers }) => {
		const job = readJob(data);
		// A response for another job would give this one the wrong result.
		if (job === undefined || jobKey(job.jobId) !== jobKey(jobId)) return undefined;
		return { job, retryAfterMs: readRetryAfter(headers) };
	});
}

/** After a stop, which may not wait longer. @returns whether Cogneris confirmed the request */
export async function requestCancellation(session: Session, jobId: string, withinMs: number) {
	const deadline = AbortSignal.timeout(withinMs);
	const stopped = { ...session, turns: {}, signal: deadline, canceled: deadline };
	const settings = { timeoutSeconds: MAX_CALL_SECONDS, retries: 0 };
	return await cancelJob(stopped, jobId, settings).catch(() => false);
}

/** @throws RequestError with status 409 if it is too late */
export async function cancelJob(session: Session, jobId: string, settings: CallSettings) {
	const request = jobRequest('POST', jobId, '/cancel');
	const isRequested = (data: unknown) => booleanOf(objectOf(data).cancellationRequested) ?? true;
	return await callService(session, request, settings, isRequested);
}

/**
 * Fetches an uploaded file or the result of a job; only failures are in an envelope. Neither empty files nor web pages
 * are stored, but a gateway answers with them.
 */
export async function fetchContent<Content>(
	session: Session,
	reference: string,
	subject: string,
	settings: CallSettings,
	read: ReadResponse<Content>,
): Promise<Content> {
	const headers = { Accept: '*/*' };
	const path = `${ARTIFACTS}/content`;
	const method = 'GET' as const;
	// What is unknown and what belongs to another account cannot be told apart.
	const statusMessages = { ...JOB_STATUS_MESSAGES, 400: JOB_STATUS_MESSAGES[404] };
	// A file may take longer than the other calls.
	const { timeoutSeconds } = settings;
	const query = { reference };
	const request = { method, path, query, headers, subject, statusMessages, timeoutSeconds };
	return await sendWithRetries(session, withDefaults(request, settings), (response, asked) => {
		const { status, headers: received, body } = response;
		// For any other status, this is an error.
		if (!isSuccess(status)) return readEnvelope(response, asked) as RequestError;
		const isPage = plainMimeType(received['content-type']) === 'text/html';
		return isPage || body.length === 0 ? notUnderstood(status, subject) : read(response, asked);
	});
}

type CallRequest = Pick<ServiceRequest, 'method' | 'path' | 'subject'> & Partial<ServiceRequest>;

function jobRequest(method: 'GET' | 'POST', jobId: string, then = ''): CallRequest {
	const path = `${JOBS}/${encodeURIComponent(jobId)}${then}`;
	return { method, path, subject: `job ${jobId}` };
}

export function pageRequest(
	path: string,
	limit: number,
	list: string,
	cursor: string | undefined,
): CallRequest {
	const query = { limit: String(limit), cursor };
	const wrongAddress = failureMessage(`No ${list} found at this address`, NOT_OUR_SERVICE);
	// A list exists even if it is empty.
	const statusMessages = { 404: wrongAddress };
	return { method: 'GET', path, query, subject: `the ${list}`, statusMessages };
}

function withDefaults(request: CallRequest, settings: CallSettings): ServiceRequest {
	const { retries = MAX_RETRIES, onDetached } = settings;
	const timeoutSeconds = Math.min(settings.timeoutSeconds, MAX_CALL_SECONDS);
	const statusMessages = JOB_STATUS_MESSAGES;
	return { statusMessages, processes: 'nothing', timeoutSeconds, retries, onDetached, ...request };
}

export async function callService<Result>(
	session: Session,
	request: CallRequest,
	settings: CallSettings,
	read: (data: unknown, response: ServiceResponse) => Result | undefined,
): Promise<Result> {
	const readResult: ReadResponse<Result> = (response, asked) => {
		const content = readEnvelope(response, asked);
		if (content instanceof RequestError) return content;
		return read(content.data, response) ?? notUnderstood(response.status, asked.subject);
	};
	return await sendWithRetries(session, withDefaults(request, settings), readResult);
}

const CHECK_REFERENCE =
	'Check the ID or reference, and that the credential belongs to the account in which it was created. Jobs and stored files are kept for 7 days.';

/** For jobs and stored files (docs/internals/service-contract.md, Stored files). */
const JOB_STATUS_MESSAGES = {
	400: failureMessage('Cogneris rejected the request for %s', CHECK_REFERENCE),
	404: failureMessage('Cogneris cannot find %s', CHECK_REFERENCE),
	410: failureMessage(
		'Cogneris no longer keeps %s',
		'Cogneris keeps results and stored files for 7 days, and this one has expired. Upload the file again, or process it again.',
	),
};
