import { hasResult, type Left } from './left';
import { jobOf, sizeOf } from './past';

/**
 * The results that a run has been answered, until it ends: so many bytes at most, for which answers give way to their jobs
 * and then the others are dropped, the oldest first, those that the next run uses in any case last. What gives way is taken
 * out of what its document leaves, although that has ended: nothing else is changed in this way.
 */
export class Held {
	readonly #ofJobs = new Set<Left>();
	readonly #others = new Set<Left>();
	readonly #owed = new Set<Left>();
	#bytes = 0;

	constructor(private readonly maxBytes: number) {}

	/** Of what is no result, nothing is held. */
	hold(left: Left): void {
		if (!hasResult(left)) return;
		const size = sizeOf(left.past);
		this.#bytes += size;
		// Otherwise, all others would give way to it in vain.
		if (size > this.maxBytes) this.#drop(left);
		else if (jobOf(left.past) !== undefined) this.#ofJobs.add(left);
		else if (left.oncePassedOn === 'stays') this.#owed.add(left);
		else this.#others.add(left);
		for (const answers of [this.#ofJobs, this.#others, this.#owed])
			for (const oldest of answers) {
				if (this.#bytes <= this.maxBytes) return;
				answers.delete(oldest);
				this.#drop(oldest);
			}
	}

	#drop(left: Left): void {
		const job = left.past && jobOf(left.past);
		this.#bytes += sizeOf(job) - sizeOf(left.past);
		left.past = job;
	}
}
