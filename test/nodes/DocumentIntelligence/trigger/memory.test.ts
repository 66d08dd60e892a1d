import {
	hasEnded,
	readJob,
	type Job,
} from '../../../../nodes/DocumentIntelligence/service/jobs/job';
import {
	afterAttempt,
	afterEnd,
	afterLook,
	dueJobs,
	isLastTry,
	readMemory,
	savedMemory,
	type Memory,
} from '../../../../nodes/DocumentIntelligence/trigger/memory';
import { numRuns } from '../../../nodes/numRuns';

const ACCOUNT = 'credential live https://service.example.com';
const HOUR = 60 * 60_000;

function job(jobId: string, endedAt?: number): Job {
	const completedAt = endedAt === undefined ? null : new Date(endedAt).toISOString();
	const status = endedAt === undefined ? 'Processing' : 'Succeeded';
	const found = readJob({
		jobId,
		operation: 'Extraction',
		status,
		completedAt,
		outputReference: 'a',
	});
	if (found === undefined) throw new Error('No job.');
	return found;
}

const look = (memory: Memory | undefined, ...jobs: Job[]) =>
	afterLook(ACCOUNT, memory, jobs, () => true);
const idsOf = (memory: Memory) => dueJobs(memory).map(({ job: { jobId } }) => jobId);
const reread = (memory: Memory) =>
	readMemory(JSON.parse(JSON.stringify(savedMemory(memory))), ACCOUNT);

test('what has ended at the first look starts nothing, and what runs then starts the workflow when it ends', () => {
	const first = look(undefined, job('a'), job('b', 1000));
	expect(idsOf(first)).toEqual([]);
	expect(idsOf(look(first, job('a', 2000), job('b', 1000)))).toEqual(['a']);
});

test('fresh jobs go first, in the order of their end', () => {
	const due = look(look(undefined), job('late', 3000), job('early', 1000), job('failed', 500));
	expect(idsOf(afterAttempt(due, 'failed', 0))).toEqual(['early', 'late', 'failed']);
});

test('a result is given up after a day, and never before three attempts', () => {
	let memory = look(look(undefined), job('a', 1000));
	const last = (now: number) => dueJobs(memory).map((entry) => isLastTry(entry, now));
	for (const now of [0, 30 * HOUR]) {
		expect(last(now)).toEqual([false]);
		memory = afterAttempt(memory, 'a', now);
	}
	expect(last(23 * HOUR)).toEqual([false]);
	expect(last(24 * HOUR)).toEqual([true]);
});

test('what is saved has bounds, and is read again by the same account only', () => {
	const jobs = Array.from({ length: 3000 }, (_, number) => job(`job ${number}`, 1000));
	const memory = look(look(undefined, ...jobs), job('due', 2000), job('open'));
	expect(memory.settled.size).toBe(1000);
	expect(reread(memory)).toEqual(memory);
	expect(readMemory(savedMemory(memory), 'other')).toBeUndefined();
	expect(readMemory({ account: ACCOUNT }, ACCOUNT)).toBeUndefined();
});

/** The same numbers for the same seed. */
function random(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
		return state / 4_294_967_296;
	};
}

test('whenever jobs end and however late lists are, each starts the workflow once', () => {
	for (let seed = 1; seed <= numRuns(120).numRuns; seed++) {
		const chance = random(seed);
		const jobs = Array.from({ length: 60 }, (_, number) => {
			const begin = Math.floor(chance() * 40);
			return { id: `job ${number}`, begin, end: begin + Math.floor(chance() * 15) };
		}).sort((one, other) => other.begin - one.begin);
		const started: string[] = [];
		let memory: Memory | undefined;
		let atFirst: string[] | undefined;
		const start = (most: number) => {
			const ids = memory === undefined ? [] : idsOf(memory).slice(0, most);
			if (memory !== undefined) memory = afterEnd(memory, ids);
			started.push(...ids);
			return ids.length;
		};
		for (let time = 0; time <= 60; time += 1 + Math.floor(chance() * 4)) {
			const shown = jobs
				.filter(({ begin }) => begin <= time)
				.map(({ id, end }) =>
					job(id, end <= time && (chance() > 0.1 || time > 58) ? end : undefined),
				)
				.filter(() => time > 58 || chance() > 0.05);
			atFirst ??= shown.filter(hasEnded).map(({ jobId }) => jobId);
			memory = look(memory, ...shown);
			start(7);
			if (chance() < 0.3) memory = reread(memory);
		}
		memory = look(memory, ...jobs.map(({ id, end }) => job(id, end)));
		while (start(7) > 0);
		const expected = jobs.map(({ id }) => id).filter((id) => !atFirst?.includes(id));
		expect([...started].sort()).toEqual(expected.sort());
	}
});
