import { Undelivered } from '../../operations/operation';
import type { DocumentError } from '../../text/errors';
import type { Next } from '../../text/failures';
import { notesOnSkipped } from '../../text/processedBefore';
import type { Run } from '../run';
import type { Settings } from '../settings';
import { loadedOf, type Ended, type Omitted, type Open, type Ready } from '../state';
import { FATES, pastOf, type Left } from './left';
import { wasPassedOn, type Earlier, type Entry, type Known, type Past } from './past';

/** What a document begins a run with. */
type Beginning =
	| 'nothing'
	/** A result, a job whose outcome is not known, or a request in flight. */
	| 'notPassedOn'
	| 'passedOn'
	/** By an earlier execution by hand, within the hour. */
	| 'passedOnByHand'
	/** n8n's history says so. It is only asked for Skip and Record Only. */
	| 'processed'
	/** May be billed, and has no usable result. */
	| 'lost'
	| 'lostInEarlierAttempt';

type Decision = 'send' | 'use' | 'fail' | 'skip' | 'skipAsLost' | 'record' | 'leaveRecorded';

/** What follows from each beginning (docs/paid-kept-skipped.md); `FATES` has what follows from each end. */
const DECISIONS: Record<Beginning, Record<Settings['processedBefore'], Decision>> = {
	nothing: { process: 'send', testRun: 'send', reuse: 'send', skip: 'send', record: 'record' },
	notPassedOn: { process: 'use', testRun: 'use', reuse: 'use', skip: 'use', record: 'record' },
	passedOn: { process: 'send', testRun: 'send', reuse: 'use', skip: 'use', record: 'record' },
	passedOnByHand: { process: 'send', testRun: 'use', reuse: 'use', skip: 'use', record: 'record' },
	processed: {
		process: 'send',
		testRun: 'send',
		reuse: 'send',
		skip: 'skip',
		record: 'leaveRecorded',
	},
	lost: { process: 'send', testRun: 'send', reuse: 'send', skip: 'skipAsLost', record: 'record' },
	lostInEarlierAttempt: {
		process: 'fail',
		testRun: 'fail',
		reuse: 'fail',
		skip: 'fail',
		record: 'record',
	},
};

/** For how long test runs return the results of earlier ones. */
const TEST_RESULT_MS = 60 * 60 * 1000;

/** What happens to a document, by what happened to it before and by what the user has chosen. */
export function decide(run: Run, document: Ready, known: Known): Ready | Ended {
	const { entry, history } = known;
	const beginning = beginningOf(run, known);
	switch (DECISIONS[beginning][document.settings.processedBefore]) {
		case 'send':
			return document;
		case 'use':
			return { ...document, earlier: entry ? { ...entry, history } : null };
		case 'fail':
			return run.end.fail(document, failureIn(entry));
		case 'skip':
			return skipped(document, 'processed');
		case 'skipAsLost':
			return skipped(document, 'lost', FATES.skippedAsLost);
		case 'record':
			return skipped(document, 'recorded', FATES.recorded);
		case 'leaveRecorded':
			return skipped(document, 'recordedBefore');
	}
}

/** For a document whose earlier past is of no use. @param lost its failure, if it may be billed all the same */
export function decideAgain(
	run: Run,
	document: Ready,
	earlier: Earlier,
	lost: Past | null,
): Ready | Ended {
	const { past, history } = earlier;
	// n8n's history says of a job that did not finish in time, or a result that could not be stored, that it has no result. Now
	// that it has come to nothing, that would keep the document from being sent. A request in flight never wrote the history:
	// what that says is older, and still holds.
	const isHistoryOfThis = past.kind !== 'pending' && history === 'withoutResult';
	const known = {
		entry: lost === null ? undefined : { ...earlier, past: lost },
		history: isHistoryOfThis ? undefined : history,
	};
	return decide(run, { ...document, earlier: null }, known);
}

/**
 * The first that applies. What no run has passed on goes before n8n's history: that says of a job that did not finish in time
 * that it has no result, and Skip collects it. The history goes before what was passed on: Skip skips what it has recorded.
 */
function beginningOf(run: Run, { entry, history }: Known): Beginning {
	const isLost = failureIn(entry) !== undefined;
	if (entry !== undefined && !wasPassedOn(entry) && !isLost) return 'notPassedOn';
	if (entry !== undefined && isLost && run.attempt.isOfEarlierAttempt(entry))
		return 'lostInEarlierAttempt';
	if (history !== undefined) return history === 'withoutResult' ? 'lost' : 'processed';
	if (entry === undefined) return 'nothing';
	if (isLost) return 'lost';
	return isTestResult(run, entry) ? 'passedOnByHand' : 'passedOn';
}

function failureIn(entry?: Entry) {
	return entry?.past.kind === 'lost' ? entry.past.failure : undefined;
}

/** Whether it is what an earlier execution by hand has passed on, within the hour. */
function isTestResult({ attempt, memory }: Run, { passedOn, execution, since }: Entry): boolean {
	const isRecent = memory.now() - since < TEST_RESULT_MS;
	return passedOn === 'byHand' && execution !== attempt.execution && isRecent;
}

/** Whether the next run uses what its end leaves, although this run is passed on. */
export function isUsedNext({ isSaved }: Run, ended: Ended): boolean {
	return isSaved && ended.left.oncePassedOn === 'stays' && pastOf(ended) !== undefined;
}

/** Whether Skip will skip it once this run is passed on. */
export function isSkippedNext(run: Run, ended: Ended): boolean {
	const { history = 'none' } = ended.left;
	return history === 'withoutResult' ? !isUsedNext(run, ended) : history === 'withResult';
}

/**
 * What the next run does with a document that failed in this way.
 * @param isKept whether it finds what this one leaves
 */
export function nextOf(run: Run, ended: Ended, failure: DocumentError, isKept: boolean): Next {
	if (isKept && failure instanceof Undelivered) return 'useResult';
	const loaded = loadedOf(ended);
	const isSkipped = loaded?.settings.processedBefore === 'skip' && isSkippedNext(run, ended);
	return isSkipped ? 'skip' : 'send';
}

/** Whether its result may be returned again although it is passed on. */
export function mayReturnLater({ isSaved, isTestRun }: Run, settings: Settings): boolean {
	return isSaved && (isTestRun || settings.processedBefore === 'reuse');
}

/** Whether n8n's history is asked for it. */
export function asksHistory({ settings }: Open): boolean {
	return settings.processedBefore === 'skip' || settings.processedBefore === 'record';
}

export function skipped(
	document: Ready,
	why: Parameters<typeof notesOnSkipped>[1],
	left: Left = FATES.untouched,
): Omitted {
	const notes = [...document.notes, ...notesOnSkipped(document.subject, why)];
	return { ...document, state: 'skipped', notes, left };
}
