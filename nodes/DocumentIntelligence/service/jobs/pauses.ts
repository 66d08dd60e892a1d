/** Before the first check, if the service suggests no pause. */
const FIRST_PAUSE_MS = 2_000;

/** Between two checks, whatever the service suggests. */
export const MIN_PAUSE_MS = 1_000;

/** Pauses grow up to this if the service suggests none, so that long jobs take few requests. */
const MAX_PAUSE_MS = 15_000;

const GROWTH = 1.5;

/** How long to wait before the same is asked again, if Cogneris suggests no pause: longer each time. */
export class Pauses {
	#nextMs = FIRST_PAUSE_MS;

	begin(firstMs = FIRST_PAUSE_MS): void {
		this.#nextMs = firstMs;
	}

	/** @returns milliseconds */
	take(): number {
		const pauseMs = this.#nextMs;
		this.#nextMs = Math.min(Math.max(pauseMs * GROWTH, FIRST_PAUSE_MS), MAX_PAUSE_MS);
		return pauseMs;
	}
}
