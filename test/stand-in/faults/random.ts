/** Numbers from 0 to 1 that come out the same for the same seed, so that a run with faults can be repeated. */
export function seededRandom(seed: number): () => number {
	let state = (seed * 2_654_435_761) >>> 0;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		const mixed = Math.imul(state ^ (state >>> 15), 2_246_822_519) >>> 0;
		return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
	};
}
