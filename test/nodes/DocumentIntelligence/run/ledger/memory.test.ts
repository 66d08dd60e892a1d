import type { Entry, Past } from '../../../../../nodes/DocumentIntelligence/run/ledger/past';
import { LedgerMemory } from '../../../../../nodes/DocumentIntelligence/run/ledger/memory';
import { RequestError } from '../../../../../nodes/DocumentIntelligence/service/requestError';

const HOUR = 60 * 60 * 1000;
const MB = 1024 * 1024;

const owner = { workflowId: 'w1', nodeId: 'n1' };

/** A memory whose clock the test sets; `wakings` are when it asks to be called back. */
function memoryAt(start = 0, maxBytes?: number) {
	const clock = { ms: start };
	const wakings: Array<{ at: number; call: () => void }> = [];
	const wake = (ms: number, call: () => void) => void wakings.push({ at: clock.ms + ms, call });
	const memory = new LedgerMemory(() => clock.ms, maxBytes, wake);
	const passTo = (ms: number) => {
		clock.ms = ms;
		for (const { call } of wakings.splice(0).filter(({ at }) => at <= ms)) call();
	};
	const keep = (key: string, more: Partial<Entry> = {}, of = owner, isForNextAttempt = false) => {
		const entry = { ...ENTRY, since: clock.ms, ...more };
		const changes = [{ key, before: memory.get(key), next: entry }];
		memory.change(of, changes, entry.execution, isForNextAttempt);
	};
	const drop = (key: string) =>
		memory.change(owner, [{ key, before: memory.get(key), next: 'drop' }], ENTRY.execution);
	const kept = (...keys: string[]) => keys.filter((key) => memory.get(key) !== undefined);
	return { memory, clock, passTo, keep, drop, kept };
}

const answer = (size: number): Past => ({ kind: 'answer', bytes: new Uint8Array(size) });

const ENTRY: Entry = {
	past: answer(1),
	execution: 'e1',
	runIndex: 0,
	since: 0,
};

const passedOn: Partial<Entry> = { passedOn: 'byHand' };
const job: Past = { kind: 'job', jobId: 'j' };

test('an entry is there until it is dropped or a day old', () => {
	const { memory, passTo, keep, drop, kept } = memoryAt();
	keep('a');
	keep('b');
	drop('b');
	expect([kept('a', 'b'), memory.hasFor(owner)]).toEqual([['a'], true]);
	expect(memory.hasFor({ ...owner, nodeId: 'n2' })).toBe(false);
	passTo(24 * HOUR - 1);
	expect(kept('a')).toEqual(['a']);
	passTo(24 * HOUR);
	expect([kept('a'), memory.hasFor(owner)]).toEqual([[], false]);
});

describe('What is in flight', () => {
	const inFlight = () => {
		let end: (past: Past | null) => void = () => undefined;
		const outcome = new Promise<Past | null>((resolve) => (end = resolve));
		return { past: { kind: 'pending' as const, outcome }, end };
	};

	test('becomes its answer, which came when it arrived', async () => {
		const { memory, clock, keep } = memoryAt();
		const { past, end } = inFlight();
		keep('a', { past });
		clock.ms = HOUR;
		end(answer(2));
		await past.outcome;
		expect(memory.get('a')).toMatchObject({ past: { kind: 'answer' }, since: HOUR });
	});

	test('goes if it ended at no cost', async () => {
		const { keep, kept } = memoryAt();
		const { past, end } = inFlight();
		keep('a', { past });
		end(null);
		await past.outcome;
		expect(kept('a')).toEqual([]);
	});

	test('replaces nothing that is newer, nor what is over', async () => {
		const { memory, keep, drop, kept } = memoryAt();
		const [first, second] = [inFlight(), inFlight()];
		keep('a', { past: first.past });
		keep('b', { past: second.past });
		const newer = answer(3);
		keep('a', { past: newer });
		drop('b');
		first.end(answer(4));
		second.end(answer(4));
		await Promise.all([first.past.outcome, second.past.outcome]);
		expect([memory.get('a')?.past, kept('b')]).toEqual([newer, []]);
	});
});

test('what another execution has left meanwhile stays, unless what comes weighs more', () => {
	const { memory, keep } = memoryAt();
	const change = (past?: Past, more: Partial<Entry> = {}) => {
		const next = past ? { ...ENTRY, past, ...more } : 'drop';
		memory.change(owner, [{ key: 'a', next }], 'e2');
	};
	keep('a', { past: job });
	change();
	change({ kind: 'job', jobId: 'other' });
	change(answer(1), { passedOn: 'byHand' });
	expect(memory.get('a')?.past).toBe(job);
	const result = answer(1);
	change(result);
	expect(memory.get('a')?.past).toBe(result);
});

describe('Room', () => {
	const KINDS: Record<string, Partial<Entry>> = { job: { past: job }, passedOn };

	/** Each entry is written as its key, how many MB it has, and what kind it is. */
	test.each([
		['a workflow has 16 MB, and its oldest go first', 'a 5, b 5, c 5, d 5', 'b c d'],
		['what has no room at all pushes nothing out', 'small 5, large 16', 'small'],
		['what was passed on goes first', 'old 5, copy 5 passedOn, new 7', 'old new'],
		[
			'what was passed on goes first, if it is new, too',
			'old 5, new 7, copy 7 passedOn',
			'old new',
		],
		['jobs go last, however old they are', 'work 0 job, old 9, new 9', 'work new'],
	])('%s', (_, entries, expected) => {
		const { keep, kept } = memoryAt();
		const all = entries.split(', ').map((entry) => entry.split(' '));
		for (const [key = '', size, kind = ''] of all)
			keep(key, { past: answer(Number(size) * MB), ...KINDS[kind] });
		expect(kept(...all.map(([key = '']) => key)).join(' ')).toBe(expected);
	});

	test('all workflows together have 32 MB', () => {
		const { keep, kept } = memoryAt();
		for (const key of ['a', 'b', 'c', 'd'])
			keep(key, { past: answer(9 * MB) }, { ...owner, workflowId: key });
		expect(kept('a', 'b', 'c', 'd')).toEqual(['b', 'c', 'd']);
	});

	test('is measured with the whole buffer that an answer holds', () => {
		const { keep, kept } = memoryAt();
		const part = new Uint8Array(new ArrayBuffer(10 * MB), 0, 1);
		keep('a', { past: { kind: 'answer', bytes: part } });
		keep('b', { past: answer(9 * MB) });
		expect(kept('a', 'b')).toEqual(['b']);
	});

	test('and with the message of a failure', () => {
		const { keep, kept } = memoryAt(0, 20_000);
		const failure = new RequestError('x'.repeat(4000), '', {}, 'lost');
		keep('a', { past: { kind: 'lost', failure } });
		keep('b', { past: answer(1) });
		expect(kept('a', 'b')).toEqual(['b']);
	});

	test('an answer gives way to the job that has it, before anything is lost', () => {
		const { memory, keep, kept } = memoryAt();
		keep('old', { past: answer(5 * MB) });
		keep('of a job', { past: { kind: 'answer', jobId: 'j', bytes: new Uint8Array(6 * MB) } });
		keep('new', { past: answer(7 * MB) });
		expect(kept('old', 'of a job', 'new')).toEqual(['old', 'of a job', 'new']);
		expect(memory.get('of a job')?.past).toMatchObject({ kind: 'job', jobId: 'j' });
		keep('newer', { past: answer(5 * MB) });
		expect(kept('old', 'of a job', 'new', 'newer')).toEqual(['of a job', 'new', 'newer']);
	});

	test('of an attempt that n8n will repeat is not given to others for a minute', () => {
		const { clock, keep, kept } = memoryAt();
		keep('a', { past: answer(10 * MB) }, owner, true);
		keep('b', { past: answer(10 * MB), execution: 'e2' });
		expect(kept('a', 'b')).toEqual(['a']);
		clock.ms = 60_001;
		keep('c', { past: answer(10 * MB), execution: 'e2' });
		expect(kept('a', 'c')).toEqual(['c']);
	});
});
