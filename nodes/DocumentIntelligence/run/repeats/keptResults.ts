import type { KeptResult } from '../../document/document';
import { MB } from '../../text/words';

const MAX_BYTES = 32 * MB;

export const MAX_BYTES_OF_WORKFLOW = MAX_BYTES / 2;

const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** About what an entry takes besides its answer, including the digests that identify it. */
const ENTRY_BYTES = 1000;

/** The node that a result belongs to. */
export interface ResultOwner {
	workflowId: string;
	nodeId: string;
}

type Entry = KeptResult & ResultOwner & { since: number; size: number };

/**
 * The results that runs of this process have paid for and not passed on, and those to reuse: at most 32 MB, half of it
 * for one workflow, and none for longer than a day from when it first came. The oldest go first.
 */
export class KeptResults {
	readonly #entries = new Map<string, Entry>();

	/** @param now in milliseconds */
	constructor(
		private readonly now: () => number,
		private readonly maxBytes = MAX_BYTES,
	) {}

	/**
	 * The results of a run by the identities of their questions, as far as they are within the bounds. A result that was
	 * taken is kept again as it is: its day counts from when it first came.
	 */
	keep({ workflowId, nodeId }: ResultOwner, results: Iterable<[string, KeptResult]>): void {
		for (const [identity, result] of results) {
			const size = ENTRY_BYTES + (result.kind === 'answer' ? result.bytes.byteLength : 0);
			// What no run has passed on is not given up for what a run has.
			const isWorse = result.isPassedOn && this.#entries.get(identity)?.isPassedOn === false;
			if (isWorse || size > this.maxBytes / 2) continue;
			const since = result.since ?? this.now();
			// After the others of the same time.
			this.#entries.delete(identity);
			this.#entries.set(identity, { ...result, since, workflowId, nodeId, size });
		}
		this.#discard();
	}

	has(identity: string): boolean {
		return this.#entries.has(identity);
	}

	/**
	 * The results for all questions of a run, to be called once: its copies of a file then share one, and no two runs get
	 * the same. Those that were passed on stay.
	 */
	take(identities: Iterable<string>): Map<string, KeptResult> {
		this.#discard();
		const results = new Map<string, KeptResult>();
		for (const identity of identities) {
			const entry = this.#entries.get(identity);
			if (entry === undefined) continue;
			results.set(identity, entry);
			if (!entry.isPassedOn) this.#entries.delete(identity);
		}
		return results;
	}

	/** Whether a run has to identify its files at all. */
	hasFor({ workflowId, nodeId }: ResultOwner): boolean {
		this.#discard();
		return [...this.#entries.values()].some(
			(entry) => entry.workflowId === workflowId && entry.nodeId === nodeId,
		);
	}

	/** Counts from the newest on, and removes what is beyond a bound. */
	#discard(): void {
		const now = this.now();
		const sizes = new Map<string, number>();
		let total = 0;
		const newestFirst = [...this.#entries]
			.reverse()
			.sort(([, first], [, second]) => second.since - first.since);
		for (const [identity, { workflowId, since, size }] of newestFirst) {
			const ofWorkflow = (sizes.get(workflowId) ?? 0) + size;
			sizes.set(workflowId, ofWorkflow);
			// A clock that was set back must not prolong the day.
			const isExpired = Math.abs(now - since) >= MAX_AGE_MS;
			const isWithinBounds = !isExpired && ofWorkflow <= this.maxBytes / 2;
			if (isWithinBounds) total += size;
			if (!isWithinBounds || total > this.maxBytes) this.#entries.delete(identity);
		}
	}
}

/** The results of this n8n process; another worker has its own. */
export const keptByProcess = new KeptResults(Date.now);
