import { readJob } from '../../../../nodes/DocumentIntelligence/service/jobs/job';
import { Memory } from '../../../../nodes/DocumentIntelligence/trigger/memory';
import { seededRandom } from '../service/simulation';

test('each of 3,000 jobs starts the workflow once, although lists are late at random', () => {
	const random = seededRandom(1);
	const starts = new Map<string, number>();
	let saved: string | undefined;
	for (let poll = 0; poll < 80; poll++) {
		const memory = new Memory('account', saved);
		const newest = Math.min(poll * 40, 3000);
		const jobOf = (number: number, isLate: boolean) =>
			readJob({ jobId: `j-${number}`, status: isLate ? 'Processing' : 'Succeeded' })!;
		const listed = Array.from({ length: Math.min(newest, 100) }, (_, age) => newest - age);
		for (const number of listed.reverse())
			memory.see(jobOf(number, poll < 78 && random() < 0.5), true);
		for (const jobId of memory.open) {
			const number = Number(jobId.slice(2));
			if (!listed.includes(number)) memory.see(jobOf(number, false), true);
		}
		for (const { job } of memory.due.slice(0, 60)) {
			starts.set(job.jobId, (starts.get(job.jobId) ?? 0) + 1);
			memory.settle(job.jobId);
		}
		memory.polls += 1;
		saved = JSON.stringify(memory);
		expect(memory.settled.length + memory.open.length).toBeLessThanOrEqual(2000);
	}
	expect(starts.size).toBe(3000);
	expect(new Set(starts.values())).toEqual(new Set([1]));
});
