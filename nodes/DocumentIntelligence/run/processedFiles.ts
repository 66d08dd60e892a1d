import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { DocumentError, messageOf } from '../text/errors';
import { processLimiters, type Clock } from '../service/limiter';
import { isObject } from '../text/json';

/** How many entries n8n keeps for a workflow, two for a processed document: it reads and writes them all at once. */
const MAX_ENTRIES = 50_000;

/** How many entries a document has until it is processed. */
const ENTRIES = 4;

/** How many documents a call is about: n8n searches its history once per entry, and does nothing else meanwhile. */
const KEYS_PER_CALL = 200;

/** How long a call may take, in milliseconds, before those that wait behind it go on. */
const MAX_CALL_MS = 60_000;

/** The same from the moment at which a user stops the execution: a call in flight should end, or calls undo each other. */
const MAX_STOPPED_CALL_MS = 2_000;

/** How often a call that does not return is looked at, in milliseconds. */
const LOOK_MS = 250;

/**
 * What the history says of a document, by four entries that are recorded together: n8n can only record and look in
 * one step (docs/n8n-behaviour.md, deduplication), so a document counts as processed by the entries that are missing.
 * Success removes the second and the fourth. Neither a crash nor the history, which n8n cuts off at its oldest entry,
 * leaves exactly the first and the third: what is left then is processed again, never lost.
 */
export function entriesOf(key: string): { all: string[]; untilProcessed: string[] } {
	const all = Array.from({ length: ENTRIES }, (_, index) => `${key}:${index + 1}`);
	return { all, untilProcessed: all.filter((_, index) => index % 2 === 1) };
}

/** @param added the entries that were not in the history before they were recorded */
export function wasProcessed(key: string, added: ReadonlySet<unknown>): boolean {
	const { all, untilProcessed } = entriesOf(key);
	return all.every((entry) => added.has(entry) === untilProcessed.includes(entry));
}

/** The documents that a workflow has had processed, in n8n's own deduplication history. */
export class History {
	/** @throws DocumentError where n8n keeps none for the workflow */
	static of(context: IExecuteFunctions, processed: ProcessedFiles): History {
		const { id } = context.getWorkflow();
		if (id === undefined || id === '') {
			throw new DocumentError(
				'Skip Processed Files needs a saved workflow',
				'Save the workflow and run it again, or turn the option off. Nothing was sent.',
			);
		}
		if (!('checkProcessedAndRecord' in context.helpers)) {
			throw new DocumentError(
				'This version of n8n has no deduplication history, which Skip Processed Files needs',
				'Update n8n, or turn the option off. Nothing was sent.',
			);
		}
		return new History(context.helpers, id, processed);
	}

	private constructor(
		private readonly helpers: Pick<
			IExecuteFunctions['helpers'],
			'checkProcessedAndRecord' | 'removeProcessed'
		>,
		readonly workflowId: string,
		private readonly processed: ProcessedFiles,
	) {}

	/**
	 * Those of the keys whose documents were processed. The others are recorded as not yet processed.
	 *
	 * @param stopped ends the look-up before its next call
	 * @throws DocumentError where the history cannot be used
	 */
	async processedAmong(keys: string[], stopped: AbortSignal): Promise<Set<string>> {
		const found = new Set<string>();
		await this.#inSlices(keys, stopped, async (slice, given) => {
			const entries = slice.flatMap((key) => entriesOf(key).all);
			const answer: unknown = await this.helpers.checkProcessedAndRecord(entries, 'workflow', {
				mode: 'entries',
				// Documents in flight have twice the entries, and those of no run may push others out of the history.
				maxEntries: MAX_ENTRIES + this.processed.inFlight(this.workflowId) * ENTRIES,
			});
			given.throwIfAborted();
			if (!isObject(answer) || !Array.isArray(answer.new)) throw unreadable();
			const known = new Set<unknown>(answer.new);
			const processed = slice.filter((key) => wasProcessed(key, known));
			await this.#remove(processed.flatMap((key) => entriesOf(key).untilProcessed));
			for (const key of processed) found.add(key);
		}).catch((thrown: unknown) => {
			stopped.throwIfAborted();
			throw unusable(thrown);
		});
		return found;
	}

	/**
	 * Marks the documents as processed. A run that is stopped has lost its results, so what it has marked until then is
	 * forgotten again.
	 *
	 * @returns how many could not be marked
	 * @throws the reason of `stopped`, once the history is as it should be
	 */
	async markProcessed(keys: string[], stopped: AbortSignal): Promise<number> {
		const marked: string[] = [];
		const mark = async (slice: string[]) => {
			await this.#remove(slice.flatMap((key) => entriesOf(key).untilProcessed));
			if (stopped.aborted) await this.#remove(slice.flatMap((key) => entriesOf(key).all));
			else marked.push(...slice);
		};
		await this.#inSlices(keys, stopped, mark).catch(() => undefined);
		if (stopped.aborted) {
			await this.#inSlices(marked, undefined, async (slice) => {
				await this.#remove(slice.flatMap((key) => entriesOf(key).all));
			});
			stopped.throwIfAborted();
		}
		return keys.length - marked.length;
	}

	/** Calls of other runs go in between. */
	async #inSlices(
		keys: string[],
		stopped: AbortSignal | undefined,
		call: (slice: string[], given: AbortSignal) => Promise<void>,
	): Promise<void> {
		for (let start = 0; start < keys.length; start += KEYS_PER_CALL) {
			if (start > 0) await sleep(0);
			const slice = keys.slice(start, start + KEYS_PER_CALL);
			await this.processed.oneAtATime(
				this.workflowId,
				async (given) => await call(slice, given),
				stopped,
			);
		}
	}

	async #remove(entries: string[]): Promise<void> {
		if (entries.length > 0)
			await this.helpers.removeProcessed(entries, 'workflow', { mode: 'entries' });
	}
}

function unreadable(): DocumentError {
	return new DocumentError(
		"n8n's deduplication history gave an answer that cannot be read",
		'Update n8n, or turn Skip Processed Files off. Nothing was sent.',
	);
}

function unusable(thrown: unknown): DocumentError {
	if (thrown instanceof DocumentError) return thrown;
	const reason = messageOf(thrown);
	if (reason.includes('incompatible setting')) {
		return new DocumentError(
			"A Remove Duplicates node uses this workflow's deduplication history in a way that Skip Processed Files cannot share",
			'In that node, set Scope to Node. Then run a Remove Duplicates node once with the operation Clear Deduplication History and the Scope Workflow. Nothing was sent.',
		);
	}
	return new DocumentError(
		`n8n's deduplication history could not be read: ${reason}`,
		'Run the workflow again, or turn Skip Processed Files off. Nothing was sent.',
	);
}

/** What a run has on a document: the runs that claim it after this one wait until the claim ends. */
export interface Claim {
	/** Whether an earlier run had it processed, once those have all ended; absent where there is none. */
	earlier?: Promise<boolean>;
	/** Ends the claim. Only the first call counts. */
	end: (processed: boolean) => void;
}

/** What the runs of an n8n process have to agree on: its history knows no more than one of them at a time. */
export class ProcessedFiles {
	readonly #lines = new Map<string, Promise<boolean>>();

	readonly #calls = new Map<string, Promise<unknown>>();

	/** How many documents each workflow has in flight. */
	readonly #inFlight = new Map<string, number>();

	constructor(private readonly clock: Clock = processLimiters.clock) {}

	/**
	 * A run claims all of its documents without a pause in between. It then only waits for runs that came before it, so
	 * that no two wait for each other.
	 */
	claim(workflowId: string, key: string): Claim {
		const place = `${workflowId} ${key}`;
		const earlier = this.#lines.get(place);
		let end: Claim['end'] = () => undefined;
		const own = new Promise<boolean>((resolve) => (end = resolve));
		this.#count(workflowId, 1);
		void own.then(() => this.#count(workflowId, -1));
		const line = earlier === undefined ? own : earlier.then(async (done) => done || (await own));
		this.#lines.set(place, line);
		void line.then(() => {
			if (this.#lines.get(place) === line) this.#lines.delete(place);
		});
		return { earlier, end };
	}

	/** How many documents the runs of a workflow have in flight. */
	inFlight(workflowId: string): number {
		return this.#inFlight.get(workflowId) ?? 0;
	}

	#count(workflowId: string, more: number): void {
		const count = this.inFlight(workflowId) + more;
		if (count > 0) this.#inFlight.set(workflowId, count);
		else this.#inFlight.delete(workflowId);
	}

	/**
	 * n8n reads its history, changes it and writes it: calls at the same moment would undo each other.
	 *
	 * @param call is told when it has taken too long and its place is given to the next
	 * @param stopped ends the wait for the place, and soon that for the call
	 * @throws DocumentError where the call does not return
	 */
	async oneAtATime<Result>(
		workflowId: string,
		call: (given: AbortSignal) => Promise<Result>,
		stopped?: AbortSignal,
	): Promise<Result> {
		const result = (this.#calls.get(workflowId) ?? Promise.resolve()).then(async () => {
			stopped?.throwIfAborted();
			return await this.#inTime(call, stopped);
		});
		const ended = result.catch(() => undefined);
		this.#calls.set(workflowId, ended);
		void ended.then(() => {
			if (this.#calls.get(workflowId) === ended) this.#calls.delete(workflowId);
		});
		return await result;
	}

	async #inTime<Result>(
		call: (given: AbortSignal) => Promise<Result>,
		stopped?: AbortSignal,
	): Promise<Result> {
		const given = new AbortController();
		let hasEnded = false;
		const called = call(given.signal).finally(() => (hasEnded = true));
		const watch = async (): Promise<never> => {
			const { now, sleep: pause } = this.clock;
			let endsAt = now() + MAX_CALL_MS;
			let wasStopped = false;
			while (!hasEnded && now() < endsAt) {
				await pause(LOOK_MS);
				if (stopped?.aborted !== true || wasStopped) continue;
				wasStopped = true;
				endsAt = Math.min(endsAt, now() + MAX_STOPPED_CALL_MS);
			}
			given.abort(new Error('Another call has its place.'));
			throw new DocumentError(
				"n8n's deduplication history did not answer within 60 seconds",
				"Run the workflow again; if this stays, n8n's database needs attention. Nothing was sent.",
			);
		};
		// Where the call has ended first, nothing comes of the watch.
		return await Promise.race([called, watch()]);
	}
}

export const processProcessedFiles = new ProcessedFiles();
