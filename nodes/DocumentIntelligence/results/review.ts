import type { IDataObject } from 'n8n-workflow';

import { numberOf, plainText } from '../text/json';
import { oneLine } from '../text/words';
import { Field, hasValue, partsIn, partsOf, rowOf, type FieldTree } from './fields';
import { fieldName, plainName, plainNames, rowPath, shortName, type Path } from './paths';

/** A value to review, and the end of the sentence about it. */
export interface Doubt {
	path: Path;
	why: string;
}

/** The values to review, by output list; undefined if the list is not requested. */
export type Doubts = Partial<Record<'lowConfidenceFields' | 'uncertainFields', Doubt[]>>;

/** A check that a document, or a row of it, has not passed, and the sentence that explains it. */
export interface CheckFailure {
	failedCheck: {
		/** The line as it is written. */
		check: string;
		/** The right side, rounded to the decimals of the left; null is what is not known, here and below. */
		expected: number | null;
		/** The left side. */
		actual: number | null;
		/** Actual minus expected. */
		difference: number | null;
		/** Its position in the table, from 0, if the check holds for each row. */
		row?: number;
	};
	reason: string;
	/** Of the left side; absent if the document does not have it. */
	path?: Path;
}

/** What asks for a person; undefined if it is not requested. */
export interface Findings {
	doubts: Doubts;
	failures?: CheckFailure[];
	missingFields?: string[];
	/** By reason, if its value is marked in a copy. */
	numbers?: ReadonlyMap<string, number>;
	/** Why Cogneris itself asks for a review. */
	warnings?: string[];
}

/** What the output shows of a review. */
interface ReviewLists {
	needsReview?: boolean;
	lowConfidenceFields?: string[];
	missingFields?: string[];
	uncertainFields?: string[];
	failedChecks?: Array<CheckFailure['failedCheck']>;
	/** Wherever needsReview is. */
	reviewReasons?: string[];
}

/** @returns what the output shows, and sentences with values of the document, which belong nowhere else */
export function review({ doubts, failures, missingFields, numbers, warnings = [] }: Findings): {
	lists: ReviewLists;
	reasons: string[];
} {
	const { lowConfidenceFields, uncertainFields } = doubts;
	const namesOf = (list: Doubt[]) => list.map(({ path }) => shortName(path));
	const lists: ReviewLists = {
		...(lowConfidenceFields && { lowConfidenceFields: namesOf(lowConfidenceFields) }),
		...(missingFields && { missingFields }),
		...(uncertainFields && { uncertainFields: namesOf(uncertainFields) }),
		...(failures && { failedChecks: failures.map(({ failedCheck }) => failedCheck) }),
	};
	// What decides most comes first, because only the first ones are shown.
	const reasons = [
		...warnings,
		...(failures ?? []).map(reasonOf),
		...(missingFields ?? []).map(withoutValue),
		...[...(uncertainFields ?? []), ...(lowConfidenceFields ?? [])].map(reasonOf),
	].map((reason) => (numbers?.has(reason) ? `(${numbers.get(reason)}) ${reason}` : reason));
	const needsReview = reasons.length > 0;
	if (!needsReview && Object.keys(lists).length === 0) return { lists: {}, reasons };
	return { lists: { needsReview, ...lists, reviewReasons: firstReasons(reasons) }, reasons };
}

/**
 * The lists as cells of a row, which a sheet and an email can show; of a check, the line. Of the reasons, only their place:
 * the columns of the run can add some.
 */
export function listCells({ failedChecks, reviewReasons, ...lists }: ReviewLists): IDataObject {
	const checks = failedChecks && { failedChecks: failedChecks.map(({ check }) => check) };
	const reasons = reviewReasons && { reviewReasons: [] };
	return Object.fromEntries(
		Object.entries({ ...lists, ...checks, ...reasons }).map(([name, list]) => [
			name,
			Array.isArray(list) ? listText(list) : list,
		]),
	);
}

/** Each entry once, so that a cell can be split into its entries. */
export function listText(entries: Iterable<string>): string {
	return [...new Set(entries)].join(', ');
}

/** The first reasons, and how many more there are. */
export function firstReasons(reasons: string[]): string[] {
	const more = reasons.length - MAX_REASONS;
	return more > 0 ? [...reasons.slice(0, MAX_REASONS), `and ${more} more`] : reasons;
}

/** For one document: nobody reads more. */
const MAX_REASONS = 10;

export function reasonOf(doubt: Doubt | CheckFailure): string {
	return 'reason' in doubt ? doubt.reason : `${shortName(doubt.path)} ${doubt.why}`;
}

export function withoutValue(field: string): string {
	return `${field} has no value`;
}

/** The end of a sentence about a low confidence. A missing one, or one that is no number, counts as 0. */
export function confidenceDoubt(confidence: unknown, threshold: number): string | undefined {
	const number = numberOf(confidence);
	if ((number ?? 0) >= threshold) return undefined;
	if (number === null) return 'has no confidence';
	return `has a confidence of ${number}, below ${threshold}`;
}

/**
 * @param readings what the value can be; none or one if it cannot be read at all
 * @param option the label of the option that would decide, if any
 */
export function uncertaintyOf(printed: unknown, readings: string[] = [], option?: string): string {
	const doubt =
		readings.length > 1
			? `can be ${readings.join(' or ')}`
			: `is ${inSentence(printed)}, which cannot be read with certainty`;
	return option === undefined ? doubt : `${doubt}: set ${option}`;
}

export function inSentence(value: unknown): string {
	return oneLine(plainText(value), 100);
}

/**
 * Fields with a value and a low confidence. Plain values have no confidence and are not checked.
 * @param thresholds by plain name, each for a field and all that is in it
 * @param around the threshold of what the field is in
 */
export function lowConfidenceIn(
	tree: FieldTree,
	thresholds: ReadonlyMap<string, number>,
	path: Path = [],
	around = 0,
): Doubt[] {
	const { exact, name } = plainNames(path);
	const threshold = thresholds.get(exact) ?? thresholds.get(name) ?? around;
	if (tree instanceof Field) {
		const why = confidenceDoubt(tree.details.confidence, threshold);
		if (why === undefined) return lowConfidenceIn(tree.value, thresholds, path, around);
		return hasValue(tree) ? [{ path, why }] : [];
	}
	return partsOf(tree).flatMap(([step, part]) =>
		lowConfidenceIn(part, thresholds, [...path, step], threshold),
	);
}

/**
 * Whether fields have a value, by plain name: of their path (`lineItems[2].amount`) and, without positions, of all rows
 * (`lineItems.amount`). A cell has no name by itself: the total of a line is not that of the invoice.
 */
export function filledFields(document: FieldTree): Map<string, boolean> {
	const counts = new Map<string, { fields: number; filled: number; table: string }>();
	const rowCounts = new Map<string, number>();
	const count = (name: string, part: FieldTree, table = '') => {
		const { fields, filled } = counts.get(name) ?? { fields: 0, filled: 0 };
		counts.set(name, { fields: fields + 1, filled: filled + Number(hasValue(part)), table });
	};
	for (const { path, part } of partsIn(document)) {
		const { exact, name } = plainNames(path);
		if (exact !== name) count(exact, part);
		// Without its position, a row has no name.
		if (typeof path.at(-1) === 'string')
			count(name, part, plainNames(rowPath(path).slice(0, -1)).name);
		const rows = Array.isArray(part) ? part.filter(rowOf).length : 0;
		rowCounts.set(name, (rowCounts.get(name) ?? 0) + rows);
	}
	return new Map(
		[...counts].map(([name, { fields, filled, table }]) => [
			name,
			filled === fields && fields >= (rowCounts.get(table) ?? 1),
		]),
	);
}

/** The required fields that a document has no value for, as it names them. */
export function missingFieldsIn(document: FieldTree, required: string[]): string[] {
	const filled = filledFields(document);
	const names = new Map<string, string>();
	for (const { path } of partsIn(document))
		for (const name of [shortName(path), fieldName(path)]) names.set(plainName(name), name);
	return required
		.filter((name) => filled.get(plainName(name)) !== true)
		.map((name) => names.get(plainName(name)) ?? name.replace(/^fields\./i, ''));
}
