import {
	mayBeBilled,
	type Ended,
	type Omitted,
	type Open,
	type Ready,
} from '../../document/document';
import { DocumentError, joinLines } from '../../text/errors';
import type { Note } from '../../text/notes';
import { pluralize } from '../../text/words';
import { unlessAborted, type Turns } from '../../waiting/waiting';
import type { Run } from '../run';
import { wasProcessedByEarlierAttempt } from './attempts';
import { identify } from './identity';
import { ProcessedHistory, type Outcome, type Past } from './processedHistory';

const FOR_FAILED_ITEM =
	"The file may have been billed, so 'Skip Processed Files' remembers it. To process it again, turn that option off for one run with only that file as input.";

const HOW_TO_REPEAT =
	"To process a file again, turn off 'Skip Processed Files' for one run with only that file as input. If a later node failed, choose Executions > Retry with currently saved workflow, which sends nothing again.";

const HOW_TO_GO_ON =
	"The remembered files were not processed. Before the next run, replace 'Remember Only' with 'Skip Processed Files'.";

const NOT_REMEMBERED =
	"n8n could not record all files of this run, so some may be processed and billed again next time. To prevent that, execute once with the same files and 'Remember Only'.";

const REASONS: Record<Past, string> = {
	answered: 'already processed',
	lost: 'may have been billed on an earlier run, but has no result',
};

/**
 * Skip Processed Files: a filter between plan and send, and a step after them. Runs of one process that have the same
 * document take turns; those of two processes may both send it.
 */
export class ProcessedFiles {
	/** By place, of the documents that it lets pass or only remembers. */
	readonly #keys = new Map<number, string>();
	readonly #history: ProcessedHistory;
	/** Lets the runs go on that wait for the documents of this one. */
	release: () => void = () => undefined;
	/** Recorded with the files of the first run that ends. */
	readonly #firstRun: string;
	#isFirstRun = false;

	constructor(
		private readonly run: Run,
		private readonly turns: Turns,
	) {
		this.#history = new ProcessedHistory(run.context, turns);
		this.#firstRun = `first run of ${run.context.getNode().id}`;
	}

	/** Some open documents end as skipped, or because their files or the history cannot be read. */
	async skip(documents: Array<Open | Ended>): Promise<Array<Open | Ended>> {
		const { run, turns } = this;
		const { signal } = run.end;
		const isConcerned = ({ settings }: Open) => settings.skipsProcessedFiles;
		const identified = await identify(run, documents, isConcerned);
		const keys = new Set(identified.flatMap(({ identity }) => identity ?? []));
		if (keys.size === 0) return identified.map(({ document }) => document);
		const { earlier, leave } = turns.enter([...keys]);
		this.release = leave;
		try {
			await unlessAborted(earlier, signal);
			const lookUp = this.#history.lookUp([...keys, this.#firstRun], signal);
			const processed = await unlessAborted(lookUp, signal);
			this.#isFirstRun = !processed.has(this.#firstRun);
			return identified.map(({ document, identity }) => {
				if (identity === undefined) return document;
				// Only the first document of a key finds it.
				if (!keys.delete(identity)) return skipped(document, 'a copy of another file in this run');
				const past = processed.get(identity);
				if (past !== undefined && !wasProcessedByEarlierAttempt(run, document))
					return skipped(document, REASONS[past], HOW_TO_REPEAT, past === 'lost');
				this.#keys.set(document.place, identity);
				if (!document.settings.remembersOnly) return document;
				return skipped(document, 'remembered without being processed', HOW_TO_GO_ON, true);
			});
		} catch (thrown) {
			// No key is set: what is not looked up is not taken back either, because an earlier run may have recorded it.
			return identified.map(({ document, identity }) =>
				identity === undefined ? document : run.end.fail(document, thrown),
			);
		}
	}

	/** A failure says so if the file is remembered all the same. */
	explain(ended: Ended[]): Ended[] {
		return ended.map((document) => {
			if (!this.#keys.has(document.place) || !mayBeBilled(document)) return document;
			if (document.state === 'failed') return { ...document, failure: explained(document.failure) };
			const outputs = document.outputs.map((output) =>
				output instanceof DocumentError ? explained(output) : output,
			);
			return { ...document, outputs };
		});
	}

	/**
	 * Remembers what may be billed, right before the items are passed on: a run that ends earlier loses them.
	 * @returns what the user should know
	 */
	async remember(ended: Ended[]): Promise<Note[]> {
		const { canceled } = this.run.end;
		if (this.#keys.size === 0 || canceled.aborted) return [];
		const outcomes = new Map<string, Outcome>();
		for (const document of ended) {
			const key = this.#keys.get(document.place);
			if (key !== undefined) outcomes.set(key, outcomeOf(document));
		}
		// A first run that remembers no file leaves it to the next one to say so.
		const isAnyRemembered = [...outcomes.values()].some((outcome) => outcome !== 'none');
		if (isAnyRemembered) outcomes.set(this.#firstRun, 'answered');
		const count = ended.filter(mayBeBilled).filter(({ place }) => this.#keys.has(place)).length;
		const recording = this.#history.record(outcomes, canceled);
		return await unlessAborted(recording, canceled).then(
			() => (this.#isFirstRun && count > 0 ? [noteOnFirstRun(count)] : []),
			() => [{ kind: 'notRemembered', entry: NOT_REMEMBERED }],
		);
	}
}

function outcomeOf(ended: Ended): Outcome {
	if (ended.state === 'failed' && ended.mayBeBilled) return 'lost';
	// One that is skipped here has Remember Only.
	return ended.state === 'answered' || ended.state === 'skipped' ? 'answered' : 'none';
}

function noteOnFirstRun(count: number): Note {
	const them = count === 1 ? 'it' : 'them';
	const entry = `${pluralize(count, 'file')} processed. From now on, this node skips ${them}.`;
	return { kind: 'earlier', entry };
}

function skipped(document: Ready, reason: string, advice?: string, isFirst = false): Omitted {
	const notes: Note[] = [{ kind: 'skipped', entry: `${document.subject} (${reason})`, isFirst }];
	if (advice !== undefined) notes.push({ kind: 'service', entry: advice });
	return { ...document, state: 'skipped', notes: [...document.notes, ...notes], loaded: null };
}

function explained({ message, description, details }: DocumentError): DocumentError {
	return new DocumentError(message, joinLines(description, FOR_FAILED_ITEM), details);
}
