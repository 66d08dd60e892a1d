import { LISTED_JOBS } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobWatch';
import { Slots } from '../../../../../nodes/DocumentIntelligence/waiting/waiting';
import { RunningJobs } from '../../../../../nodes/DocumentIntelligence/service/jobs/runningJobs';
import { simulatedSession } from '../simulatedSession';

const UPLOADS = 10;

const LATENCY_MS = 200;

interface Scenario {
	jobs: number;
	/** How long a job runs, in seconds, by its number. */
	runs: (job: number) => number;
	/** Jobs of other programs that a list shows before any of these. */
	others?: number;

	/** Requests a minute. */
	limit?: number;
}

/** Jobs of one execution, on a clock that does not wait. */
async function measure({ jobs, runs, others = 0, limit = 50 }: Scenario) {
	const ends: number[] = [];
	const late: number[] = [];
	let stored = 0;
	const jobOf = (job: number) => {
		const isDone = seconds() >= ends[job]!;
		const status = isDone ? 'Succeeded' : 'Processing';
		return { jobId: `job-${job}`, status, outputReference: isDone ? `artifact://${job}` : null };
	};
	const { session, time, requests, seconds } = simulatedSession(async ({ route, options }) => {
		await time.sleep(LATENCY_MS);
		if (route === 'POST /api/v1/artifacts')
			return { data: { reference: `artifact://${stored++}` } };
		if (route === 'POST /api/v1/document-jobs') {
			const job = ends.push(seconds() + runs(ends.length)) - 1;
			return { data: { ...jobOf(job), retryAfterSeconds: 2 } };
		}
		if (route === 'GET /api/v1/document-jobs') {
			const ofOthers = Array.from({ length: others }, (_, other) => ({ jobId: `other-${other}` }));
			const listed = [...ends.map((_, job) => jobOf(job)), ...ofOthers].reverse();
			const hasMore = listed.length > LISTED_JOBS;
			return { data: { jobs: listed.slice(0, LISTED_JOBS), hasMore } };
		}
		const { reference } = (options.qs ?? {}) as { reference?: string };
		if (reference === undefined) return { data: jobOf(Number(route.split('-').at(-1))) };
		late.push(seconds() - ends[Number(reference.split('//')[1])]!);
		return { text: '{"Metadata":{}}' };
	}, limit);
	const running = new RunningJobs(session, new Slots(UPLOADS), session, false);
	const process = async (job: number) => {
		const request = { operation: 'Extraction', subject: `"${job}"` };
		await running.process({ timeoutSeconds: 300 }, request, new FormData());
	};
	const numbers = Array.from({ length: jobs }, (_, job) => job);
	await time.run(new Slots(LISTED_JOBS).map(numbers, process));
	expect(late).toHaveLength(jobs);
	return {
		requests: requests.length,
		/** Requests for the status of jobs. */
		looks: requests.length - 3 * jobs,
		/** Until the last result is there. */
		seconds: seconds(),
		/** From the end of a job to its result, on average. */
		lateSeconds: late.reduce((sum, each) => sum + each, 0) / jobs,
	};
}

/** From 1 to 60, spread evenly, in no order. */
const mixed = (job: number) => 1 + ((job * 37) % 60);

test('20 jobs of 1 to 60 seconds are looked at about as often as they end', async () => {
	const { looks, lateSeconds } = await measure({ jobs: 20, runs: mixed, limit: 1000 });
	expect(looks).toBeLessThanOrEqual(26);
	expect(lateSeconds).toBeLessThan(2);
});

test.each([
	['3 seconds', () => 3],
	['1 to 60 seconds', mixed],
])('120 jobs of %s take what 50 requests a minute permit for three each', async (_, runs) => {
	const { requests, seconds } = await measure({ jobs: 120, runs });
	expect(requests).toBeLessThanOrEqual(3.1 * 120);
	const permitted = (Math.ceil((3 * 120) / 50) - 1) * 60;
	expect(seconds).toBeLessThan(permitted * 1.02);
});

test('60 jobs that other programs push out of the list are found, in few requests more', async () => {
	const { looks } = await measure({ jobs: 60, runs: () => 30, others: 150 });
	expect(looks).toBeLessThanOrEqual(2 * 60);
});
