import type { Earlier, Past } from '../../document/document';
import type { Answer } from '../../service/envelope';
import { asDirectResult } from '../../service/jobs/jobResult';
import { objectOf } from '../../text/json';
import { sizeOf } from './memory';

/** A copy as bytes, so that nothing that works with the answer changes it. */
export function pastOfAnswer(answer: Answer): Past {
	const { creditsConsumed: credits } = answer;
	if (answer.kind === 'file')
		return {
			kind: 'answer',
			bytes: new Uint8Array(answer.bytes),
			mimeType: answer.mimeType,
			credits,
		};
	const { data, stored } = answer;
	return { kind: 'answer', bytes: asBytes(stored === undefined ? { data } : { stored }), credits };
}

export function pastOfOutput(json: unknown): Past {
	return { kind: 'outputs', bytes: asBytes(json) };
}

/** Undefined if it is no answer. */
export function answerFrom({ past, isPassedOn }: Earlier): Answer | undefined {
	if (past.kind !== 'answer') return undefined;
	const { bytes, mimeType, credits } = past;
	// Its credits were shown when it was passed on, and 0 would say that it was free.
	const creditsConsumed = isPassedOn ? undefined : credits;
	if (mimeType !== undefined)
		return { kind: 'file', bytes: Buffer.from(bytes), mimeType, creditsConsumed };
	const { stored, data = asDirectResult(stored) } = objectFrom(bytes);
	return { kind: 'data', data, stored, creditsConsumed };
}

export function objectFrom(bytes: Uint8Array) {
	return objectOf(JSON.parse(new TextDecoder().decode(bytes)));
}

function asBytes(value: unknown): Uint8Array {
	return new TextEncoder().encode(JSON.stringify(value));
}

/** What a run has been answered, by the place of the document, until it ends. The oldest go first. */
export class Held {
	readonly #pasts = new Map<number, { past: Past; since: number }>();
	#bytes = 0;
	/** How many were dropped. */
	dropped = 0;

	constructor(
		private readonly maxBytes: number,
		private readonly now: () => number,
	) {}

	hold(place: number, past: Past): void {
		this.#pasts.set(place, { past, since: this.now() });
		this.#bytes += sizeOf(past);
		for (const [oldest, dropped] of this.#pasts) {
			if (this.#bytes <= this.maxBytes) return;
			this.#pasts.delete(oldest);
			this.#bytes -= sizeOf(dropped.past);
			this.dropped += 1;
		}
	}

	of(place: number): { past: Past; since: number } | undefined {
		return this.#pasts.get(place);
	}
}
