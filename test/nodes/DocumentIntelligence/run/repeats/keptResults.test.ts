import * as fc from 'fast-check';

import type { KeptResult } from '../../../../../nodes/DocumentIntelligence/document/document';
import { KeptResults } from '../../../../../nodes/DocumentIntelligence/run/repeats/keptResults';
import { numRuns } from '../../../numRuns';

const HOUR = 60 * 60 * 1000;
const MB = 1024 * 1024;

const answer = (text: string, isPassedOn = false): KeptResult => ({
	kind: 'answer',
	bytes: Buffer.from(text),
	credits: 1,
	isPassedOn,
});

const textsOf = (results: Map<string, KeptResult>) =>
	[...results].map(([identity, result]) =>
		result.kind === 'answer'
			? `${identity}: ${Buffer.from(result.bytes).toString()}`
			: `${identity}: job ${result.jobId}`,
	);

const owner = { workflowId: 'w1', nodeId: 'n1' };

/** A store whose clock the test sets. */
function storeAt(start = 0, maxBytes?: number) {
	const clock = { ms: start };
	return { clock, store: new KeptResults(() => clock.ms, maxBytes) };
}

describe('Results that no run has passed on', () => {
	test('are taken once, and shared by the copies of a run', () => {
		const { store } = storeAt();
		store.keep(owner, [
			['a', answer('1')],
			['b', answer('2')],
			['c', answer('3')],
		]);
		expect(textsOf(store.take(['a', 'x', 'a', 'b']))).toEqual(['a: 1', 'b: 2']);
		expect(textsOf(store.take(['a', 'b', 'c']))).toEqual(['c: 3']);
	});

	test('are as they came', () => {
		const { store } = storeAt(5);
		store.keep(owner, [['a', { kind: 'job', jobId: 'j', isPassedOn: false }]]);
		store.keep(owner, [['b', answer('2')]]);
		const results = store.take(['a', 'b']);
		expect(textsOf(results)).toEqual(['a: job j', 'b: 2']);
		expect(results.get('a')).toMatchObject({ since: 5 });
		expect(results.get('b')).toMatchObject({ credits: 1, since: 5 });
	});

	test('are kept again by a run that fails, until a day after they first came', () => {
		const { store, clock } = storeAt(1000);
		store.keep(owner, [['a', answer('1')]]);
		for (const hours of [10, 23.9]) {
			clock.ms = 1000 + hours * HOUR;
			const result = store.take(['a']).get('a');
			expect(result).toBeDefined();
			if (result) store.keep(owner, [['a', result]]);
		}
		clock.ms = 1000 + 24 * HOUR;
		expect(store.hasFor(owner)).toBe(false);
		expect(store.take(['a']).size).toBe(0);
	});

	test('are not kept again after their day, nor for longer by a clock that is set back', () => {
		const { store, clock } = storeAt(100 * HOUR);
		store.keep(owner, [['a', { ...answer('1'), since: 76 * HOUR }]]);
		store.keep(owner, [['b', answer('2')]]);
		expect(textsOf(store.take(['a']))).toEqual([]);
		clock.ms = 10 * HOUR;
		expect(textsOf(store.take(['b']))).toEqual([]);
	});

	test('replace an earlier one, and are not replaced by one that was passed on', () => {
		const { store } = storeAt();
		store.keep(owner, [['a', answer('passed on', true)]]);
		store.keep(owner, [['a', answer('first')]]);
		store.keep(owner, [['a', answer('second')]]);
		store.keep(owner, [['a', answer('passed on', true)]]);
		expect(textsOf(store.take(['a']))).toEqual(['a: second']);
	});
});

test('results that were passed on stay', () => {
	const { store } = storeAt();
	store.keep(owner, [['a', answer('1', true)]]);
	expect(textsOf(store.take(['a']))).toEqual(['a: 1']);
	expect(textsOf(store.take(['a']))).toEqual(['a: 1']);
});

test('a node without results has no files to identify', () => {
	const { store } = storeAt();
	store.keep(owner, [['a', answer('1')]]);
	expect(store.hasFor(owner)).toBe(true);
	expect(store.hasFor({ ...owner, nodeId: 'n2' })).toBe(false);
	expect(store.hasFor({ ...owner, workflowId: 'w2' })).toBe(false);
	store.take(['a']);
	expect(store.hasFor(owner)).toBe(false);
});

describe('By default', () => {
	const mb = (size: number): KeptResult => ({
		kind: 'answer',
		bytes: new Uint8Array(size * MB),
		isPassedOn: false,
	});
	const identities = (store: KeptResults) => [...store.take(['a', 'b', 'c', 'd', 'e']).keys()];

	test('a workflow has 16 MB, and its oldest go first', () => {
		const { store } = storeAt();
		const isKept = (identity: string, size: number) => {
			store.keep(owner, [[identity, mb(size)]]);
			return store.has(identity);
		};
		expect(['a', 'b', 'c', 'd'].map((identity) => isKept(identity, 5))).not.toContain(false);
		expect(isKept('e', 16)).toBe(false);
		expect(identities(store)).toEqual(['b', 'c', 'd']);
	});

	test('all workflows together have 32 MB, and the oldest of all go first', () => {
		const { store, clock } = storeAt();
		for (const [index, identity] of ['a', 'b', 'c', 'd'].entries()) {
			// The last is kept again: it came before the others.
			clock.ms = identity === 'd' ? 0 : HOUR * (index + 1);
			store.keep({ ...owner, workflowId: identity }, [[identity, mb(9)]]);
		}
		expect(identities(store)).toEqual(['a', 'b', 'c']);
	});
});

describe('Whatever is kept and taken, in any order', () => {
	const MAX_BYTES = 20_000;
	/** More than what an entry counts besides its answer. */
	const ROOM_BYTES = 1100;
	const workflows = ['w1', 'w2', 'w3'];
	const step = fc.record({
		kind: fc.constantFrom('keep', 'keep', 'keep', 'take', 'takeAndFail'),
		workflowId: fc.constantFrom(...workflows),
		bytes: fc.oneof(fc.nat(MAX_BYTES / 5), fc.nat(MAX_BYTES)),
		isPassedOn: fc.boolean(),
		earlier: fc.nat(),
		hours: fc.constantFrom(0, 0, 1, 7),
	});

	interface Kept {
		identity: string;
		workflowId: string;
		bytes: number;
		since: number;
	}

	test('neither bytes nor age exceed their bounds, and the oldest go first', () => {
		fc.assert(
			fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
				const { store, clock } = storeAt(0, MAX_BYTES);
				const kept: Kept[] = [];
				const taken = new Set<string>();
				const passedOn = new Set<string>();
				for (const { kind, workflowId, bytes, isPassedOn, earlier, hours } of steps) {
					clock.ms += hours * HOUR;
					if (kind === 'keep') {
						const identity = String(kept.length);
						kept.push({ identity, workflowId, bytes, since: clock.ms });
						const result: KeptResult = {
							kind: 'answer',
							bytes: new Uint8Array(bytes),
							isPassedOn,
						};
						if (isPassedOn) passedOn.add(identity);
						store.keep({ ...owner, workflowId }, [[identity, result]]);
						continue;
					}
					const wanted = kept[earlier % kept.length];
					if (wanted === undefined) continue;
					const result = store.take([wanted.identity]).get(wanted.identity);
					if (result === undefined) continue;
					expect(taken.has(wanted.identity)).toBe(false);
					expect(clock.ms - wanted.since).toBeLessThan(24 * HOUR);
					if (kind === 'takeAndFail')
						store.keep({ ...owner, ...wanted }, [[wanted.identity, result]]);
					else if (!passedOn.has(wanted.identity)) taken.add(wanted.identity);
				}
				const results = store.take(kept.map(({ identity }) => identity));
				const left = kept.filter(({ identity }) => results.has(identity));
				const isDue = ({ since }: Kept) => clock.ms - since >= 24 * HOUR;
				const bytesOf = (entries: Kept[]) => entries.reduce((sum, { bytes }) => sum + bytes, 0);
				expect(bytesOf(left)).toBeLessThanOrEqual(MAX_BYTES);
				expect(left.filter(isDue)).toEqual([]);
				for (const id of workflows) {
					const ofWorkflow = left.filter(({ workflowId }) => workflowId === id);
					expect(bytesOf(ofWorkflow)).toBeLessThanOrEqual(MAX_BYTES / 2);
					const oldestLeft = Math.min(...ofWorkflow.map(({ since }) => since));
					const lost = kept.filter(
						(entry) =>
							entry.workflowId === id &&
							entry.bytes < MAX_BYTES / 2 - ROOM_BYTES &&
							!taken.has(entry.identity) &&
							!results.has(entry.identity),
					);
					expect(lost.filter(({ since }) => since > oldestLeft)).toEqual([]);
					// Nothing goes that has room.
					const all = kept.length * ROOM_BYTES + bytesOf(kept);
					if (all < MAX_BYTES / 2) expect(lost.filter((entry) => !isDue(entry))).toEqual([]);
				}
			}),
			numRuns(2000),
		);
	});
});
