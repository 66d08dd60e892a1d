import type { IDataObject } from 'n8n-workflow';

import { numberOf, plainText } from '../text/json';
import { oneLine } from '../text/words';
import { Field, isFieldObject, rowOf, type FieldTree } from './fields';

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
}

/** What asks for a person; undefined if it is not requested. */
export interface Findings {
	doubts: Doubts;
	failures?: CheckFailure[];
	missingFields?: string[];
	/** Why Cogneris itself asks for a review. */
	warnings?: string[];
}

/** @returns what the output shows, and sentences with values of the document, which belong nowhere else */
export function review({ doubts, failures, missingFields, warnings = [] }: Findings): {
	lists: IDataObject;
	reasons: string[];
} {
	const { lowConfidenceFields, uncertainFields } = doubts;
	const namesOf = (list: Doubt[]) => list.map(({ path }) => pathName(path));
	const lists: IDataObject = {
		...(lowConfidenceFields && { lowConfidenceFields: namesOf(lowConfidenceFields) }),
		...(missingFields && { missingFields }),
		...(uncertainFields && { uncertainFields: namesOf(uncertainFields) }),
		...(failures && { failedChecks: failures.map(({ failedCheck }) => failedCheck) }),
	};
	// What decides most comes first, because only the first ones are shown.
	const reasons = [
		...warnings,
		...(failures ?? []).map(({ reason }) => reason),
		...(missingFields ?? []).map(withoutValue),
		...[...(uncertainFields ?? []), ...(lowConfidenceFields ?? [])].map(reasonOf),
	];
	const isRequested = reasons.length > 0 || Object.keys(lists).length > 0;
	return { lists: isRequested ? { needsReview: reasons.length > 0, ...lists } : {}, reasons };
}

/** The first reasons, and how many more there are. */
export function firstReasons(reasons: string[]): string[] {
	const more = reasons.length - MAX_REASONS;
	return more > 0 ? [...reasons.slice(0, MAX_REASONS), `and ${more} more`] : reasons;
}

/** The column of the reasons, which every row of a run has. */
export const NO_REASONS = { reviewReasons: null };

/** For one document: nobody reads more. */
const MAX_REASONS = 10;

export function reasonOf({ path, why }: Doubt): string {
	return `${pathName(withoutFields(path))} ${why}`;
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

export type Path = ReadonlyArray<string | number>;

/** As in the Simplified output, for example `fields.lineItems[2].amount`. */
export function pathName(path: Path): string {
	return path.reduce<string>((name, part) => {
		if (typeof part === 'number') return `${name}[${part}]`;
		return name === '' ? part : `${name}.${part}`;
	}, '');
}

export function withoutFields(path: Path): Path {
	return path.length > 1 && path[0] === 'fields' ? path.slice(1) : path;
}

/** A field in all rows of its table, without `fields`, for example `lineItems.amount`. */
export function fieldName(path: Path): string {
	return pathName(withoutFields(path).filter((part) => typeof part === 'string'));
}

/** Case, blanks, dots, dashes, underscores and a leading `fields` do not count: `Invoice number` is `invoiceNumber`. */
export function plainName(name: string): string {
	const plain = name.trim().toLowerCase();
	return plain.replace(/^fields[._]/, '').replace(/[\s._-]/g, '');
}

/** A field's name in all rows and, with the positions, its exact name, as names are compared. */
export function plainNames(path: Path): { name: string; exact: string } {
	return { name: plainName(fieldName(path)), exact: plainName(pathName(withoutFields(path))) };
}

/** The row that a value is in; empty for a value in no table. */
export function rowPath(path: Path): Path {
	return path.slice(0, path.findLastIndex((part) => typeof part === 'number') + 1);
}

/** Fields with a value and a low confidence. Plain values have no confidence and are not checked. */
export function lowConfidenceIn(tree: FieldTree, threshold: number, path: Path = []): Doubt[] {
	if (tree instanceof Field) {
		const why = confidenceDoubt(tree.details.confidence, threshold);
		if (why === undefined) return lowConfidenceIn(tree.value, threshold, path);
		return hasValue(tree) ? [{ path, why }] : [];
	}
	return partsOf(tree).flatMap(([name, part]) => lowConfidenceIn(part, threshold, [...path, name]));
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

/** White space and characters without a glyph, such as a zero-width space. */
const INVISIBLE = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** What documents print in place of a value. */
const NO_VALUE =
	/^(n\/a|n\.a\.|k\.a\.|none|null|[-\u2010-\u2015\u2212]+|_+|[.\u00b7\u2022\u2024-\u2027]+)?$/i;

/** False and 0 are values, too; a table has a value if a cell has one. */
export function hasValue(tree: FieldTree): boolean {
	if (tree instanceof Field) return hasValue(tree.value);
	if (typeof tree === 'object') return partsOf(tree).some(([, part]) => hasValue(part));
	return typeof tree !== 'string' || !NO_VALUE.test(tree.replace(INVISIBLE, ''));
}

interface Part {
	path: Path;
	part: Exclude<FieldTree, Field>;
}

/** A value and everything in it, the outer before the inner. Of a field, it is the value. */
export function partsIn(tree: FieldTree, path: Path = [], parts: Part[] = []): Part[] {
	const part = plainPart(tree);
	parts.push({ path, part });
	for (const [step, inner] of partsOf(part)) partsIn(inner, [...path, step], parts);
	return parts;
}

function plainPart(tree: FieldTree): Exclude<FieldTree, Field> {
	return tree instanceof Field ? plainPart(tree.value) : tree;
}

function partsOf(tree: FieldTree): Array<[string | number, FieldTree]> {
	if (Array.isArray(tree)) return [...tree.entries()];
	return isFieldObject(tree) ? Object.entries(tree) : [];
}
