import type { FailureDetails } from '../text/errors';
import { isObject, isTooDeep, listOf, numberOf, objectOf, parseJson } from '../text/json';
import { plainMimeType, pluralize } from '../text/words';
import type { ServiceRequest, ServiceResponse } from './client';
import {
	billingOfLost,
	CHECK_FIRST,
	joined,
	messageOfStatus,
	NOT_OUR_SERVICE,
	RequestError,
	sentences,
	type RetryKind,
} from './requestError';
import { readRetryAfter } from './retry';

/** A result of the service. */
export interface Answer {
	/** `data` of the envelope, as it came. */
	data: unknown;
	creditsConsumed?: number;
	/** The result of a job as it is stored, if its names are written in another way. */
	stored?: unknown;
	/** If the answer is itself a file, such as an image; `data` is null then. */
	file?: AnsweredFile;
}

/** A file in place of a result. */
export interface AnsweredFile {
	bytes: Buffer;
	/** Without parameters. */
	mimeType: string;
}

type JsonObject = ReturnType<typeof objectOf>;

type AnswerExpected = Pick<
	ServiceRequest,
	'subject' | 'mayReturnImage' | 'statusMessages' | 'isRepeatable'
>;

/** Code of a 429 that does not end with the minute (docs/internals/service-contract.md, statuses). */
const QUOTA_CODE = 'admission_quota_exceeded';

/** Code of a 409 to a repeated submission whose first attempt has not been answered yet (docs/internals/service-contract.md, jobs). */
const IN_PROGRESS_CODE = 'idempotency_request_in_progress';

/** A gateway may answer with it after it has passed the request on. */
const REQUEST_TIMEOUT = 408;

/**
 * Parses a response: the envelope, a problem document, a gateway's page, or nothing at all
 * (docs/internals/service-contract.md, envelope). `hasErrors` decides, also under HTTP 200.
 *
 * @param isPassedOn false if only known names of the result are read, however deep others are
 * @returns the result, or why there is none
 */
export function readAnswer(
	response: ServiceResponse,
	expected: AnswerExpected,
	isPassedOn = true,
): Answer | RequestError {
	const { status, headers, body } = response;
	const mimeType = plainMimeType(headers['content-type']);
	if (expected.mayReturnImage && isSuccess(status) && mimeType.startsWith('image/'))
		return { data: null, file: { bytes: body, mimeType } };
	const answer = parseObject(body);
	if (!isSuccess(status) || answer?.hasErrors === true)
		return failureIn(response, answer ?? {}, expected);
	const isEnvelope = answer !== undefined && 'data' in answer && answer.hasErrors === false;
	if (!isEnvelope || (isPassedOn && isTooDeep(answer.data)))
		return notUnderstood(status, expected.subject, expected.isRepeatable);
	const { creditsConsumed } = objectOf(answer.meta);
	const isKnown = typeof creditsConsumed === 'number' && creditsConsumed >= 0;
	return isKnown ? { data: answer.data, creditsConsumed } : { data: answer.data };
}

function failureIn(
	{ status, headers }: ServiceResponse,
	answer: JsonObject,
	{ subject, isRepeatable, statusMessages }: AnswerExpected,
): RequestError {
	const meta = objectOf(answer.meta);
	// Under HTTP 200 the envelope's own status says what happened.
	const httpCode = (isSuccess(status) ? numberOf(meta.httpStatusCode) : null) ?? status;
	const errors = [...listOf(answer.errors), ...listOf(meta.errors)].map(objectOf);
	const credits = [meta, answer, ...errors].reduce(
		(most, { creditsConsumed }) => Math.max(most, numberOf(creditsConsumed) ?? 0),
		0,
	);
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
	const says = [answer, ...errors].map(({ retryable }) => retryable);
	const retryKind = retryKindOf(httpCode, code?.toLowerCase(), says, credits);
	const known = statusMessages[code?.toLowerCase() ?? ''] ?? statusMessages[httpCode];
	const { message, suggestedFix } = known ?? messageOfStatus(httpCode);
	// A quota may be restored, but not by waiting.
	const isRefusal = retryKind === 'safe' && httpCode !== 429;
	return new RequestError(
		message(subject),
		joined(
			billingOf(credits, retryKind, isRepeatable),
			isRefusal
				? 'Cogneris says that the request can be retried: try again later.'
				: suggestedFix || (isRepeatable ? 'Try again later.' : CHECK_FIRST),
			messages.length === 0 ? '' : `Cogneris says: ${messages.join(' ')}`,
			correlationId === undefined ? '' : `When you contact support, quote ${correlationId}.`,
		),
		details,
		retryKind,
		{ retryAfterMs: readRetryAfter(headers) },
	);
}

/** @param says what the answer and each of its errors say of a retry */
function retryKindOf(
	httpCode: number,
	code: string | undefined,
	says: unknown[],
	credits: number,
): RetryKind {
	if (credits === 0) {
		if (httpCode === 429) return code === QUOTA_CODE ? 'safe' : 'rateLimit';
		const isRetryable = says.includes(true) && !says.includes(false);
		if (isRetryable || code === IN_PROGRESS_CODE) return 'safe';
	}
	const isRejection = httpCode >= 300 && httpCode < 500 && httpCode !== REQUEST_TIMEOUT;
	return isRejection ? 'never' : 'lost';
}

function billingOf(credits: number, retryKind: RetryKind, isRepeatable = false): string {
	if (credits === 0) return retryKind === 'lost' ? billingOfLost({ isRepeatable }) : '';
	const billed = `Cogneris billed ${pluralize(credits, 'credit')}`;
	return isRepeatable ? `${billed}.` : `${billed}, so the document was not retried.`;
}

/** Of a response in a form that the contract does not have. */
export function notUnderstood(status: number, subject: string, isRepeatable = false): RequestError {
	return new RequestError(
		`The response for ${subject} could not be read`,
		joined(
			billingOfLost({ isRepeatable }, CHECK_FIRST),
			'The response is empty, truncated, a web page, or in a format that this version of the node does not know.',
			NOT_OUR_SERVICE,
		),
		{ httpCode: status },
		'lost',
	);
}

function isSuccess(status: number): boolean {
	return status >= 200 && status < 300;
}

function parseObject(body: Buffer): JsonObject | undefined {
	try {
		const value = parseJson(body.toString('utf8'));
		return isObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
