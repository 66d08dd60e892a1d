import { plainMimeType } from '../../text/mimeType';
import { parseJson } from '../../text/parseJson';
import { booleanOf, isObject, numberOf, objectOf, objectsOf, textOf } from '../../text/json';
import type { ServiceRequest, ServiceResponse } from '../client';
import { notUnderstood, readAnswer, type AnsweredFile } from '../envelope';
import { exchange } from '../exchange';
import { RequestError } from '../requestError';
import { readRetryAfter } from '../retryAfter';
import type { Session } from '../session';
import { jobKey, readJob, readJobList, type Job, type JobList } from './job';
import { JOB_STATUS_MESSAGES, LIST_STATUS_MESSAGES, SUBMISSION_MESSAGES } from './statusMessages';

const ARTIFACTS = '/api/v1/artifacts';
const JOBS = '/api/v1/document-jobs';

/** A call without an upload is not waited for any longer: what it may lose is asked for again. */
const MAX_CALL_SECONDS = 60;

/** The most that a list of jobs shows (docs/service-contract.md, jobs). */
const MAX_LISTED = 100;

/** What a job is to do. */
export interface Submission {
	/** As the service calls it, for example `Extraction`. */
	operation: string;
	inputReference: string;
	templateId?: string;
}

/** What all calls of a session have in common. */
export interface CallSettings {
	/** Of one request. */
	timeoutSeconds: number;
	/** How often one request may be retried; 3 unless set. */
	retries?: number;
}

/** A stored file, as the service describes it. */
export interface StoredFile {
	reference: string;
	fileName: string | null;
	contentType: string | null;
	sizeBytes: number | null;
	expiresAt: string | null;
}

/** Stores a file; storing it again is not billed either. */
export async function storeFile(
	session: Session,
	file: InstanceType<typeof FormData>,
	subject: string,
	settings: CallSettings,
): Promise<StoredFile> {
	return await call(
		session,
		{ method: 'POST', path: ARTIFACTS, body: file, subject, isFree: true },
		settings,
		(data) => {
			const { reference, fileName, contentType, sizeBytes, expiresAt } = objectOf(data);
			const known = textOf(reference);
			if (known === null || known === '') return undefined;
			return {
				reference: known,
				fileName: textOf(fileName),
				contentType: textOf(contentType),
				sizeBytes: numberOf(sizeBytes),
				expiresAt: textOf(expiresAt),
			};
		},
	);
}

/** @param key the same for every attempt, so that the service takes them for one */
export async function submitJob(
	session: Session,
	{ operation, inputReference, templateId }: Submission,
	key: string,
	subject: string,
	settings: CallSettings,
): Promise<{ job: Job; retryAfterMs: number | undefined }> {
	let retryAfterMs: number | undefined;
	const job = await call(
		session,
		{
			method: 'POST',
			path: JOBS,
			headers: { 'Idempotency-Key': key },
			body: {
				operation,
				inputReference,
				...(templateId === undefined ? {} : { templateId }),
			},
			subject,
			codeMessages: SUBMISSION_MESSAGES,
		},
		settings,
		(data, response) => {
			const seconds = numberOf(objectOf(data).retryAfterSeconds);
			retryAfterMs =
				readRetryAfter(response.headers, Date.now()) ??
				(seconds === null ? undefined : seconds * 1000);
			return readJob(data);
		},
	);
	return { job, retryAfterMs };
}

/**
 * The newest jobs of the account.
 *
 * @param cursor of the page; the first one without. It is passed as for templates (docs/service-contract.md, jobs: open).
 */
export async function listJobs(
	session: Session,
	settings: CallSettings,
	cursor?: string,
): Promise<JobList> {
	return await call(
		session,
		{
			method: 'GET',
			path: JOBS,
			query: { limit: String(MAX_LISTED), ...(cursor === undefined ? {} : { cursor }) },
			subject: 'the list of jobs',
			isFree: true,
			statusMessages: LIST_STATUS_MESSAGES,
		},
		settings,
		(data) => (Array.isArray(objectOf(data).jobs) ? readJobList(data) : undefined),
	);
}

export async function getJob(
	session: Session,
	jobId: string,
	settings: CallSettings,
): Promise<Job> {
	return await call(session, { ...ofJob(jobId), method: 'GET' }, settings, (data) => {
		const job = readJob(data);
		// An answer about another job would give this one its result.
		return job !== undefined && jobKey(job.jobId) === jobKey(jobId) ? job : undefined;
	});
}

/**
 * Asks the service to cancel a job.
 *
 * @returns whether the service says that it will
 * @throws RequestError with status 409 where it is too late
 */
export async function cancelJob(
	session: Session,
	jobId: string,
	settings: CallSettings,
): Promise<boolean> {
	return await call(
		session,
		cancelRequest(jobId),
		settings,
		(data) => booleanOf(objectOf(data).cancellationRequested) ?? true,
	);
}

export function cancelRequest(
	jobId: string,
): Pick<ServiceRequest, 'method' | 'path' | 'subject' | 'isFree'> {
	const { path, ...others } = ofJob(jobId);
	return { ...others, method: 'POST', path: `${path}/cancel` };
}

function ofJob(jobId: string): Pick<ServiceRequest, 'path' | 'subject' | 'isFree'> {
	const path = `${JOBS}/${encodeURIComponent(jobId)}`;
	return { path, subject: `job ${jobId}`, isFree: true };
}

/** What is stored as the result of a job: JSON, or else the file itself. */
export type StoredResult = { json: unknown } | { file: AnsweredFile };

/** What is behind the reference of a result. */
export async function fetchResult(
	session: Session,
	reference: string,
	subject: string,
	settings: CallSettings,
): Promise<StoredResult> {
	return await fetchContent(session, reference, subject, settings, readResult);
}

/** A stored file with its bytes. */
export interface FileContent {
	bytes: Buffer;
	/** Without parameters; empty where the service does not say it. */
	mimeType: string;
	/** The header Content-Disposition. */
	disposition: string;
}

/** The file behind a reference: one that was uploaded, or the result of a job. */
export async function fetchFile(
	session: Session,
	reference: string,
	subject: string,
	settings: CallSettings,
): Promise<FileContent> {
	return await fetchContent(session, reference, subject, settings, (response) => {
		const { status, headers, body } = response;
		const mimeType = plainMimeType(headers['content-type']);
		// The service stores neither empty files nor web pages, which are what a gateway answers with.
		if (body.length === 0 || mimeType === 'text/html') return notUnderstood(status, subject, true);
		return { bytes: body, mimeType, disposition: headers['content-disposition'] ?? '' };
	});
}

async function fetchContent<Content>(
	session: Session,
	reference: string,
	subject: string,
	{ timeoutSeconds, retries }: CallSettings,
	read: (response: ServiceResponse, request: ServiceRequest) => Content | RequestError,
): Promise<Content> {
	return await exchange(
		session,
		{
			...COMMON,
			method: 'GET',
			path: `${ARTIFACTS}/content`,
			query: { reference },
			headers: { Accept: '*/*' },
			subject,
			timeoutSeconds: Math.min(timeoutSeconds, MAX_CALL_SECONDS),
			retries,
			isFree: true,
		},
		(response, request) => {
			const isContent = response.status >= 200 && response.status < 300;
			return isContent ? read(response, request) : failureIn(response, request);
		},
	);
}

/** A stored file is not in an envelope; what a gateway puts in its place may be, and so may a failure. */
function readResult(
	response: ServiceResponse,
	request: ServiceRequest,
): StoredResult | RequestError {
	const { status, headers, body } = response;
	let json: unknown;
	try {
		json = parseJson(body.toString('utf8'));
	} catch {
		const mimeType = plainMimeType(headers['content-type']);
		return body.length === 0 || mimeType === '' || IS_TEXT.test(mimeType)
			? notUnderstood(status, request.subject, true)
			: { file: { bytes: body, mimeType } };
	}
	if (!isObject(json) || !('hasErrors' in json) || !('meta' in json)) return { json };
	const answer = readAnswer(response, request);
	if (answer instanceof RequestError) return answer;
	return answer.data === null || answer.data === undefined
		? notUnderstood(status, request.subject, true)
		: { json: answer.data };
}

/** Types of a result that arrived in part, or of the page of a gateway. */
const IS_TEXT = /^text\/|[/+](json|xml)$/;

/** A template of the account, finished and so ready to be chosen. */
export interface Template {
	id: string;
	name: string;
}

const TEMPLATES_PER_PAGE = 50;

/** @param cursor of the page; the first one without */
export async function listTemplates(
	session: Session,
	cursor: string | undefined,
	settings: CallSettings,
): Promise<{ templates: Template[]; nextCursor: string | undefined }> {
	return await call(
		session,
		{
			method: 'GET',
			path: '/api/v1/templates',
			query: {
				limit: String(TEMPLATES_PER_PAGE),
				...(cursor === undefined ? {} : { cursor }),
			},
			subject: 'the list of templates',
			isFree: true,
		},
		settings,
		(data) => {
			const { templates, nextCursor, hasMore } = objectOf(data);
			if (!Array.isArray(templates)) return undefined;
			const found = objectsOf(templates).flatMap(({ id, name }) => {
				const known = textOf(id);
				return known === null ? [] : [{ id: known, name: textOf(name) || known }];
			});
			// Whether a last page has a cursor is open.
			const next = hasMore === false ? undefined : textOf(nextCursor) || undefined;
			return { templates: found, nextCursor: next };
		},
	);
}

const COMMON = { isRepeatable: true, statusMessages: JOB_STATUS_MESSAGES };

/** One call that is answered with the envelope. */
async function call<Result>(
	session: Session,
	request: Omit<ServiceRequest, 'timeoutSeconds' | keyof typeof COMMON> &
		Partial<Pick<ServiceRequest, 'statusMessages'>>,
	{ timeoutSeconds, retries }: CallSettings,
	read: (data: unknown, response: ServiceResponse) => Result | undefined,
): Promise<Result> {
	return await exchange(
		session,
		{
			...COMMON,
			...request,
			retries,
			timeoutSeconds:
				request.body instanceof FormData
					? timeoutSeconds
					: Math.min(timeoutSeconds, MAX_CALL_SECONDS),
		},
		(response, asked) => {
			const answer = readAnswer(response, asked);
			if (answer instanceof RequestError) return answer;
			return read(answer.data, response) ?? notUnderstood(response.status, asked.subject, true);
		},
	);
}

/** Why there is no file: the envelope of a failure. */
function failureIn(response: ServiceResponse, request: ServiceRequest): RequestError {
	const answer = readAnswer(response, request);
	return answer instanceof RequestError
		? answer
		: notUnderstood(response.status, request.subject, true);
}
