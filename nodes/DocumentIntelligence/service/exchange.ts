import { FIND_JOB, type Cost } from '../text/failures';
import { joinSentences } from '../text/words';
import { SLICE_MS, unlessAborted, type Clock } from '../waiting/waiting';
import { CREDENTIAL_NAME, readAccount, type Account } from './account';
import {
	isUploaded,
	send,
	type Requester,
	type ServiceRequest,
	type ServiceResponse,
} from './client';
import type { Grant, Limiter, Limiters } from './limiter';
import { RequestError } from './requestError';
import { retryDelay } from './retry';

/** Shared by the requests of one execution, list search or poll. */
export interface Session {
	requester: Requester;
	account: Account;
	limiter: Limiter;
	clock: Clock;
	/** Ends waits with its reason, so that no further request starts; includes `abort`. */
	signal: AbortSignal;
	/** Also ends requests in flight: the user stopped the execution, or a poll has no time left. */
	abort: AbortSignal;
	traffic: {
		requests: number;
		rejections: number;
		retries: number;
		/** Of the request that waited longest for the rate limit, in milliseconds. */
		waitedMs: number;
	};
}

export async function openSession(
	requester: Requester,
	limiters: Limiters,
	signals: Pick<Session, 'signal' | 'abort'>,
): Promise<Session> {
	const account = readAccount(await requester.getCredentials(CREDENTIAL_NAME));
	const limiter = limiters.forAccount(account);
	const { clock } = limiters;
	const traffic = { requests: 0, rejections: 0, retries: 0, waitedMs: 0 };
	return { requester, account, limiter, clock, ...signals, traffic };
}

/** How long the rate limit may reject a request before it fails: ten windows. */
const MAX_REJECTED_MS = 10 * 60_000;

export type ReadResponse<Result> = (
	response: ServiceResponse,
	request: ServiceRequest,
) => Result | RequestError;

/** What became of the attempts at a request so far. Times are those of the clock. */
interface Progress {
	attempts: number;
	retries: number;
	timeouts: number;
	/** Since when the rate limit has rejected it without a break. */
	rejectedSince?: number;
	/** Since when the document quota has. */
	quotaSince?: number;
	/** The last attempt that may have been billed. */
	lost?: RequestError;
}

/** A request that was in flight when the user stopped the execution. */
export class StoppedRequest extends RequestError {
	/** @param late what it still comes to; undefined if that is of no use. Never rejected */
	constructor(
		message: string,
		cost: Cost,
		readonly late: Promise<unknown>,
	) {
		const advice = 'Execute again: a result that still arrives is used and not paid twice.';
		super(message, advice, {}, cost === 'nothing' ? 'never' : 'lost', {}, cost);
	}

	/** What arrives late becomes what it would have become in time. */
	becoming<Result>(change: (result: Result) => unknown): StoppedRequest {
		const { message, cost, late } = this;
		const changed = late.then((result) =>
			result === undefined || result instanceof RequestError ? result : change(result as Result),
		);
		return new StoppedRequest(
			message,
			cost,
			changed.catch(() => undefined),
		);
	}
}

/** To catch a stop with. */
export function withLateResult<Result>(change: (result: Result) => unknown) {
	return (thrown: unknown): never => {
		throw thrown instanceof StoppedRequest ? thrown.becoming(change) : (thrown as Error);
	};
}

/** Retries no request that may have been billed, unless it acts only once. Each attempt waits in the queue of the rate limit. */
export async function sendWithRetries<Result>(
	session: Session,
	request: ServiceRequest,
	read: ReadResponse<Result>,
): Promise<Result> {
	const { limiter, clock, signal, traffic } = session;
	const progress: Progress = { attempts: 0, retries: 0, timeouts: 0 };
	for (;;) {
		const isRejected = progress.rejectedSince !== undefined;
		const queuedAt = clock.now();
		const grant = await limiter.acquire({ execution: session, isRejected, signal });
		traffic.waitedMs = Math.max(traffic.waitedMs, clock.now() - queuedAt);
		if (grant === undefined) {
			// A failure that may have been billed matters more than the end of the run.
			if (progress.lost !== undefined) throw finalFailure(progress.lost, request, progress);
			throw signal.reason as Error;
		}
		progress.attempts += 1;
		traffic.requests += 1;
		const outcome = await attempt(session, request, read, grant);
		if (!(outcome instanceof RequestError)) return outcome;
		if (outcome instanceof StoppedRequest) throw outcome;
		const waitMs = delayAfter(outcome, request, progress, session);
		if (waitMs === undefined) throw finalFailure(outcome, request, progress);
		for (const end = clock.now() + waitMs; clock.now() < end && !signal.aborted;)
			await clock.sleep(Math.min(end - clock.now(), SLICE_MS));
	}
}

async function attempt<Result>(
	{ requester, account, abort, limiter }: Session,
	request: ServiceRequest,
	read: ReadResponse<Result>,
	grant: Grant,
): Promise<Result | RequestError> {
	const upload = new AbortController();
	const sent = send(requester, account, request, upload.signal).then((response) => {
		if (response instanceof RequestError) return response;
		const outcome = read(response, request);
		const failed = outcome instanceof RequestError ? outcome : undefined;
		const isOverRate = failed?.retryKind === 'rateLimit';
		limiter.recordResponse(grant, isOverRate, response.headers.date, failed?.more.retryAfterMs);
		return outcome;
	});
	try {
		// A signal of its own: Node.js warns of many listeners on one.
		return await unlessAborted(sent, AbortSignal.any([abort]));
	} catch (thrown) {
		if (!abort.aborted) throw thrown as Error;
		const message = `The execution was stopped while ${request.subject} was being processed`;
		// What is complete may be processed, and its result is worth waiting for.
		if (request.processes !== 'nothing' && isUploaded(request)) {
			const late = sent.catch(() => undefined);
			const isFree = COST_OF_LOSS[request.processes] === 'nothing';
			return new StoppedRequest(message, isFree ? 'nothing' : 'inFlight', late);
		}
		upload.abort();
		// Nobody waits for it.
		void sent.catch(() => undefined);
		return new RequestError(message, '', {}, 'never');
	}
}

/** Milliseconds until the next attempt; 0 if only the limiter makes it wait, undefined if it is the last. */
function delayAfter(
	error: RequestError,
	request: ServiceRequest,
	progress: Progress,
	{ clock, traffic }: Session,
): number | undefined {
	const now = clock.now();
	if (error.retryKind === 'rateLimit') {
		traffic.rejections += 1;
		progress.rejectedSince ??= now;
		return now - progress.rejectedSince < MAX_REJECTED_MS ? 0 : undefined;
	}
	progress.rejectedSince = undefined;
	if (error.retryKind === 'quota') progress.quotaSince ??= now;
	if (error.retryKind === 'lost') progress.lost = error;
	if (error.more.isTimeout === true) progress.timeouts += 1;
	const done = { ...progress, quotaMs: now - (progress.quotaSince ?? now) };
	const waitMs = retryDelay(error, request, done, Math.random());
	if (waitMs === undefined) return undefined;
	progress.retries += 1;
	traffic.retries += 1;
	return waitMs;
}

/** What it costs if a request was perhaps processed, and its response is lost. */
const COST_OF_LOSS: Record<ServiceRequest['processes'], Cost> = {
	document: 'document',
	job: 'submission',
	storedFile: 'nothing',
	nothing: 'nothing',
};

/** The failure that matters most of all attempts, with what they may have cost. */
function finalFailure(
	error: RequestError,
	{ processes }: ServiceRequest,
	{ attempts, lost }: Progress,
): RequestError {
	const isFree = COST_OF_LOSS[processes] === 'nothing';
	// A response says more than an attempt without one, unless that may have been billed.
	const isAnswered = isFree && error.details.httpCode !== undefined;
	const { message, advice, details, retryKind, more, mayBeBilled } =
		error.mayBeBilled || isAnswered ? error : (lost ?? error);
	const cost = retryKind === 'lost' ? COST_OF_LOSS[processes] : 'nothing';
	const isFinal = mayBeBilled && processes === 'document';
	const tries = attempts > 1 && !isFinal && `The node tried ${attempts} times.`;
	const kind = isFree && retryKind === 'lost' ? 'safe' : retryKind;
	const next = cost === 'submission' ? FIND_JOB : advice;
	return new RequestError(message, joinSentences(next, tries), details, kind, more, cost);
}
