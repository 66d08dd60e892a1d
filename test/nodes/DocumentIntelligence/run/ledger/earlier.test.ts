import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeExecutionData } from 'n8n-workflow';

import { useStoredHistory } from '../../../../n8n-core/history';
import { itemWith } from '../../../samples';
import { failureOf, goOn, thrownBy } from '../../../service';
import { distinctItems, fromEarlierRun, until, useRuns } from './runs';

const { service, extract, sentFiles, hasArrived, haveAllEnded, stopped } = useRuns();

test('A document that is sent anew, because the images of its earlier result are gone, counts for Concurrent Requests', async () => {
	const items = await Promise.all(
		Array.from({ length: 6 }, async () => await itemWith('two-cards.jpg')),
	);
	const crop = async () =>
		await service.run(
			{ operation: 'crop', options: { processedBefore: 'reuse', concurrency: 2 } },
			items,
		);
	await crop();
	await service.standIn.advanceClock(120_000);
	await service.standIn.configure({ latencyMs: 100 });
	const before = await sentFiles();
	await crop();
	expect(await sentFiles()).toEqual(before);
	const requests = (await service.calls()).slice(before.length);
	const atOnce = requests.map(
		({ startedAt: at }) =>
			requests.filter(({ startedAt, endedAt }) => startedAt <= at && at < (endedAt ?? Infinity))
				.length,
	);
	expect(Math.max(...atOnce)).toBe(2);
});

describe('Jobs that were submitted and not collected', () => {
	const asJob = { options: { processing: 'job' } };
	const submissions = async () =>
		(await service.calls()).filter(({ step }) => step === 'submit').length;
	const areSubmitted = (count: number) => async () => (await submissions()) >= count;

	test('are collected by the next run', async () => {
		const items = await distinctItems(2);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 60_000 });
		const error = await stopped(areSubmitted(2), items, asJob);
		await service.standIn.advanceClock(60_000);
		expect(error.description).toContain('Of the other documents, 1 job is kept');
		const { items: rows, hints } = await extract(items, asJob);
		expect(rows.map(({ json }) => json.documentType)).toEqual(['Invoice', 'Invoice']);
		expect(await submissions()).toBe(2);
		expect(hints.map(({ message }) => message)).toEqual([fromEarlierRun(2)]);
	});

	/** A job of one file that a stop leaves behind, and its ID. */
	async function jobLeftBehind(items: INodeExecutionData[], queueMs = 0): Promise<string> {
		await service.standIn.configure({ jobQueueMs: queueMs, jobRunMs: 60_000 });
		const { description = '' } = await stopped(areSubmitted(1), items, asJob);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 0 });
		return /job ID (\S+?)\.?( |$)/.exec(description)?.[1] ?? '';
	}

	const end = async (jobId: string, status?: 'Failed' | 'Cancelled') =>
		await service.standIn.endJobs(service.credential.apiKey, [jobId], { status });

	test.each<[string, (jobId: string) => Promise<void>]>([
		['failed', async (jobId) => await end(jobId, 'Failed')],
		['was canceled', async (jobId) => await end(jobId, 'Cancelled')],
		[
			'is unknown',
			async (match) => await service.standIn.queueFaults([{ kind: 'problem', status: 404, match }]),
		],
	])('are submitted anew if the job %s', async (_, change) => {
		const items = await distinctItems(1);
		await change(await jobLeftBehind(items));
		const { items: rows, hints, credits } = await extract(items, asJob);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(2);
		expect([hints, credits.length]).toEqual([[], 1]);
	});

	test('are not submitted anew because a gateway does not find them', async () => {
		const items = await distinctItems(1);
		const match = await jobLeftBehind(items);
		await service.standIn.queueFaults([
			{ kind: 'status', status: 404, body: '<html>Not Found</html>', match },
		]);
		const error = await thrownBy(extract(items, asJob));
		expect(error.message).toContain(`${match} for "0.pdf" could not be fetched`);
		await end(match);
		const { items: rows } = await extract(items, asJob);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(1);
	});

	test('are asked to be canceled while they are queued, and then submitted anew', async () => {
		const items = await distinctItems(1);
		await jobLeftBehind(items, 60_000);
		const cancellations = (await service.calls()).filter(({ step }) => step === 'cancel');
		expect(cancellations).toHaveLength(1);
		await extract(items, asJob);
		expect(await submissions()).toBe(2);
	});

	test('are kept if their submission is answered after the stop', async () => {
		const items = await distinctItems(1);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 0 });
		await service.standIn.queueFaults([{ kind: 'late', ms: 600 }], 'submit');
		await stopped(areSubmitted(1), items, asJob);
		expect(await haveAllEnded()).toBe(false);
		await until(haveAllEnded);
		await sleep(100);
		const { items: rows } = await extract(items, asJob);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(1);
	});

	test('are kept by a run in which they did not finish, whatever On Error is', async () => {
		const items = await distinctItems(1);
		const jobId = await jobLeftBehind(items);
		const options = { ...asJob.options, timeout: 1 };
		const more = { onError: 'continueRegularOutput' as const };
		const { items: failed } = await extract(items, { options }, more);
		expect(failureOf(failed[0]).message).toContain('did not finish within');
		await end(jobId);
		const { items: rows } = await extract(items, asJob, more);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(1);
	});

	test('are collected by the next run although a run under Continue has passed on that they did not finish', async () => {
		await useStoredHistory();
		const items = await distinctItems(1);
		await service.standIn.configure({ jobRunMs: 60_000 });
		const more = { onError: 'continueRegularOutput' as const };
		const options = { processing: 'job', processedBefore: 'skip' };
		const { items: failed } = await extract(items, { options: { ...options, timeout: 1 } }, more);
		expect(failureOf(failed[0]).message).toContain('did not finish within');
		await service.standIn.advanceClock(60_000);
		const { items: rows } = await extract(items, { options }, more);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await submissions()).toBe(1);
		expect((await extract(items, { options }, more)).items).toEqual([]);
		expect(await submissions()).toBe(1);
	});
});

describe('What an earlier run has paid for is returned although the quota allows no more documents', () => {
	const exhaust = async (step: 'store' | 'process') =>
		await service.standIn.queueFaults(
			[{ kind: 'quotaExceeded', retryAfterSeconds: 120, match: '0.pdf', times: 'always' }],
			step,
		);
	const typesOf = (rows: INodeExecutionData[]) => rows.map(({ json }) => json.documentType);

	test('if its answer is still on its way', async () => {
		const items = await distinctItems(2);
		await service.standIn.queueFaults([{ kind: 'late', ms: 800, match: '1.pdf' }]);
		await stopped(hasArrived, items.slice(1));
		await exhaust('process');
		const { items: rows } = await extract(items, {}, goOn);
		expect(failureOf(rows[0]).message).toContain('quota');
		expect(typesOf(rows.slice(1))).toEqual(['Invoice']);
	});

	test('if it is a job', async () => {
		const items = await distinctItems(4);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 600_000 });
		const options = { processing: 'job', concurrency: 1 };
		await extract(items.slice(1), { options: { ...options, timeout: 1 } }, goOn);
		await service.standIn.advanceClock(700_000);
		await exhaust('store');
		const { items: rows } = await extract(items, { options }, goOn);
		expect(failureOf(rows[0]).message).toContain('quota');
		expect(typesOf(rows.slice(1))).toEqual(['Invoice', 'Invoice', 'Invoice']);
	});
});
