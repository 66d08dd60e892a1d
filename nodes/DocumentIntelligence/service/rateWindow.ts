/** What the service grants: so many starts of requests in each window of wall-clock time. */
export interface RateRule {
	requests: number;
	/** Milliseconds. Windows begin at multiples of this since the epoch, by the service's clock. */
	windowMs: number;
}

/** A request that was let through. */
export interface Start {
	/** Local time. */
	at: number;
	/** Beyond what the last window granted, to find out whether there is more. */
	probe: boolean;
}

/** A request may reach the service so long after its start, in milliseconds, and counts in the window of that moment. */
const TRAVEL_MS = 250;

/** The machines behind one address agree on the time to within a few milliseconds only. */
const GUARD_MS = 50;

/** Services that round Retry-After down say 0 in the last second of a window. */
const MIN_CLOSED_MS = 1000;

/** Part of a window in which nobody probes, so that the others can take what they had in the last one. */
const PROBE_AFTER = 0.05;

/** Part of the rule by which a window without refusals raises what is held possible. */
const GROWTH = 0.1;

/**
 * How many requests may start, and when. Decides only: every method is given the time, none waits.
 *
 * The rule is a fixed window (service contract, limits): it resets on the minute and does not refill. A start
 * counts until a reset has surely happened since, by what is known of the service's clock.
 *
 * Other processes or programs may use the same key, and a refused upload is expensive. So what a window really
 * granted bounds the next one. When that is used up a single request probes for more, and each probe that is
 * granted lets two follow: a share that has become free is taken within a few answers, and one that is
 * still taken costs a single refusal.
 */
export class RateWindow {
	readonly #clock = new ServiceClock();

	/** Starts held possible in a window, at most the rule's. */
	#bound: number;

	/** Number of the window since the epoch; nothing is known of it before the first answer. */
	#window = Number.NEGATIVE_INFINITY;

	/** Local time at which this window began, as far as it is known. */
	#began = Number.NEGATIVE_INFINITY;

	/** Those that may count in this window, except the refused ones. */
	#starts: Start[] = [];

	#refused = false;

	/** Starts that this window may have beyond the bound. */
	#probes = 1;

	#closedUntil = Number.NEGATIVE_INFINITY;

	constructor(private rule: RateRule) {
		this.#bound = rule.requests;
	}

	/** A credential may be edited while requests wait. */
	use(rule: RateRule): void {
		if (rule.requests !== this.rule.requests) this.#bound = rule.requests;
		this.rule = rule;
	}

	/** Milliseconds until a request may start unless an answer changes that; 0 means now. */
	waitBeforeStart(now: number): number {
		this.#rollOver(now);
		if (now < this.#closedUntil) return this.#closedUntil - now;
		return this.#starts.length < this.#bound || this.#canProbe(now)
			? 0
			: this.#lastReset(now).next - now;
	}

	/** To be called when a request starts, in the same moment in which {@link waitBeforeStart} gave 0. */
	start(now: number): Start {
		const start = { at: now, probe: this.#starts.length >= this.#bound };
		this.#starts.push(start);
		return start;
	}

	/**
	 * An answer came, or will never come.
	 *
	 * @param serviceDate the answer's Date header
	 */
	answered(start: Start, now: number, serviceDate?: string): void {
		this.#clock.observe(serviceDate, start.at, now);
		if (start.probe && this.#starts.includes(start)) this.#probes += 2;
	}

	/**
	 * The service refused a request for its rate: nothing starts until the window has reset.
	 *
	 * @param retryAfterMs what the service said; without it the window's own end counts
	 */
	refused(start: Start, now: number, retryAfterMs?: number): void {
		this.#rollOver(now);
		this.#starts = this.#starts.filter((other) => other !== start);
		// Without its time, a refusal that may have been on its way while the window turned says nothing of the new one.
		if (retryAfterMs === undefined && start.at < this.#began) return;
		this.#refused = true;
		this.#close(
			retryAfterMs === undefined
				? this.#lastReset(now).next
				: now + Math.max(retryAfterMs, MIN_CLOSED_MS),
		);
	}

	#close(until: number): void {
		this.#closedUntil = Math.max(this.#closedUntil, until);
	}

	/** A start shortly before the reset may count before or after it; only those that surely count forbid a probe. */
	#canProbe(now: number): boolean {
		if (now < this.#began + TRAVEL_MS + PROBE_AFTER * this.rule.windowMs) return false;
		return (
			!this.#refused &&
			this.#starts.length < this.#bound + this.#probes &&
			this.#granted() < this.rule.requests
		);
	}

	#granted(): number {
		return this.#starts.filter(({ at }) => at >= this.#began).length;
	}

	#rollOver(now: number): void {
		const { window, notBefore, likely } = this.#lastReset(now);
		// The service may reset earlier than our idea of the window ends; its Retry-After is the better witness.
		const resetBySaying = this.#refused && now >= this.#closedUntil;
		if (window !== this.#window || resetBySaying) {
			const shown = this.#refused
				? Math.max(1, this.#granted())
				: Math.max(this.#bound, this.#granted());
			const quiet = Math.max(0, window - this.#window - (this.#refused ? 1 : 0));
			this.#bound = Math.min(
				this.rule.requests,
				shown + Math.ceil(quiet * GROWTH * this.rule.requests),
			);
			this.#window = window;
			this.#began = resetBySaying ? now : likely;
			this.#refused = false;
			this.#probes = 1;
			if (resetBySaying) this.#starts = [];
		}
		this.#starts = this.#starts.filter(({ at }) => at + TRAVEL_MS >= notBefore);
	}

	/**
	 * The latest reset that has surely happened: the local times between which it did, and when the next one surely has.
	 * Before the first Date header a reset may be at any time.
	 */
	#lastReset(now: number): { window: number; notBefore: number; likely: number; next: number } {
		const { windowMs } = this.rule;
		const { least, likely, most } = this.#clock.ahead;
		const window = Math.floor((now + least - GUARD_MS) / windowMs);
		if (!Number.isFinite(window))
			return { window, notBefore: now - windowMs, likely: now - windowMs, next: now + windowMs };
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
 * was written somewhere between the start of the request and the arrival of the answer, so each leaves some seconds
 * open, and many of them together much less.
 */
export class ServiceClock {
	#least = Number.NEGATIVE_INFINITY;

	#most = Number.POSITIVE_INFINITY;

	/**
	 * Milliseconds that all headers allow. Where they allow it the local clock is likely to be right, and otherwise
	 * the least, because most services write the header when they answer.
	 */
	get ahead(): { least: number; likely: number; most: number } {
		const localIsRight = this.#least <= 0 && this.#most >= 0;
		return { least: this.#least, likely: localIsRight ? 0 : this.#least, most: this.#most };
	}

	observe(date: string | undefined, sentAt: number, receivedAt: number): void {
		const seconds = date === undefined ? Number.NaN : Date.parse(date);
		if (Number.isNaN(seconds)) return;
		const least = seconds - receivedAt;
		const most = seconds + 1000 - sentAt;
		// Where no difference fits all headers a clock was set; the latest header knows best.
		const contradicts = least > this.#most || most < this.#least;
		this.#least = contradicts ? least : Math.max(this.#least, least);
		this.#most = contradicts ? most : Math.min(this.#most, most);
	}
}
