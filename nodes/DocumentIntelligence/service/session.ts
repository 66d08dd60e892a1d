import { readAccount, CREDENTIAL_NAME, type Account } from './account';
import type { Requester } from './client';
import type { Clock, Limiter, Limiters } from './limiter';
import type { Traffic } from './traffic';

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

/** @throws DocumentError where the credential cannot be used */
export async function openSession(
	requester: Requester,
	limiters: Limiters,
	shared: Pick<Session, 'signal' | 'cancelled' | 'traffic'>,
): Promise<Session> {
	const account = readAccount(await requester.getCredentials(CREDENTIAL_NAME));
	const { clock } = limiters;
	return { requester, account, limiter: limiters.forAccount(account), clock, ...shared };
}
