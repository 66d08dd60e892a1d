import type { IDataObject } from 'n8n-workflow';

import type { FailureDetails } from '../text/errors';
import { listOf, numberOf, objectOf, parseJson } from '../text/json';
import { plainMimeType } from '../text/words';
import type { ServiceRequest, ServiceResponse } from './client';
import {
	NOT_OUR_SERVICE,
	RequestError,
	quotableTexts,
	failureMessage,
	type FailureMessage,
	type RetryKind,
} from './requestError';
import { readRetryAfter } from './retry';

export interface Answer {
	data: unknown;
	creditsConsumed?: number;
	/** The result of a job as it is stored, before its names are changed. */
	stored?: unknown;
	/** A response that is itself a file; `data` is null then. The MIME type has no parameters. */
	file?: { bytes: Buffer; mimeType: string };
}

/** Of the account's document quota (docs/internals/service-contract.md, Envelope). */
const QUOTA_CODE = 'admission_quota_exceeded';

/** A 409 to a retry during its first attempt (docs/internals/service-contract.md, Jobs). */
const IN_PROGRESS_CODE = 'idempotency_request_in_progress';

/** Cogneris no longer knows what an idempotency key has started (docs/internals/service-contract.md, Jobs). */
export const REPLAY_UNAVAILABLE_CODE = 'idempotency_replay_unavailable';

/** A gateway may respond with it after it has forwarded the request. */
const REQUEST_TIMEOUT = 408;

/** Cogneris gives its reason with these; other statuses mean the same whoever sends them. */
const PROXY_STATUSES = new Set([400, 403, 407]);

/**
 * Parses the envelope, a problem document, a page of a gateway, or nothing; `hasErrors` decides, also under HTTP 200
 * (docs/internals/service-contract.md, Envelope).
 */
export function readAnswer(
	response: ServiceResponse,
	request: ServiceRequest,
): Answer | RequestError {
	const { status, headers, body } = response;
	const mimeType = plainMimeType(headers['content-type']);
	const isImage = mimeType.startsWith('image/') && body.length > 0;
	if (request.mayReturnImage && isSuccess(status) && isImage)
		return { data: null, file: { bytes: body, mimeType } };
	const answer = parseObject(body.toString('utf8'));
	const isProxy = PROXY_STATUSES.has(status) || (isSuccess(status) && mimeType === 'text/html');
	if (isProxy && !isFromCogneris(headers, answer)) return notFromCogneris(status, request.subject);
	if (!isSuccess(status) || answer.hasErrors === true) return failureIn(response, answer, request);
	if (answer.hasErrors !== false) return notUnderstood(status, request.subject);
	const { data = null } = answer;
	const { creditsConsumed } = objectOf(answer.meta);
	const isKnown = typeof creditsConsumed === 'number' && creditsConsumed >= 0;
	return isKnown ? { data, creditsConsumed } : { data };
}

/** What a failed response says, whatever its form. */
function readComplaint({ status, headers }: ServiceResponse, answer: IDataObject) {
	const meta = objectOf(answer.meta);
	const errors = errorsIn(answer);
	const codes = quotableTexts([answer, ...errors].map(({ code }) => code));
	const messages = quotableTexts([
		...listOf(meta.messages),
		...errors.map(({ message }) => message),
		answer.detail ?? answer.title,
	]);
	const [correlationId] = quotableTexts([answer.correlationId ?? headers['x-correlation-id']]);
	const credits = numberOf(meta.creditsConsumed) ?? 0;
	const details: FailureDetails = {
		httpCode: statusIn(status, answer),
		...(codes.length > 0 && { code: codes[0] }),
		...(messages.length > 0 && { messages }),
		...(correlationId !== undefined && { correlationId }),
		...(credits > 0 && { creditsConsumed: credits }),
	};
	const retryableFlags = [answer, ...errors].map(({ retryable }) => retryable);
	return { details, retryableFlags };
}

function errorsIn(answer: IDataObject): IDataObject[] {
	return [...listOf(answer.errors), ...listOf(objectOf(answer.meta).errors)].map(objectOf);
}

/** Every code in lower case, the outer one first. */
export function codesIn(answer: IDataObject): string[] {
	const codes = [answer, ...errorsIn(answer)].map(({ code }) => code);
	return quotableTexts(codes).map((code) => code.toLowerCase());
}

/** Another 429 ends with the minute. */
export function isQuota(httpCode: number, codes: string[]): boolean {
	return httpCode === 429 && codes.includes(QUOTA_CODE);
}

function failureIn(
	response: ServiceResponse,
	answer: IDataObject,
	{ subject, isRepeatable, statusMessages }: ServiceRequest,
): RequestError {
	const { details, retryableFlags } = readComplaint(response, answer);
	const codes = codesIn(answer);
	const { httpCode = response.status, creditsConsumed } = details;
	const isRetryable = retryableFlags.includes(true) && !retryableFlags.includes(false);
	const retryKind = retryKindOf(httpCode, codes, isRetryable, creditsConsumed !== undefined);
	const [message, suggestedFix] = messageFor(httpCode, codes, statusMessages)(subject);
	return new RequestError(
		message,
		retryKind === 'safe'
			? 'Cogneris says that the request can be retried: try again later.'
			: suggestedFix || (isRepeatable ? 'Try again later.' : ''),
		details,
		retryKind,
		{ retryAfterMs: readRetryAfter(response.headers), codes },
	);
}

/** The message for the first code that has one, else for the status. */
function messageFor(
	httpCode: number,
	codes: string[],
	statusMessages: ServiceRequest['statusMessages'],
): FailureMessage {
	const names = [...codes, String(httpCode), `${Math.floor(httpCode / 100)}xx`];
	const name = names.find((candidate) => Object.hasOwn(statusMessages, candidate)) ?? '';
	return (
		statusMessages[name] ??
		failureMessage(
			`Cogneris responded with status ${httpCode} to the request for %s`,
			NOT_OUR_SERVICE,
		)
	);
}

function retryKindOf(
	httpCode: number,
	codes: string[],
	isRetryable: boolean,
	isBilled: boolean,
): RetryKind {
	if (!isBilled) {
		if (httpCode === 429) return isQuota(httpCode, codes) ? 'quota' : 'rateLimit';
		// Cogneris may say that it can be retried, but with this key it cannot.
		if (codes.includes(REPLAY_UNAVAILABLE_CODE)) return 'never';
		if (isRetryable || codes.includes(IN_PROGRESS_CODE)) return 'safe';
	}
	const isRejection = httpCode >= 300 && httpCode < 500 && httpCode !== REQUEST_TIMEOUT;
	return isRejection ? 'never' : 'lost';
}

export function notUnderstood(httpCode: number, subject: string): RequestError {
	return new RequestError(
		`The response for ${subject} could not be read`,
		`The response is empty, truncated, too large, a web page, or in a format that this version of the node does not know. ${NOT_OUR_SERVICE}`,
		{ httpCode },
		'lost',
	);
}

function notFromCogneris(httpCode: number, subject: string): RequestError {
	return new RequestError(
		`A proxy or firewall answered instead of Cogneris, with status ${httpCode}, to the request for ${subject}`,
		'Ask your network administrator to allow the address in the credential, or check that address.',
		{ httpCode },
		isSuccess(httpCode) ? 'lost' : 'never',
	);
}

function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

/** Under HTTP 200, the envelope has the actual status. */
export function statusIn(httpStatus: number, { meta }: IDataObject): number {
	const { httpStatusCode } = objectOf(meta);
	return (isSuccess(httpStatus) ? numberOf(httpStatusCode) : null) ?? httpStatus;
}

/** The envelope or a problem document; anything else comes from a server in between. */
export function isFromCogneris(headers: ServiceResponse['headers'], answer: IDataObject): boolean {
	const isLabeled = plainMimeType(headers['content-type']) === 'application/problem+json';
	const isProblem = isLabeled
		? Object.keys(answer).length > 0
		: 'correlationId' in answer || ('code' in answer && 'title' in answer);
	return typeof answer.hasErrors === 'boolean' || isProblem;
}

/** Empty if the body is no JSON object. */
export function parseObject(body: string): IDataObject {
	try {
		return objectOf(parseJson(body));
	} catch {
		return {};
	}
}
