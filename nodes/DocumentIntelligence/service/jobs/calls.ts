import { randomUUID } from 'node:crypto';

import { booleanOf, numberOf, objectOf, objectsOf, textOf } from '../../text/json';
import type { ServiceRequest, ServiceResponse } from '../client';
import { notUnderstood, readAnswer } from '../envelope';
import { exchange, type ReadResponse } from '../exchange';
import { RequestError, STATUS_MESSAGES, type FailureMessage } from '../requestError';
import { readRetryAfter } from '../retry';
import type { Session } from '../session';
import { jobKey, readJob, readJobList } from './job';

const ARTIFACTS = '/api/v1/artifacts';
const JOBS = '/api/v1/document-jobs';
const TEMPLATES = '/api/v1/templates';

/** The most that a page of each list has (docs/internals/service-contract.md, jobs and templates). */
const PAGE_SIZES = { [JOBS]: 100, [TEMPLATES]: 50 };

/** A call without an upload is not waited for any longer: what it may lose is asked for again. */
const MAX_CALL_SECONDS = 60;

/** What the calls of a document have in common. */
export interface CallSettings {
	/** Of one request. */
	timeoutSeconds: number;
	/** Absent for as many as suit the call. */
	retries?: number;
}

/** A stored file as the service describes it; null for what it does not say. */
export type StoredFile = Awaited<ReturnType<typeof storeFile>>;

/** Stores a file, which is not billed, however often it is done. */
export async function storeFile(
	session: Session,
	body: InstanceType<typeof FormData>,
	subject: string,
	settings: CallSettings,
) {
	const request = { method: 'POST' as const, path: ARTIFACTS, body, subject };
	return await call(session, request, patient(settings), (data) => {
		const { contentType, sizeBytes, expiresAt, ...others } = objectOf(data);
		const reference = textOf(others.reference);
		if (reference === null || reference === '') return undefined;
		return {
			reference,
			contentType: textOf(contentType),
			sizeBytes: numberOf(sizeBytes),
			expiresAt: textOf(expiresAt),
		};
	});
}

/** What a job is to do with a document. */
export interface DocumentJob {
	/** As the service calls it, for example `Extraction`. */
	operation: string;
	templateId?: string;
	/** The name of the file in quotes. */
	subject: string;
}

/** @returns the job, and how long the service suggests to wait before its status is checked */
export async function submitJob(
	session: Session,
	{ operation, templateId, subject }: DocumentJob,
	inputReference: string,
	settings: CallSettings,
) {
	const request = {
		method: 'POST' as const,
		path: JOBS,
		// The same for every attempt, so that the service starts one job.
		headers: { 'Idempotency-Key': randomUUID() },
		body: { operation, inputReference, ...(templateId === undefined ? {} : { templateId }) },
		subject,
		isFree: false,
	};
	return await call(session, request, patient(settings), (data, { headers }) => {
		const job = readJob(data);
		const seconds = numberOf(objectOf(data).retryAfterSeconds) ?? undefined;
		const retryAfterMs = readRetryAfter(headers) ?? (seconds && seconds * 1000);
		return job && { job, retryAfterMs };
	});
}

/**
 * The newest jobs of the account.
 *
 * @param cursor of the page; the first one without. It is passed as for templates (docs/internals/service-contract.md, jobs: open).
 */
export async function listJobs(session: Session, settings: CallSettings, cursor?: string) {
	const request = pageRequest(JOBS, 'the list of jobs', cursor);
	return await call(session, request, settings, (data) =>
		Array.isArray(objectOf(data).jobs) ? readJobList(data) : undefined,
	);
}

export async function getJob(session: Session, jobId: string, settings: CallSettings) {
	return await call(session, jobRequest('GET', jobId), settings, (data) => {
		const job = readJob(data);
		// An answer about another job would give this one its result.
		return job !== undefined && jobKey(job.jobId) === jobKey(jobId) ? job : undefined;
	});
}

/**
 * @returns whether the service says that it will cancel the job
 * @throws RequestError with status 409 if it is too late
 */
export async function cancelJob(session: Session, jobId: string, settings: CallSettings) {
	const request = jobRequest('POST', jobId, '/cancel');
	const read = (data: unknown) => booleanOf(objectOf(data).cancellationRequested) ?? true;
	return await call(session, request, settings, read);
}

/** What is stored behind a reference: a file that was uploaded, or the result of a job. Failures are in an envelope. */
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
		if (response.status >= 200 && response.status < 300) return read(response, asked);
		const answer = readAnswer(response, asked);
		return answer instanceof RequestError ? answer : notUnderstood(response.status, subject, true);
	});
}

/** A template of the account, finished and so ready to be chosen. */
export interface Template {
	id: string;
	name: string;
}

/** @param cursor of the page; the first one without */
export async function listTemplates(
	session: Session,
	cursor: string | undefined,
	settings: CallSettings,
) {
	const request = pageRequest(TEMPLATES, 'the list of templates', cursor);
	return await call(session, request, settings, (data) => {
		const { templates, nextCursor, hasMore } = objectOf(data);
		if (!Array.isArray(templates)) return undefined;
		const found = objectsOf(templates).flatMap(({ id, name }) => {
			const known = textOf(id);
			return known === null ? [] : [{ id: known, name: textOf(name) || known }];
		});
		// Whether a last page has a cursor is open.
		const next = hasMore === false ? undefined : textOf(nextCursor) || undefined;
		return { templates: found, nextCursor: next };
	});
}

type CallRequest = Pick<ServiceRequest, 'method' | 'path' | 'subject'> & Partial<ServiceRequest>;

function jobRequest(method: 'GET' | 'POST', jobId: string, then = ''): CallRequest {
	const path = `${JOBS}/${encodeURIComponent(jobId)}${then}`;
	return { method, path, subject: `job ${jobId}` };
}

function pageRequest(
	path: keyof typeof PAGE_SIZES,
	subject: string,
	cursor: string | undefined,
): CallRequest {
	const limit = String(PAGE_SIZES[path]);
	const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
	// A list is there even if it is empty.
	const statusMessages = { ...JOB_STATUS_MESSAGES, 404: STATUS_MESSAGES[404]! };
	return { method: 'GET', path, query, subject, statusMessages };
}

/** Of what costs nothing, and is repeated for the sake of a result that is paid. */
export function patient(settings: CallSettings): CallSettings {
	return { retries: 8, ...settings };
}

function completed(request: CallRequest, settings: CallSettings): ServiceRequest {
	const { timeoutSeconds, retries } = settings;
	const isUpload = request.body instanceof FormData;
	return {
		statusMessages: JOB_STATUS_MESSAGES,
		isFree: true,
		...request,
		isRepeatable: true,
		timeoutSeconds: isUpload ? timeoutSeconds : Math.min(timeoutSeconds, MAX_CALL_SECONDS),
		retries,
	};
}

/** One call that is answered with the envelope. */
async function call<Result>(
	session: Session,
	request: CallRequest,
	settings: CallSettings,
	read: (data: unknown, response: ServiceResponse) => Result | undefined,
): Promise<Result> {
	return await exchange(session, completed(request, settings), (response, asked) => {
		const answer = readAnswer(response, asked, false);
		if (answer instanceof RequestError) return answer;
		return read(answer.data, response) ?? notUnderstood(response.status, asked.subject, true);
	});
}

const TRY_LATER = 'Cogneris may be temporarily unavailable: try again later.';

/** What statuses and codes mean of jobs and stored files (docs/internals/service-contract.md, stored files). */
const JOB_STATUS_MESSAGES: Readonly<Record<string, FailureMessage>> = {
	...STATUS_MESSAGES,
	// `hasErrors` without a status of its own.
	200: { message: (subject) => `Cogneris did not finish ${subject}`, suggestedFix: TRY_LATER },
	400: {
		message: (subject) => `Cogneris rejected the request for ${subject}`,
		suggestedFix: 'Check the job ID or file reference: it has to be one of the same API key.',
	},
	403: {
		message: (subject) => `The API key may not be used for ${subject}`,
		suggestedFix:
			'Check in your Cogneris account that a subscription is active. A sandbox key (xtkt_test_) works with jobs and stored files only, and without a template.',
	},
	404: {
		message: (subject) => `Cogneris cannot find ${subject}`,
		suggestedFix:
			'Jobs and stored files are kept for 7 days and belong to the account of the API key. Check the ID or reference, and that the credential is the one it was made with.',
	},
	410: {
		message: (subject) => `Cogneris no longer keeps ${subject}`,
		suggestedFix:
			'Stored files and results are kept for 7 days. Upload the file again, or process it again.',
	},
	template_unknown: {
		message: (subject) => `Cogneris cannot find the template for ${subject}`,
		suggestedFix:
			'Choose a template from the list: it has to be finished, and of the account of the API key.',
	},
};
