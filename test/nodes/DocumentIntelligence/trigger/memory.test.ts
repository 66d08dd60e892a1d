import { createHash } from 'node:crypto';

import { readJob } from '../../../../nodes/DocumentIntelligence/service/jobs/job';
import { Memory } from '../../../../nodes/DocumentIntelligence/trigger/memory';
import { seededRandom } from '../../clock';

const DAY = 24 * 60 * 60_000;

const NOW = 20_000 * DAY;

const jobOf = (number: number, status = 'Succeeded') =>
	readJob({
		jobId: `abcdef00-0000-4000-8000-${String(number).padStart(12, '0')}`,
		operation: 'Extraction',
		status,
		outputReference: `artifact://results/00000000-0000-4000-8000-${number}`,
		completedAt: new Date(NOW + number).toISOString(),
		creditsConsumed: 1,
	})!;

/** A memory after its first poll, which found nothing. */
function begun(): Memory {
	const memory = new Memory('account', NOW);
	memory.polls = 1;
	memory.since = NOW;
	return memory;
}

const reopened = (memory: Memory, now = NOW) => Memory.read('account', now, [memory.save()])!;

/** As a reading of the list leaves it that shows none of its jobs, so many days later. */
function readAfter(days: number, memory: Memory, isComplete: boolean): Memory {
	const later = reopened(memory, NOW + days * DAY);
	later.beginReading();
	later.endReading(isComplete);
	return later;
}

test('each of 3,000 jobs starts the workflow once, although lists are late at random', () => {
	const random = seededRandom(1);
	const starts = new Map<string, number>();
	let memory = begun();
	for (let poll = 0; poll < 80; poll++) {
		const newest = Math.min(poll * 40, 3000);
		const listed = Array.from({ length: Math.min(newest, 100) }, (_, age) => newest - age);
		for (const number of listed.reverse())
			memory.record(jobOf(number, poll < 78 && random() < 0.5 ? 'Processing' : undefined), true);
		for (const jobId of memory.unlisted) memory.record(jobOf(Number(jobId.slice(-12))), true);
		memory.endReading(false);
		for (const { job } of memory.due.slice(0, 60)) {
			starts.set(job.jobId, (starts.get(job.jobId) ?? 0) + 1);
			memory.settle(job.jobId);
		}
		memory = reopened(memory);
	}
	expect(starts.size).toBe(3000);
	expect(new Set(starts.values())).toEqual(new Set([1]));
});

test('jobs that the list does not show take turns, also while they run', () => {
	const memory = begun();
	for (const number of [1, 2, 3]) memory.record(jobOf(number, 'Processing'), true);
	memory.endReading(false);
	const asked = [1, 2, 3, 4].map(() => {
		const [jobId = ''] = memory.unlisted;
		memory.postpone(jobId);
		memory.record(jobOf(Number(jobId.slice(-12)), 'Processing'), true);
		memory.endReading(false);
		return jobId.slice(-1);
	});
	expect(asked).toEqual(['1', '2', '3', '1']);
});

test('a job starts the workflow once, however the service writes its ID', () => {
	const memory = begun();
	const job = jobOf(1);
	memory.settle(job.jobId);
	memory.record({ ...job, jobId: job.jobId.toUpperCase() }, true);
	expect(memory.due).toEqual([]);
});

test('10,000 due jobs take about as long as their digests, and under 2 MB', () => {
	const jobs = Array.from({ length: 10_000 }, (_, number) => jobOf(number));
	const millisecondsOf = (work: () => void) => {
		const startedAt = process.cpuUsage();
		work();
		return process.cpuUsage(startedAt).user / 1000;
	};
	const handled = () => {
		const memory = reopened(begun());
		for (const job of jobs) memory.record(job, true);
		const text = memory.save();
		const again = Memory.read('account', NOW, [text])!;
		expect([text.length < 2_000_000, again.due.length]).toEqual([true, 10_000]);
		for (const { job } of again.due) again.settle(job.jobId);
		expect(again.save().length).toBeLessThan(250_000);
	};
	const digested = () => {
		for (const { jobId } of [...jobs, ...jobs]) createHash('sha256').update(jobId).digest('base64');
	};
	// The fastest of some, because the first ones are compiled.
	const times = Array.from({ length: 5 }, () => millisecondsOf(handled));
	expect(Math.min(...times)).toBeLessThan(Math.max(100, 10 * millisecondsOf(digested)));
});

test.each([
	['the first poll', 0],
	['a later poll', 1],
])(
	'of what %s shows, only a job that finished since the first poll began is due, once',
	(_, polls) => {
		const memory = new Memory('account', NOW);
		Object.assign(memory, { since: NOW, polls });
		const [before, since] = [jobOf(-1), jobOf(1)];
		for (const job of [before, since, since]) memory.record(job, true);
		expect(memory.due.map(({ job }) => job)).toEqual([since]);
		memory.settle(since.jobId);
		memory.record(since, true);
		expect(memory.due).toEqual([]);
	},
);

test.each([
	['a complete list that lags does not show it', true, 1, false],
	['a complete list has not shown it for two days', true, 2, true],
	['a list that is not complete has not shown it for a week', false, 8, false],
	['nothing has shown it for more than 8 days', false, 9, true],
])('a job is forgotten if %s', (_, isComplete, days, isForgotten) => {
	const memory = begun();
	memory.settle(jobOf(1).jobId);
	const later = readAfter(days, memory, isComplete);
	later.record(jobOf(1), true);
	expect(later.due).toHaveLength(isForgotten ? 1 : 0);
});

test('a running job that nothing has shown for more than 8 days is not asked for any more', () => {
	const memory = begun();
	memory.record(jobOf(1, 'Processing'), true);
	const asked = [8, 9].map((days) => readAfter(days, memory, false).unlisted.length);
	expect(asked).toEqual([1, 0]);
});

test('a job that the first half of a reading has shown is not forgotten if the second half is read days later', () => {
	const memory = begun();
	memory.beginReading();
	memory.settle(jobOf(1).jobId);
	const later = reopened(memory, NOW + 3 * DAY);
	later.endReading(true);
	const next = reopened(later, NOW + 3 * DAY);
	next.beginReading();
	next.record(jobOf(1), true);
	expect(next.due).toEqual([]);
});

test('a job that complete lists show every day is not forgotten', () => {
	let memory = begun();
	memory.settle(jobOf(1).jobId);
	for (let day = 1; day <= 7; day++) {
		memory = reopened(memory, NOW + day * DAY);
		memory.beginReading();
		memory.record(jobOf(1), true);
		memory.endReading(true);
	}
	expect(memory.due).toEqual([]);
});

test.each([
	'',
	'{',
	7,
	null,
	{ no: 'text' },
	'{"owner":"account","due":[1]}',
	'{"owner":"account","due":[["k"]]}',
])('saved as %j, it cannot be read', (text) =>
	expect(Memory.read('account', NOW, [text])).toBeUndefined(),
);

test('the newest memory of the same owner is used', () => {
	const [one, other, foreign] = [begun(), begun(), new Memory('another', NOW)];
	other.polls = 7;
	foreign.polls = 9;
	const texts = [one, other, foreign].map((memory) => memory.save());
	expect(Memory.read('account', NOW, ['{', ...texts])?.polls).toBe(7);
	expect(Memory.read('new', NOW, texts)?.polls).toBe(0);
});
