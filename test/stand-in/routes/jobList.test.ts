import type { OtherJob } from '../startStandIn';
import { DAY_MS, useStandIn } from '../useStandIn';

const service = useStandIn();

const DONE: OtherJob = { operation: 'Extraction', result: { Metadata: { total: 1 } } };
const RUNNING: OtherJob = { ...DONE, status: 'Processing' };

const add = async (...jobs: OtherJob[]) => await service.standIn.addJobs(service.key, jobs);

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
