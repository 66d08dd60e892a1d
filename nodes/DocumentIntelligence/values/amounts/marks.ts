import type { Amount } from './readAmount';
import type { Reading } from './readNumber';

/** The mark before the decimals and those between the groups, in a document or in a part of it. */
export interface Marks {
	decimal?: string;
	groups: ReadonlySet<string>;
}

/** The marks that readings show; undefined if there are none, or if they contradict each other: `$ 12.50`, `86,40 €`. */
export function marksOf(readings: Reading[]): Marks | undefined {
	const groups = new Set(readings.flatMap(({ group }) => group ?? []));
	const [decimal, second] = new Set(readings.flatMap((reading) => reading.decimal ?? []));
	if (decimal === undefined) return groups.size > 0 ? { groups } : undefined;
	return second !== undefined || groups.has(decimal) ? undefined : { decimal, groups };
}

/** The only reading that the marks leave; undefined if there is none, or more than one. */
export function onlyReading({ readings }: Amount, marks?: Marks): Reading | undefined {
	const [reading, second] = readings.filter((each) => isAllowed(each, marks));
	return second === undefined ? reading : undefined;
}

/** Whether a reading uses no mark in another role than the marks show. */
export function isAllowed({ decimal, group }: Reading, marks?: Marks): boolean {
	if (marks === undefined) return true;
	return isAllowedDecimal(decimal, marks) && isAllowedGroup(group, marks);
}

function isAllowedDecimal(decimal: string | undefined, marks: Marks): boolean {
	if (decimal === undefined) return true;
	// `£2,468,013` shows that no decimals follow the comma in `£2,468`.
	if (marks.decimal === undefined) return !marks.groups.has(decimal);
	// `86,40 €` shows that no decimals follow the point in `2.468`.
	return decimal === marks.decimal;
}

function isAllowedGroup(group: string | undefined, marks: Marks): boolean {
	if (group === undefined || marks.decimal === undefined) return true;
	// `$86.40` shows that the point in `2.468` does not group.
	if (group === marks.decimal) return false;
	// `USD 1 954.30` shows both marks, so the comma in `1,250` does not group.
	return marks.groups.size === 0 || marks.groups.has(group);
}
