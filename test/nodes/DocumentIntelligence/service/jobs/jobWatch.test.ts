import { DocumentError } from '../../../../../nodes/DocumentIntelligence/text/errors';
import { readJob, type Job } from '../../../../../nodes/DocumentIntelligence/service/jobs/job';
import { JobWatch } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobWatch';
import { simulatedSession, type SimulatedAnswer } from '../simulatedSession';

const LIST = 'GET /api/v1/document-jobs';

const settings = {
	timeoutSeconds: 300,
};

function jobOf(jobId: string, status = 'Queued'): Job {
	const outputReference = status === 'Succeeded' ? 'artifact://result' : null;
	const job = readJob({ jobId, status, operation: 'Extraction', outputReference });
	if (job === undefined) throw new Error('That is no job.');
	return job;
}

interface Service {
	/** When jobs end, in seconds after the start. */
	ends: Record<string, number>;
	/** Answers of the list that are not the jobs as they are, by the number of the look. */
	looks?: (look: number) => SimulatedAnswer | undefined | Promise<SimulatedAnswer | undefined>;
	listed?: (jobs: Job[]) => { jobs: Job[]; hasMore?: boolean };
	ask?: (jobId: string) => SimulatedAnswer | Promise<SimulatedAnswer>;
}

function watching({ ends, looks, listed = (jobs) => ({ jobs }), ask }: Service) {
	const now = (jobId: string) =>
		jobOf(jobId, simulated.seconds() >= (ends[jobId] ?? Infinity) ? 'Succeeded' : 'Processing');
	let look = 0;
	const simulated = simulatedSession(async ({ route }) => {
		if (route === LIST) {
			const other = await looks?.(look++);
			return other ?? { data: listed(Object.keys(ends).map(now)) };
		}
		const jobId = route.split('/').at(-1) ?? '';
		return (await ask?.(jobId)) ?? { data: now(jobId) };
	});
	const own = new JobWatch(simulated.session, settings);
	const watch = {
		ended: async (job: Job, timeoutSeconds: number, firstPauseMs?: number, isOurs = true) =>
			await own.ended(job, { subject: undefined, timeoutSeconds, firstPauseMs, isOurs }),
	};
	const routes = () => simulated.requests.map(({ route }) => route);
	const looksAt = () =>
		simulated.requests.filter(({ route }) => route === LIST).map(({ at }) => Math.round(at));
	return { ...simulated, watch, routes, looksAt };
}

const failure = async (work: Promise<unknown>): Promise<unknown> =>
	await work.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);

test('a job that has ended is not looked at', async () => {
	const { watch, time, routes } = watching({ ends: {} });
	const job = jobOf('a', 'Failed');
	expect(await time.run(watch.ended(job, 60))).toBe(job);
	expect(routes()).toEqual([]);
});

test('a job that two documents wait for ends for both', async () => {
	const { watch, time } = watching({ ends: { a: 5 } });
	const both = [watch.ended(jobOf('a'), 60), watch.ended(jobOf('a'), 60)];
	expect(await time.run(Promise.all(both))).toEqual([
		expect.objectContaining({ status: 'Succeeded' }),
		expect.objectContaining({ status: 'Succeeded' }),
	]);
});

test.each([
	[undefined, 2],
	[500, 2],
	[7000, 7],
])('the first look is made after the time that the service suggests (%s ms)', async (ms, at) => {
	const { watch, time, looksAt } = watching({ ends: { a: 1 } });
	expect(await time.run(watch.ended(jobOf('a'), 60, ms))).toMatchObject({ status: 'Succeeded' });
	expect(looksAt()).toEqual([at]);
});

test('the service may suggest longer than there is to wait: the job is looked at all the same', async () => {
	const { watch, time, seconds } = watching({ ends: { a: 10 } });
	expect(await time.run(watch.ended(jobOf('a'), 60, 3_600_000))).toMatchObject({ jobId: 'a' });
	expect(seconds()).toBeLessThan(60);
});

test('two documents may wait for the same job', async () => {
	const { watch, time, looksAt } = watching({ ends: { a: 1 } });
	const waits = [jobOf('a'), jobOf('a')].map(async (job) => await watch.ended(job, 60));
	expect(await time.run(Promise.all(waits))).toMatchObject([{ jobId: 'a' }, { jobId: 'a' }]);
	expect(looksAt()).toHaveLength(1);
});

test('looks at a long job grow apart, to 15 seconds', async () => {
	const { watch, time, looksAt } = watching({ ends: { a: 100 } });
	await time.run(watch.ended(jobOf('a'), 300));
	const at = looksAt();
	const pauses = at.slice(1).map((second, index) => second - (at[index] ?? 0));
	expect(pauses.slice(0, 4)).toEqual([3, 5, 6, 10]);
	expect(new Set(pauses.slice(5))).toEqual(new Set([15]));
	expect(at.length).toBeLessThanOrEqual(11);
});

test('one look is for all that wait, also for those that come later', async () => {
	const names = Array.from({ length: 60 }, (_, index) => `job-${index}`);
	const { watch, time, routes, looksAt } = watching({
		ends: Object.fromEntries(names.map((name, index) => [name, index % 10])),
	});
	const wait = async (name: string, index: number) => {
		await time.sleep(index * 50);
		return await watch.ended(jobOf(name), 60);
	};
	const ended = await time.run(Promise.all(names.map(wait)));
	expect(ended.map(({ jobId }) => jobId)).toEqual(names);
	expect(new Set(routes())).toEqual(new Set([LIST]));
	expect(looksAt().length).toBeLessThanOrEqual(6);
});

test('a watch that had nothing left to wait for goes on with the next job', async () => {
	const { watch, time, looksAt } = watching({ ends: { a: 1, b: 30 } });
	await time.run(watch.ended(jobOf('a'), 60));
	await time.run(time.sleep(27_000));
	expect(await time.run(watch.ended(jobOf('b'), 60))).toMatchObject({ jobId: 'b' });
	expect(looksAt()).toEqual([2, 31]);
});

describe('A list', () => {
	test('that lags behind: a job is asked for by its number after two looks', async () => {
		const { watch, time, routes } = watching({ ends: { a: 1 }, listed: () => ({ jobs: [] }) });
		await time.run(watch.ended(jobOf('a'), 60));
		expect(routes()).toEqual([LIST, LIST, `${LIST}/a`]);
	});

	test('that has room for others only: each that is missing is asked for, and not at every look', async () => {
		const { watch, time, routes } = watching({
			ends: { a: 30, b: 30, c: 1 },
			listed: (jobs) => ({ jobs: jobs.filter(({ jobId }) => jobId === 'c'), hasMore: true }),
		});
		const jobs = ['a', 'b', 'c'].map(async (name) => await watch.ended(jobOf(name), 90));
		await time.run(Promise.all(jobs));
		const asked = routes().filter((route) => route !== LIST);
		const looks = routes().length - asked.length;
		expect(new Set(asked)).toEqual(new Set([`${LIST}/a`, `${LIST}/b`]));
		expect(asked.length).toBeLessThanOrEqual(looks);
	});

	test('that writes the number in another case', async () => {
		const { watch, time, routes } = watching({
			ends: { 'a-1f': 1 },
			listed: (jobs) => ({ jobs: jobs.map((job) => ({ ...job, jobId: 'A-1F' })) }),
		});
		expect(await time.run(watch.ended(jobOf('a-1f'), 60))).toMatchObject({ status: 'Succeeded' });
		expect(routes()).toEqual([LIST]);
	});

	test('in which a job goes back to Queued: it is waited for, and cancelled by a stop', async () => {
		const { watch, time, stop, routes } = watching({
			ends: { a: 900 },
			looks: (look) => ({ data: { jobs: [jobOf('a', look === 0 ? 'Processing' : 'Queued')] } }),
		});
		const wait = failure(watch.ended(jobOf('a'), 600));
		await time.run(Promise.all([wait, time.sleep(10_000).then(stop)]));
		expect(routes().at(-1)).toBe(`POST ${LIST.slice(4)}/a/cancel`);
	});

	test('that names a job twice ends its wait once, as ended', async () => {
		const { watch, time, looksAt } = watching({
			ends: { a: 1 },
			listed: (jobs) => ({ jobs: [...jobs, jobOf('a', 'Processing')] }),
		});
		expect(await time.run(watch.ended(jobOf('a'), 60))).toMatchObject({ status: 'Succeeded' });
		expect(looksAt()).toEqual([2]);
	});
});

describe('The wait ends', () => {
	test('at its deadline, each at its own, and the others go on', async () => {
		const { watch, time, seconds } = watching({ ends: { late: 1000, good: 40 } });
		const late = failure(watch.ended(jobOf('late'), 10)).then((thrown) => [thrown, seconds()]);
		const good = watch.ended(jobOf('good'), 60);
		const [[thrown, at], ended] = await time.run(Promise.all([late, good]));
		expect(thrown).toMatchObject({
			message: expect.stringMatching(/not finished within 10/) as string,
			details: { jobId: 'late' },
		});
		expect(at).toBeCloseTo(10, 0);
		expect(ended).toMatchObject({ jobId: 'good' });
	});

	test('at its deadline although a look is not answered', async () => {
		const { watch, time, seconds } = watching({
			ends: { a: 1000 },
			looks: async () => {
				await time.sleep(200_000);
				return undefined;
			},
		});
		expect(await time.run(failure(watch.ended(jobOf('a'), 10)))).toMatchObject({
			message: expect.stringMatching(/not finished within/) as string,
		});
		expect(seconds()).toBeLessThan(11);
	});

	test('within a second of a stop, and what was not begun is cancelled', async () => {
		const { watch, time, stop, seconds, routes } = watching({ ends: { queued: 900, begun: 900 } });
		const waits = [jobOf('queued'), jobOf('begun', 'Processing')].map(
			async (job) => await failure(watch.ended(job, 600, 30_000)),
		);
		const stopping = time.sleep(5000).then(stop);
		const thrown = await time.run(Promise.all([...waits, stopping]));
		expect(thrown.slice(0, 2)).toEqual([
			expect.objectContaining({ message: expect.stringMatching(/was stopped/) as string }),
			expect.objectContaining({ message: expect.stringMatching(/was stopped/) as string }),
		]);
		expect(seconds()).toBeLessThan(6);
		expect(routes()).toEqual(['POST /api/v1/document-jobs/queued/cancel']);
	});

	test('without cancelling a job that another execution has submitted', async () => {
		const { watch, time, stop, routes } = watching({ ends: { a: 900 } });
		const waiting = failure(watch.ended(jobOf('a'), 600, 30_000, false));
		void time.sleep(3000).then(stop);
		expect(await time.run(waiting)).toMatchObject({
			message: expect.stringMatching(/was stopped/) as string,
		});
		expect(routes()).toEqual([]);
	});

	test('also for a job that was submitted while the stop goes on', async () => {
		const { watch, time, stop } = watching({
			ends: { a: 900, b: 900 },
			ask: async () => {
				await time.sleep(1000);
				return { status: 202 };
			},
		});
		const first = failure(watch.ended(jobOf('a'), 600, 30_000));
		const second = time
			.sleep(5000)
			.then(stop)
			.then(async () => await time.sleep(400))
			.then(async () => await failure(watch.ended(jobOf('b', 'Processing'), 600)));
		expect(await time.run(Promise.all([first, second]))).toMatchObject([
			{ message: expect.stringMatching(/was stopped/) as string, details: { jobId: 'a' } },
			{ message: expect.stringMatching(/was stopped/) as string, details: { jobId: 'b' } },
		]);
	});

	test('for all when the service answers 401 to the question for one', async () => {
		const { watch, time, routes } = watching({
			ends: {},
			ask: () => ({ status: 401 }),
		});
		const waits = ['a', 'b', 'c'].map(async (name) => await failure(watch.ended(jobOf(name), 600)));
		for (const thrown of await time.run(Promise.all(waits)))
			expect(thrown).toMatchObject({ details: { httpCode: 401 } });
		expect(routes()).toEqual([LIST, LIST, `${LIST}/a`]);
	});

	test('when the run ends, which is not called a stop', async () => {
		const { watch, time, end } = watching({ ends: { a: 900 } });
		const wait = failure(watch.ended(jobOf('a', 'Processing'), 600));
		const [thrown] = await time.run(
			Promise.all([wait, time.sleep(5000).then(() => end(new Error('ended')))]),
		);
		expect(thrown).toMatchObject({
			message: expect.stringMatching(/The execution ended/) as string,
		});
	});

	test.each([401, 403])('for all when the service answers %s to the key', async (status) => {
		const { watch, time, looksAt } = watching({
			ends: { a: 900, b: 900 },
			looks: () => ({ status }),
		});
		const waits = ['a', 'b'].map(async (name) => await failure(watch.ended(jobOf(name), 600)));
		for (const thrown of await time.run(Promise.all(waits))) {
			expect(thrown).toBeInstanceOf(DocumentError);
			expect(thrown).toMatchObject({ details: { httpCode: status } });
		}
		expect(looksAt()).toHaveLength(1);
	});

	test('not where the service does not know the job yet', async () => {
		let asked = 0;
		const { watch, time } = watching({
			ends: { a: 1 },
			listed: () => ({ jobs: [] }),
			ask: (jobId) =>
				asked++ < 2 ? { status: 404, code: 'job_unknown' } : { data: jobOf(jobId, 'Succeeded') },
		});
		expect(await time.run(watch.ended(jobOf('a'), 600))).toMatchObject({ status: 'Succeeded' });
	});

	test('where the service does not know the job, and only that one', async () => {
		const { watch, time } = watching({
			ends: { b: 30 },
			ask: () => ({ status: 404, code: 'job_unknown' }),
		});
		const unknown = failure(watch.ended(jobOf('a'), 600));
		const known = watch.ended(jobOf('b'), 600);
		const [thrown, ended] = await time.run(Promise.all([unknown, known]));
		expect(thrown).toMatchObject({ details: { httpCode: 404 } });
		expect(ended).toMatchObject({ jobId: 'b', status: 'Succeeded' });
	});
});

test.each<[string, SimulatedAnswer]>([
	['500', { status: 500 }],
	['502 with a page', { status: 502, text: '<html></html>' }],
	['429', { status: 429, headers: { 'retry-after': '3' } }],
	['404', { status: 404 }],
	['no list', { data: {} }],
	['half an answer', { text: '{"data":{"jobs":[' }],
])('a look that fails (%s) ends nothing', async (_, answer) => {
	const { watch, time, seconds } = watching({
		ends: { a: 3 },
		looks: (look) => (look < 2 ? answer : undefined),
	});
	expect(await time.run(watch.ended(jobOf('a'), 120))).toMatchObject({ status: 'Succeeded' });
	expect(seconds()).toBeLessThan(30);
});

test('looks and submissions take turns where the rate limit holds both back', async () => {
	const { session, watch, time, requests } = watching({ ends: { a: 1 } });
	const { limiter, clock } = session;
	const ticket = { limit: 50, maxRejectedMs: 60_000, priority: false };
	const starts: number[] = [];
	const submissions = Array.from({ length: 200 }, async () => {
		limiter.accepted((await limiter.acquire(session, ticket)) as never);
		starts.push(clock.now());
	});
	const ended = watch.ended(jobOf('a'), 600);
	await time.run(ended);
	// The first of the second minute, although 150 submissions wait longer.
	expect(requests[0]?.at).toBeLessThan(61.5);
	expect(starts.length).toBeLessThan(110);
	await time.run(Promise.all(submissions));
	expect(starts).toHaveLength(200);
});
