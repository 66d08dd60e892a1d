import type { IDataObject } from 'n8n-workflow';

import type { FailureDetails } from '../text/errors';
import { listOf, numberOf, objectOf, parseJson } from '../text/json';
import { plainMimeType } from '../text/words';
import type { ServiceRequest, ServiceResponse } from './client';
import {
	NOT_OUR_SERVICE,
	RequestError,
	STATUS_MESSAGES,
	failureMessage,
	quotableTexts,
	type RetryKind,
} from './requestError';
import { readRetryAfter } from './retry';

/** The content of a successful response. */
export interface Envelope {
	data: unknown;
	/** Absent if Cogneris does not report them. */
	creditsConsumed?: number;
}

interface DataAnswer extends Envelope {
	kind: 'data';
	/** The result of a job as Cogneris has sent it, before its names are changed. */
	asSent?: unknown;
	/** Of the job that has it, here and below. */
	jobId?: string;
}

/** A response that is itself a file. */
export interface FileAnswer {
	kind: 'file';
	bytes: Buffer;
	/** Without parameters. */
	mimeType: string;
	creditsConsumed?: number;
	jobId?: string;
}

export type Answer = DataAnswer | FileAnswer;

/** Of jobs alone, 0 credits are said to mean that they were free (docs/internals/service-contract.md, Billing). */
export function isFreeJob({ jobId, creditsConsumed }: Pick<Answer, 'jobId' | 'creditsConsumed'>) {
	return jobId !== undefined && creditsConsumed === 0;
}

/** Of the account's document quota; another 429 ends with the minute (docs/internals/service-contract.md, Statuses). */
const QUOTA_CODE = 'admission_quota_exceeded';

/** By code, whatever else a failed response says (docs/internals/service-contract.md, Statuses). */
const RETRY_KINDS: Readonly<Record<string, RetryKind>> = {
	// A retry while the first try is processed (docs/internals/service-contract.md, Jobs).
	idempotency_request_in_progress: 'safe',
	// Cogneris no longer knows what the key has started.
	idempotency_replay_unavailable: 'newKey',
};

/** A gateway may respond with it after it has forwarded the request. */
const REQUEST_TIMEOUT = 408;

/** From here on, only the response says whether storing a file may be repeated (docs/internals/service-contract.md, Statuses). */
const BAD_GATEWAY = 502;

/** Cogneris states its reason along with these; other statuses mean the same whoever sends them. */
const PROXY_STATUSES = new Set([400, 403, 407]);

/** The file that the request may return instead of JSON, or the content of the envelope. */
export function readAnswer(
	response: ServiceResponse,
	request: ServiceRequest,
): Answer | RequestError {
	const { status, headers, body } = response;
	const mimeType = plainMimeType(headers['content-type']);
	const { mayReturn } = request;
	const isFile = mayReturn !== undefined && mimeType.startsWith(mayReturn) && body.length > 0;
	if (isFile && isSuccess(status)) return { kind: 'file', bytes: body, mimeType };
	const envelope = readEnvelope(response, request);
	return envelope instanceof RequestError ? envelope : { kind: 'data', ...envelope };
}

/**
 * Parses the envelope, a problem document, a page of a gateway, or nothing; `hasErrors` decides, also under HTTP 200
 * (docs/internals/service-contract.md, Envelope).
 */
export function readEnvelope(
	response: ServiceResponse,
	request: ServiceRequest,
): Envelope | RequestError {
	const { status, headers } = response;
	const mimeType = plainMimeType(headers['content-type']);
	const parsed = parseResponse(response);
	const { json, isFromCogneris } = parsed;
	const isProxy = PROXY_STATUSES.has(status) || (isSuccess(status) && mimeType === 'text/html');
	if (isProxy && !isFromCogneris) return notFromCogneris(status, request.subject);
	if (!isSuccess(status) || json.hasErrors === true) return readFailure(response, parsed, request);
	if (json.hasErrors !== false) return notUnderstood(status, request.subject);
	const { data = null } = json;
	const { creditsConsumed } = parsed.meta;
	const isKnown = typeof creditsConsumed === 'number' && creditsConsumed >= 0;
	return isKnown ? { data, creditsConsumed } : { data };
}

type ParsedResponse = ReturnType<typeof parseResponse>;

/** What every form of a response may say. */
export function parseResponse({ status, headers, body }: ServiceResponse) {
	const json = parseObject(body);
	const meta = objectOf(json.meta);
	const errors = [...listOf(json.errors), ...listOf(meta.errors)].map(objectOf);
	const isProblem = plainMimeType(headers['content-type']) === 'application/problem+json';
	return {
		/** Empty if the body is no JSON object. */
		json,
		meta,
		/** Under HTTP 200, the envelope has the actual status. */
		httpCode: (isSuccess(status) ? numberOf(meta.httpStatusCode) : null) ?? status,
		errors,
		/** Every code, the outer one first. */
		codes: quotableTexts([json, ...errors].map(({ code }) => code)),
		/** The envelope or a problem document; anything else comes from a server in between. */
		isFromCogneris:
			typeof json.hasErrors === 'boolean' ||
			'correlationId' in json ||
			('code' in json && 'title' in json) ||
			(isProblem && Object.keys(json).length > 0),
	};
}

function parseObject(body: Buffer): IDataObject {
	try {
		return objectOf(parseJson(body.toString('utf8')));
	} catch {
		return {};
	}
}

/** The entry for the first code that has one, else for the status or its first digit. Names are in lower case. */
export function entryFor<Entry>(
	table: Readonly<Record<string, Entry>>,
	{ httpCode, codes }: Pick<ParsedResponse, 'httpCode' | 'codes'>,
): Entry | undefined {
	const names = [...codes, String(httpCode), `${Math.floor(httpCode / 100)}xx`];
	const known = names.map((name) => name.toLowerCase()).find((name) => Object.hasOwn(table, name));
	return known === undefined ? undefined : table[known];
}

function readFailure(
	{ headers }: ServiceResponse,
	parsed: ParsedResponse,
	{ subject, processes, statusMessages }: ServiceRequest,
): RequestError {
	const details = detailsOf(headers, parsed);
	const isBilled = (details.creditsConsumed ?? 0) > 0;
	const retryKind = retryKindOf(parsed, isBilled, processes);
	const unknown = failureMessage(
		`Cogneris responded with status ${parsed.httpCode} to the request for %s`,
		NOT_OUR_SERVICE,
	);
	const messages = { ...STATUS_MESSAGES, ...statusMessages };
	const describe = entryFor(messages, parsed) ?? unknown;
	const [message, suggestedFix] = describe(subject);
	// Of the many reasons for this status, Cogneris alone knows which one it was.
	const [reason] = describe === messages[422] ? (details.messages ?? []) : [];
	return new RequestError(
		reason === undefined ? message : `Cogneris rejected ${subject}: ${reason.replace(/\.$/, '')}`,
		retryKind === 'safe'
			? 'Cogneris says that the request can be retried: try again later.'
			: suggestedFix || (processes === 'document' ? '' : 'Try again later.'),
		details,
		retryKind,
		{ retryAfterMs: readRetryAfter(headers), isFromCogneris: parsed.isFromCogneris },
	);
}

function detailsOf(
	headers: ServiceResponse['headers'],
	{ json, meta, errors, codes, httpCode }: ParsedResponse,
): FailureDetails {
	const messages = quotableTexts([
		...listOf(meta.messages),
		...errors.map(({ message }) => message),
		json.detail ?? json.title,
	]);
	const [correlationId] = quotableTexts([json.correlationId ?? headers['x-correlation-id']]);
	const credits = numberOf(meta.creditsConsumed) ?? -1;
	return {
		httpCode,
		...(codes.length > 0 && { code: codes[0] }),
		...(messages.length > 0 && { messages }),
		...(correlationId !== undefined && { correlationId }),
		...(credits >= 0 && { creditsConsumed: credits }),
	};
}

function retryKindOf(
	parsed: ParsedResponse,
	isBilled: boolean,
	processes: ServiceRequest['processes'],
): RetryKind {
	const { json, errors, codes, httpCode } = parsed;
	const flags = [json, ...errors].map(({ retryable }) => retryable);
	const isRetryable = flags.includes(true) && !flags.includes(false);
	// Only a 429 was surely not processed, whatever its codes are.
	const limit = codes.some((code) => code.toLowerCase() === QUOTA_CODE) ? 'quota' : 'rateLimit';
	const byCode = entryFor(RETRY_KINDS, parsed) ?? (isRetryable ? 'safe' : undefined);
	const kind = httpCode === 429 ? limit : byCode;
	if (kind !== undefined && !isBilled) return kind;
	const isRejection = httpCode >= 300 && httpCode < 500 && httpCode !== REQUEST_TIMEOUT;
	// For storing a file, there is no idempotency key.
	const isFinal =
		processes === 'storedFile' && (isBilled || (httpCode >= BAD_GATEWAY && flags.includes(false)));
	return isRejection || isFinal ? 'never' : 'lost';
}

export function notUnderstood(httpCode: number, subject: string): RequestError {
	return new RequestError(
		`The response for ${subject} could not be read`,
		'Check the region or the custom address in the credential: the response is empty, truncated, too large, a web page, or in a format that this version of the node does not know. If the address is right, Cogneris may be temporarily unavailable.',
		{ httpCode },
		'lost',
	);
}

function notFromCogneris(httpCode: number, subject: string): RequestError {
	return new RequestError(
		`A proxy or firewall answered the request for ${subject} instead of Cogneris, with status ${httpCode}`,
		'Ask your network administrator to allow the address in the credential, or check that address.',
		{ httpCode },
		isSuccess(httpCode) ? 'lost' : 'never',
	);
}

export function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}
