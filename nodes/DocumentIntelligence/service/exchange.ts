import { formatDuration } from '../text/words';
import { send, type ServiceRequest, type ServiceResponse } from './client';
import { MAX_REJECTED_MS, type Start } from './limiter';
import { joined, RequestError } from './requestError';
import { MAX_RETRY_AFTER_MS, retryDelay, type Attempts } from './retry';
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
	const { account, limiter, clock, signal, traffic } = session;
	const { isRepeatable, retries: maxRetries } = request;
	const log: AttemptLog = { ...NOT_TRIED, isRepeatable, maxRetries };
	let last: RequestError | undefined;
	const final = (error: RequestError) => finalError(error, request, log, clock.now());
	const stopIfEnded = () => {
		// What has been lost by then comes before the end of the run.
		if (signal.aborted) throw last !== undefined && log.isLost ? final(last) : signal.reason;
	};
	for (;;) {
		const ticket = {
			execution: session,
			limit: account.requestsPerMinute,
			isRejected: log.rejections > 0,
			signal,
		};
		const start = await traffic.waiting(clock, limiter.acquire(ticket));
		stopIfEnded();
		if (start === undefined) throw last === undefined ? notSent(request) : final(last);
		traffic.requests += 1;
		if (last !== undefined && log.rejections === 0) {
			log.retries += 1;
			traffic.retries += 1;
		}
		const outcome = await attempt(session, request, start, read);
		if (!(outcome instanceof RequestError)) return outcome;
		last = outcome;
		if (outcome.retryKind === 'rateLimit') {
			traffic.rejections += 1;
			log.rejections += 1;
			if (log.rejections === 1) log.rejectedSince = clock.now();
			if (clock.now() - log.rejectedSince < MAX_REJECTED_MS) continue;
			throw final(outcome);
		}
		log.rejections = 0;
		log.isLost ||= outcome.retryKind === 'lost';
		if (outcome.isTimeout && request.body instanceof FormData) log.uploadTimeouts += 1;
		const waitMs = retryDelay(outcome, log, Math.random());
		if (waitMs === undefined) throw final(outcome);
		for (const end = clock.now() + waitMs; clock.now() < end && !signal.aborted;)
			await clock.sleep(Math.min(end - clock.now(), SLICE_MS));
		stopIfEnded();
	}
}

/** What has happened to a request so far. */
interface AttemptLog extends Attempts {
	/** Consecutive rejections for the rate limit, and the local time of the first. */
	rejections: number;
	rejectedSince: number;
	/** Whether an attempt may have been answered, and the answer lost. */
	isLost: boolean;
}

const NOT_TRIED = { retries: 0, uploadTimeouts: 0, rejections: 0, rejectedSince: 0, isLost: false };

/** One attempt: a result, or why there is none. */
async function attempt<Result>(
	{ requester, account, cancelled, limiter }: Session,
	request: ServiceRequest,
	start: Start,
	read: ReadResponse<Result>,
): Promise<Result | RequestError> {
	const response = await send(requester, account, request, cancelled);
	if (response instanceof RequestError) return response;
	const result = read(response, request);
	const isRejected = result instanceof RequestError && result.retryKind === 'rateLimit';
	const retryAfterMs = isRejected ? result.retryAfterMs : undefined;
	limiter.answered(start, { isRejected, serviceDate: response.headers.date, retryAfterMs });
	return result;
}

function notSent({ subject }: ServiceRequest): RequestError {
	return new RequestError(
		`The rate limit of the API key is reached, so ${subject} was not sent`,
		`Cogneris has rejected every request with this key for ${formatDuration(MAX_REJECTED_MS)}: other programs may be using the same key. Run the document again later, or lower 'Requests per Minute' in the credential.`,
		{},
		'rateLimit',
	);
}

function finalError(
	{ message, description, details, retryKind, retryAfterMs = 0, mayBeBilled }: RequestError,
	{ isFree = false }: ServiceRequest,
	{ retries, rejections, rejectedSince, isLost }: AttemptLog,
	now: number,
): RequestError {
	const isBilled = (details.creditsConsumed ?? 0) > 0;
	return new RequestError(
		message,
		joined(
			isFree && !isBilled && mayBeBilled ? 'Nothing was billed.' : '',
			description,
			retries > 0 ? `It was tried ${retries + 1} times.` : '',
			rejections > 1
				? `Cogneris rejected it ${rejections} times in ${formatDuration(now - rejectedSince)}: other programs may be using the same key.`
				: '',
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
