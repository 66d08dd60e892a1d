import type { Clock } from './waiting';

/** Rings once, at the earliest time it was set to since it last rang. */
export class Alarm {
	#next?: { at: number; off: AbortController };

	constructor(
		private readonly clock: Clock,
		private readonly ring: () => void,
	) {}

	setTo(at: number): void {
		if (this.#next !== undefined && this.#next.at <= at) return;
		this.turnOff();
		const next = { at, off: new AbortController() };
		this.#next = next;
		const wait = this.clock.sleep(Math.max(1, at - this.clock.now()), next.off.signal);
		wait.then(
			() => this.#ringFor(next),
			// Turned off; n8n before 2.34 sleeps on instead.
			() => undefined,
		);
	}

	turnOff(): void {
		this.#next?.off.abort();
		this.#next = undefined;
	}

	#ringFor(due: object): void {
		if (this.#next !== due) return;
		this.#next = undefined;
		this.ring();
	}
}
