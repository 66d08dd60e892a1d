import { NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import { describeCost, type Cost, type Next } from './failures';
import { joinSentences } from './words';

/** What is known of a failed request besides its message. Never holds the API key or document contents. */
export interface FailureDetails {
	fileName?: string;
	/** HTTP status of the answer; absent when no request was made or none was answered. */
	httpCode?: number;
	/** The service's own code, for example `TEMPLATE_NOT_FOUND`. */
	code?: string;
	messages?: string[];
	correlationId?: string;
	/** What the service billed although there is no result; absent where it says nothing of it. */
	creditsConsumed?: number;
	jobId?: string;
}

/**
 * The only error that the node throws for users: the message says what happened and to which file, the description what
 * to do next and what it may have cost.
 */
export class DocumentError extends Error {
	override readonly name = 'DocumentError';

	/** @param advice what to do next */
	constructor(
		message: string,
		readonly advice: string,
		readonly details: FailureDetails = {},
		readonly cost: Cost = 'nothing',
	) {
		super(message);
	}

	get description(): string {
		return this.describe();
	}

	/** Whether processing the document again may be paid twice. */
	get mayBeBilled(): boolean {
		return this.cost !== 'nothing' || (this.details.creditsConsumed ?? 0) > 0;
	}

	describe(next?: Next): string {
		return joinSentences(this.advice, describeCost(this.cost, this.details.creditsConsumed, next));
	}
}

/** For a file that n8n has stored and lost. */
export const NO_LONGER_STORED =
	'When n8n deletes an execution, it also deletes its files, and pinned or copied items lose them. Unpin the data and run the earlier nodes again.';

/** For a file that n8n cannot store. */
export const CHECK_STORAGE = "Check that n8n's storage for files has free space.";

const NOTHING_SENT = 'Nothing was sent.';

/** The failure of a run that has sent nothing, which it says, unless an earlier attempt may have paid for the document. */
export function ofNothingSent(failure: DocumentError): DocumentError {
	const { message, advice, details, mayBeBilled } = failure;
	if (mayBeBilled || advice.includes(NOTHING_SENT)) return failure;
	return new DocumentError(message, joinSentences(advice, NOTHING_SENT), details);
}

/** Whatever was thrown, as a failure of a document. Of other errors, only the message is kept. */
export function asDocumentError(thrown: unknown): DocumentError {
	return thrown instanceof DocumentError ? thrown : new DocumentError(messageOf(thrown), '');
}

/** What Cogneris or, for a lost connection, the system said. What the message says is not repeated. */
function quotesOf({ message, details }: DocumentError): { reason: string; reference: string } {
	const { messages = [], correlationId, code, httpCode, jobId } = details;
	const others = messages.filter((text) => !message.includes(text.replace(/\.$/, '')));
	const quoted = others.join(' ').replace(/\.$/, '');
	const isOfConnection = httpCode === undefined && jobId === undefined;
	const reference = joinSentences(
		correlationId !== undefined && `When you contact Cogneris support, quote ${correlationId}.`,
		isOfConnection && code !== undefined && `Code: ${code}.`,
	);
	return { reason: quoted === '' ? '' : `Cogneris says: "${quoted}".`, reference };
}

/** The description, with the quotes on the last line. */
function withQuotes(description: string, failure: DocumentError, lineBreak: string): string {
	const { reason, reference } = quotesOf(failure);
	return [description, joinSentences(reason, reference)].filter(Boolean).join(lineBreak);
}

/**
 * For a list in the panel. There, the editor shows the description of a NodeApiError only, as plain text in a box of a few
 * lines (docs/internals/n8n-behavior.md, items), so the reason comes first.
 */
export function asListError(node: INode, thrown: unknown): NodeApiError {
	const failure = asDocumentError(thrown);
	const { message, details } = failure;
	const { reason, reference } = quotesOf(failure);
	const description = joinSentences(reason, failure.describe(), reference);
	const httpCode = details.httpCode === undefined ? undefined : String(details.httpCode);
	const error = new NodeApiError(node, {}, { message, description, httpCode });
	// n8n replaces a message for some statuses and codes.
	error.message = message;
	return error;
}

/**
 * Without a cause: n8n's request errors carry the headers, and so the API key.
 * @param others what became of the other documents
 * @param next what the next run does with its document
 */
export function asNodeError(
	node: INode,
	thrown: unknown,
	itemIndex: number,
	others = '',
	next?: Next,
) {
	const failure = asDocumentError(thrown);
	const { message, details } = failure;
	// The editor shows a description as HTML (docs/internals/n8n-behavior.md, items).
	const lines = [failure.describe(next), others].filter(Boolean).join('<br>');
	const options = { itemIndex, message, description: withQuotes(lines, failure, '<br>') };
	const { httpCode } = details;
	const error =
		httpCode === undefined
			? new NodeOperationError(node, message, options)
			: new NodeApiError(node, { ...details }, { ...options, httpCode: String(httpCode) });
	// n8n replaces a message that contains a system code, and a file may be named like one ("ENOENT.pdf").
	error.message = message;
	return error;
}

/** @param next what the next run does with its document */
export function failedItemJson(
	failure: DocumentError,
	fileName?: string,
	next?: Next,
): { error: IDataObject & { message: string }; fileName?: string } {
	const { message, details } = failure;
	const description = withQuotes(failure.describe(next), failure, ' ');
	const name = fileName === undefined ? {} : { fileName };
	return {
		...name,
		error: { message, ...name, ...(description === '' ? {} : { description }), ...details },
	};
}

export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}
