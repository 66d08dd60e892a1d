import { MAX_JSON_DEPTH, isTooDeep } from '../text/jsonDepth';
import type { FailureDetails } from '../text/errors';
import { plainMimeType } from '../text/mimeType';
import { booleanOf, isObject, listOf, numberOf } from '../text/json';
import { parseJson } from '../text/parseJson';
import { pluralize } from '../text/pluralize';
import type { ServiceRequest, ServiceResponse } from './client';
import {
	billingOfLost,
	CHECK_FIRST,
	joined,
	RequestError,
	type FailureMessage,
	type RetryKind,
} from './requestError';
import { readRetryAfter } from './retryAfter';
import { sentences } from './sentences';
import { NOT_OUR_SERVICE, QUOTA_MESSAGE, REDIRECT_MESSAGE } from './statusMessages';

/** A result of the service. */
export interface Answer {
	/** `data` of the envelope, as it came. */
	data: unknown;
	creditsConsumed?: number;
	/** The result of a job as it is stored, where its names are written in another way. */
	stored?: unknown;
	/** Set where the answer is itself a file, such as an image; `data` is null then. */
	file?: AnsweredFile;
}

/** A file in place of a result. */
export interface AnsweredFile {
	bytes: Buffer;
	/** Without parameters. */
	mimeType: string;
}

type JsonObject = Record<string, unknown>;

/** Statuses whose messages say that nothing was processed. */
const NOT_PROCESSED = new Set([401, 403, 404, 405, 429]);

/** Code of a 429 that does not end with the minute (docs/service-contract.md, statuses). */
const QUOTA_CODE = 'ADMISSION_QUOTA_EXCEEDED';

function failureMessage(
	status: number,
	retryKind: RetryKind,
	mayBeBilled: boolean,
	code: string | undefined,
	{ statusMessages, codeMessages = {}, isRepeatable }: AnswerExpected,
): FailureMessage {
	if (retryKind === 'quota') return QUOTA_MESSAGE;
	const ofCode = code === undefined ? undefined : codeMessages[code.toLowerCase()];
	if (ofCode !== undefined) return ofCode;
	const known = mayBeBilled && NOT_PROCESSED.has(status) ? undefined : statusMessages[status];
	const message =
		known?.message ??
		((subject: string) => `The service answered ${subject} with status ${status}`);
	if (retryKind === 'safe') {
		const suggestedFix =
			'The service says that the request can be retried: run the document again later.';
		return { message, suggestedFix };
	}
	if (known !== undefined) return known;
	if (status >= 300 && status < 400) return REDIRECT_MESSAGE;
	const suggestedFix = mayBeBilled && !isRepeatable ? CHECK_FIRST : NOT_OUR_SERVICE;
	return { message, suggestedFix };
}

type AnswerExpected = Pick<
	ServiceRequest,
	'subject' | 'mayReturnImage' | 'statusMessages' | 'codeMessages' | 'isRepeatable'
>;

/**
 * Parses a response: the envelope, a problem document, a gateway's page, or nothing at all
 * (docs/service-contract.md, envelope). `hasErrors` decides, also under HTTP 200.
 *
 * @param isPassedOn false if only known names of the result are read, however deep others are
 * @returns the result, or why there is none
 */
export function readAnswer(
	{ status, headers, body }: ServiceResponse,
	expected: AnswerExpected,
	isPassedOn = true,
): Answer | RequestError {
	const { subject, mayReturnImage, isRepeatable } = expected;
	const succeeded = isSuccess(status);
	const mimeType = plainMimeType(headers['content-type']);
	if (mayReturnImage && succeeded && mimeType.startsWith('image/'))
		return { data: null, file: { bytes: body, mimeType } };
	const answer = parseObject(body);
	if (!succeeded || answer === undefined || answer.hasErrors === true) {
		return failure(status, headers, answer, body, expected);
	}
	if (!('data' in answer) || answer.hasErrors !== false) {
		return notUnderstood(status, subject, isRepeatable);
	}
	const { creditsConsumed } = asObject(answer.meta);
	if (isPassedOn && isTooDeep(answer.data)) {
		const credits = billedCredits(creditsConsumed);
		return new RequestError(
			`The result for ${subject} is nested too deeply to be passed on`,
			`${billing(credits, expected)} The result has more than ${MAX_JSON_DEPTH} levels: simplify the template in the platform.`,
			{ httpCode: status, ...(credits > 0 ? { creditsConsumed: credits } : {}) },
			'never',
		);
	}
	return isCredits(creditsConsumed)
		? { data: answer.data, creditsConsumed }
		: { data: answer.data };
}

function failure(
	status: number,
	headers: ServiceResponse['headers'],
	answer: JsonObject | undefined,
	body: Buffer,
	expected: AnswerExpected,
): RequestError {
	const { subject, isRepeatable } = expected;
	const succeeded = isSuccess(status);
	if (answer === undefined && succeeded)
		return body.length === 0
			? nothing(status, expected)
			: notUnderstood(status, subject, isRepeatable);

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
	const worked = billed || Object.keys(asObject(answer?.data)).length > 0;
	const retryKind = worked ? 'never' : retryKindOf(httpCode, details.code, answer, errors);
	const mayBeBilled = worked || (retryKind === 'never' && (httpCode >= 500 || isSuccess(httpCode)));
	const { message, suggestedFix } = failureMessage(
		httpCode,
		retryKind,
		mayBeBilled,
		details.code,
		expected,
	);
	const cost = mayBeBilled ? billing(credits, expected) : '';
	const said = messages.length > 0 ? `The service says: ${messages.join(' ')}` : '';
	const quote =
		details.correlationId === undefined
			? ''
			: `When you contact support, quote ${details.correlationId}.`;
	return new RequestError(
		message(subject),
		joined(cost, suggestedFix, said, quote),
		details,
		retryKind,
		retryAfterMs(headers),
		{ processed: worked },
	);
}

function nothing(status: number, expected: AnswerExpected): RequestError {
	return new RequestError(
		`The service returned an empty response for ${expected.subject}`,
		billingOfLost(expected, CHECK_FIRST),
		{ httpCode: status },
		'never',
	);
}

/** Also for data in a form that the contract does not have. */
export function notUnderstood(status: number, subject: string, isRepeatable = false): RequestError {
	return new RequestError(
		`The response for ${subject} could not be read`,
		joined(
			billingOfLost({ isRepeatable }),
			'The response is truncated, a web page, or in a format that this version of the node does not know.',
			NOT_OUR_SERVICE,
		),
		{ httpCode: status },
		'never',
	);
}

function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

function retryKindOf(
	httpCode: number,
	code: string | undefined,
	answer: JsonObject | undefined,
	errors: JsonObject[],
): RetryKind {
	if (httpCode === 429) return code === QUOTA_CODE ? 'quota' : 'rateLimit';
	const said = [answer ?? {}, ...errors].map(({ retryable }) => retryable);
	const isForbidden = said.some((retryable) => booleanOf(retryable) === false);
	return said.includes(true) && !isForbidden ? 'safe' : 'never';
}

/** Nothing else can be added up. */
function isCredits(creditsConsumed: unknown): creditsConsumed is number {
	return Number.isFinite(creditsConsumed) && Number(creditsConsumed) >= 0;
}

/** Credits that a response without a result says were billed; 0 where it does not say. */
function billedCredits(creditsConsumed: unknown): number {
	return Math.max(0, numberOf(creditsConsumed) ?? 0);
}

function billing(credits: number, expected: Pick<AnswerExpected, 'isRepeatable'>): string {
	if (credits === 0) return billingOfLost(expected);
	const billed = `The service billed ${pluralize(credits, 'credit')}`;
	return expected.isRepeatable ? `${billed}.` : `${billed}, so the document was not retried.`;
}

/** A malformed header counts as absent. */
function retryAfterMs(headers: ServiceResponse['headers']): number | undefined {
	return readRetryAfter(headers, Date.now());
}

function parseObject(body: Buffer): JsonObject | undefined {
	try {
		const value = parseJson(body.toString('utf8'));
		return isObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** A list, or lists by field, as in problem documents. */
function errorsIn(value: unknown): unknown[] {
	return Array.isArray(value) ? (value as unknown[]) : Object.values(asObject(value)).flat();
}

function detailsOf(error: JsonObject): JsonObject {
	return asObject(error.details);
}

function asObject(value: unknown): JsonObject {
	return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

function whenText<K extends string>(key: K, value: unknown): Partial<Record<K, string>> {
	const [text] = sentences([value]);
	return text === undefined ? {} : ({ [key]: text } as Record<K, string>);
}
