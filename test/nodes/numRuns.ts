/** How many random cases a test tries: fewer where test/mutation runs it after each of hundreds of changes. */
export function numRuns(usual: number): { numRuns: number } {
	return { numRuns: process.env.MUTATION_TESTS === undefined ? usual : Math.min(usual, 200) };
}
