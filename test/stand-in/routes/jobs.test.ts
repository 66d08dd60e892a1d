import { DAY_MS, useStandIn } from '../useStandIn';

const service = useStandIn();

const KEY = 'workflow-1.item:0001';

describe('A job', () => {
	test('is queued, runs, succeeds by the clock, and is billed once', async () => {
		await service.standIn.configure({
			jobQueueMs: 60_000,
			jobRunMs: 120_000,
			jobRetryAfterSeconds: 9,
		});
		const inputReference = await service.store();
		const submitted = await service.submit({ inputReference });
		const jobId = submitted.data.jobId as string;
		expect(submitted.status).toBe(202);
		expect(submitted.data).toEqual({
			jobId,
			status: 'Queued',
			statusUrl: `/api/v1/document-jobs/${jobId}`,
			retryAfterSeconds: 9,
			replayed: false,
		});
		expect(submitted.headers.get('location')).toBe(`/api/v1/document-jobs/${jobId}`);
		expect(submitted.headers.get('retry-after')).toBe('9');

		expect(await service.job(jobId)).toMatchObject({ status: 'Queued', startedAt: null });
		await service.standIn.advanceClock(61_000);
		expect(await service.job(jobId)).toMatchObject({
			status: 'Processing',
			completedAt: null,
			outputReference: null,
			creditsConsumed: null,
		});
		expect(await service.standIn.charges()).toEqual([]);
		await service.standIn.advanceClock(120_000);
		const done = await service.job(jobId);
		expect(done).toMatchObject({
			operation: 'Extraction',
			status: 'Succeeded',
			failureCode: null,
			creditsConsumed: 1,
		});
		expect(await service.jobs()).toEqual([done]);
		expect(await service.job(jobId)).toEqual(done);
		expect(await service.standIn.charges()).toMatchObject([
			{ credits: 1, operation: 'Extraction', jobId, sequence: 2, idempotencyKey: null },
		]);
	});

	test('without a template that fits fails with template_unresolved, and costs nothing', async () => {
		const jobId = await service.start('Extraction', 'form.pdf');
		expect(await service.job(jobId)).toMatchObject({
			status: 'Failed',
			failureCode: 'template_unresolved',
			retryable: false,
			outputReference: null,
			creditsConsumed: null,
		});
		expect(await service.standIn.charges()).toEqual([]);
	});

	test('ends as the rule for its file says', async () => {
		await service.standIn.configure({
			jobRules: [
				{ match: 'broken', failureCode: 'processing_failed', retryable: true },
				{ match: 'slow', runMs: 3_600_000 },
				{ match: 'strange', result: { Something: { Else: [1] } } },
			],
		});
		const broken = await service.start('Extraction', 'invoice-us.pdf', 'broken.pdf');
		const slow = await service.start('Extraction', 'invoice-us.pdf', 'slow.pdf');
		const strange = await service.start('Extraction', 'invoice-us.pdf', 'strange.pdf');
		const plain = await service.start();
		expect(await service.job(broken)).toMatchObject({
			status: 'Failed',
			failureCode: 'processing_failed',
			retryable: true,
		});
		expect((await service.job(slow)).status).toBe('Processing');
		expect(await service.result(strange)).toEqual({ Something: { Else: [1] } });
		expect((await service.job(plain)).status).toBe('Succeeded');
	});

	test('is kept for seven days', async () => {
		const jobId = await service.start();
		await service.standIn.advanceClock(7 * DAY_MS);
		const path = `/api/v1/document-jobs/${jobId}`;
		expect((await service.send('GET', path)).status).toBe(404);
		expect((await service.send('POST', `${path}/cancel`)).status).toBe(404);
		expect(await service.jobs()).toEqual([]);
	});

	test('belongs to one account', async () => {
		const jobId = await service.start();
		service.key += '-other';
		expect((await service.send('GET', `/api/v1/document-jobs/${jobId}`)).status).toBe(404);
		expect(await service.jobs()).toEqual([]);
	});
});

describe('A submission', () => {
	test.each<[string, string, number, string]>([
		['that is no JSON', '{', 400, 'MALFORMED_REQUEST'],
		[
			'of an unknown operation',
			'{"operation":"Redact","inputReference":"x"}',
			400,
			'invalid_request',
		],
		['without a file', '{"operation":"Crop"}', 400, 'invalid_request'],
		[
			'with a name that the service does not know',
			'{"operation":"Crop","inputReference":"x","prompt":"y"}',
			400,
			'invalid_request',
		],
		[
			'for a file that is not stored',
			'{"operation":"Crop","inputReference":"artifact://stored/x"}',
			404,
			'artifact_not_found',
		],
	])('%s is rejected', async (_, body, status, code) => {
		const headers = { 'content-type': 'application/json' };
		const rejected = await service.send('POST', '/api/v1/document-jobs', { body, headers });
		expect([rejected.status, rejected.code]).toEqual([status, code]);
	});

	test('of another media type is rejected', async () => {
		const rejected = await service.send('POST', '/api/v1/document-jobs', {
			body: 'operation=Crop',
		});
		expect(rejected.status).toBe(415);
	});
});

describe('An Idempotency-Key', () => {
	test('gives the same job for the same body, also when the first response was lost', async () => {
		const inputReference = await service.store();
		await service.standIn.queueFaults([{ kind: 'reset', afterWork: true }], 'submit');
		await expect(service.submit({ inputReference }, KEY)).rejects.toThrow();
		const repeated = await service.submit({ inputReference }, KEY);
		expect(repeated.status).toBe(202);
		expect(repeated.data).toMatchObject({ replayed: true, status: 'Succeeded' });
		expect(repeated.headers.get('idempotent-replayed')).toBe('true');
		const { jobId } = repeated.data;
		expect(await service.jobs()).toHaveLength(1);
		expect(await service.standIn.charges()).toMatchObject([{ jobId, idempotencyKey: KEY }]);
		expect(
			(await service.standIn.requests())
				.filter(({ step }) => step === 'submit')
				.map(({ fault, status, replayed, ...row }) => [fault, status, replayed, row.jobId]),
		).toEqual([
			['reset', null, false, jobId],
			[null, 202, true, jobId],
		]);
	});

	test('without it a repeated submission is another job, billed again', async () => {
		const inputReference = await service.store();
		await service.submit({ inputReference });
		await service.submit({ inputReference });
		expect(await service.jobs()).toHaveLength(2);
		expect(await service.standIn.charges()).toHaveLength(2);
	});

	test('with another body is a conflict', async () => {
		await service.submit({ inputReference: await service.store() }, KEY);
		const other = await service.submit({ inputReference: await service.store() }, KEY);
		expect([other.status, other.code]).toEqual([422, 'idempotency_key_conflict']);
	});

	test('of a submission that was rejected can be used with another body', async () => {
		const rejected = await service.submit({ inputReference: 'artifact://stored/none' }, KEY);
		expect(rejected.status).toBe(404);
		const other = await service.submit({ inputReference: await service.store() }, KEY);
		expect([other.status, other.data.replayed]).toEqual([202, false]);
	});

	test('is in progress until the first submission has been served', async () => {
		await service.standIn.configure({ submitMs: 400 });
		const inputReference = await service.store();
		const first = service.submit({ inputReference }, KEY);
		await new Promise((resolve) => setTimeout(resolve, 100));
		const second = await service.submit({ inputReference }, KEY);
		expect([second.status, second.code]).toEqual([409, 'idempotency_request_in_progress']);
		const { jobId } = (await first).data;
		expect((await service.submit({ inputReference }, KEY)).data).toMatchObject({
			jobId,
			replayed: true,
		});
	});

	test('is told that its job can no longer be returned, if the service is set so', async () => {
		await service.standIn.configure({ replayUnavailable: true });
		const inputReference = await service.store();
		await service.submit({ inputReference }, KEY);
		const second = await service.submit({ inputReference }, KEY);
		expect([second.status, second.code]).toEqual([409, 'idempotency_replay_unavailable']);
		expect((await service.submit({ inputReference }, `${KEY}-2`)).status).toBe(202);
	});

	test('is forgotten after seven days, and belongs to one account', async () => {
		const first = await service.submit({ inputReference: await service.store() }, KEY);
		const { key } = service;
		service.key += '-other';
		const other = await service.submit({ inputReference: await service.store() }, KEY);
		expect(other.data.replayed).toBe(false);
		service.key = key;
		await service.standIn.advanceClock(7 * DAY_MS);
		const later = await service.submit({ inputReference: await service.store() }, KEY);
		expect(later.data.replayed).toBe(false);
		expect(later.data.jobId).not.toBe(first.data.jobId);
	});

	test.each(['short', 'x'.repeat(129), 'with space', 'with/slash'])(
		'%s is rejected',
		async (idempotencyKey) => {
			const inputReference = await service.store();
			const rejected = await service.submit({ inputReference }, idempotencyKey);
			expect([rejected.status, rejected.code]).toEqual([400, 'idempotency_key_invalid']);
		},
	);
});

describe('Cancelling', () => {
	const cancel = async (jobId: string) =>
		await service.send('POST', `/api/v1/document-jobs/${jobId}/cancel`);

	test('a job that has not started ends it at once, without a charge', async () => {
		await service.standIn.configure({ jobQueueMs: 60_000 });
		const jobId = await service.start();
		const cancelled = await cancel(jobId);
		expect([cancelled.status, cancelled.data]).toEqual([
			202,
			{ jobId, cancellationRequested: true },
		]);
		expect(await service.job(jobId)).toMatchObject({ status: 'Cancelled', startedAt: null });
		await service.standIn.advanceClock(120_000);
		expect(await service.job(jobId)).toMatchObject({ status: 'Cancelled', outputReference: null });
		expect(await service.standIn.charges()).toEqual([]);
		expect((await cancel(jobId)).status).toBe(409);
	});

	test('a job that has started ends it when its run ends, without a charge', async () => {
		await service.standIn.configure({ jobRunMs: 60_000 });
		const jobId = await service.start();
		expect((await cancel(jobId)).status).toBe(202);
		const requested = await service.job(jobId);
		expect(requested.status).toBe('Processing');
		expect(requested.cancellationRequestedAt).not.toBeNull();
		await service.standIn.advanceClock(60_000);
		expect((await service.job(jobId)).status).toBe('Cancelled');
		expect(await service.standIn.charges()).toEqual([]);
	});

	test('a job that has finished is a conflict', async () => {
		const jobId = await service.start();
		expect((await service.job(jobId)).status).toBe('Succeeded');
		const late = await cancel(jobId);
		expect([late.status, late.code]).toEqual([409, 'job_not_cancellable']);
		expect((await service.job(jobId)).status).toBe('Succeeded');
	});
});

describe('The stored result', () => {
	/** What the operation answers directly to the same document. */
	const direct = async (path: string, sample: string, field?: string) =>
		(await service.upload(`/Document/${path}`, sample, sample, field)).data;

	test('of an extraction has Metadata in place of the answer’s metadata', async () => {
		const { metadata } = await direct('extraction', 'invoice-us.pdf');
		const result = await service.result(await service.start());
		expect(result.Metadata).toEqual(metadata);
		expect(Object.keys(result).toSorted()).toEqual(
			['CreatedDate', 'FraudBlocked', 'FraudRequestId', 'Id', 'Metadata', 'Quality'].toSorted(),
		);
	});

	test('of discovered fields has Metadata as well', async () => {
		const { metadata } = await direct('zero-shot', 'form.pdf');
		const result = await service.result(await service.start('ZeroShot', 'form.pdf'));
		expect(result.Metadata).toEqual(metadata);
	});

	test('of a classification has the keys of the answer in the case that was set', async () => {
		const { results } = await direct('classifier', 'invoice-us.pdf', 'files');
		const [first] = results as Array<Record<string, unknown>>;
		const pascal = await service.result(await service.start('Classification'));
		expect(pascal).toEqual({
			Results: [
				expect.objectContaining({
					FileName: 'invoice-us.pdf',
					DocumentType: 'Invoice',
					Confidence: first?.confidence,
				}),
			],
		});
		await service.standIn.configure({ jobResultCase: 'camel' });
		expect(await service.result(await service.start('Classification'))).toEqual({ results });
		expect(await service.result(await service.start())).toHaveProperty('Metadata.documentType');
	});

	test('of Crop and Split is what they answer', async () => {
		await service.standIn.configure({ jobResultCase: 'camel' });
		const { segments } = await direct('split', 'bundle.pdf');
		expect(await service.result(await service.start('Split', 'bundle.pdf'))).toEqual({ segments });
		const { documents } = await direct('crop', 'two-cards.jpg');
		const cropped = await service.result(await service.start('Crop', 'two-cards.jpg'));
		expect(cropped.documents).toHaveLength((documents as unknown[]).length);
	});
});
