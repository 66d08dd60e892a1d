import { grouped } from '../text/grouped';
import type { ColumnCell } from './columns';
import type { FieldObject } from './fields';
import { shortName, type Path } from './paths';
import { firstReasons, listText, reasonOf, uncertaintyOf, type Doubts } from './review';

/** What is known of a document for the person who reviews its rows. */
export interface DocumentReview {
	/** The fields to review, in lists that are named as their columns. */
	doubts?: Doubts;
	/** Why a person should look at the document. */
	reasons?: string[];
	/** What became of the values, if they were converted. */
	cells?: ColumnCell[];
}

/**
 * @param tablePath of the table that has a row per line item, if the document has one
 * @param texts what a sum of its column would skip
 * @returns what the row at a position of that table says of its review, by column
 */
export function reviewByRow(
	{ cells = [], reasons: knownReasons = [], doubts = {} }: DocumentReview,
	tablePath: Path | undefined,
	texts: ReadonlySet<ColumnCell>,
): (position?: number) => FieldObject {
	const added = cells
		.filter((cell) => texts.has(cell))
		.map(({ path, value }) => ({ path, why: uncertaintyOf(value) }));
	const { lowConfidenceFields, uncertainFields: uncertain } = doubts;
	const uncertainFields = uncertain && [...uncertain, ...added];
	const listsAt = listsByRow({ lowConfidenceFields, uncertainFields }, tablePath);
	const reasons = [...knownReasons, ...added.map(reasonOf)];
	const shared = {
		...(added.length > 0 && { needsReview: true }),
		...(reasons.length > 0 && { reviewReasons: firstReasons(reasons).join('; ') }),
	};
	return (position) => ({ ...listsAt(position), ...shared });
}

/** The lists of fields to review, by row: entries that all rows of the document repeat, then those of its own. */
function listsByRow(
	doubts: Doubts,
	tablePath: Path | undefined,
): (position?: number) => Record<string, string> {
	const lists = Object.entries(doubts).flatMap(([list, values]) => {
		if (values === undefined) return [];
		const entries = values.map(({ path }) => entryFor(path, tablePath));
		const repeated = entries.filter(({ position }) => position === undefined);
		return [
			{
				list,
				repeated: new Set(repeated.map(({ name }) => name)),
				ofRow: grouped(entries, ({ position }) => position?.toString()),
			},
		];
	});
	return (position) =>
		Object.fromEntries(
			lists.map(({ list, repeated, ofRow }) => {
				const entries = ofRow.get(String(position)) ?? [];
				return [list, listText([...repeated, ...entries.map(({ name }) => name)])];
			}),
		);
}

/** How a field to review is listed: with the position of the row that lists it, or in all rows. */
function entryFor(path: Path, tablePath: Path | undefined): { position?: number; name: string } {
	if (tablePath === undefined) return { name: shortName(path) };
	const position = positionIn(tablePath, path);
	const firstStep = position === undefined ? 0 : tablePath.length + 1;
	const list = path.findIndex((step, at) => at >= firstStep && typeof step === 'number');
	// Every row would repeat all entries of another table or list, so only its name is listed.
	return { position, name: shortName(list < 0 ? path : path.slice(0, list)) };
}

/** The row of a table that a value is in; undefined for a value outside of the table. */
function positionIn(tablePath: Path, path: Path): number | undefined {
	const position = path[tablePath.length];
	const isInTable = tablePath.every((step, at) => path[at] === step);
	return isInTable && typeof position === 'number' ? position : undefined;
}
