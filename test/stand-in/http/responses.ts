import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** A whole HTTP response, held until it is sent so that a fault can still change it. */
export interface ServiceResponse {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
}

export interface ErrorDetails {
	retryable?: boolean;
	field?: string;
	headers?: Record<string, string>;
	/** Told as a problem document whatever the status. */
	asProblem?: boolean;
	/** Billed all the same. */
	creditsConsumed?: number;
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
	return {
		status,
		headers: { 'content-type': contentType },
		body: Buffer.from(JSON.stringify(value)),
	};
}

export function textResponse(status: number, text: string, contentType: string): ServiceResponse {
	return { status, headers: { 'content-type': contentType }, body: Buffer.from(text) };
}

export function successEnvelope(
	data: unknown,
	creditsConsumed: number | null,
	messages: string[] = [],
	status = 200,
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
				{
					code,
					message,
					field: details.field ?? null,
					retryable: details.retryable ?? false,
					details: null,
				},
			],
			creditsConsumed: details.creditsConsumed ?? null,
		},
		hasErrors: true,
	});
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
			title: titles[status] ?? 'Refused',
			status,
			detail: message,
			instance,
			code,
			correlationId,
			retryable: details.retryable ?? false,
			...(details.field === undefined ? {} : { field: details.field }),
		},
		'application/problem+json',
	);
	built.headers['x-correlation-id'] = correlationId;
	return built;
}

/** A problem document for some statuses, an envelope for the rest; a used-up quota is told in an envelope as well. */
export function errorResponse(error: HttpError, instance: string): ServiceResponse {
	const asProblem =
		error.details.asProblem ?? (problemStatuses.has(error.status) && error.code !== QUOTA_EXCEEDED);
	const built = asProblem
		? problemDocument(error.status, error.code, error.message, instance, error.details)
		: errorEnvelope(error.status, error.code, error.message, error.details);
	Object.assign(built.headers, error.details.headers);
	return built;
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

const problemStatuses = new Set([401, 404, 405, 415, 429, 500]);

const QUOTA_EXCEEDED = 'ADMISSION_QUOTA_EXCEEDED';

export function quotaError(): HttpError {
	return new HttpError(429, QUOTA_EXCEEDED, 'The quota of this subscription is used up.');
}

export function sandboxError(): HttpError {
	return new HttpError(
		403,
		'environment.sandbox_route_unavailable',
		'A sandbox key cannot be used for this request.',
		{ asProblem: true },
	);
}

const titles: Record<number, string> = {
	400: 'Bad Request',
	401: 'Unauthorized',
	403: 'Forbidden',
	404: 'Not Found',
	405: 'Method Not Allowed',
	409: 'Conflict',
	410: 'Gone',
	413: 'Content Too Large',
	415: 'Unsupported Media Type',
	422: 'Unprocessable Content',
	429: 'Too Many Requests',
	500: 'Internal Server Error',
	502: 'Bad Gateway',
	503: 'Service Unavailable',
	504: 'Gateway Timeout',
};
