import { Held } from '../../../../../nodes/DocumentIntelligence/run/ledger/held';
import { FATES, type Left } from '../../../../../nodes/DocumentIntelligence/run/ledger/left';
import { sizeOf } from '../../../../../nodes/DocumentIntelligence/run/ledger/past';

const answer = (size: number, jobId?: string): Left => ({
	past: { kind: 'answer', jobId, bytes: new Uint8Array(size) },
	...FATES.delivered,
});

test('a run holds what fits; the oldest give way, to their jobs where they have one', () => {
	const held = new Held(10_000);
	const all = [answer(3000, 'j'), answer(3000), answer(3000)];
	const [, second, third] = all.map(({ past }) => past);
	for (const left of all) held.hold(left);
	const job = { kind: 'job', jobId: 'j' };
	expect(all.map(({ past }) => past)).toEqual([job, second, third]);
	held.hold(answer(3000));
	expect(all.map(({ past }) => past)).toEqual([job, undefined, third]);
});

test('an answer that no job has is dropped last', () => {
	const held = new Held(10_000);
	const all = [answer(3000), answer(3000, 'j'), answer(3000)];
	for (const left of all) held.hold(left);
	expect(all.map(({ past }) => past?.kind)).toEqual(['answer', 'job', 'answer']);
});

test('an answer that could not be passed on is dropped last: the next run uses it in any case', () => {
	const held = new Held(10_000);
	const owed = { ...answer(3000), ...FATES.owed };
	const all = [owed, answer(3000), answer(3000)];
	for (const left of all) held.hold(left);
	expect(all.map(({ past }) => past?.kind)).toEqual(['answer', undefined, 'answer']);
});

test('to an answer that is larger than all that a run may hold, no other gives way', () => {
	const held = new Held(10_000);
	const [small, large] = [answer(3000), answer(20_000)];
	held.hold(small);
	held.hold(large);
	expect([small.past?.kind, large.past]).toEqual(['answer', undefined]);
});

test('jobs in place of answers take room, too', () => {
	const held = new Held(10_000);
	const all = ['1', '2', '3', '4', '5', '6'].map((jobId) => answer(3000, jobId));
	for (const left of all) held.hold(left);
	expect(all.map(({ past }) => past?.kind)).toEqual([...Array<string>(5).fill('job'), 'answer']);
	expect(all.reduce((sum, { past }) => sum + sizeOf(past), 0)).toBeLessThanOrEqual(10_000);
});
