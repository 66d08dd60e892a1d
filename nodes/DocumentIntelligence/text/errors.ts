import type { IDataObject, INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { pluralize } from './words';

/** What is known of a failed request besides its message. Never holds the API key or document contents. */
export interface FailureDetails {
	/** The file that it is about, where that is a single one. */
	fileName?: string;
	/** HTTP status of the answer; absent when no request was made or none was answered. */
	httpCode?: number;
	/** The service's own code, for example `TEMPLATE_NOT_FOUND`. */
	code?: string;
	/** The service's own sentences, as they came. */
	messages?: string[];
	/** What the service's support asks for. */
	correlationId?: string;
	/** What the service billed although there is no result; absent where it says nothing of it. */
	creditsConsumed?: number;
	/** The number of the job that the document was submitted as. */
	jobId?: string;
	/** The service's id of the fraud check that blocked the document. */
	fraudRequestId?: string;
}

/**
 * Anything that keeps a document from becoming a result, written for the user:
 * the message says what happened and to which file, the description what to do next.
 */
export class DocumentError extends Error {
	override readonly name = 'DocumentError';

	constructor(
		message: string,
		readonly description: string,
		readonly details: FailureDetails = {},
	) {
		super(message);
	}
}

/** Whatever was thrown, as a failure of a document. Of other errors, only the message is kept. */
export function asDocumentError(thrown: unknown): DocumentError {
	return thrown instanceof DocumentError ? thrown : new DocumentError(messageOf(thrown), '');
}

/**
 * Why a document was not sent: no further request is made, because the run has failed or because none could succeed.
 * Nothing is billed for it.
 */
export class NotSent extends DocumentError {
	/** @param failureOf makes the failure of a document from its name or link in quotes */
	constructor(readonly failureOf?: (subject: string) => DocumentError) {
		super('The document was not sent because the run ended first', '');
	}
}

/** The other documents of a run that stops: all of their results are lost. */
export interface Lost {
	processed: number;
	/** Documents whose request failed in a way that leaves open whether they were processed. */
	maybeProcessed: number;
	/** Numbers of the jobs whose results were not fetched. */
	jobs: string[];
}

/**
 * The one n8n error of a failure, with its item.
 *
 * The error that was thrown is not kept as the cause: n8n's request errors carry the headers, and so the API key.
 */
export function asNodeError(
	node: INode,
	thrown: unknown,
	itemIndex: number,
	lost: Lost = { processed: 0, maybeProcessed: 0, jobs: [] },
): NodeApiError | NodeOperationError {
	const { message, description: suggestedFix, details } = asDocumentError(thrown);
	const description = [suggestedFix, lostResults(lost)].join(' ').trim();
	const error =
		details.httpCode === undefined
			? new NodeOperationError(node, message, { itemIndex, description })
			: new NodeApiError(
					node,
					{ ...details },
					{
						itemIndex,
						message,
						description,
						httpCode: String(details.httpCode),
					},
				);
	// n8n replaces a message that contains a system code, and a file may be named like one ("ENOENT.pdf").
	error.message = message;
	return error;
}

/**
 * The JSON of a failed item: everything that is known, under `error` alone. n8n's error output takes no item with
 * other keys, and of an item that carries an error object n8n keeps the message only (docs/n8n-behaviour.md, items).
 */
export function failedItemJson(
	{ message, description, details }: DocumentError,
	fileName?: string,
): { error: IDataObject & { message: string } } {
	return {
		error: {
			message,
			...(fileName === undefined ? {} : { fileName }),
			...(description === '' ? {} : { description }),
			...details,
		},
	};
}

/** What a run that stops loses, although it may have to pay for it. */
function lostResults({ processed, maybeProcessed, jobs }: Lost): string {
	if (processed + maybeProcessed === 0) return '';
	return [
		processed === 0
			? ''
			: `${pluralize(processed, 'other document')} ${processed === 1 ? 'was processed, and its result is' : 'were processed, and their results are'} lost because the node stopped; ${processed === 1 ? 'it' : 'they'} may already be billed. `,
		maybeProcessed === 0
			? ''
			: `${pluralize(maybeProcessed, 'other document')} may have been processed and billed. `,
		jobs.length === 0
			? ''
			: `The service keeps the results of their jobs for 7 days: fetch them with the resource Job, operation Get Result: ${jobs.join(', ')}. `,
		"To keep the results next time, set On Error in the node's settings to Continue.",
	].join('');
}

export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}
