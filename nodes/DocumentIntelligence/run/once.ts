import { createHash } from 'node:crypto';

import { contentHash } from '../files/content';
import { noLongerThere } from '../files/inputFiles';
import { readJobPlan } from '../operations/documentOperations';
import { textsOf, type Document } from '../operations/operation';
import { SKIP_PROCESSED_FILES } from '../parameters/options';
import { readSwitch } from '../parameters/read';
import { CREDENTIAL_NAME } from '../service/account';
import { joined, RequestError } from '../service/requestError';
import { asDocumentError, DocumentError, messageOf, unlessAborted } from '../text/errors';
import { isObject } from '../text/json';
import type { Run, RunDocument } from './run';
import { load } from './planItems';

/** How many entries n8n keeps for a workflow, besides those of a run: it reads and writes them all at once. */
const MAX_ENTRIES = 50_000;

/** How many documents a call is about: n8n searches its history once per entry, and does nothing else meanwhile. */
const KEYS_PER_CALL = 200;

const FOR_FAILED_ITEM =
	"It is or will be billed, so 'Skip Processed Files' remembers the file. To process it again, turn that option off for one run.";

/** Whoever takes names waits for all who took one of them before, so that no two wait for each other. */
export class Turns {
	readonly #last = new Map<string, Promise<unknown>>();

	take(names: string[]): { earlier: Promise<unknown>; end: () => void } {
		const earlier = Promise.all(names.flatMap((name) => this.#last.get(name) ?? []));
		let end: () => void = () => undefined;
		const own = new Promise<void>((resolve) => (end = resolve));
		const all = Promise.all([earlier, own]);
		for (const name of names) this.#last.set(name, all);
		void all.then(() => {
			for (const name of names) if (this.#last.get(name) === all) this.#last.delete(name);
		});
		return { earlier, end };
	}
}

/** Those of this n8n process. */
export const turnsOfProcess = new Turns();

/**
 * Skip Processed Files. n8n can only look up and record in one step (docs/internals/n8n-behaviour.md, deduplication), so a
 * look-up records two entries of a document and its success removes the second: it counts as processed if exactly the
 * first is there. A crash or a stop leaves both, so that the document is processed once more and none is lost; the only document
 * that is paid twice is a processed one whose look-up crashed between its two calls. Runs of one process that have the
 * same document at the same moment take turns; those of two processes may both send it, as the history is not atomic.
 */
export class Once {
	readonly #keys = new Map<RunDocument, string>();

	readonly #paid = new Set<string>();

	#endTurn: () => void = () => undefined;

	#remembering: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly run: Run,
		private readonly turns: Turns,
	) {}

	/** Ends the documents that are skipped, with a hint. */
	async skip(documents: RunDocument[]): Promise<void> {
		const { context, operation, session, hints, loads } = this.run;
		const { signal } = session;
		if (!operation.options.includes(SKIP_PROCESSED_FILES)) return;
		const once = documents.filter(
			({ item, outputs }) =>
				outputs === undefined && readSwitch(item.read, SKIP_PROCESSED_FILES.name, false),
		);
		if (once.length === 0) return;
		const skip = (document: RunDocument, reason: string) => {
			hints.add('skipped', `${document.subject} (${reason})`);
			this.run.end(document, []);
			this.#keys.delete(document);
		};
		try {
			if (!context.getWorkflow().id) {
				throw new DocumentError(
					"'Skip Processed Files' needs a saved workflow",
					'Save the workflow and run it again, or turn the option off. Nothing was sent.',
				);
			}
			await Promise.all(
				once.map(async (document) => await loads.use(async () => await this.#identify(document))),
			);
			const keys = new Set<string>();
			for (const document of once) {
				const key = this.#keys.get(document);
				if (key === undefined) continue;
				if (keys.has(key)) skip(document, 'a copy of another file in this run');
				keys.add(key);
			}
			const { earlier, end } = this.turns.take([...keys]);
			this.#endTurn = end;
			await unlessAborted(earlier, signal);
			const processed = await unlessAborted(this.#processedAmong([...keys]), signal);
			for (const [document, key] of this.#keys)
				if (processed?.has(key) === true) skip(document, 'already processed');
			if ((processed?.size ?? 0) > 0)
				hints.add(
					'service',
					"To process a file again, turn off 'Skip Processed Files' for one run.",
				);
		} catch (thrown) {
			for (const document of once) {
				if (document.outputs === undefined) this.run.end(document, [asDocumentError(thrown)]);
			}
		}
	}

	/** Fetches the files of a document and finds out which others are the same. */
	async #identify(planned: RunDocument): Promise<void> {
		await load(this.run, planned);
		const { document, outputs } = planned;
		if (document === undefined || outputs !== undefined) return;
		try {
			this.#keys.set(planned, await this.#keyOf(document));
		} catch (thrown) {
			this.run.end(planned, [asDocumentError(thrown)]);
		}
	}

	/** The same for two documents if the same node and account would ask the same of the same content. */
	async #keyOf({ parts, reference, item }: Document): Promise<string> {
		const { operation, context, session } = this.run;
		const { isSandbox, baseUrl } = session.account;
		// A stored file is not in n8n: its reference stands for its content.
		const files: unknown[] = [reference];
		for (const { formField, file } of parts) {
			const hash = contentHash(file.content, session.signal).catch(() => {
				session.signal.throwIfAborted();
				throw noLongerThere(file);
			});
			files.push([formField, await unlessAborted(hash, session.signal)]);
		}
		const { id, credentials } = context.getNode();
		const account = [credentials?.[CREDENTIAL_NAME]?.id, baseUrl, isSandbox];
		const { templateId } = readJobPlan(operation, item) ?? {};
		const asked = [operation.value, templateId, textsOf(operation, item.read), files];
		return createHash('sha256')
			.update(JSON.stringify([id, account, asked]))
			.digest('hex');
	}

	/** Finds out what was paid; the items of such documents that failed say so. To be called before they are made. */
	settle(): void {
		for (const [document, key] of this.#keys) {
			if (!isPaid(document)) continue;
			this.#paid.add(key);
			document.outputs = document.outputs?.map(withAdvice);
		}
	}

	/** Remembers what was paid. To be called when the items are about to be passed on: a run that ends before loses them. */
	async remember(): Promise<void> {
		const { hints, session } = this.run;
		const { cancelled } = session;
		const remembering = this.#inTurns([...this.#keys.values()], async (slice) => {
			cancelled.throwIfAborted();
			await this.#remove(
				slice.flatMap((key) => (this.#paid.has(key) ? openEntry(key) : [key, openEntry(key)])),
			);
		}).catch(() => {
			hints.add(
				'service',
				"n8n could not remember the files of this run, so 'Skip Processed Files' will not skip all of them next time.",
			);
		});
		const reopen = async (slice: string[]) => void (await this.#record(slice.map(openEntry)));
		this.#remembering = remembering
			// A run that is stopped meanwhile loses its results after all.
			.then(async () => await this.#inTurns(cancelled.aborted ? [...this.#paid] : [], reopen))
			.catch(() => undefined);
		await unlessAborted(this.#remembering, cancelled);
	}

	/** Lets the runs that wait for this one go on, once the history is as it should be. */
	end(): void {
		void this.#remembering.then(this.#endTurn);
	}

	async #processedAmong(keys: string[]): Promise<Set<string>> {
		const processed = new Set<string>();
		await this.#inTurns(keys, async (slice) => {
			this.run.session.signal.throwIfAborted();
			const entries = slice.flatMap((key) => [key, openEntry(key)]);
			const added = new Set(await this.#record(entries));
			const found = slice.filter((key) => !added.has(key) && added.has(openEntry(key)));
			await this.#remove(found.map(openEntry));
			for (const key of found) processed.add(key);
		}).catch((thrown: unknown) => {
			throw unusable(thrown);
		});
		return processed;
	}

	/** n8n reads its history, changes it and writes it: calls at the same moment would undo each other. */
	async #inTurns(keys: string[], call: (slice: string[]) => Promise<void>): Promise<void> {
		const { id } = this.run.context.getWorkflow();
		for (let start = 0; start < keys.length; start += KEYS_PER_CALL) {
			const { earlier, end } = this.turns.take([`history of ${id}`]);
			try {
				await earlier;
				await call(keys.slice(start, start + KEYS_PER_CALL));
			} finally {
				end();
			}
		}
	}

	/** @returns the entries that were not there */
	async #record(entries: string[]): Promise<unknown[]> {
		const maxEntries = MAX_ENTRIES + 2 * this.#keys.size;
		const answer: unknown = await this.run.context.helpers.checkProcessedAndRecord(
			entries,
			'workflow',
			{ mode: 'entries', maxEntries },
		);
		if (isObject(answer) && Array.isArray(answer.new)) return answer.new;
		throw new Error('its answer has an unknown form');
	}

	async #remove(entries: string[]): Promise<void> {
		if (entries.length > 0)
			await this.run.context.helpers.removeProcessed(entries, 'workflow', { mode: 'entries' });
	}
}

/** Recorded with the key of a document until it is processed. */
function openEntry(key: string): string {
	return `${key}:open`;
}

/** Whether it was answered or billed. A job that was submitted goes on, and is billed. */
function isPaid({ isAnswered, outputs = [] }: RunDocument): boolean {
	const [failure] = outputs;
	if (isAnswered === true || !(failure instanceof RequestError)) return isAnswered === true;
	const { creditsConsumed = 0, jobId } = failure.details;
	return creditsConsumed > 0 || (failure.mayBeBilled && jobId !== undefined);
}

function withAdvice<Result>(output: Result | DocumentError): Result | DocumentError {
	if (!(output instanceof DocumentError)) return output;
	const { message, description, details } = output;
	return new DocumentError(message, joined(description, FOR_FAILED_ITEM), details);
}

function unusable(thrown: unknown): DocumentError {
	const reason = messageOf(thrown);
	return reason.includes('incompatible setting')
		? new DocumentError(
				"A Remove Duplicates node uses this workflow's deduplication history in a way that 'Skip Processed Files' cannot share",
				'In that node, set Scope to Node. Then run a Remove Duplicates node once with the operation Clear Deduplication History and the Scope Workflow. Nothing was sent.',
			)
		: new DocumentError(
				`n8n's deduplication history could not be read: ${reason}`,
				"Run the workflow again, or turn 'Skip Processed Files' off. Nothing was sent.",
			);
}
