import { DocumentError, type FailureDetails } from '../errors';

/**
 * Whether a request may be retried without the risk of paying twice.
 * `safe`: it was not sent, or the service says so. `rateLimit`, `quota`: refused before processing.
 * `never`: the document is or may be billed, or would fail in the same way.
 */
export type RetryKind = 'safe' | 'rateLimit' | 'quota' | 'never';

/** A gateway may answer with it after it has passed the request on. */
const REQUEST_TIMEOUT = 408;

/** Code of a 409 to a repeated submission whose first attempt has not been answered yet (docs/service-contract.md, jobs). */
const IN_PROGRESS = 'idempotency_request_in_progress';

/** A request without a result. */
export class RequestError extends DocumentError {
	constructor(
		message: string,
		description: string,
		details: FailureDetails,
		readonly retryKind: RetryKind,
		/** How long the service asked to wait. */
		readonly retryAfterMs?: number,
		/** Whether the service may have got the request, and whether its answer shows that it did the work. */
		private readonly reached: { sent?: boolean; processed?: boolean } = {},
	) {
		super(message, description, details);
	}

	/** How a repeatable request is retried: also where its answer was lost, or where its first attempt is in progress. */
	get retryKindIfRepeatable(): RetryKind {
		const { httpCode = 0, code = '' } = this.details;
		if (code.toLowerCase() === IN_PROGRESS) return 'safe';
		const { sent = true } = this.reached;
		const refused = httpCode >= 300 && httpCode < 500 && httpCode !== REQUEST_TIMEOUT;
		return this.retryKind === 'never' && sent && !refused ? 'safe' : this.retryKind;
	}

	/** The same failure with another description. */
	described(description: string): RequestError {
		const { message, details, retryKind, retryAfterMs, reached } = this;
		return new RequestError(message, description, details, retryKind, retryAfterMs, reached);
	}

	/** True where the response says so, is not a rejection, or never came. */
	get mayBeBilled(): boolean {
		const { httpCode = 0, creditsConsumed = 0 } = this.details;
		const { sent = true, processed = false } = this.reached;
		const refused = httpCode >= 300 && httpCode < 500 && httpCode !== REQUEST_TIMEOUT;
		return processed || creditsConsumed > 0 || (sent && this.retryKind === 'never' && !refused);
	}
}

/** The failure of a request that is never billed: what says that it may be does not apply. */
export function notBilled(failure: RequestError): RequestError {
	const { message, details, retryKind, retryAfterMs } = failure;
	const { messages = [], correlationId, creditsConsumed = 0 } = details;
	if (!failure.mayBeBilled || creditsConsumed > 0) return failure;
	const description = [
		'Nothing is billed for this request: run it again later. If it takes too long, raise the Timeout option.',
		messages.length > 0 ? `The service says: ${messages.join(' ')}` : '',
		correlationId === undefined ? '' : `For its support, quote ${correlationId}.`,
	];
	return new RequestError(
		message,
		description.filter((sentence) => sentence !== '').join(' '),
		details,
		retryKind,
		retryAfterMs,
		{ sent: false },
	);
}

/** What a user is told of one kind of failure. */
export interface FailureMessage {
	message: (subject: string) => string;
	suggestedFix: string;
}

/** For every request that may have arrived and has no result. */
export const MAY_BE_BILLED = 'The document may already be billed, so it was not retried.';

/** The suggested fix that goes with it. */
export const CHECK_FIRST =
	'Check in the platform whether it was processed before running it again.';
