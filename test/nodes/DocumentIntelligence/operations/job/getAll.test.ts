import type { IDataObject } from 'n8n-workflow';

import type { OtherJob } from '../../../../stand-in/startStandIn';
import { fastLimiters } from '../../../clock';
import { failureOf, goOn, useJobs } from '../../../service';

// How the list is read, page by page, is in service/jobs/jobList.test.ts.

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

async function listed(parameters: IDataObject = {}, more: Parameters<typeof job>[3] = {}) {
	const { items, hints } = await job('getAll', undefined, parameters, more);
	return { items, hints: hints.map(({ message }) => message) };
}

const CUT = [expect.stringMatching(/^The account has more jobs than are shown\./)];

test('one item for each job, from a list that repeats some', async () => {
	const ids = await add(finished(3));
	await service.standIn.changeLists(service.credential.apiKey, [{ entries: ['asIs', 'asIs'] }]);
	const { items, hints } = await listed();
	expect(items.map(({ json, pairedItem }) => [json.jobId, pairedItem])).toEqual(
		ids.map((id) => [id, { item: 0 }]),
	);
	expect(items[0]?.json).toMatchObject({
		status: 'Succeeded',
		completedAt: expect.any(String) as string,
	});
	expect(items[0]?.json).not.toHaveProperty('attemptCount');
	const { items: whole } = await listed({ simplify: false });
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
	const { items, hints } = await listed(given);
	expect(items.map(({ json }) => json.jobId)).toEqual(ids.slice(0, count));
	expect(hints).toEqual(count < 60 ? CUT : []);
	expect(await steps()).toEqual(['list']);
});

test('pages are read until Limit is reached, also with a status', async () => {
	await service.standIn.configure({ jobsCursor: 'honoured' });
	const failed = { operation: 'Crop', status: 'Failed', finishedMsAgo: 600_000 } as const;
	await add([...finished(150), { ...failed, failureCode: 'x' }]);
	const { items, hints } = await listed({ limit: 100 });
	expect([items.length, hints]).toEqual([100, CUT]);
	expect(await steps()).toEqual(['list']);
	expect((await listed({ limit: 120 })).items).toHaveLength(120);
	const { items: withStatus } = await listed({ limit: 1, status: ['failed'] });
	expect(withStatus.map(({ json }) => json.status)).toEqual(['Failed']);
});

test('a list that does not show all jobs is not said to be cut by Limit', async () => {
	await service.standIn.configure({ jobsOrder: 'shuffled', jobsCursor: 'ignored' });
	await add(finished(250));
	const { items, hints } = await listed({ returnAll: true });
	expect(new Set(items.map(({ json }) => json.jobId)).size).toBe(100);
	expect(items).toHaveLength(100);
	expect(hints).toEqual([expect.stringMatching(/^Cogneris did not list all jobs/)]);
	expect(await steps()).toHaveLength(3);
});

test.each<[unknown, number[]]>([
	[[], [0, 1, 2, 3]],
	[['succeeded'], [0]],
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
	const { items } = await listed({ status: status as string[] });
	const shown = items.map(({ json }) => json.jobId).sort();
	expect(shown).toEqual(places.map((place) => ids[place]).sort());
});

test('a status that there is not is refused before anything is sent', async () => {
	const { items } = await listed({ status: '={{ ["failed", "done"] }}' }, goOn);
	expect(failureOf(items[0]).message).toBe(`Unknown value for 'Status': "done"`);
	expect(await service.calls()).toEqual([]);
});

test('no jobs: no items; a sandbox key may list', async () => {
	expect(await listed({}, sandbox())).toEqual({ items: [], hints: [] });
});

test('an address without a list of jobs, and what is no list: a message', async () => {
	await service.standIn.queueFaults([{ kind: 'problem', status: 404, code: 'x' }], 'list');
	const { items } = await listed({}, goOn);
	expect(failureOf(items[0]).message).toBe('No job list found at this address');
	await service.standIn.queueFaults([{ kind: 'answer', data: { jobs: null }, times: 9 }], 'list');
	const { items: unread } = await listed({}, { ...goOn, limiters: fastLimiters() });
	expect(failureOf(unread[0]).message).toBe('The response for the job list could not be read');
});
