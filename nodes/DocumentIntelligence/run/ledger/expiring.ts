const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** What is kept for a day at most, whether or not anybody asks for it: what came first is first. */
export class Expiring<Value> {
	readonly #all = new Map<string, { value: Value; since: number }>();
	/** Nothing expires before. */
	#wakesAt = Infinity;

	/**
	 * @param now in milliseconds, never going back
	 * @param wake calls back after so many milliseconds
	 */
	constructor(
		private readonly now: () => number,
		private readonly wake: (ms: number, call: () => void) => void,
	) {}

	get(key: string): Value | undefined {
		const kept = this.#all.get(key);
		return kept !== undefined && this.#isLive(kept) ? kept.value : undefined;
	}

	entries(): Array<[key: string, value: Value]> {
		return [...this.#all].flatMap(([key, kept]) => (this.#isLive(kept) ? [[key, kept.value]] : []));
	}

	set(key: string, value: Value, since: number): void {
		// What is newer goes behind the others.
		if (this.#all.get(key)?.since !== since) this.#all.delete(key);
		this.#all.set(key, { value, since });
		this.#wakeAt(since + MAX_AGE_MS);
	}

	delete(key: string): void {
		this.#all.delete(key);
	}

	#isLive({ since }: { since: number }): boolean {
		return this.now() - since < MAX_AGE_MS;
	}

	#wakeAt(time: number): void {
		if (time >= this.#wakesAt) return;
		this.#wakesAt = time;
		this.wake(Math.max(0, time - this.now()), () => {
			if (this.#wakesAt === time) this.#dropExpired();
		});
	}

	#dropExpired(): void {
		this.#wakesAt = Infinity;
		let oldest = Infinity;
		for (const [key, kept] of this.#all)
			if (this.#isLive(kept)) oldest = Math.min(oldest, kept.since);
			else this.#all.delete(key);
		this.#wakeAt(oldest + MAX_AGE_MS);
	}
}
