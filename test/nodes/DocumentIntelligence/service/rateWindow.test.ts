import {
	RateWindow,
	ServiceClock,
	type Start,
	type Timing,
} from '../../../../nodes/DocumentIntelligence/service/rateWindow';

const MINUTE = 60_000;

/** A whole minute by the service's clock. */
const ZERO = 29_000_000 * MINUTE;

const second = (seconds: number) => ZERO + seconds * 1000;
const dateAt = (time: number) => new Date(time).toUTCString();

/** The window of a key that one credential uses. */
class WindowOfOne {
	constructor(
		public limit: number,
		readonly shared = new RateWindow(MINUTE),
	) {}

	waitBeforeStart(now: number): number {
		return this.shared.waitBeforeStart(now, this.limit);
	}

	start(now: number): Start {
		return this.shared.start(now, this.limit);
	}

	accepted(start: Start, now: number, serviceDate?: string): void {
		this.shared.accepted(start, now, { serviceDate });
	}

	rejected(start: Start, now: number, timing?: Timing): void {
		this.shared.rejected(start, now, timing);
	}
}

function windowOf(requests: number) {
	return new WindowOfOne(requests);
}

/** Starts as many as may start at this moment. */
function startAll(window: WindowOfOne, now: number): Start[] {
	const starts: Start[] = [];
	while (window.waitBeforeStart(now) === 0) starts.push(window.start(now));
	return starts;
}

function answerAll(window: WindowOfOne, starts: Start[], now: number): void {
	for (const start of starts) window.accepted(start, now, dateAt(now));
}

/** Half a second into a second, with a fast answer: where the service's clock is known to half a second. */
function windowThatKnowsTheTime(requests: number, now: number): WindowOfOne {
	const window = windowOf(requests);
	answerAll(window, [window.start(now)], now);
	return window;
}

/** A window that has been told that only so many were granted in the minute before `now`. */
function windowThatWasGranted(granted: number, requests: number, minute: number): WindowOfOne {
	const window = windowOf(requests);
	const starts = startAll(window, second(minute * 60 + 10));
	answerAll(window, starts, second(minute * 60 + 10));
	for (const start of starts.slice(granted))
		window.rejected(start, second(minute * 60 + 10), { retryAfterMs: 50_000 });
	return window;
}

describe('Alone with the key', () => {
	test('every request starts at once until the rule is used up, then all at once after the reset', () => {
		const window = windowOf(50);
		const starts = startAll(window, second(10));
		expect(starts).toHaveLength(50);
		answerAll(window, starts, second(10));
		const wait = window.waitBeforeStart(second(20));
		expect(wait).toBeGreaterThanOrEqual(40_000);
		expect(wait).toBeLessThanOrEqual(41_100);
		expect(window.waitBeforeStart(second(20) + wait - 1)).toBe(1);
		expect(startAll(window, second(20) + wait)).toHaveLength(50);
	});

	test('the window does not refill', () => {
		const window = windowOf(50);
		answerAll(window, startAll(window, second(0.5)), second(0.5));
		for (const later of [5, 30, 59])
			expect(window.waitBeforeStart(second(later))).toBeGreaterThan(0);
	});

	test('before the first Date header a minute has to pass, whenever it began', () => {
		const window = windowOf(2);
		startAll(window, second(55));
		expect(window.waitBeforeStart(second(61))).toBeGreaterThan(0);
		expect(window.waitBeforeStart(second(114.9))).toBeGreaterThan(0);
		expect(startAll(window, second(116))).toHaveLength(2);
	});

	test('a start counts a minute and the quarter of a second that it may take to arrive', () => {
		const window = windowOf(1);
		startAll(window, second(10));
		expect(window.waitBeforeStart(second(70.25))).toBeGreaterThan(0);
		expect(window.waitBeforeStart(second(70.251))).toBe(0);
	});

	test('a start shortly before the reset counts after it too, for it may arrive there', () => {
		const window = windowThatKnowsTheTime(3, second(30));
		expect(startAll(window, second(59.9))).toHaveLength(2);
		expect(startAll(window, second(64))).toHaveLength(1);
	});

	test('where the clock leaves open in which minute a start counted, one request finds out', () => {
		const window = windowThatKnowsTheTime(3, second(30));
		expect(startAll(window, second(59.5))).toHaveLength(2);
		expect(startAll(window, second(61.1))).toHaveLength(1);
		expect(startAll(window, second(64))).toHaveLength(1);
	});

	test('a window that was hardly used takes nothing from the next one', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		expect(window.waitBeforeStart(second(31))).toBe(0);
		expect(startAll(window, second(62))).toHaveLength(50);
	});

	test('a limit that the user lowers holds from the next start on', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		window.limit = 5;
		expect(startAll(window, second(31))).toHaveLength(4);
	});
});

describe('After a rejection', () => {
	test('nothing starts until Retry-After has passed', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		window.rejected(window.start(second(31)), second(31), { retryAfterMs: 7000 });
		expect(window.waitBeforeStart(second(31))).toBe(7000);
		expect(window.waitBeforeStart(second(37))).toBe(1000);
		expect(window.waitBeforeStart(second(38))).toBe(0);
	});

	test('it is closed from the rejection until then, and not before or after', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		expect(window.shared.closed(second(31))).toBeUndefined();
		window.rejected(window.start(second(31)), second(31), { retryAfterMs: 7000 });
		expect(window.shared.closed(second(37.999))).toEqual({
			closedForMs: 1,
			rejectedForMs: 6999,
		});
		expect(window.shared.closed(second(38))).toBeUndefined();
	});

	test('without Retry-After nothing starts until the next minute of the service', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		window.rejected(window.start(second(31)), second(31));
		expect(window.waitBeforeStart(second(59))).toBeGreaterThan(0);
		expect(window.waitBeforeStart(second(61.1))).toBe(0);
	});

	test('the next minute is that of the service, not of a wrong local clock', () => {
		const window = windowOf(50);
		// The local clock shows 10 seconds where the service has 50.
		window.accepted(window.start(second(10)), second(10), dateAt(second(50)));
		window.rejected(window.start(second(10)), second(10));
		expect(window.waitBeforeStart(second(19))).toBeGreaterThan(0);
		expect(window.waitBeforeStart(second(21.1))).toBe(0);
	});

	test('a Retry-After of nothing, rounded down, waits for the rest of the second', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		window.rejected(window.start(second(31)), second(31), { retryAfterMs: 0 });
		expect(window.waitBeforeStart(second(31))).toBe(1000);
	});

	test('without any Date header it opens again too', () => {
		const window = windowOf(50);
		const starts = startAll(window, second(31));
		for (const start of starts.slice(30))
			window.rejected(start, second(31), { retryAfterMs: 7000 });
		expect(window.waitBeforeStart(second(37.9))).toBeGreaterThan(0);
		expect(startAll(window, second(38))).toHaveLength(30);
	});

	test.each([61, 120, 86_400])('a Retry-After of %i s closes it for a window or so', (seconds) => {
		const window = windowThatKnowsTheTime(50, second(30));
		window.rejected(window.start(second(31)), second(31), { retryAfterMs: seconds * 1000 });
		expect(window.waitBeforeStart(second(31))).toBe(61_000);
		expect(window.waitBeforeStart(second(92))).toBe(0);
	});

	test('each further rejection that follows a closed time doubles the least, to a window', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		let now = second(31);
		const waits = Array.from({ length: 9 }, () => {
			// Those that started together count once.
			const starts = [window.start(now), window.start(now)];
			for (const start of starts) window.rejected(start, now, { retryAfterMs: 1000 });
			const wait = window.waitBeforeStart(now);
			now += wait;
			return wait / 1000;
		});
		expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
		expect(window.shared.closed(now - 1)).toEqual({
			closedForMs: 1,
			rejectedForMs: now - 1 - second(31),
		});
		const [accepted] = startAll(window, now);
		if (accepted === undefined) throw new Error('Nothing started.');
		window.accepted(accepted, now);
		window.rejected(window.start(now), now, { retryAfterMs: 1000 });
		expect(window.shared.closed(now)).toEqual({ closedForMs: 1000, rejectedForMs: 0 });
	});

	test.each([
		['before the first rejection', 32, { closedForMs: 7000, rejectedForMs: 3000 }],
		['in the same millisecond', 31, { closedForMs: 6000, rejectedForMs: 4000 }],
	])(
		'an answer to what started %s does not say that the key works again',
		(_, rejectedAt, expected) => {
			const window = windowThatKnowsTheTime(50, second(30));
			const [early, rejected] = [window.start(second(31)), window.start(second(31))];
			window.rejected(rejected, second(rejectedAt), { retryAfterMs: 10_000 });
			window.accepted(early, second(35));
			expect(window.shared.closed(second(35))).toEqual(expected);
		},
	);

	test('after one that was accepted, the late rejection of an early one begins anew', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		const [rejected, late] = [window.start(second(31)), window.start(second(31))];
		window.rejected(rejected, second(31), { retryAfterMs: 1000 });
		window.accepted(window.start(second(32)), second(32));
		window.rejected(late, second(33), { retryAfterMs: 1000 });
		expect(window.shared.closed(second(33.5))).toEqual({ closedForMs: 500, rejectedForMs: 500 });
	});

	test('a rejection is the next in a row for as long as a minute after the closed time', () => {
		for (const [seconds, closedForMs] of [
			[92, 2000],
			[92.001, 1000],
		] as const) {
			const window = windowThatKnowsTheTime(50, second(30));
			window.rejected(window.start(second(31)), second(31), { retryAfterMs: 1000 });
			const now = second(seconds);
			window.rejected(window.start(now), now, { retryAfterMs: 1000 });
			expect(window.shared.closed(now)).toMatchObject({ closedForMs });
		}
	});

	test('a rejection long after the last one begins anew', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		for (const seconds of [31, 200]) {
			window.rejected(window.start(second(seconds)), second(seconds), { retryAfterMs: 1000 });
			expect(window.shared.closed(second(seconds))).toEqual({
				closedForMs: 1000,
				rejectedForMs: 0,
			});
		}
	});

	test('the longest of several closes it', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		const [one, other] = [window.start(second(31)), window.start(second(31))];
		window.rejected(one, second(31), { retryAfterMs: 20_000 });
		window.rejected(other, second(31), { retryAfterMs: 5000 });
		expect(window.waitBeforeStart(second(31))).toBe(20_000);
	});

	test('one that was on its way while the window turned does not close the new one', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		const start = window.start(second(59));
		expect(window.waitBeforeStart(second(61.1))).toBe(0);
		window.rejected(start, second(61.1));
		expect(window.waitBeforeStart(second(61.1))).toBe(0);
	});

	test('but one that started in its first millisecond does', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		window.rejected(window.start(second(31)), second(31), { retryAfterMs: 7000 });
		expect(window.waitBeforeStart(second(38))).toBe(0);
		window.rejected(window.start(second(38)), second(38));
		expect(window.waitBeforeStart(second(38))).toBeGreaterThan(20_000);
	});

	test('and one that says for how long does, whenever it was sent', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		const start = window.start(second(59));
		expect(window.waitBeforeStart(second(61.1))).toBe(0);
		window.rejected(start, second(61.1), { retryAfterMs: 5000 });
		expect(window.waitBeforeStart(second(61.1))).toBe(5000);
	});

	test('a service that resets earlier than the minute is believed: what was granted may start again', () => {
		const window = windowThatKnowsTheTime(50, second(30));
		const starts = startAll(window, second(31));
		expect(starts).toHaveLength(49);
		answerAll(window, starts, second(31));
		for (const start of starts.slice(29))
			window.rejected(start, second(31), { retryAfterMs: 7000 });
		expect(startAll(window, second(37.9))).toHaveLength(0);
		expect(startAll(window, second(38))).toHaveLength(30);
	});
});

describe('With others on the same key', () => {
	test('what was granted bounds the next window', () => {
		const window = windowThatWasGranted(20, 50, 0);
		expect(startAll(window, second(62))).toHaveLength(20);
	});

	test('at least one request finds out, even when nothing was granted', () => {
		const window = windowThatWasGranted(0, 50, 0);
		expect(startAll(window, second(62))).toHaveLength(1);
	});

	test('then one probes, and two follow each that is granted', () => {
		const window = windowThatWasGranted(20, 50, 0);
		answerAll(window, startAll(window, second(62)), second(65));
		for (const [seconds, probes] of [
			[66, 1],
			[67, 2],
			[68, 4],
			[69, 8],
		] as const) {
			const starts = startAll(window, second(seconds));
			expect(starts).toHaveLength(probes);
			expect(startAll(window, second(seconds))).toHaveLength(0);
			answerAll(window, starts, second(seconds));
		}
		// 20 and 15 are in flight; the rule ends the doubling.
		expect(startAll(window, second(70))).toHaveLength(15);
	});

	test('nobody probes while the others take what they had', () => {
		const window = windowThatWasGranted(20, 50, 0);
		startAll(window, second(61.1));
		expect(startAll(window, second(62))).toHaveLength(0);
		// A twentieth of a minute after the first start, and the quarter of a second that it may take to arrive.
		expect(startAll(window, second(64.349))).toHaveLength(0);
		expect(startAll(window, second(64.35))).toHaveLength(1);
	});

	test('a probe that is rejected ends the probing, and leaves the bound as it is', () => {
		const window = windowThatWasGranted(20, 50, 0);
		startAll(window, second(62));
		const [probe] = startAll(window, second(66));
		if (probe === undefined) throw new Error('No probe started.');
		window.accepted(probe, second(66), dateAt(second(66)));
		window.rejected(probe, second(66), { retryAfterMs: 54_000 });
		expect(window.waitBeforeStart(second(100))).toBe(20_000);
		expect(startAll(window, second(122))).toHaveLength(20);
	});

	test('two credentials have each their own number of the same window', () => {
		const low = windowThatKnowsTheTime(3, second(30));
		const high = new WindowOfOne(10, low.shared);
		expect(startAll(low, second(31))).toHaveLength(2);
		expect(startAll(high, second(31))).toHaveLength(7);
		expect(low.waitBeforeStart(second(31))).toBeGreaterThan(0);
		expect(startAll(high, second(62))).toHaveLength(10);
		expect(startAll(low, second(62))).toHaveLength(0);
	});

	test('a limit that is edited in the credential does not undo what the service has shown', () => {
		for (const [limit, expected] of [
			[50, 20],
			[40, 20],
			[10, 10],
		] as const) {
			const window = windowThatWasGranted(20, 50, 0);
			window.limit = limit;
			expect(startAll(window, second(62))).toHaveLength(expected);
		}
	});

	test('minutes without a rejection raise the bound gently', () => {
		const window = windowThatWasGranted(20, 50, 0);
		expect(startAll(window, second(62))).toHaveLength(20);
		expect(startAll(window, second(122))).toHaveLength(25);
		expect(startAll(window, second(20 * 60 + 2))).toHaveLength(50);
	});
});

describe('The service’s clock', () => {
	type Header = [date: string | undefined, sentAt: number, receivedAt: number];

	const clockAfter = (...headers: Header[]) => {
		const clock = new ServiceClock();
		for (const header of headers) clock.observe(...header);
		return clock.ahead;
	};

	test('nothing is known before the first header, nor from one that is none', () => {
		const nothing = { least: -Infinity, most: Infinity };
		expect(clockAfter()).toMatchObject(nothing);
		expect(
			clockAfter([undefined, second(1), second(2)], ['soon', second(1), second(2)]),
		).toMatchObject(nothing);
	});

	test('a header leaves a second and the time of the exchange open', () => {
		expect(clockAfter([dateAt(second(50)), second(10), second(13)])).toEqual({
			least: 37_000,
			likely: 37_000,
			most: 41_000,
		});
	});

	test('many headers narrow it', () => {
		const trueAhead = -90_321;
		const headers = Array.from({ length: 20 }, (_, number): Header => {
			const sentAt = second(number * 3.07);
			return [dateAt(sentAt + 50 + trueAhead), sentAt, sentAt + 100];
		});
		const { least, most } = clockAfter(...headers);
		expect(least).toBeLessThanOrEqual(trueAhead);
		expect(most).toBeGreaterThanOrEqual(trueAhead);
		expect(most - least).toBeLessThan(300);
	});

	test('the local clock is believed where the headers allow it', () => {
		expect(clockAfter([dateAt(second(10)), second(10.2), second(10.4)])).toMatchObject({
			likely: 0,
		});
		expect(clockAfter([dateAt(second(13)), second(10.2), second(10.4)])).toMatchObject({
			likely: 2600,
		});
		expect(clockAfter([dateAt(second(5)), second(10.2), second(10.4)])).toMatchObject({
			likely: -5400,
			most: -4200,
		});
	});

	test('the local clock is believed where it is the first or the last that they allow', () => {
		expect(clockAfter([dateAt(second(10)), second(9.5), second(10)])).toEqual({
			least: 0,
			likely: 0,
			most: 1500,
		});
		expect(clockAfter([dateAt(second(10)), second(11), second(11.2)])).toEqual({
			least: -1200,
			likely: 0,
			most: 0,
		});
	});

	test('headers that agree in a single moment do not contradict each other', () => {
		const moment = { least: 0, likely: 0, most: 0 };
		const first: Header = [dateAt(second(10)), second(9.5), second(10)];
		const last: Header = [dateAt(second(10)), second(11), second(11.2)];
		expect(clockAfter(first, last)).toEqual(moment);
		expect(clockAfter(last, first)).toEqual(moment);
	});

	test('a clock that was set is noticed by the next header', () => {
		const { least, most } = clockAfter(
			[dateAt(second(10)), second(10), second(10.1)],
			[dateAt(second(500)), second(20), second(20.1)],
		);
		expect([least, most]).toEqual([479_900, 481_000]);
		const back = clockAfter(
			[dateAt(second(500)), second(20), second(20.1)],
			[dateAt(second(30)), second(30), second(30.1)],
		);
		expect([back.least, back.most]).toEqual([-100, 1000]);
	});
});
