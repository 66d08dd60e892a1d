import type { OtherJob } from '../../../stand-in/startStandIn';
import { failureOf } from '../../service';
import { useJobs } from '../../jobs';

const { service, job, goOn, steps, sandbox } = useJobs();

/** Jobs that finished one after the other, the last first. */
const finished = (count: number, more: Partial<OtherJob> = {}): OtherJob[] =>
	Array.from({ length: count }, (_, index) => ({
		operation: 'Extraction',
		result: {},
		finishedMsAgo: index * 1000,
		...more,
	}));

const add = async (jobs: OtherJob[]) =>
	await service.standIn.addJobs(service.credential.apiKey, jobs);

test.each(['newest', 'oldest'] as const)(
	'one item for each job, the newest first, from a list that begins with the %s',
	async (jobListOrder) => {
		await service.standIn.configure({ jobListOrder });
		const ids = await add(finished(3));
		const { items, hints } = await job('getAll');
		expect(items.map(({ json }) => json.jobId)).toEqual(ids);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(ids.map(() => ({ item: 0 })));
		expect(items[0]?.json).toMatchObject({
			status: 'Succeeded',
			outputReference: expect.stringMatching(/^artifact:/) as string,
			attemptCount: 1,
			cancellationRequestedAt: null,
		});
		expect(hints).toEqual([]);
		expect(await steps()).toEqual(['list']);
	},
);

test('a job that is listed twice is one item', async () => {
	await service.standIn.configure({ jobListRepeats: 2 });
	const ids = await add(finished(3));
	const { items } = await job('getAll');
	expect(items.map(({ json }) => json.jobId)).toEqual(ids);
});

test.each([
	[undefined, 50],
	[2, 2],
	[0, 1],
	[1000, 60],
	['={{ "3" }}', 3],
])(
	'Limit %j gives %i of 60 jobs, and a hint says whether older ones are not shown',
	async (limit, count) => {
		const ids = await add(finished(60));
		const { items, hints } = await job('getAll', undefined, limit === undefined ? {} : { limit });
		expect(items.map(({ json }) => json.jobId)).toEqual(ids.slice(0, count));
		expect(hints.map(({ message }) => message)).toEqual(
			count < 60 ? [expect.stringMatching(/^Older jobs are not shown\./)] : [],
		);
		expect(await steps()).toEqual(['list']);
	},
);

test('more jobs than the service lists: a hint', async () => {
	await add(finished(101));
	const { items, hints } = await job('getAll', undefined, { limit: 100 });
	expect(items).toHaveLength(100);
	expect(hints).toHaveLength(1);
});

describe('Status', () => {
	const other: OtherJob[] = [
		{ operation: 'Crop', status: 'Failed', failureCode: 'input_unreadable' },
		{ operation: 'Split', status: 'Cancelled' },
		{ operation: 'Split', result: {}, finishedMsAgo: -600_000, ranMs: 700_000 },
	];

	test.each<[unknown, number[]]>([
		[[], [3, 0, 1, 2]],
		[['succeeded'], [0]],
		[
			['failed', 'cancelled'],
			[1, 2],
		],
		[['processing', 'queued'], [3]],
		['={{ "failed" }}', [1]],
		['={{ "Failed" }}', [1]],
		['={{ ["FAILED", "Cancelled"] }}', [1, 2]],
		['={{ "failed, cancelled" }}', [1, 2]],
		['={{ null }}', [3, 0, 1, 2]],
		['={{ "" }}', [3, 0, 1, 2]],
	])('%j', async (status, places) => {
		const ids = await add([...finished(1), ...other]);
		const { items, hints } = await job('getAll', undefined, { status: status as string[] });
		expect(items.map(({ json }) => json.jobId).sort()).toEqual(
			places.map((place) => ids[place]).sort(),
		);
		expect(hints).toEqual([]);
	});

	test.each(['done', ['failed', 'done']])(
		'%j is refused before anything is sent',
		async (status) => {
			const given = { status: `={{ ${JSON.stringify(status)} }}` };
			const { items } = await job('getAll', undefined, given, goOn);
			expect(failureOf(items[0])).toMatchObject({
				message: 'Unknown Status "done"',
				description: expect.stringContaining('cancelled, failed, processing') as string,
			});
			expect(await service.calls()).toEqual([]);
		},
	);
});

test('no jobs: no items', async () => {
	const { items, hints } = await job('getAll');
	expect([...items, ...hints]).toEqual([]);
});

test.each([
	['{"data":{"count":0},"meta":{},"hasErrors":false}'],
	['{"data":{"jobs":null},"meta":{},"hasErrors":false}'],
	['{"data":[],"meta":{},"hasErrors":false}'],
])('an answer without a list is none: %s', async (body) => {
	const answers = await strange(body);
	const { items } = await job(
		'getAll',
		undefined,
		{},
		{
			...goOn,
			credential: { ...service.credential, baseUrl: answers.url },
		},
	);
	expect(failureOf(items[0]).message).toBe('The response for the list of jobs could not be read');
	expect(answers.seen).toHaveLength(4);
});

test('entries that are no jobs are no items, and what the service says besides is there', async () => {
	const jobs = [
		null,
		'job',
		{},
		{ status: 'Queued' },
		{ jobId: 7, status: 'Paused', priority: 'high' },
	];
	const answers = await strange(JSON.stringify({ data: { jobs }, meta: {}, hasErrors: false }));
	const { items } = await job(
		'getAll',
		undefined,
		{},
		{
			credential: { ...service.credential, baseUrl: answers.url },
		},
	);
	expect(items.map(({ json }) => json)).toEqual([
		expect.objectContaining({ jobId: '7', status: 'Paused', priority: 'high', operation: null }),
	]);
});

test('a sandbox key may list', async () => {
	expect((await job('getAll', undefined, {}, sandbox())).items).toEqual([]);
});

/** A service that answers everything with this text. */
async function strange(body: string) {
	const { createServer } = await import('node:http');
	const seen: string[] = [];
	const server = createServer((request, response) => {
		seen.push(request.url ?? '');
		response.setHeader('content-type', 'application/json');
		response.end(body);
	});
	await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
	closing.push(() => server.close());
	const { port } = server.address() as { port: number };
	return { url: `http://127.0.0.1:${port}`, seen };
}

const closing: Array<() => void> = [];
afterAll(() => closing.forEach((close) => close()));
