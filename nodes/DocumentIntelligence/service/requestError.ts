import { LIVE_KEY_PREFIX, SANDBOX_KEY_PREFIX, withoutKeys } from '../text/cogneris';
import { DocumentError, type FailureDetails } from '../text/errors';
import type { Cost } from '../text/failures';
import { oneLine } from '../text/words';

/**
 * Whether a retry risks paying twice. `safe`: not sent, not accepted, or without a document. `rateLimit`: rejected until
 * the window resets. `quota`: rejected until the account's document quota allows it. `newKey`: rejected for its
 * idempotency key. `lost`: perhaps processed and billed, but without a result. `never`: a retry would end in the same way.
 */
export type RetryKind = 'safe' | 'rateLimit' | 'quota' | 'newKey' | 'lost' | 'never';

interface Circumstances {
	/** How long the response asks to wait. */
	retryAfterMs?: number;
	/** Whether the request's own time limit ended it. */
	isTimeout?: boolean;
	/** Whether a file could not be sent to its end, so that nothing was processed. */
	isFileUnsent?: boolean;
	/** Whether Cogneris responded, and no server in between. */
	isFromCogneris?: boolean;
}

export class RequestError extends DocumentError {
	constructor(
		message: string,
		advice: string,
		details: FailureDetails,
		readonly retryKind: RetryKind,
		readonly circumstances: Circumstances = {},
		cost: Cost = retryKind === 'lost' ? 'document' : 'nothing',
	) {
		super(message, advice, details, cost);
	}

	/** The same failure, said differently. */
	with(changes: Partial<Pick<RequestError, 'advice' | 'details' | 'cost'>>): RequestError {
		const { message, retryKind, circumstances } = this;
		const { advice = this.advice, details = this.details, cost = this.cost } = changes;
		return new RequestError(message, advice, details, retryKind, circumstances, cost);
	}
}

export type FailureMessage = (subject: string) => [message: string, suggestedFix: string];

/** @param message with %s for the subject */
export function failureMessage(message: string, suggestedFix: string): FailureMessage {
	return (subject) => [message.replace('%s', () => subject), suggestedFix];
}

/** How much a message quotes from the service. */
const MAX_CHARACTERS = 500;
const MAX_SENTENCES = 10;

/** The texts that Cogneris sent, each once, on one line, limited in length and number, and without keys. */
export function quotableTexts(values: unknown[]): string[] {
	const texts = new Set<string>();
	for (const value of values) {
		// Keys first, so that none is cut in two and shown in part.
		if (typeof value === 'string') texts.add(oneLine(withoutKeys(value), MAX_CHARACTERS));
		texts.delete('');
		if (texts.size === MAX_SENTENCES) break;
	}
	return [...texts];
}

export const NOT_OUR_SERVICE =
	'Check the region or the custom address in the credential. If it is right, Cogneris may be temporarily unavailable.';

const CHECK_KEY =
	'In the credential, check that the key is complete and that the region is the one it was created in. In your Cogneris account, check that the key has not been revoked.';

/** After the longest wait. */
const LIMIT_REACHED = 'The rate limit of the API key is reached';
const WAIT_FOR_LIMIT =
	"Cogneris has rejected requests with this key for 10 minutes. Process the document again later. If other programs or n8n processes use the same key, lower 'Requests per Minute' in the credential.";

const QUOTA_EXHAUSTED = 'The document quota of the account is exhausted';
const WAIT_FOR_QUOTA =
	'Cogneris accepts no more documents from this account at the moment. Process the document again later. This quota is separate from the limit of 50 requests per minute.';

/** For documents that are not sent because every further request would fail in the same way. */
export const NOT_SENT = {
	key: failureMessage(
		'Cogneris rejected the API key, so the request for %s was not sent',
		CHECK_KEY,
	),
	rateLimit: failureMessage(`${LIMIT_REACHED}, so the request for %s was not sent`, WAIT_FOR_LIMIT),
	quota: failureMessage(`${QUOTA_EXHAUSTED}, so the request for %s was not sent`, WAIT_FOR_QUOTA),
};

const CHECK_FILE =
	'Open the file and check that it is complete, legible and not protected by a password, and that its extension matches its file type.';

/** By status, by its first digit, or by code in small letters (docs/internals/service-contract.md, statuses). */
export const STATUS_MESSAGES: Readonly<Record<string, FailureMessage>> = {
	// `hasErrors` without a status of its own.
	200: failureMessage('Cogneris did not process %s', CHECK_FILE),
	400: failureMessage('Cogneris rejected %s', CHECK_FILE),
	401: failureMessage('Cogneris rejected the API key in the request for %s', CHECK_KEY),
	403: failureMessage(
		'Cogneris does not allow the request for %s',
		'Check in your Cogneris account what this API key is allowed to do.',
	),
	404: failureMessage(
		'No Cogneris server was found at this address, so %s was not processed',
		NOT_OUR_SERVICE,
	),
	409: failureMessage(
		'The request for %s conflicts with another request or with the state of the job',
		'Try again later.',
	),
	413: failureMessage(
		'%s is too large for Cogneris',
		'Reduce the size of the file, or split it before this node.',
	),
	415: failureMessage(
		'Cogneris does not support the file type of %s',
		'Convert the file to PDF before this node.',
	),
	422: failureMessage('Cogneris could not read %s', CHECK_FILE),
	429: failureMessage(`${LIMIT_REACHED}, so %s was not processed`, WAIT_FOR_LIMIT),
	'3xx': failureMessage(
		'The address redirected the request for %s',
		'The API key is sent only to the address in the credential. Check the region or, with a custom address, enter the one that it redirects to.',
	),
	'5xx': failureMessage('Cogneris or its gateway could not process the request for %s', ''),
	admission_quota_exceeded: failureMessage(
		`${QUOTA_EXHAUSTED}, so %s was not processed`,
		WAIT_FOR_QUOTA,
	),
	'environment.sandbox_route_unavailable': failureMessage(
		'Cogneris does not allow the request for %s with a sandbox key',
		`A sandbox key (${SANDBOX_KEY_PREFIX}) works with jobs and stored files only, and without a template. For everything else, use a live key (${LIVE_KEY_PREFIX}).`,
	),
};
