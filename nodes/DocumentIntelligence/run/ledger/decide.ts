import type { Earlier, Ended, Omitted, Open, Ready, Settings } from '../../document/document';
import { hasPast } from '../../operations/settings';
import type { Note } from '../../text/notes';
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

/** What becomes of a document, by what happened to it before and by what the user has chosen. */
export function decide(run: Run, document: Ready, known: Known): Ready | Ended {
	const { earlier, credits } = known;
	const before = whatHappened(run, known);
	const decision = DECISIONS[before][wayOf(run, document)];
	switch (decision) {
		case 'send':
			return document;
		case 'use':
			return { ...document, earlier: earlier === undefined ? null : { ...earlier, credits } };
		case 'fail': {
			const failure = earlier?.past.kind === 'lost' ? earlier.past.failure : undefined;
			const failed = run.end.fail({ ...document, earlier: earlier ?? null }, failure);
			return failed.state === 'failed' ? { ...failed, credits } : failed;
		}
		case 'skip':
			return before === 'lost'
				? skippedAsLost(document)
				: skipped(document, 'already processed', HOW_TO_REPEAT);
		case 'record': {
			const reason = 'recorded without being processed';
			return { ...skipped(document, reason, HOW_TO_GO_ON, true), recordedAs: 'answered' };
		}
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

const HOW_TO_REPEAT =
	"To process a file again, choose Process Again in 'Files Processed Before' for one run with only that file as input. If a later node failed, choose Executions > Retry with currently saved workflow, which sends nothing again.";

const HOW_TO_GO_ON =
	"The recorded files were not processed. Before the next run, choose Skip in 'Files Processed Before'.";

export function skippedAsLost(document: Ready): Omitted {
	const reason = 'may have been billed on an earlier run, but has no result';
	return { ...skipped(document, reason, HOW_TO_REPEAT, true), recordedAs: 'lost' };
}

export function skippedAsCopy(document: Ready): Omitted {
	return skipped(document, 'a copy of another file in this run');
}

function skipped(document: Ready, reason: string, advice?: string, isFirst = false): Omitted {
	const notes: Note[] = [{ kind: 'skipped', entry: `${document.subject} (${reason})`, isFirst }];
	if (advice !== undefined) notes.push({ kind: 'service', entry: advice });
	return { ...document, state: 'skipped', notes: [...document.notes, ...notes], loaded: null };
}
