import type { INodeExecutionData } from 'n8n-workflow';

import type { Note } from '../../text/notes';
import {
	NOT_RECORDED,
	noteOnFirstRun,
	noteOnNotKept,
	notesOnReuse,
	type Reuse,
} from '../../text/processedBefore';
import { unlessAborted, type Locks } from '../../waiting/waiting';
import type { Run } from '../run';
import { offersProcessedBefore } from '../settings';
import { loadedOf, type Ended, type Open, type Ready } from '../state';
import type { Ending } from './attempt';
import { asksHistory, decide, isSkippedNext, mayReturnLater, skipped } from './decide';
import { ProcessedHistory } from './history';
import { identify, identityOf, keyOf } from './identity';
import { hasResult } from './left';
import { wasPassedOn, type Processed } from './past';
import { remember, type Recalled, type RecalledEnd } from './remember';

/**
 * What has happened to the documents of a run before, and what happens to them in it. Behind it are the memory of this
 * process and n8n's history. A run asks it before it sends anything, and reports to it at its end. Three parts of the ledger
 * are called in between: the request of a document uses what it got before (earlier.ts), its conclusion holds the answer
 * (held.ts), and each end says what it leaves (left.ts).
 */
export class Ledger {
	readonly #history: ProcessedHistory;
	/** By place. */
	readonly #recalled = new Map<number, Recalled>();

	constructor(
		private readonly run: Run,
		locks: Locks,
	) {
		this.#history = new ProcessedHistory(run.context, locks);
	}

	/** Lets the runs go on that wait for the documents of this one. */
	release(): void {
		this.#history.release();
	}

	/** Before anything is sent. Reads no file unless something is known. */
	async recall(documents: Array<Open | Ended>): Promise<Array<Open | Ended>> {
		const { run } = this;
		const isAnyKnown = run.keepsResults && run.memory.hasFor(run.owner);
		const isConcerned = (document: Open) => isAnyKnown || asksHistory(document);
		const identified = await identify(run, documents, isConcerned);
		const keys = identified.flatMap(({ document, identity }) =>
			identity !== undefined && asksHistory(document) ? identity : [],
		);
		const processed = await this.#history
			.lookUp([...new Set(keys)], run.end.sending)
			.catch((thrown: unknown) => ({ thrown }));
		const seen = new Set<string>();
		return identified.map(({ document, identity }) => {
			if (identity === undefined) return document;
			if (!asksHistory(document)) return this.#decide(document, identity);
			if ('thrown' in processed) return run.end.fail(document, processed.thrown);
			if (seen.has(identity)) return skipped(document, 'copy');
			seen.add(identity);
			return this.#decide(document, identity, processed.get(identity));
		});
	}

	#decide(document: Ready, identity: string, history?: Processed): Ready | Ended {
		const { run } = this;
		const key = keyOf(run, identity);
		const before = run.memory.get(key);
		const historyKey = asksHistory(document) ? identity : undefined;
		this.#recalled.set(document.place, { key, before, historyKey });
		return decide(run, document, { entry: before, history });
	}

	/**
	 * After the last request.
	 * @param items of the run; null if it has failed as a whole
	 * @returns by place, what is kept for a later run; what the user should know; what all attempts have paid
	 */
	async record(ended: Ended[], items: INodeExecutionData[] | null) {
		const { attempt } = this.run;
		const documents = await this.#identified(ended);
		const mayBePassedOn = this.#endingOf(items) === 'passedOn';
		const notes = mayBePassedOn ? await this.#closeHistory(documents) : [];
		// A stop may have come meanwhile. From here on, nothing waits.
		const ending = this.#endingOf(items);
		if (mayBePassedOn && ending !== 'passedOn') this.#history.reopen();
		const kept = remember(this.run, documents, ending);
		const paid = ended.flatMap((document) => document.paid ?? []);
		const credits = attempt.pay(paid);
		if (ending !== 'repeated') attempt.end();
		return { kept, notes: [...notes, ...notesOn(this.run, ended)], credits };
	}

	/** n8n neither passes on nor repeats a run that was stopped. */
	#endingOf(items: INodeExecutionData[] | null): Ending {
		const { attempt, end } = this.run;
		return end.canceled.aborted ? 'failed' : attempt.endingOf(items);
	}

	/** All that were recalled or leave something. After a stop, no file is read for it. */
	async #identified(all: Ended[]): Promise<RecalledEnd[]> {
		const { run } = this;
		const identified: RecalledEnd[] = [];
		for (const ended of all) {
			const recalled = this.#recalled.get(ended.place);
			const loaded = loadedOf(ended);
			if (recalled !== undefined) identified.push({ ended, ...recalled });
			else if (run.keepsResults && loaded !== null && ended.left.past !== undefined) {
				const identity = await identityOf(run, loaded, run.end.canceled).catch(() => undefined);
				if (identity !== undefined) identified.push({ ended, key: keyOf(run, identity) });
			}
		}
		return identified;
	}

	/** Closes the entries in n8n's history, right before the items are passed on: a run that ends earlier loses them. */
	async #closeHistory(documents: RecalledEnd[]): Promise<Note[]> {
		const { canceled } = this.run.end;
		const outcomes = new Map<string, Processed | 'none'>();
		let count = 0;
		for (const { ended, historyKey } of documents) {
			const { history } = ended.left;
			if (historyKey === undefined || history === undefined) continue;
			outcomes.set(historyKey, history);
			if (loadedOf(ended) !== null && isSkippedNext(this.run, ended)) count += 1;
		}
		if (outcomes.size === 0) return [];
		return await unlessAborted(this.#history.close(outcomes, canceled), canceled).then(
			// A first run that has processed no file says nothing: the next one does.
			(isFirstRun) => (isFirstRun && count > 0 ? [noteOnFirstRun(count)] : []),
			() => [NOT_RECORDED],
		);
	}
}

/** What comes from other runs, and what this one cannot keep. */
function notesOn(run: Run, ended: Ended[]): Note[] {
	const answered = ended.filter((document) => document.state === 'answered');
	const reuses = answered.flatMap((document): Reuse[] => {
		const { earlier } = document;
		if (earlier === null) return [];
		if (wasPassedOn(earlier))
			return [document.settings.processedBefore === 'testRun' ? 'testRuns' : 'reused'];
		return run.attempt.isOwn(earlier) ? [] : ['notPassedOn'];
	});
	const tooLarge = answered.filter(
		({ left, settings }) =>
			left.oncePassedOn === 'returnable' && !hasResult(left) && mayReturnLater(run, settings),
	);
	return [
		...notesOnReuse(reuses, offersProcessedBefore(run.operation)),
		...tooLarge.map(({ subject }) => noteOnNotKept(subject)),
	];
}
