import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';

/** Limiters of a process on whose clock every wait is over at once, so that minutes of waiting can be counted. */
export function instantLimiters(): { limiters: Limiters; elapsedMs: () => number } {
	const began = Date.now();
	let elapsedMs = 0;
	const limiters = new Limiters({
		now: () => began + elapsedMs,
		sleep: async (ms) => {
			elapsedMs += ms;
			await Promise.resolve();
		},
	});
	return { limiters, elapsedMs: () => elapsedMs };
}
