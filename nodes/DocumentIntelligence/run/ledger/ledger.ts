import {
	mayBeBilled,
	type Earlier,
	type Ended,
	type Open,
	type Ready,
} from '../../document/document';
import { hasPast } from '../settings';
import type { Note } from '../../text/notes';
import {
	NOT_RECORDED,
	noteOnFirstRun,
	noteOnNotKept,
	notesOnReuse,
	type Reuse,
} from '../../text/processedBefore';
import { unlessAborted, type Turns } from '../../waiting/waiting';
import type { Run } from '../run';
import { decide, isRecorded, isReusable, skipped } from './decide';
import { ProcessedHistory, type Outcome, type Processed } from './history';
import { identify, keyOf, keysOf } from './identity';
import { outcomeOf } from './outcome';
import { remember } from './remember';

/**
 * What has happened to the documents of a run before, and what happens to them in it. Behind it are the memory of this
 * process and n8n's history. A run asks it before it sends anything, and tells it afterwards.
 */
export class Ledger {
	readonly #history: ProcessedHistory;
	/** By place, of the documents that n8n's history was asked for and has as open. */
	readonly #recorded = new Map<number, string>();
	/** What n8n's history had as open when the run began. */
	#open: string[] = [];
	/** By place, of all documents that were identified. */
	readonly #keys = new Map<number, string>();
	/** By key, what was known when the run began. */
	readonly #recalled = new Map<string, Earlier>();
	/** Recorded with the files of the first run that ends. */
	readonly #firstRun: string;
	#isFirstRun = false;
	/** Lets the runs go on that wait for the documents of this one. */
	release: () => void = () => undefined;

	constructor(
		private readonly run: Run,
		private readonly turns: Turns,
	) {
		this.#history = new ProcessedHistory(run.context, turns);
		this.#firstRun = `first run of ${run.context.getNode().id}`;
	}

	/** Before anything is sent. Reads no file unless something is known. */
	async recall(documents: Array<Open | Ended>): Promise<Array<Open | Ended>> {
		const { run } = this;
		const isAnyKnown = run.hasLedger && run.memory.hasFor(run.owner);
		const isConcerned = (document: Open) => isAnyKnown || isRecorded(document);
		const identified = await identify(run, documents, isConcerned);
		const keys = identified.flatMap(({ document, identity }) =>
			identity !== undefined && isRecorded(document) ? identity : [],
		);
		const processed = await this.#lookUp(new Set(keys)).catch((thrown: unknown) => ({ thrown }));
		const seen = new Set<string>();
		return identified.map(({ document, identity }) => {
			if (identity === undefined) return document;
			if (!isRecorded(document)) return this.#decide(document, identity);
			if ('thrown' in processed) return run.end.fail(document, processed.thrown);
			if (seen.has(identity)) return skipped(document, 'copy');
			seen.add(identity);
			return this.#decide(document, identity, processed.get(identity));
		});
	}

	/** Runs of one process that have the same document take turns; those of two processes may both send it. */
	async #lookUp(keys: Set<string>): Promise<Map<string, Processed>> {
		if (keys.size === 0) return new Map();
		const { signal } = this.run.end;
		const { earlier, leave } = this.turns.enter([...keys]);
		this.release = leave;
		await unlessAborted(earlier, signal);
		const lookUp = this.#history.lookUp([...keys, this.#firstRun], signal);
		const processed = await unlessAborted(lookUp, signal);
		this.#isFirstRun = !processed.has(this.#firstRun);
		this.#open = [...keys, this.#firstRun].filter((key) => !processed.has(key));
		return processed;
	}

	#decide(document: Ready, identity: string, processed?: Processed): Ready | Ended {
		const { run } = this;
		const key = keyOf(run, identity);
		const earlier = run.memory.get(key);
		// What was paid counts once, however many copies of the file there are.
		const isCounted =
			earlier?.isPassedOn === false &&
			earlier.execution === run.attempt.execution &&
			!this.#recalled.has(key);
		this.#keys.set(document.place, key);
		if (earlier !== undefined) this.#recalled.set(key, earlier);
		const credits = isCounted ? earlier.credits : undefined;
		const decided = decide(run, document, { earlier, processed, credits });
		const isOpen = processed === undefined || decided.state !== 'skipped';
		if (isRecorded(document) && (isOpen || 'recordedAs' in decided))
			this.#recorded.set(document.place, identity);
		return decided;
	}

	/**
	 * After the last request.
	 * @param isPassedOn whether n8n passes the items of the run on, unless the user stops it while they are recorded
	 * @returns by place, what is kept for a later run; and what the user should know
	 */
	async record(ended: Ended[], isPassedOn: boolean) {
		const { run } = this;
		const keys = await keysOf(run, ended, this.#keys);
		const notes = isPassedOn ? await this.#close(ended) : [];
		// From here on, nothing waits: n8n does not pass on what a run returns that was stopped before.
		const isFinal = isPassedOn && !run.end.canceled.aborted;
		if (isPassedOn && !isFinal) this.#reopen();
		const kept = remember(run, ended, keys, this.#recalled, isFinal);
		if (isFinal || !run.attempt.mayBeRepeated) run.attempt.end();
		return { kept, notes: [...notes, ...notesOn(run, ended)] };
	}

	/** Not awaited, because the run has been stopped; those who wait for its documents wait for this. */
	#reopen(): void {
		const leave = this.release;
		const reopened = this.#history.reopen(this.#open);
		this.release = () => void reopened.then(leave);
	}

	/** Closes the entries in n8n's history, right before the items are passed on: a run that ends earlier loses them. */
	async #close(ended: Ended[]): Promise<Note[]> {
		const { canceled } = this.run.end;
		if (this.#recorded.size === 0 || canceled.aborted) return [];
		const outcomes = new Map<string, Outcome>();
		for (const document of ended) {
			const key = this.#recorded.get(document.place);
			const outcome = outcomeOf(document);
			if (key !== undefined && outcome !== undefined) outcomes.set(key, outcome);
		}
		// A first run that records no file leaves it to the next one to say so.
		const isAnyRecorded = [...outcomes.values()].some((outcome) => outcome !== 'none');
		if (isAnyRecorded) outcomes.set(this.#firstRun, 'answered');
		const count = ended.filter(mayBeBilled).filter(({ place }) => this.#recorded.has(place)).length;
		return await unlessAborted(this.#history.record(outcomes, canceled), canceled).then(
			() => (this.#isFirstRun && count > 0 ? [noteOnFirstRun(count)] : []),
			() => [NOT_RECORDED],
		);
	}
}

/** What comes from other runs, and what this one cannot keep. */
function notesOn(run: Run, ended: Ended[]): Note[] {
	const { attempt, held, isByHand } = run;
	const reuses = ended.flatMap((document): Reuse[] => {
		const earlier = document.state === 'answered' ? document.earlier : null;
		if (earlier === null || document.state !== 'answered') return [];
		const isTest = isByHand && document.settings.processedBefore === null;
		if (earlier.isPassedOn) return [isTest ? 'testRuns' : 'reused'];
		return earlier.execution === attempt.execution ? [] : ['notPassedOn'];
	});
	const notKept = ended.filter(
		(document) =>
			document.state === 'answered' &&
			held.dropped.includes(document.place) &&
			isReusable(run, document),
	);
	return [
		...notesOnReuse(reuses, hasPast(run.operation)),
		...notKept.map(({ subject }) => noteOnNotKept(subject)),
	];
}
