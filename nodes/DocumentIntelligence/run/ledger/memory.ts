import type { Earlier, Past } from '../../document/document';
import { MB } from '../../text/words';
import { systemClock, wakeAfter } from '../../waiting/waiting';
import { sizeOf } from './held';

const MAX_BYTES = 32 * MB;

const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** n8n waits 5 seconds at most before it repeats a run. */
const PROTECTED_MS = 60_000;

/** The node that an entry belongs to. */
export interface Owner {
	workflowId: string;
	nodeId: string;
}

interface Entry extends Owner {
	earlier: Earlier;
	size: number;
	/** Until then, it is not dropped for other executions. */
	protectedUntil: number;
}

/**
 * What this process knows of documents, by their keys: at most 32 MB, half of it for one workflow, none for longer than a
 * day. What was passed on is dropped before what was not, and then the oldest. Another worker has its own.
 */
export class LedgerMemory {
	/** In the order in which they came. */
	readonly #entries = new Map<string, Entry>();
	/** How many attempts of a run there were, and when the last one began. */
	readonly #attempts = new Map<string, { count: number; since: number }>();
	/** Nothing expires before. */
	#nextExpiry = Infinity;
	#isWaking = false;

	/**
	 * @param now in milliseconds, never going back
	 * @param wake calls back after so many milliseconds
	 */
	constructor(
		readonly now: () => number,
		private readonly maxBytes = MAX_BYTES,
		private readonly wake: (ms: number, call: () => void) => void = wakeAfter,
	) {}

	/** How much a workflow may have, and so a run. */
	get maxBytesOfRun(): number {
		return this.maxBytes / 2;
	}

	/** Whether a run of this node has to identify its files at all. */
	hasFor({ workflowId, nodeId }: Owner): boolean {
		this.#dropExpired();
		return [...this.#entries.values()].some(
			(entry) => entry.workflowId === workflowId && entry.nodeId === nodeId,
		);
	}

	get(key: string): Earlier | undefined {
		this.#dropExpired();
		return this.#entries.get(key)?.earlier;
	}

	drop(key: string): void {
		this.#entries.delete(key);
	}

	/**
	 * @param execution for which others have to make room
	 * @param isForNextAttempt whether n8n is about to repeat the run
	 */
	keep(
		owner: Owner,
		entries: Iterable<[key: string, earlier: Earlier]>,
		execution: string,
		isForNextAttempt = false,
	): void {
		this.#dropExpired();
		const protectedUntil = isForNextAttempt ? this.now() + PROTECTED_MS : -Infinity;
		for (const [key, earlier] of entries) {
			const size = sizeOf(earlier.past);
			if (size <= this.maxBytesOfRun) this.#set(key, { ...owner, earlier, size, protectedUntil });
		}
		const isOfWorkflow = ({ workflowId }: Entry) => workflowId === owner.workflowId;
		this.#makeRoom(this.maxBytesOfRun, execution, isOfWorkflow);
		this.#makeRoom(this.maxBytes, execution, () => true);
		this.#wakeForExpiry();
	}

	/** @returns the number of this attempt, from 1 on */
	beginAttempt(series: string): number {
		this.#dropExpired();
		const count = (this.#attempts.get(series)?.count ?? 0) + 1;
		this.#attempts.set(series, { count, since: this.now() });
		this.#expireAt(this.now() + MAX_AGE_MS);
		this.#wakeForExpiry();
		return count;
	}

	endAttempts(series: string): void {
		this.#attempts.delete(series);
	}

	#set(key: string, entry: Entry): void {
		const { since, past } = entry.earlier;
		// What is newer goes behind the others.
		if (this.#entries.get(key)?.earlier.since !== since) this.#entries.delete(key);
		this.#entries.set(key, entry);
		this.#expireAt(since + MAX_AGE_MS);
		if (past.kind === 'pending')
			void past.outcome.then((outcome) => this.#settle(key, entry, outcome));
	}

	/** What arrives late replaces nothing that is newer. */
	#settle(key: string, entry: Entry, past: Past | null): void {
		if (this.#entries.get(key) !== entry) return;
		this.drop(key);
		if (past === null) return;
		const earlier = { ...entry.earlier, past, since: this.now() };
		this.keep(entry, [[key, earlier]], earlier.execution);
	}

	/** Drops what was passed on, then what was not, then what is protected; of each, the oldest first. */
	#makeRoom(maxBytes: number, execution: string, isConcerned: (entry: Entry) => boolean): void {
		const entries = [...this.#entries].filter(([, entry]) => isConcerned(entry));
		const now = this.now();
		const rankOf = ({ earlier, protectedUntil }: Entry) => {
			if (protectedUntil > now && earlier.execution !== execution) return 2;
			return earlier.isPassedOn ? 0 : 1;
		};
		let bytes = entries.reduce((sum, [, { size }]) => sum + size, 0);
		for (const rank of [0, 1, 2])
			for (const [key, entry] of entries)
				if (bytes > maxBytes && rankOf(entry) === rank) {
					this.drop(key);
					bytes -= entry.size;
				}
	}

	#expireAt(time: number): void {
		this.#nextExpiry = Math.min(this.#nextExpiry, time);
	}

	#dropExpired(): void {
		const now = this.now();
		if (now < this.#nextExpiry) return;
		this.#nextExpiry = Infinity;
		const expire = <Kept>(all: Map<string, Kept>, sinceOf: (kept: Kept) => number) => {
			for (const [key, kept] of all)
				if (now - sinceOf(kept) >= MAX_AGE_MS) all.delete(key);
				else this.#expireAt(sinceOf(kept) + MAX_AGE_MS);
		};
		expire(this.#entries, ({ earlier }) => earlier.since);
		expire(this.#attempts, ({ since }) => since);
	}

	/** Entries go at their time, whether or not a run comes. */
	#wakeForExpiry(): void {
		if (this.#isWaking || this.#nextExpiry === Infinity) return;
		this.#isWaking = true;
		this.wake(Math.max(0, this.#nextExpiry - this.now()), () => {
			this.#isWaking = false;
			this.#dropExpired();
			this.#wakeForExpiry();
		});
	}
}

/** n8n loads the package once in a process, so all executions share this. */
export const processMemory = new LedgerMemory(systemClock.now);
