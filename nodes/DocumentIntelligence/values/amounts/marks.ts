import type { Amount } from './readAmount';
import type { Reading } from './readNumber';

/** The mark before the decimals and those between the groups, in a document or in a part of it. */
export interface Marks {
	decimal?: string;
	groups: ReadonlySet<string>;
}

/** The marks that readings show; undefined if there are none, or if they contradict each other: `$ 12.50`, `86,40 €`. */
export function marksOf(readings: Reading[]): Marks | undefined {
	const groups = new Set<string>();
	const decimals = new Set<string>();
	for (const { group, decimal } of readings) {
		if (group !== undefined) groups.add(group);
		if (decimal !== undefined) decimals.add(decimal);
	}
	const [decimal, second] = decimals;
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
	const { decimal: shown, groups } = marks;
	// `£2,468,013` shows that no decimals follow the comma in `£2,468`.
	if (shown === undefined) return decimal === undefined || !groups.has(decimal);
	// `86,40 €` shows that no decimals follow the point in `2.468`.
	if (decimal !== undefined && decimal !== shown) return false;
	// `$86.40` shows that the point in `2.468` does not group, and `USD 1 954.30` the same of the comma in `1,250`.
	return group === undefined || (groups.size === 0 ? group !== shown : groups.has(group));
}
