/** How many random cases a test tries: at most 200 for every change, all of them in `npm run test:slow`. */
export function numRuns(usual: number): { numRuns: number } {
	return { numRuns: process.env.ALL_RANDOM_RUNS === undefined ? Math.min(usual, 200) : usual };
}
