import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';

/** A whole HTTP response, held until it is sent so that a fault can still change it. */
export interface ServiceResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
	/** Set for what a test has it say, whatever the contract says. */
	offContract?: boolean;
}

/** A reason, as envelopes and problem documents list them. */
export interface ApiError {
	code: string;
	message?: string;
	field?: string | null;
	retryable?: boolean;
}

export interface ErrorDetails {
	retryable?: boolean;
	field?: string;
	headers?: Record<string, string>;
	/** Told as a problem document whatever the status. */
	asProblem?: boolean;
	/** Billed all the same. */
	creditsConsumed?: number | null;
	/** Further reasons; of a problem document, the inner ones. */
	errors?: ApiError[];
}

/** Rejects the request: thrown anywhere on its way, turned into a response in one place. */
export class HttpError extends Error {
	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
		readonly details: ErrorDetails = {},
	) {
		super(message);
	}
}

export function jsonResponse(
	status: number,
	value: unknown,
	contentType = 'application/json; charset=utf-8',
): ServiceResponse {
	return textResponse(status, JSON.stringify(value), contentType);
}

export function textResponse(status: number, text: string, contentType: string): ServiceResponse {
	return { status, headers: { 'content-type': contentType }, body: Buffer.from(text) };
}

export function successEnvelope(
	data: unknown,
	creditsConsumed: number | null,
	status = 200,
	messages: string[] = [],
): ServiceResponse {
	return jsonResponse(status, {
		data,
		meta: { httpStatusCode: status, messages, creditsConsumed },
		hasErrors: false,
	});
}

export function errorEnvelope(
	status: number,
	code: string,
	message: string,
	details: ErrorDetails = {},
): ServiceResponse {
	return jsonResponse(status, {
		data: null,
		meta: {
			httpStatusCode: status,
			messages: [message],
			errors: [
				apiError({ code, message, field: details.field, retryable: details.retryable }),
				...(details.errors ?? []).map(apiError),
			],
			creditsConsumed: details.creditsConsumed ?? null,
		},
		hasErrors: true,
	});
}

function apiError({ code, message = code, field = null, retryable = false }: ApiError) {
	return { code, message, field, retryable, details: null };
}

export function problemDocument(
	status: number,
	code: string,
	message: string,
	instance: string,
	details: ErrorDetails = {},
): ServiceResponse {
	const correlationId = randomUUID();
	const built = jsonResponse(
		status,
		{
			type: `https://errors.document-service.example/${code.toLowerCase().replaceAll('_', '-')}`,
			title: STATUS_CODES[status],
			status,
			detail: message,
			instance,
			code,
			correlationId,
			retryable: details.retryable ?? false,
			field: details.field,
			errors: details.errors?.map(apiError),
		},
		'application/problem+json',
	);
	built.headers['x-correlation-id'] = correlationId;
	return built;
}

/** A problem document for what fails before processing, and an envelope for the rest. */
export function errorResponse(
	{ status, code, message, details }: HttpError,
	instance: string,
): ServiceResponse {
	const isProblem = details.asProblem ?? (problemStatuses.has(status) && code !== QUOTA_EXCEEDED);
	const answer = isProblem
		? problemDocument(status, code, message, instance, details)
		: errorEnvelope(status, code, message, details);
	Object.assign(answer.headers, details.headers);
	return answer;
}

export function send(response: ServerResponse, { status, headers, body }: ServiceResponse) {
	if (response.destroyed || response.writableEnded) return;
	response.writeHead(status, { ...headers, 'content-length': body.length });
	if (response.req.complete || response.getHeader('connection') === 'close')
		return void response.end(body);
	// An answer before the end of the upload: ending it now would close the connection of a client that asked for
	// that, and the answer would be lost with what is still on its way.
	response.write(body);
	response.req.once('end', () => response.end());
	response.req.once('close', () => response.end());
}

const problemStatuses = new Set([401, 404, 415, 429, 500]);

const QUOTA_EXCEEDED = 'ADMISSION_QUOTA_EXCEEDED';

/** A document or image from which nothing can be told. */
export function notReadable(message: string, code = 'DOCUMENT_NOT_READABLE'): HttpError {
	return new HttpError(422, code, message, { field: 'file' });
}

export function rateLimitError(headers: Record<string, string> = {}): HttpError {
	const message = 'The rate limit of this API key is used up.';
	return new HttpError(429, 'RATE_LIMIT_EXCEEDED', message, { retryable: true, headers });
}

export function quotaError(): HttpError {
	return new HttpError(429, QUOTA_EXCEEDED, 'The document admission quota is exhausted.', {
		retryable: true,
	});
}

export function sandboxError(): HttpError {
	return new HttpError(
		403,
		'environment.sandbox_route_unavailable',
		'A sandbox key cannot be used for this request.',
		{ asProblem: true },
	);
}
