import type { NodeExecutionHint } from 'n8n-workflow';

import { describeCredits, joinSentences, oneLine, pluralize } from './words';

const MAX_LISTED_ENTRIES = 5;

const MAX_ENTRY_CHARACTERS = 300;

const MAX_HINTS = 3;

/** Kinds of notes, most important first. Each entry names a document, file or item, with the reason. */
const KINDS = {
	failed: (count: number) => `${pluralize(count, 'item')} failed`,
	notRecorded: () => "'Files Processed Before'",
	decision: (count: number) => `Have a person check ${pluralize(count, 'face comparison')}`,
	unknownFields: () => 'No document has these fields',
	unread: (count: number) =>
		`Cogneris returned ${pluralize(count, 'result')} in an unknown format, passed on unchanged`,
	review: () => 'Values to check',
	quality: (count: number) => `Cogneris reported low quality for ${pluralize(count, 'document')}`,
	pages: (count: number) => `Check the documents in ${pluralize(count, 'file')}`,
	markedCopies: () => 'Marked copies',
	nothingFound: (count: number) =>
		`No document was found in ${pluralize(count, 'file')}, so ${count === 1 ? 'it has' : 'they have'} no output`,
	notKept: (count: number) => `${pluralize(count, 'result')} too large to return again`,
	tables: () => 'Rows',
	types: (count: number) =>
		`${pluralize(count, 'file')} with other content than ${count === 1 ? 'its name says' : 'their names say'}`,
	skipped: (count: number) => `${pluralize(count, 'file')} skipped`,
	classified: (count: number) => pluralize(count, 'document'),
};

/** Kinds that nobody has to act on. */
const INFORMING = ['testRuns', 'tables', 'types', 'skipped', 'classified', 'service', 'earlier'];

/** Entry of `testRuns`, `service` and `earlier`: sentences of their own. */
export type NoteKind = keyof typeof KINDS | 'testRuns' | 'service' | 'earlier';

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
	/** Of the request that waited longest for the rate limit, in milliseconds. */
	waitedMs: number;
	rejections: number;
	retries: number;
}

/**
 * The notes above the output: what the run cost, what comes from earlier test runs, at most three kinds, and last what links
 * this run to others.
 */
export function hintsOf(
	notes: readonly Note[],
	totals: Totals = { waitedMs: 0, rejections: 0, retries: 0 },
): NodeExecutionHint[] {
	const rank = ({ isFirst }: Note) => (isFirst === true ? 1 : 0);
	const sorted = notes.toSorted((first, second) => rank(second) - rank(first));
	const notesOf = (kind: string) => sorted.filter((note) => note.kind === kind);
	const shown = (text: string) => oneLine(text, MAX_ENTRY_CHARACTERS);
	const entriesOf = (kind: string) => notesOf(kind).map(({ entry }) => shown(entry));
	const messages = Object.entries(KINDS).map(([kind, describe]): [string, string] => {
		const entries = entriesOf(kind);
		const groups = notesOf(kind).flatMap(({ group }) => (group === undefined ? [] : shown(group)));
		const list =
			groups.length > 1 ? describeEntries(groups, ', ', true) : describeEntries(entries, '; ');
		return [kind, entries.length === 0 ? '' : `${describe(entries.length)}: ${list}`];
	});
	const sentences = new Set(entriesOf('service'));
	messages.push(['service', joinSentences(describeTraffic(totals), ...sentences)]);
	const hints = messages.filter(([, message]) => message !== '').slice(0, MAX_HINTS);
	const fromTests = joinSentences(...new Set(entriesOf('testRuns')));
	if (fromTests !== '') hints.unshift(['testRuns', fromTests]);
	const cost = describeCost(totals);
	if (cost !== '') hints.unshift(['service', cost]);
	const last = joinSentences(...new Set(entriesOf('earlier')));
	if (last !== '') hints.push(['earlier', last]);
	return hints.map(([kind, message]) => ({
		message,
		type: INFORMING.includes(kind) ? 'info' : 'warning',
		location: 'outputPane',
	}));
}

function describeCost({ credits, withoutCredits = 0 }: Totals): string {
	return joinSentences(
		credits !== undefined && `Cogneris reported ${describeCredits(credits)} for this run.`,
		credits !== undefined &&
			withoutCredits > 0 &&
			`For ${pluralize(withoutCredits, 'document')} it reported none, so this is only a part.`,
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
