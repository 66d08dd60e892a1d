import { randomUUID } from 'node:crypto';
import { DAY_MS, useStandIn } from '../useStandIn';

const service = useStandIn();

const KEY = 'workflow-1.item:0001';
const cancel = async (jobId: string) =>
	await service.send('POST', `/api/v1/document-jobs/${jobId}/cancel`);

describe('A job', () => {
	test('is queued, runs, succeeds by the clock, and is billed once', async () => {
		await service.standIn.configure({ jobQueueMs: 60_000, jobRunMs: 120_000 });
		const submitted = await service.submit({ inputReference: await service.store() });
		const jobId = submitted.data.jobId as string;
		const statusUrl = `/api/v1/document-jobs/${jobId}`;
		const accepted = { status: 'Queued', retryAfterSeconds: 1, replayed: false };
		expect([submitted.status, submitted.data]).toEqual([202, { jobId, statusUrl, ...accepted }]);
		expect(submitted.headers.get('location')).toBe(statusUrl);

		expect(await service.job(jobId)).toMatchObject({ status: 'Queued', startedAt: null });
		await service.standIn.advanceClock(61_000);
		expect(await service.job(jobId)).toMatchObject({ status: 'Processing', completedAt: null });
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
		const path = `/api/v1/document-jobs/${await service.start()}`;
		const { key } = service;
		service.key += '-other';
		expect((await service.send('GET', path)).status).toBe(404);
		expect(await service.jobs()).toEqual([]);
		service.key = key;
		await service.standIn.advanceClock(7 * DAY_MS);
		expect((await service.send('GET', path)).status).toBe(404);
		expect(await service.jobs()).toEqual([]);
	});

	test('that is not there, or is over, is a conflict to cancel', async () => {
		const answers = [await cancel(randomUUID()), await cancel(await service.start())];
		for (const { status, code } of answers)
			expect([status, code]).toEqual([409, 'job_not_cancellable']);
	});

	test('says what it consumed once it has ended', async () => {
		await service.standIn.configure({ jobRules: [{ match: 'form', credits: 0.5 }] });
		const [running = ''] = await service.standIn.addJobs(service.key, [
			{ operation: 'Crop', result: {}, status: 'Processing' },
		]);
		const ended = await service.start('ZeroShot', 'form.pdf');
		expect(await service.job(ended)).toHaveProperty('creditsConsumed', 0.5);
		expect(await service.job(running)).not.toHaveProperty('creditsConsumed');
	});

	test('can be cancelled until it has ended, and then is not billed', async () => {
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
		const late = await cancel(running);
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
		const { key } = service;
		service.key += '-other';
		expect((await submit()).data.replayed).toBe(false);
		service.key = key;
		await service.standIn.advanceClock(7 * DAY_MS);
		expect((await submit()).data.replayed).toBe(false);
	});

	test.each(['short', 'x'.repeat(129), 'with space'])('%s is rejected', async (key) => {
		const rejected = await service.submit({ inputReference: await service.store() }, key);
		expect([rejected.status, rejected.code]).toEqual([400, 'idempotency_key_invalid']);
	});
});

describe('The stored result', () => {
	const resultOf = async (operation: string, name: string) =>
		await service.fetchFile(
			(await service.job(await service.start(operation, name))).outputReference,
		);

	test.each([
		['Extraction', 'invoice-us.pdf', 'FraudBlocked', 'fraudBlocked'],
		['ZeroShot', 'form.pdf', 'DocumentType', 'documentType'],
		['Split', 'bundle.pdf', 'Id', 'id'],
	])('of %s has Metadata, and capitals or none elsewhere', async (operation, name, ...names) => {
		for (const [index, jobResultCase] of (['pascal', 'camel'] as const).entries()) {
			await service.standIn.configure({ jobResultCase });
			const { json } = await resultOf(operation, name);
			expect(json).toHaveProperty('Metadata');
			expect(json).toHaveProperty(names[index] ?? '');
		}
	});
});

describe('A template', () => {
	const known = async () => {
		const { data } = await service.send('GET', '/api/v1/templates');
		return (data.templates as Array<{ id: string }>)[0]?.id ?? '';
	};

	test('of nothing but zeros counts as none, also for an Idempotency-Key', async () => {
		const inputReference = await service.store();
		const zeros = '00000000-0000-0000-0000-000000000000';
		const first = await service.submit({ inputReference, templateId: zeros }, KEY);
		expect(await service.job(first.data.jobId as string)).toMatchObject({ templateId: null });
		expect((await service.submit({ inputReference }, KEY)).data.replayed).toBe(true);
	});

	test('that is unknown, or not for the operation, is refused', async () => {
		const inputReference = await service.store();
		const unknown = await service.submit({ inputReference, templateId: randomUUID() });
		expect([unknown.status, unknown.code]).toEqual([422, 'template_unknown']);
		const templateId = await known();
		const other = await service.submit({ operation: 'Crop', inputReference, templateId });
		expect([other.status, other.code]).toEqual([422, 'template_not_applicable']);
	});
});
