import { createHash } from 'node:crypto';

import { systemClock, type Clock } from '../waiting/waiting';
import type { Account } from './account';
import { parseHttpDate } from './retry';

/** One window of the rate limit (docs/internals/service-contract.md, Limits). */
const WINDOW_MS = 60_000;

/** The longest sleep: a response may change what is waited for, and a user may stop a run. */
export const SLICE_MS = 200;

/** How long a request may travel to the service, which counts it when it arrives. */
const TRAVEL_MS = 250;

/** A Date header has whole seconds, and its response travels, too. */
const DATE_MS = 1000 + TRAVEL_MS;

/** The clocks of the machines behind one address differ by a few milliseconds. */
const GUARD_MS = 50;

/** Services round Retry-After down, to 0 in the last second of a window, or up by a second. */
const MIN_PAUSE_MS = 1000;

/** The first part of a window, without probes, so that other processes can reach their previous share. */
const PROBE_AFTER = 0.15;

/** A started request, in local time; a probe exceeds what the last window granted. */
export interface Grant {
	at: number;
	isProbe: boolean;
}

export interface Ticket {
	/** Any object that stands for an execution. */
	execution: object;
	/** Whether the service has rejected it before, so that it goes first. */
	isRejected: boolean;
	signal: AbortSignal;
}

type Waiter = Ticket & { settle: (start?: Grant) => void };

/**
 * The queue of one API key. Executions take turns, so that a small one does not wait for a large one to end.
 * Cogneris counts in a fixed window that resets on the minute of its own clock, which its Date headers show. A request
 * counts against the limit until a reset has certainly happened after it. A rejection closes the window until it resets.
 * As other processes may use the same key, what a window granted before it rejected a request bounds the next one.
 * Beyond that a single request probes for more, and each accepted probe lets two follow, or one after the first few.
 */
export class Limiter {
	/** The minimum lead of the service's clock over the local one, in milliseconds. */
	#clockLeadMs = -Infinity;
	/** Number of the window since the epoch; unknown before the first Date header. */
	#number = -Infinity;
	#began = -Infinity;
	/** Starts that may count in this window and were not rejected. */
	#starts: Grant[] = [];
	/** Starts that a window is assumed to grant, and probes allowed beyond them. */
	#bound: number;
	#probes = 1;
	#closedUntil = -Infinity;
	/** Pauses in a row after which no request was accepted. */
	#pauses = 0;
	#waiting: Waiter[] = [];
	/** By execution, the number of its last turn. */
	readonly #turns = new WeakMap<object, number>();
	#turn = 0;
	#isServing = false;

	/** @param limit requests that the credential allows in a window */
	constructor(
		private readonly clock: Clock,
		private readonly limit: number,
		private readonly windowMs = WINDOW_MS,
	) {
		this.#bound = limit;
	}

	/** Undefined if it was stopped. The start counts from then on, and is reported with {@link recordResponse}. */
	async acquire(ticket: Ticket): Promise<Grant | undefined> {
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

	/** A rejected request first, then the execution whose last turn is the longest ago. */
	#next(): Waiter | undefined {
		const turnOf = ({ isRejected, execution }: Ticket) =>
			isRejected ? -1 : (this.#turns.get(execution) ?? 0);
		return this.#waiting.toSorted((first, second) => turnOf(first) - turnOf(second))[0];
	}

	#start(): Grant | undefined {
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
	recordResponse(
		start: Grant,
		isRejected: boolean,
		serviceDate?: string,
		retryAfterMs?: number,
	): void {
		const now = this.clock.now();
		const ahead = (parseHttpDate(serviceDate) ?? NaN) - now;
		// Date headers vary by DATE_MS and the time a request took; a larger step back means that a clock was set.
		if (ahead > this.#clockLeadMs || ahead + (now - start.at) < this.#clockLeadMs - DATE_MS)
			this.#clockLeadMs = ahead;
		if (isRejected) return this.#close(start, now, retryAfterMs);
		if (start.isProbe && this.#starts.includes(start))
			this.#probes += this.#probes < this.limit / 5 ? 2 : 1;
		if (start.at >= this.#closedUntil) this.#pauses = 0;
	}

	/** Pauses for as long as Retry-After asks; the minimum doubles each time that did not help. */
	#close(start: Grant, now: number, retryAfterMs: number | undefined): void {
		this.#rollOver(now);
		this.#starts = this.#starts.filter((time) => time !== start);
		// Without Retry-After, the rejection of a start before the reset shows nothing about this window.
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

	/** A window with a rejection ends with its pause; any other ends by the service's clock. */
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

	/** Local times around the last certain reset; without a Date header, any moment may be one. */
	#resets(now: number): { number: number; earliest: number; likely: number; next: number } {
		const { windowMs } = this;
		const number = Math.floor((now + this.#clockLeadMs - GUARD_MS) / windowMs);
		if (!Number.isFinite(number))
			return { number, earliest: now - windowMs, likely: now, next: now + windowMs };
		const reset = number * windowMs - this.#clockLeadMs;
		return {
			number,
			earliest: reset - DATE_MS,
			likely: reset - TRAVEL_MS,
			next: reset + windowMs + GUARD_MS,
		};
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
