import type { IExecuteFunctions } from 'n8n-workflow';

import { formatDuration } from '../text/duration';
import type { Account } from './account';
import { post, type ServiceRequest } from './client';
import { readAnswer, type Answer } from './envelope';
import type { Clock, Limiter } from './limiter';
import type { Closed, Start } from './rateWindow';
import { RequestError } from './requestError';
import { decideRetry, MAX_RETRY_AFTER_MS, maxRefusedMs, type RetryPolicy } from './retry';

/** What the requests of one execution share. */
export interface Connection {
	context: IExecuteFunctions;
	account: Account;
	limiter: Limiter;
	clock: Clock;
	/** Ends whatever waits to start, with its reason: no further request is made. Includes `cancelled`. */
	signal: AbortSignal;
	/** Ends requests in flight too: the user stops the execution. */
	cancelled: AbortSignal;
	traffic: Traffic;
}

/** Counts and timings of an execution's requests. */
export class Traffic {
	requests = 0;

	refusals = 0;

	retries = 0;

	/** Milliseconds in which at least one document waited for the rate limit. */
	waitedMs = 0;

	#waiting = 0;

	#waitingSince = 0;

	counts(): Record<string, number> {
		const { requests, refusals, retries, waitedMs } = this;
		return { requests, refusals, retries, waitedMs };
	}

	async waiting<T>(clock: Clock, wait: () => Promise<T>): Promise<T> {
		if (this.#waiting++ === 0) this.#waitingSince = clock.now();
		try {
			return await wait();
		} finally {
			if (--this.#waiting === 0) this.waitedMs += clock.now() - this.#waitingSince;
		}
	}
}

/** The longest sleep before a pause looks whether the user has stopped the execution. */
const SLICE_MS = 200;

/** What has become of a request so far. */
interface History {
	/** Why the last attempt gave no result. */
	last?: RequestError;
	retries: number;
	/** Refusals for the rate limit since anything else happened. */
	refusals: number;
	/** Local time of the first of these. */
	refusedSince: number;
}

/**
 * Sends a request and retries it where that cannot be paid twice. Each attempt waits in the queue of the rate limit.
 *
 * @throws DocumentError
 */
export async function exchange(
	connection: Connection,
	request: ServiceRequest,
	policy: RetryPolicy,
): Promise<Answer> {
	const { account, limiter, clock, signal, traffic } = connection;
	const history: History = { retries: 0, refusals: 0, refusedSince: 0 };
	for (;;) {
		const ticket = {
			limit: account.requestsPerMinute,
			maxRefusedMs: maxRefusedMs(policy),
			priority: history.refusals > 0,
			signal,
		};
		const start = await traffic.waiting(
			clock,
			async () => await limiter.acquire(connection, ticket),
		);
		if ('closedForMs' in start) {
			throw history.last === undefined
				? notSent(request, policy, start)
				: givenUp(history.last, history, clock.now());
		}
		// The turn may have come in the same moment as the end.
		signal.throwIfAborted();
		traffic.requests += 1;
		if (history.last !== undefined && history.last.repeat !== 'rateLimit') {
			history.retries += 1;
			traffic.retries += 1;
		}
		const outcome = await attempt(connection, request, start);
		if (!(outcome instanceof RequestError)) return outcome;

		const now = clock.now();
		history.last = outcome;
		if (outcome.repeat === 'rateLimit') {
			if (history.refusals === 0) history.refusedSince = now;
			history.refusals += 1;
			traffic.refusals += 1;
		} else {
			history.refusals = 0;
		}
		const refusedForMs = history.refusals === 0 ? 0 : now - history.refusedSince;
		const attempts = { retries: history.retries, refusedForMs };
		const decision = decideRetry(outcome, attempts, policy, Math.random());
		if (decision.action === 'giveUp') throw givenUp(outcome, history, now);
		if (decision.action === 'retryAfter') await pause(clock, decision.waitMs, signal);
	}
}

/** One attempt: an answer, or why there is none. */
async function attempt(
	{ context, account, cancelled, limiter }: Connection,
	request: ServiceRequest,
	start: Start,
): Promise<Answer | RequestError> {
	const response = await post(context, account, request, cancelled);
	if (response instanceof RequestError) return response;
	const answer = readAnswer(response, request);
	const serviceDate = response.headers.date;
	if (answer instanceof RequestError && answer.repeat === 'rateLimit')
		limiter.refused(start, { serviceDate, retryAfterMs: answer.retryAfterMs });
	else limiter.accepted(start, { serviceDate });
	return answer;
}

/** The service has refused other requests with the same key, and this one does not wait until that ends. */
function notSent(
	{ subject }: ServiceRequest,
	{ onRateLimit }: RetryPolicy,
	{ closedForMs, refusedForMs }: Closed,
): RequestError {
	return new RequestError(
		`The rate limit of the API key is reached, so ${subject} was not sent`,
		onRateLimit === 'fail'
			? `The service accepts requests with this key again in ${formatDuration(closedForMs)}. Run the document again then, or set the option On Rate Limit to Wait.`
			: `The service has refused every request with this key for ${formatDuration(refusedForMs)}: other programs may be using the same key. Run the document again later, or lower Requests per Minute in the credential.`,
		{},
		'rateLimit',
		closedForMs,
	);
}

function givenUp(
	error: RequestError,
	{ retries, refusals, refusedSince }: History,
	now: number,
): RequestError {
	const { message, description, details, repeat, retryAfterMs = 0 } = error;
	const additions = [
		retries > 0 ? `It was tried ${retries + 1} times.` : '',
		refusals > 1
			? `The service refused it ${refusals} times in ${formatDuration(now - refusedSince)}: other programs may be using the same key.`
			: '',
		repeat !== 'never' && retryAfterMs > MAX_RETRY_AFTER_MS ? comeBackAfter(retryAfterMs) : '',
	].filter((sentence) => sentence !== '');
	if (additions.length === 0) return error;
	return new RequestError(
		message,
		[description, ...additions].join(' '),
		details,
		repeat,
		error.retryAfterMs,
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
