import { Held } from '../../../../../nodes/DocumentIntelligence/run/ledger/held';
import type { Left } from '../../../../../nodes/DocumentIntelligence/run/ledger/left';

const answer = (size: number): Left => ({
	past: { kind: 'answer', bytes: new Uint8Array(size) },
	oncePassedOn: 'reusable',
});

test('a run holds what fits; the oldest give way, to their jobs where they have one', () => {
	const held = new Held(10_000);
	const [first, second, third, large] = [3000, 3000, 3000, 20_000].map(answer);
	const job = { kind: 'job' as const, jobId: 'j' };
	held.hold(first!, job);
	for (const left of [second!, third!]) held.hold(left);
	expect([first, second, third].map((left) => left?.past)).toEqual([
		job,
		answer(3000).past,
		answer(3000).past,
	]);
	// Larger than all that a run may hold, it would not fit if the others gave way.
	held.hold(large!, job);
	expect([first, second, third, large].map((left) => left?.past)).toEqual([
		job,
		answer(3000).past,
		answer(3000).past,
		job,
	]);
});
