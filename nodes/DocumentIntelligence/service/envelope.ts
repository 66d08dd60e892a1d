import type { IDataObject } from 'n8n-workflow';

import type { FailureDetails } from '../text/errors';
import { listOf, numberOf, objectOf, parseJson } from '../text/json';
import { plainMimeType } from '../text/words';
import type { ServiceRequest, ServiceResponse } from './client';
import {
	joined,
	NOT_OUR_SERVICE,
	RequestError,
	sentences,
	told,
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

/** A 429 that does not end with the minute (docs/internals/service-contract.md, Statuses). */
const QUOTA_CODE = 'admission_quota_exceeded';

/** A 409 to a retry during its first attempt (docs/internals/service-contract.md, Jobs). */
const IN_PROGRESS_CODE = 'idempotency_request_in_progress';

/** A gateway may respond with it after it has forwarded the request. */
const REQUEST_TIMEOUT = 408;

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
	const answer = parseObject(body);
	if (!isSuccess(status) || answer.hasErrors === true) return failureIn(response, answer, request);
	if (!('data' in answer) || answer.hasErrors !== false)
		return notUnderstood(status, request.subject);
	const { creditsConsumed } = objectOf(answer.meta);
	const isKnown = typeof creditsConsumed === 'number' && creditsConsumed >= 0;
	return isKnown ? { data: answer.data, creditsConsumed } : { data: answer.data };
}

function failureIn(
	{ status, headers }: ServiceResponse,
	answer: IDataObject,
	{ subject, isRepeatable, statusMessages }: ServiceRequest,
): RequestError {
	const meta = objectOf(answer.meta);
	// Under HTTP 200, the envelope has the actual status.
	const httpCode = (isSuccess(status) ? numberOf(meta.httpStatusCode) : null) ?? status;
	const errors = [...listOf(answer.errors), ...listOf(meta.errors)].map(objectOf);
	const credits = Math.max(0, numberOf(meta.creditsConsumed) ?? 0);
	const [code] = sentences([errors[0]?.code ?? answer.code]);
	const messages = sentences([
		...listOf(meta.messages),
		...errors.map(({ message }) => message),
		answer.detail ?? answer.title,
	]);
	const [correlationId] = sentences([answer.correlationId ?? headers['x-correlation-id']]);
	const details: FailureDetails = {
		httpCode,
		...(code === undefined ? {} : { code }),
		...(messages.length === 0 ? {} : { messages }),
		...(correlationId === undefined ? {} : { correlationId }),
		...(credits === 0 ? {} : { creditsConsumed: credits }),
	};
	const kind = code?.toLowerCase() ?? '';
	const says = [answer, ...errors].map(({ retryable }) => retryable);
	const retryKind = retryKindOf(httpCode, kind, says, credits);
	const messageOf =
		statusMessages[kind] ??
		statusMessages[httpCode] ??
		statusMessages[`${Math.floor(httpCode / 100)}xx`] ??
		told(`Cogneris responded with status ${httpCode} to the request for %s`, NOT_OUR_SERVICE);
	const [message, suggestedFix] = messageOf(subject);
	// Waiting does not restore a quota.
	const isRefusal = retryKind === 'safe' && httpCode !== 429;
	return new RequestError(
		message,
		joined(
			isRefusal
				? 'Cogneris says that the request can be retried: try again later.'
				: suggestedFix || (isRepeatable ? 'Try again later.' : ''),
			messages.length > 0 && `Cogneris says: "${messages.join(' ').replace(/\.$/, '')}".`,
			correlationId !== undefined && `When you contact Cogneris support, quote ${correlationId}.`,
		),
		details,
		retryKind,
		{ retryAfterMs: readRetryAfter(headers) },
	);
}

/** @param says `retryable` of the response and of each of its errors */
function retryKindOf(httpCode: number, code: string, says: unknown[], credits: number): RetryKind {
	if (credits === 0) {
		if (httpCode === 429) return code === QUOTA_CODE ? 'safe' : 'rateLimit';
		const isRetryable = says.includes(true) && !says.includes(false);
		if (isRetryable || code === IN_PROGRESS_CODE) return 'safe';
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

function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

function parseObject(body: Buffer): IDataObject {
	try {
		return objectOf(parseJson(body.toString('utf8')));
	} catch {
		return {};
	}
}
