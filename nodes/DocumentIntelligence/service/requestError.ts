import { DocumentError, type FailureDetails } from '../errors';

/**
 * Whether a request may be retried without the risk of paying twice.
 * `safe`: it was not sent, or the service says so. `rateLimit`, `quota`: refused before processing.
 * `never`: the document is or may be billed, or would fail in the same way.
 */
export type RetryKind = 'safe' | 'rateLimit' | 'quota' | 'never';

/** A gateway says it of a request that it may have passed on. */
const REQUEST_TIMEOUT = 408;

/** A request that was made and gave no result. */
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

	/** The answer says that the document was billed, is no refusal, or did not come. */
	get mayBeBilled(): boolean {
		const { httpCode = 0, creditsConsumed = 0 } = this.details;
		const { sent = true, processed = false } = this.reached;
		const refused = httpCode >= 300 && httpCode < 500 && httpCode !== REQUEST_TIMEOUT;
		return processed || creditsConsumed > 0 || (sent && this.retryKind === 'never' && !refused);
	}
}

/** What is told of a request that failed in a certain way. */
export interface FailureMessage {
	message: (subject: string) => string;
	suggestedFix: string;
}

/** Of every request that may have arrived and has no result. */
export const MAY_BE_BILLED = 'The document may already be billed, so it was not retried.';

/** What to do about it. */
export const CHECK_FIRST =
	'Check in the platform whether it was processed before running it again.';
