import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';

/** How much faster than the machine's the clock of a run is, so that pauses and windows pass soon. */
export const SPEED = 20;

export const WINDOW_MS = 60_000;

/** Limiters of a process of its own, on a fast clock; the stand-in's window has to be as much shorter. */
export function limitersOfFastClock(): Limiters {
	const began = performance.now();
	return new Limiters(
		{
			now: () => performance.timeOrigin + began + (performance.now() - began) * SPEED,
			sleep: async (ms) => await new Promise((go) => setTimeout(go, ms / SPEED)),
		},
		WINDOW_MS,
	);
}
