import type { Earlier, Past } from '../../document/document';
import { MB } from '../../text/words';
import { systemClock, wakeAfter } from '../../waiting/waiting';

const MAX_BYTES = 32 * MB;

const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** n8n waits 5 seconds at most before it repeats a run. */
const PROTECTED_MS = 60_000;

/** About what an entry takes besides its bytes, including the digests that identify it. */
const ENTRY_BYTES = 1000;

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

export function sizeOf(past: Past): number {
	if (past.kind === 'answer' || past.kind === 'outputs')
		return ENTRY_BYTES + past.bytes.buffer.byteLength;
	if (past.kind !== 'lost') return ENTRY_BYTES;
	const { message, description, details } = past.failure;
	// Two bytes a character, and the stack of an error.
	return 2 * ENTRY_BYTES + 2 * JSON.stringify([message, description, details]).length;
}

/**
 * What this process knows of documents, by their keys: at most 32 MB, half of it for one workflow, none for longer than a
 * day. What was passed on is dropped before what was not, and then the oldest. Another worker has its own.
 */
export class LedgerMemory {
	/** In the order in which they came. */
	readonly #entries = new Map<string, Entry>();
	readonly #countOfNode = new Map<string, number>();
	readonly #bytesOfWorkflow = new Map<string, number>();
	#bytes = 0;
	/** How many attempts of a run there were, and when the last one began. */
	readonly #attempts = new Map<string, { count: number; since: number }>();
	/** No entry expires before. */
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
	hasFor(owner: Owner): boolean {
		this.#dropExpired();
		return this.#countOfNode.has(nameOf(owner));
	}

	get(key: string): Earlier | undefined {
		this.#dropExpired();
		return this.#entries.get(key)?.earlier;
	}

	drop(key: string): void {
		const entry = this.#entries.get(key);
		if (entry === undefined) return;
		this.#entries.delete(key);
		this.#count(entry, -1);
	}

	/**
	 * @param isForNextAttempt whether n8n is about to repeat the run
	 * @param execution for which others have to make room
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
		this.#makeRoom(execution, this.maxBytesOfRun, owner.workflowId);
		this.#makeRoom(execution, this.maxBytes);
		this.#wakeForExpiry();
	}

	/** @returns the number of this attempt, from 1 on */
	beginAttempt(series: string): number {
		this.#dropExpired();
		const count = (this.#attempts.get(series)?.count ?? 0) + 1;
		this.#attempts.set(series, { count, since: this.now() });
		this.#nextExpiry = Math.min(this.#nextExpiry, this.now() + MAX_AGE_MS);
		this.#wakeForExpiry();
		return count;
	}

	endAttempts(series: string): void {
		this.#attempts.delete(series);
	}

	#set(key: string, entry: Entry): void {
		const before = this.#entries.get(key);
		// What is newer goes behind the others.
		if (before?.earlier.since !== entry.earlier.since) this.drop(key);
		else this.#count(before, -1);
		this.#entries.set(key, entry);
		this.#count(entry, 1);
		this.#nextExpiry = Math.min(this.#nextExpiry, entry.earlier.since + MAX_AGE_MS);
		const { past } = entry.earlier;
		if (past.kind === 'pending')
			void past.outcome.then((outcome) => this.#settle(key, entry, outcome));
	}

	/** What arrives late replaces nothing that is newer. */
	#settle(key: string, entry: Entry, past: Past | null): void {
		if (this.#entries.get(key) !== entry) return;
		this.drop(key);
		if (past === null) return;
		const credits = past.kind === 'answer' ? past.credits : undefined;
		const earlier = { ...entry.earlier, past, since: this.now(), credits };
		this.keep(entry, [[key, earlier]], earlier.execution);
	}

	#count(entry: Entry, change: 1 | -1): void {
		this.#bytes += change * entry.size;
		add(this.#bytesOfWorkflow, entry.workflowId, change * entry.size);
		add(this.#countOfNode, nameOf(entry), change);
	}

	/** @param workflowId whose entries are dropped; those of all if it is absent */
	#makeRoom(execution: string, maxBytes: number, workflowId?: string): void {
		const bytes = () =>
			workflowId === undefined ? this.#bytes : (this.#bytesOfWorkflow.get(workflowId) ?? 0);
		const now = this.now();
		const rankOf = ({ earlier, protectedUntil }: Entry) => {
			if (protectedUntil > now && earlier.execution !== execution) return 2;
			return earlier.isPassedOn ? 0 : 1;
		};
		for (const rank of [0, 1, 2])
			for (const [key, entry] of this.#entries) {
				if (bytes() <= maxBytes) return;
				if (rankOf(entry) === rank && (workflowId ?? entry.workflowId) === entry.workflowId)
					this.drop(key);
			}
	}

	#dropExpired(): void {
		const now = this.now();
		if (now < this.#nextExpiry) return;
		const ends = [Infinity];
		for (const [key, { earlier }] of this.#entries)
			if (now - earlier.since >= MAX_AGE_MS) this.drop(key);
			else ends.push(earlier.since);
		for (const [series, { since }] of this.#attempts)
			if (now - since >= MAX_AGE_MS) this.#attempts.delete(series);
			else ends.push(since);
		this.#nextExpiry = ends.reduce((first, next) => Math.min(first, next)) + MAX_AGE_MS;
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

function nameOf({ workflowId, nodeId }: Owner): string {
	return JSON.stringify([workflowId, nodeId]);
}

function add(sums: Map<string, number>, name: string, change: number): void {
	const sum = (sums.get(name) ?? 0) + change;
	if (sum === 0) sums.delete(name);
	else sums.set(name, sum);
}

/** n8n loads the package once in a process, so all executions share this. */
export const processMemory = new LedgerMemory(systemClock.now);
