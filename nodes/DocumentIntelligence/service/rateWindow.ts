import { ServiceClock, TRAVEL_MS } from './serviceClock';

/** Services round Retry-After down, to 0 in the last second of a window, or up by a second. */
const MIN_PAUSE_MS = 1000;

/** The first part of a window, without probes, so that other processes can reach their previous share. */
const PROBE_AFTER = 0.15;

/** That a request may start, in local time; a probe exceeds what the last window granted. */
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
	/** Those that may count in this window and were not rejected. */
	#grants: Grant[] = [];
	/** How many grants a window is assumed to allow, and probes beyond them. */
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
		if (this.#grants.length < this.#bound) return now;
		const probeAt = Math.max(now, this.#probeAt());
		return Math.min(probeAt, this.#firstExpiresAt(now));
	}

	/** Counts a request, which {@link opensAt} has allowed. */
	grant(now: number): Grant {
		const grant = { at: now, isProbe: this.#grants.length >= this.#bound };
		this.#grants.push(grant);
		return grant;
	}

	/** @param date the Date header of the response */
	observe(grant: Grant, now: number, date: string | undefined): void {
		this.#serviceClock.observe(date, now, now - grant.at);
	}

	accept(grant: Grant): void {
		if (grant.isProbe && this.#grants.includes(grant))
			this.#probes += this.#probes < this.limit / 5 ? 2 : 1;
		if (grant.at >= this.#closedUntil) this.#pauses = 0;
	}

	/** Pauses for as long as Retry-After asks; the minimum doubles each time that did not help. */
	reject(grant: Grant, now: number, retryAfterMs: number | undefined): void {
		this.#rollOver(now);
		this.#grants = this.#grants.filter((other) => other !== grant);
		// Without Retry-After, the rejection of a request from before the reset shows nothing about this window.
		if (retryAfterMs === undefined && grant.at < this.#began) return;
		if (grant.at >= this.#closedUntil) this.#pauses += 1;
		const leastMs = MIN_PAUSE_MS * 2 ** (this.#pauses - 1);
		const resetsAt = this.#serviceClock.lastReset(now)?.next ?? now + this.windowMs;
		const pauseMs = Math.max(retryAfterMs ?? resetsAt - now, leastMs);
		const opensAt = now + Math.min(pauseMs, this.windowMs + MIN_PAUSE_MS);
		this.#closedUntil = Math.max(this.#closedUntil, opensAt);
	}

	/** Begins the next window after a pause or a reset, and forgets grants that no longer count. */
	#rollOver(now: number): void {
		if (now < this.#closedUntil) return;
		const reset = this.#serviceClock.lastReset(now);
		const wasClosed = this.#closedUntil > this.#began;
		if (wasClosed) {
			this.#begin(now, Math.max(1, this.#granted()));
			this.#grants = [];
		} else if (reset !== undefined && reset.likely >= this.#began + this.windowMs / 2) {
			// Half a window apart, or it is the same reset, seen more exactly.
			this.#begin(reset.likely, Math.max(this.#bound, this.#granted()));
		}
		const countsFrom = reset?.earliest ?? now - this.windowMs;
		this.#grants = this.#grants.filter(({ at }) => at + TRAVEL_MS > countsFrom);
	}

	#begin(at: number, bound: number): void {
		this.#began = at;
		this.#bound = bound;
		this.#probes = 1;
	}

	/** How many grants of this window were not rejected. */
	#granted(): number {
		return this.#grants.filter(({ at }) => at >= this.#began).length;
	}

	/** When one grant more than the bound is allowed; never if there are enough probes, or the limit is reached. */
	#probeAt(): number {
		const mayProbe =
			this.#grants.length < this.#bound + this.#probes && this.#granted() < this.limit;
		return mayProbe ? this.#began + TRAVEL_MS + PROBE_AFTER * this.windowMs : Infinity;
	}

	/** When the first grant no longer counts. */
	#firstExpiresAt(now: number): number {
		const reset = this.#serviceClock.lastReset(now);
		const [oldest] = this.#grants;
		return reset?.next ?? (oldest?.at ?? now) + TRAVEL_MS + this.windowMs;
	}
}
