import type { Past } from '../../document/document';
import { sizeOf } from './memory';

/** What a run has been answered, by the place of the document, until it ends. The oldest go first. */
export class Held {
	readonly #pasts = new Map<number, Past>();
	/** The places of what was dropped. */
	readonly dropped: number[] = [];
	#bytes = 0;

	constructor(private readonly maxBytes: number) {}

	hold(place: number, past: Past): void {
		this.#pasts.set(place, past);
		this.#bytes += sizeOf(past);
		for (const [oldest, dropped] of this.#pasts) {
			if (this.#bytes <= this.maxBytes) return;
			this.#pasts.delete(oldest);
			this.#bytes -= sizeOf(dropped);
			this.dropped.push(oldest);
		}
	}

	of(place: number): Past | undefined {
		return this.#pasts.get(place);
	}
}
