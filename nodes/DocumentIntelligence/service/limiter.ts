import { createHash } from 'node:crypto';

import { sleep } from 'n8n-workflow';

import type { Account } from './account';
import { RateWindow, type RateRule, type Start } from './rateWindow';

/** Time and waiting, so that tests of minutes take milliseconds. */
export interface Clock {
	now: () => number;
	/** Milliseconds. */
	sleep: (ms: number) => Promise<void>;
}

const systemClock: Clock = { now: Date.now, sleep };

/** The service's window (service contract, limits). */
const WINDOW_MS = 60_000;

/** The longest a queue sleeps before it looks again: answers may open it earlier, and a stop has to be seen. */
const SLICE_MS = 200;

interface Waiter {
	begin: (start: Start) => void;
}

/**
 * The line in which the requests of one API key wait for their start, across all executions of this process.
 * Executions take turns, so that a small one does not wait for a large one to end.
 */
export class Limiter {
	readonly #window: RateWindow;

	/** Those who were refused before, whichever execution they belong to. */
	readonly #again: Waiter[] = [];

	/** The others who wait, by execution; the first execution is the next to be served. */
	readonly #lines = new Map<object, Waiter[]>();

	#serving = false;

	constructor(
		rule: RateRule,
		private readonly clock: Clock,
	) {
		this.#window = new RateWindow(rule);
	}

	use(rule: RateRule): void {
		this.#window.use(rule);
	}

	/**
	 * Waits until a request may start. The request counts from then on.
	 *
	 * @param execution whose request it is; any object that stands for it
	 * @param again the request was refused before: it goes first among all who wait
	 * @throws the signal's reason when the user stops the execution
	 */
	async acquire(
		execution: object,
		{ again, signal }: { again: boolean; signal?: AbortSignal },
	): Promise<Start> {
		signal?.throwIfAborted();
		return await new Promise((resolve, reject) => {
			const leave = () => {
				this.#remove(execution, waiter);
				reject(signal?.reason as Error);
			};
			const waiter: Waiter = {
				begin: (start) => {
					signal?.removeEventListener('abort', leave);
					resolve(start);
				},
			};
			signal?.addEventListener('abort', leave, { once: true });
			this.#join(execution, waiter, again);
			void this.#serve();
		});
	}

	/** An answer came, or the request ended without one. */
	answered(start: Start, serviceDate?: string): void {
		this.#window.answered(start, this.clock.now(), serviceDate);
	}

	/** The answer was that the rate limit is used up. */
	refused(start: Start, retryAfterMs?: number): void {
		this.#window.refused(start, this.clock.now(), retryAfterMs);
	}

	#join(execution: object, waiter: Waiter, again: boolean): void {
		if (again) this.#again.push(waiter);
		else this.#lines.set(execution, [...(this.#lines.get(execution) ?? []), waiter]);
	}

	#remove(execution: object, waiter: Waiter): void {
		const place = this.#again.indexOf(waiter);
		if (place >= 0) this.#again.splice(place, 1);
		const line = this.#lines.get(execution)?.filter((other) => other !== waiter) ?? [];
		if (line.length > 0) this.#lines.set(execution, line);
		else this.#lines.delete(execution);
	}

	async #serve(): Promise<void> {
		if (this.#serving) return;
		this.#serving = true;
		while (this.#again.length > 0 || this.#lines.size > 0) {
			const wait = this.#window.waitBeforeStart(this.clock.now());
			if (wait > 0) await this.clock.sleep(Math.min(wait, SLICE_MS));
			else this.#next()?.begin(this.#window.start(this.clock.now()));
		}
		this.#serving = false;
	}

	/** The first of those refused before; else the first of the first execution, which then stands last. */
	#next(): Waiter | undefined {
		const [first] = this.#lines;
		if (this.#again.length > 0 || first === undefined) return this.#again.shift();
		const [execution, [waiter, ...rest]] = first;
		this.#lines.delete(execution);
		if (rest.length > 0) this.#lines.set(execution, rest);
		return waiter;
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

	forAccount({ apiKey, baseUrl, requestsPerMinute }: Account): Limiter {
		const rule = { requests: requestsPerMinute, windowMs: this.windowMs };
		const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('base64');
		const limiter = this.#limiters.get(name) ?? new Limiter(rule, this.clock);
		this.#limiters.set(name, limiter);
		limiter.use(rule);
		return limiter;
	}
}

/** n8n loads the package once in a process, so this is shared by all of its executions. */
export const processLimiters = new Limiters();
