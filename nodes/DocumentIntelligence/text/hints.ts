import type { NodeExecutionHint } from 'n8n-workflow';

import { pathName, withoutFields } from '../results/review';
import type { UncertainValue } from '../results/values';
import { oneLine } from './oneLine';
import { pluralize } from './pluralize';
import type { Traffic } from '../service/session';

/** How many names a hint lists before it only counts. */
const MAX_LISTED_NAMES = 5;

/** How many characters of a field's name or value a hint quotes. */
const MAX_NAME_CHARACTERS = 100;

/** What a user should know of a run that succeeded: one hint of each kind, never one per item. */
export class Hints {
	/** Names of files skipped by Ignore Unsupported Files. */
	readonly skippedFiles: string[] = [];

	/** Names of files that Skip Processed Files skipped because this workflow has processed them. */
	readonly processedFiles: string[] = [];

	/** Names of files that it skipped because the run has another copy, whatever became of that. */
	readonly copiedFiles: string[] = [];

	/** Whether those were all documents of the run. */
	isAllProcessed = false;

	/** How many processed documents n8n's history does not have, so that a later run would send them again. */
	notRemembered = 0;

	/** Documents the service found hard to read, with its remark. */
	readonly qualityRemarks: string[] = [];

	/** What kept documents from a result in a run that went on: such items are easily overlooked among the others. */
	readonly failures: string[] = [];

	/** Files in which Crop found no document, so that no item is there for them. */
	readonly nothingCropped: string[] = [];

	/** What a user should know of tables and columns. */
	readonly tableRemarks: string[] = [];

	/** Files that Split has cut in part or not at all, with what does not fit. */
	readonly #pages: string[] = [];

	/** Comparisons of Match Faces that a person should decide, with the reason. */
	readonly #decisions: string[] = [];

	/** Documents with values that can be read in two ways. */
	readonly #uncertain: UncertainDocument[] = [];

	/** The names that an option has, as the user wrote them, and whether a document has such a field. */
	readonly #names = new Map<string, NamedField>();

	/** What the service says that the run consumed; undefined where it says nothing. */
	#credits: number | undefined;

	/** Whether the list of jobs does not show all of them. */
	hasOlderJobs = false;

	/** @param isAboutDocuments false for operations on jobs and stored files */
	constructor(private readonly isAboutDocuments = true) {}

	/** @param entry as the hint lists it, for example `"a.pdf" (page 3 in no document)` */
	add(kind: 'decision' | 'nothingFound' | 'pages', entry: string): void {
		const lists = {
			decision: this.#decisions,
			nothingFound: this.nothingCropped,
			pages: this.#pages,
		};
		lists[kind].push(entry);
	}

	/** Counts the credits of a request, if the service says how many. */
	addCredits(credits: number | undefined): void {
		if (credits !== undefined) this.#credits = (this.#credits ?? 0) + credits;
	}

	/** @param subject the document, by its name or link in quotes */
	addUncertain(subject: string, values: UncertainValue[]): void {
		if (values.length === 0) return;
		const groups = SETTINGS.map((decides) => {
			const own = values.filter((value) => value.decides === decides);
			return { decides, count: own.length, examples: own.slice(0, MAX_EXAMPLES) };
		});
		this.#uncertain.push({ subject, groups });
	}

	/**
	 * Notes for the names of fields in an option which of them a document has.
	 *
	 * @param option as it is labelled
	 */
	addNames(option: string, names: string[], unknown: string[]): void {
		for (const name of names) {
			const key = `${option} ${name}`;
			const noted = this.#names.get(key);
			this.#names.set(key, {
				option,
				name,
				isKnown: (noted?.isKnown ?? false) || !unknown.includes(name),
			});
		}
	}

	all({
		waitedMs,
		rejections,
		retries,
	}: Pick<Traffic, 'waitedMs' | 'rejections' | 'retries'>): NodeExecutionHint[] {
		return [
			hint('warning', grouped(this.failures), () =>
				this.isAboutDocuments
					? `${pluralize(this.failures.length, 'document')} gave no result`
					: `${pluralize(this.failures.length, 'item')} failed`,
			),
			hint(
				'info',
				this.skippedFiles,
				(count) => `${pluralize(count, 'file')} skipped because the file type is not supported`,
			),
			hint(
				'info',
				this.processedFiles,
				(count) =>
					`${pluralize(count, 'file')} skipped because this workflow has already processed ${count === 1 ? 'it' : 'them'}`,
				`${this.isAllProcessed ? '. The run has no output because nothing else was there to process' : ''}${HOW_TO_FORGET}`,
			),
			hint(
				'info',
				this.copiedFiles,
				(count) =>
					`${pluralize(count, 'file')} skipped because ${count === 1 ? 'it is a copy of another file' : 'they are copies of other files'} in this run`,
			),
			notRemembered(this.notRemembered),
			hint(
				'warning',
				this.qualityRemarks,
				(count) => `The service reported low quality for ${pluralize(count, 'document')}`,
			),
			hint(
				'warning',
				this.nothingCropped,
				(count) =>
					`No document was found in ${pluralize(count, 'file')}, so ${count === 1 ? 'it has' : 'they have'} no output`,
			),
			hint('info', this.tableRemarks, () => 'About the rows'),
			hint(
				'warning',
				this.#decisions,
				(count) => `A person should look at ${pluralize(count, 'decision')}`,
			),
			hint('warning', this.#pages, (count) => `Check the documents of ${pluralize(count, 'file')}`),
			uncertainValues(this.#uncertain),
			unknownFields([...this.#names.values()].filter(({ isKnown }) => !isKnown)),
			olderJobs(this.hasOlderJobs),
			creditsOf(this.#credits),
			waited(waitedMs, rejections),
			retried(retries),
		].flat();
	}
}

interface UncertainDocument {
	/** By its name or link in quotes. */
	subject: string;
	/** How many of its values each setting would decide, or none, with the first of them. */
	groups: Array<Pick<UncertainValue, 'decides'> & { count: number; examples: UncertainValue[] }>;
}

/** How many values a hint names for each setting. */
const MAX_EXAMPLES = 3;

const SETTINGS = ['dateOrder', 'decimalMark', undefined] as const;

/** What a user can do about the values that a setting decides, or none. */
function remedy(decides: UncertainValue['decides']): string {
	if (decides === 'dateOrder')
		return 'If all dates are printed in the same order, set Date Order in the options';
	if (decides === 'decimalMark')
		return 'If all amounts are printed in the same way, set Decimal Mark in the options';
	return 'No option decides years of two digits and numbers in brackets; correct them, or name their fields in Keep as Text';
}

function uncertainValues(documents: UncertainDocument[]): NodeExecutionHint[] {
	const [first, ...others] = documents;
	if (first === undefined) return [];
	const isOne = others.length === 0;
	const remedies = SETTINGS.flatMap((decides) => {
		const examples = examplesOf(documents, decides, isOne);
		return examples === '' ? [] : [`${remedy(decides)}: ${examples}.`];
	});
	return outputHint(
		'warning',
		`Values of ${isOne ? first.subject : pluralize(documents.length, 'document')} can be read in two ways and stayed text. ${remedies.join(' ')}`,
	);
}

/** The first value of each document, or the first values of one. */
function examplesOf(
	documents: UncertainDocument[],
	decides: UncertainValue['decides'],
	isOne: boolean,
): string {
	const own = documents.flatMap(({ subject, groups }) =>
		groups
			.filter((group) => group.decides === decides && group.count > 0)
			.map((group) => ({ ...group, subject })),
	);
	const shown = own
		.flatMap(({ subject, examples }) =>
			examples.slice(0, own.length === 1 ? MAX_EXAMPLES : 1).map(({ path, text }) => {
				const field = quoted(pathName(withoutFields(path)));
				return `"${quoted(text)}" (${isOne ? field : `${field} in ${subject}`})`;
			}),
		)
		.slice(0, MAX_EXAMPLES);
	const rest = own.reduce((sum, { count }) => sum + count, 0) - shown.length;
	return `${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`;
}

interface NamedField {
	name: string;
	/** As it is labelled. */
	option: string;
	isKnown: boolean;
}

function unknownFields(fields: NamedField[]): NodeExecutionHint[] {
	if (fields.length === 0) return [];
	const names = fields.map(({ name, option }) => `"${quoted(name)}" in ${option}`);
	return outputHint(
		'warning',
		fields.length === 1
			? `No document has the field ${listed(names)}. Check its name in the Fields or Simplified output.`
			: `No document has the fields ${listed(names)}. Check their names in the Fields or Simplified output.`,
	);
}

function quoted(text: string): string {
	return oneLine(text, MAX_NAME_CHARACTERS);
}

function creditsOf(credits: number | undefined): NodeExecutionHint[] {
	if (credits === undefined) return [];
	// Fractions are not to show how computers add them.
	const sum = Number(credits.toFixed(6));
	return outputHint('info', `The service reported ${pluralize(sum, 'credit')} for this run.`);
}

/** As n8n labels them (docs/n8n-behaviour.md, deduplication). */
const HOW_TO_FORGET =
	'. To process files again, add a Remove Duplicates node that is connected to nothing, choose the operation Clear Deduplication History and, under Options, the Scope Workflow, and click Execute step. While you build a workflow, you can turn Skip Processed Files off.';

function notRemembered(documents: number): NodeExecutionHint[] {
	if (documents === 0) return [];
	return outputHint(
		'warning',
		`${pluralize(documents, 'document')} could not be marked as processed in n8n's deduplication history. Skip Processed Files will not skip ${documents === 1 ? 'it' : 'them'} next time.`,
	);
}

function olderJobs(hasOlderJobs: boolean): NodeExecutionHint[] {
	if (!hasOlderJobs) return [];
	return outputHint(
		'info',
		'Older jobs are not shown. Limit can be raised to 100, which is how many jobs the service lists; others can be read by their ID.',
	);
}

/** Shorter waits are nothing a user would notice. */
const NOTICEABLE_MS = 1000;

function waited(waitedMs: number, rejections: number): NodeExecutionHint[] {
	if (waitedMs < NOTICEABLE_MS) return [];
	const rejected =
		rejections === 0
			? ''
			: ` The service rejected ${pluralize(rejections, 'request')}, which ${rejections === 1 ? 'was' : 'were'} retried at no cost: other programs may be using the same key.`;
	return outputHint(
		'info',
		`Waited ${pluralize(Math.round(waitedMs / 1000), 'second')} in total because of the rate limit of the API key.${rejected}`,
	);
}

function retried(retries: number): NodeExecutionHint[] {
	if (retries === 0) return [];
	return outputHint(
		'info',
		`${pluralize(retries, 'request')} ${retries === 1 ? 'was' : 'were'} retried because the connection or the service was briefly unavailable.`,
	);
}

/** Each text once, with its number: many documents may fail for one reason. */
function grouped(texts: string[]): string[] {
	const counts = new Map<string, number>();
	for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
	return [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
}

function outputHint(type: NodeExecutionHint['type'], message: string): NodeExecutionHint[] {
	return [{ message, type, location: 'outputPane' }];
}

function hint(
	type: NodeExecutionHint['type'],
	entries: string[],
	said: (count: number) => string,
	then = '',
): NodeExecutionHint[] {
	if (entries.length === 0) return [];
	return outputHint(type, `${said(entries.length)}: ${listed(entries)}${then}`);
}

function listed(names: string[]): string {
	const rest =
		names.length > MAX_LISTED_NAMES ? `, and ${names.length - MAX_LISTED_NAMES} more` : '';
	return `${names.slice(0, MAX_LISTED_NAMES).join(', ')}${rest}`;
}
