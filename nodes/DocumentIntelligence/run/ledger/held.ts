import type { Past } from '../../document/document';

/** About what an entry takes besides its bytes, including the digests that identify it. */
const ENTRY_BYTES = 1000;

export function sizeOf(past: Past): number {
	if ('bytes' in past) return ENTRY_BYTES + past.bytes.buffer.byteLength;
	if (past.kind !== 'lost') return ENTRY_BYTES;
	const { message, advice, details } = past.failure;
	// Two bytes a character, and the stack of an error.
	return 2 * ENTRY_BYTES + 2 * JSON.stringify([message, advice, details]).length;
}

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
