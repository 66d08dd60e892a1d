import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import { MB } from '../text/bytes';
import type { FailureDetails } from '../text/errors';
import { pluralize } from '../text/words';
import { CREDENTIAL_NAME, type Account } from './account';
import { connectionLoss, type ConnectionLoss } from '../text/connectionLoss';
import {
	billingOfLost,
	CHECK_FIRST,
	joined,
	RequestError,
	told,
	type FailureMessage,
} from './requestError';

/** The contexts of n8n that requests are made from: an execution, a list search, a poll. */
export type Requester = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

/** One call of the service. */
export interface ServiceRequest {
	method: 'GET' | 'POST';
	/** For example `/Document/extraction`. */
	path: string;
	query?: Record<string, string>;
	headers?: Record<string, string>;
	/** A form, or JSON. Typed as the FormData of Node.js: the bare name is the browser's if a dependency adds DOM types. */
	body?: InstanceType<typeof FormData> | IDataObject;
	/** From the start of the upload to the end of the answer. */
	timeoutSeconds: number;
	/** How often it may be retried; 3 unless set. */
	retries?: number;
	/** What the request is about, as messages name it: a file name in quotes, or several. */
	subject: string;
	mayReturnImage?: boolean;
	/** Whether it may be retried although it may have arrived: it is not billed, or takes effect only once. */
	isRepeatable?: boolean;
	/** Whether it is never billed, whatever becomes of it. */
	isFree?: boolean;
	/** By status, and by codes in small letters that say more. */
	statusMessages: Readonly<Record<string, FailureMessage>>;
}

/** A response, not yet parsed. */
export interface ServiceResponse {
	status: number;
	headers: Record<string, string | undefined>;
	body: Buffer;
}

interface StreamedResponse extends Pick<ServiceResponse, 'headers'> {
	statusCode: number;
	body: AsyncIterable<Buffer>;
}

/** No response of the service comes near this size; a larger one is not read to its end. */
const MAX_ANSWER_BYTES = 32 * MB;

/**
 * The only place that talks to the service. Any HTTP status is a response here (docs/internals/n8n-behaviour.md, requests: this keeps
 * n8n from repeating an upload after a 401), redirects are not followed because they would get the key.
 *
 * @param signal ends the request, whatever it is doing
 * @returns the response, or why there is none or only a part of it
 */
export async function send(
	requester: Requester,
	account: Account,
	request: ServiceRequest,
	signal: AbortSignal,
): Promise<ServiceResponse | RequestError> {
	const { subject, timeoutSeconds } = request;
	const deadline = AbortSignal.timeout(timeoutSeconds * 1000);
	const options: IHttpRequestOptions = {
		method: request.method,
		url: account.baseUrl + request.path,
		qs: request.query,
		headers: { Accept: 'application/json', ...request.headers },
		body: request.body,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		// The deadline is the only one: n8n gives up on a connection that is silent for 5 minutes (docs/internals/n8n-behaviour.md, requests).
		timeout: 0,
	};
	try {
		const { statusCode, headers, body } =
			(await requester.helpers.httpRequestWithAuthentication.call(
				cancelledBy(requester, AbortSignal.any([signal, deadline])),
				CREDENTIAL_NAME,
				options,
			)) as StreamedResponse;
		const whole = await readBody(body);
		if (whole !== undefined) return { status: statusCode, headers, body: whole };
		return lost(
			request,
			`The response for ${subject} is too large to come from Cogneris`,
			`More than ${MAX_ANSWER_BYTES / MB} MB arrived, and the rest was not read. Check the address in the credential.`,
			{ details: { httpCode: statusCode } },
		);
	} catch (thrown) {
		if (signal.aborted)
			return lost(request, `The execution was stopped while ${subject} was being processed`, '');
		if (!deadline.aborted) return connectionFailed(request, thrown);
		return lost(
			request,
			`${subject} was not answered within ${pluralize(timeoutSeconds, 'second')}`,
			request.body instanceof FormData ? "For long documents raise 'Timeout (Seconds)'." : '',
			{ isTimeout: true },
		);
	} finally {
		if (request.body instanceof FormData)
			for (const [, part] of request.body) if (part instanceof StreamedFile) part.close();
	}
}

/**
 * The context with another cancel signal. n8n's request helper takes the signal from the context it is called
 * on, and its own timeout option only notices a connection on which nothing moves.
 */
export function cancelledBy<Context extends Requester>(
	context: Context,
	signal: AbortSignal,
): Context {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as Context;
}

/** Undefined if there is more than {@link MAX_ANSWER_BYTES}. */
async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of body) {
		length += chunk.length;
		if (length > MAX_ANSWER_BYTES) return undefined;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/** What kept a request from being sent, and what to do next. */
const NOT_SENT: Record<NonNullable<ConnectionLoss['notSent']>, FailureMessage> = {
	blocked: told(
		"n8n's SSRF protection blocked the request, so %s was not sent",
		'The address in the credential is a private one. An administrator of n8n can allow it with N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.',
	),
	certificate: told(
		'The certificate of Cogneris is not trusted, so %s was not sent',
		'Nothing was billed. Check the address in the credential. If it is right, the certificate has expired, belongs to another host name, or was issued by an authority that this n8n server does not trust, such as that of a proxy or firewall; an administrator of n8n can add the authority with NODE_EXTRA_CA_CERTS.',
	),
	cutOff: told(
		'The connection to Cogneris was closed while %s was being sent',
		'Cogneris did not get the whole file, so it was not processed. Run it again; if this happens each time, check the proxy or firewall between n8n and Cogneris.',
	),
	unreachable: told(
		'Cogneris cannot be reached, so %s was not sent',
		'Nothing was billed. Check the region or address in the credential, its port, and whether a proxy or firewall lets this n8n server reach it.',
	),
};

function connectionFailed(request: ServiceRequest, thrown: unknown): RequestError {
	const { code, notSent } = connectionLoss(thrown);
	const details = code === undefined ? {} : { code };
	const withCode = (fix: string) => (code === undefined ? fix : fix.replace(/\.$/, ` (${code}).`));
	// What is only asked for is not sent.
	const subject = request.method === 'GET' ? `the request for ${request.subject}` : request.subject;
	if (notSent === undefined)
		return lost(
			request,
			`The connection to Cogneris was lost before ${subject} was answered`,
			request.isRepeatable ? '' : withCode(CHECK_FIRST),
			{ details },
		);
	const { message, suggestedFix } = NOT_SENT[notSent];
	const retryKind = notSent === 'blocked' ? 'never' : 'safe';
	return new RequestError(message(subject), withCode(suggestedFix), details, retryKind);
}

/** Of a request that may have been processed. */
function lost(
	request: ServiceRequest,
	message: string,
	fix: string,
	{ details = {}, isTimeout = false }: { details?: FailureDetails; isTimeout?: boolean } = {},
): RequestError {
	const description = joined(billingOfLost(request), fix);
	return new RequestError(message, description, details, 'lost', { isTimeout });
}

/** What an upload needs to know of a file. */
export interface StreamedFileSource {
	name: string;
	mimeType: string;
	bytes: number;
	/** Reads from the start, as often as it is called. */
	open: () => AsyncGenerator<Buffer>;
}

/**
 * A File whose bytes are read while they are uploaded, so that a 500 MB upload needs no 500 MB of memory. The length
 * is known beforehand and counts toward Content-Length (docs/internals/n8n-behaviour.md, uploads).
 */
export class StreamedFile extends File {
	override readonly size: number;
	readonly #open: StreamedFileSource['open'];
	readonly #readers = new Set<AsyncGenerator<Buffer>>();

	constructor({ name, mimeType, bytes, open }: StreamedFileSource) {
		super([], name, { type: mimeType });
		this.size = bytes;
		this.#open = open;
	}

	/** Reads from the start each time, so a form can be sent more than once. */
	override stream(): ReturnType<File['stream']> {
		const reader = this.#open();
		this.#readers.add(reader);
		return ReadableStream.from(reader);
	}

	/** Ends open readers: a request that is answered before its upload ends would leave its file open. */
	close(): void {
		// Not awaited, and failures are ignored: a store that hangs or fails no longer matters to the request.
		for (const reader of this.#readers) void reader.return(undefined).catch(() => undefined);
		this.#readers.clear();
	}
}
