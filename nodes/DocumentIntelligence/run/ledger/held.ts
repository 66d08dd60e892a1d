import type { Left } from './left';
import { jobOf, sizeOf } from './past';

/**
 * What a run has been answered, until it ends: so many bytes at most, for which the oldest give way to their jobs. What
 * gives way is taken out of what its document leaves, although that has ended: nothing else is changed in this way.
 */
export class Held {
	readonly #answers = new Set<Left>();
	#bytes = 0;

	constructor(private readonly maxBytes: number) {}

	hold(left: Left): void {
		const size = sizeOf(left.past);
		this.#bytes += size;
		// Otherwise, all others would give way to it in vain.
		if (size > this.maxBytes) this.#drop(left);
		else this.#answers.add(left);
		for (const oldest of this.#answers) {
			if (this.#bytes <= this.maxBytes) return;
			this.#drop(oldest);
		}
	}

	#drop(left: Left): void {
		this.#answers.delete(left);
		const job = left.past && jobOf(left.past);
		this.#bytes += sizeOf(job) - sizeOf(left.past);
		left.past = job;
	}
}
