import type { IExecuteFunctions } from 'n8n-workflow';

import type { Account } from './account';
import { post, type ServiceRequest } from './client';
import { readAnswer, type Answer } from './envelope';
import type { Clock, Limiter } from './limiter';
import type { Start } from './rateWindow';
import { RequestError } from './requestError';
import { decideRetry, type RetryPolicy, type Tries } from './retry';

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

/** The longest wait that does not look whether the user has stopped the execution. */
const SLICE_MS = 200;

/**
 * Sends a request until it is answered for good: in line for the rate limit, and again where that cannot be
 * paid twice.
 *
 * @throws DocumentError
 */
export async function exchange(
	connection: Connection,
	request: ServiceRequest,
	policy: RetryPolicy,
): Promise<Answer> {
	const { limiter, clock, signal, traffic } = connection;
	const tries: Tries = { retries: 0, refusals: 0 };
	for (;;) {
		const again = tries.refusals > 0;
		const start = await traffic.waiting(
			clock,
			async () => await limiter.acquire(connection, { again, signal }),
		);
		// The turn may have come in the same moment as the end.
		signal.throwIfAborted();
		traffic.requests += 1;
		const outcome = await attempt(connection, request, start);
		if (!(outcome instanceof RequestError)) return outcome;

		const decision = decideRetry(outcome, tries, policy, Math.random());
		if (outcome.repeat === 'rateLimit') {
			limiter.refused(start, outcome.retryAfterMs);
			traffic.refusals += 1;
			tries.refusals += 1;
		}
		if (decision.again === 'no') throw givenUp(outcome, tries);
		if (decision.again === 'after') {
			traffic.retries += 1;
			tries.retries += 1;
			await pause(clock, decision.waitMs, signal);
		}
	}
}

/** One try: an answer, or why there is none. */
async function attempt(
	{ context, account, cancelled, limiter }: Connection,
	request: ServiceRequest,
	start: Start,
): Promise<Answer | RequestError> {
	const response = await post(context, account, request, cancelled);
	if (response instanceof RequestError) {
		limiter.answered(start);
		return response;
	}
	limiter.answered(start, response.headers.date);
	return readAnswer(response, request);
}

function givenUp(error: RequestError, { retries, refusals }: Tries): RequestError {
	const tried = [
		retries > 0 ? `It was tried ${retries + 1} times.` : '',
		error.repeat === 'rateLimit' && refusals > 1
			? `It was refused ${refusals} times in a row: other programs seem to use the same key.`
			: '',
	].join('');
	if (tried === '') return error;
	return new RequestError(
		error.message,
		`${error.description} ${tried}`,
		error.details,
		error.repeat,
	);
}

/** Waits, but not longer than a fraction of a second after a stop. */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
	for (const end = clock.now() + ms; clock.now() < end;) {
		signal.throwIfAborted();
		await clock.sleep(Math.min(end - clock.now(), SLICE_MS));
	}
	signal.throwIfAborted();
}
