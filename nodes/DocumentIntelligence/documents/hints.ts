import type { NodeExecutionHint } from 'n8n-workflow';

import type { UncertainField } from '../results/values';
import { pluralize } from '../text/pluralize';
import type { Traffic } from '../service/traffic';

/** How many names a hint lists before it only counts. */
const MAX_LISTED_NAMES = 5;

/** What a user should know of a run that succeeded: one hint of each kind, never one per item. */
export class Hints {
	/** Names of files skipped by Ignore Unsupported Files. */
	readonly skippedFiles: string[] = [];

	/** Names of files skipped by Skip Processed Files. */
	readonly processedFiles: string[] = [];

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

	/** Documents that do not have the table named by Rows From. */
	readonly withoutTable: string[] = [];

	/** Files of which documents come without a file of their own, with the reason. */
	readonly notCut: string[] = [];

	/** Files of which documents come without pages, with how many. */
	readonly withoutPages: string[] = [];

	/** Files with page numbers that do not fit together, with what does not. */
	readonly pageRemarks: string[] = [];

	/** Names of parts that are larger than the operations on a single document take. */
	readonly largeParts: string[] = [];

	/** Documents with values that can be read in two ways. */
	readonly uncertain: UncertainDocument[] = [];

	/** What the service says that the run consumed; undefined where it says nothing. */
	#credits: number | undefined;

	/** Whether the list of jobs does not show all of them. */
	hasOlderJobs = false;

	/** How many columns the rows have, where those are too many to be repeated on each. */
	tooManyColumns = 0;

	/** Counts the credits of a request, if the service says how many. */
	addCredits(credits: number | undefined): void {
		if (credits !== undefined) this.#credits = (this.#credits ?? 0) + credits;
	}

	all({
		waitedMs,
		refusals,
		retries,
	}: Pick<Traffic, 'waitedMs' | 'refusals' | 'retries'>): NodeExecutionHint[] {
		return [
			hint(
				'warning',
				grouped(this.failures),
				() => `${pluralize(this.failures.length, 'document')} gave no result`,
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
			hint(
				'warning',
				this.withoutTable,
				(count) =>
					`${pluralize(count, 'document')} ${count === 1 ? 'does' : 'do'} not have the table named in Rows From and became one row each`,
			),
			hint(
				'warning',
				this.notCut,
				(count) =>
					`Items without a file because ${pluralize(count, 'file')} could not be cut into documents`,
			),
			hint(
				'warning',
				this.withoutPages,
				(count) => `Uncertain page numbers for documents in ${pluralize(count, 'file')}`,
			),
			hint(
				'warning',
				this.pageRemarks,
				(count) => `Inconsistent page ranges in ${pluralize(count, 'file')}`,
			),
			hint(
				'warning',
				this.largeParts,
				(count) =>
					`${pluralize(count, 'document')} larger than 10 MB, the limit of the other operations`,
			),
			uncertainValues(this.uncertain),
			columnsOmitted(this.tooManyColumns),
			olderJobs(this.hasOlderJobs),
			creditsOf(this.#credits),
			waited(waitedMs, refusals),
			retried(retries),
		].flat();
	}
}

/** A document, by its name or link in quotes. */
interface UncertainDocument {
	subject: string;
	fields: UncertainField[];
}

const LABELS: Record<UncertainField['decides'], string> = {
	dateOrder: 'Date Order',
	decimalMark: 'Decimal Mark',
};

function uncertainValues(documents: UncertainDocument[]): NodeExecutionHint[] {
	const settings = new Set(
		documents.flatMap(({ fields }) => fields.map(({ decides }) => LABELS[decides])),
	);
	return hint(
		'warning',
		documents.map(({ subject, fields }) => `${subject} (${listed(namesOf(fields))})`),
		(count) =>
			`Values of ${pluralize(count, 'document')} can be read in two ways and stayed text. If all of them are written in the same way, set ${[...settings].sort().join(' and ')} in the options`,
	);
}

function namesOf(fields: UncertainField[]): string[] {
	return [...new Set(fields.map(({ field }) => field))];
}

function creditsOf(credits: number | undefined): NodeExecutionHint[] {
	if (credits === undefined) return [];
	// Fractions are not to show how computers add them.
	const sum = Number(credits.toFixed(6));
	return outputHint('info', `The service reported ${pluralize(sum, 'credit')} for this run.`);
}

/** As n8n labels them (docs/n8n-behaviour.md, deduplication). */
const HOW_TO_FORGET =
	'. To process files again, run a Remove Duplicates node in this workflow with the operation Clear Deduplication History and, under Options, the Scope Workflow. While you build a workflow, you can turn Skip Processed Files off.';

function notRemembered(documents: number): NodeExecutionHint[] {
	if (documents === 0) return [];
	return outputHint(
		'warning',
		`${pluralize(documents, 'document')} could not be marked as processed in n8n's deduplication history. Skip Processed Files will not skip ${documents === 1 ? 'it' : 'them'} next time.`,
	);
}

function columnsOmitted(columns: number): NodeExecutionHint[] {
	if (columns === 0) return [];
	return outputHint(
		'warning',
		`The rows have ${columns} different columns. Only the first row has all of them; the other rows have only those with a value. Process documents with different fields in separate runs.`,
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

function waited(waitedMs: number, refusals: number): NodeExecutionHint[] {
	if (waitedMs < NOTICEABLE_MS) return [];
	const refused =
		refusals === 0
			? ''
			: ` The service rejected ${pluralize(refusals, 'request')}, which ${refusals === 1 ? 'was' : 'were'} retried at no cost: other programs may be using the same key.`;
	return outputHint(
		'info',
		`Waited ${pluralize(Math.round(waitedMs / 1000), 'second')} in total because of the rate limit of the API key.${refused}`,
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
