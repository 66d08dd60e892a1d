import type { Earlier, Ended, Omitted, Open, Ready, Settings } from '../../document/document';
import { hasPast } from '../settings';
import { notesOnSkipped } from '../../text/processedBefore';
import type { Run } from '../run';
import type { Processed } from './history';

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

export interface Known {
	/** In the memory of this process. */
	earlier: Earlier | undefined;
	/** In n8n's history. */
	processed: Processed | undefined;
	/** What this document counts of what was paid for it before, in this execution. */
	credits: number | undefined;
}

/** What happens to a document, by what happened to it before and by what the user has chosen. */
export function decide(run: Run, document: Ready, known: Known): Ready | Ended {
	const { earlier, credits, processed } = known;
	const before = whatHappened(run, known);
	const decision = DECISIONS[before][wayOf(run, document)];
	switch (decision) {
		case 'send':
			return document;
		case 'use':
			return { ...document, earlier: earlier ? { ...earlier, credits, processed } : null };
		case 'fail': {
			const failure = earlier?.past.kind === 'lost' ? earlier.past.failure : undefined;
			const failed = run.end.fail({ ...document, earlier: earlier ?? null }, failure);
			return failed.state === 'failed' ? { ...failed, credits } : failed;
		}
		case 'skip':
			return before === 'lost' ? skipped(document, 'lost', 'lost') : skipped(document, 'processed');
		case 'record':
			return skipped(document, 'recorded', 'answered');
	}
}

function whatHappened({ attempt, memory }: Run, { earlier, processed }: Known): Before {
	if (earlier?.isPassedOn === false) {
		if (earlier.past.kind !== 'lost') return 'notPassedOn';
		if (attempt.isOfEarlierAttempt(earlier)) return 'lostInEarlierAttempt';
	}
	if (processed !== undefined) return processed === 'lost' ? 'lost' : 'processed';
	if (earlier === undefined) return 'nothing';
	if (earlier.past.kind === 'lost') return 'lost';
	const { isByHand, execution, since } = earlier;
	const isTestResult = isByHand && execution !== attempt.execution;
	return isTestResult && memory.now() - since < TEST_RESULT_MS ? 'passedOnByHand' : 'passedOn';
}

/** What the user has chosen, or what applies without a choice. */
function wayOf(run: Run, { settings }: Pick<Ready, 'settings'>): Way {
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

/**
 * The end of a document whose earlier job or request has left nothing of use: n8n's history may know of another result.
 * What it calls lost may be that very job.
 */
export function skippedByHistory(document: Ready): Omitted | undefined {
	const { processed, past } = document.earlier ?? {};
	if (processed === 'answered') return skipped(document, 'processed');
	return processed === 'lost' && past?.kind !== 'job'
		? skipped(document, 'lost', 'lost')
		: undefined;
}

/** @param recordedAs what n8n's history is to say of it, if that changes */
export function skipped(
	document: Ready,
	why: Parameters<typeof notesOnSkipped>[1],
	recordedAs?: Omitted['recordedAs'],
): Omitted {
	const notes = [...document.notes, ...notesOnSkipped(document.subject, why)];
	const ended = { ...document, state: 'skipped' as const, notes, loaded: null };
	return recordedAs === undefined ? ended : { ...ended, recordedAs };
}
