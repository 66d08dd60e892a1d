import { RateWindow } from '../../../../nodes/DocumentIntelligence/service/rateWindow';

// How many requests a window takes, probes and what other processes do are in rateLimit.test.ts.

const MINUTE = 60_000;

/** Ten seconds into a minute of the service's clock, which is the local one here. */
const BEGIN = 30_000_000 * MINUTE + 10_000;

const date = (at: number) => new Date(at).toUTCString();

const windowOf = (limit: number) => new RateWindow(limit, MINUTE, BEGIN);

test('without a Date header, a start counts for a minute and the time it may travel', () => {
	const window = windowOf(1);
	window.grant(BEGIN);
	expect(window.opensAt(BEGIN + 1000) - BEGIN).toBe(MINUTE + 250);
});

test('of requests that are rejected together, the longest Retry-After counts, once', () => {
	const window = windowOf(50);
	const starts = Array.from({ length: 10 }, () => window.grant(BEGIN));
	starts.forEach((start, number) => window.reject(start, BEGIN, number === 3 ? 5000 : 3000));
	expect(window.opensAt(BEGIN) - BEGIN).toBe(5000);
});

test('pauses that do not help become longer, until a request is accepted', () => {
	const window = windowOf(50);
	let now = BEGIN;
	const pause = () => {
		window.reject(window.grant(now), now, 0);
		return window.opensAt(now) - now;
	};
	const pauses = [0, 0, 0, 0].map(() => {
		const pausedMs = pause();
		now += pausedMs;
		window.opensAt(now);
		return pausedMs;
	});
	expect(pauses).toEqual([1000, 2000, 4000, 8000]);
	window.accept(window.grant(now));
	expect(pause()).toBe(1000);
});

test('a rejection that comes after the reset does not close the next window', () => {
	const window = windowOf(50);
	window.observe(window.grant(BEGIN), BEGIN, date(BEGIN));
	const late = window.grant(BEGIN);
	const after = BEGIN + MINUTE;
	window.opensAt(after);
	window.reject(late, after, undefined);
	expect(window.opensAt(after)).toBe(after);
});

test.each([
	[undefined, MINUTE],
	[86_400_000, MINUTE + 1000],
])('a pause by Retry-After %s is a window at most', (retryAfter, pauseMs) => {
	const window = windowOf(50);
	window.reject(window.grant(BEGIN), BEGIN, retryAfter);
	expect(window.opensAt(BEGIN) - BEGIN).toBe(pauseMs);
});
