import type { Left } from './left';
import { sizeOf, type Past } from './past';

/**
 * What a run has been answered, until it ends: so many bytes at most. The oldest give way, but not to one larger than that.
 * What gives way is taken out of what its document leaves, although that has ended: nothing else is changed in this way.
 */
export class Held {
	readonly #answers = new Map<Left, { size: number; instead: Past | undefined }>();
	#bytes = 0;

	constructor(private readonly maxBytes: number) {}

	/** @param instead what a later run can still use if the answer gives way, such as the job that has it */
	hold(left: Left, instead?: Past): void {
		if (left.past === undefined) return;
		const size = sizeOf(left.past);
		if (size > this.maxBytes) {
			left.past = instead;
			return;
		}
		this.#answers.set(left, { size, instead });
		this.#bytes += size;
		for (const [oldest, answer] of this.#answers) {
			if (this.#bytes <= this.maxBytes) return;
			this.#answers.delete(oldest);
			this.#bytes -= answer.size;
			oldest.past = answer.instead;
		}
	}
}
