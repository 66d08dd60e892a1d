import type { Ended } from '../state';
import type { Run } from '../run';
import type { Ending } from './attempt';
import { mayReturnLater } from './decide';
import { hasResult, pastOf } from './left';
import type { Change } from './memory';
import { wasPassedOn, weightOf, type Entry, type Past } from './past';

/** A document that the memory or n8n's history is told about. */
export interface Recalled {
	key: string;
	/** What the memory had when the run began. */
	before?: Entry;
	/** Its key in n8n's history, if that is asked. */
	historyKey?: string;
}

/** The same at the end of its run. */
export interface RecalledEnd extends Recalled {
	ended: Ended;
}

/**
 * Changes the memory by what the documents leave.
 * @returns by place, what is kept for a later run
 */
export function remember(run: Run, documents: RecalledEnd[], ending: Ending): Map<number, Past> {
	const { attempt, memory, owner } = run;
	const isRepeated = ending === 'repeated';
	// No other execution asks again, so nothing is promised: only another attempt of this one does.
	if (!run.isSaved && ending === 'failed') return new Map();
	const changes = new Map<string, Change>();
	for (const { key, before, ended } of documents) {
		const next =
			ending === 'passedOn' ? nextOncePassedOn(run, ended, before) : nextIfKept(run, ended, before);
		if (next === 'unchanged') continue;
		// Of the copies of a file, what weighs most stays.
		if (weightOf(next) >= weightOf(changes.get(key)?.next)) changes.set(key, { key, before, next });
	}
	memory.change(owner, [...changes.values()], attempt.execution, isRepeated);
	const kept = new Map<number, Past>();
	for (const { key, ended } of documents) {
		// As the memory has it: of an answer, perhaps only the job.
		const entry = memory.get(key);
		if (pastOf(ended) === undefined || entry === undefined || wasPassedOn(entry)) continue;
		if (entry.past.kind !== 'lost') kept.set(ended.place, entry.past);
	}
	return kept;
}

/** What a later run finds of a document; `drop` for nothing. */
type Next = Entry | 'unchanged' | 'drop';

function nextOncePassedOn(run: Run, ended: Ended, before?: Entry): Next {
	const { left } = ended;
	switch (left.oncePassedOn) {
		case 'stays':
			return nextIfKept(run, ended, before);
		case 'returnable':
			return nextIfReturnable(run, ended, before);
		case 'dropped':
			return 'drop';
		case 'cameToNothing':
			return nextIfCameToNothing(before);
	}
}

/** Of a document that has come to nothing: an older result stays, anything else is dropped. */
function nextIfCameToNothing(before?: Entry): Next {
	return wasPassedOn(before) ? 'unchanged' : 'drop';
}

/** The result, if a later run may return it. */
function nextIfReturnable(run: Run, ended: Ended, before?: Entry): Next {
	const { left } = ended;
	if (!hasResult(left)) return 'drop';
	if (ended.state === 'answered' && mayReturnLater(run, ended.settings)) {
		const passedOn = run.isTestRun ? 'byHand' : 'automatically';
		return { ...originOf(run), past: left.past, passedOn };
	}
	// A newer answer takes the place of an older one, which would come back after it.
	return wasPassedOn(before) ? { ...before, past: left.past } : 'drop';
}

function nextIfKept(run: Run, { earlier, left }: Ended, before?: Entry): Next {
	if (left.past === undefined) return 'unchanged';
	const past = orLost(left.past, before);
	// What another execution has paid stays its own until a run passes it on.
	const { execution, runIndex, since } =
		past.kind === 'lost' || earlier === null ? originOf(run) : earlier;
	return { past, execution, runIndex, since };
}

/** What an earlier run has lost may still be billed, although a request in flight ends at no cost. */
function orLost(past: Past, before?: Entry): Past {
	if (past.kind !== 'pending' || before?.past.kind !== 'lost') return past;
	const { past: lost } = before;
	return { ...past, outcome: past.outcome.then((late) => late ?? lost) };
}

/** What belongs to this run, from now on. */
function originOf({ attempt: { execution, runIndex }, memory }: Run) {
	return { execution, runIndex, since: memory.now() };
}
