import type {
	Earlier,
	Ended,
	Entry,
	Known,
	Omitted,
	Open,
	Past,
	Ready,
	Settings,
} from '../../document/document';
import { hasPast } from '../settings';
import { notesOnSkipped } from '../../text/processedBefore';
import type { Run } from '../run';

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
	const { kept, reusable, processed } = known;
	const before = whatHappened(run, known);
	switch (DECISIONS[before][wayOf(run, document)]) {
		case 'send':
			return document;
		case 'use':
			return before === 'notPassedOn'
				? using(document, kept, { reusable, processed })
				: using(document, reusable, { processed });
		case 'fail':
			return run.end.fail(document, kept?.past.kind === 'lost' ? kept.past.failure : undefined);
		case 'skip':
			return before === 'lost'
				? skipped(document, 'lost', 'unanswered')
				: skipped(document, 'processed');
		case 'record':
			return skipped(document, 'recorded', 'answered');
	}
}

function using(document: Ready, entry: Entry | undefined, otherwise: Known): Ready {
	return { ...document, earlier: entry ? { ...entry, otherwise } : null };
}

/** @param arrived what its earlier past has come to; null if that is of no use */
export function decideAgain(
	run: Run,
	document: Ready,
	earlier: Earlier,
	arrived: Past | null,
): Ready | Ended {
	const { reusable, processed } = earlier.otherwise;
	// What n8n's history calls unanswered may be this very job.
	const isOfJob = earlier.past.kind === 'job' && processed === 'unanswered';
	const kept = arrived === null ? undefined : { ...earlier, past: arrived };
	const known = { kept, reusable, processed: isOfJob ? undefined : processed };
	return decide(run, { ...document, earlier: null }, known);
}

function whatHappened({ attempt, memory }: Run, { kept, reusable, processed }: Known): Before {
	const isLost = kept?.past.kind === 'lost';
	if (kept !== undefined && !isLost) return 'notPassedOn';
	if (isLost && attempt.isOfEarlierAttempt(kept)) return 'lostInEarlierAttempt';
	if (processed !== undefined) return processed === 'unanswered' ? 'lost' : 'processed';
	if (reusable === undefined) return isLost ? 'lost' : 'nothing';
	const { passedOn, execution, since } = reusable;
	const isTestResult = passedOn === 'byHand' && execution !== attempt.execution;
	return isTestResult && memory.now() - since < TEST_RESULT_MS ? 'passedOnByHand' : 'passedOn';
}

/** What the user has chosen, or what applies without a choice. */
export function wayOf(run: Run, { settings }: Pick<Ready, 'settings'>): Way {
	return settings.processedBefore ?? (isTestRun(run) ? 'testRun' : 'process');
}

function isTestRun({ isByHand, operation }: Run): boolean {
	return isByHand && hasPast(operation);
}

/** Whether its result is kept although it is passed on. */
export function isReusable(run: Run, document: Pick<Ready, 'settings'>): boolean {
	return isTestRun(run) || wayOf(run, document) === 'reuse';
}

/** Whether n8n's history is asked for it. */
export function isRecorded({ settings }: Open): boolean {
	return settings.processedBefore === 'skip' || settings.processedBefore === 'record';
}

/** @param recordedAs what n8n's history is to say of it, if that changes */
export function skipped(
	document: Ready,
	why: Parameters<typeof notesOnSkipped>[1],
	recordedAs?: Omitted['recordedAs'],
): Omitted {
	const notes = [...document.notes, ...notesOnSkipped(document.subject, why)];
	const ended = { ...document, state: 'skipped' as const, notes };
	return recordedAs === undefined ? ended : { ...ended, recordedAs };
}
