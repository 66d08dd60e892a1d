import { MB } from '../../text/words';
import { systemClock, wakeAfter } from '../../waiting/waiting';
import { Attempts } from './attempts';
import { Expiring } from './expiring';
import { jobOf, sizeOf, wasPassedOn, weightOf, type Entry, type Past } from './past';

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

/** What gives way first, and what last: jobs and failures take hardly any room. */
const GIVES_WAY = ['passedOn', 'answerOfJob', 'answer', 'withoutBytes', 'protected'] as const;

/** Of one document. */
export interface Change {
	key: string;
	/** What the memory had when the run began. */
	before?: Entry;
	next: Entry | 'drop';
}

/**
 * What this process knows of documents, by their keys: at most 32 MB, half of it for one workflow, none for longer than a
 * day. What was passed on is dropped first. Then answers give way to their jobs, and then the oldest is dropped. Another
 * worker has its own.
 */
export class LedgerMemory {
	readonly #entries: Expiring<Holding>;
	readonly attempts: Attempts;

	constructor(
		readonly now: () => number,
		private readonly maxBytes = MAX_BYTES,
		wake: (ms: number, call: () => void) => void = wakeAfter,
	) {
		this.#entries = new Expiring(now, wake);
		this.attempts = new Attempts(now, wake);
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

	get(key: string): Entry | undefined {
		return this.#entries.get(key)?.entry;
	}

	/**
	 * @param execution whose entries others make room for
	 * @param isForNextAttempt whether n8n is about to repeat the run
	 */
	change(owner: Owner, changes: Change[], execution: string, isForNextAttempt = false): void {
		const protectedUntil = isForNextAttempt ? this.now() + PROTECTED_MS : -Infinity;
		for (const { key, before, next } of changes) {
			const present = this.get(key);
			// What another execution has left meanwhile stays if it matters as much.
			if (present !== before && weightOf(present) >= weightOf(next)) continue;
			if (next === 'drop') this.#entries.delete(key);
			else this.#set(key, { ...owner, entry: next, size: sizeOf(next.past), protectedUntil });
		}
		this.#makeRoomFor(owner, execution);
	}

	#set(key: string, holding: Holding): void {
		const { entry, size } = holding;
		if (size > this.maxBytesOfRun) return;
		this.#entries.set(key, holding, entry.since);
		if (entry.past.kind === 'pending')
			void entry.past.outcome.then((past) => this.#settle(key, holding, past));
	}

	/** What arrives late replaces nothing that is newer. */
	#settle(key: string, holding: Holding, past: Past | null): void {
		const { entry } = holding;
		if (this.#entries.get(key)?.entry !== entry) return;
		this.#entries.delete(key);
		if (past === null) return;
		entry.past = past;
		entry.since = this.now();
		this.#set(key, { ...holding, size: sizeOf(past) });
		this.#makeRoomFor(holding, entry.execution);
	}

	#makeRoomFor({ workflowId }: Owner, execution: string): void {
		this.#makeRoom(this.maxBytesOfRun, execution, (holding) => holding.workflowId === workflowId);
		this.#makeRoom(this.maxBytes, execution, () => true);
	}

	/** Until there is room, drops what gives way or, of an answer that Cogneris has too, keeps the job; the oldest first. */
	#makeRoom(maxBytes: number, execution: string, isConcerned: (holding: Holding) => boolean): void {
		const all = this.#entries.entries().filter(([, holding]) => isConcerned(holding));
		const now = this.now();
		const kindOf = ({ entry, protectedUntil }: Holding): (typeof GIVES_WAY)[number] => {
			// Nothing is lost with it, so it is not protected.
			if (!wasPassedOn(entry) && jobOf(entry.past) !== undefined) return 'answerOfJob';
			if (protectedUntil > now && entry.execution !== execution) return 'protected';
			if (wasPassedOn(entry)) return 'passedOn';
			return 'bytes' in entry.past ? 'answer' : 'withoutBytes';
		};
		let bytes = all.reduce((sum, [, { size }]) => sum + size, 0);
		for (const kind of GIVES_WAY)
			for (const [key, holding] of all)
				if (bytes > maxBytes && kindOf(holding) === kind) {
					bytes -= holding.size;
					if (kind === 'answerOfJob') bytes += shrink(holding);
					else this.#entries.delete(key);
				}
	}
}

/** Keeps only the job of an answer. @returns its size */
function shrink(holding: Holding): number {
	const { entry } = holding;
	entry.past = jobOf(entry.past) ?? entry.past;
	holding.size = sizeOf(entry.past);
	return holding.size;
}

/** n8n loads the package once in a process, so all executions share this. */
export const processMemory = new LedgerMemory(systemClock.now);
