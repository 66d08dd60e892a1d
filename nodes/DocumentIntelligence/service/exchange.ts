import { formatDuration } from '../text/words';
import { send, type ServiceRequest, type ServiceResponse } from './client';
import { MAX_REJECTED_MS } from './limiter';
import { joined, RATE_LIMITED, RequestError } from './requestError';
import { MAX_RETRY_AFTER_MS, retryDelay } from './retry';
import type { Session } from './session';

/** The longest sleep before it is seen that the user has stopped the execution. */
const SLICE_MS = 200;

/** Parses a response: what was asked for, or why there is none. */
export type ReadResponse<Result> = (
	response: ServiceResponse,
	request: ServiceRequest,
) => Result | RequestError;

/**
 * Sends a request, and retries it if that cannot be billed twice. Each attempt waits in the queue of the rate limit.
 *
 * @throws DocumentError
 */
export async function exchange<Result>(
	session: Session,
	request: ServiceRequest,
	read: ReadResponse<Result>,
): Promise<Result> {
	const { requester, account, limiter, clock, signal, cancelled, traffic } = session;
	const done = { attempts: 0, retries: 0, timeouts: 0, isLost: false };
	let rejectedSince: number | undefined;
	let last: RequestError | undefined;
	for (;;) {
		const isRejected = rejectedSince !== undefined;
		const ticket = { execution: session, limit: account.requestsPerMinute, isRejected, signal };
		const start = await traffic.waiting(clock, limiter.acquire(ticket));
		// What has been lost by then comes before the end of the run.
		if (signal.aborted && !(last !== undefined && done.isLost)) throw signal.reason as Error;
		if (signal.aborted || start === undefined)
			throw finalError(last ?? rateLimited(request), request, done);
		done.attempts += 1;
		traffic.requests += 1;
		if (last !== undefined && !isRejected) {
			done.retries += 1;
			traffic.retries += 1;
		}
		const response = await send(requester, account, request, cancelled);
		const outcome = response instanceof RequestError ? response : read(response, request);
		const error = outcome instanceof RequestError ? outcome : undefined;
		if (!(response instanceof RequestError))
			limiter.answered(start, {
				isRejected: error?.retryKind === 'rateLimit',
				serviceDate: response.headers.date,
				retryAfterMs: error?.retryAfterMs,
			});
		if (!(outcome instanceof RequestError)) return outcome;
		last = outcome;
		if (outcome.retryKind === 'rateLimit') {
			traffic.rejections += 1;
			rejectedSince ??= clock.now();
			if (clock.now() - rejectedSince < MAX_REJECTED_MS) continue;
			throw finalError(outcome, request, done);
		}
		rejectedSince = undefined;
		done.isLost ||= outcome.retryKind === 'lost';
		if (outcome.isTimeout) done.timeouts += 1;
		const waitMs = retryDelay(outcome, request, done, Math.random());
		if (waitMs === undefined) throw finalError(outcome, request, done);
		for (const end = clock.now() + waitMs; clock.now() < end && !signal.aborted;)
			await clock.sleep(Math.min(end - clock.now(), SLICE_MS));
	}
}

function rateLimited({ subject }: ServiceRequest): RequestError {
	const { message, suggestedFix } = RATE_LIMITED;
	return new RequestError(message(subject), suggestedFix, {}, 'rateLimit');
}

function finalError(
	{ message, description, details, retryKind, retryAfterMs = 0, mayBeBilled }: RequestError,
	{ isFree = false }: ServiceRequest,
	{ attempts, isLost }: { attempts: number; isLost: boolean },
): RequestError {
	const isBilled = (details.creditsConsumed ?? 0) > 0;
	return new RequestError(
		message,
		joined(
			isFree && !isBilled && mayBeBilled ? 'Nothing was billed.' : '',
			description,
			attempts > 1 ? `It was tried ${attempts} times.` : '',
			retryKind !== 'never' && retryAfterMs > MAX_RETRY_AFTER_MS ? comeBackAfter(retryAfterMs) : '',
		),
		details,
		retryKind,
		{ mayBeBilled: isBilled || (!isFree && (mayBeBilled || isLost)) },
	);
}

/** With the time of day, because a failed item may be read much later. */
function comeBackAfter(ms: number): string {
	const until = new Date(Date.now() + ms).toISOString();
	return `Cogneris asks to wait ${formatDuration(ms)}, until ${until.slice(0, 10)} ${until.slice(11, 16)} UTC.`;
}
