import { ServiceClock } from '../../../../nodes/DocumentIntelligence/service/serviceClock';

// When a reset is certain, by whatever clock, is in rateLimit.test.ts.

const MINUTE = 60_000;
const START = 30_000_000 * MINUTE;

/** What a service whose clock is ahead by so much writes at a local time, in whole seconds. */
const dateOf = (local: number, aheadMs: number) => new Date(local + aheadMs).toUTCString();

test('nothing is known of resets before the first Date header, or by one that cannot be read', () => {
	const clock = new ServiceClock(MINUTE);
	clock.observe(undefined, START, 100);
	clock.observe('yesterday', START, 100);
	expect(clock.lastReset(START)).toBeUndefined();
});

test('a clock that was set back is followed, an old Date header is not', () => {
	const clock = new ServiceClock(MINUTE);
	clock.observe(dateOf(START, 0), START, 100);
	const before = clock.lastReset(START + 5000)!.next;
	// Written before the work of 4 seconds.
	clock.observe(dateOf(START, 0), START + 4000, 4000);
	expect(clock.lastReset(START + 5000)!.next).toBe(before);
	clock.observe(dateOf(START, 0), START + 20_000, 100);
	expect(clock.lastReset(START + 21_000)!.next).toBe(before + 20_000);
});
