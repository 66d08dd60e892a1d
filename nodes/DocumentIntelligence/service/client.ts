import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import { MB, pluralize } from '../text/words';
import { CREDENTIAL_NAME, type Account } from './account';
import { asDocumentError, NO_LONGER_STORED } from '../text/errors';
import { connectionLoss, type ConnectionLoss } from './connectionLoss';
import { RequestError, failureMessage, type FailureMessage } from './requestError';

export type Requester = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

/** @param failure what the documents of the request fail with for now */
export type OnDetached = (failure: RequestError) => void;

export interface ServiceRequest {
	method: 'GET' | 'POST';
	path: string;
	query?: Record<string, string | undefined>;
	headers?: Record<string, string>;
	/** FormData of Node.js: the bare name is the browser's if a dependency adds DOM types. */
	body?: InstanceType<typeof FormData> | IDataObject;
	/** From the start of the upload to the end of the response. */
	timeoutSeconds: number;
	/** 3 by default. */
	retries?: number;
	/** How messages refer to it, e.g. a file name in quotes. */
	subject: string;
	/** The start of the MIME type of a file that the response may be instead of JSON. */
	mayReturn?: string;
	/** A document each time it arrives, a job once however often it is repeated, or nothing: it stores a file, or only reads. */
	processes: 'document' | 'job' | 'storedFile' | 'nothing';
	/** Called if a stop leaves the request in flight. */
	onDetached?: OnDetached;
	/** By status, or by error code in lower case: in place of the usual ones. */
	statusMessages?: Readonly<Record<string, FailureMessage>>;
}

export interface ServiceResponse {
	status: number;
	headers: Record<string, string | undefined>;
	body: Buffer;
}

/** Larger than any response of the service; a longer one is treated as empty. */
const MAX_ANSWER_BYTES = 32 * MB;

/**
 * The only place that talks to Cogneris. Any HTTP status is a response here, which keeps n8n from repeating an upload
 * after a 401 (docs/internals/n8n-behavior.md, requests). Redirects are not followed: they would get the key.
 * @returns the response, or why there is none or only a part of it
 */
export async function sendRequest(
	requester: Requester,
	account: Account,
	request: ServiceRequest,
	signal: AbortSignal,
): Promise<ServiceResponse | RequestError> {
	const { subject, timeoutSeconds } = request;
	const deadline = AbortSignal.timeout(timeoutSeconds * 1000);
	const files = filesOf(request);
	const end = AbortSignal.any([signal, deadline, ...files.map(({ changed }) => changed)]);
	// n8n's request helper takes the cancel signal from the context that it is called on.
	const context = Object.create(requester, {
		getExecutionCancelSignal: { value: () => end },
	}) as Requester;
	const options: IHttpRequestOptions = {
		method: request.method,
		url: account.baseUrl + request.path,
		qs: request.query,
		headers: { Accept: 'application/json, application/problem+json', ...request.headers },
		body: request.body,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		// The default of n8n ends a connection that is silent for 5 minutes, which may be before the deadline.
		timeout: 0,
	};
	try {
		const { statusCode, headers, body } =
			(await requester.helpers.httpRequestWithAuthentication.call(
				context,
				CREDENTIAL_NAME,
				options,
			)) as Pick<ServiceResponse, 'headers'> & { statusCode: number; body: AsyncIterable<Buffer> };
		return { status: statusCode, headers, body: await readBody(body) };
	} catch (thrown) {
		const changed = files.find((file) => file.changed.aborted);
		if (changed !== undefined)
			return new RequestError(
				`"${changed.name}" is no longer in n8n's file storage as n8n stored it, so Cogneris did not receive it`,
				NO_LONGER_STORED,
				{},
				'never',
				{ isFileUnsent: true },
			);
		if (!deadline.aborted) return connectionFailed(request, thrown);
		if (!isTooLateToStop(request))
			return new RequestError(
				`${subject} could not be sent within ${pluralize(timeoutSeconds, 'second')}`,
				"Cogneris did not receive the whole request, so it was not processed. Check n8n's file storage and the network, or raise 'Timeout (Seconds)'.",
				{},
				'never',
				{ isTimeout: true, isFileUnsent: true },
			);
		return new RequestError(
			`No response for ${subject} arrived within ${pluralize(timeoutSeconds, 'second')}`,
			request.body instanceof FormData ? "For long documents, raise 'Timeout (Seconds)'." : '',
			{},
			'lost',
			{ isTimeout: true },
		);
	} finally {
		for (const file of files) file.close();
	}
}

function filesOf({ body }: Pick<ServiceRequest, 'body'>): StreamedFile[] {
	const parts = body instanceof FormData ? [...body.values()] : [];
	return parts.filter((part) => part instanceof StreamedFile);
}

/** Whether nothing keeps the request from being processed, because all of its files are on their way. */
export function isTooLateToStop(request: Pick<ServiceRequest, 'body'>): boolean {
	return filesOf(request).every(({ isRead }) => isRead);
}

async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of body) {
		length += chunk.length;
		if (length > MAX_ANSWER_BYTES) return Buffer.alloc(0);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/** By the reason why nothing was sent. */
export const CONNECTION_MESSAGES = {
	blocked: failureMessage(
		"n8n's SSRF protection blocked the request, so %s was not sent",
		'The address in the credential is a private one. An administrator of n8n can allow it with N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.',
	),
	certificate: failureMessage(
		'n8n does not trust the certificate of the server, so %s was not sent',
		'Check the address in the credential. If it is right, the certificate has expired, belongs to another host name, or was issued by an authority that this n8n server does not trust, such as that of a proxy or firewall. An administrator of n8n can add the authority with NODE_EXTRA_CA_CERTS.',
	),
	cutOff: failureMessage(
		'The connection to Cogneris was closed while %s was being sent',
		'Cogneris did not receive the whole request, so it was not processed. Process the document again. If this happens each time, check the proxy or firewall between n8n and Cogneris.',
	),
	lost: failureMessage('The connection to Cogneris was lost before a response for %s arrived', ''),
	unreachable: failureMessage(
		'Cogneris cannot be reached, so %s was not sent',
		'Check the region or address in the credential, and that no proxy or firewall keeps this n8n server from reaching Cogneris.',
	),
} satisfies Record<NonNullable<ConnectionLoss['notSent']> | 'lost', FailureMessage>;

function connectionFailed({ body, subject }: ServiceRequest, thrown: unknown): RequestError {
	const { code, notSent = 'lost' } = connectionLoss(thrown);
	const details = code === undefined ? {} : { code };
	const sent = body === undefined ? `the request for ${subject}` : subject;
	const [message, suggestedFix] = CONNECTION_MESSAGES[notSent](sent);
	if (notSent === 'lost') return new RequestError(message, suggestedFix, details, 'lost');
	return new RequestError(message, suggestedFix, details, notSent === 'blocked' ? 'never' : 'safe');
}

/**
 * A File whose bytes are read while they are uploaded. Its size is known, so Content-Length is, too. What is read last is
 * sent when the store has ended at that size: otherwise, the file has changed, and the request is never complete.
 */
export class StreamedFile extends File {
	readonly #readers = new Set<AsyncGenerator<Buffer>>();
	#changed = new AbortController();
	/** Whether all of its bytes are on their way. */
	isRead = false;

	constructor(
		name: string,
		type: string,
		override readonly size: number,
		private readonly open: () => AsyncGenerator<Buffer>,
	) {
		super([], name, { type });
	}

	/** Ends the request if the store does not return the file as it was. */
	get changed(): AbortSignal {
		return this.#changed.signal;
	}

	override stream(): ReturnType<File['stream']> {
		const reader = this.#read();
		this.isRead = false;
		this.#readers.add(reader);
		return ReadableStream.from(reader);
	}

	async *#read(): AsyncGenerator<Buffer> {
		const changed = this.#changed;
		let last: Buffer | undefined;
		let bytes = 0;
		try {
			for await (const chunk of this.open()) {
				bytes += chunk.length;
				if (bytes > this.size) break;
				if (chunk.length === 0) continue;
				if (last !== undefined) yield last;
				last = chunk;
			}
			if (bytes !== this.size) throw new RangeError('The size has changed');
		} catch (thrown) {
			changed.abort();
			throw asDocumentError(thrown);
		}
		if (last !== undefined) yield last;
		this.isRead = true;
	}

	/** Ends open readers: a response before the end of the upload would leave its file open. */
	close(): void {
		// Not awaited, because a store that hangs or fails no longer matters to the request.
		for (const reader of this.#readers) void reader.return(undefined).catch(() => undefined);
		this.#changed = new AbortController();
	}
}
