import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import {
	errorEnvelope,
	jsonResponse,
	problemDocument,
	quotaError,
	rateLimitError,
	errorResponse,
	send,
	successEnvelope,
	textResponse,
	type ErrorDetails,
	type ServiceResponse,
} from '../http/responses';

/** What a fault may use of the request it happens to. */
interface FaultyExchange {
	response: ServerResponse;
	path: string;
	/** Waits so long, unless all late answers are asked for. */
	wait: (ms: number) => Promise<void>;
	/** The response the service would have given; the request is served once, however often this is called. */
	correctResponse: () => Promise<ServiceResponse>;
	firstFile: () => Promise<Buffer>;
	secondsUntilReset: () => number;
	/** Breaks the connection so that the record does not take it for the client's doing. */
	cut: (how: 'close' | 'reset') => void;
}

/** What a kind takes is in its handler; all of it may be left out. */
interface Options extends Pick<ErrorDetails, 'retryable' | 'field' | 'errors'> {
	status?: number;
	code?: string;
	message?: string;
	detail?: string;
	body?: string;
	headers?: Record<string, string>;
	contentType?: string;
	data?: unknown;
	messages?: string[];
	creditsConsumed?: number | null;
	retryAfterSeconds?: number | string | null;
	location?: string;
	megabytes?: number;
	ms?: number;
	everyMs?: number;
}

/** Returns the response to send, or has dealt with the connection itself. */
type Handler = (
	options: Options,
	exchange: FaultyExchange,
) => Promise<ServiceResponse | undefined> | ServiceResponse | undefined;

const CHARGED_CREDITS = 2;
const UNEXPECTED = 'Something unexpected happened.';

/** What can go wrong, by the kind of the fault, with its options: all of them may be left out. */
const handlers = {
	/** The connection is broken before the upload is read. */
	refuse: (_: object, { cut }) => void cut('close'),
	/** The connection is reset (RST) after the upload was read. */
	reset: (_: object, { cut }) => void cut('reset'),
	/** No answer, ever. */
	hang: () => undefined,
	/** The right answer, but late. */
	async late({ ms = 1000 }, { correctResponse, wait }) {
		const answer = await correctResponse();
		await wait(ms);
		return answer;
	},

	/** The right answer, byte by byte. */
	async slowBody({ everyMs = 100 }, { response, correctResponse }) {
		const { status, headers, body } = await correctResponse();
		response.writeHead(status, { ...headers, 'content-length': body.length });
		for (const byte of body) {
			if (response.destroyed) return undefined;
			response.write(Buffer.of(byte));
			await sleep(everyMs);
		}
		response.end();
		return undefined;
	},

	/** Half of the right answer, then the connection ends although Content-Length promised all of it. */
	async truncatedBody(_: object, { response, correctResponse, cut }) {
		const { status, headers, body } = await correctResponse();
		response.writeHead(status, { ...headers, 'content-length': body.length });
		response.write(body.subarray(0, body.length / 2), () => cut('close'));
		return undefined;
	},

	/** A complete HTTP answer whose JSON stops in the middle. */
	truncatedJson: async (_: object, { correctResponse }) =>
		changeBody(await correctResponse(), (body) => body.subarray(0, body.length / 2)),
	emptyBody: ({ status = 200 }) => ({ status, headers: {}, body: Buffer.alloc(0) }),

	html200: () =>
		textResponse(200, gatewayPage('Scheduled maintenance'), 'text/html; charset=utf-8'),
	html502: () => textResponse(502, gatewayPage('502 Bad Gateway'), 'text/html'),
	gatewayTimeout504: () => textResponse(504, gatewayPage('504 Gateway Time-out'), 'text/html'),
	internal500: (_: object, { path }) =>
		problemDocument(500, 'INTERNAL_ERROR', 'An unexpected condition was met.', path),
	status: ({ status = 500, body = '', headers = {} }) => ({
		status,
		headers,
		body: Buffer.from(body),
	}),
	problem: ({ status = 500, code = 'INTERNAL_ERROR', detail = UNEXPECTED, ...details }, { path }) =>
		problemDocument(status, code, detail, path, details),
	retryable500: () =>
		errorEnvelope(500, 'TRANSIENT_FAILURE', 'The request can be sent again.', { retryable: true }),
	retryable503: () => unavailable(),
	/** One of its reasons says that it can be retried, the other that it cannot. */
	contradictory503: () =>
		unavailable({
			errors: [
				{ code: 'PAGE_NOT_READABLE', message: 'A page could not be read.', retryable: false },
			],
		}),
	charged503: ({ creditsConsumed = CHARGED_CREDITS }) => unavailable({ creditsConsumed }),
	/** Billed, although it failed: refused under HTTP 200, or declared retryable. */
	charged422: ({ creditsConsumed = CHARGED_CREDITS }) => ({
		...errorEnvelope(422, 'PROCESSING_FAILED', 'The document could not be processed.', {
			creditsConsumed,
		}),
		status: 200,
	}),

	/** Refused before the upload is read, as when the window is full. */
	rateLimit({ retryAfterSeconds }, { path, secondsUntilReset }) {
		const seconds = retryAfterSeconds === undefined ? secondsUntilReset() : retryAfterSeconds;
		const headers: Record<string, string> =
			seconds === null ? {} : { 'retry-after': String(seconds) };
		return errorResponse(rateLimitError(headers), path);
	},

	/** Of the documents, and retryable: `Retry-After` is promised for the rate limit only. */
	quotaExceeded({ retryAfterSeconds }, { path }) {
		const answer = errorResponse(quotaError(), path);
		if (retryAfterSeconds !== undefined) answer.headers['retry-after'] = String(retryAfterSeconds);
		return answer;
	},

	/** Before the upload is read. */
	redirect: ({ location = '/redirected', status = 307 }) => ({
		status,
		headers: { location },
		body: Buffer.alloc(0),
	}),
	envelopeError: ({
		status = 200,
		code = 'PROCESSING_FAILED',
		message = 'The document could not be processed.',
		...details
	}) => errorEnvelope(status, code, message, details),
	/** 200, but the document was judged too poor to be read. */
	qualityBlock: async (_: object, { correctResponse }) =>
		changeData(await correctResponse(), (data) => ({
			...data,
			metadata: null,
			quality: { overall: 2, findings: [{ ...BLUR, level: 2, measured: 21.4, threshold: 40 }] },
		})),
	/** The right answer with a finding about the document's quality. */
	qualityWarn: async (_: object, { correctResponse }) =>
		changeData(await correctResponse(), (data) => ({
			...data,
			quality: { overall: 1, findings: [{ ...BLUR, level: 1, measured: 88.2, threshold: 100 }] },
		})),
	/** An envelope of this size, valid to the last byte. */
	hugeBody: async ({ megabytes = 64 }, { response }) =>
		await pourOut(Readable.from(bigEnvelope(megabytes)), response),
	/** The same, squeezed to about a thousandth on the wire. */
	gzipBomb: async ({ megabytes = 1024 }, { response }) =>
		await pourOut(Readable.from(bigEnvelope(megabytes)).pipe(createGzip()), response, {
			'content-encoding': 'gzip',
		}),
	async endlessBody(_: object, { response }) {
		response.writeHead(200, JSON_TYPE);
		response.write('{"data":{"metadata":{"note":"');
		const closed = once(response, 'close');
		while (!response.destroyed) {
			if (!response.write(filler)) await Promise.race([once(response, 'drain'), closed]);
			// A breath, so that other requests are served beside this one.
			await sleep(1);
		}
		return undefined;
	},

	/** The right answer behind a UTF-8 byte order mark. */
	byteOrderMark: async (_: object, { correctResponse }) =>
		changeBody(await correctResponse(), (body) => Buffer.concat([BYTE_ORDER_MARK, body])),
	/** The right answer, called something else. */
	async wrongContentType({ contentType = 'text/plain' }, { correctResponse }) {
		const answer = await correctResponse();
		return { ...answer, headers: { ...answer.headers, 'content-type': contentType } };
	},

	/** The first file's bytes come back as the answer, in place of an envelope. */
	imageAnswer: async ({ contentType = 'image/png' }, { firstFile }) => ({
		status: 200,
		headers: { 'content-type': contentType },
		body: await firstFile(),
	}),

	/** The right results of several files, in reverse order. */
	reorderedResults: async (_: object, { correctResponse }) =>
		changeData(await correctResponse(), (data) => {
			const entries = Object.entries(data).map(([name, value]) => [
				name,
				Array.isArray(value) ? (value as unknown[]).toReversed() : value,
			]);
			return Object.fromEntries(entries) as Record<string, unknown>;
		}),
	/** Any data in a good envelope. */
	answer: ({ data = null, creditsConsumed = 1, messages = [] }) =>
		successEnvelope(data, creditsConsumed, 200, messages),
} satisfies Record<string, Handler>;

export type FaultKind = keyof typeof handlers;

/** In the order in which the tables of the pages list them. */
export const faultKinds = Object.keys(handlers) as FaultKind[];

/**
 * For the next `times` requests, 1 by default; with `match`, for those about a file whose name contains it, or about the
 * job with this ID. With `afterWork` the request is served first, and billed where it is billable: what is lost is the
 * response.
 */
export interface Fault extends Options {
	kind: FaultKind;
	match?: string;
	times?: number | 'always';
	afterWork?: boolean;
}

const kindsBeforeUpload: readonly FaultKind[] = [
	...(['refuse', 'rateLimit', 'quotaExceeded', 'redirect'] as const),
];

export function actsBeforeUpload(fault: Fault): boolean {
	return !fault.afterWork && kindsBeforeUpload.includes(fault.kind);
}

/** What a fault bills although no document was processed, by default. */
const CREDITS: Partial<Record<FaultKind, number>> = {
	...{ charged422: CHARGED_CREDITS, charged503: CHARGED_CREDITS },
	...{ envelopeError: 0, answer: 1 },
};

export function creditsBilledBy({ kind, creditsConsumed }: Fault): number {
	const usual = CREDITS[kind];
	if (usual === undefined) return 0;
	return (creditsConsumed === undefined ? usual : creditsConsumed) ?? 0;
}

export async function applyFault(fault: Fault, exchange: FaultyExchange) {
	const handle = (handlers as Record<FaultKind, Handler>)[fault.kind];
	if (fault.afterWork) await exchange.correctResponse();
	const answer = await handle(fault, exchange);
	if (answer) send(exchange.response, answer);
}

function changeBody(answer: ServiceResponse, change: (body: Buffer) => Buffer): ServiceResponse {
	return { ...answer, body: change(answer.body) };
}

/** A response without an envelope, or without data, stays as it is. */
function changeData(
	answer: ServiceResponse,
	change: (data: Record<string, unknown>) => Record<string, unknown>,
): ServiceResponse {
	if (!answer.headers['content-type']?.startsWith('application/json')) return answer;
	const envelope = JSON.parse(answer.body.toString()) as { data?: Record<string, unknown> | null };
	if (!envelope.data) return answer;
	return jsonResponse(answer.status, { ...envelope, data: change(envelope.data) });
}

const BLUR = { probe: 'blur', message: 'The image is not sharp.' };
const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

function unavailable(details: ErrorDetails = {}): ServiceResponse {
	const message = 'The reading engine is not available for a moment.';
	return errorEnvelope(503, 'UPSTREAM_UNAVAILABLE', message, { retryable: true, ...details });
}

function gatewayPage(title: string): string {
	return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
}

const filler = Buffer.alloc(64 * 1024, 'x');

function* bigEnvelope(megabytes: number): Generator<Buffer> {
	yield Buffer.from('{"data":{"id":"00000000-0000-4000-8000-000000000000","metadata":{"note":"');
	for (let chunk = 0; chunk < megabytes * 16; chunk++) yield filler;
	yield Buffer.from(
		'"}},"meta":{"httpStatusCode":200,"messages":[],"creditsConsumed":1},"hasErrors":false}',
	);
}

/** A client that has seen enough closes the connection; that is its right. */
async function pourOut(
	body: Readable,
	response: ServerResponse,
	headers: Record<string, string> = {},
): Promise<undefined> {
	response.writeHead(200, { ...JSON_TYPE, ...headers });
	await pipeline(body, response).catch(() => undefined);
}
