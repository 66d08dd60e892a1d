import type { NodeExecutionHint } from 'n8n-workflow';

import { describeCredits, joinSentences, oneLine, pluralize } from './words';

const MAX_LISTED_ENTRIES = 5;

const MAX_ENTRY_CHARACTERS = 300;

/** How many kinds are shown, besides those that always are. */
const MAX_KINDS = 3;

interface Kind {
	type: 'warning' | 'info';
	isAlwaysShown?: true;
	/** What the entries are, by their number. Without it, each is a sentence. */
	describe?: (count: number) => string;
}

const ALWAYS: Kind = { type: 'info', isAlwaysShown: true };

/** Somebody has to act on it. */
const warning = (describe: Kind['describe']): Kind => ({ type: 'warning', describe });

const info = (describe?: Kind['describe']): Kind => ({ type: 'info', describe });

/** Kinds of notes in the order in which they are shown. Each entry names a document, file or item, with the reason. */
const KINDS = {
	cost: ALWAYS,
	testRuns: ALWAYS,
	failed: warning((count) => `${pluralize(count, 'item')} failed`),
	notRecorded: warning(() => "'Files Processed Before'"),
	decision: warning((count) => `Have a person check ${pluralize(count, 'face comparison')}`),
	unknownFields: warning(() => 'No document has these fields'),
	unread: warning(
		(count) =>
			`Cogneris returned ${pluralize(count, 'result')} in an unknown format, passed on unchanged`,
	),
	review: warning(() => 'Values to check'),
	quality: warning((count) => `Cogneris reported low quality for ${pluralize(count, 'document')}`),
	pages: warning((count) => `Check the documents in ${pluralize(count, 'file')}`),
	markedCopies: warning(() => 'Marked copies'),
	nothingFound: warning(
		(count) =>
			`No document was found in ${pluralize(count, 'file')}, so ${count === 1 ? 'it has' : 'they have'} no output`,
	),
	notKept: warning((count) => `${pluralize(count, 'result')} too large to return again`),
	tables: info(() => 'Rows'),
	types: info(
		(count) =>
			`${pluralize(count, 'file')} with other content than ${count === 1 ? 'its name says' : 'their names say'}`,
	),
	skipped: info((count) => `${pluralize(count, 'file')} skipped`),
	classified: info((count) => pluralize(count, 'document')),
	service: info(),
	sentAnew: {
		...ALWAYS,
		describe: (count) =>
			count === 1
				? '1 file was sent again and may be billed again, because the image links in its earlier result no longer work'
				: `${count} files were sent again and may be billed again, because the image links in their earlier results no longer work`,
	},
	earlier: ALWAYS,
} satisfies Record<string, Kind>;

export type NoteKind = keyof typeof KINDS;

export interface Note {
	kind: NoteKind;
	/** What is listed, for example `"a.pdf" (page 3 in no document)`. */
	entry: string;
	/** What several notes of a kind are counted by, instead of being listed. */
	group?: string;
	/** Whether it is listed before the others of its kind. */
	isFirst?: boolean;
}

/** The notes that an operation writes while it works on a document. */
export class Notes {
	readonly list: Note[] = [];

	add(kind: NoteKind, entry: string, group?: string): void {
		this.list.push({ kind, entry, group });
	}
}

/** What the requests of a run came to. */
export interface Totals {
	/** Undefined if Cogneris reported none. */
	credits?: number;
	/** How many results came without credits. */
	withoutCredits?: number;
	/** How many documents failed and may be billed, without credits. */
	failedAtUnknownCost?: number;
	/** Of the request that waited longest for the rate limit, in milliseconds. */
	waitedMs: number;
	rejections: number;
	retries: number;
}

/** The notes above the output. What the run cost is one of them, and what its requests came to is part of another. */
export function hintsOf(
	notes: readonly Note[],
	totals: Totals = { waitedMs: 0, rejections: 0, retries: 0 },
): NodeExecutionHint[] {
	const ofRun: Record<string, string> = {
		cost: describePaid(totals),
		service: describeTraffic(totals),
	};
	const hints = Object.entries<Kind>(KINDS).map(([kind, { describe, ...shown }]) => {
		const ofKind = notes.filter((note) => note.kind === kind);
		return { ...shown, message: joinSentences(ofRun[kind] ?? '', messageOf(ofKind, describe)) };
	});
	const filled = hints.filter(({ message }) => message !== '');
	const ranked = filled.filter(({ isAlwaysShown }) => isAlwaysShown !== true);
	const tooMany = ranked.slice(MAX_KINDS);
	return filled
		.filter((hint) => !tooMany.includes(hint))
		.map(({ type, message }) => ({ type, message, location: 'outputPane' }));
}

/** Of the notes of one kind; empty if there are none. */
function messageOf(notes: Note[], describe: Kind['describe']): string {
	const shown = (text: string) => oneLine(text, MAX_ENTRY_CHARACTERS);
	const rank = ({ isFirst }: Note) => (isFirst === true ? 0 : 1);
	const sorted = notes.toSorted((one, other) => rank(one) - rank(other));
	const entries = sorted.map(({ entry }) => shown(entry));
	if (describe === undefined) return joinSentences(...new Set(entries));
	if (entries.length === 0) return '';
	const groups = sorted.flatMap(({ group }) => (group === undefined ? [] : shown(group)));
	const list =
		groups.length > 1 ? describeEntries(groups, ', ', true) : describeEntries(entries, '; ');
	return `${describe(entries.length)}: ${list}`;
}

function describePaid({ credits, withoutCredits = 0, failedAtUnknownCost = 0 }: Totals): string {
	if (credits === undefined) return '';
	return joinSentences(
		`Cogneris reported ${describeCredits(credits)} for this run.`,
		withoutCredits > 0 &&
			`For ${pluralize(withoutCredits, 'document')} it reported none, so this is only a part.`,
		failedAtUnknownCost > 0 &&
			`${pluralize(failedAtUnknownCost, 'failed document')} may be billed as well.`,
	);
}

/** Shorter waits are nothing a user would notice. */
const NOTICEABLE_MS = 1000;

function describeTraffic({ waitedMs, rejections, retries }: Totals): string {
	const isNoticeable = waitedMs >= NOTICEABLE_MS;
	return joinSentences(
		isNoticeable &&
			`Waited up to ${pluralize(Math.round(waitedMs / 1000), 'second')} for the rate limit of the API key.`,
		isNoticeable &&
			rejections > 0 &&
			`Cogneris rejected ${pluralize(rejections, 'request')}, and the node retried.`,
		retries > 0 &&
			`Retried ${pluralize(retries, 'time')} because the connection or Cogneris was unavailable.`,
	);
}

/**
 * Each entry once, with its number: many documents may fail for one reason.
 * @param isCount whether the number is what matters, as in "Invoice 14, Letter 3", the largest first
 */
export function describeEntries(entries: string[], separator = ', ', isCount = false): string {
	const counts = new Map<string, number>();
	for (const entry of entries) counts.set(entry, (counts.get(entry) ?? 0) + 1);
	const all = [...counts];
	if (isCount) all.sort(([, first], [, second]) => second - first);
	const timesOf = (count: number) => (count === 1 ? '' : ` (${count} times)`);
	const texts = all.map(([text, count]) => `${text}${isCount ? ` ${count}` : timesOf(count)}`);
	const more = texts.length - MAX_LISTED_ENTRIES;
	return `${texts.slice(0, MAX_LISTED_ENTRIES).join(separator)}${more > 0 ? `${separator}and ${more} more` : ''}`;
}
