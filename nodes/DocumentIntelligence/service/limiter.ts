import { createHash } from 'node:crypto';

import { Alarm } from '../waiting/alarm';
import { copyOf, onAbort, systemClock, type Clock } from '../waiting/waiting';
import type { Account } from './account';
import { RateWindow, type Grant } from './rateWindow';

/** One window of the rate limit (docs/internals/service-contract.md, Limits). */
const WINDOW_MS = 60_000;

export interface Ticket {
	/** Whose turn it is: any object. */
	turns: object;
	/** Whether the service has rejected it before, so that it goes first. */
	isRejected: boolean;
	signal: AbortSignal;
}

type Waiter = Ticket & { settle: (grant?: Grant) => void };

/** The queue of one API key. Executions take turns, so that a small one does not wait for a large one to end. */
export class Limiter {
	readonly #window: RateWindow;
	readonly #alarm: Alarm;
	#waiting: Waiter[] = [];
	/** The number of the last turn of each. */
	readonly #turns = new WeakMap<object, number>();
	#turn = 0;

	/** @param limit requests that the credential allows in a window */
	constructor(
		private readonly clock: Clock,
		limit: number,
		windowMs = WINDOW_MS,
	) {
		this.#window = new RateWindow(limit, windowMs, clock.now());
		this.#alarm = new Alarm(clock, () => this.#serve());
	}

	/** Undefined if it was stopped. The grant counts from then on, and its response is reported with {@link recordResponse}. */
	async acquire(ticket: Ticket): Promise<Grant | undefined> {
		if (ticket.signal.aborted) return undefined;
		return await new Promise((resolve) => {
			const waiter: Waiter = { ...ticket, settle: resolve };
			const forget = onAbort(copyOf(ticket.signal), () => this.#settle(waiter, undefined));
			waiter.settle = (grant) => {
				forget();
				resolve(grant);
			};
			this.#waiting.push(waiter);
			this.#serve();
		});
	}

	/** @param date the Date header of the response */
	recordResponse(grant: Grant, isRejected: boolean, date?: string, retryAfterMs?: number): void {
		const now = this.clock.now();
		this.#window.observe(grant, now, date);
		if (isRejected) this.#window.reject(grant, now, retryAfterMs);
		else this.#window.accept(grant);
		this.#serve();
	}

	/** Starts all who may start now, and wakes when the next one may. */
	#serve(): void {
		const now = this.clock.now();
		for (let next = this.#next(); next !== undefined; next = this.#next()) {
			const opensAt = this.#window.opensAt(now);
			if (opensAt > now) {
				this.#alarm.setTo(opensAt);
				return;
			}
			this.#turns.set(next.turns, ++this.#turn);
			this.#settle(next, this.#window.grant(now));
		}
	}

	#settle(waiter: Waiter, grant: Grant | undefined): void {
		this.#waiting = this.#waiting.filter((other) => other !== waiter);
		if (this.#waiting.length === 0) this.#alarm.turnOff();
		waiter.settle(grant);
	}

	/** A rejected request first, then the one whose last turn is the longest ago. */
	#next(): Waiter | undefined {
		const turnOf = ({ isRejected, turns }: Ticket) =>
			isRejected ? -1 : (this.#turns.get(turns) ?? 0);
		return this.#waiting.toSorted((first, second) => turnOf(first) - turnOf(second))[0];
	}
}

/** One limiter for each key, address and limit, for all credentials and nodes of a process. */
export class Limiters {
	/** By a digest, so that no key is kept in plain text. */
	readonly #limiters = new Map<string, Limiter>();

	constructor(
		readonly clock: Clock = systemClock,
		private readonly windowMs = WINDOW_MS,
	) {}

	/** Credentials with the same key but other limits have limiters that adapt to each other as two processes do. */
	forAccount({ apiKey, baseUrl, requestsPerMinute: limit }: Account): Limiter {
		const name = createHash('sha256').update(`${baseUrl}\n${apiKey}\n${limit}`).digest('base64');
		const limiter = this.#limiters.get(name) ?? new Limiter(this.clock, limit, this.windowMs);
		this.#limiters.set(name, limiter);
		return limiter;
	}
}

/** n8n loads the package once in a process, so all executions share this. */
export const processLimiters = new Limiters();
