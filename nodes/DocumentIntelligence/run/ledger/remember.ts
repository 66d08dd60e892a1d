import type { Ended } from '../state';
import type { Run } from '../run';
import { isReusable } from './decide';
import { hasResult } from './left';
import { weightOf } from './memory';
import { wasPassedOn, type Entry, type Known, type Past } from './past';

/** What was known of a document when the run began. */
export interface Recalled {
	key: string;
	known: Known;
	/** Its key in n8n's history, if that is asked. */
	historyKey?: string;
}

/**
 * Changes the memory by what the documents leave.
 * @param isPassedOn whether n8n passes the items of the run on
 * @returns by place, what is kept for a later run
 */
export function remember(
	run: Run,
	documents: Array<Recalled & { ended: Ended }>,
	isPassedOn: boolean,
): Map<number, Past> {
	const { attempt, end, memory, owner } = run;
	const isRepeated = !isPassedOn && attempt.mayBeRepeated && !end.canceled.aborted;
	// Without an ID of the workflow, no other execution asks again.
	if (!run.isSaved && !isRepeated) return new Map();
	const after = new Map<string, Known>();
	for (const { key, known, ended } of documents) {
		const next = knownAfter(run, ended, known, isPassedOn);
		if (next !== undefined) after.set(key, ofCopies(after.get(key), next, known));
	}
	const changes = documents.map(({ key, known }) => ({
		key,
		known,
		next: after.get(key) ?? known,
	}));
	memory.change(owner, changes, attempt.execution, isRepeated);
	const kept = new Map<number, Past>();
	for (const { key, ended } of documents) {
		const had = ended.left.past ?? ended.earlier?.past;
		// As the memory has it: of an answer, perhaps only the job.
		const past = memory.get(key).notPassedOn?.past;
		if (had !== undefined && past !== undefined && past.kind !== 'lost')
			kept.set(ended.place, past);
	}
	return kept;
}

/** Of the copies of a file, what weighs most stays, and what is new may be returned again. */
function ofCopies(one: Known | undefined, other: Known, before: Known): Known {
	const isHeavier = weightOf(one?.notPassedOn) > weightOf(other.notPassedOn);
	const isNew = other.reusable !== undefined && other.reusable !== before.reusable;
	return {
		notPassedOn: (isHeavier ? one : other)?.notPassedOn,
		reusable: isNew ? other.reusable : (one?.reusable ?? other.reusable),
	};
}

/** What a later run finds of a document; undefined if that stays as it is. */
function knownAfter(
	run: Run,
	ended: Ended,
	{ reusable }: Known,
	isPassedOn: boolean,
): Known | undefined {
	const { earlier, left } = ended;
	const { past, oncePassedOn } = left;
	if (isPassedOn && oncePassedOn === 'dropped') return { notPassedOn: undefined, reusable };
	if (isPassedOn && oncePassedOn === 'reusable')
		return { notPassedOn: undefined, reusable: reusableAfter(run, ended, reusable) };
	if (past === undefined || wasPassedOn(earlier)) return undefined;
	// What another execution has paid stays its own until a run passes it on.
	const origin = past.kind === 'lost' || earlier === null ? originOf(run) : earlier;
	const { execution, runIndex, since } = origin;
	return { notPassedOn: { past, execution, runIndex, since }, reusable };
}

function reusableAfter(run: Run, ended: Ended, before: Entry | undefined): Entry | undefined {
	const { earlier } = ended;
	const { past } = ended.left;
	if (past === undefined || !hasResult(ended.left)) return undefined;
	// A newer answer takes the place of an older one, which would come back after it.
	const isAsked = ended.state === 'answered' && isReusable(run, ended);
	if (!isAsked) return before && { ...before, past };
	const { since } = earlier ?? originOf(run);
	const passedOn = run.isByHand ? 'byHand' : (earlier?.passedOn ?? 'automatically');
	const { execution, runIndex } = wasPassedOn(earlier) ? earlier : originOf(run);
	return { past, passedOn, execution, runIndex, since };
}

/** What belongs to this run, from now on. */
function originOf({ attempt: { execution, runIndex }, memory }: Run) {
	return { execution, runIndex, since: memory.now() };
}
