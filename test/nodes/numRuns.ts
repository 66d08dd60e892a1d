/** How many random cases a test tries: fewer where test/mutation runs it after each of hundreds of changes. */
export function numRuns(usual: number): { numRuns: number } {
	const few = Math.min(Math.ceil(usual / 10), 200);
	return { numRuns: process.env.MUTATION_TESTS === undefined ? usual : few };
}
