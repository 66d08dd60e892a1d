import { Expiring } from '../../../../../nodes/DocumentIntelligence/run/ledger/expiring';

const HOUR = 60 * 60 * 1000;

/** With a clock that the test sets; `wakings` are when it asks to be called back. */
function expiringAt(start: number) {
	const clock = { ms: start };
	const wakings: Array<{ at: number; call: () => void }> = [];
	const wake = (ms: number, call: () => void) => void wakings.push({ at: clock.ms + ms, call });
	const values = new Expiring<string>(() => clock.ms, wake);
	const passTo = (ms: number) => {
		clock.ms = ms;
		for (const { call } of wakings.splice(0).filter(({ at }) => at <= ms)) call();
	};
	return { values, clock, passTo, wakings };
}

test('what has expired goes although nobody asks, and the last one wakes nobody any more', () => {
	const { values, clock, passTo, wakings } = expiringAt(0);
	values.set('a', 'A', 0);
	clock.ms = 5 * HOUR;
	values.set('b', 'B', 5 * HOUR);
	expect(wakings.map(({ at }) => at)).toEqual([24 * HOUR]);
	passTo(24 * HOUR);
	expect(wakings.map(({ at }) => at)).toEqual([29 * HOUR]);
	passTo(29 * HOUR);
	expect(wakings).toEqual([]);
	// The clock is set back only to see that it is gone.
	clock.ms = 5 * HOUR;
	expect(values.entries()).toEqual([]);
});

test('until it is called back, what has expired is not returned', () => {
	const { values, clock } = expiringAt(0);
	values.set('a', 'A', 0);
	clock.ms = 24 * HOUR;
	expect([values.get('a'), values.entries()]).toEqual([undefined, []]);
});

test('what came before the others is woken for first, and what is newer is last', () => {
	const { values, wakings } = expiringAt(5 * HOUR);
	values.set('new', 'N', 5 * HOUR);
	values.set('old', 'O', 0);
	expect(wakings.map(({ at }) => at)).toEqual([29 * HOUR, 24 * HOUR]);
	values.set('new', 'again', 6 * HOUR);
	values.set('old', 'changed', 0);
	expect(values.entries()).toEqual([
		['old', 'changed'],
		['new', 'again'],
	]);
});
