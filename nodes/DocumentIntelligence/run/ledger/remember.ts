import type { Ended, Entry, Known, Past } from '../../document/document';
import type { Run } from '../run';
import { isReusable } from './decide';
import type { Left } from './left';
import { weightOf } from './memory';

/** What was known of a document when the run began. */
export interface Recalled {
	key: string;
	known: Known;
	/** Its key in n8n's history, if it is to be recorded. */
	recorded?: string;
}

/** What is left of it when the run ends. */
export interface Change extends Recalled {
	document: Ended;
	left: Left;
}

/**
 * Changes the memory by what is left of the documents.
 * @param isPassedOn whether n8n passes the items of the run on
 * @returns by place, what is kept for a later run
 */
export function remember(run: Run, changes: Change[], isPassedOn: boolean): Map<number, Past> {
	const { attempt, end, memory, owner } = run;
	const isRepeated = !isPassedOn && attempt.mayBeRepeated && !end.canceled.aborted;
	// Without an ID of the workflow, no other execution asks again.
	if (owner.workflowId === '' && !isRepeated) return new Map();
	const after = new Map<string, Known>();
	for (const change of changes) {
		const { key } = change;
		const next = knownAfter(run, change, isPassedOn);
		if (next !== undefined) after.set(key, ofCopies(after.get(key), next, change.known));
	}
	const all = changes.map(({ key, known }) => ({ key, known, next: after.get(key) ?? known }));
	memory.change(owner, all, attempt.execution, isRepeated);
	const kept = new Map<number, Past>();
	for (const { document, key, left } of changes) {
		const past = left.past ?? document.earlier?.past;
		const isThere = memory.get(key).kept !== undefined;
		if (isThere && past !== undefined && past.kind !== 'lost') kept.set(document.place, past);
	}
	return kept;
}

/** Of the copies of a file, what weighs most is kept, and what is new may be returned again. */
function ofCopies(one: Known | undefined, other: Known, before: Known): Known {
	const kept = weightOf(one?.kept) > weightOf(other.kept) ? one?.kept : other.kept;
	const isNew = other.reusable !== undefined && other.reusable !== before.reusable;
	return { kept, reusable: isNew ? other.reusable : (one?.reusable ?? other.reusable) };
}

/** What a later run finds of a document; undefined if this one has nothing to say. */
function knownAfter(
	run: Run,
	{ document, known: { kept, reusable }, left: { past, isWhole, isPartial } }: Change,
	isPassedOn: boolean,
): Known | undefined {
	if (isPassedOn && isWhole)
		return { kept: undefined, reusable: reusableAfter(run, document, past, reusable) };
	if (isPassedOn && isPartial === true) return { kept: undefined, reusable: undefined };
	// What may be billed counts between attempts: a run that is passed on has told of it.
	const isLost = (past ?? kept?.past)?.kind === 'lost';
	if (isPassedOn && isLost) return { kept: undefined, reusable };
	const { earlier } = document;
	if (past === undefined || earlier?.passedOn !== undefined) return undefined;
	// What another execution has paid stays its own until a run passes it on.
	const { execution, runIndex, since } = isLost || earlier === null ? now(run) : earlier;
	return { kept: { past, execution, runIndex, since }, reusable };
}

function reusableAfter(
	run: Run,
	document: Ended,
	past: Past | undefined,
	before: Entry | undefined,
): Entry | undefined {
	const { earlier } = document;
	if (past === undefined) return undefined;
	// A newer answer takes the place of an older one, which would come back after it.
	const isAsked = document.state === 'answered' && isReusable(run, document);
	if (!isAsked) return before && { ...before, past };
	const { since } = earlier ?? now(run);
	const passedOn = run.isByHand ? 'byHand' : (earlier?.passedOn ?? 'automatically');
	const { execution, runIndex } = earlier?.passedOn === undefined ? now(run) : earlier;
	return { past, passedOn, execution, runIndex, since };
}

function now({ attempt: { execution, runIndex }, memory }: Run) {
	return { execution, runIndex, since: memory.now() };
}
