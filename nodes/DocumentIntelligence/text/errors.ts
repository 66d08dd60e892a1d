import { NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

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
	/** The service's id of the fraud check that blocked the document. */
	fraudRequestId?: string;
}

/**
 * The only error that the node throws for users: the message says what happened and to which file, the description what
 * to do next.
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

/** Why a document was not sent and not billed: the run failed, or no further request could succeed. */
export class NotSent extends DocumentError {
	/** @param failureOf makes the failure of a document from its name or link in quotes */
	constructor(readonly failureOf?: (subject: string) => DocumentError) {
		super('The document was not sent because the run ended first', '');
	}
}

/** Without a cause: n8n's request errors carry the headers, and so the API key. */
export function asNodeError(node: INode, thrown: unknown, itemIndex: number) {
	const { message, description, details } = asDocumentError(thrown);
	const options = { itemIndex, message, description };
	const { httpCode } = details;
	const error =
		httpCode === undefined
			? new NodeOperationError(node, message, options)
			: new NodeApiError(node, { ...details }, { ...options, httpCode: String(httpCode) });
	// n8n replaces a message that contains a system code, and a file may be named like one ("ENOENT.pdf").
	error.message = message;
	return error;
}

export function failedItemJson(
	{ message, description, details }: DocumentError,
	fileName?: string,
): { error: IDataObject & { message: string }; fileName?: string } {
	const name = fileName === undefined ? {} : { fileName };
	return {
		...name,
		error: { message, ...name, ...(description === '' ? {} : { description }), ...details },
	};
}

export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The result, or the signal's reason thrown as soon as it is aborted. A result that fails later is nobody's failure. */
export async function unlessAborted<Result>(
	result: Promise<Result> | undefined,
	signal: AbortSignal,
): Promise<Result | undefined> {
	return await new Promise((resolve, reject) => {
		const stop = () => reject(signal.reason as Error);
		if (signal.aborted) stop();
		signal.addEventListener('abort', stop, { once: true });
		void Promise.resolve(result)
			.then(resolve, reject)
			.finally(() => signal.removeEventListener('abort', stop));
	});
}
