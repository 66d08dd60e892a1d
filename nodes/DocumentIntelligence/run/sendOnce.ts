import { createHash } from 'node:crypto';

import { DocumentError } from '../text/errors';
import { contentHash } from '../files/content';
import { noLongerThere } from '../files/inputFiles';
import { SKIP_PROCESSED_FILES } from '../parameters/options';
import { readJobPlan } from '../operations/asJob';
import { textsOf, type Document } from '../operations/operation';
import type { PlannedDocument } from './planItems';
import { History, type Claim, type ProcessedFiles } from './processedFiles';
import { failedDocument, load, mayBeBilled, type EndedDocument } from './runBatch';
import type { Run } from './runRequest';
import { mapConcurrently } from './mapConcurrently';
import { booleanOf } from '../text/json';
import { pluralize } from '../text/words';
import { unlessAborted } from '../text/unlessAborted';

/** How a run sends documents. */
export interface Sending {
	send: (documents: PlannedDocument[]) => Promise<EndedDocument[]>;
	/** Is told of documents that end without being sent. */
	note: (documents: EndedDocument[]) => EndedDocument[];
	/** How many files are read at the same time. */
	concurrency: number;
	/** Ends whatever has not been sent. */
	closed: AbortSignal;
}

/** The documents of a run that would make the same request, in their order. */
interface Copies {
	key: string;
	documents: PlannedDocument[];
	claim: Claim;
}

/** What Skip Processed Files means in a run: each document is processed once in a workflow. */
export class SendOnce {
	#history: History | undefined;

	readonly #claims = new Map<string, Claim>();

	readonly #succeeded: string[] = [];

	/** What other runs need not send. */
	#remembered: Promise<string[]> = Promise.resolve([]);

	constructor(
		private readonly run: Run,
		private readonly processed: ProcessedFiles,
		private readonly sending: Sending,
	) {}

	/** Sends what has to be sent, and gives all documents with what became of them. One that is skipped has no outputs. */
	async send(documents: PlannedDocument[]): Promise<EndedDocument[]> {
		const { options } = this.run.operation;
		const isOnce = ({ item }: PlannedDocument) =>
			options.includes(SKIP_PROCESSED_FILES) &&
			booleanOf(item.read<unknown>(`options.${SKIP_PROCESSED_FILES.name}`, false)) === true;
		const once = documents.filter(isOnce);
		const others = documents.filter((document) => !isOnce(document));
		if (once.length === 0) return await this.sending.send(others);

		const { ended, copies } = await this.#group(once);
		const first = copies.filter(({ claim }) => claim.earlier === undefined);
		const later = copies.filter(({ claim }) => claim.earlier !== undefined);
		return [
			...ended,
			...(await this.#sendUnprocessed(first, others)),
			...(await this.#sendAfterOthers(later)),
		];
	}

	/**
	 * Remembers what was processed. Only called when the items are about to be passed on: a run that ends before loses
	 * its results.
	 */
	async remember(cancelled: AbortSignal): Promise<void> {
		const keys = this.#succeeded;
		if (this.#history === undefined || keys.length === 0) return;
		const marking = this.#history.markProcessed(keys, cancelled);
		this.#remembered = marking.then(
			() => keys,
			() => [],
		);
		const notMarked = await unlessAborted(marking, cancelled).catch(() => 0);
		// The results are there and paid for; only a later run would send the documents again.
		if (notMarked !== undefined && notMarked > 0)
			this.run.hints.add('service', notRemembered(notMarked));
	}

	/** Lets the runs that wait for this one go on, however it ended, once the history says of it what it should. */
	end(): void {
		void this.#remembered.then((keys) => {
			for (const key of keys) this.#claims.get(key)?.end(true);
			for (const claim of this.#claims.values()) claim.end(false);
		});
	}

	/** Claims each document for this run. */
	async #group(
		documents: PlannedDocument[],
	): Promise<{ ended: EndedDocument[]; copies: Copies[] }> {
		const { note, closed, concurrency } = this.sending;
		try {
			const history = (this.#history = History.of(this.run.context, this.processed));
			const { account } = await this.run.openSession();
			const keyed = await mapConcurrently(documents, concurrency, async (planned) => {
				const loaded = closed.aborted
					? failedDocument(planned, closed.reason, planned.fileName)
					: await load(this.run, planned);
				if ('outputs' in loaded) return note([loaded]);
				const { document } = loaded;
				const { reference, skipped } = document;
				const fileName = document.fileName ?? undefined;
				const parts = reference === undefined ? document.parts : planned.parts;
				try {
					const key = await this.#keyOf(document, account.baseUrl);
					return { key, planned: { ...planned, parts, skipped, fileName } };
				} catch (thrown) {
					return note([failedDocument(planned, thrown, fileName)]);
				}
			});
			const byKey = new Map<string, PlannedDocument[]>();
			for (const entry of keyed) {
				if ('key' in entry) byKey.set(entry.key, [...(byKey.get(entry.key) ?? []), entry.planned]);
			}
			for (const key of byKey.keys())
				this.#claims.set(key, this.processed.claim(history.workflowId, key));
			return {
				ended: keyed.flatMap((entry) => ('key' in entry ? [] : entry)),
				copies: [...this.#claims].map(([key, claim]) => ({
					key,
					claim,
					documents: byKey.get(key) ?? [],
				})),
			};
		} catch (thrown) {
			return { ended: this.#failed(documents, thrown), copies: [] };
		}
	}

	/** The same for two documents exactly where the service would be asked the same of the same content. */
	async #keyOf({ parts, reference, item }: Document, baseUrl: string): Promise<string> {
		const { operation } = this.run;
		const { closed } = this.sending;
		// A file that the service has stored is not here: its reference stands for its content.
		const files: unknown[] = reference === undefined ? [] : [reference];
		for (const { formField, file } of parts) {
			try {
				files.push([formField, await unlessAborted(contentHash(file.content, closed), closed)]);
			} catch {
				closed.throwIfAborted();
				throw noLongerThere(file);
			}
		}
		const { templateId } = readJobPlan(operation, item) ?? {};
		const asked = [operation.value, baseUrl, templateId, textsOf(operation, item.read), files];
		return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
	}

	/** Documents that earlier runs have in flight, where those do not succeed. */
	async #sendAfterOthers(copies: Copies[]): Promise<EndedDocument[]> {
		const left: Copies[] = [];
		const ended: EndedDocument[] = [];
		for (const own of copies) {
			try {
				const processed = await unlessAborted(own.claim.earlier, this.sending.closed);
				if (processed) ended.push(...this.#skipped(own.documents));
				else left.push(own);
			} catch (thrown) {
				ended.push(...this.#failed(own.documents, thrown));
			}
		}
		return [...ended, ...(await this.#sendUnprocessed(left))];
	}

	/** @param others documents to be sent with them, whatever was processed */
	async #sendUnprocessed(
		copies: Copies[],
		others: PlannedDocument[] = [],
	): Promise<EndedDocument[]> {
		const left: Copies[] = [];
		const ended: EndedDocument[] = [];
		try {
			const keys = copies.map(({ key }) => key);
			const processed = await unlessAborted(
				this.#history?.processedAmong(keys, this.sending.closed),
				this.sending.closed,
			);
			for (const own of copies) {
				if (processed?.has(own.key)) ended.push(...this.#skipped(own.documents));
				else left.push(own);
			}
		} catch (thrown) {
			ended.push(...copies.flatMap(({ documents }) => this.#failed(documents, thrown)));
		}
		return [...ended, ...(await this.#sendCopies(left, others))];
	}

	/** Sends the first of the copies, and the next where that is certainly not billed. */
	async #sendCopies(copies: Copies[], others: PlannedDocument[] = []): Promise<EndedDocument[]> {
		const documents = [...others, ...copies.flatMap(({ documents: [first] }) => first ?? [])];
		if (documents.length === 0) return [];
		const ended = await this.sending.send(documents);
		const byPlace = new Map(ended.map((document) => [document.place, document]));
		const left: Copies[] = [];
		for (const {
			documents: [first, ...rest],
			...own
		} of copies) {
			const outcome = first && byPlace.get(first.place);
			if (outcome !== undefined && (outcome.answered !== undefined || mayBeBilled(outcome))) {
				if (hasSucceeded(outcome)) this.#succeeded.push(own.key);
				ended.push(...this.#skipped(rest, 'a copy of another file in this run'));
			} else if (rest.length > 0) left.push({ ...own, documents: rest });
		}
		return [...ended, ...(await this.#sendCopies(left))];
	}

	#skipped(documents: PlannedDocument[], reason = 'already processed'): EndedDocument[] {
		for (const { subject } of documents) this.run.hints.add('skipped', `${subject} (${reason})`);
		return documents.map((document) => ({ ...document, outputs: [] }));
	}

	#failed(documents: PlannedDocument[], thrown: unknown): EndedDocument[] {
		return this.sending.note(
			documents.map((document) => failedDocument(document, thrown, document.fileName)),
		);
	}
}

function notRemembered(count: number): string {
	return `n8n could not remember ${pluralize(count, 'document')}, so 'Skip Processed Files' will not skip ${count === 1 ? 'it' : 'them'} next time.`;
}

function hasSucceeded({ outputs }: EndedDocument): boolean {
	return !outputs.some((output) => output instanceof DocumentError);
}
