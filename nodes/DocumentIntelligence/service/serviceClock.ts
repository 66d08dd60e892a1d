import { parseHttpDate } from './retry';

/** How long a request may travel to the service, which counts it when it arrives. */
export const TRAVEL_MS = 250;

/** A Date header has whole seconds, and its response travels, too. */
const DATE_MS = 1000 + TRAVEL_MS;

/** The clocks of the machines behind one address differ by a few milliseconds. */
const GUARD_MS = 50;

/** Local times around the last reset of a window that has certainly happened. */
interface Reset {
	/** Not before this. */
	earliest: number;
	/** When a request had to leave to arrive after it. */
	likely: number;
	/** When the one after it has certainly happened. */
	next: number;
}

/** When windows reset by the service's clock, which its Date headers show. */
export class ServiceClock {
	/** The least that the service's clock is ahead of the local one; undefined before the first Date header. */
	#leadMs?: number;

	constructor(private readonly windowMs: number) {}

	/**
	 * @param date the Date header of a response
	 * @param tookMs from the start of its request
	 */
	observe(date: string | undefined, now: number, tookMs: number): void {
		const shown = parseHttpDate(date);
		if (shown === undefined) return;
		const leadMs = shown - now;
		const known = this.#leadMs ?? -Infinity;
		// Date headers vary by DATE_MS and the time a request took; a larger step back means that a clock was set.
		const wasSetBack = leadMs + tookMs < known - DATE_MS;
		if (leadMs > known || wasSetBack) this.#leadMs = leadMs;
	}

	/** Undefined before the first Date header, when any moment may be a reset. */
	lastReset(now: number): Reset | undefined {
		if (this.#leadMs === undefined) return undefined;
		const number = Math.floor((now + this.#leadMs - GUARD_MS) / this.windowMs);
		const reset = number * this.windowMs - this.#leadMs;
		return {
			earliest: reset - DATE_MS,
			likely: reset - TRAVEL_MS,
			next: reset + this.windowMs + GUARD_MS,
		};
	}
}
