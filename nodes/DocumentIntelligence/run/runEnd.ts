import type { FailureMessage } from '../service/requestError';
import { asDocumentError, DocumentError } from '../text/errors';
import type { AnyDocument, Ended, Failed, Loaded, Omitted, Ready } from './state';
import { FATES, leftByFailure, leftByDetached } from './ledger/left';

/** The reason of a run that ends by itself. It is never shown. */
class EndOfRun extends Error {
	/** @param describe the failure of each document that is not sent; none if the run has failed */
	constructor(readonly describe?: (subject: string) => DocumentError) {
		super('The run ended first');
	}
}

export interface FatalFailure {
	/** Null if it is that of no document. */
	document: AnyDocument | null;
	failure: DocumentError;
}

/**
 * Why and how a run ends before all of its documents are sent: the user stops it, a document fails with On Error: Stop,
 * or Cogneris rejects the key or has no quota left. Nothing else keeps a document from being sent because of another one.
 * Its signals, each of which ends with the one before: `canceled`, `work`, `requests`, `sending`.
 */
export class RunEnd {
	/** Ends all work, also on results, whose outputs nobody gets: the user stopped the run, or it failed. */
	readonly work: AbortSignal;
	/** Ends all requests, also for jobs in progress: with `work`, or if Cogneris rejects every request. */
	readonly requests: AbortSignal;
	/** Ends the sending of documents: with `requests`, or if Cogneris accepts no more of them. */
	readonly sending: AbortSignal;
	readonly #failed = new AbortController();
	readonly #ended = { requests: new AbortController(), documents: new AbortController() };
	#first: FatalFailure | undefined;

	constructor(
		/** The user stopped the run, which also ends requests in flight. */
		readonly canceled: AbortSignal,
		private readonly stopsOnFailure: boolean,
	) {
		// None of them ends a request in flight, which may be billed: its answer is awaited although the run has failed.
		this.work = AbortSignal.any([canceled, this.#failed.signal]);
		this.requests = AbortSignal.any([this.work, this.#ended.requests.signal]);
		this.sending = AbortSignal.any([this.requests, this.#ended.documents.signal]);
	}

	/** The end of a document that got no answer. With On Error: Stop, the first one ends the run. */
	fail(document: AnyDocument | Loaded, thrown: unknown): Failed | Omitted {
		const { place, item, subject, fileName, earlier, notes } = document;
		const known = { place, item, subject, fileName, earlier, notes };
		// The reason of the end: it was not sent. What was sent has a failure of its own.
		const failure =
			thrown instanceof EndOfRun ? thrown.describe?.(document.subject) : asDocumentError(thrown);
		if (failure === undefined) return { ...known, state: 'unsent', left: FATES.untouched };
		this.#noteFailure(document, failure);
		const left = leftByFailure(failure, earlier);
		const loaded = 'parts' in document ? document : null;
		return { ...known, state: 'failed', failure, loaded, left };
	}

	/**
	 * The end, for now, of a document whose request a stop has left in flight.
	 * @param late the end that it comes to
	 */
	detach(document: Ready, stopped: DocumentError, late: Promise<Ended | undefined>): Ended {
		const left = late.then((ended) => ended?.left);
		return { ...this.fail(document, stopped), left: leftByDetached(left) };
	}

	/** Sees failures in an answer: with On Error: Stop, the first one ends the run. */
	watch(ended: Ended): Ended {
		const outputs = ended.state === 'answered' ? ended.outputs : [];
		const failure = outputs.find((output) => output instanceof DocumentError);
		if (failure !== undefined) this.#noteFailure(ended, failure);
		return ended;
	}

	/**
	 * Ends the run for all documents that are not sent: each of them fails with this message and its own name.
	 * @param rejected whether Cogneris rejects any request, or only new documents
	 */
	endSending(rejected: 'requests' | 'documents', describe: FailureMessage, httpCode: number): void {
		const failureOf = (subject: string) => new DocumentError(...describe(subject), { httpCode });
		this.#ended[rejected].abort(new EndOfRun(failureOf));
	}

	/** Whose failure the run throws instead of returning items: the first in order of time. */
	get fatal(): FatalFailure | undefined {
		return this.canceled.aborted || this.stopsOnFailure ? this.#first : undefined;
	}

	#noteFailure(document: AnyDocument, failure: DocumentError): void {
		this.#first ??= { document, failure };
		if (this.stopsOnFailure) this.#failed.abort(new EndOfRun());
	}
}
