import type { IExecuteFunctions } from 'n8n-workflow';

import { DocumentError, messageOf } from '../../text/errors';
import { joinSentences } from '../../text/words';
import { unlessAborted, type Locks } from '../../waiting/waiting';
import type { Processed } from './past';

/** How many entries n8n keeps for a workflow, besides those of a run: it reads and writes them all at once. */
const MAX_ENTRIES = 50_000;

/** How many documents one call looks up: n8n searches its history once per entry, and does nothing else meanwhile. */
const KEYS_PER_CALL = 200;

const MAX_TRIES = 3;

/**
 * What n8n remembers of a workflow. n8n can only look up and record in one step (docs/internals/n8n-behavior.md,
 * deduplication), so a look-up records three entries for each key: the key, that it is unprocessed, and that it has no result. A
 * run that ends removes the second of a document that is processed, and the third of one that has a result. A crash or a
 * stop leaves all three, so the document is processed once more and none is lost. It is processed if the key is there and not
 * that it is unprocessed; then it has a result unless the third is there.
 */
export class ProcessedHistory {
	/** Recorded with the files of the first run that ends. */
	readonly #firstRun: string;
	/** The keys that the look-up has recorded as unprocessed. */
	#unprocessed: string[] = [];
	#leave: () => void = () => undefined;

	constructor(
		private readonly context: Pick<IExecuteFunctions, 'getNode' | 'getWorkflow' | 'helpers'>,
		private readonly locks: Locks,
	) {
		this.#firstRun = `first run of ${context.getNode().id}`;
	}

	/**
	 * Once, before a run. Runs of one process that have the same document take turns; those of two processes may both send it.
	 * @returns what became of the keys that are processed; the others are recorded as unprocessed
	 * @throws DocumentError if n8n's history cannot be used, or the reason of the signal
	 */
	async lookUp(keys: string[], signal: AbortSignal): Promise<Map<string, Processed>> {
		if (keys.length === 0) return new Map();
		const { earlier, leave } = this.locks.enter(keys);
		this.#leave = leave;
		await unlessAborted(earlier, signal);
		const all = [...keys, this.#firstRun];
		const processed = await unlessAborted(this.#lookUp(all, signal), signal);
		this.#unprocessed = all.filter((key) => !processed.has(key));
		return processed;
	}

	async #lookUp(keys: string[], signal: AbortSignal): Promise<Map<string, Processed>> {
		const processed = new Map<string, Processed>();
		const maxEntries = MAX_ENTRIES + 3 * keys.length;
		let mayForget = false;
		if (!this.context.getWorkflow().id)
			throw new DocumentError(
				"'Files Processed Before' needs a saved workflow",
				'Save the workflow and run it again, or remove the option. Nothing was sent.',
			);
		await this.#inTurns(keys, async (slice) => {
			signal.throwIfAborted();
			const { new: entries } = await this.context.helpers.checkProcessedAndRecord(
				slice.flatMap((key) => [key, unprocessedEntry(key), withoutResultEntry(key)]),
				'workflow',
				{ mode: 'entries', maxEntries },
			);
			if (!Array.isArray(entries)) throw new Error('n8n returned an unexpected response');
			// Of a key that is processed, two entries were absent until now, or one if it has no result; of a new key, all three.
			const wereAbsent = new Set(entries);
			const known = slice.filter(
				(key) => !wereAbsent.has(key) && wereAbsent.has(unprocessedEntry(key)),
			);
			const withResult = known.filter((key) => wereAbsent.has(withoutResultEntry(key)));
			mayForget = known.length > 0;
			await this.#removeSurely([
				...known.map(unprocessedEntry),
				...withResult.map(withoutResultEntry),
			]);
			mayForget = false;
			for (const key of known) processed.set(key, 'withoutResult');
			for (const key of withResult) processed.set(key, 'withResult');
		}).catch((thrown: unknown) => {
			signal.throwIfAborted();
			throw new DocumentError(
				`n8n's deduplication history could not be used: ${messageOf(thrown)}`,
				joinSentences(
					mayForget &&
						"Some files that were processed before are no longer recorded. To prevent that they are processed and billed again, execute once with these files and Record Only in 'Files Processed Before'.",
					"Run the workflow again. If the message returns and a Remove Duplicates node in this workflow has 'Scope' set to Workflow, run its operation Clear Deduplication History once with this scope, then set 'Scope' to Node. Nothing was sent.",
				),
			);
		});
		return processed;
	}

	/**
	 * Closes the entries of what is processed, and removes those of what is not.
	 * @returns whether this is the first run that records a file
	 */
	async close(
		outcomes: ReadonlyMap<string, Processed | 'none'>,
		signal: AbortSignal,
	): Promise<boolean> {
		const isAnyRecorded = [...outcomes.values()].some((outcome) => outcome !== 'none');
		const firstRun: Array<[string, Processed]> = isAnyRecorded
			? [[this.#firstRun, 'withResult']]
			: [];
		await this.#inTurns([...outcomes, ...firstRun], async (slice) => {
			signal.throwIfAborted();
			const entries = slice.flatMap(([key, outcome]) => [
				unprocessedEntry(key),
				...(outcome === 'withoutResult' ? [] : [withoutResultEntry(key)]),
				...(outcome === 'none' ? [key] : []),
			]);
			await this.#remove(entries);
		});
		return isAnyRecorded && this.#unprocessed.includes(this.#firstRun);
	}

	/**
	 * For a run that was stopped while its entries were closed. Not awaited; those who wait for its documents wait for this.
	 * Never throws.
	 */
	reopen(): void {
		const leave = this.#leave;
		const maxEntries = MAX_ENTRIES + 3 * this.#unprocessed.length;
		const reopened = this.#inTurns(this.#unprocessed, async (slice) => {
			const entries = slice.map(unprocessedEntry);
			const { helpers } = this.context;
			await helpers.checkProcessedAndRecord(entries, 'workflow', { mode: 'entries', maxEntries });
		}).catch(() => undefined);
		this.#leave = () => void reopened.then(leave);
	}

	/** Lets the runs go on that wait for the documents of this one. */
	release(): void {
		this.#leave();
	}

	/** n8n reads its history, changes it and writes it: calls at the same moment would undo each other. */
	async #inTurns<Entry>(entries: Entry[], call: (slice: Entry[]) => Promise<void>): Promise<void> {
		const { id } = this.context.getWorkflow();
		for (let start = 0; start < entries.length; start += KEYS_PER_CALL) {
			const { earlier, leave } = this.locks.enter([`history of ${id}`]);
			try {
				await earlier;
				await call(entries.slice(start, start + KEYS_PER_CALL));
			} finally {
				leave();
			}
		}
	}

	/** Of what is known, the look-up recorded that it is unprocessed: if that stayed, it would be processed once more. */
	async #removeSurely(entries: string[]): Promise<void> {
		for (let tries = 1; ; tries += 1)
			try {
				return await this.#remove(entries);
			} catch (thrown) {
				if (tries === MAX_TRIES) throw thrown as Error;
			}
	}

	async #remove(entries: string[]): Promise<void> {
		if (entries.length > 0)
			await this.context.helpers.removeProcessed(entries, 'workflow', { mode: 'entries' });
	}
}

/** Recorded with a key until its document is processed. */
const unprocessedEntry = (key: string) => `${key}:unprocessed`;

/** Recorded with a key until its document has a result. */
const withoutResultEntry = (key: string) => `${key}:withoutResult`;
