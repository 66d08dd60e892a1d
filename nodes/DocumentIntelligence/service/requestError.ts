import { DocumentError, type FailureDetails } from '../errors';

/**
 * Whether a request may be sent again without the risk of paying twice.
 * `safe`: it did not arrive, or the service says so. `rateLimit`, `quota`: refused before processing.
 * `never`: the document may have been processed, or would fail in the same way.
 */
export type Repeat = 'safe' | 'rateLimit' | 'quota' | 'never';

/** A request that was made and gave no result. */
export class RequestError extends DocumentError {
	constructor(
		message: string,
		description: string,
		details: FailureDetails,
		readonly repeat: Repeat,
		/** How long the service asked to wait. */
		readonly retryAfterMs?: number,
	) {
		super(message, description, details);
	}
}

/** What a status means for a document, and what to do about it. */
export interface StatusWords {
	happened: (subject: string) => string;
	/** What to do about it. */
	next: string;
}
