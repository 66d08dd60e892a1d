import { MIN_PAUSE_MS, Pauses } from './pauses';

/** When the jobs of an execution are checked next: when Cogneris asks for it, else after pauses that grow. */
export class CheckTimes {
	readonly #pauses = new Pauses();
	#dueAt = Infinity;
	/** Cogneris asks to wait until then. */
	#notBefore = -Infinity;

	/** In milliseconds, as all times; Infinity if no check is due. */
	get next(): number {
		return Math.max(this.#dueAt, this.#notBefore);
	}

	/** A check begins, so none is due until the next one is planned. */
	clear(): void {
		this.#dueAt = Infinity;
	}

	/** Makes the pauses short again. @param firstMs how long Cogneris suggests to wait before the first check of a new job */
	beginAnew(firstMs?: number): void {
		this.#pauses.begin(firstMs);
	}

	/** One pause from now, unless a check is due before. */
	plan(now: number): void {
		this.#dueAt = Math.min(this.#dueAt, now + this.#pauses.take());
	}

	/** A response asks for a pause of its own; of several, the longest counts. */
	heed(now: number, retryAfterMs: number | undefined): void {
		if (retryAfterMs === undefined) return;
		this.#notBefore = Math.max(this.#notBefore, now + Math.max(retryAfterMs, MIN_PAUSE_MS));
		this.#dueAt = Math.min(this.#dueAt, this.#notBefore);
	}
}
