import type { IExecuteFunctions } from 'n8n-workflow';

import { DocumentError, NotSent } from '../text/errors';
import type { EndedDocument } from './runBatch';

/** A document with why it has no result. */
export interface Failure {
	document: EndedDocument;
	cause: DocumentError;
}

/** What ends a run before all of its documents are sent. */
export class RunEnd {
	readonly #failed = new AbortController();

	readonly #closed = new AbortController();

	#first: Failure | undefined;

	/** On Error: Stop, where the first failure loses the results of all other documents. */
	readonly stopsOnFailure: boolean;

	/** The user stops the execution. */
	readonly cancelled: AbortSignal;

	/** Ends downloads and waits for results that are lost; a request in flight may be billed, so its answer is awaited. */
	readonly discarded: AbortSignal;

	/** Ends whatever has not been sent. Its reason is that of the documents. */
	readonly closed: AbortSignal;

	constructor(context: IExecuteFunctions) {
		this.stopsOnFailure = !context.continueOnFail();
		this.cancelled = context.getExecutionCancelSignal() ?? new AbortController().signal;
		this.discarded = AbortSignal.any([this.cancelled, this.#failed.signal]);
		this.closed = AbortSignal.any([this.discarded, this.#closed.signal]);
	}

	/** Ends the run for every document that has not been sent. */
	close(reason: NotSent): void {
		this.#closed.abort(reason);
	}

	/** Is told of all documents as they end, and gives them back. */
	note(documents: EndedDocument[]): EndedDocument[] {
		const [failure] = documents.flatMap(failuresOf);
		this.#first ??= failure;
		if (failure !== undefined && this.stopsOnFailure) this.#failed.abort(new NotSent());
		return documents;
	}

	/** What the run throws instead of giving items: the first failure in order of time. */
	get fatal(): Failure | undefined {
		return this.cancelled.aborted || this.stopsOnFailure ? this.#first : undefined;
	}
}

/** That the run ended before a document was sent is not a failure of its own. */
function failuresOf(document: EndedDocument): Failure[] {
	return document.outputs.flatMap((cause) =>
		cause instanceof DocumentError && !(cause instanceof NotSent) ? { document, cause } : [],
	);
}
