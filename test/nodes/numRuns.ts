/** The random cases are the same each time, so that a change fails by its own defects. `RANDOM_SEED=2` tries others. */
export const SEED = Number(process.env.RANDOM_SEED ?? 1);

/** How many random cases a test tries: at most 200, or fewer, for every change, all of them in `npm run test:slow`. */
export function numRuns(usual: number, forEveryChange = 200): { numRuns: number; seed: number } {
	const isSlow = process.env.ALL_RANDOM_RUNS !== undefined;
	return { numRuns: isSlow ? usual : Math.min(usual, forEveryChange), seed: SEED };
}
