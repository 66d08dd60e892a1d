import type { IDataObject, INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { pluralize } from './text/pluralize';

/** What is known of a failed request besides its message. Never holds the API key or document contents. */
export interface FailureDetails {
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
	/** The service's number of a check for fraud that blocked the document. */
	fraudRequestId?: string;
}

/**
 * Anything that keeps a document from becoming a result, in words for the user:
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

/**
 * The one n8n error of a failure, with its item.
 *
 * @param processedBefore documents whose results end with this error
 *
 * What was thrown by others is not kept as cause: n8n's request errors carry the request's headers, so the key.
 */
export function asNodeError(
	node: INode,
	thrown: unknown,
	itemIndex: number,
	processedBefore: number,
): NodeApiError | NodeOperationError {
	const message = messageOf(thrown);
	const { description: advice, details } =
		thrown instanceof DocumentError ? thrown : { description: '', details: {} as FailureDetails };
	const description = [advice, lostResults(processedBefore)].join(' ').trim();
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
	// n8n replaces messages in which it sees a system code, and a file may be named like one ("ENOENT.pdf").
	error.message = message;
	return error;
}

/**
 * The JSON of a failed item: everything that is known, under `error` alone. n8n's error output takes no item with
 * other keys, and of an item that carries an error object n8n keeps the message only (both hosts, seen).
 */
export function failedItemJson(
	thrown: unknown,
	fileName?: string,
): { error: IDataObject & { message: string } } {
	const known =
		thrown instanceof DocumentError ? { description: thrown.description, ...thrown.details } : {};
	return {
		error: {
			message: messageOf(thrown),
			...(fileName === undefined ? {} : { fileName }),
			...known,
		},
	};
}

/** A run that stops loses what it has paid for. */
function lostResults(processed: number): string {
	if (processed === 0) return '';
	return `${pluralize(processed, 'document')} ${processed === 1 ? 'was processed before, and its result is' : 'were processed before, and their results are'} lost because the node stopped. To keep them next time, set On Error in the node's settings to Continue.`;
}

function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}
