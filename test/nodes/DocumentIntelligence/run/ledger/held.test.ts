import { Held } from '../../../../../nodes/DocumentIntelligence/run/ledger/held';

const answer = (size: number) => ({ kind: 'answer' as const, bytes: new Uint8Array(size) });

test('a run holds what fits, and the oldest go first', () => {
	const held = new Held(10_000);
	for (const place of [2, 0, 1]) held.hold(place, answer(3000));
	expect([held.of(2), held.dropped]).toEqual([undefined, [2]]);
	expect([held.of(0), held.of(1)]).toEqual([answer(3000), answer(3000)]);
	// Larger than all that a run may hold.
	held.hold(5, answer(20_000));
	expect(held.dropped).toEqual([2, 0, 1, 5]);
});
