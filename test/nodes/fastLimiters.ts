import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';

/** Of the service, and so what the windows of a stand-in take on a clock that is this much faster. */
const WINDOW_MS = 60_000;

export function fastWindowMs(speed: number): number {
	return WINDOW_MS / speed;
}

/**
 * Limiters of a process of its own on whose clock pauses and windows pass so much faster. Unlike instantLimiters, it
 * leaves time to requests in flight.
 */
export function fastLimiters(speed: number): Limiters {
	const began = performance.now();
	return new Limiters(
		{
			now: () => performance.timeOrigin + began + (performance.now() - began) * speed,
			sleep: async (ms) => await new Promise((go) => setTimeout(go, ms / speed)),
		},
		WINDOW_MS,
	);
}
