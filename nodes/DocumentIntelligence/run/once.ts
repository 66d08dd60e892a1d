import { createHash } from 'node:crypto';

import { contentHash } from '../files/content';
import { noLongerThere } from '../files/inputFiles';
import { textsOf } from '../operations/operation';
import { SKIP_PROCESSED_FILES } from '../parameters/options';
import { readSwitch } from '../parameters/read';
import { CREDENTIAL_NAME } from '../service/account';
import { joined } from '../service/requestError';
import { asDocumentError, DocumentError, messageOf, unlessAborted } from '../text/errors';
import { isObject } from '../text/json';
import { load } from './planItems';
import { mayBeBilled, type Run, type RunDocument } from './run';

/** How many entries n8n keeps for a workflow, besides those of a run: it reads and writes them all at once. */
const MAX_ENTRIES = 50_000;

/** How many documents a call is about: n8n searches its history once per entry, and does nothing else meanwhile. */
const KEYS_PER_CALL = 200;

const FOR_FAILED_ITEM =
	"The file may have been billed, so 'Skip Processed Files' remembers it. To process it again, turn that option off for one run.";

/** Whoever takes names waits for all who took one of them before, so that none wait for each other. */
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

export const turnsOfProcess = new Turns();

/**
 * Skip Processed Files. n8n can only look up and record in one step (docs/internals/n8n-behaviour.md, deduplication), so a
 * look-up records two entries of a document and its success removes the second: it counts as processed if exactly the
 * first is there. A crash or a stop leaves both, so the document is processed once more and none is lost.
 * Runs of one process that have the same document take turns; those of two processes may both send it.
 */
export class Once {
	readonly #keys = new Map<RunDocument, string>();

	end: () => void = () => undefined;

	constructor(
		private readonly run: Run,
		private readonly turns: Turns,
	) {}

	/** Ends the documents that are skipped, with a hint. */
	async skip(documents: RunDocument[]): Promise<void> {
		const { context, operation, session, hints, loads } = this.run;
		if (!operation.options.includes(SKIP_PROCESSED_FILES)) return;
		const once = documents.filter(
			({ item, outputs }) =>
				outputs === undefined &&
				readSwitch(item.read, `options.${SKIP_PROCESSED_FILES.name}`, false),
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
			this.end = end;
			await unlessAborted(earlier, session.signal);
			const processed = await unlessAborted(this.#processedAmong([...keys]), session.signal);
			if (processed === undefined || processed.size === 0) return;
			for (const [document, key] of this.#keys)
				if (processed.has(key)) skip(document, 'already processed');
			hints.add('service', "To process a file again, turn off 'Skip Processed Files' for one run.");
		} catch (thrown) {
			// What is not looked up is not taken back either: an earlier run may have recorded it.
			this.#keys.clear();
			for (const document of once)
				if (document.outputs === undefined) this.run.end(document, [asDocumentError(thrown)]);
		}
	}

	/** Two documents have one key if the same node and account would ask the same of the same content. */
	async #identify(document: RunDocument): Promise<void> {
		const { operation, context, session } = this.run;
		await load(this.run, document);
		if (document.outputs !== undefined) return;
		const { isSandbox, baseUrl } = session.account;
		// A stored file is not in n8n: its reference stands for its content.
		const files: unknown[] = [document.reference];
		try {
			for (const { formField, file } of document.parts) {
				const hash = contentHash(file.content, session.signal).catch(() => {
					session.signal.throwIfAborted();
					throw noLongerThere(file);
				});
				files.push([formField, await unlessAborted(hash, session.signal)]);
			}
		} catch (thrown) {
			return this.run.end(document, [asDocumentError(thrown)]);
		}
		const { id, credentials } = context.getNode();
		const account = [credentials?.[CREDENTIAL_NAME]?.id, baseUrl, isSandbox];
		const texts = textsOf(operation, document.item.read);
		const asked = [operation.value, document.job?.templateId, texts, files];
		const key = createHash('sha256').update(JSON.stringify([id, account, asked]));
		this.#keys.set(document, key.digest('hex'));
	}

	/** The failure of a document, which says so if the file is remembered all the same. */
	explain(document: RunDocument, failure: DocumentError): DocumentError {
		if (!this.#keys.has(document) || !mayBeBilled(document)) return failure;
		const { message, description, details } = failure;
		return new DocumentError(message, joined(description, FOR_FAILED_ITEM), details);
	}

	/** Remembers what may be billed, right before the items are passed on: a run that ends earlier loses them. */
	async remember(): Promise<void> {
		const { hints, session } = this.run;
		const remembering = this.#inTurns([...this.#keys], async (slice) => {
			session.cancelled.throwIfAborted();
			await this.#remove(
				slice.flatMap(([document, key]) =>
					mayBeBilled(document) ? openEntry(key) : [key, openEntry(key)],
				),
			);
		}).catch(() => {
			hints.add(
				'notRemembered',
				'n8n could not remember the files of this run, so not all of them will be skipped next time',
			);
		});
		await unlessAborted(remembering, session.cancelled);
	}

	async #processedAmong(keys: string[]): Promise<Set<string>> {
		const { context, session } = this.run;
		const processed = new Set<string>();
		const maxEntries = MAX_ENTRIES + 2 * keys.length;
		await this.#inTurns(keys, async (slice) => {
			session.signal.throwIfAborted();
			const answer: unknown = await context.helpers.checkProcessedAndRecord(
				slice.flatMap((key) => [key, openEntry(key)]),
				'workflow',
				{ mode: 'entries', maxEntries },
			);
			if (!isObject(answer) || !Array.isArray(answer.new))
				throw new Error('n8n returned an unexpected response');
			const added = new Set<unknown>(answer.new);
			const found = slice.filter((key) => !added.has(key) && added.has(openEntry(key)));
			await this.#remove(found.map(openEntry));
			for (const key of found) processed.add(key);
		}).catch((thrown: unknown) => {
			throw unusable(thrown);
		});
		return processed;
	}

	/** n8n reads its history, changes it and writes it: calls at the same moment would undo each other. */
	async #inTurns<Entry>(entries: Entry[], call: (slice: Entry[]) => Promise<void>): Promise<void> {
		const { id } = this.run.context.getWorkflow();
		for (let start = 0; start < entries.length; start += KEYS_PER_CALL) {
			const { earlier, end } = this.turns.take([`history of ${id}`]);
			try {
				await earlier;
				await call(entries.slice(start, start + KEYS_PER_CALL));
			} finally {
				end();
			}
		}
	}

	async #remove(entries: string[]): Promise<void> {
		if (entries.length > 0)
			await this.run.context.helpers.removeProcessed(entries, 'workflow', { mode: 'entries' });
	}
}

/** Recorded with the key of a document until it is processed. */
const openEntry = (key: string) => `${key}:open`;

function unusable(thrown: unknown): DocumentError {
	return new DocumentError(
		`n8n's deduplication history could not be used: ${messageOf(thrown)}`,
		"Run the workflow again, or turn 'Skip Processed Files' off. If a Remove Duplicates node in the workflow has 'Scope' set to Workflow, set it to Node and clear the history of the workflow (operation Clear Deduplication History). Nothing was sent.",
	);
}
