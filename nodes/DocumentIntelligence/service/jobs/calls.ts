import { randomUUID } from 'node:crypto';

import { booleanOf, objectOf, textOf } from '../../text/json';
import type { ServiceRequest, ServiceResponse } from '../client';
import { notUnderstood, readAnswer } from '../envelope';
import { exchange, type ReadResponse } from '../exchange';
import { NOT_OUR_SERVICE, RequestError, STATUS_MESSAGES, told } from '../requestError';
import { readRetryAfter } from '../retry';
import type { Session } from '../session';
import { jobKey, readJob, readJobList } from './job';

const ARTIFACTS = '/api/v1/artifacts';
const JOBS = '/api/v1/document-jobs';

/** Many, because these calls are not billed twice, and a paid result may depend on them. */
const MAX_RETRIES = 8;

/** For calls without an upload, which can be repeated if the response is lost. */
const MAX_CALL_SECONDS = 60;

export interface CallSettings {
	timeoutSeconds: number;
	retries?: number;
}

/** Storing is never billed. */
export async function storeFile(
	session: Session,
	body: InstanceType<typeof FormData>,
	subject: string,
	settings: CallSettings,
) {
	const request = { method: 'POST' as const, path: ARTIFACTS, body, subject };
	return await callService(session, request, settings, (data) => {
		const { contentType, sizeBytes, expiresAt, ...others } = objectOf(data);
		const reference = textOf(others.reference) ?? '';
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

export async function submitJob(
	session: Session,
	{ operation, templateId, subject }: DocumentJob,
	inputReference: string,
	settings: CallSettings,
) {
	const request = {
		method: 'POST' as const,
		path: JOBS,
		// Every attempt sends the same key, so that the service starts one job.
		headers: { 'Idempotency-Key': randomUUID() },
		body: { operation, inputReference, ...(templateId === undefined ? {} : { templateId }) },
		subject,
		isFree: false,
	};
	return await callService(session, request, settings, (data, { headers }) => {
		const job = readJob(data);
		return job && { job, retryAfterMs: readRetryAfter(headers) };
	});
}

/** @param cursor as for templates, which is open for jobs (docs/internals/service-contract.md, jobs) */
export async function listJobs(session: Session, settings: CallSettings, cursor?: string) {
	const request = pageRequest(JOBS, 100, 'job list', cursor);
	return await callService(session, request, settings, readJobList);
}

export async function getJob(session: Session, jobId: string, settings: CallSettings) {
	return await callService(session, jobRequest('GET', jobId), settings, (data) => {
		const job = readJob(data);
		// A response for another job would give this one the wrong result.
		return job !== undefined && jobKey(job.jobId) === jobKey(jobId) ? job : undefined;
	});
}

/** @throws RequestError with status 409 if it is too late */
export async function cancelJob(session: Session, jobId: string, settings: CallSettings) {
	const request = jobRequest('POST', jobId, '/cancel');
	return await callService(
		session,
		request,
		settings,
		(data) => booleanOf(objectOf(data).cancellationRequested) ?? true,
	);
}

/** Fetches an uploaded file or the result of a job; only failures are in an envelope. */
export async function fetchContent<Content>(
	session: Session,
	reference: string,
	subject: string,
	settings: CallSettings,
	read: ReadResponse<Content>,
): Promise<Content> {
	const headers = { Accept: '*/*' };
	const path = `${ARTIFACTS}/content`;
	const request = { method: 'GET' as const, path, query: { reference }, headers, subject };
	return await exchange(session, completed(request, settings), (response, asked) => {
		const isFound = response.status >= 200 && response.status < 300;
		// For any other status, readAnswer returns an error.
		return isFound ? read(response, asked) : (readAnswer(response, asked) as RequestError);
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
	const query = { limit: String(limit), ...(cursor === undefined ? {} : { cursor }) };
	// A list exists even if it is empty.
	const wrongAddress = told(`No ${list} found at this address`, NOT_OUR_SERVICE);
	const statusMessages = { ...STATUS_MESSAGES, 404: wrongAddress };
	return { method: 'GET', path, query, subject: `the ${list}`, statusMessages };
}

function completed(request: CallRequest, settings: CallSettings): ServiceRequest {
	const { timeoutSeconds, retries = MAX_RETRIES } = settings;
	const isUpload = request.body instanceof FormData;
	return {
		// An upload names no job or reference that could be wrong.
		statusMessages: isUpload ? STATUS_MESSAGES : JOB_STATUS_MESSAGES,
		isFree: true,
		...request,
		isRepeatable: true,
		timeoutSeconds: isUpload ? timeoutSeconds : Math.min(timeoutSeconds, MAX_CALL_SECONDS),
		retries,
	};
}

export async function callService<Result>(
	session: Session,
	request: CallRequest,
	settings: CallSettings,
	read: (data: unknown, response: ServiceResponse) => Result | undefined,
): Promise<Result> {
	return await exchange(session, completed(request, settings), (response, asked) => {
		const answer = readAnswer(response, asked);
		if (answer instanceof RequestError) return answer;
		return read(answer.data, response) ?? notUnderstood(response.status, asked.subject);
	});
}

/** For jobs and stored files (docs/internals/service-contract.md, Stored files). */
const JOB_STATUS_MESSAGES: typeof STATUS_MESSAGES = {
	...STATUS_MESSAGES,
	400: told(
		'Cogneris rejected the request for %s',
		'Check the job ID or file reference. It must belong to the account of the API key.',
	),
	403: told(
		'The API key does not allow access to %s',
		'Check in your Cogneris account that a subscription is active. A sandbox key (xtkt_test_) works with jobs and stored files only, and without a template.',
	),
	404: told(
		'Cogneris cannot find %s',
		'Jobs and stored files are kept for 7 days and belong to the account of the API key. Check the ID or reference, and use the credential that it was created with.',
	),
	410: told(
		'Cogneris no longer keeps %s',
		'Stored files and results are kept for 7 days. Upload the file again, or process it again.',
	),
	template_unknown: told(
		'Cogneris cannot find the template for %s',
		"Choose a template from the list. It must be finished, in the API key's account.",
	),
};
