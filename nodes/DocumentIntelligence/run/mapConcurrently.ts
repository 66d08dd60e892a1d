/**
 * Runs `work` on all entries, at most `limit` at a time, and returns the results in the order of the entries.
 * After the first failure no more work starts; what is in flight ends before that failure is thrown.
 */
export async function mapConcurrently<Entry, Result>(
	entries: readonly Entry[],
	limit: number,
	work: (entry: Entry) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const failures: unknown[] = [];
	// Shared by all workers; a `for` loop that ends with a failure closes it for all of them.
	const waiting = (function* () {
		yield* entries.entries();
	})();
	const worker = async () => {
		for (const [position, entry] of waiting) results[position] = await work(entry);
	};
	await Promise.all(
		Array.from({ length: Math.min(limit, entries.length) }, () =>
			worker().catch((failure: unknown) => failures.push(failure)),
		),
	);
	if (failures.length > 0) throw failures[0];
	return results;
}
