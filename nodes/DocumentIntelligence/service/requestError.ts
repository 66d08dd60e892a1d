import { DocumentError, type FailureDetails } from '../text/errors';
import { oneLine } from '../text/words';

/**
 * Whether a retry risks paying twice. `safe`: not sent or not accepted. `rateLimit`: rejected until the window resets.
 * `lost`: perhaps processed and billed, but without a result. `never`: a retry would end in the same way.
 */
export type RetryKind = 'safe' | 'rateLimit' | 'lost' | 'never';

interface More {
	retryAfterMs?: number;
	/** Whether the request's own time limit ended it. */
	isTimeout?: boolean;
	/** Overrides what the retry kind and the credits imply. */
	mayBeBilled?: boolean;
}

export class RequestError extends DocumentError {
	readonly mayBeBilled: boolean;

	constructor(
		message: string,
		description: string,
		details: FailureDetails,
		readonly retryKind: RetryKind,
		readonly more: More = {},
	) {
		super(message, description, details);
		const isBilled = (details.creditsConsumed ?? 0) > 0;
		this.mayBeBilled = more.mayBeBilled ?? (retryKind === 'lost' || isBilled);
	}
}

export type FailureMessage = (subject: string) => [message: string, suggestedFix: string];

/** @param message with %s for the subject */
export function told(message: string, suggestedFix: string): FailureMessage {
	return (subject) => [message.replace('%s', () => subject), suggestedFix];
}

export function joined(...texts: Array<string | false>): string {
	return texts.filter(Boolean).join(' ');
}

/** How much a message quotes from the service. */
const MAX_CHARACTERS = 500;
const MAX_SENTENCES = 10;

/** The texts that Cogneris sent, each once, on one line, limited in length and number, and without keys. */
export function sentences(values: unknown[]): string[] {
	const texts = new Set<string>();
	for (const value of values) {
		if (typeof value === 'string') texts.add(masked(value));
		texts.delete('');
		if (texts.size === MAX_SENTENCES) break;
	}
	return [...texts];
}

function masked(text: string): string {
	// Cut with room for a key that begins before the end, so that no part of a key is shown.
	const start = text.slice(0, 2 * MAX_CHARACTERS).replace(/\p{Cf}/gu, '');
	// Before control characters become blanks, because a key may be split over lines.
	const safe = start.replace(/xtkt_(live|test)_[\x21-\x7e\p{Cc}]*/giu, 'xtkt_$1_…');
	return oneLine(safe, MAX_CHARACTERS);
}

export const NOT_OUR_SERVICE =
	'Check the region or the custom address in the credential. If it is right, Cogneris may be temporarily unavailable.';

export const KEY_REJECTED = told(
	'Cogneris rejected the API key in the request for %s',
	'In the credential, check that the key is complete and that the region is the one it was created in. In your Cogneris account, check that the key has not been revoked.',
);

/** For a request that is still rejected after the longest wait. */
export const RATE_LIMITED = told(
	'The rate limit of the API key is reached, so %s was not processed',
	"Cogneris has rejected requests with this key for 10 minutes. Process the document again later. If other programs use the same key, lower 'Requests per Minute' in the credential.",
);

export const QUOTA_USED_UP = told(
	'The quota of the plan is used up, so %s was not processed',
	'Check the quota in your Cogneris account, or upgrade the plan. The quota is separate from the limit of 50 requests per minute.',
);

const CHECK_FILE =
	'Open the file and check that it is complete, legible and not protected by a password, and that its extension matches its file type.';

/** By status, by its first digit, or by code in small letters (docs/internals/service-contract.md, statuses). */
export const STATUS_MESSAGES: Readonly<Record<string, FailureMessage>> = {
	// `hasErrors` without a status of its own.
	200: told('Cogneris did not process %s', CHECK_FILE),
	400: told('Cogneris rejected %s', CHECK_FILE),
	401: KEY_REJECTED,
	403: told(
		'The subscription does not cover this operation, so %s was not processed',
		'Check in your Cogneris account that a subscription for this operation is active.',
	),
	404: told('Cogneris is not at this address, so %s was not processed', NOT_OUR_SERVICE),
	413: told(
		'%s is too large for Cogneris',
		'Reduce the size of the file, or split it before this node.',
	),
	415: told(
		'Cogneris does not support the file type of %s',
		'Convert the file to PDF before this node.',
	),
	422: told('Cogneris could not read %s', CHECK_FILE),
	429: RATE_LIMITED,
	'3xx': told(
		'The address redirected the request for %s',
		'The API key is sent only to the address in the credential. Check the region or, with a custom address, enter the one that it redirects to.',
	),
	'5xx': told('Cogneris or its gateway could not process the request for %s', ''),
	admission_quota_exceeded: QUOTA_USED_UP,
};
