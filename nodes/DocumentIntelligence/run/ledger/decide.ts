import type { DocumentError } from '../../text/errors';
import { notesOnSkipped } from '../../text/processedBefore';
import type { Run } from '../run';
import { offersProcessedBefore, type Settings } from '../settings';
import type { Ended, Omitted, Open, Ready } from '../state';
import type { Earlier, Entry, Known, Outcome, Past } from './past';

/** What happened to a document before this run. */
type Before =
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

type Way = NonNullable<Settings['processedBefore']> | 'testRun';

type Decision = 'send' | 'use' | 'fail' | 'skip' | 'record';

/** The whole of it (docs/paid-kept-skipped.md). */
const DECISIONS: Record<Before, Record<Way, Decision>> = {
	nothing: { process: 'send', testRun: 'send', reuse: 'send', skip: 'send', record: 'record' },
	notPassedOn: { process: 'use', testRun: 'use', reuse: 'use', skip: 'use', record: 'record' },
	passedOn: { process: 'send', testRun: 'send', reuse: 'use', skip: 'use', record: 'record' },
	passedOnByHand: { process: 'send', testRun: 'use', reuse: 'use', skip: 'use', record: 'record' },
	processed: { process: 'send', testRun: 'send', reuse: 'send', skip: 'skip', record: 'skip' },
	lost: { process: 'send', testRun: 'send', reuse: 'send', skip: 'skip', record: 'record' },
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
	const { before, entry, failure } = whatHappened(run, known);
	switch (DECISIONS[before][wayOf(run, document)]) {
		case 'send':
			return document;
		case 'use':
			return {
				...document,
				earlier: entry ? { ...entry, otherwise: without(entry, known) } : null,
			};
		case 'fail':
			return run.end.fail(document, failure, document);
		case 'skip':
			return before === 'lost'
				? skipped(document, 'lost', 'unanswered')
				: skipped(document, 'processed');
		case 'record':
			return skipped(document, 'recorded', 'answered');
	}
}

/** @param arrived what its earlier past has come to; null if that is of no use */
export function decideAgain(
	run: Run,
	document: Ready,
	earlier: Earlier,
	arrived: Past | null,
): Ready | Ended {
	const { reusable, history } = earlier.otherwise;
	// What n8n's history calls unanswered may be this very job.
	const isOfJob = earlier.past.kind === 'job' && history === 'unanswered';
	const notPassedOn = arrived === null ? undefined : { ...earlier, past: arrived };
	const known = { notPassedOn, reusable, history: isOfJob ? undefined : history };
	return decide(run, { ...document, earlier: null }, known);
}

/** What else is known if this entry is of no use. */
function without(entry: Entry, { reusable, history }: Known): Known {
	return { reusable: entry === reusable ? undefined : reusable, history };
}

/** With the entry that can be used, or the failure of an earlier attempt. */
function whatHappened(
	{ attempt, memory }: Run,
	{ notPassedOn, reusable, history = 'none' }: Known,
): { before: Before; entry?: Entry; failure?: DocumentError } {
	const failure = notPassedOn?.past.kind === 'lost' ? notPassedOn.past.failure : undefined;
	if (notPassedOn !== undefined && failure === undefined)
		return { before: 'notPassedOn', entry: notPassedOn };
	if (notPassedOn !== undefined && attempt.isOfEarlierAttempt(notPassedOn))
		return { before: 'lostInEarlierAttempt', failure };
	if (history !== 'none') return { before: history === 'unanswered' ? 'lost' : 'processed' };
	if (reusable === undefined) return { before: failure === undefined ? 'nothing' : 'lost' };
	const { passedOn, execution, since } = reusable;
	const isTestResult = passedOn === 'byHand' && execution !== attempt.execution;
	const isRecent = memory.now() - since < TEST_RESULT_MS;
	return { before: isTestResult && isRecent ? 'passedOnByHand' : 'passedOn', entry: reusable };
}

/** What the user has chosen, or what applies without a choice. */
export function wayOf(run: Run, { settings }: Pick<Ready, 'settings'>): Way {
	return settings.processedBefore ?? (isTestRun(run) ? 'testRun' : 'process');
}

function isTestRun({ isByHand, operation }: Run): boolean {
	return isByHand && offersProcessedBefore(operation);
}

/** Whether its result is kept although it is passed on. */
export function isReusable(run: Run, document: Pick<Ready, 'settings'>): boolean {
	return isTestRun(run) || wayOf(run, document) === 'reuse';
}

/** Whether n8n's history is asked for it. */
export function asksHistory({ settings }: Open): boolean {
	return settings.processedBefore === 'skip' || settings.processedBefore === 'record';
}

/** @param history what n8n's history is to say of it, if that changes */
export function skipped(
	document: Ready,
	why: Parameters<typeof notesOnSkipped>[1],
	history?: Outcome,
): Omitted {
	const notes = [...document.notes, ...notesOnSkipped(document.subject, why)];
	return { ...document, state: 'skipped', notes, left: { history, oncePassedOn: 'stays' } };
}
