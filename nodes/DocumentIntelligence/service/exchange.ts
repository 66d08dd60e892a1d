import { FIND_JOB, type Cost } from '../text/failures';
import { joinSentences } from '../text/words';
import { copyOf, onAbort, pauseFor, unlessAborted, type Clock } from '../waiting/waiting';
import { CREDENTIAL_NAME, readAccount, type Account } from './account';
import {
	isTooLateToStop,
	sendRequest,
	type Requester,
	type ServiceRequest,
	type ServiceResponse,
} from './client';
import type { Limiter, Limiters } from './limiter';
import type { Grant } from './rateWindow';
import { RequestError } from './requestError';
import { retryDelay } from './retry';

/** Shared by the requests of one execution, list search or poll. */
export interface Session {
	requester: Requester;
	account: Account;
	limiter: Limiter;
	/** Whose turn it is in the queue of the rate limit: those of other sessions come in between. */
	turns: object;
	clock: Clock;
	/** Ends waits with its reason, so that no further request starts; includes `canceled`. */
	signal: AbortSignal;
	/** Also ends requests in flight that process nothing, and uploads: the user stopped the execution, or a poll has no time left. */
	canceled: AbortSignal;
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
	signals: Pick<Session, 'signal' | 'canceled'>,
): Promise<Session> {
	const account = readAccount(await requester.getCredentials(CREDENTIAL_NAME));
	const limiter = limiters.forAccount(account);
	const { clock } = limiters;
	const traffic = { requests: 0, rejections: 0, retries: 0, waitedMs: 0 };
	return { requester, account, limiter, turns: {}, clock, ...signals, traffic };
}

/** How long the rate limit may reject a request before it fails: ten windows. */
const MAX_REJECTED_MS = 10 * 60_000;

export type ReadResponse<Result> = (
	response: ServiceResponse,
	request: ServiceRequest,
) => Result | RequestError;

/** What became of a request so far. Times are those of the clock. */
interface Progress {
	tries: number;
	retries: number;
	timeouts: number;
	/** Since when the rate limit has rejected it without a break. */
	rejectedSince?: number;
	/** Since when the document quota has. */
	quotaSince?: number;
	/** The last failure of a try that may have arrived. */
	lost?: RequestError;
}

/** Retries no request that may have been billed, unless it acts only once. Each try waits in the queue of the rate limit. */
export async function sendWithRetries<Result>(
	session: Session,
	request: ServiceRequest,
	read: ReadResponse<Result>,
): Promise<Result> {
	const { limiter, turns, clock, signal, traffic } = session;
	const progress: Progress = { tries: 0, retries: 0, timeouts: 0 };
	for (;;) {
		const isRejected = progress.rejectedSince !== undefined;
		const queuedAt = clock.now();
		const grant = await limiter.acquire({ turns, isRejected, signal });
		traffic.waitedMs = Math.max(traffic.waitedMs, clock.now() - queuedAt);
		if (grant === undefined) {
			// A response that may have been lost matters more than the end of the run.
			if (progress.lost !== undefined) throw finalFailure(progress.lost, progress);
			throw signal.reason as Error;
		}
		progress.tries += 1;
		traffic.requests += 1;
		const outcome = await sendOnce(session, request, read, grant);
		if (!(outcome instanceof RequestError)) return outcome;
		const waitMs = delayAfter(outcome, request, progress, session);
		if (waitMs === undefined) throw finalFailure(outcome, progress);
		await pauseFor(waitMs, session);
	}
}

/** The result, or why there is none. */
async function sendOnce<Result>(
	session: Session,
	request: ServiceRequest,
	read: ReadResponse<Result>,
	grant: Grant,
): Promise<Result | RequestError> {
	const upload = new AbortController();
	const outcome = outcomeOf(session, request, read, grant, upload.signal);
	const forget = onAbort(copyOf(session.canceled), () => stop(request, upload));
	return await unlessAborted(outcome, upload.signal)
		.catch((thrown: unknown) => {
			if (thrown instanceof RequestError) return thrown;
			throw thrown as Error;
		})
		.finally(forget);
}

/** Sends the request, tells the limiter what came back, and reads it. */
async function outcomeOf<Result>(
	{ requester, account, limiter }: Session,
	request: ServiceRequest,
	read: ReadResponse<Result>,
	grant: Grant,
	signal: AbortSignal,
): Promise<Result | RequestError> {
	const response = await sendRequest(requester, account, request, signal);
	if (response instanceof RequestError) return withCost(response, request);
	const outcome = read(response, request);
	const failure = outcome instanceof RequestError ? outcome : undefined;
	const isOverRate = failure?.retryKind === 'rateLimit';
	const { retryAfterMs } = failure?.circumstances ?? {};
	limiter.recordResponse(grant, isOverRate, response.headers.date, retryAfterMs);
	return outcome instanceof RequestError ? withCost(outcome, request) : outcome;
}

/** Ends a request, unless it may be processed: then it stays in flight, and what it is answered is for the next run. */
function stop(request: ServiceRequest, upload: AbortController): void {
	const { subject, processes, onDetached } = request;
	const message = `The execution was stopped while ${subject} was being processed`;
	if (processes === 'nothing' || !isTooLateToStop(request))
		return upload.abort(new RequestError(message, '', {}, 'never'));
	const isFree = COST_OF_LOSS[processes] === 'nothing';
	const [kind, cost] = isFree ? (['never', 'nothing'] as const) : (['lost', 'inFlight'] as const);
	const advice =
		'Execute again: if the workflow is saved, a result that still arrives is used and not paid twice.';
	onDetached?.(new RequestError(message, advice, {}, kind, {}, cost));
}

/** Milliseconds until the next try; 0 if only the limiter makes it wait, undefined if it is the last. */
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
	if (error.circumstances.isTimeout === true) progress.timeouts += 1;
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

/** A lost response costs what its request processes. */
function withCost(failure: RequestError, { processes }: ServiceRequest): RequestError {
	if (failure.retryKind !== 'lost') return failure;
	const cost = COST_OF_LOSS[processes];
	return failure.with(cost === 'submission' ? { cost, advice: FIND_JOB } : { cost });
}

/** The failure that a request ends with, and how often it was tried. */
function finalFailure(last: RequestError, { tries, lost }: Progress): RequestError {
	const failure = decisiveFailure(last, lost);
	const { advice, cost, mayBeBilled } = failure;
	// What may have been billed was sent once, unless it is a job.
	const isCounted = tries > 1 && (!mayBeBilled || cost === 'submission');
	return isCounted
		? failure.with({ advice: joinSentences(advice, `The node tried ${tries} times.`) })
		: failure;
}

/** Of all tries, one that may have been billed, else the last response, else one that may have arrived. */
function decisiveFailure(last: RequestError, lost: RequestError = last): RequestError {
	if (last.mayBeBilled) return last;
	const isAnswered = last.details.httpCode !== undefined;
	return isAnswered && !lost.mayBeBilled ? last : lost;
}
