/** Entries by their key, in their order; an entry without a key is in no group. */
export function grouped<Entry>(
	entries: Iterable<Entry>,
	keyOf: (entry: Entry) => string | undefined,
): Map<string, Entry[]> {
	const groups = new Map<string, Entry[]>();
	for (const entry of entries) {
		const key = keyOf(entry);
		if (key === undefined) continue;
		const group = groups.get(key) ?? [];
		group.push(entry);
		groups.set(key, group);
	}
	return groups;
}
