import { ServiceClock, TRAVEL_MS } from './serviceClock';

/** Services round Retry-After down, to 0 in the last second of a window, or up by a second. */
const MIN_PAUSE_MS = 1000;

/** The first part of a window, without probes, so that other processes can reach their previous share. */
const PROBE_AFTER = 0.15;

/** A started request, in local time; a probe exceeds what the last window granted. */
export interface Grant {
	at: number;
	isProbe: boolean;
}

/**
 * The present window of a rate limit: fixed, and reset on the minute of the service's clock. A request counts against the
 * limit until a reset has certainly happened after it. A rejection closes the window until it resets.
 * As other processes may use the same key, what a window granted before it rejected a request bounds the next one.
 * Beyond that a single request probes for more, and each accepted probe lets two follow, or one after the first few.
 */
export class RateWindow {
	readonly #serviceClock: ServiceClock;
	#began: number;
	/** The end of the last pause. */
	#closedUntil: number;
	/** Pauses in a row after which no request was accepted. */
	#pauses = 0;
	/** Starts that may count in this window and were not rejected. */
	#starts: Grant[] = [];
	/** Starts that a window is assumed to grant, and probes allowed beyond them. */
	#bound: number;
	#probes = 1;

	constructor(
		private readonly limit: number,
		private readonly windowMs: number,
		now: number,
	) {
		this.#serviceClock = new ServiceClock(windowMs);
		this.#bound = limit;
		this.#began = this.#closedUntil = now;
	}

	/** Now if a request may start, else the earliest time at which one may, unless a response changes that. */
	opensAt(now: number): number {
		this.#rollOver(now);
		if (now < this.#closedUntil) return this.#closedUntil;
		if (this.#starts.length < this.#bound) return now;
		const probeAt = Math.max(now, this.#probeAt());
		return Math.min(probeAt, this.#startsExpireAt(now));
	}

	/** Counts a start, which {@link opensAt} has allowed. */
	start(now: number): Grant {
		const start = { at: now, isProbe: this.#starts.length >= this.#bound };
		this.#starts.push(start);
		return start;
	}

	/** @param date the Date header of the response to the start */
	observe(start: Grant, now: number, date: string | undefined): void {
		this.#serviceClock.observe(date, now, now - start.at);
	}

	accept(start: Grant): void {
		if (start.isProbe && this.#starts.includes(start))
			this.#probes += this.#probes < this.limit / 5 ? 2 : 1;
		if (start.at >= this.#closedUntil) this.#pauses = 0;
	}

	/** Pauses for as long as Retry-After asks; the minimum doubles each time that did not help. */
	reject(start: Grant, now: number, retryAfterMs: number | undefined): void {
		this.#rollOver(now);
		this.#starts = this.#starts.filter((other) => other !== start);
		// Without Retry-After, the rejection of a start before the reset shows nothing about this window.
		if (retryAfterMs === undefined && start.at < this.#began) return;
		if (start.at >= this.#closedUntil) this.#pauses += 1;
		const leastMs = MIN_PAUSE_MS * 2 ** (this.#pauses - 1);
		const resetsAt = this.#serviceClock.lastReset(now)?.next ?? now + this.windowMs;
		const pauseMs = Math.max(retryAfterMs ?? resetsAt - now, leastMs);
		const opensAt = now + Math.min(pauseMs, this.windowMs + MIN_PAUSE_MS);
		this.#closedUntil = Math.max(this.#closedUntil, opensAt);
	}

	/** Begins the next window after a pause or a reset, and forgets starts that no longer count. */
	#rollOver(now: number): void {
		if (now < this.#closedUntil) return;
		const reset = this.#serviceClock.lastReset(now);
		const wasClosed = this.#closedUntil > this.#began;
		if (wasClosed) {
			this.#begin(now, Math.max(1, this.#granted()));
			this.#starts = [];
		} else if (reset !== undefined && reset.likely >= this.#began + this.windowMs / 2) {
			// Half a window apart, or it is the same reset, seen more exactly.
			this.#begin(reset.likely, Math.max(this.#bound, this.#granted()));
		}
		const countsFrom = reset?.earliest ?? now - this.windowMs;
		this.#starts = this.#starts.filter(({ at }) => at + TRAVEL_MS > countsFrom);
	}

	#begin(at: number, bound: number): void {
		this.#began = at;
		this.#bound = bound;
		this.#probes = 1;
	}

	/** Starts of this window that were not rejected. */
	#granted(): number {
		return this.#starts.filter(({ at }) => at >= this.#began).length;
	}

	/** When one start more than the bound is allowed; never if there are enough probes, or the limit is reached. */
	#probeAt(): number {
		const mayProbe =
			this.#starts.length < this.#bound + this.#probes && this.#granted() < this.limit;
		return mayProbe ? this.#began + TRAVEL_MS + PROBE_AFTER * this.windowMs : Infinity;
	}

	/** When the first of the starts no longer counts. */
	#startsExpireAt(now: number): number {
		const reset = this.#serviceClock.lastReset(now);
		const [oldest] = this.#starts;
		return reset?.next ?? (oldest?.at ?? now) + TRAVEL_MS + this.windowMs;
	}
}
