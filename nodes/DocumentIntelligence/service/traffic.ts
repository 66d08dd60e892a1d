import type { Clock } from './limiter';

/** Counts and timings of an execution's requests. */
export class Traffic {
	requests = 0;

	rejections = 0;

	retries = 0;

	/** Milliseconds in which at least one request waited for the rate limit. */
	waitedMs = 0;

	#waiting = 0;

	#waitingSince = 0;

	counts(): Record<string, number> {
		const { requests, rejections, retries, waitedMs } = this;
		return { requests, rejections, retries, waitedMs };
	}

	async waiting<T>(clock: Clock, wait: () => Promise<T>): Promise<T> {
		if (this.#waiting++ === 0) this.#waitingSince = clock.now();
		try {
			return await wait();
		} finally {
			if (--this.#waiting === 0) this.waitedMs += clock.now() - this.#waitingSince;
		}
	}
}
