import type { Note } from './notes';
import { pluralize } from './words';

/** What the option Files Processed Before says, and what a run says of results that it did not pay for. */

const HOW_TO_REPEAT =
	"To process a file again, choose Process Again in 'Files Processed Before' for one run with only that file as input. If a later node failed, choose Executions > Retry with currently saved workflow, which sends nothing again.";

const HOW_TO_GO_ON =
	"Record Only processes no file. Before the next run, choose Skip in 'Files Processed Before'.";

const HOW_TO_FIND =
	'If a file was processed as a job, look for the job with Job: Get Many before you process it again: its result can be fetched for 7 days.';

interface Skipped {
	reason: string;
	advice?: string[];
	isFirst?: boolean;
}

/** n8n's history does not tell them apart. */
const PROCESSED_OR_RECORDED = 'processed or recorded before';

/** Why a document is skipped, and what to do; what nobody would expect is listed first. */
const SKIPPED = {
	processed: { reason: PROCESSED_OR_RECORDED, advice: [HOW_TO_REPEAT] },
	recordedBefore: { reason: PROCESSED_OR_RECORDED, advice: [HOW_TO_GO_ON] },
	copy: { reason: 'a copy of another file in this run' },
	lost: {
		reason: 'may have been billed on an earlier run, but has no result',
		advice: [HOW_TO_FIND, HOW_TO_REPEAT],
		isFirst: true,
	},
	recorded: {
		reason: 'recorded without being processed',
		advice: [HOW_TO_GO_ON],
		isFirst: true,
	},
} satisfies Record<string, Skipped>;

export function notesOnSkipped(subject: string, why: keyof typeof SKIPPED): Note[] {
	const { reason, advice = [], isFirst }: Skipped = SKIPPED[why];
	const notes: Note[] = [{ kind: 'skipped', entry: `${subject} (${reason})`, isFirst }];
	return [...notes, ...advice.map((entry): Note => ({ kind: 'service', entry }))];
}

export const NOT_RECORDED: Note = {
	kind: 'notRecorded',
	entry:
		"n8n could not record all files of this run, so some may be processed and billed again next time. To prevent that, execute once with the same files and Record Only in 'Files Processed Before'.",
};

export function noteOnFirstRun(count: number): Note {
	const them = count === 1 ? 'it' : 'them';
	const entry = `${pluralize(count, 'file')} processed. From now on, this node skips ${them}.`;
	return { kind: 'earlier', entry };
}

/** Of a run that has more results than it can keep. */
export function noteOnNotKept(subject: string): Note {
	return { kind: 'notKept', entry: subject };
}

const ANEW = "execute again with Process Again in 'Files Processed Before'";

const TESTED_ANEW =
	"If you changed a template or document types in Cogneris, add 'Files Processed Before' and choose Process Again.";

/** Where results come from that this run did not pay for. */
const REUSES = {
	testRuns: {
		kind: 'testRuns',
		were: (were: string) => `from earlier test runs ${were} reused at no cost. ${TESTED_ANEW}`,
	},
	notPassedOn: {
		kind: 'earlier',
		were: (were: string, anew: string) =>
			`${were} paid for by an earlier run that did not pass ${were === 'was' ? 'it' : 'them'} on. To process the same files anew, ${anew}.`,
	},
	reused: {
		kind: 'earlier',
		were: (were: string, anew: string) =>
			`from an earlier run ${were} reused. To process the same files anew, ${anew}.`,
	},
} as const;

export type Reuse = keyof typeof REUSES;

/** @param hasOption whether the operation has the option */
export function notesOnReuse(reuses: Reuse[], hasOption: boolean): Note[] {
	return Object.entries(REUSES).flatMap(([reuse, { kind, were }]) => {
		const { length } = reuses.filter((each) => each === reuse);
		if (length === 0) return [];
		const anew = hasOption ? ANEW : 'execute again';
		return {
			kind,
			entry: `${pluralize(length, 'result')} ${were(length === 1 ? 'was' : 'were', anew)}`,
		};
	});
}
