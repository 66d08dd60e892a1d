import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { connectionLoss, type ConnectionLoss } from '../http/connectionLoss';
import { pluralize } from '../text/pluralize';
import { StreamedFile } from '../http/streamedFile';
import { MB } from '../text/bytes';
import { CREDENTIAL_NAME, type Account } from './account';
import { RequestError, type StatusWords } from './requestError';

/** One call of the service. */
export interface ServiceRequest {
	/** For example `/Document/extraction`. */
	path: string;
	/** Node's own FormData; the name alone means the browser's where a dependency brings its types. */
	form: InstanceType<typeof FormData>;
	/** From the start of the upload to the end of the answer. */
	timeoutSeconds: number;
	/** What is sent, in words for messages: a file name in quotes, or "3 files". */
	subject: string;
	/** Whether an image is an answer. */
	mayReturnImage?: boolean;
	/** What a status means for this operation, where that is more than it means for all. */
	statusWords?: Readonly<Record<number, StatusWords>>;
}

/** What came back, not yet understood. */
export interface ServiceResponse {
	status: number;
	headers: Record<string, string | undefined>;
	body: Buffer;
}

interface StreamedResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: AsyncIterable<Buffer>;
}

/** No answer of the service comes near this; a larger one is not read to its end. */
const MAX_ANSWER_BYTES = 32 * MB;

/** Codes of a request that never reached the service, so cannot have been billed. */
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Code of a write that failed: the service has closed before it had the whole file, so it cannot have processed it. */
const CUT_OFF = 'EPIPE';

/**
 * The only place that talks to the service. Any HTTP status is an answer here (host facts, errors: this keeps
 * n8n from repeating an upload after a 401), redirects are not followed because the key would go along.
 *
 * @param signal ends the request, whatever it is doing
 * @returns the answer, or why no whole one arrived
 */
export async function post(
	context: IExecuteFunctions,
	account: Account,
	request: ServiceRequest,
	signal: AbortSignal,
): Promise<ServiceResponse | RequestError> {
	const deadline = AbortSignal.timeout(request.timeoutSeconds * 1000);
	const options: IHttpRequestOptions = {
		method: 'POST',
		url: account.baseUrl + request.path,
		headers: { Accept: 'application/json' },
		body: request.form,
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
	try {
		const { statusCode, headers, body } = (await context.helpers.httpRequestWithAuthentication.call(
			cancelledBy(context, AbortSignal.any([signal, deadline])),
			CREDENTIAL_NAME,
			options,
		)) as StreamedResponse;
		const whole = await readBody(body);
		return whole === undefined
			? tooLarge(request, statusCode)
			: { status: statusCode, headers, body: whole };
	} catch (thrown) {
		if (signal.aborted) return stopped(request);
		return deadline.aborted ? timedOut(request) : connectionFailed(request, connectionLoss(thrown));
	} finally {
		for (const [, part] of request.form) if (part instanceof StreamedFile) part.close();
	}
}

/**
 * The context with another cancel signal. n8n's request helper takes the signal from the context it is called
 * on, and its own timeout option only notices a connection on which nothing moves.
 */
function cancelledBy(context: IExecuteFunctions, signal: AbortSignal): IExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IExecuteFunctions;
}

/** Undefined when there is more than {@link MAX_ANSWER_BYTES}. */
async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		length += chunk.length;
		if (length > MAX_ANSWER_BYTES) return undefined;
	}
	return Buffer.concat(chunks);
}

function tooLarge({ subject }: ServiceRequest, httpCode: number): RequestError {
	return new RequestError(
		`The answer for ${subject} is too large to come from the document service`,
		`More than ${MAX_ANSWER_BYTES / MB} MB arrived and the rest was not read. Check the address in the credential, and ask the support of the service if it is right. The document may have been processed and billed.`,
		{ httpCode },
		'never',
	);
}

function stopped({ subject }: ServiceRequest): RequestError {
	return new RequestError(
		`The execution was stopped while ${subject} was being processed`,
		'The document may have been processed and billed all the same.',
		{},
		'never',
	);
}

function timedOut({ subject, timeoutSeconds }: ServiceRequest): RequestError {
	return new RequestError(
		`${subject} was not answered within ${pluralize(timeoutSeconds, 'second')}`,
		'The document may still have been processed and billed, so it was not sent again. For long documents raise the Timeout option.',
		{},
		'never',
	);
}

function connectionFailed(
	{ subject }: ServiceRequest,
	{ code, blocked }: ConnectionLoss,
): RequestError {
	const details = code === undefined ? {} : { code };
	if (blocked) {
		return new RequestError(
			`n8n does not let requests to the document service out, so ${subject} was not sent`,
			'Its protection of private addresses is on, and the address in the credential is one. Whoever runs this n8n can allow it with N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.',
			details,
			'never',
		);
	}
	if (code !== undefined && NOT_SENT.has(code)) {
		return new RequestError(
			`The document service cannot be reached, so ${subject} was not sent`,
			`Check the region or address in the credential, and whether this n8n server may reach it (${code}).`,
			details,
			'safe',
		);
	}
	if (code === CUT_OFF) {
		return new RequestError(
			`The connection to the document service was closed while ${subject} was being sent`,
			'The service did not get the whole file, so it was not processed. Run it again; if this happens each time, check the proxy or firewall between n8n and the service.',
			details,
			'safe',
		);
	}
	return new RequestError(
		`The connection to the document service was lost before ${subject} was answered`,
		`The document may have been processed and billed, so it was not sent again${code === undefined ? '' : ` (${code})`}. Look in the platform whether it arrived before running it again.`,
		details,
		'never',
	);
}
