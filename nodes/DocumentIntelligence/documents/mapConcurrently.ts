/**
 * Does the work on all entries, so many at a time, and gives the results in the order of the entries.
 * After the first failure nothing new begins; what is in flight comes to its end before that failure is thrown.
 */
export async function mapConcurrently<Entry, Result>(
	entries: readonly Entry[],
	atATime: number,
	work: (entry: Entry) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const failures: unknown[] = [];
	// Shared by all workers, and closed for all by the `for` loop in which one fails.
	const waiting = (function* () {
		yield* entries.entries();
	})();
	const worker = async () => {
		for (const [position, entry] of waiting) results[position] = await work(entry);
	};
	await Promise.all(
		Array.from({ length: Math.min(atATime, entries.length) }, () =>
			worker().catch((failure: unknown) => failures.push(failure)),
		),
	);
	if (failures.length > 0) throw failures[0];
	return results;
}
