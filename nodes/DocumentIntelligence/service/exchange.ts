import { pluralize } from '../text/words';
import { send, type ServiceRequest, type ServiceResponse } from './client';
import { SLICE_MS } from './limiter';
import { joined, RequestError } from './requestError';
import { retryDelay } from './retry';
import type { Session } from './session';

/** How long the rate limit may reject a request before it fails: ten windows. */
const MAX_REJECTED_MS = 10 * 60_000;

export type ReadResponse<Result> = (
	response: ServiceResponse,
	request: ServiceRequest,
) => Result | RequestError;

/** Retries a request only if it cannot be billed twice. Each attempt waits in the queue of the rate limit. */
export async function exchange<Result>(
	session: Session,
	request: ServiceRequest,
	read: ReadResponse<Result>,
): Promise<Result> {
	const { requester, account, limiter, clock, signal, cancelled, traffic } = session;
	const done = { attempts: 0, retries: 0, timeouts: 0 };
	let rejectedSince: number | undefined;
	/** The last attempt that may have been billed. */
	let lost: RequestError | undefined;
	const failure = (error: RequestError) => finalError(error, request, done.attempts, lost);
	for (;;) {
		const ticket = { execution: session, isRejected: rejectedSince !== undefined, signal };
		const askedAt = clock.now();
		const start = await limiter.acquire(ticket);
		traffic.waitedMs = Math.max(traffic.waitedMs, clock.now() - askedAt);
		// A failure that may have been billed matters more than the end of the run.
		if (start === undefined) throw lost === undefined ? (signal.reason as Error) : failure(lost);
		done.attempts += 1;
		traffic.requests += 1;
		const response = await send(requester, account, request, cancelled);
		const outcome = response instanceof RequestError ? response : read(response, request);
		const error = outcome instanceof RequestError ? outcome : undefined;
		const isRejected = error?.retryKind === 'rateLimit';
		if (!(response instanceof RequestError))
			limiter.answered(start, isRejected, response.headers.date, error?.more.retryAfterMs);
		if (!(outcome instanceof RequestError)) return outcome;
		if (isRejected) {
			traffic.rejections += 1;
			rejectedSince ??= clock.now();
			if (clock.now() - rejectedSince < MAX_REJECTED_MS) continue;
			throw failure(outcome);
		}
		rejectedSince = undefined;
		if (outcome.retryKind === 'lost') lost = outcome;
		if (outcome.more.isTimeout === true) done.timeouts += 1;
		const waitMs = retryDelay(outcome, request, done, Math.random());
		if (waitMs === undefined) throw failure(outcome);
		done.retries += 1;
		traffic.retries += 1;
		for (const end = clock.now() + waitMs; clock.now() < end && !signal.aborted;)
			await clock.sleep(Math.min(end - clock.now(), SLICE_MS));
	}
}

function finalError(
	error: RequestError,
	request: ServiceRequest,
	attempts: number,
	lost?: RequestError,
): RequestError {
	const told = error.mayBeBilled || request.isFree ? error : (lost ?? error);
	const { message, description, details, retryKind } = told;
	const isBilled = (details.creditsConsumed ?? 0) > 0;
	const isFinal = told.mayBeBilled && !request.isRepeatable;
	return new RequestError(
		message,
		joined(
			told.mayBeBilled && billingOf(told, request),
			description,
			attempts > 1 && !isFinal && `The node tried ${attempts} times.`,
		),
		details,
		retryKind,
		{ mayBeBilled: isBilled || (!request.isFree && told.mayBeBilled) },
	);
}

/** What a failed request cost; `rejectSubmission` in runningJobs.ts adds this for a submission. */
function billingOf(
	{ details: { creditsConsumed = 0 }, retryKind }: RequestError,
	{ isRepeatable, isFree }: ServiceRequest,
): string {
	const billed = creditsConsumed > 0 && `Cogneris billed ${pluralize(creditsConsumed, 'credit')}`;
	if (isRepeatable) return billed ? `${billed}.` : isFree ? 'Nothing was billed.' : '';
	return joined(
		billed
			? `${billed}, so the document was not retried.`
			: 'The document may already be billed, so it was not retried.',
		retryKind === 'lost' &&
			'Before you process it again, check in your Cogneris account whether it was processed.',
	);
}
