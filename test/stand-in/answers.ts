import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** A whole HTTP answer, held until it is sent so that a fault can still bend it. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: Buffer;
}

export interface RefusalDetails {
	retryable?: boolean;
	field?: string;
	headers?: Record<string, string>;
	/** Billed all the same. */
	creditsConsumed?: number;
}

/** The service says no: thrown anywhere on a request's way, turned into an answer in one place. */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
		readonly details: RefusalDetails = {},
	) {
		super(message);
	}
}

export function jsonAnswer(
	status: number,
	value: unknown,
	contentType = 'application/json; charset=utf-8',
): Answer {
	return {
		status,
		headers: { 'content-type': contentType },
		body: Buffer.from(JSON.stringify(value)),
	};
}

export function textAnswer(status: number, text: string, contentType: string): Answer {
	return { status, headers: { 'content-type': contentType }, body: Buffer.from(text) };
}

export function successEnvelope(
	data: unknown,
	creditsConsumed: number | null,
	messages: string[] = [],
): Answer {
	return jsonAnswer(200, {
		data,
		meta: { httpStatusCode: 200, messages, creditsConsumed },
		hasErrors: false,
	});
}

export function errorEnvelope(
	status: number,
	code: string,
	message: string,
	details: RefusalDetails = {},
): Answer {
	return jsonAnswer(status, {
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
	details: RefusalDetails = {},
): Answer {
	const correlationId = randomUUID();
	const answer = jsonAnswer(
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
	answer.headers['x-correlation-id'] = correlationId;
	return answer;
}

/** A problem document for some statuses, an envelope for the rest; a used-up quota is told in an envelope as well. */
export function refusalAnswer(refusal: Refusal, instance: string): Answer {
	const asProblem = problemStatuses.has(refusal.status) && refusal.code !== QUOTA_EXCEEDED;
	const answer = asProblem
		? problemDocument(refusal.status, refusal.code, refusal.message, instance, refusal.details)
		: errorEnvelope(refusal.status, refusal.code, refusal.message, refusal.details);
	Object.assign(answer.headers, refusal.details.headers);
	return answer;
}

export function send(response: ServerResponse, answer: Answer) {
	if (response.destroyed || response.writableEnded) return;
	response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body.length });
	if (response.req.complete || response.getHeader('connection') === 'close')
		return void response.end(answer.body);
	// An answer before the end of the upload: ending it now would close the connection of a client that asked for
	// that, and the answer would be lost with what is still on its way.
	response.write(answer.body);
	response.req.once('end', () => response.end());
	response.req.once('close', () => response.end());
}

const problemStatuses = new Set([401, 404, 405, 415, 429, 500]);

const QUOTA_EXCEEDED = 'ADMISSION_QUOTA_EXCEEDED';

export function quotaRefusal(): Refusal {
	return new Refusal(429, QUOTA_EXCEEDED, 'The quota of this subscription is used up.');
}

const titles: Record<number, string> = {
	400: 'Bad Request',
	401: 'Unauthorized',
	403: 'Forbidden',
	404: 'Not Found',
	405: 'Method Not Allowed',
	413: 'Content Too Large',
	415: 'Unsupported Media Type',
	422: 'Unprocessable Content',
	429: 'Too Many Requests',
	500: 'Internal Server Error',
	502: 'Bad Gateway',
	503: 'Service Unavailable',
	504: 'Gateway Timeout',
};
