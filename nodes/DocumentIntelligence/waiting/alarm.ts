import type { Clock } from './waiting';

/** Rings once, at the earliest time it was set to since it last rang. */
export class Alarm {
	#next?: { at: number; off: AbortController; bell: Bell };

	constructor(
		private readonly clock: Clock,
		private readonly ring: () => void,
	) {}

	setTo(at: number): void {
		if (this.#next !== undefined && this.#next.at <= at) return;
		this.turnOff();
		const off = new AbortController();
		const bell: Bell = {
			ring: () => {
				this.#next = undefined;
				this.ring();
			},
		};
		this.#next = { at, off, bell };
		ringAfter(this.clock.sleep(Math.max(1, at - this.clock.now()), off.signal), bell);
	}

	turnOff(): void {
		const next = this.#next;
		this.#next = undefined;
		if (next === undefined) return;
		delete next.bell.ring;
		next.off.abort();
	}
}

/**
 * All that a sleep holds. n8n before 2.34 sleeps on when it is turned off, and must not hold a run, whose documents may be in
 * memory, for as long.
 */
interface Bell {
	ring?: () => void;
}

function ringAfter(sleeping: Promise<void>, bell: Bell): void {
	sleeping.then(
		() => bell.ring?.(),
		// Turned off.
		() => undefined,
	);
}
