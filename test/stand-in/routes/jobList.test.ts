import type { ListChange, OtherJob } from '../startStandIn';
import { DAY_MS, samplePath, useStandIn, type Seen } from '../useStandIn';

const service = useStandIn();

const done: OtherJob = { operation: 'Extraction', result: { Metadata: { total: 1 } } };
const running: OtherJob = { ...done, status: 'Processing' };

const add = async (...jobs: OtherJob[]) => await service.standIn.addJobs(service.key, jobs);
const change = async (...changes: ListChange[]) =>
	await service.standIn.changeLists(service.key, changes);
const list = async (query = '?limit=100') =>
	await service.send('GET', `/api/v1/document-jobs${query}`);
const ids = ({ data }: Seen) => (data.jobs as Array<{ jobId: string }>).map(({ jobId }) => jobId);
/** The statuses that each of the next lists shows of a job. */
async function statusesInLists(count: number, jobId: string | undefined): Promise<string[][]> {
	const seen: string[][] = [];
	for (let lists = 0; lists < count; lists++)
		seen.push(
			(await service.jobs()).filter((job) => job.jobId === jobId).map(({ status }) => status),
		);
	return seen;
}

test('a list shows at most 100 jobs, the newest first, and none beyond', async () => {
	const others = [{ operation: 'Extraction' as const, result: {}, count: 120 }];
	const jobIds = await service.standIn.addJobs(service.key, others);
	const newest = await service.start();
	const listed = await service.send('GET', '/api/v1/document-jobs?limit=100');
	expect(listed.data).toMatchObject({ hasMore: true, limit: 100 });
	const shown = (listed.data.jobs as Array<{ jobId: string }>).map(({ jobId }) => jobId);
	expect(shown).toEqual([newest, ...jobIds.toReversed()].slice(0, 100));
	const cursor = encodeURIComponent(listed.data.nextCursor as string);
	const further = await service.send('GET', `/api/v1/document-jobs?limit=100&cursor=${cursor}`);
	expect(further.data).toEqual(listed.data);
	expect(await service.jobs(3)).toHaveLength(3);
	expect((await service.send('GET', '/api/v1/document-jobs?limit=101')).status).toBe(400);
	await service.standIn.configure({ jobListOrder: 'oldest' });
	expect((await service.jobs(1))[0]?.jobId).toBe(jobIds[0]);
});

test('a list shows jobs of other programs, finished when a test says', async () => {
	const [succeeded, failed, cancelled, running] = await service.standIn.addJobs(service.key, [
		{ operation: 'Extraction', file: samplePath('invoice-uk.pdf'), finishedMsAgo: 4000 },
		{ operation: 'Split', status: 'Failed', failureCode: 'corrupt', finishedMsAgo: 3000 },
		{ operation: 'Crop', status: 'Cancelled', finishedMsAgo: 2000 },
		{ operation: 'ZeroShot', result: { Metadata: {} }, finishedMsAgo: -60_000, ranMs: 61_000 },
	]);
	expect(
		(await service.jobs()).map(({ jobId, status, failureCode }) => [jobId, status, failureCode]),
	).toEqual([
		[running, 'Processing', null],
		[cancelled, 'Cancelled', null],
		[failed, 'Failed', 'corrupt'],
		[succeeded, 'Succeeded', null],
	]);
	expect(await service.result(succeeded ?? '')).toMatchObject({
		Metadata: { documentType: 'Invoice' },
	});
	await service.standIn.advanceClock(60_000);
	expect(await service.result(running ?? '')).toEqual({ Metadata: {} });
	await expect(service.standIn.addJobs(service.key, [{ operation: 'Crop' }])).rejects.toThrow(
		'needs a file or a result',
	);
});

test('a list can be behind', async () => {
	await service.standIn.configure({ jobListLagMs: 30_000 });
	const jobId = await service.start();
	expect((await service.job(jobId)).status).toBe('Succeeded');
	expect(await service.jobs()).toEqual([]);
	await service.standIn.configure({ jobRunMs: 20_000 });
	const second = await service.start();
	await service.standIn.advanceClock(31_000);
	expect((await service.job(second)).status).toBe('Succeeded');
	expect((await service.jobs()).map(({ status }) => status)).toEqual(['Processing', 'Succeeded']);
	await service.standIn.advanceClock(20_000);
	expect((await service.jobs()).map(({ status }) => status)).toEqual(['Succeeded', 'Succeeded']);
});

test('a list can have entries twice', async () => {
	const oldest = await service.start();
	const newest = await service.start();
	await service.standIn.configure({ jobListRepeats: 1 });
	expect((await service.jobs()).map(({ jobId }) => jobId)).toEqual([newest, newest, oldest]);
});

describe('The cursor of a list', () => {
	const cursorOf = ({ data }: Seen) => encodeURIComponent(data.nextCursor as string);

	test('can lead through all pages, each job once, in any order', async () => {
		await service.standIn.configure({ jobsCursor: 'honoured' });
		const jobIds = await add({ ...done, count: 230 });
		for (const jobListOrder of ['newest', 'oldest', 'unordered'] as const) {
			await service.standIn.configure({ jobListOrder });
			const pages = [await list()];
			for (let page = pages[0]; page?.data.nextCursor; page = pages.at(-1))
				pages.push(await list(`?limit=100&cursor=${cursorOf(page)}`));
			expect(pages.map((page) => [ids(page).length, page.data.hasMore])).toEqual([
				[100, true],
				[100, true],
				[30, false],
			]);
			const seen = pages.flatMap(ids);
			expect(seen.toSorted()).toEqual(jobIds.toSorted());
			const ordered = { newest: jobIds.toReversed(), oldest: jobIds, unordered: seen };
			expect(seen).toEqual(ordered[jobListOrder]);
			if (jobListOrder === 'unordered') expect(seen).not.toEqual(jobIds);
		}
		const wrong = await list('?cursor=unknown');
		expect([wrong.status, wrong.code]).toEqual([400, 'cursor_invalid']);
	});

	test('can be rejected', async () => {
		await service.standIn.configure({ jobsCursor: 'rejected' });
		await add({ ...done, count: 2 });
		const first = await list('?limit=1');
		expect([first.status, first.data.hasMore]).toEqual([200, true]);
		const further = await list(`?limit=1&cursor=${cursorOf(first)}`);
		expect([further.status, further.code]).toEqual([400, 'invalid_request']);
	});
});

describe('A job of another program', () => {
	test('stays queued or processed until a test ends it', async () => {
		const [queued = '', first = '', second = ''] = await add(
			{ ...done, status: 'Queued' },
			running,
			{
				...running,
				file: samplePath('invoice-uk.pdf'),
				result: undefined,
			},
		);
		await service.standIn.advanceClock(DAY_MS);
		expect((await service.jobs()).map(({ status }) => status).toSorted()).toEqual([
			'Processing',
			'Processing',
			'Queued',
		]);
		expect(await service.job(queued)).toMatchObject({ startedAt: null, completedAt: null });

		await service.standIn.endJobs(service.key, [queued, first]);
		const ended = [await service.job(queued), await service.job(first)];
		expect(ended.map(({ status }) => status)).toEqual(['Succeeded', 'Succeeded']);
		expect(ended[0]?.completedAt).toBe(ended[1]?.completedAt);
		expect(await service.result(first)).toEqual(done.result);
		expect((await service.job(second)).status).toBe('Processing');
		await service.standIn.endJobs(service.key, [second]);
		expect(await service.result(second)).toMatchObject({ Metadata: { documentType: 'Invoice' } });
		await expect(service.standIn.endJobs(service.key, [second])).rejects.toThrow('has ended');
		await expect(service.standIn.endJobs(service.key, ['none'])).rejects.toThrow('no job');
	});

	test('fails, is cancelled, or succeeds with another result when a test ends it', async () => {
		const willFail: OtherJob = { operation: 'Crop', status: 'Processing', failureCode: 'corrupt' };
		const [failing = '', failed = '', cancelled = '', requested = '', other = ''] = await add(
			willFail,
			{ ...running, count: 4 },
		);
		const end = async (jobId: string, ending = {}) => {
			await service.standIn.endJobs(service.key, [jobId], ending);
			return await service.job(jobId);
		};
		expect(await end(failing)).toMatchObject({ status: 'Failed', failureCode: 'corrupt' });
		expect(await end(failed, { failureCode: 'lost', retryable: true })).toMatchObject({
			status: 'Failed',
			failureCode: 'lost',
			retryable: true,
			outputReference: null,
		});
		expect(await end(cancelled, { status: 'Cancelled' })).toMatchObject({
			status: 'Cancelled',
			completedAt: expect.any(String) as string,
		});
		const path = `/api/v1/document-jobs/${requested}/cancel`;
		expect((await service.send('POST', path)).status).toBe(202);
		expect((await service.job(requested)).status).toBe('Processing');
		expect((await end(requested)).status).toBe('Cancelled');
		await end(other, { result: { Other: true }, finishedMsAgo: 60_000 });
		expect(await service.result(other)).toEqual({ Other: true });
		const completedAt = (await service.job(other)).completedAt ?? '';
		expect(Math.abs(Date.now() - 60_000 - Date.parse(completedAt))).toBeLessThan(10_000);
		expect(await service.standIn.charges()).toMatchObject([{ jobId: other }]);
	});

	test('that was submitted over HTTP can be ended as well', async () => {
		await service.standIn.configure({ jobRunMs: DAY_MS });
		const jobId = await service.start();
		await service.standIn.endJobs(service.key, [jobId]);
		expect(await service.result(jobId)).toHaveProperty('Metadata');
	});

	test('can end with 199 others in the same millisecond', async () => {
		const jobIds = await add({ ...running, count: 200 });
		await service.standIn.endJobs(service.key, jobIds);
		const jobs = await service.jobs();
		expect(jobs).toHaveLength(100);
		expect(new Set(jobs.map(({ completedAt }) => completedAt)).size).toBe(1);
		await service.standIn.reset();
		await add({ ...done, count: 100 });
		expect(new Set((await service.jobs()).map(({ completedAt }) => completedAt)).size).toBe(1);
	});

	test('is shown with the times it was given, in lists and by number', async () => {
		const startedAt = '2026-01-02T03:04:05+02:00';
		const [jobId = ''] = await add({
			...done,
			shown: { set: { startedAt, completedAt: null, attemptCount: 7 }, omit: ['expiresAt'] },
		});
		const shown = await service.job(jobId);
		expect(shown).toMatchObject({ status: 'Succeeded', startedAt, completedAt: null });
		expect(shown).toHaveProperty('attemptCount', 7);
		expect(shown).not.toHaveProperty('expiresAt');
		expect(await service.jobs()).toEqual([shown]);
	});
});

describe('The times of jobs', () => {
	test.each([
		['milliseconds', /T\d\d:\d\d:\d\d\.\d{3}Z$/],
		['seconds', /T\d\d:\d\d:\d\dZ$/],
		['ticks', /\.\d{7}Z$/],
		['offset', /\.\d{3}\+00:00$/],
		['zone', /\.\d{3}-05:00$/],
		['noZone', /\.\d{3}$/],
	] as const)('can be written as %s', async (jobTimeForm, form) => {
		const [jobId = ''] = await add(done);
		const plain = Date.parse((await service.job(jobId)).completedAt ?? '');
		await service.standIn.configure({ jobTimeForm });
		const { startedAt, completedAt, expiresAt, cancellationRequestedAt } = await service.job(jobId);
		for (const time of [startedAt, completedAt, expiresAt]) expect(time).toMatch(form);
		expect(cancellationRequestedAt).toBeNull();
		const utc = jobTimeForm === 'noZone' ? `${completedAt}Z` : (completedAt ?? '');
		expect(Math.abs(Date.parse(utc) - plain)).toBeLessThan(1000);
	});

	test('can be hours from the clock of the service', async () => {
		const [jobId = ''] = await add(done);
		const before = Date.parse((await service.job(jobId)).completedAt ?? '');
		await service.standIn.configure({ jobTimeSkewMs: -3 * 3_600_000 });
		const job = await service.send('GET', `/api/v1/document-jobs/${jobId}`);
		expect(Date.parse(job.data.completedAt as string)).toBe(before - 3 * 3_600_000);
		expect(Math.abs(Date.parse(job.headers.get('date') ?? '') - Date.now())).toBeLessThan(60_000);
	});
});

describe('A list that differs', () => {
	test('shows each job that has ended as processing, for a number of lists of its own', async () => {
		await change({ lists: 2, entries: ['processing'] });
		const [first = '', second = ''] = await add(done, running);
		expect(await statusesInLists(1, first)).toEqual([['Processing']]);
		expect(await service.jobs()).toContainEqual(
			expect.objectContaining({ jobId: first, outputReference: null, completedAt: null }),
		);
		expect((await service.job(first)).status).toBe('Succeeded');
		await service.standIn.endJobs(service.key, [second]);
		expect(await statusesInLists(3, second)).toEqual([
			['Processing'],
			['Processing'],
			['Succeeded'],
		]);
		expect(await statusesInLists(1, first)).toEqual([['Succeeded']]);
	});

	test('does not have a job for a time', async () => {
		const [jobId = '', other = ''] = await add(done, done);
		await change({ jobIds: [jobId], ms: 60_000, entries: [] });
		expect(ids(await list())).toEqual([other]);
		expect((await service.job(jobId)).status).toBe('Succeeded');
		await service.standIn.advanceClock(59_000);
		expect(ids(await list())).toEqual([other]);
		await service.standIn.advanceClock(1000);
		expect(ids(await list())).toEqual([other, jobId]);
	});

	test('does not have a field of a job that succeeded', async () => {
		const [jobId = ''] = await add(done);
		await change({
			lists: 1,
			entries: [{ set: { outputReference: null }, omit: ['completedAt'] }],
		});
		const [entry] = await service.jobs();
		expect(entry).toMatchObject({ status: 'Succeeded', outputReference: null });
		expect(entry).not.toHaveProperty('completedAt');
		expect(await service.jobs()).toEqual([await service.job(jobId)]);
	});

	test('has a job twice, also with two statuses', async () => {
		const [jobId = ''] = await add(done);
		await change(
			{ lists: 1, entries: ['asIs', 'asIs'] },
			{ entries: ['processing', 'asIs', { set: { status: 'Failed' } }] },
		);
		expect(await statusesInLists(3, jobId)).toEqual([
			['Succeeded', 'Succeeded'],
			['Processing', 'Succeeded', 'Failed'],
			['Processing', 'Succeeded', 'Failed'],
		]);
	});

	test('goes back', async () => {
		await change({ lists: 1, entries: ['asIs'] }, { lists: 2, entries: ['processing'] });
		const [jobId] = await add(done);
		expect(await statusesInLists(4, jobId)).toEqual([
			['Succeeded'],
			['Processing'],
			['Processing'],
			['Succeeded'],
		]);
	});

	test('is one account’s, until the reset', async () => {
		await change({ entries: [] });
		await add(done);
		expect(await service.jobs()).toEqual([]);
		const { key } = service;
		service.key += '-other';
		await add(done);
		expect(await service.jobs()).toHaveLength(1);
		service.key = key;
		await service.standIn.reset();
		await add(done);
		expect(await service.jobs()).toHaveLength(1);
	});
});
