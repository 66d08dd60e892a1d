import type { Earlier, Ended, Past } from '../../document/document';
import { hasPast } from '../settings';
import { sumOf } from '../../text/words';
import type { Run } from '../run';
import { isReusable } from './decide';
import { leftOf, rankOf, type Left } from './outcome';

interface Change {
	document: Ended;
	key: string;
	left: Left;
}

/**
 * Changes the memory by what became of the documents.
 * @param keys by place
 * @param recalled by key, what was known when the run began
 * @returns by place, what is kept for a later run
 */
export function remember(
	run: Run,
	ended: Ended[],
	keys: ReadonlyMap<number, string>,
	recalled: ReadonlyMap<string, Earlier>,
	isPassedOn: boolean,
): Map<number, Past> {
	const { attempt, end, memory, owner } = run;
	const isRepeated = !isPassedOn && attempt.mayBeRepeated && !end.canceled.aborted;
	const changes = ended.flatMap((document): Change[] => {
		const key = keys.get(document.place);
		return key === undefined
			? []
			: [{ key, document, left: leftOfDocument(run, document, key, isPassedOn) }];
	});
	const entries = new Map<string, Earlier>();
	for (const change of changes.toSorted((one, other) => rankOf(one.left) - rankOf(other.left))) {
		const { key } = change;
		const entry = entryAfter(run, change, recalled.get(key), isPassedOn);
		if (entry !== undefined) entries.set(key, entry);
	}
	const credits = creditsByKey(changes);
	for (const [key, entry] of entries)
		if (entry.execution === attempt.execution)
			entries.set(key, { ...entry, credits: credits.get(key) });
	// Without an ID, two workflows could not be told apart, and no other execution asks again.
	if (owner.workflowId !== '' || isRepeated)
		memory.keep(owner, entries, attempt.execution, isRepeated);
	else for (const key of keys.values()) memory.drop(key);
	return keptOf(run, changes);
}

function leftOfDocument(run: Run, document: Ended, key: string, isPassedOn: boolean): Left {
	// A newer answer takes the place of an older one, which would come back after it.
	const isKept =
		document.state === 'answered' &&
		(isReusable(run, document) ||
			(hasPast(run.operation) && run.memory.get(key)?.isPassedOn === true));
	return leftOf(document, run.held.of(document.place), isPassedOn, isKept);
}

/** What the memory keeps of a document; what is over is forgotten. */
function entryAfter(
	run: Run,
	change: Change,
	before: Earlier | undefined,
	isPassedOn: boolean,
): Earlier | undefined {
	const { document, key, left } = change;
	const now = run.memory.get(key);
	if (isOutranked(run, change, before)) return undefined;
	if (left === 'nothing') return void forget(run, document, key, isPassedOn);
	if (left !== 'asBefore') return entryOf(run, document, left, now ?? before);
	// It may have been dropped for others meanwhile.
	const isStill = now === undefined || now === before;
	const isKept = before?.isPassedOn === false && document.earlier !== null;
	return isKept && isStill ? before : undefined;
}

/** Whether another execution, at the same moment, has kept something that matters more: nobody has passed it on. */
function isOutranked(
	{ attempt, memory }: Run,
	{ key, left }: Change,
	before: Earlier | undefined,
): boolean {
	const now = memory.get(key);
	if (now === undefined || now.isPassedOn) return false;
	const isOwn = [attempt.execution, before?.execution].includes(now.execution);
	const isOver = typeof left === 'string' || left.isPassedOn;
	return !isOwn && (isOver || rankOf(left) <= rankOf(now));
}

function entryOf(
	{ attempt, isByHand, memory }: Run,
	{ earlier }: Ended,
	{ past, isPassedOn }: Exclude<Left, string>,
	before: Earlier | undefined,
): Earlier {
	// What another execution has paid stays its own until a run passes it on.
	const isNew = past.kind === 'lost' || earlier?.isPassedOn !== isPassedOn;
	const { execution, runIndex } = isNew || earlier === null ? attempt : earlier;
	// In place of what was passed on by hand, it counts as that, and no longer.
	const byHand = isPassedOn && !isByHand && before?.isByHand === true ? before : null;
	return {
		past,
		isPassedOn,
		isByHand: isPassedOn && (isByHand || byHand !== null),
		execution,
		runIndex,
		since: (byHand ?? earlier)?.since ?? memory.now(),
		credits: before?.credits,
	};
}

/** What may be billed is forgotten by a run that is passed on, and what was passed on only for a newer answer. */
function forget({ memory }: Run, { state }: Ended, key: string, isFinal: boolean): void {
	const { isPassedOn, past } = memory.get(key) ?? {};
	const isStillTrue = isPassedOn === true || (past?.kind === 'lost' && !isFinal);
	if (state === 'answered' || !isStillTrue) memory.drop(key);
}

/** What this execution has paid for all documents with a key. */
function creditsByKey(changes: Change[]): Map<string, number | undefined> {
	const credits = new Map<string, number | undefined>();
	for (const { key, document } of changes) {
		const paid = 'credits' in document ? document.credits : document.earlier?.credits;
		credits.set(key, sumOf(credits.get(key), paid));
	}
	return credits;
}

function keptOf({ memory }: Run, changes: Change[]): Map<number, Past> {
	const kept = new Map<number, Past>();
	for (const { key, document, left } of changes) {
		const past = typeof left === 'string' ? document.earlier?.past : left.past;
		const isThere = memory.get(key)?.isPassedOn === false && past?.kind !== 'lost';
		if (isThere && left !== 'nothing' && past !== undefined) kept.set(document.place, past);
	}
	return kept;
}
