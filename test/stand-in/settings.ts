import type { FaultKind } from './faults/faults';
import type { SplitShape } from './processing/splitShapes';

/** Everything a test, the demo or a benchmark may change about the stand-in while it runs. */
export interface Settings {
	/** Requests one API key may make in one window; the routes share the count. */
	requestsPerWindow: number;
	/** Windows begin at multiples of this since the epoch, as a wall-clock minute does. */
	windowMs: number;
	/** Whether a rate-limit refusal says in seconds when the window resets. */
	retryAfter: boolean;
	/** How far the service's clock is ahead of the machine's; moves the window and the Date header. */
	clockSkewMs: number;
	/** Requests accepted before the account's quota is used up; null for no quota. */
	quota: number | null;
	/** Wait between upload and answer; a pair draws from the range. */
	latencyMs: number | [number, number];
	/** What happens to an upload that is answered before it was read. `close` ends the connection under it. */
	earlyAnswer: 'drain' | 'close';
	/** Share of API requests, 0 to 1, that meet a fault drawn from `faultKinds`. */
	faultRate: number;
	faultKinds: FaultKind[];
	/** Start of the random numbers behind `faultRate` and a ranged `latencyMs`. */
	seed: number;
	/** How long the address of a cropped image stays good. */
	imageLifetimeMs: number;
	/** How much of each request body the record keeps as it came over the wire. */
	rawBodyPrefixBytes: number;
	/** How an answer of Split says what it found. */
	splitShape: SplitShape;
}

export const defaultSettings: Settings = {
	requestsPerWindow: 50,
	windowMs: 60_000,
	retryAfter: true,
	clockSkewMs: 0,
	quota: null,
	latencyMs: 0,
	earlyAnswer: 'drain',
	faultRate: 0,
	faultKinds: ['html502', 'retryable503', 'reset'],
	seed: 1,
	imageLifetimeMs: 60_000,
	rawBodyPrefixBytes: 0,
	splitShape: 'startEnd',
};

/** `--requests-per-window 5 --latency-ms [10,50] --early-answer close`: one option per setting. */
export function settingsFromCommandLine(options: Record<string, unknown>): Partial<Settings> {
	const chosen: Record<string, unknown> = {};
	for (const name of Object.keys(defaultSettings)) {
		const option = options[name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
		if (typeof option !== 'string') continue;
		chosen[name] = name === 'faultKinds' ? option.split(',') : jsonOrText(option);
	}
	return chosen;
}

function jsonOrText(option: string): unknown {
	try {
		return JSON.parse(option);
	} catch {
		return option;
	}
}
