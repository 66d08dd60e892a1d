import { RateWindow } from '../../../../nodes/DocumentIntelligence/service/rateWindow';

const MINUTE = 60_000;

/** Ten seconds into a minute of the service's clock, which is the local one here. */
const BEGIN = 30_000_000 * MINUTE + 10_000;

const date = (at: number) => new Date(at).toUTCString();

const windowOf = (limit: number) => new RateWindow(limit, MINUTE, BEGIN);

/** Starts as many as may start at a time. */
function startAll(window: RateWindow, at: number) {
	const starts = [];
	while (window.opensAt(at) <= at && starts.length < 100) starts.push(window.grant(at));
	return starts;
}

test('a window takes as many starts as the limit, and the next one opens after the reset', () => {
	const window = windowOf(50);
	const [first, ...rest] = startAll(window, BEGIN);
	expect(rest).toHaveLength(49);
	window.observe(first!, BEGIN, date(BEGIN));
	const next = window.opensAt(BEGIN);
	expect(next - BEGIN).toBe(50_050);
	expect(startAll(window, next - 1)).toEqual([]);
	expect(startAll(window, next)).toHaveLength(50);
});

test('what starts shortly before a reset counts in the next window, too', () => {
	const window = windowOf(50);
	window.observe(window.grant(BEGIN), BEGIN, date(BEGIN));
	// A second and 400 ms before: by its whole seconds, the Date header may be that much late, and a request travels.
	const end = BEGIN + 48_600;
	window.opensAt(end);
	for (let started = 0; started < 10; started++) window.grant(end);
	expect(startAll(window, BEGIN + 50_050)).toHaveLength(40);
});

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

describe('After a window of which six of ten starts were accepted', () => {
	function reduced() {
		const window = windowOf(50);
		const rejected = Array.from({ length: 10 }, () => window.grant(BEGIN)).slice(6);
		for (const start of rejected) window.reject(start, BEGIN, 50_000);
		const opened = window.opensAt(BEGIN);
		return { window, opened, starts: startAll(window, opened) };
	}

	test('as many start at once, and a single probe after the first part of the window', () => {
		const { window, opened, starts } = reduced();
		expect(starts.map(({ isProbe }) => isProbe)).toEqual(Array(6).fill(false));
		const probeAt = window.opensAt(opened);
		expect(probeAt - opened).toBe(250 + 0.15 * MINUTE);
		expect(startAll(window, probeAt).map(({ isProbe }) => isProbe)).toEqual([true]);
	});

	test('each accepted probe lets two follow at first, then one, up to the limit', () => {
		const { window, opened } = reduced();
		const probeAt = window.opensAt(opened);
		const perRound = Array.from({ length: 50 }, () => {
			const probes = startAll(window, probeAt);
			for (const probe of probes) window.accept(probe);
			return probes.length;
		});
		expect(perRound.slice(0, 3)).toEqual([1, 2, 4]);
		expect(perRound.reduce((sum, probes) => sum + probes)).toBe(50 - 6);
	});

	test('the next window begins with all that this one granted', () => {
		const { window, opened, starts } = reduced();
		window.observe(starts[0]!, opened, date(opened));
		const probeAt = opened + MINUTE / 2;
		for (const probe of startAll(window, probeAt)) window.accept(probe);
		expect(startAll(window, probeAt)).toHaveLength(2);
		expect(startAll(window, opened + MINUTE + 50)).toHaveLength(9);
	});
});
