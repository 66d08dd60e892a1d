import type { OtherJob } from '../../../../stand-in/startStandIn';
import { fastLimiters } from '../../../clock';
import { failureOf, goOn, useJobs } from '../../../service';

const { service, job, steps, sandbox } = useJobs();

/** Jobs that finished one after the other, the last first. */
const finished = (count: number): OtherJob[] =>
	Array.from({ length: count }, (_, index) => ({
		operation: 'Extraction',
		result: {},
		finishedMsAgo: index * 1000,
	}));

const add = async (jobs: OtherJob[]) =>
	await service.standIn.addJobs(service.credential.apiKey, jobs);

const CUT = [expect.stringMatching(/^The account has more jobs than are shown\./)];

const INCOMPLETE = [expect.stringMatching(/^Cogneris did not list all jobs/)];

test('one item for each job, from a list that repeats some', async () => {
	const ids = await add(finished(3));
	await service.standIn.changeLists(service.credential.apiKey, [{ entries: ['asIs', 'asIs'] }]);
	const { items, hints } = await job('getAll');
	expect(items.map(({ json }) => json.jobId)).toEqual(ids);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(ids.map(() => ({ item: 0 })));
	expect(items[0]?.json).toMatchObject({
		status: 'Succeeded',
		completedAt: expect.any(String) as string,
	});
	expect(items[0]?.json).not.toHaveProperty('attemptCount');
	const { items: whole } = await job('getAll', undefined, { simplify: false });
	expect(whole[0]?.json).toMatchObject({ ...items[0]?.json, attemptCount: 1 });
	expect(hints).toEqual([]);
	expect(await steps()).toEqual(['list', 'list']);
});

test.each([
	[{}, 50],
	[{ limit: 2 }, 2],
	[{ limit: 0 }, 1],
	[{ limit: 1000 }, 60],
	[{ limit: '={{ "3" }}' }, 3],
	[{ returnAll: true, limit: 2 }, 60],
])('%j: %i of 60 jobs, and a hint says whether there are more', async (given, count) => {
	const ids = await add(finished(60));
	const { items, hints } = await job('getAll', undefined, given);
	expect(items.map(({ json }) => json.jobId)).toEqual(ids.slice(0, count));
	expect(hints.map(({ message }) => message)).toEqual(count < 60 ? CUT : []);
	expect(await steps()).toEqual(['list']);
});

test.each([
	['honoured', 250, 4, []],
	['ignored', 100, 3, INCOMPLETE],
] as const)(
	'Return All of a list whose cursor is %s: %i of 250 jobs in %i requests, in any order',
	async (jobsCursor, count, requests, expected) => {
		await service.standIn.configure({ jobsOrder: 'shuffled', jobsCursor });
		await add(finished(250));
		const { items, hints } = await job('getAll', undefined, { returnAll: true });
		expect(new Set(items.map(({ json }) => json.jobId)).size).toBe(count);
		expect(items).toHaveLength(count);
		expect(hints.map(({ message }) => message)).toEqual(expected);
		expect(await steps()).toHaveLength(requests);
	},
);

test('a Limit that the first page reaches takes one request, and the hint says how to get more', async () => {
	await service.standIn.configure({ jobsCursor: 'honoured' });
	await add(finished(150));
	const { items, hints } = await job('getAll', undefined, { limit: 100 });
	expect(items).toHaveLength(100);
	expect(hints.map(({ message }) => message)).toEqual(CUT);
	expect(await steps()).toEqual(['list']);
});

test('pages are read until Limit is reached, also with a status', async () => {
	await service.standIn.configure({ jobsCursor: 'honoured' });
	const failed = { operation: 'Crop', status: 'Failed', finishedMsAgo: 600_000 } as const;
	await add([...finished(150), { ...failed, failureCode: 'x' }]);
	const { items } = await job('getAll', undefined, { limit: 120 });
	expect(items).toHaveLength(120);
	const { items: withStatus } = await job('getAll', undefined, { limit: 1, status: ['failed'] });
	expect(withStatus.map(({ json }) => json.status)).toEqual(['Failed']);
	expect(await steps()).toHaveLength(6);
});

test.each<[unknown, number[]]>([
	[[], [0, 1, 2, 3]],
	[['succeeded'], [0]],
	[
		['failed', 'cancelled'],
		[1, 2],
	],
	[['processing', 'queued'], [3]],
	['={{ ["FAILED", "Cancelled"] }}', [1, 2]],
	['={{ "failed, cancelled" }}', [1, 2]],
	['={{ null }}', [0, 1, 2, 3]],
])('Status %j', async (status, places) => {
	const ids = await add([
		...finished(1),
		{ operation: 'Crop', status: 'Failed', failureCode: 'input_unreadable' },
		{ operation: 'Split', status: 'Cancelled' },
		{ operation: 'Split', result: {}, finishedMsAgo: -600_000, ranMs: 700_000 },
	]);
	const { items } = await job('getAll', undefined, { status: status as string[] });
	const shown = items.map(({ json }) => json.jobId).sort();
	expect(shown).toEqual(places.map((place) => ids[place]).sort());
});

test('a status that there is not is refused before anything is sent', async () => {
	const { items } = await job('getAll', undefined, { status: '={{ ["failed", "done"] }}' }, goOn);
	expect(failureOf(items[0])).toMatchObject({ message: `Unknown value for 'Status': "done"` });
	expect(await service.calls()).toEqual([]);
});

test('no jobs: no items; a sandbox key may list', async () => {
	const { items, hints } = await job('getAll', undefined, {}, sandbox());
	expect([...items, ...hints]).toEqual([]);
});

test('an address without a list of jobs', async () => {
	await service.standIn.queueFaults([{ kind: 'problem', status: 404, code: 'x' }], 'list');
	const { items } = await job('getAll', undefined, {}, goOn);
	expect(failureOf(items[0]).message).toBe('No job list found at this address');
});

test('what is no list is an error', async () => {
	await service.standIn.queueFaults([{ kind: 'answer', data: { jobs: null }, times: 9 }], 'list');
	const { items } = await job('getAll', undefined, {}, { ...goOn, limiters: fastLimiters() });
	expect(failureOf(items[0]).message).toBe('The response for the job list could not be read');
});
