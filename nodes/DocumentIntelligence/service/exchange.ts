import { formatDuration } from '../text/duration';
import { send, type ServiceRequest, type ServiceResponse } from './client';
import type { Clock } from './limiter';
import type { Closed, Start } from './rateWindow';
import { joined, notBilled, RequestError } from './requestError';
import { decideRetry, MAX_REJECTED_MS, MAX_RETRIES, MAX_RETRY_AFTER_MS } from './retry';
import type { Session } from './session';

/** The longest sleep before a pause looks whether the user has stopped the execution. */
const SLICE_MS = 200;

/** What has happened to a request so far. */
interface AttemptLog {
	/** Why the last attempt gave no result. */
	last?: RequestError;
	retries: number;
	/** Uploads that were not answered within the time limit. */
	uploadTimeouts: number;
	/** Consecutive rejections for the rate limit. */
	rejections: number;
	/** Local time of the first of them. */
	rejectedSince: number;
	/** Whether an attempt may have been answered, and the answer lost. */
	lost: boolean;
	/** Whether the request is never billed. */
	isFree: boolean;
}

/** Parses a response: what was asked for, or why there is none. */
export type ReadResponse<Answer> = (
	response: ServiceResponse,
	request: ServiceRequest,
) => Answer | RequestError;

/**
 * Sends a request and retries it where that cannot be billed twice. Each attempt waits in the queue of the rate limit.
 *
 * @throws DocumentError
 */
export async function exchange<Answer>(
	session: Session,
	request: ServiceRequest,
	read: ReadResponse<Answer>,
): Promise<Answer> {
	const { account, limiter, clock, signal, traffic } = session;
	const isFree = request.isFree === true;
	const log: AttemptLog = {
		retries: 0,
		uploadTimeouts: 0,
		rejections: 0,
		rejectedSince: 0,
		lost: false,
		isFree,
	};
	// A run may end while this waits to be retried; what has been lost by then is told before that.
	const unlessEnded = async <Result>(wait: Promise<Result>): Promise<Result> =>
		await wait.catch((reason: unknown) => {
			const { last, lost } = log;
			throw last !== undefined && lost ? withAttempts(last, log, clock.now()) : reason;
		});
	for (;;) {
		const ticket = {
			limit: account.requestsPerMinute,
			maxRejectedMs: MAX_REJECTED_MS,
			priority: log.rejections > 0,
			signal,
		};
		const start = await unlessEnded(
			traffic.waiting(clock, async () => await limiter.acquire(session, ticket)),
		);
		if ('closedForMs' in start) {
			throw log.last === undefined
				? notSent(request, start)
				: withAttempts(log.last, log, clock.now());
		}
		// The run may have ended in the moment in which the request's turn came.
		signal.throwIfAborted();
		traffic.requests += 1;
		if (log.last !== undefined && log.last.retryKind !== 'rateLimit') {
			log.retries += 1;
			traffic.retries += 1;
		}
		const outcome = await attempt(session, request, start, read);
		if (!(outcome instanceof RequestError)) return outcome;

		const now = clock.now();
		const failed = isFree ? notBilled(outcome) : outcome;
		log.last = failed;
		if (outcome.reached.timedOut && request.body instanceof FormData) log.uploadTimeouts += 1;
		if (outcome.retryKind === 'rateLimit') {
			if (log.rejections === 0) log.rejectedSince = now;
			log.rejections += 1;
			traffic.rejections += 1;
		} else {
			log.rejections = 0;
		}
		const rejectedForMs = log.rejections === 0 ? 0 : now - log.rejectedSince;
		const attempts = { retries: log.retries, uploadTimeouts: log.uploadTimeouts, rejectedForMs };
		const retryKind = request.isRepeatable ? outcome.retryKindIfRepeatable : outcome.retryKind;
		log.lost ||= retryKind !== outcome.retryKind;
		const failure = { retryKind, retryAfterMs: outcome.retryAfterMs };
		const decision = decideRetry(failure, attempts, request.retries ?? MAX_RETRIES, Math.random());
		if (decision.action === 'giveUp') throw withAttempts(failed, log, now);
		if (decision.action === 'retryAfter') await unlessEnded(pause(clock, decision.waitMs, signal));
	}
}

/** One attempt: a result, or why there is none. */
async function attempt<Answer>(
	{ requester, account, cancelled, limiter }: Session,
	request: ServiceRequest,
	start: Start,
	read: ReadResponse<Answer>,
): Promise<Answer | RequestError> {
	const response = await send(requester, account, request, cancelled);
	if (response instanceof RequestError) return response;
	const answer = read(response, request);
	const serviceDate = response.headers.date;
	if (answer instanceof RequestError && answer.retryKind === 'rateLimit')
		limiter.rejected(start, { serviceDate, retryAfterMs: answer.retryAfterMs });
	else limiter.accepted(start, { serviceDate });
	return answer;
}

/** The service has rejected other requests with the same key, and this one does not wait until that ends. */
function notSent(
	{ subject }: ServiceRequest,
	{ closedForMs, rejectedForMs }: Closed,
): RequestError {
	return new RequestError(
		`The rate limit of the API key is reached, so ${subject} was not sent`,
		`The service has rejected every request with this key for ${formatDuration(rejectedForMs)}: other programs may be using the same key. Run the document again later, or lower Requests per Minute in the credential.`,
		{},
		'rateLimit',
		closedForMs,
	);
}

function withAttempts(
	error: RequestError,
	{ retries, rejections, rejectedSince, lost, isFree }: AttemptLog,
	now: number,
): RequestError {
	const { message, description, details, retryKind, retryAfterMs = 0, reached } = error;
	const additions = [
		retries > 0 ? `It was tried ${retries + 1} times.` : '',
		rejections > 1
			? `The service rejected it ${rejections} times in ${formatDuration(now - rejectedSince)}: other programs may be using the same key.`
			: '',
		retryKind !== 'never' && retryAfterMs > MAX_RETRY_AFTER_MS ? comeBackAfter(retryAfterMs) : '',
	];
	return new RequestError(
		message,
		joined(description, ...additions),
		details,
		retryKind,
		error.retryAfterMs,
		{ ...reached, lost: lost && !isFree },
	);
}

/** With the time of day, because a failed item may be read much later. */
function comeBackAfter(ms: number): string {
	const until = new Date(Date.now() + ms).toISOString();
	return `The service asks to wait ${formatDuration(ms)}, until ${until.slice(0, 10)} ${until.slice(11, 16)} UTC.`;
}

/** Waits, but not longer than a fraction of a second after a stop. */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	for (const end = clock.now() + ms; clock.now() < end;) {
		signal.throwIfAborted();
		await clock.sleep(Math.min(end - clock.now(), SLICE_MS));
	}
	signal.throwIfAborted();
}
