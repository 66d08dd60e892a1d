import { readJobList } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobList';
import { seededRandom } from '../../../clock';
import { simulatedSession, type SimulatedAnswer } from '../simulatedSession';

interface Account {
	jobs: number;
	/** The most jobs that one answer shows. */
	granted?: number;
	order?: 'newest' | 'oldest' | 'random';
	cursor?: 'honored' | 'ignored' | 'rejected' | 'failing' | 'missing';
	/** What a larger limit than the granted one is answered with. */
	refusal?: SimulatedAnswer;
}

/** An account whose list leaves open what the contract leaves open. */
function listing({ jobs, granted = 100, order = 'newest', cursor = 'honored', refusal }: Account) {
	const random = seededRandom(1);
	const numbers = Array.from({ length: jobs }, (_, number) => number);
	if (order === 'oldest') numbers.reverse();
	if (order === 'random') numbers.sort(() => random() - 0.5);
	const asked: Array<Record<string, string>> = [];
	const simulated = simulatedSession(({ options }) => {
		const query = options.qs as Record<string, string>;
		asked.push(query);
		if (refusal !== undefined && Number(query.limit) > granted) return refusal;
		if (cursor === 'rejected' && query.cursor !== undefined) return { status: 400 };
		if (cursor === 'failing' && query.cursor !== undefined) return { status: 502 };
		const limit = Math.min(Number(query.limit), granted);
		const start = cursor === 'honored' ? Number(query.cursor ?? 0) : 0;
		const shown = numbers.slice(start, start + limit);
		const hasMore = start + limit < jobs;
		const next = hasMore && cursor !== 'missing' ? { nextCursor: String(start + limit) } : {};
		const page = shown.map((number) => ({ jobId: `j-${number}`, status: 'Queued' }));
		return { data: { jobs: page, hasMore, limit, ...next } };
	}, 1000);
	const read = async (options?: Parameters<typeof readJobList>[2]) =>
		await simulated.time.run(
			readJobList(simulated.session, { timeoutSeconds: 20, retries: 0 }, options),
		);
	return { asked, read };
}

describe('All jobs of an account are read', () => {
	test.each(['newest', 'oldest', 'random'] as const)(
		'in the order %s: with a larger limit if it is granted, else with the cursor',
		async (order) => {
			for (const granted of [100, 500, 1_000, 10_000]) {
				const { read } = listing({ jobs: 1260, granted, order });
				const { jobs, end } = await read();
				expect([jobs.size, end]).toEqual([1260, 'complete']);
			}
		},
	);

	test('with one request where one answer shows them, and after a larger limit was granted', async () => {
		const few = listing({ jobs: 100 });
		await few.read();
		expect(few.asked).toEqual([{ limit: '100' }]);
		const many = listing({ jobs: 1260, granted: 10_000 });
		await many.read();
		await many.read();
		expect(many.asked.map(({ limit }) => limit)).toEqual(['100', '1000', '10000', '10000']);
	});

	test.each([{ status: 400 }, { status: 422 }, { status: 502 }])(
		'although a larger limit is answered with %j',
		async (refusal) => {
			const { read, asked } = listing({ jobs: 250, refusal });
			expect((await read()).jobs.size).toBe(250);
			await read();
			const refused = asked.filter(({ limit }) => limit === '1000');
			expect(refused).toHaveLength(refusal.status === 502 ? 2 : 1);
		},
	);
});

describe('A list that does not show all jobs', () => {
	test.each(['ignored', 'rejected', 'missing'] as const)(
		'whose cursor is %s ends after at most four requests',
		async (cursor) => {
			const { read, asked } = listing({ jobs: 250, cursor });
			const { jobs, end } = await read();
			expect([jobs.size, end]).toEqual([100, 'blocked']);
			expect(asked.length).toBeLessThanOrEqual(4);
		},
	);

	test('is read on from where it paused, after the first page', async () => {
		const { read, asked } = listing({ jobs: 1260 });
		const first = await read({ maxRequests: 10 });
		expect([asked.length, first.end]).toEqual([10, 'paused']);
		const rest = await read({ maxRequests: 10, cursor: first.cursor });
		const seen = new Set([...first.jobs.keys(), ...rest.jobs.keys()]);
		expect([seen.size, rest.end]).toEqual([1260, 'complete']);
		expect(asked.slice(10).map(({ cursor = '0' }) => Number(cursor))).toEqual([
			0, 900, 1000, 1100, 1200,
		]);
	});

	test('is read from the beginning after its cursor has failed twice', async () => {
		const { read } = listing({ jobs: 250, cursor: 'failing' });
		const first = await read();
		expect([first.end, first.cursor]).toEqual(['paused', '100']);
		const second = await read({ cursor: first.cursor });
		expect([second.end, second.cursor]).toEqual(['blocked', undefined]);
	});

	test('is read no further than is wanted', async () => {
		const { read, asked } = listing({ jobs: 1260 });
		const list = await read({ isEnough: ({ size }) => size >= 150 });
		expect([list.jobs.size, list.end]).toEqual([200, 'paused']);
		expect(asked).toHaveLength(3);
	});
});

test('a limit that was granted and then fails is not asked for again', async () => {
	let isDown = false;
	const limits: unknown[] = [];
	const { session, time } = simulatedSession(({ options }) => {
		const { limit } = options.qs as { limit: string };
		limits.push(limit);
		if (isDown && limit !== '100') return { status: 500 };
		const jobs = Array.from({ length: limit === '100' ? 100 : 150 }, (_, n) => ({ jobId: `${n}` }));
		return { data: { jobs, hasMore: limit === '100', limit: Number(limit) } };
	});
	const read = async () => await time.run(readJobList(session, { timeoutSeconds: 20, retries: 0 }));
	await read();
	isDown = true;
	await expect(read()).rejects.toThrow();
	await read().catch(() => undefined);
	expect(limits).toEqual(['100', '1000', '1000', '100', '1000']);
});
