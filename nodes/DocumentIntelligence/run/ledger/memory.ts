import { MB, sumOf } from '../../text/words';
import { systemClock, wakeAfter } from '../../waiting/waiting';
import { Expiring } from './expiring';
import { jobOf, sizeOf, type Entry, type Known, type Past } from './past';

const MAX_BYTES = 32 * MB;

/** n8n waits 5 seconds at most before it repeats a run. */
const PROTECTED_MS = 60_000;

/** The node that an entry belongs to. */
export interface Owner {
	workflowId: string;
	nodeId: string;
}

interface Holding extends Owner {
	entry: Entry;
	size: number;
	/** Until then, it is not dropped for other executions. */
	protectedUntil: number;
}

/** What the attempts of a run have come to. */
interface Attempts {
	count: number;
	/** What they have paid. */
	credits?: number;
}

/** The two entries that a document can have. */
const KNOWN_ENTRIES = ['notPassedOn', 'reusable'] as const;

/**
 * What wins, of copies in a run and of executions at the same moment: a result matters more than a job, and a job more than
 * none.
 */
export function weightOf(entry: Entry | undefined): number {
	return entry === undefined ? 0 : WEIGHTS[entry.past.kind];
}

const WEIGHTS: Record<Past['kind'], number> = {
	lost: 1,
	pending: 2,
	job: 3,
	outputs: 4,
	answer: 4,
};

/**
 * What this process knows of documents, by their keys: at most 32 MB, half of it for one workflow, none for longer than a
 * day. What was passed on is dropped first. Then answers give way to their jobs, and then the oldest is dropped. Another
 * worker has its own.
 */
export class LedgerMemory {
	readonly #entries: Expiring<Holding>;
	readonly #attempts: Expiring<Attempts>;

	constructor(
		readonly now: () => number,
		private readonly maxBytes = MAX_BYTES,
		wake: (ms: number, call: () => void) => void = wakeAfter,
	) {
		this.#entries = new Expiring(now, wake);
		this.#attempts = new Expiring(now, wake);
	}

	/** How much a workflow may have, and so a run. */
	get maxBytesOfRun(): number {
		return this.maxBytes / 2;
	}

	/** Whether a run of this node has to identify its files at all. */
	hasFor({ workflowId, nodeId }: Owner): boolean {
		return this.#entries
			.entries()
			.some(([, holding]) => holding.workflowId === workflowId && holding.nodeId === nodeId);
	}

	get(key: string): Known {
		const [notPassedOn, reusable] = KNOWN_ENTRIES.map(
			(which) => this.#entries.get(entryKeyOf(key, which))?.entry,
		);
		return { notPassedOn, reusable };
	}

	/**
	 * @param changes what was known of each document when the run began, and what is next
	 * @param execution for which others have to make room
	 * @param isForNextAttempt whether n8n is about to repeat the run
	 */
	change(
		owner: Owner,
		changes: Array<{ key: string; known: Known; next: Known }>,
		execution: string,
		isForNextAttempt = false,
	): void {
		const protectedUntil = isForNextAttempt ? this.now() + PROTECTED_MS : -Infinity;
		for (const { key, known, next } of changes)
			for (const which of KNOWN_ENTRIES) {
				const entryKey = entryKeyOf(key, which);
				const [before, entry] = [known[which], next[which]];
				const present = this.#entries.get(entryKey)?.entry;
				// What another execution has left meanwhile stays if it matters as much.
				if (present !== before && weightOf(present) >= weightOf(entry)) continue;
				if (entry === undefined) this.#entries.delete(entryKey);
				else this.#set(entryKey, { ...owner, entry, size: sizeOf(entry.past), protectedUntil });
			}
		this.#makeRoomFor(owner, execution);
	}

	#set(entryKey: string, holding: Holding): void {
		const { entry, size } = holding;
		if (size > this.maxBytesOfRun) return;
		this.#entries.set(entryKey, holding, entry.since);
		if (entry.past.kind === 'pending')
			void entry.past.outcome.then((past) => this.#settle(entryKey, holding, past));
	}

	/** What arrives late replaces nothing that is newer. */
	#settle(entryKey: string, holding: Holding, past: Past | null): void {
		const { entry } = holding;
		if (this.#entries.get(entryKey)?.entry !== entry) return;
		this.#entries.delete(entryKey);
		if (past === null) return;
		entry.past = past;
		entry.since = this.now();
		this.#set(entryKey, { ...holding, size: sizeOf(past) });
		this.#makeRoomFor(holding, entry.execution);
	}

	#makeRoomFor({ workflowId }: Owner, execution: string): void {
		this.#makeRoom(this.maxBytesOfRun, execution, (holding) => holding.workflowId === workflowId);
		this.#makeRoom(this.maxBytes, execution, () => true);
	}

	/**
	 * Drops what was passed on, keeps only the jobs of answers that have one, drops what was not passed on, then what is
	 * protected; of each, the oldest first.
	 */
	#makeRoom(maxBytes: number, execution: string, isConcerned: (holding: Holding) => boolean): void {
		const all = this.#entries.entries().filter(([, holding]) => isConcerned(holding));
		const now = this.now();
		const rankOf = ({ entry, protectedUntil }: Holding) => {
			if (entry.passedOn === undefined && jobOf(entry.past) !== undefined) return 1;
			if (protectedUntil > now && entry.execution !== execution) return 3;
			return entry.passedOn === undefined ? 2 : 0;
		};
		let bytes = all.reduce((sum, [, { size }]) => sum + size, 0);
		for (const rank of [0, 1, 2, 3])
			for (const [entryKey, holding] of all)
				if (bytes > maxBytes && rankOf(holding) === rank) {
					bytes -= holding.size;
					if (rank === 1) bytes += shrink(holding);
					else this.#entries.delete(entryKey);
				}
	}

	/** @returns how many there are with this one */
	beginAttempt(series: string): number {
		const { count, credits } = this.#attemptsOf(series);
		this.#attempts.set(series, { count: count + 1, credits }, this.now());
		return count + 1;
	}

	/** @returns what all attempts have paid */
	pay(series: string, credits: number | undefined): number | undefined {
		const attempts = this.#attemptsOf(series);
		const total = sumOf([attempts.credits, credits]);
		this.#attempts.set(series, { ...attempts, credits: total }, this.now());
		return total;
	}

	#attemptsOf(series: string): Attempts {
		return this.#attempts.get(series) ?? { count: 0 };
	}

	endAttempts(series: string): void {
		this.#attempts.delete(series);
	}
}

/** Keeps only the job of an answer. @returns its size */
function shrink(holding: Holding): number {
	const { entry } = holding;
	entry.past = jobOf(entry.past) ?? entry.past;
	holding.size = sizeOf(entry.past);
	return holding.size;
}

/** The two entries of a document are kept apart. */
const entryKeyOf = (key: string, which: (typeof KNOWN_ENTRIES)[number]) => `${key} ${which}`;

/** n8n loads the package once in a process, so all executions share this. */
export const processMemory = new LedgerMemory(systemClock.now);
