import { readAccount, CREDENTIAL_NAME, type Account } from './account';
import type { Requester } from './client';
import type { Clock, Limiter, Limiters } from './limiter';

/** What the requests of one execution share. A list search and a poll have all of it, too. */
export interface Session {
	requester: Requester;
	account: Account;
	limiter: Limiter;
	clock: Clock;
	/** Ends whatever waits to start, with its reason: no further request is made. Includes `cancelled`. */
	signal: AbortSignal;
	/** Ends requests in flight too: the user stops the execution. */
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

/** Lets so many pieces of work run at a time; the others wait for their turn, in order. */
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
