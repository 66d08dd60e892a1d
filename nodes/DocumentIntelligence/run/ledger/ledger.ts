import {
	loadedOf,
	mayBeBilled,
	type Ended,
	type Open,
	type Processed,
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
import { sumOf } from '../../text/words';
import { unlessAborted, type Turns } from '../../waiting/waiting';
import type { Run } from '../run';
import { decide, isRecorded, isReusable, skipped, wayOf } from './decide';
import { ProcessedHistory, type Outcome } from './history';
import { identify, identityOf, keyOf } from './identity';
import { leftOf } from './left';
import { remember, type Change, type Recalled } from './remember';

/**
 * What has happened to the documents of a run before, and what happens to them in it. Behind it are the memory of this
 * process and n8n's history. A run asks it before it sends anything, and tells it afterwards.
 */
export class Ledger {
	readonly #history: ProcessedHistory;
	/** By place. */
	readonly #recalled = new Map<number, Recalled>();

	constructor(
		private readonly run: Run,
		turns: Turns,
	) {
		this.#history = new ProcessedHistory(run.context, turns);
	}

	/** Lets the runs go on that wait for the documents of this one. */
	release(): void {
		this.#history.release();
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
		const processed = await this.#history
			.lookUp([...new Set(keys)], run.end.signal)
			.catch((thrown: unknown) => ({ thrown }));
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

	#decide(document: Ready, identity: string, processed?: Processed): Ready | Ended {
		const { run } = this;
		const key = keyOf(run, identity);
		const known = { ...run.memory.get(key), processed };
		const recorded = isRecorded(document) ? identity : undefined;
		this.#recalled.set(document.place, { key, known, recorded });
		return decide(run, document, known);
	}

	/**
	 * After the last request.
	 * @param isPassedOn whether n8n passes the items of the run on, unless the user stops it while they are recorded
	 * @returns by place, what is kept for a later run; what the user should know; what all attempts have paid
	 */
	async record(ended: Ended[], isPassedOn: boolean) {
		const { attempt, end } = this.run;
		const changes = await this.#changesOf(ended);
		const notes = isPassedOn ? await this.#close(changes) : [];
		// From here on, nothing waits: n8n does not pass on what a run returns that was stopped before.
		const isFinal = isPassedOn && !end.canceled.aborted;
		if (isPassedOn && !isFinal) this.#history.reopen();
		const kept = remember(this.run, changes, isFinal);
		const paid = ended.map((document) => ('credits' in document ? document.credits : undefined));
		const credits = attempt.pay(sumOf(paid));
		if (isFinal || !attempt.mayBeRepeated) attempt.end();
		return { kept, notes: [...notes, ...notesOn(this.run, ended)], credits };
	}

	/** Of all documents that are known or leave something. After a stop, no file is read for it. */
	async #changesOf(ended: Ended[]): Promise<Change[]> {
		const { run } = this;
		const changes: Change[] = [];
		for (const document of ended) {
			const left = leftOf(document, run.held.of(document.place));
			const recalled = this.#recalled.get(document.place);
			const loaded = loadedOf(document);
			if (recalled !== undefined) changes.push({ document, ...recalled, left });
			else if (run.hasLedger && loaded !== null && left.past !== undefined) {
				const identity = await identityOf(run, loaded, run.end.canceled).catch(() => undefined);
				if (identity === undefined) continue;
				changes.push({ document, key: keyOf(run, identity), known: {}, left });
			}
		}
		return changes;
	}

	/** Closes the entries in n8n's history, right before the items are passed on: a run that ends earlier loses them. */
	async #close(changes: Change[]): Promise<Note[]> {
		const { canceled } = this.run.end;
		const outcomes = new Map<string, Outcome>();
		let count = 0;
		for (const { document, recorded, left } of changes) {
			if (recorded === undefined || left.outcome === undefined) continue;
			outcomes.set(recorded, left.outcome);
			if (mayBeBilled(document)) count += 1;
		}
		if (outcomes.size === 0 || canceled.aborted) return [];
		return await unlessAborted(this.#history.record(outcomes, canceled), canceled).then(
			// One that has processed no file leaves it to the next one to say so.
			(isFirstRun) => (isFirstRun && count > 0 ? [noteOnFirstRun(count)] : []),
			() => [NOT_RECORDED],
		);
	}
}

/** What comes from other runs, and what this one cannot keep. */
function notesOn(run: Run, ended: Ended[]): Note[] {
	const { attempt, held } = run;
	const reuses = ended.flatMap((document): Reuse[] => {
		if (document.state !== 'answered' || document.earlier === null) return [];
		const { earlier } = document;
		if (earlier.passedOn !== undefined)
			return [wayOf(run, document) === 'testRun' ? 'testRuns' : 'reused'];
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
