import { DocumentError, type FailureDetails } from '../text/errors';

/**
 * Whether a request may be retried without the risk of paying twice.
 * `safe`: it was not sent, or the service says so. `rateLimit`, `quota`: rejected before processing.
 * `never`: the document is or may be billed, or would fail in the same way.
 */
export type RetryKind = 'safe' | 'rateLimit' | 'quota' | 'never';

/** A gateway may answer with it after it has passed the request on. */
const REQUEST_TIMEOUT = 408;

/** Code of a 409 to a repeated submission whose first attempt has not been answered yet (docs/service-contract.md, jobs). */
const IN_PROGRESS = 'idempotency_request_in_progress';

/** How far a request may have come. */
interface Reached {
	/** Whether the service may have got it; true unless said. */
	sent?: boolean;
	/** Whether its answer shows that the service did the work. */
	processed?: boolean;
	/** Whether the time limit ended the wait for its answer. */
	timedOut?: boolean;
	/** Whether an earlier attempt may have been answered, and the answer lost. */
	lost?: boolean;
}

/** A request without a result. */
export class RequestError extends DocumentError {
	constructor(
		message: string,
		description: string,
		details: FailureDetails,
		readonly retryKind: RetryKind,
		/** How long the service asked to wait. */
		readonly retryAfterMs?: number,
		readonly reached: Reached = {},
	) {
		super(message, description, details);
	}

	/** How a repeatable request is retried: also where its answer was lost, or where its first attempt is in progress. */
	get retryKindIfRepeatable(): RetryKind {
		const { code = '' } = this.details;
		return code.toLowerCase() === IN_PROGRESS || this.#mayHaveSucceeded ? 'safe' : this.retryKind;
	}

	/** True where a response says so, is not a rejection, or never came. */
	get mayBeBilled(): boolean {
		const { processed = false, lost = false } = this.reached;
		const { creditsConsumed = 0 } = this.details;
		return processed || lost || creditsConsumed > 0 || this.#mayHaveSucceeded;
	}

	/** Whether the service may have got it, and neither rejected it nor says that it can be retried. */
	get #mayHaveSucceeded(): boolean {
		const { httpCode = 0 } = this.details;
		const isRejection = httpCode >= 300 && httpCode < 500 && httpCode !== REQUEST_TIMEOUT;
		return this.retryKind === 'never' && this.reached.sent !== false && !isRejection;
	}
}

/** The failure of a request that is never billed, whatever became of it. */
export function notBilled(failure: RequestError): RequestError {
	const { message, description, details, retryKind, retryAfterMs } = failure;
	if (!failure.mayBeBilled || (details.creditsConsumed ?? 0) > 0) return failure;
	const told = joined('Nothing was billed.', description);
	return new RequestError(message, told, details, retryKind, retryAfterMs, { sent: false });
}

/** What a user is told of one kind of failure. */
export interface FailureMessage {
	message: (subject: string) => string;
	suggestedFix: string;
}

/** For every request that may have arrived and has no result, and is not repeatable. */
export const MAY_BE_BILLED = 'The document may already be billed, so it was not retried.';

/** The suggested fix that goes with it. */
export const CHECK_FIRST =
	'Check in the platform whether it was processed before running it again.';

/** What is said of billing where a request may have arrived: what a repeatable one costs, its sender knows. */
export function billingOfLost(
	{ isRepeatable }: { isRepeatable?: boolean },
	suggestedFix = '',
): string {
	return isRepeatable ? '' : `${MAY_BE_BILLED} ${suggestedFix}`.trim();
}

/** Sentences in a row; one without text is skipped. */
export function joined(...texts: string[]): string {
	return texts.filter((text) => text !== '').join(' ');
}
