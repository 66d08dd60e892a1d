import { createHmac } from 'node:crypto';

import {
	loadedOf,
	mayBeBilled,
	type Earlier,
	type Ended,
	type Open,
	type Past,
	type Ready,
} from '../../document/document';
import { hasPast } from '../../operations/settings';
import type { Note } from '../../text/notes';
import { pluralize } from '../../text/words';
import { unlessAborted, type Turns } from '../../waiting/waiting';
import type { Run } from '../run';
import { decide, isRecorded, isReusable, skippedAsCopy } from './decide';
import { ProcessedHistory, type Outcome, type Processed } from './history';
import { identify, identityOf } from './identity';
import { leftOf, mayBeKept, outcomeOf, rankOf, type Left } from './outcome';

const NOT_RECORDED =
	"n8n could not record all files of this run, so some may be processed and billed again next time. To prevent that, execute once with the same files and Record Only in 'Files Processed Before'.";

/**
 * What has happened to the documents of a run before, and what happens to them in it. Behind it are the memory of this
 * process and n8n's history. A run asks it before it sends anything, and tells it afterwards.
 */
export class Ledger {
	readonly #history: ProcessedHistory;
	/** By place, of the documents that n8n's history was asked for and has as open. */
	readonly #recorded = new Map<number, string>();
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
			if (seen.has(identity)) return skippedAsCopy(document);
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
		const { canceled } = run.end;
		const keys = await this.#keysOf(ended);
		const notes = isPassedOn ? await this.#close(ended) : [];
		// From here on, nothing waits: n8n does not pass on what a run returns that was stopped before.
		const isFinal = isPassedOn && !canceled.aborted;
		const kept = this.#keep(ended, keys, isFinal);
		if (isFinal || !run.attempt.mayBeRepeated) run.attempt.end();
		return { kept, notes };
	}

	/** By place. A document has no key if nothing of it can be kept, or if its file was not read to its end. */
	async #keysOf(ended: Ended[]): Promise<Map<number, string>> {
		const { run } = this;
		const keys = new Map(this.#keys);
		for (const document of ended) {
			const loaded = loadedOf(document);
			const isAsked = run.hasLedger && loaded !== null && mayBeKept(document);
			if (!isAsked || keys.has(document.place)) continue;
			const identity = await identityOf(run, loaded).catch(() => undefined);
			if (identity !== undefined) keys.set(document.place, keyOf(run, identity));
		}
		return keys;
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
			(): Note[] => (this.#isFirstRun && count > 0 ? [noteOnFirstRun(count)] : []),
			(): Note[] => [{ kind: 'notRecorded', entry: NOT_RECORDED }],
		);
	}

	#keep(ended: Ended[], keys: ReadonlyMap<number, string>, isFinal: boolean): Map<number, Past> {
		const { attempt, end, memory, owner } = this.run;
		const isRepeated = !isFinal && attempt.mayBeRepeated && !end.canceled.aborted;
		const credits = new Map<string, number>();
		const changes = ended.flatMap((document) => {
			const key = keys.get(document.place);
			if (key === undefined) return [];
			const paid = creditsOf(document);
			if (paid !== undefined) credits.set(key, (credits.get(key) ?? 0) + paid);
			return { key, document, left: this.#leftOf(document, key, isFinal) };
		});
		changes.sort((first, second) => rankOf(first.left) - rankOf(second.left));
		const entries = new Map<string, Earlier>();
		for (const { key, document, left } of changes) {
			const entry = this.#entry(document, key, left, credits.get(key));
			if (entry !== undefined) entries.set(key, entry);
			else if (left.what === 'nothing') this.#forget(document, key, isFinal);
		}
		// Without an ID, two workflows could not be told apart.
		if (owner.workflowId !== '' || isRepeated)
			memory.keep(owner, entries, attempt.execution, isRepeated);
		const kept = new Map<number, Past>();
		for (const { key, document, left } of changes) {
			const past = left.what === 'past' ? left.past : document.earlier?.past;
			const isThere = memory.get(key)?.isPassedOn === false && past?.kind !== 'lost';
			if (isThere && left.what !== 'nothing' && past !== undefined) kept.set(document.place, past);
		}
		return kept;
	}

	#leftOf(document: Ended, key: string, isFinal: boolean): Left {
		const { run } = this;
		// A newer answer takes the place of an older one, which would come back after it.
		const isKept =
			document.state === 'answered' &&
			(isReusable(run, document) ||
				(hasPast(run.operation) && run.memory.get(key)?.isPassedOn === true));
		return leftOf(document, run.held.of(document.place)?.past, isFinal, isKept);
	}

	#entry(document: Ended, key: string, left: Left, credits?: number): Earlier | undefined {
		const { attempt, held, isByHand, memory } = this.run;
		const { earlier } = document;
		const before = memory.get(key);
		if (left.what === 'asBefore') {
			const recalled = this.#recalled.get(key);
			const isStill = before === undefined || before === recalled;
			return earlier?.isPassedOn === false && isStill ? recalled : undefined;
		}
		if (left.what === 'nothing') return undefined;
		const { past, isPassedOn } = left;
		// What another execution has paid stays its own until a run passes it on.
		const isNew = past.kind === 'lost' || earlier?.isPassedOn !== isPassedOn;
		const { execution, runIndex } = earlier === null || isNew ? attempt : earlier;
		return {
			past,
			isPassedOn,
			isByHand: isPassedOn && (isByHand || before?.isByHand === true),
			execution,
			runIndex,
			since: held.of(document.place)?.since ?? earlier?.since ?? memory.now(),
			credits: execution === attempt.execution ? credits : this.#recalled.get(key)?.credits,
		};
	}

	/** What may be billed is forgotten by a run that is passed on, and what was passed on only for a newer answer. */
	#forget({ state }: Ended, key: string, isFinal: boolean): void {
		const { memory } = this.run;
		const { isPassedOn, past } = memory.get(key) ?? {};
		const isStillTrue = isPassedOn === true || (past?.kind === 'lost' && !isFinal);
		if (state === 'answered' || !isStillTrue) memory.drop(key);
	}
}

/** What this execution has paid for a document. */
function creditsOf(ended: Ended): number | undefined {
	const isEnded = ended.state === 'answered' || ended.state === 'failed';
	return isEnded ? ended.credits : ended.earlier?.credits;
}

/** What a run says of the results that another one has paid for. */
export function notesOnEarlier({ attempt, isByHand }: Run, ended: Ended[]): Note[] {
	const used = ended.flatMap((document) =>
		document.state === 'answered' && document.earlier !== null
			? { ...document.earlier, way: document.settings.processedBefore }
			: [],
	);
	const passedOn = used.filter(({ isPassedOn }) => isPassedOn);
	const fromTests = passedOn.filter(({ way }) => way === null && isByHand);
	const others = used.filter(
		({ isPassedOn, execution }) => !isPassedOn && execution !== attempt.execution,
	);
	return [
		...noteOn(
			fromTests,
			'testRuns',
			' of earlier test runs',
			'reused and not sent again',
			TESTED_ANEW,
		),
		...noteOn(others, 'earlier', '', 'paid for by an earlier run that did not pass them on', ANEW),
		...noteOn(
			passedOn.filter((each) => !fromTests.includes(each)),
			'earlier',
			' of an earlier run',
			'reused',
			ANEW,
		),
	];
}

const ANEW =
	"To process the same files anew, execute again with Process Again in 'Files Processed Before'.";

const TESTED_ANEW =
	"If you changed a template or document types in Cogneris, add 'Files Processed Before' and choose Process Again.";

function noteOn(
	{ length }: unknown[],
	kind: 'testRuns' | 'earlier',
	origin: string,
	what: string,
	advice: string,
): Note[] {
	const were = length === 1 ? 'was' : 'were';
	const entry = `${pluralize(length, 'result')}${origin} ${were} ${what}. ${advice}`;
	return length === 0 ? [] : [{ kind, entry }];
}

function noteOnFirstRun(count: number): Note {
	const them = count === 1 ? 'it' : 'them';
	const entry = `${pluralize(count, 'file')} processed. From now on, this node skips ${them}.`;
	return { kind: 'earlier', entry };
}

/** Nobody with another API key gets a result. Without an ID of the workflow, no other execution does. */
function keyOf({ session, owner, attempt }: Run, identity: string): string {
	const execution = owner.workflowId === '' ? attempt.execution : '';
	return createHmac('sha256', session.account.apiKey)
		.update(identity + execution)
		.digest('hex');
}
