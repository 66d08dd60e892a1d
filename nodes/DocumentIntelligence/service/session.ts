import { readAccount, CREDENTIAL_NAME, type Account } from './account';
import type { Requester } from './client';
import type { Clock, Limiter, Limiters } from './limiter';

/** Shared by the requests of one execution, list search or poll. */
export interface Session {
	requester: Requester;
	account: Account;
	limiter: Limiter;
	clock: Clock;
	/** Ends waits with its reason, so that no further request starts; includes `cancelled`. */
	signal: AbortSignal;
	/** Also ends requests in flight: the user stopped the execution. */
	cancelled: AbortSignal;
	traffic: Traffic;
}

export async function openSession(
	requester: Requester,
	limiters: Limiters,
	signals: Pick<Session, 'signal' | 'cancelled'>,
): Promise<Session> {
	const account = readAccount(await requester.getCredentials(CREDENTIAL_NAME));
	const limiter = limiters.forAccount(account);
	const { clock } = limiters;
	const traffic = { requests: 0, rejections: 0, retries: 0, waitedMs: 0 };
	return { requester, account, limiter, clock, ...signals, traffic };
}

export interface Traffic {
	requests: number;
	rejections: number;
	retries: number;
	/** Of the request that waited longest for the rate limit, in milliseconds. */
	waitedMs: number;
}

/** Limits how many pieces of work run at a time; the others wait in order. */
export class Slots {
	readonly #waiting: Array<() => void> = [];

	constructor(private free: number) {}

	async use<Result>(work: () => Promise<Result>): Promise<Result> {
		if (this.free > 0) this.free -= 1;
		else await new Promise<void>((resolve) => this.#waiting.push(resolve));
		try {
			return await work();
		} finally {
			const next = this.#waiting.shift();
			if (next === undefined) this.free += 1;
			else next();
		}
	}
}
