import {
	afterFailure,
	afterLook,
	afterLoss,
	afterStart,
	dueNow,
	emptyMemory,
	isKnown,
	isLastTry,
	isOfOtherAccount,
	readMemory,
	savedMemory,
	type Memory,
} from '../../../../nodes/DocumentIntelligence/trigger/memory';
import { readJob, type Job } from '../../../../nodes/DocumentIntelligence/service/jobs/job';
import { numRuns } from '../../numRuns';

const ACCOUNT = 'live https://api-us.cogneris.ai';
const MINUTE = 60_000;
const T0 = Date.parse('2026-11-20T08:00:00Z');

const all = () => true;

function job(jobId: string, endedAt?: number, more: object = {}): Job {
	const read = readJob({
		jobId,
		operation: 'Extraction',
		status: endedAt === undefined ? 'Processing' : 'Succeeded',
		completedAt: endedAt === undefined ? null : new Date(endedAt).toISOString(),
		outputReference: endedAt === undefined ? null : `artifact://${jobId}`,
		...more,
	});
	if (read === undefined) throw new Error('Not a job.');
	return read;
}

const look = (memory: Memory | undefined, ...jobs: Job[]) => afterLook(ACCOUNT, memory, jobs, all);
const idsOf = (memory: Memory, now = T0) => dueNow(memory, now).map((due) => due.job.jobId);

/** As n8n keeps it. */
function reread(memory: Memory): Memory {
	const read = readMemory(JSON.parse(JSON.stringify(savedMemory(memory))), ACCOUNT);
	if (read === undefined) throw new Error('The memory cannot be read.');
	return read;
}

test('what has ended at the first look starts nothing, and what runs then starts the workflow when it ends', () => {
	const first = look(undefined, job('ended', T0), job('running'));
	expect(idsOf(first)).toEqual([]);
	const second = look(first, job('ended', T0), job('running', T0 + 1), job('new', T0 + 2));
	expect(idsOf(second)).toEqual(['running', 'new']);
});

test('with nothing known and earlier jobs wanted, all that have ended are due', () => {
	expect(idsOf(look(emptyMemory(ACCOUNT), job('b', T0 + 1), job('a', T0)))).toEqual(['a', 'b']);
});

test('a job that has started the workflow is not due again, however often the list shows it or takes it back', () => {
	const due = look(emptyMemory(ACCOUNT), job('a', T0));
	const started = afterStart(due, [job('a', T0)]);
	for (const shown of [
		job('a', T0),
		job('a'),
		job('a', T0 + MINUTE),
		job('a', undefined, { status: 'Queued' }),
	])
		expect(idsOf(look(started, shown))).toEqual([]);
	expect(isKnown(started, job('a'))).toBe(true);
	expect(look(started, job('a')).open.size).toBe(0);
});

test('jobs of the same second, of which some are listed later, start the workflow once each', () => {
	const first = look(emptyMemory(ACCOUNT), job('a', T0), job('b', T0));
	expect(idsOf(first)).toEqual(['a', 'b']);
	const started = afterStart(first, [job('a', T0), job('b', T0)]);
	expect(idsOf(look(started, job('c', T0), job('a', T0), job('b', T0)))).toEqual(['c']);
});

test('a job that is due stays due when the list is late, and takes over a reference that was missing', () => {
	const due = look(emptyMemory(ACCOUNT), job('a', T0, { outputReference: null }));
	const late = look(due, job('a'));
	expect(idsOf(late)).toEqual(['a']);
	const [entry] = dueNow(look(late, job('a', T0)), T0);
	expect(entry?.job.outputReference).toBe('artifact://a');
	const [kept] = dueNow(
		look(look(late, job('a', T0)), job('a', T0, { outputReference: null })),
		T0,
	);
	expect(kept?.job.outputReference).toBe('artifact://a');
});

test('what is not wanted is settled, so that another choice later does not bring it', () => {
	const seen = afterLook(ACCOUNT, emptyMemory(ACCOUNT), [job('a', T0)], () => false);
	expect(idsOf(seen)).toEqual([]);
	expect(idsOf(look(seen, job('a', T0)))).toEqual([]);
});

test('in the order in which they were completed, those without a time last', () => {
	const jobs = [
		job('late', T0 + 2000),
		job('none', T0, { completedAt: null }),
		job('early', T0 + 1000),
		job('begun', T0, { completedAt: 'soon', startedAt: '2026-11-20T08:00:01.500Z' }),
		job('none 2', T0, { completedAt: null }),
	];
	expect(idsOf(look(emptyMemory(ACCOUNT), ...jobs))).toEqual([
		'early',
		'begun',
		'late',
		'none',
		'none 2',
	]);
});

test('times with an offset and without a fraction are the same moment', () => {
	const jobs = [
		job('second', T0, { completedAt: '2026-11-20T10:00:01+02:00' }),
		job('first', T0, { completedAt: '2026-11-20T08:00:00.9Z' }),
	];
	expect(idsOf(look(emptyMemory(ACCOUNT), ...jobs))).toEqual(['first', 'second']);
});

test('only so many settled jobs are named; those that ended before them are known by their time', () => {
	const jobs = Array.from({ length: 1500 }, (_, number) =>
		job(`job ${number}`, T0 + number * 1000),
	);
	const memory = reread(afterStart(look(emptyMemory(ACCOUNT), ...jobs), jobs));
	expect(memory.settled.size).toBe(1000);
	expect(memory.settledUntil).toBe(T0 + 499_000);
	expect(idsOf(look(memory, ...jobs))).toEqual([]);
	// Seen while it ran, it is due whenever it says that it ended.
	const open = look(memory, job('slow'));
	expect(idsOf(look(open, job('slow', T0)))).toEqual(['slow']);
	expect(idsOf(look(memory, job('unseen', T0 + 2_000_000)))).toEqual(['unseen']);
});

test('jobs without a time are never forgotten before those with one', () => {
	const jobs = Array.from({ length: 1200 }, (_, number) => job(`job ${number}`, T0 + number));
	const timeless = Array.from({ length: 10 }, (_, number) =>
		job(`none ${number}`, T0, { completedAt: null }),
	);
	const memory = reread(
		afterStart(look(emptyMemory(ACCOUNT), ...timeless, ...jobs), [...timeless, ...jobs]),
	);
	expect(memory.settledUntil).toBe(T0 + 209);
	expect(idsOf(look(memory, ...timeless, ...jobs))).toEqual([]);
});

test('a result that cannot be fetched is tried at the next poll, then less often, and given up after a day', () => {
	let memory = look(emptyMemory(ACCOUNT), job('a', T0));
	const waits: number[] = [];
	let now = T0;
	for (let tries = 0; tries < 40; tries++) {
		const [due] = dueNow(memory, now);
		if (due === undefined) throw new Error('Nothing is due.');
		if (isLastTry(due, now)) break;
		memory = reread(afterFailure(memory, 'a', now));
		const before = now;
		while (dueNow(memory, now).length === 0) now += MINUTE;
		waits.push((now - before) / MINUTE);
	}
	expect(waits.slice(0, 8)).toEqual([0, 2, 4, 8, 16, 32, 60, 60]);
	expect((now - T0) / MINUTE).toBeGreaterThanOrEqual(24 * 60);
	expect((now - T0) / MINUTE).toBeLessThan(26 * 60);
});

test('however seldom the trigger polls, a result is tried three times', () => {
	const [first] = dueNow(look(emptyMemory(ACCOUNT), job('a', T0)), T0);
	const once = afterFailure(look(emptyMemory(ACCOUNT), job('a', T0)), 'a', T0);
	const [second] = dueNow(once, T0 + 48 * 60 * MINUTE);
	const twice = afterFailure(once, 'a', T0 + 48 * 60 * MINUTE);
	const [third] = dueNow(twice, T0 + 96 * 60 * MINUTE);
	expect(
		[first, second, third].map((due) => due !== undefined && isLastTry(due, T0 + 96 * 60 * MINUTE)),
	).toEqual([false, false, true]);
	expect(afterFailure(twice, 'unknown', T0)).toBe(twice);
});

test('a clock that was ahead, and has been set since, holds up no job', () => {
	const due = look(emptyMemory(ACCOUNT), job('a', T0));
	const ahead = T0 + 30 * 24 * 60 * MINUTE;
	let memory = afterFailure(afterFailure(due, 'a', ahead), 'a', ahead);
	expect(idsOf(memory, ahead)).toEqual([]);
	expect(idsOf(memory, T0)).toEqual(['a']);
	memory = afterFailure(memory, 'a', T0);
	const [entry] = dueNow(memory, T0 + 24 * 60 * MINUTE);
	expect(entry && isLastTry(entry, T0 + 24 * 60 * MINUTE)).toBe(true);
});

test.each([
	'0001-01-01T00:00:00',
	'1970-01-01T00:00:00Z',
	'2000-01-01T00:00:00Z',
	'9000-01-01T00:00:00Z',
	'9999-12-31T23:59:59.9999999',
])('a time that stands for none, %s, neither hides a job nor others', (completedAt) => {
	const timed = Array.from({ length: 1100 }, (_, number) => job(`job ${number}`, T0 + number));
	const known = reread(afterStart(look(emptyMemory(ACCOUNT), ...timed), timed));
	expect(idsOf(look(known, job('a', T0, { completedAt })))).toEqual(['a']);
	const untimed = timed.map(({ jobId }) => job(jobId, T0, { completedAt }));
	const memory = afterStart(look(emptyMemory(ACCOUNT), ...untimed), untimed);
	expect(idsOf(look(memory, job('a', T0)))).toEqual(['a']);
	expect(idsOf(look(reread(memory), job('a', T0)))).toEqual(['a']);
});

test('what the service says of a job besides is remembered only as far as it is short', () => {
	const more = { short: 'a note', long: 'x'.repeat(1_000_000) };
	const [entry] = dueNow(reread(look(emptyMemory(ACCOUNT), job('a', T0, more))), T0);
	expect(entry?.job.rest).toEqual({ short: 'a note' });
});

test('that is, as long as all of it together has 2,000 characters', () => {
	const restOf = (...lengths: number[]) => {
		const more = Object.fromEntries(
			// With its name, quotes, comma and brackets, an entry is eight characters longer than its text.
			lengths.map((length, number) => [`${number}`, 'x'.repeat(length - 8)]),
		);
		const [entry] = dueNow(reread(look(emptyMemory(ACCOUNT), job('a', T0, more))), T0);
		return Object.keys(entry?.job.rest ?? {});
	};
	expect(restOf(1200, 800)).toEqual(['0', '1']);
	expect(restOf(1200, 801, 800)).toEqual(['0', '2']);
});

test('of a job that is due only what the service said is saved', () => {
	const due = afterFailure(look(emptyMemory(ACCOUNT), job('a', T0)), 'a', T0);
	expect(savedMemory(due).due).toEqual([
		{
			job: {
				jobId: 'a',
				operation: 'Extraction',
				status: 'Succeeded',
				completedAt: '2026-11-20T08:00:00.000Z',
				outputReference: 'artifact://a',
			},
			tries: 1,
			since: T0,
			notBefore: T0,
		},
	]);
});

test('jobs that were asked for in vain stand last, so that all have their turn', () => {
	const open = look(undefined, job('a'), job('b'), job('c'));
	expect([...afterLoss(open, ['b'], ['a', 'd']).open]).toEqual(['c', 'a']);
});

test('a job that the service has forgotten is not open any more', () => {
	const open = look(undefined, job('a'), job('b'));
	expect([...afterLoss(open, ['a', 'c'], []).open]).toEqual(['b']);
});

test('those of the open jobs that have not been seen for longest stand first, and there is a bound', () => {
	const memory = look(look(undefined, job('a'), job('b'), job('c')), job('a'));
	expect([...memory.open]).toEqual(['b', 'c', 'a']);
	const many = Array.from({ length: 2500 }, (_, number) => job(`job ${number}`));
	expect(look(undefined, ...many).open.size).toBe(2000);
});

test('saved and read, nothing is lost', () => {
	const memory = afterFailure(
		look(
			look(undefined, job('settled', T0), job('open'), job('timeless', T0, { completedAt: null })),
			job('due', T0 + 5, { more: { of: 'it' } }),
		),
		'due',
		T0,
	);
	expect(reread(memory)).toEqual(memory);
});

test.each([
	undefined,
	null,
	'text',
	[],
	{},
	{ account: ACCOUNT },
	{ account: ACCOUNT, settled: 'none' },
	savedMemory(emptyMemory('live https://elsewhere.example.com')),
])('what is no memory of this account is none: %j', (saved) => {
	expect(readMemory(saved, ACCOUNT)).toBeUndefined();
});

test('a memory that something has damaged is read as far as it goes', () => {
	const memory = readMemory(
		{
			account: ACCOUNT,
			settled: { a: 'x', b: 5 },
			settledUntil: 'x',
			open: ['c', null, {}],
			due: [
				null,
				{ job: { status: 'Succeeded' } },
				{ job: { jobId: 'd', status: 'succeeded' }, tries: 'x' },
			],
		},
		ACCOUNT,
	);
	expect(memory).toMatchObject({ settledUntil: Number.NEGATIVE_INFINITY, open: new Set(['c']) });
	expect([...(memory?.settled ?? [])]).toEqual([
		['a', Number.POSITIVE_INFINITY],
		['b', 5],
	]);
	expect(memory && dueNow(memory, T0)).toMatchObject([
		{ tries: 0, since: undefined, notBefore: 0, job: { jobId: 'd' } },
	]);
	expect(readMemory({ account: ACCOUNT, settled: {}, open: 'c' }, ACCOUNT)?.open.size).toBe(0);
});

/** The same numbers for the same seed. */
function random(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
		return state / 4_294_967_296;
	};
}

test('whatever order jobs end and lists show them in, each starts the workflow once', () => {
	for (let seed = 1; seed <= numRuns(120).numRuns; seed++) {
		const chance = random(seed);
		const jobs = Array.from({ length: 60 }, (_, number) => {
			const begin = Math.floor(chance() * 40);
			return { id: `job ${number}`, begin, end: begin + Math.floor(chance() * 15) };
		});
		const started: string[] = [];
		let memory: Memory | undefined;
		let atFirst = new Set<string>();
		for (let time = 0; time <= 60; time += 1 + Math.floor(chance() * 4)) {
			const shown = jobs
				.filter(({ begin }) => begin <= time)
				.map(({ id, end }) => {
					// A list may be late, and completed in whole seconds.
					const isLate = chance() < 0.1 && time < 58;
					return job(id, end <= time && !isLate ? T0 + Math.floor(end / 3) * 3000 : undefined);
				})
				.filter(() => time > 58 || chance() > 0.05)
				.sort(() => chance() - 0.5);
			if (memory === undefined)
				atFirst = new Set(
					shown.filter(({ status }) => status === 'Succeeded').map(({ jobId }) => jobId),
				);
			memory = look(memory, ...shown);
			const due = dueNow(memory, T0).slice(0, 7);
			memory = afterStart(
				memory,
				due.map((entry) => entry.job),
			);
			started.push(...due.map((entry) => entry.job.jobId));
			if (chance() < 0.3) memory = reread(memory);
		}
		while (memory !== undefined && dueNow(memory, T0).length > 0) {
			const due = dueNow(memory, T0);
			memory = afterStart(
				memory,
				due.map((entry) => entry.job),
			);
			started.push(...due.map((entry) => entry.job.jobId));
		}
		const expected = jobs.map(({ id }) => id).filter((id) => !atFirst.has(id));
		expect([...started].sort()).toEqual(expected.sort());
	}
});

describe('Another credential', () => {
	const known = { ...look(look(undefined), job('settled', T0), job('open')), credential: 'one' };

	test.each<[string, Job[], boolean]>([
		['lists nothing', [], false],
		['lists what runs', [job('other')], false],
		['lists a job that is due', [job('other', T0 - 1), job('settled', T0)], false],
		['lists other jobs that have ended', [job('other', T0 - 1)], true],
		['lists a running job and others that have ended', [job('open'), job('other', T0)], true],
	])('that %s', (_, jobs, isOther) => {
		expect(isOfOtherAccount(known, 'two', jobs)).toBe(isOther);
		expect(isOfOtherAccount(known, undefined, jobs)).toBe(isOther);
		expect(isOfOtherAccount(reread(known), 'two', jobs)).toBe(isOther);
		expect(isOfOtherAccount(known, 'one', jobs)).toBe(false);
		expect(isOfOtherAccount({ ...known, credential: undefined }, 'two', jobs)).toBe(false);
	});

	test('that lists a settled job is of the same account', () => {
		const settled = { ...look(undefined, job('settled', T0)), credential: 'one' };
		expect(isOfOtherAccount(settled, 'two', [job('other', T0), job('settled', T0)])).toBe(false);
	});
});
