import { MAX_JSON_DEPTH, isTooDeep } from '../text/jsonDepth';
import type { FailureDetails } from '../errors';
import { plainMimeType } from '../http/mimeType';
import { booleanOf, listOf, numberOf } from '../text/json';
import { parseJson } from '../text/parseJson';
import { pluralize } from '../text/pluralize';
import type { ServiceRequest, ServiceResponse } from './client';
import {
	CHECK_FIRST,
	MAY_BE_BILLED,
	RequestError,
	type Repeat,
	type StatusWords,
} from './requestError';
import { readRetryAfter } from './retryAfter';
import { sentences } from './sentences';

/** A result of the service. */
export interface Answer {
	/** `data` of the envelope, as it came. */
	data: unknown;
	creditsConsumed?: number;
	/** Set where the answer is itself an image; `data` is null then. */
	image?: { bytes: Buffer; mimeType: string };
}

type JsonObject = Record<string, unknown>;

const NOT_OUR_SERVICE =
	'Check the region or the custom address in the credential. If it is right, the service may be unavailable for a moment.';

const STATUS_WORDS: Readonly<Record<number, StatusWords>> = {
	// `hasErrors` without a status of its own.
	200: {
		happened: (subject) => `The service did not finish ${subject}`,
		next: 'Open the file and check that it is complete and legible.',
	},
	400: {
		happened: (subject) => `The service rejected ${subject}`,
		next: 'Open the file and check that it is complete and that its type matches its name.',
	},
	401: {
		happened: (subject) => `The service rejected the API key, so ${subject} was not processed`,
		next: 'Check in the credential that the key is complete, that it has not been revoked, and that the region is the one it was created in.',
	},
	403: {
		happened: (subject) =>
			`The subscription does not cover this operation, so ${subject} was not processed`,
		next: 'Check in the platform that a subscription for this operation is active.',
	},
	404: {
		happened: (subject) =>
			`There is no document service at this address, so ${subject} was not processed`,
		next: NOT_OUR_SERVICE,
	},
	405: {
		happened: (subject) => `The address does not accept documents, so ${subject} was not processed`,
		next: NOT_OUR_SERVICE,
	},
	413: {
		happened: (subject) => `${subject} is too large for the service`,
		next: 'Reduce the size of the file, or split it before this node.',
	},
	415: {
		happened: (subject) => `The service does not support the file type of ${subject}`,
		next: 'Convert the file to PDF before this node.',
	},
	422: {
		happened: (subject) => `The service could not read ${subject}`,
		next: 'Open the file and check that it is complete, legible and not protected by a password.',
	},
	429: {
		happened: (subject) =>
			`The rate limit of the API key is reached, so ${subject} was not processed`,
		next: 'Run the document again in a minute, or set the option On Rate Limit to Wait. If other programs use the same key, lower Requests per Minute in the credential.',
	},
	500: {
		happened: (subject) => `The service could not finish ${subject}`,
		next: CHECK_FIRST,
	},
	502: {
		happened: (subject) => `The gateway could not reach the service for ${subject}`,
		next: CHECK_FIRST,
	},
	503: {
		happened: (subject) => `The service was not available for ${subject}`,
		next: CHECK_FIRST,
	},
	504: {
		happened: (subject) => `The service took too long with ${subject}, and its gateway timed out`,
		next: CHECK_FIRST,
	},
};

/** Statuses whose messages say that nothing was processed. */
const NOT_PROCESSED = new Set([401, 403, 404, 405, 429]);

/** Code of a 429 that no new minute ends (docs/service-contract.md, statuses). */
const QUOTA_CODE = 'ADMISSION_QUOTA_EXCEEDED';

const QUOTA_WORDS: StatusWords = {
	happened: (subject) => `The quota of the plan is used up, so ${subject} was not processed`,
	next: 'Check in the platform how much of the quota is left, or upgrade the plan. The quota is separate from the limit of 50 requests per minute.',
};

function wordsFor(
	status: number,
	repeat: Repeat,
	billed: boolean,
	own: ServiceRequest['statusWords'],
): StatusWords {
	if (repeat === 'quota') return QUOTA_WORDS;
	const known =
		billed && NOT_PROCESSED.has(status) ? undefined : (own?.[status] ?? STATUS_WORDS[status]);
	if (repeat === 'safe') {
		return {
			happened:
				known?.happened ?? ((subject) => `The service answered ${subject} with status ${status}`),
			next: 'The service says that the request can be retried: run the document again later.',
		};
	}
	if (known !== undefined) return known;
	if (status >= 300 && status < 400) {
		return {
			happened: (subject) => `The address redirected the request for ${subject}`,
			next: 'The key is not sent to an address that the credential does not name. Check the region or the custom address.',
		};
	}
	return {
		happened: (subject) => `The service answered ${subject} with status ${status}`,
		next: status >= 500 || billed ? CHECK_FIRST : NOT_OUR_SERVICE,
	};
}

type AnswerExpected = Pick<ServiceRequest, 'subject' | 'mayReturnImage' | 'statusWords'>;

/**
 * Understands an answer: the envelope, a problem document, a gateway's page, or nothing at all
 * (docs/service-contract.md, envelope). `hasErrors` decides, also under HTTP 200.
 *
 * @returns the result, or why there is none
 */
export function readAnswer(
	{ status, headers, body }: ServiceResponse,
	{ subject, mayReturnImage, statusWords }: AnswerExpected,
): Answer | RequestError {
	const succeeded = status >= 200 && status < 300;
	const mimeType = plainMimeType(headers['content-type']);
	if (mayReturnImage && succeeded && mimeType.startsWith('image/'))
		return { data: null, image: { bytes: body, mimeType } };
	const answer = parseObject(body);
	if (!succeeded || answer === undefined || answer.hasErrors === true) {
		return failure(status, headers, answer, body, subject, statusWords);
	}
	if (!('data' in answer) || answer.hasErrors !== false) {
		return notUnderstood(status, subject);
	}
	const { creditsConsumed } = asObject(answer.meta);
	if (isTooDeep(answer.data)) {
		return new RequestError(
			`The result for ${subject} is nested too deeply to be passed on`,
			`${billing(billedCredits(creditsConsumed))} The result has more than ${MAX_JSON_DEPTH} levels: simplify the template in the platform.`,
			{ httpCode: status },
			'never',
		);
	}
	return typeof creditsConsumed === 'number'
		? { data: answer.data, creditsConsumed }
		: { data: answer.data };
}

function failure(
	status: number,
	headers: ServiceResponse['headers'],
	answer: JsonObject | undefined,
	body: Buffer,
	subject: string,
	statusWords: ServiceRequest['statusWords'],
): RequestError {
	const succeeded = status >= 200 && status < 300;
	if (answer === undefined && succeeded)
		return body.length === 0 ? nothing(status, subject) : notUnderstood(status, subject);

	const meta = asObject(answer?.meta);
	// Under HTTP 200 the envelope's own status says what happened.
	const httpCode =
		succeeded && typeof meta.httpStatusCode === 'number' ? meta.httpStatusCode : status;
	const errors = [...errorsIn(answer?.errors), ...errorsIn(meta.errors)].map(asObject);
	const messages = sentences([
		...listOf(meta.messages),
		...errors.map(({ message }) => message),
		...(meta.httpStatusCode === undefined ? [answer?.detail ?? answer?.title] : []),
	]);
	const credits = Math.max(
		...[meta, asObject(answer), asObject(answer?.data), ...errors, ...errors.map(detailsOf)].map(
			({ creditsConsumed }) => billedCredits(creditsConsumed),
		),
	);
	const billed = credits > 0;
	const details: FailureDetails = {
		httpCode,
		...whenText('code', errors[0]?.code ?? answer?.code),
		...(messages.length > 0 ? { messages } : {}),
		...whenText('correlationId', answer?.correlationId ?? headers['x-correlation-id']),
		...(billed ? { creditsConsumed: credits } : {}),
	};
	// Data beside an error is the result of work.
	const worked = billed || !isNothing(answer?.data);
	const repeat = worked ? 'never' : repeatOf(httpCode, details.code, answer, errors);
	const { happened, next } = wordsFor(httpCode, repeat, billed, statusWords);
	const mayBeBilled =
		repeat === 'never' && (worked || httpCode >= 500 || (httpCode >= 200 && httpCode < 300));
	const cost = billed || mayBeBilled ? `${billing(credits)} ` : '';
	const said = messages.length > 0 ? ` The service says: ${messages.join(' ')}` : '';
	const quote =
		details.correlationId === undefined ? '' : ` For its support, quote ${details.correlationId}.`;
	return new RequestError(
		happened(subject),
		cost + next + said + quote,
		details,
		repeat,
		retryAfterMs(headers),
		{ processed: worked },
	);
}

function nothing(status: number, subject: string): RequestError {
	return new RequestError(
		`The service returned an empty response for ${subject}`,
		`${MAY_BE_BILLED} ${CHECK_FIRST}`,
		{ httpCode: status },
		'never',
	);
}

/** Also for data of another form than the contract's. */
export function notUnderstood(status: number, subject: string): RequestError {
	return new RequestError(
		`The response for ${subject} could not be read`,
		`${MAY_BE_BILLED} The response is truncated, a web page, or in a format that this version of the node does not know. ${NOT_OUR_SERVICE}`,
		{ httpCode: status },
		'never',
	);
}

function repeatOf(
	httpCode: number,
	code: string | undefined,
	answer: JsonObject | undefined,
	errors: JsonObject[],
): Repeat {
	if (httpCode === 429) return code === QUOTA_CODE ? 'quota' : 'rateLimit';
	const said = [answer ?? {}, ...errors].map(({ retryable }) => retryable);
	const isForbidden = said.some((retryable) => booleanOf(retryable) === false);
	return said.includes(true) && !isForbidden ? 'safe' : 'never';
}

/** What an answer without a result says was billed all the same: 0 where it says nothing. */
function billedCredits(creditsConsumed: unknown): number {
	return Math.max(0, numberOf(creditsConsumed) ?? 0);
}

function billing(credits: number): string {
	return credits > 0
		? `The service billed ${pluralize(credits, 'credit')}, so the document was not retried.`
		: MAY_BE_BILLED;
}

/** A malformed header loses its timing, not the retry. */
function retryAfterMs(headers: ServiceResponse['headers']): number | undefined {
	return readRetryAfter(headers, Date.now());
}

function parseObject(body: Buffer): JsonObject | undefined {
	try {
		const value = parseJson(body.toString('utf8'));
		return typeof value === 'object' && value !== null && !Array.isArray(value)
			? (value as JsonObject)
			: undefined;
	} catch {
		return undefined;
	}
}

/** A list, or as problem documents have it, lists by field. */
function errorsIn(value: unknown): unknown[] {
	return Array.isArray(value) ? (value as unknown[]) : Object.values(asObject(value)).flat();
}

function detailsOf(error: JsonObject): JsonObject {
	return asObject(error.details);
}

function isNothing(data: unknown): boolean {
	return data === undefined || data === null || Object.keys(asObject(data)).length === 0;
}

function asObject(value: unknown): JsonObject {
	return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function whenText<K extends string>(key: K, value: unknown): Partial<Record<K, string>> {
	const [text] = sentences([value]);
	return text === undefined ? {} : ({ [key]: text } as Record<K, string>);
}
