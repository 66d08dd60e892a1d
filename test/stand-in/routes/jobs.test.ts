import { randomUUID } from 'node:crypto';
import { DAY_MS, useStandIn } from '../useStandIn';

const service = useStandIn();

const KEY = 'workflow-1.item:0001';
const jobPath = (jobId: string) => `/api/v1/document-jobs/${jobId}`;
const cancel = async (jobId: string) => await service.send('POST', `${jobPath(jobId)}/cancel`);

describe('A job', () => {
	test('is queued, runs, succeeds by the clock, and is billed once', async () => {
		await service.standIn.configure({ jobQueueMs: 60_000, jobRunMs: 120_000 });
		const submitted = await service.submit({ inputReference: await service.store() });
		const jobId = submitted.data.jobId as string;
		const accepted = { status: 'Queued', retryAfterSeconds: 1, replayed: false };
		const statusUrl = jobPath(jobId);
		expect([submitted.status, submitted.data]).toEqual([202, { jobId, statusUrl, ...accepted }]);

		expect(await service.job(jobId)).toMatchObject({ status: 'Queued', startedAt: null });
		await service.standIn.advanceClock(61_000);
		const running = await service.job(jobId);
		expect(running).toMatchObject({ status: 'Processing', completedAt: null });
		expect(running).not.toHaveProperty('creditsConsumed');
		expect(await service.standIn.charges()).toEqual([]);
		await service.standIn.advanceClock(120_000);
		const done = await service.job(jobId);
		expect(done).toMatchObject({ status: 'Succeeded', failureCode: null, creditsConsumed: 1 });
		expect(await service.jobs()).toEqual([done]);
		expect(await service.standIn.charges()).toMatchObject([
			{ credits: 1, operation: 'Extraction', jobId, sequence: 2, idempotencyKey: null },
		]);
	});

	test('without a template that fits fails, and costs nothing', async () => {
		const jobId = await service.start('Extraction', 'form.pdf');
		expect(await service.job(jobId)).toMatchObject({
			status: 'Failed',
			failureCode: 'template_not_found',
			outputReference: null,
		});
		expect(await service.standIn.charges()).toEqual([]);
	});

	test('belongs to one account, and is kept for seven days', async () => {
		const path = jobPath(await service.start());
		const seen = async () => [(await service.send('GET', path)).status, await service.jobs()];
		expect(await service.asOther(seen)).toEqual([404, []]);
		await service.standIn.advanceClock(7 * DAY_MS);
		expect(await seen()).toEqual([404, []]);
	});

	test('can be canceled until it has ended, and then is not billed', async () => {
		await service.standIn.configure({ jobQueueMs: 60_000, jobRunMs: 60_000 });
		const [queued, running] = [await service.start(), await service.start()];
		const { status, data } = await cancel(queued);
		expect([status, data]).toEqual([202, { jobId: queued, cancellationRequested: true }]);
		expect((await service.job(queued)).status).toBe('Cancelled');
		await service.standIn.advanceClock(61_000);
		await cancel(running);
		expect((await service.job(running)).status).toBe('Processing');
		await service.standIn.advanceClock(60_000);
		expect((await service.job(running)).status).toBe('Cancelled');
		expect(await service.standIn.charges()).toEqual([]);
		for (const late of [await cancel(running), await cancel(randomUUID())])
			expect([late.status, late.code]).toEqual([409, 'job_not_cancellable']);
	});
});

describe('An Idempotency-Key', () => {
	test('returns the same job for the same body, also if the first response was lost', async () => {
		const inputReference = await service.store();
		await service.standIn.queueFaults([{ kind: 'reset', afterWork: true }], 'submit');
		await expect(service.submit({ inputReference }, KEY)).rejects.toThrow();
		const repeated = await service.submit({ inputReference }, KEY);
		expect(repeated.data).toMatchObject({ replayed: true, status: 'Succeeded' });
		expect(repeated.headers.get('idempotent-replayed')).toBe('true');
		const { jobId } = repeated.data;
		expect(await service.standIn.charges()).toMatchObject([{ jobId, idempotencyKey: KEY }]);
		const submits = (await service.standIn.requests()).filter(({ step }) => step === 'submit');
		expect(submits.map((row) => [row.fault, row.status, row.replayed, row.jobId])).toEqual([
			['reset', null, false, jobId],
			[null, 202, true, jobId],
		]);
		await service.submit({ inputReference });
		expect(await service.standIn.charges()).toHaveLength(2);
	});

	test('with another body is a conflict; for another account, or after seven days, it is new', async () => {
		const submit = async () => await service.submit({ inputReference: await service.store() }, KEY);
		expect((await submit()).data.replayed).toBe(false);
		const other = await submit();
		expect([other.status, other.code]).toEqual([422, 'idempotency_key_conflict']);
		expect((await service.asOther(submit)).data.replayed).toBe(false);
		await service.standIn.advanceClock(7 * DAY_MS);
		expect((await submit()).data.replayed).toBe(false);
	});

	test.each(['short', 'x'.repeat(129), 'with space'])('%s is rejected', async (key) => {
		const rejected = await service.submit({ inputReference: 'artifact://x' }, key);
		expect([rejected.status, rejected.code]).toEqual([400, 'idempotency_key_invalid']);
	});
});

test.each([
	['pascal', 'FraudBlocked'],
	['camel', 'fraudBlocked'],
] as const)('a stored result in %s case has Metadata and %s', async (jobResultCase, expected) => {
	await service.standIn.configure({ jobResultCase });
	const result = await service.result(await service.start());
	expect(Object.keys(result)).toEqual(expect.arrayContaining(['Metadata', expected]));
});

describe('A template', () => {
	test('of nothing but zeros counts as none, also for an Idempotency-Key', async () => {
		const inputReference = await service.store();
		const templateId = '00000000-0000-0000-0000-000000000000';
		const first = await service.submit({ inputReference, templateId }, KEY);
		expect(await service.job(first.data.jobId as string)).toMatchObject({ templateId: null });
		expect((await service.submit({ inputReference }, KEY)).data.replayed).toBe(true);
	});

	test('that is unknown, or not for the operation, is refused', async () => {
		const inputReference = await service.store();
		const unknown = await service.submit({ inputReference, templateId: randomUUID() });
		expect([unknown.status, unknown.code]).toEqual([422, 'template_unknown']);
		const { data } = await service.send('GET', '/api/v1/templates');
		const templateId = (data.templates as Array<{ id: string }>)[0]?.id;
		const other = await service.submit({ operation: 'Crop', inputReference, templateId });
		expect([other.status, other.code]).toEqual([422, 'template_not_applicable']);
	});
});
