import type { OtherJob } from '../startStandIn';
import { DAY_MS, samplePath, useStandIn, type Seen } from '../useStandIn';

const service = useStandIn();

const DONE: OtherJob = { operation: 'Extraction', result: { Metadata: { total: 1 } } };
const RUNNING: OtherJob = { ...DONE, status: 'Processing' };

const add = async (...jobs: OtherJob[]) => await service.standIn.addJobs(service.key, jobs);
const list = async (query = '?limit=100') =>
	await service.send('GET', `/api/v1/document-jobs${query}`);
const ids = ({ data }: Seen) => (data.jobs as Array<{ jobId: string }>).map(({ jobId }) => jobId);
const cursorOf = ({ data }: Seen) => encodeURIComponent(data.nextCursor as string);

test('a list shows at most 100 jobs, the newest first, and its cursor leads nowhere', async () => {
	const jobIds = await add({ ...DONE, count: 120 });
	const newest = await service.start();
	const listed = await list();
	expect(listed.data).toMatchObject({ hasMore: true, limit: 100 });
	expect(ids(listed)).toEqual([newest, ...jobIds.toReversed()].slice(0, 100));
	expect((await list(`?limit=100&cursor=${cursorOf(listed)}`)).data).toEqual(listed.data);
	expect(await service.jobs(3)).toHaveLength(3);
	expect((await list('?limit=101')).status).toBe(400);
});

test('a cursor that is honoured leads through all pages, each job once', async () => {
	await service.standIn.configure({ jobsCursor: 'honoured' });
	const jobIds = await add({ ...DONE, count: 230 });
	const pages = [await list()];
	for (let page = pages[0]; page?.data.nextCursor; page = pages.at(-1))
		pages.push(await list(`?limit=100&cursor=${cursorOf(page)}`));
	expect(pages.map((page) => ids(page).length)).toEqual([100, 100, 30]);
	expect(pages.flatMap(ids)).toEqual(jobIds.toReversed());
	expect((await list('?cursor=unknown')).code).toBe('cursor_invalid');
});

test('jobs of other programs have the status, the end and the result that a test chose', async () => {
	const [succeeded = '', failed, cancelled] = await add(
		{ operation: 'Extraction', file: samplePath('invoice-uk.pdf'), finishedMsAgo: 4000 },
		{ operation: 'Split', status: 'Failed', failureCode: 'corrupt', finishedMsAgo: 3000 },
		{ operation: 'Crop', status: 'Cancelled', finishedMsAgo: 2000 },
	);
	const jobs = await service.jobs();
	expect(jobs.map(({ jobId, status, failureCode }) => [jobId, status, failureCode])).toEqual([
		[cancelled, 'Cancelled', null],
		[failed, 'Failed', 'corrupt'],
		[succeeded, 'Succeeded', null],
	]);
	expect(await service.result(succeeded)).toMatchObject({ Metadata: { documentType: 'Invoice' } });
	await expect(add({ operation: 'Crop' })).rejects.toThrow('needs a file or a result');
});

test('a job stays queued or processing until a test ends it, at the same time as others', async () => {
	const running = { ...RUNNING, count: 4 };
	const [queued = '', first = '', failed = '', cancelled = '', requested = ''] = await add(
		{ ...DONE, status: 'Queued' },
		running,
	);
	await service.standIn.advanceClock(DAY_MS);
	expect(await service.job(queued)).toMatchObject({ status: 'Queued', completedAt: null });
	await service.send('POST', `/api/v1/document-jobs/${requested}/cancel`);
	expect((await service.job(requested)).status).toBe('Processing');

	const end = async (jobIds: string[], ending = {}) =>
		await service.standIn.endJobs(service.key, jobIds, ending);
	await end([queued, first, requested]);
	await end([failed], { failureCode: 'lost' });
	await end([cancelled], { status: 'Cancelled' });
	const ended = await Promise.all(
		[queued, first, requested, failed, cancelled].map(async (jobId) => await service.job(jobId)),
	);
	expect(ended.map(({ status }) => status)).toEqual([
		...['Succeeded', 'Succeeded', 'Cancelled', 'Failed', 'Cancelled'],
	]);
	expect(ended[0]?.completedAt).toBe(ended[1]?.completedAt);
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
	service.key += '-other';
	await add(DONE);
	expect(await service.jobs()).toHaveLength(1);
});
