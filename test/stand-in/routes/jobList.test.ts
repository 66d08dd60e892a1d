import type { OtherJob } from '../startStandIn';
import { DAY_MS, useStandIn } from '../useStandIn';

const service = useStandIn();

const DONE: OtherJob = { operation: 'Extraction', result: { Metadata: { total: 1 } } };

const add = async (...jobs: OtherJob[]) => await service.standIn.addJobs(service.key, jobs);

test('a job stays queued or processing until a test ends it, at the same time as others', async () => {
	const all = await add({ ...DONE, status: 'Queued' }, { ...DONE, status: 'Processing', count: 4 });
	const [queued = '', first = '', failed = '', canceled = '', requested = ''] = all;
	const statuses = async () =>
		await Promise.all(all.map(async (jobId) => (await service.job(jobId)).status));
	await service.standIn.advanceClock(DAY_MS);
	await service.send('POST', `/api/v1/document-jobs/${requested}/cancel`);
	expect(await statuses()).toEqual(['Queued', ...Array<string>(4).fill('Processing')]);

	const end = async (jobIds: string[], ending = {}) =>
		await service.standIn.endJobs(service.key, jobIds, ending);
	await end([queued, first, requested]);
	await end([failed], { failureCode: 'lost' });
	await end([canceled], { status: 'Cancelled' });
	const ended = ['Succeeded', 'Succeeded', 'Failed', 'Cancelled', 'Cancelled'];
	expect(await statuses()).toEqual(ended);
	expect((await service.job(queued)).completedAt).toBe((await service.job(first)).completedAt);
	expect(await service.result(first)).toEqual(DONE.result);
	expect(await service.standIn.charges()).toHaveLength(2);
	await expect(end([first])).rejects.toThrow('has ended');
});

test('changes of lists are met one after the other, by the jobs of one account', async () => {
	await service.standIn.changeLists(service.key, [
		{ lists: 1, entries: [] },
		{ lists: 1, entries: ['processing', 'asIs'] },
		{ lists: 1, entries: [{ set: { status: 'Paused' }, omit: ['outputReference'] }] },
	]);
	const [jobId = ''] = await add(DONE);
	expect(await service.jobs()).toEqual([]);
	expect((await service.jobs()).map(({ status }) => status)).toEqual(['Processing', 'Succeeded']);
	const [changed] = await service.jobs();
	expect(changed).toMatchObject({ jobId, status: 'Paused' });
	expect(changed).not.toHaveProperty('outputReference');
	expect(await service.jobs()).toEqual([await service.job(jobId)]);

	await service.standIn.changeLists(service.key, [{ entries: [] }]);
	await service.asOther(async () => {
		await add(DONE);
		expect(await service.jobs()).toHaveLength(1);
	});
});

/** Follows the list from page to page, at most ten times. */
async function pages(query = '') {
	const read: Array<{ ids: string[]; hasMore: unknown; limit: unknown; nextCursor: unknown }> = [];
	let next = '';
	do {
		const { status, data } = await service.send('GET', `/api/v1/document-jobs?${query}${next}`);
		expect(status).toBe(200);
		const { hasMore, limit, nextCursor } = data;
		const ids = (data.jobs as Array<{ jobId: string }>).map(({ jobId }) => jobId);
		read.push({ ids, hasMore, limit, nextCursor });
		next = nextCursor === null ? '' : `&cursor=${encodeURIComponent(nextCursor as string)}`;
	} while (next !== '' && read.length < 10);
	return read;
}

test.each(['newest', 'oldest', 'shuffled'] as const)(
	'in the order "%s", a cursor that is honored leads to each job once',
	async (jobsOrder) => {
		await service.standIn.configure({ jobsOrder, jobsCursor: 'honoured', maxListLimit: 10 });
		const ages = Array.from({ length: 23 }, (_, index) => 23 - index);
		const oldestFirst = await add(...ages.map((age) => ({ ...DONE, finishedMsAgo: age * 1000 })));
		const read = await pages();
		expect(read.map(({ hasMore, limit }) => [hasMore, limit])).toEqual([
			[true, 10],
			[true, 10],
			[false, 10],
		]);
		const listed = read.flatMap(({ ids }) => ids);
		expect([...listed].sort()).toEqual([...oldestFirst].sort());
		expect(listed.join() === oldestFirst.join()).toBe(jobsOrder === 'oldest');
		expect(listed.join() === oldestFirst.toReversed().join()).toBe(jobsOrder === 'newest');
		expect((await pages()).flatMap(({ ids }) => ids)).toEqual(listed);
	},
);

test('a list shows as many jobs as are asked for, 100 by default, and not more than are granted', async () => {
	await service.standIn.configure({ maxListLimit: 110 });
	await add({ ...DONE, count: 120 });
	for (const [query, count] of [
		['', 100],
		['limit=2', 2],
		['limit=1000', 110],
	] as const) {
		const [first] = await pages(query);
		expect(first).toMatchObject({ hasMore: true, limit: count });
		expect(first?.ids).toHaveLength(count);
	}
	for (const limit of ['0', '-1', '1.5', 'all'])
		expect((await service.send('GET', `/api/v1/document-jobs?limit=${limit}`)).status).toBe(400);
});

test('a limit can be ignored, and a cursor ignored or rejected', async () => {
	await add({ ...DONE, count: 130 });
	await service.standIn.configure({ jobsLimit: 'ignored' });
	const [first, second] = await pages('limit=2');
	expect(first?.ids).toHaveLength(100);
	expect(second?.ids).toEqual(first?.ids);

	await service.standIn.configure({ jobsCursor: 'rejected' });
	const rejected = await service.send('GET', '/api/v1/document-jobs?cursor=x');
	expect([rejected.status, rejected.code]).toEqual([400, 'parameter_unknown']);
});
