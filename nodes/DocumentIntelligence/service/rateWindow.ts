import { parseHttpDate } from './httpDate';

/** A request that was let through. */
export interface Start {
	/** Local time. */
	at: number;
	/** How many requests its credential allows in a window. */
	limit: number;
	/** Beyond what the last window granted, to find out whether there is more. */
	probe: boolean;
}

/** What an answer's headers say about the window. */
export interface Timing {
	/** The Date header. */
	serviceDate?: string;
	/** Of a rejection: how long the service asked to wait, in milliseconds. */
	retryAfterMs?: number;
}

/** Why nothing starts at the moment: the service rejected a request. */
export interface Closed {
	/** Milliseconds until it opens again. */
	closedForMs: number;
	/** Milliseconds since the first rejection after which no request was accepted. */
	rejectedForMs: number;
}

/** How long a request may take to reach the service, in milliseconds; it counts in the window in which it arrives. */
const TRAVEL_MS = 250;

/** The machines behind one address agree on the time to within a few milliseconds only. */
const GUARD_MS = 50;

/** Services that round Retry-After down say 0 in the last second of a window; those that round up, a second too many. */
const MIN_CLOSED_MS = 1000;

/** Share of a window in which nobody probes, so that others can take what they had in the last one. */
const PROBE_AFTER = 0.05;

/** Share of the limit by which a window without rejections raises the bound. */
const GROWTH = 0.1;

/**
 * How many requests of one API key may start, and when. Only decides: every method gets the time, none waits.
 *
 * The service counts in a fixed window (docs/service-contract.md, limits): it resets on the minute and does not
 * refill. A start counts until a reset has certainly happened since, by what is known of the service's clock. Each
 * request brings the limit of its own credential, so several credentials may hold the same key.
 *
 * Other processes or programs may use the same key, and a rejected upload is expensive. So what a window really
 * granted bounds the next one. When that is used up a single request probes for more, and each probe that is
 * granted lets two follow: a share that has become free is taken within a few answers, and one that is
 * still taken costs a single rejection.
 */
export class RateWindow {
	readonly #clock = new ServiceClock();

	/** How many starts a window is assumed to grant; unlimited until a rejection shows otherwise. */
	#bound = Number.POSITIVE_INFINITY;

	/** Number of the window since the epoch; nothing is known of it before the first answer. */
	#window = Number.NEGATIVE_INFINITY;

	/** Local time at which this window began, as far as it is known. */
	#began = Number.NEGATIVE_INFINITY;

	/** Starts that may count in this window, except the rejected ones. */
	#starts: Start[] = [];

	#rejected = false;

	/** Starts that this window may have beyond the bound. */
	#probes = 1;

	#closedUntil = Number.NEGATIVE_INFINITY;

	/** How often in a row the first request after a closed period was rejected. */
	#fruitless = 0;

	/** Local time of the first of these rejections. */
	#rejectedSince = Number.POSITIVE_INFINITY;

	/** @param windowMs windows begin at multiples of this since the epoch, by the service's clock */
	constructor(private readonly windowMs: number) {}

	/** Undefined while requests may start, as far as rejections are concerned. */
	closed(now: number): Closed | undefined {
		if (now >= this.#closedUntil) return undefined;
		return {
			closedForMs: this.#closedUntil - now,
			rejectedForMs: Math.max(0, now - this.#rejectedSince),
		};
	}

	/**
	 * Milliseconds until a request may start unless an answer changes that; 0 means now.
	 *
	 * @param limit how many requests its credential allows in a window, those of other credentials counted
	 */
	waitBeforeStart(now: number, limit: number): number {
		this.#rollOver(now, limit);
		if (now < this.#closedUntil) return this.#closedUntil - now;
		return this.#starts.length < Math.min(this.#bound, limit) || this.#canProbe(now, limit)
			? 0
			: this.#lastReset(now).next - now;
	}

	/** Call this when a request starts, right after {@link waitBeforeStart} returned 0. */
	start(now: number, limit: number): Start {
		const probe = this.#starts.length >= Math.min(this.#bound, limit);
		const start = { at: now, limit, probe };
		this.#starts.push(start);
		return start;
	}

	/** The service answered, and did not reject the request for its rate. */
	accepted(start: Start, now: number, { serviceDate }: Timing = {}): void {
		this.#clock.observe(serviceDate, start.at, now);
		if (start.probe && this.#starts.includes(start)) this.#probes += 2;
		if (start.at <= this.#rejectedSince) return;
		this.#fruitless = 0;
		this.#rejectedSince = Number.POSITIVE_INFINITY;
	}

	/**
	 * The service rejected a request for its rate: nothing starts until the window has reset.
	 *
	 * Retry-After says when that is; without it the window's own end counts. It is capped at one window,
	 * as the service promises a reset by then; the least wait grows each time the next request is rejected as well.
	 */
	rejected(start: Start, now: number, { serviceDate, retryAfterMs }: Timing = {}): void {
		this.#clock.observe(serviceDate, start.at, now);
		this.#rollOver(now, start.limit);
		this.#starts = this.#starts.filter((other) => other !== start);
		// Without Retry-After, a rejection that may have been in flight at the reset says nothing about the new window.
		if (retryAfterMs === undefined && start.at < this.#began) return;
		this.#rejected = true;
		this.#countFruitless(start, now);
		const leastMs = Math.min(MIN_CLOSED_MS * 2 ** (this.#fruitless - 1), this.windowMs);
		const waitMs = Math.max(retryAfterMs ?? this.#lastReset(now).next - now, leastMs);
		this.#closedUntil = Math.max(
			this.#closedUntil,
			now + Math.min(waitMs, this.windowMs + MIN_CLOSED_MS),
		);
	}

	/** Of requests that started together only the first counts. One long after the closed period starts a new count. */
	#countFruitless(start: Start, now: number): void {
		if (this.#fruitless === 0 || start.at > this.#closedUntil + this.windowMs) {
			this.#fruitless = 1;
			this.#rejectedSince = now;
		} else if (start.at >= this.#closedUntil) {
			this.#fruitless += 1;
		}
	}

	/** A start shortly before the reset may count before or after it; only those that certainly count prevent a probe. */
	#canProbe(now: number, limit: number): boolean {
		if (now < this.#began + TRAVEL_MS + PROBE_AFTER * this.windowMs) return false;
		return (
			!this.#rejected &&
			this.#starts.length < Math.min(this.#bound, limit) + this.#probes &&
			this.#granted() < limit
		);
	}

	#granted(): number {
		return this.#starts.filter(({ at }) => at >= this.#began).length;
	}

	#rollOver(now: number, limit: number): void {
		const { window, notBefore, likely } = this.#lastReset(now);
		// The service may reset before the estimated end of the window; its Retry-After is more reliable.
		const resetBySaying = this.#rejected && now >= this.#closedUntil;
		if (window !== this.#window || resetBySaying) {
			const shown = this.#rejected
				? Math.max(1, this.#granted())
				: Math.max(this.#bound, this.#granted());
			// No window has a number before the first Date header.
			const passed = window > this.#window ? window - this.#window : 0;
			const quiet = Math.max(0, passed - (this.#rejected ? 1 : 0));
			this.#bound = shown + Math.ceil(quiet * GROWTH * limit);
			this.#window = window;
			this.#began = resetBySaying ? now : likely;
			this.#rejected = false;
			this.#probes = 1;
		}
		this.#starts = this.#starts.filter(({ at }) => !resetBySaying && at + TRAVEL_MS >= notBefore);
	}

	/**
	 * The latest reset that has certainly happened: the local times between which it did, and when the next one certainly
	 * has. Before the first Date header, a reset may be at any time.
	 */
	#lastReset(now: number): { window: number; notBefore: number; likely: number; next: number } {
		const { windowMs } = this;
		const { least, likely, most } = this.#clock.ahead;
		const window = Math.floor((now + least - GUARD_MS) / windowMs);
		if (!Number.isFinite(window))
			return { window, notBefore: now - windowMs, likely: now, next: now + windowMs };
		const reset = window * windowMs;
		return {
			window,
			notBefore: reset - most,
			likely: reset - likely - TRAVEL_MS,
			next: reset + windowMs - least + GUARD_MS,
		};
	}
}

/**
 * How far the service's clock is ahead of the local one, as its Date headers tell. A header says whole seconds and
 * was written between the start of the request and the arrival of the response, so one header leaves a range of some
 * seconds, and many together a much smaller one.
 */
export class ServiceClock {
	#least = Number.NEGATIVE_INFINITY;

	#most = Number.POSITIVE_INFINITY;

	/**
	 * Milliseconds that are consistent with all headers. The likely value is 0 where that is one of them, and otherwise
	 * the least, because most services write the header when they respond.
	 */
	get ahead(): { least: number; likely: number; most: number } {
		const [least, most] = [this.#least, this.#most];
		return { least, likely: most >= 0 ? Math.max(0, least) : least, most };
	}

	observe(date: string | undefined, sentAt: number, receivedAt: number): void {
		const seconds = parseHttpDate(date);
		if (seconds === undefined) return;
		const least = seconds - receivedAt;
		const most = seconds + 1000 - sentAt;
		// Where no difference fits all headers, a clock was set, and only the latest header counts.
		const contradicts = least > this.#most || most < this.#least;
		this.#least = contradicts ? least : Math.max(this.#least, least);
		this.#most = contradicts ? most : Math.min(this.#most, most);
	}
}
