export interface WindowRules {
	requestsPerWindow: number;
	windowMs: number;
}

export type Admission = { admitted: true } | { admitted: false; resetsInMs: number };

/** Counts requests per API key in fixed windows: nothing refills before the next window begins. */
export class RateWindow {
	private readonly counts = new Map<string, { window: number; requests: number }>();

	admit(key: string, now: number, rules: WindowRules): Admission {
		const window = Math.floor(now / rules.windowMs);
		const kept = this.counts.get(key);
		const count = kept?.window === window ? kept : { window, requests: 0 };
		this.counts.set(key, count);
		if (count.requests < rules.requestsPerWindow) {
			count.requests += 1;
			return { admitted: true };
		}
		return { admitted: false, resetsInMs: (window + 1) * rules.windowMs - now };
	}
}
