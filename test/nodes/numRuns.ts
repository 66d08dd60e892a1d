/** How many random cases a test tries: at most 1,000 for every change, all of them in `npm run test:slow`. */
export function numRuns(usual: number): { numRuns: number } {
	return { numRuns: process.env.ALL_RANDOM_RUNS === undefined ? Math.min(usual, 1000) : usual };
}
