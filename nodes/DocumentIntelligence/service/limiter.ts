import { createHash } from 'node:crypto';

import { sleep } from 'n8n-workflow';

import type { Account } from './account';
import { RateWindow, type Closed, type Start, type Timing } from './rateWindow';

/** Time and waiting, so that tests of minutes take milliseconds. */
export interface Clock {
	/** Milliseconds since the epoch as far as is known; never goes back, and passes as time does. */
	now: () => number;
	/** Milliseconds. */
	sleep: (ms: number) => Promise<void>;
}

/** Not Date.now: when a computer's clock is set, requests would be held back or start too early. */
const systemClock: Clock = { now: () => performance.timeOrigin + performance.now(), sleep };

/** The service's window (docs/service-contract.md, limits). */
const WINDOW_MS = 60_000;

/** The longest a queue sleeps before it looks again, because an answer may open or close it earlier. */
const SLICE_MS = 200;

/** A request that wants to start. */
export interface Ticket {
	/** How many requests its credential allows in a window, those of other credentials with the same key counted. */
	limit: number;
	/** Milliseconds for which the service may have rejected this key; a request does not wait any longer for a closed window. */
	maxRejectedMs: number;
	/** Whether it goes before all others that wait, because the service has rejected it before. */
	priority: boolean;
	signal?: AbortSignal;
}

interface Waiter {
	ticket: Ticket;
	settle: (outcome: Start | Closed) => void;
}

/**
 * The queue in which the requests of one API key wait for their start, across all executions of this process.
 * Executions take turns, so that a small one does not wait for a large one to end.
 */
export class Limiter {
	readonly #window: RateWindow;

	/** Those with priority, whichever execution they belong to. */
	readonly #priority: Waiter[] = [];

	/** The others, by execution; the first execution is the next to be served. */
	readonly #queues = new Map<object, Waiter[]>();

	/** What waiters do when their execution is stopped, by its signal: Node.js warns of many listeners of one. */
	readonly #leaving = new WeakMap<AbortSignal, Set<() => void>>();

	#serving = false;

	constructor(
		windowMs: number,
		private readonly clock: Clock,
	) {
		this.#window = new RateWindow(windowMs);
	}

	/**
	 * Waits until a request may start. The request counts from then on, and is reported with
	 * {@link accepted} or {@link rejected} once it is answered.
	 *
	 * @param execution whose request it is; any object that stands for it
	 * @returns its start, or why it was not let through
	 * @throws the signal's reason when the user stops the execution
	 */
	async acquire(execution: object, ticket: Ticket): Promise<Start | Closed> {
		const { signal } = ticket;
		signal?.throwIfAborted();
		return await new Promise((resolve, reject) => {
			const leave = () => {
				this.#remove(execution, waiter);
				reject(signal?.reason as Error);
			};
			const stay = this.#onStop(signal, leave);
			const waiter: Waiter = {
				ticket,
				settle: (outcome) => {
					this.#remove(execution, waiter);
					stay();
					resolve(outcome);
				},
			};
			this.#join(execution, waiter);
			void this.#serve();
		});
	}

	/** The service answered, and did not reject the request for its rate. */
	accepted(start: Start, timing?: Timing): void {
		this.#window.accepted(start, this.clock.now(), timing);
	}

	/** The service answered that the rate limit is used up. */
	rejected(start: Start, timing?: Timing): void {
		this.#window.rejected(start, this.clock.now(), timing);
	}

	/** Returns what makes the waiter stay when its execution is stopped. */
	#onStop(signal: AbortSignal | undefined, leave: () => void): () => void {
		if (signal === undefined) return () => undefined;
		const known = this.#leaving.get(signal);
		const leaving = known ?? new Set();
		if (known === undefined) {
			this.#leaving.set(signal, leaving);
			signal.addEventListener('abort', () => leaving.forEach((each) => each()), { once: true });
		}
		leaving.add(leave);
		return () => {
			leaving.delete(leave);
		};
	}

	#join(execution: object, waiter: Waiter): void {
		if (waiter.ticket.priority) this.#priority.push(waiter);
		else this.#queues.set(execution, [...(this.#queues.get(execution) ?? []), waiter]);
	}

	#remove(execution: object, waiter: Waiter): void {
		const place = this.#priority.indexOf(waiter);
		if (place >= 0) this.#priority.splice(place, 1);
		const queue = this.#queues.get(execution)?.filter((other) => other !== waiter) ?? [];
		if (queue.length > 0) this.#queues.set(execution, queue);
		else this.#queues.delete(execution);
	}

	async #serve(): Promise<void> {
		if (this.#serving) return;
		this.#serving = true;
		while (this.#priority.length > 0 || this.#queues.size > 0) {
			const now = this.clock.now();
			this.#turnAway(now);
			const waitMs = this.#startNext(now);
			if (waitMs > 0) await this.clock.sleep(Math.min(waitMs, SLICE_MS));
		}
		this.#serving = false;
	}

	/** Settles the waiters that do not wait for a window that the service has closed. */
	#turnAway(now: number): void {
		const closed = this.#window.closed(now);
		if (closed === undefined) return;
		const waiting = [...this.#priority, ...[...this.#queues.values()].flat()];
		for (const { ticket, settle } of waiting)
			if (closed.rejectedForMs >= ticket.maxRejectedMs) settle(closed);
	}

	/**
	 * Starts the first request that may start: of those with priority, else of the executions in turn, where the
	 * execution then stands last.
	 *
	 * @returns milliseconds until one may start; 0 when one did or nobody waits
	 */
	#startNext(now: number): number {
		const waitByLimit = new Map<number, number>();
		for (const { execution, waiter } of this.#candidates()) {
			const { limit } = waiter.ticket;
			if (waitByLimit.has(limit)) continue;
			const waitMs = this.#window.waitBeforeStart(now, limit);
			if (waitMs === 0) {
				waiter.settle(this.#window.start(now, limit));
				this.#standLast(execution);
				return 0;
			}
			waitByLimit.set(limit, waitMs);
		}
		return waitByLimit.size === 0 ? 0 : Math.min(...waitByLimit.values());
	}

	*#candidates(): Generator<{ execution?: object; waiter: Waiter }> {
		for (const waiter of this.#priority) yield { waiter };
		for (const [execution, [waiter]] of this.#queues) if (waiter) yield { execution, waiter };
	}

	#standLast(execution: object | undefined): void {
		const queue = execution && this.#queues.get(execution);
		if (!queue) return;
		this.#queues.delete(execution);
		this.#queues.set(execution, queue);
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

	forAccount({ apiKey, baseUrl }: Account): Limiter {
		const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64');
		const limiter = this.#limiters.get(name) ?? new Limiter(this.windowMs, this.clock);
		this.#limiters.set(name, limiter);
		return limiter;
	}
}

/** n8n loads the package once in a process, so this is shared by all of its executions. */
export const processLimiters = new Limiters();
