import { createHash } from 'node:crypto';

import { sleep } from 'n8n-workflow';

import type { Account } from './account';
import { parseHttpDate } from './retry';

/** Time and waiting, so that tests of minutes take milliseconds. */
export interface Clock {
	/** Milliseconds since the epoch as far as is known; never goes back, and passes as time does. */
	now: () => number;
	sleep: (ms: number) => Promise<void>;
}

/** Not Date.now: when a computer's clock is set, requests would be held back or start too early. */
const systemClock: Clock = { now: () => performance.timeOrigin + performance.now(), sleep };

/** The service's window (docs/internals/service-contract.md, limits). */
const WINDOW_MS = 60_000;

/** The longest sleep of whatever waits: an answer may change what it waits for, and a user may stop a run. */
export const SLICE_MS = 200;

/** How long a request may take to reach the service; it counts in the window in which it arrives. */
const TRAVEL_MS = 250;

/** A Date header has whole seconds, and its answer travels, too. */
const DATE_MS = 1000 + TRAVEL_MS;

/** The machines behind one address agree on the time to within a few milliseconds only. */
const GUARD_MS = 50;

/** Services that round Retry-After down send 0 in the last second of a window; others round a second up. */
const MIN_PAUSE_MS = 1000;

/** Share of a window in which nobody probes, so that other processes can take what they had in the last one. */
const PROBE_AFTER = 0.15;

/** A request that was let through at a local time; a probe goes beyond what the last window granted. */
export interface Start {
	at: number;
	isProbe: boolean;
}

export interface Ticket {
	/** Whose request it is; any object that stands for an execution. */
	execution: object;
	/** Whether the service has rejected it before, so that it goes before all others. */
	isRejected: boolean;
	signal: AbortSignal;
}

type Waiter = Ticket & { settle: (start?: Start) => void };

/**
 * The queue of one API key. Executions take turns, so that a small one does not wait for a large one to end.
 *
 * Cogneris counts in a fixed window that resets on the minute of its own clock, which its Date headers show. A start
 * counts until a reset has certainly happened since. A rejection closes the window until it resets.
 * As other processes may use the same key, what a window granted before it rejected a request bounds the next one. Beyond
 * that a single request probes for more, and each probe that is accepted lets two follow.
 */
export class Limiter {
	/** By how many milliseconds the service's clock is ahead of the local one at least. */
	#ahead = -Infinity;
	/** Of the window since the epoch; unknown before the first Date header. */
	#number = -Infinity;
	#began = -Infinity;
	/** Those that may count in this window and were not rejected. */
	#starts: Start[] = [];
	/** How many starts a window is assumed to grant, and how many probes. */
	#bound: number;
	#probes = 1;
	#closedUntil = -Infinity;
	/** Pauses after which no request was accepted. */
	#pauses = 0;
	#waiting: Waiter[] = [];
	/** By execution, the number of the last turn it had. */
	readonly #turns = new WeakMap<object, number>();
	#turn = 0;
	#isServing = false;

	/** @param limit how many requests the credential allows in a window */
	constructor(
		private readonly clock: Clock,
		private readonly limit: number,
		private readonly windowMs = WINDOW_MS,
	) {
		this.#bound = limit;
	}

	/** Undefined if it was stopped. The start counts from then on, and is reported with {@link answered}. */
	async acquire(ticket: Ticket): Promise<Start | undefined> {
		return await new Promise((settle) => {
			this.#waiting.push({ ...ticket, settle });
			void this.#serve();
		});
	}

	async #serve(): Promise<void> {
		if (this.#isServing) return;
		this.#isServing = true;
		while (this.#waiting.length > 0) {
			const stopped = this.#waiting.find(({ signal }) => signal.aborted);
			const start = stopped === undefined ? this.#start() : undefined;
			const next = stopped ?? (start && this.#next());
			if (next === undefined) await this.clock.sleep(SLICE_MS);
			else {
				if (start !== undefined) this.#turns.set(next.execution, ++this.#turn);
				this.#waiting = this.#waiting.filter((waiter) => waiter !== next);
				next.settle(start);
			}
		}
		this.#isServing = false;
	}

	/** One that was rejected, or else one of the execution whose last turn is the longest ago. */
	#next(): Waiter | undefined {
		const turnOf = ({ isRejected, execution }: Ticket) =>
			isRejected ? -1 : (this.#turns.get(execution) ?? 0);
		return this.#waiting.toSorted((one, other) => turnOf(one) - turnOf(other))[0];
	}

	#start(): Start | undefined {
		const now = this.clock.now();
		this.#rollOver(now);
		if (now < this.#closedUntil) return undefined;
		const isProbe = this.#starts.length >= this.#bound;
		const mayProbe =
			now >= this.#began + TRAVEL_MS + PROBE_AFTER * this.windowMs &&
			this.#starts.length < this.#bound + this.#probes &&
			this.#granted < this.limit;
		if (isProbe && !mayProbe) return undefined;
		const start = { at: now, isProbe };
		this.#starts.push(start);
		return start;
	}

	/** @param serviceDate the Date header of the response */
	answered(start: Start, isRejected: boolean, serviceDate?: string, retryAfterMs?: number): void {
		const now = this.clock.now();
		const ahead = (parseHttpDate(serviceDate) ?? NaN) - now;
		// Headers vary by so much; if one is less by more, a clock was set.
		if (ahead > this.#ahead || ahead < this.#ahead - DATE_MS) this.#ahead = ahead;
		if (isRejected) {
			this.#close(start, now, retryAfterMs);
			return;
		}
		if (start.isProbe && this.#starts.includes(start)) this.#probes += 2;
		if (start.at >= this.#closedUntil) this.#pauses = 0;
	}

	/** For as long as Retry-After says, but at least twice as long each time that did not help. */
	#close(start: Start, now: number, retryAfterMs: number | undefined): void {
		this.#rollOver(now);
		this.#starts = this.#starts.filter((other) => other !== start);
		// Without Retry-After, one that was in flight at the reset says nothing about this window.
		if (retryAfterMs === undefined && start.at < this.#began) return;
		if (start.at >= this.#closedUntil) this.#pauses += 1;
		const leastMs = MIN_PAUSE_MS * 2 ** (this.#pauses - 1);
		const pauseMs = Math.max(retryAfterMs ?? this.#resets(now).next - now, leastMs);
		const opensAt = now + Math.min(pauseMs, this.windowMs + MIN_PAUSE_MS);
		this.#closedUntil = Math.max(this.#closedUntil, opensAt);
	}

	get #granted(): number {
		return this.#starts.filter(({ at }) => at >= this.#began).length;
	}

	/** A window that rejected a request ends with the pause; any other by the service's clock. */
	#rollOver(now: number): void {
		const { number, earliest, likely } = this.#resets(now);
		const isNext = Number.isFinite(this.#number) && number !== this.#number;
		this.#number = number;
		if (now < this.#closedUntil) return;
		const isRejected = this.#closedUntil > this.#began;
		if (isRejected || (isNext && now >= this.#began + this.windowMs / 2)) {
			this.#bound = Math.max(isRejected ? 1 : this.#bound, this.#granted);
			this.#began = isRejected ? now : likely;
			if (isRejected) this.#starts = [];
			this.#probes = 1;
		}
		this.#starts = this.#starts.filter(({ at }) => at + TRAVEL_MS >= earliest);
	}

	/**
	 * The latest reset that has certainly happened: the local time at which it may have happened at the earliest, the
	 * likely one, and when the next has certainly happened. Before the first Date header, any moment may be one.
	 */
	#resets(now: number): { number: number; earliest: number; likely: number; next: number } {
		const { windowMs } = this;
		const number = Math.floor((now + this.#ahead - GUARD_MS) / windowMs);
		if (!Number.isFinite(number))
			return { number, earliest: now - windowMs, likely: now, next: now + windowMs };
		const reset = number * windowMs - this.#ahead;
		return {
			number,
			earliest: reset - DATE_MS,
			likely: reset - TRAVEL_MS,
			next: reset + windowMs + GUARD_MS,
		};
	}
}

/** Every limiter of a process: one for each key at an address, whichever credential or node it comes from. */
export class Limiters {
	/** By a digest, so that no key is kept in clear. */
	readonly #limiters = new Map<string, Limiter>();

	constructor(
		readonly clock: Clock = systemClock,
		private readonly windowMs = WINDOW_MS,
	) {}

	/** Credentials that hold a key with different limits share it as two processes would. */
	forAccount({ apiKey, baseUrl, requestsPerMinute: limit }: Account): Limiter {
		const name = createHash('sha256').update(`${baseUrl}\n${apiKey}\n${limit}`).digest('base64');
		const limiter = this.#limiters.get(name) ?? new Limiter(this.clock, limit, this.windowMs);
		this.#limiters.set(name, limiter);
		return limiter;
	}
}

/** n8n loads the package once in a process, so this is shared by all of its executions. */
export const processLimiters = new Limiters();
