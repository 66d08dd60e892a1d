/** How many random cases a test tries: at most 200, or fewer, for every change, all of them in `npm run test:slow`. */
export function numRuns(usual: number, forEveryChange = 200): { numRuns: number } {
	const isSlow = process.env.ALL_RANDOM_RUNS !== undefined;
	return { numRuns: isSlow ? usual : Math.min(usual, forEveryChange) };
}
