import { readJob, type Job } from '../../../../../nodes/DocumentIntelligence/service/jobs/job';
import type { JobError } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobResult';
import { JobWatch } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobWatch';
import { thrownBy } from '../../../service';
import { simulatedSession, type SimulatedAnswer } from '../simulatedSession';

const LIST = 'GET /api/v1/document-jobs';

function jobOf(jobId: string, status = 'Queued'): Job {
	const outputReference = status === 'Succeeded' ? 'artifact://result' : null;
	return readJob({ jobId, status, operation: 'Extraction', outputReference })!;
}

interface Service {
	/** When jobs end, in seconds after the start. */
	ends: Record<string, number>;
	/** What the list answers in place of the jobs as they are, by the number of the check. */
	list?: (check: number, jobs: Job[]) => SimulatedAnswer | Promise<SimulatedAnswer>;
	ask?: (jobId: string) => SimulatedAnswer | Promise<SimulatedAnswer>;
}

function watching({ ends, list, ask }: Service) {
	const now = (jobId: string) =>
		jobOf(jobId, simulated.seconds() >= (ends[jobId] ?? Infinity) ? 'Succeeded' : 'Processing');
	let check = 0;
	const simulated = simulatedSession(async ({ route }) => {
		const jobs = Object.keys(ends).map(now);
		if (route === LIST) return (await list?.(check++, jobs)) ?? { data: { jobs } };
		const jobId = route.split('/').at(-1) ?? '';
		return (await ask?.(jobId)) ?? { data: now(jobId) };
	});
	const watch = new JobWatch(simulated.session);
	const ended = async (job: Job, timeoutSeconds: number, retryAfterMs?: number, isOurs = true) =>
		await watch.ended(job, timeoutSeconds, { subject: undefined, retryAfterMs, isOurs });
	/** Waits for jobs that do not end. */
	const failing = async (timeoutSeconds: number, ...jobIds: string[]) => {
		const waits = jobIds.map((jobId) => thrownBy(ended(jobOf(jobId), timeoutSeconds)));
		return await simulated.time.run(Promise.all(waits));
	};
	const routes = () => simulated.requests.map(({ route }) => route);
	const checks = () =>
		simulated.requests.filter(({ route }) => route === LIST).map(({ at }) => Math.round(at));
	return { ...simulated, ended, failing, routes, checks };
}

/** A list of these jobs as they run. */
const shows = (...jobIds: string[]): SimulatedAnswer => ({
	data: { jobs: jobIds.map((jobId) => jobOf(jobId, 'Processing')) },
});

const failed = (message: RegExp, jobId: string) => ({
	message: expect.stringMatching(message) as string,
	details: { jobId },
});

test.each([
	[undefined, 60, 2],
	[1000, 60, 1],
	[7000, 60, 7],
	[50_000, 60, 50],
	// The last moment at which a response arrives in time.
	[3_600_000, 60, 55],
])('suggested %s ms, waiting for %i s: the first check is after %i s', async (ms, seconds, at) => {
	const { ended, time, checks } = watching({ ends: { a: 1 } });
	expect(await time.run(ended(jobOf('a'), seconds, ms))).toMatchObject({ status: 'Succeeded' });
	expect(checks()).toEqual([at]);
});

test('a job is checked once more before its deadline, and the next job at a time of its own', async () => {
	const { ended, failing, time, checks } = watching({ ends: { a: 9999, b: 0 } });
	await failing(10, 'a');
	await time.run(ended(jobOf('b'), 60, 7000));
	expect(checks()).toEqual([2, 5, 8, 17]);
});

test.each(['list', 'job'])('each look heeds the Retry-After of the last one: %s', async (from) => {
	const headers = { 'retry-after': '20' };
	const { failing, checks } = watching({
		ends: {},
		list: () => (from === 'list' ? { ...shows('a'), headers } : shows()),
		ask: () => ({ data: jobOf('a', 'Processing'), headers }),
	});
	await failing(60, 'a');
	expect(checks().slice(0, 3)).toEqual(from === 'list' ? [2, 22, 42] : [2, 5, 25]);
});

test('of nine jobs, eight that the list does not show are asked for, four at a time, each once; the ninth does not wait', async () => {
	const hidden = ['1', '2', '3', '4', '5', '6', '7', '8'];
	const asked = { now: 0, most: 0 };
	const { ended, time, requests, seconds } = watching({
		ends: { shown: 8 },
		ask: async () => {
			asked.most = Math.max(asked.most, ++asked.now);
			// As long as a request for a status takes at most.
			await time.sleep(15_000);
			asked.now -= 1;
			return { status: 504 };
		},
	});
	const waits = hidden.map((jobId) => thrownBy(ended(jobOf(jobId), 100)));
	const shown = ended(jobOf('shown'), 100).then(seconds);
	await time.run(time.sleep(12_000));
	const routes = requests.flatMap(({ route }) => (route === LIST ? [] : [route]));
	expect(routes).toHaveLength(4);
	expect(new Set(routes).size).toBe(4);
	const [at] = await time.run(Promise.all([shown, ...waits]));
	expect(at).toBeLessThan(11);
	expect(asked.most).toBe(4);
});

describe('The wait ends', () => {
	test('at its deadline, each at its own, although a check is not answered', async () => {
		const { ended, time, seconds } = watching({
			ends: { late: 1000, good: 40 },
			list: async (check, jobs) => {
				if (check === 1) await time.sleep(20_000);
				return { data: { jobs } };
			},
		});
		const late = thrownBy(ended(jobOf('late'), 10)).then((thrown) => [thrown, seconds()]);
		const good = ended(jobOf('good'), 60);
		const [[thrown, at], job] = await time.run(Promise.all([late, good]));
		expect(thrown).toMatchObject(failed(/^Job late did not finish within 10 seconds$/, 'late'));
		expect(at).toBeCloseTo(10, 0);
		expect(job).toMatchObject({ jobId: 'good' });
	});

	test('within a second of a stop; what this run has submitted and was not begun is asked to be canceled', async () => {
		const { ended, time, stop, seconds, routes } = watching({
			ends: { begun: 900 },
			list: (check, jobs) => ({
				data: { jobs: [...jobs, jobOf('back', check === 0 ? 'Processing' : 'Queued')] },
			}),
			ask: async () => {
				await time.sleep(1000);
				return { status: 202 };
			},
		});
		const waits = [
			ended(jobOf('queued'), 600),
			ended(jobOf('begun', 'Processing'), 600),
			ended(jobOf('other'), 600, undefined, false),
			ended(jobOf('back'), 600),
		].map(thrownBy);
		const late = time
			.sleep(6000)
			.then(stop)
			.then(async () => await time.sleep(400))
			.then(async () => await thrownBy(ended(jobOf('late', 'Processing'), 600)));
		const thrown = (await time.run(Promise.all([...waits, late]))) as JobError[];
		expect(thrown).toMatchObject(
			['queued', 'begun', 'other', 'back', 'late'].map((id) => failed(/was stopped/, id)),
		);
		const asked =
			/Get Result .*\. Cogneris was asked to cancel the job, but it may still succeed and be billed\./;
		const canceled = thrown.filter(({ description }) => asked.test(description));
		expect(canceled.map(({ jobId }) => jobId)).toEqual(['queued', 'back']);
		expect(seconds()).toBeLessThan(8);
		expect(routes().filter((route) => route !== LIST && !route.startsWith('GET'))).toEqual(
			['queued', 'back'].map((id) => `POST /api/v1/document-jobs/${id}/cancel`),
		);
	});

	test('when the run ends, which is no stop: its queued jobs go on', async () => {
		const { ended, time, end, routes } = watching({ ends: {} });
		const wait = thrownBy(ended(jobOf('a'), 600));
		void time.sleep(3000).then(() => end(new Error('ended')));
		expect(await time.run(wait)).toMatchObject(failed(/^The execution ended/, 'a'));
		expect(routes().filter((route) => route.startsWith('POST'))).toEqual([]);
	});

	test.each([401, 403, 410])('when a job that is asked for is answered with %s', async (status) => {
		const answer = () => ({ status });
		const { failing, routes } = watching({ ends: {}, list: answer, ask: answer });
		expect(await failing(600, 'a')).toMatchObject([{ details: { httpCode: status, jobId: 'a' } }]);
		expect(routes()).toEqual([LIST, LIST, `${LIST}/a`]);
	});

	test.each([
		['for a moment', [404, 404]],
		['for a moment after an outage', [503, 503, 503, 503, 404]],
	])('for a job that is never known, but not for one that is unknown %s', async (_, statuses) => {
		const left = [...statuses];
		const { ended, time } = watching({
			ends: { listed: 30 },
			ask(jobId) {
				const status = jobId === 'late' ? left.shift() : 404;
				return status === undefined ? { data: jobOf(jobId, 'Succeeded') } : { status };
			},
		});
		const waits = ['listed', 'late'].map(async (jobId) => await ended(jobOf(jobId), 600));
		const never = thrownBy(ended(jobOf('never'), 600));
		expect(await time.run(Promise.all([never, ...waits]))).toMatchObject([
			{ details: { httpCode: 404, jobId: 'never' } },
			{ status: 'Succeeded' },
			{ status: 'Succeeded' },
		]);
	});
});

test('a hundred waits wake for checks and deadlines, and not in between', async () => {
	const jobIds = Array.from({ length: 100 }, (_, number) => `job-${number}`);
	const { session, failing, checks } = watching({ ends: {}, list: () => shows(...jobIds) });
	const sleep = jest.spyOn(session.clock, 'sleep');
	await failing(600, ...jobIds);
	expect(checks().length).toBeGreaterThan(30);
	expect(sleep.mock.calls.length).toBeLessThan(3 * checks().length);
});

test('nothing listens to the end of a run that waits for no job, or the run would never leave the memory', async () => {
	const { session, ended, time } = watching({ ends: { a: 1, b: 1 } });
	const added = jest.spyOn(session.signal, 'addEventListener');
	const removed = jest.spyOn(session.signal, 'removeEventListener');
	await time.run(Promise.all([ended(jobOf('a'), 60), ended(jobOf('b'), 60)]));
	expect(added).toHaveBeenCalledTimes(1);
	expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
		added.mock.calls.map(([, listener]) => listener),
	);
});

test('checks and submissions take turns if the rate limit holds both back', async () => {
	const { session, ended, time, requests } = watching({ ends: { a: 1 } });
	const { limiter, clock } = session;
	const ticket = { turns: session.turns, isRejected: false, signal: session.signal };
	const starts: number[] = [];
	const submissions = Array.from({ length: 200 }, async () => {
		limiter.recordResponse((await limiter.acquire(ticket)) as never, false);
		starts.push(clock.now());
	});
	await time.run(ended(jobOf('a'), 600));
	// The first of the second minute, although 150 submissions wait longer.
	expect(requests[0]?.at).toBeLessThan(61.5);
	expect(starts.length).toBeLessThan(110);
	await time.run(Promise.all(submissions));
});
