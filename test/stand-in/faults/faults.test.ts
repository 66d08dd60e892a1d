import type { Fault, Step } from '../startStandIn';
import { useStandIn, type Seen } from '../useStandIn';

const service = useStandIn();

/** A good request of each step. */
const requests: Array<[Step, () => Promise<() => Promise<Seen>>]> = [
	[
		'process',
		() =>
			Promise.resolve(async () => await service.upload('/Document/extraction', 'invoice-us.pdf')),
	],
	[
		'store',
		() => Promise.resolve(async () => await service.upload('/api/v1/artifacts', 'invoice-us.pdf')),
	],
	[
		'submit',
		async () => {
			const inputReference = await service.store();
			return async () => await service.submit({ inputReference }, 'the-same-key');
		},
	],
	[
		'list',
		() => Promise.resolve(async () => await service.send('GET', '/api/v1/document-jobs?limit=100')),
	],
	[
		'get',
		async () => {
			const jobId = await service.start();
			return async () => await service.send('GET', `/api/v1/document-jobs/${jobId}`);
		},
	],
	[
		'fetch',
		async () => {
			const { outputReference } = await service.job(await service.start());
			return async () => await service.fetchFile(outputReference);
		},
	],
	['templates', () => Promise.resolve(async () => await service.send('GET', '/api/v1/templates'))],
];

describe.each(requests)('At the step %s', (step, prepare) => {
	test.each<[Fault, number]>([
		[{ kind: 'rateLimit' }, 429],
		[{ kind: 'internal500' }, 500],
		[{ kind: 'retryable503' }, 503],
		[{ kind: 'html502' }, 502],
		[{ kind: 'gatewayTimeout504', afterWork: true }, 504],
		[{ kind: 'envelopeError', status: 409, code: 'idempotency_replay_unavailable' }, 409],
	])('%o reaches the next request, and no other step', async (fault, status) => {
		const send = await prepare();
		await service.standIn.queueFaults([fault], step);
		const bystander = step === 'list' ? '/api/v1/templates' : '/api/v1/document-jobs';
		expect((await service.send('GET', bystander)).status).toBe(200);
		expect((await send()).status).toBe(status);
		expect((await send()).status).toBeLessThan(300);
	});

	test('a response is lost, whether the request was served or not', async () => {
		const send = await prepare();
		const lost: Fault[] = [
			{ kind: 'refuse' },
			{ kind: 'reset' },
			{ kind: 'reset', afterWork: true },
			{ kind: 'truncatedBody' },
		];
		for (const fault of lost) {
			await service.standIn.queueFaults([fault], step);
			await expect(send()).rejects.toThrow();
		}
		await service.standIn.queueFaults([{ kind: 'truncatedJson' }], step);
		await expect(send()).rejects.toThrow(SyntaxError);
		expect((await send()).status).toBeLessThan(300);
	});

	test('a response is late', async () => {
		const send = await prepare();
		await service.standIn.queueFaults([{ kind: 'late', ms: 300 }], step);
		const startedAt = Date.now();
		expect((await send()).status).toBeLessThan(300);
		expect(Date.now() - startedAt).toBeGreaterThanOrEqual(299);
	});
});

test('a null lets one request of the step through', async () => {
	await service.standIn.queueFaults([null, { kind: 'internal500' }], 'list');
	const statuses = [];
	for (let request = 0; request < 3; request++)
		statuses.push((await service.send('GET', '/api/v1/document-jobs')).status);
	expect(statuses).toEqual([200, 500, 200]);
});

describe('A list', () => {
	const list = async () => await service.send('GET', '/api/v1/document-jobs?limit=100');

	test('fails until the faults of its step are removed, and no other step does', async () => {
		await service.standIn.queueFaults(
			[{ kind: 'problem', status: 401, code: 'API_KEY_REVOKED', times: 'always' }],
			'list',
		);
		await service.standIn.queueFaults([{ kind: 'internal500' }], 'templates');
		for (let lists = 0; lists < 3; lists++) {
			const failed = await list();
			expect([failed.status, failed.code]).toEqual([401, 'API_KEY_REVOKED']);
		}
		await service.standIn.clearFaults('list');
		expect((await list()).status).toBe(200);
		expect((await service.send('GET', '/api/v1/templates')).status).toBe(500);
		await service.standIn.queueFaults([{ kind: 'html502', times: 'always' }]);
		await service.standIn.clearFaults();
		expect((await list()).status).toBe(200);
	});

	test('fails while a job is in it', async () => {
		const [jobId] = await service.standIn.addJobs(service.key, [
			{ operation: 'Extraction', result: {} },
		]);
		await service.standIn.queueFaults([{ kind: 'html502', match: jobId, times: 'always' }], 'list');
		expect([(await list()).status, (await list()).status]).toEqual([502, 502]);
		service.key += '-other';
		expect((await list()).status).toBe(200);
	});

	test('is never answered', async () => {
		await service.standIn.queueFaults([{ kind: 'hang' }], 'list');
		await expect(
			service.send('GET', '/api/v1/document-jobs', { signal: AbortSignal.timeout(300) }),
		).rejects.toThrow('timeout');
		expect((await list()).status).toBe(200);
	});
});

test('the result of one job fails in every way, and each request for it is counted', async () => {
	const [jobId = '', other = ''] = await service.standIn.addJobs(service.key, [
		{ operation: 'Extraction', result: { Metadata: {} }, count: 2 },
	]);
	const references = [await service.job(jobId), await service.job(other)].map(
		({ outputReference }) => outputReference,
	);
	await service.standIn.queueFaults(
		[
			{ kind: 'problem', status: 404, code: 'artifact_not_found', match: jobId, times: 2 },
			{ kind: 'retryable503', match: jobId },
			{ kind: 'envelopeError', status: 410, code: 'artifact_expired', match: jobId },
			{ kind: 'html200', match: jobId },
		],
		'fetch',
	);
	expect((await service.fetchFile(references[1] ?? null)).status).toBe(200);
	const seen = [];
	for (let request = 0; request < 6; request++)
		seen.push(await service.fetchFile(references[0] ?? null));
	expect(seen.map(({ status, code }) => [status, code])).toEqual([
		[404, 'artifact_not_found'],
		[404, 'artifact_not_found'],
		[503, 'UPSTREAM_UNAVAILABLE'],
		[410, 'artifact_expired'],
		[200, undefined],
		[200, undefined],
	]);
	expect(seen[4]?.bytes.toString()).toMatch(/^<html>/);
	expect(seen[5]?.json).toEqual({ Metadata: {} });
	expect(await service.standIn.resultFetches()).toEqual({
		[jobId]: { requests: 6, served: 1 },
		[other]: { requests: 1, served: 1 },
	});
	const rows = (await service.standIn.requests()).filter(({ step }) => step === 'fetch');
	expect(rows.map((row) => row.jobId)).toEqual([other, ...Array<string>(6).fill(jobId)]);
});

test('a fault finds its request by the name of the file at every step', async () => {
	await service.standIn.queueFaults([{ kind: 'internal500', match: 'second' }], 'submit');
	await service.standIn.queueFaults([{ kind: 'html502', match: 'second' }], 'get');
	await service.standIn.queueFaults([{ kind: 'retryable503', match: 'second', times: 2 }], 'fetch');
	const first = await service.store('invoice-us.pdf', 'first.pdf');
	const second = await service.store('invoice-us.pdf', 'second.pdf');
	expect((await service.submit({ inputReference: first })).status).toBe(202);
	expect((await service.submit({ inputReference: second })).status).toBe(500);
	const { data } = await service.submit({ inputReference: second });
	const path = `/api/v1/document-jobs/${data.jobId as string}`;
	expect((await service.send('GET', path)).status).toBe(502);
	const { outputReference } = await service.job(data.jobId as string);
	expect((await service.fetchFile(first)).status).toBe(200);
	expect((await service.fetchFile(outputReference)).status).toBe(503);
	expect((await service.fetchFile(second)).status).toBe(503);
	expect((await service.fetchFile(outputReference)).status).toBe(200);
});

test('chance reaches only the steps that are set, and can come after the work', async () => {
	await service.standIn.configure({
		faultRate: 1,
		faultKinds: ['html502'],
		faultSteps: ['submit'],
		faultAfterWork: 1,
	});
	const inputReference = await service.store();
	expect((await service.submit({ inputReference })).status).toBe(502);
	expect(await service.jobs()).toHaveLength(1);
	await service.standIn.configure({ faultAfterWork: 0 });
	expect((await service.submit({ inputReference })).status).toBe(502);
	expect(await service.jobs()).toHaveLength(1);
});

test('what is billed is written down, whether the response was received or not', async () => {
	const extract = async () => await service.upload('/Document/extraction', 'invoice-us.pdf');
	await service.standIn.queueFaults([
		null,
		{ kind: 'reset', afterWork: true },
		{ kind: 'internal500' },
		{ kind: 'charged503' },
		{ kind: 'rateLimit' },
	]);
	await extract();
	await expect(extract()).rejects.toThrow();
	for (let request = 0; request < 3; request++) await extract();
	const charges = await service.standIn.charges();
	expect(charges.map(({ sequence, credits }) => [sequence, credits])).toEqual([
		[1, 1],
		[2, 1],
		[4, 2],
	]);
	const digests = charges.flatMap(({ files }) => files.map(({ sha256 }) => sha256));
	expect(new Set(digests).size).toBe(1);
});

test('a step or a kind that does not exist is refused', async () => {
	await expect(service.standIn.queueFaults([{ kind: 'reset' }], 'nowhere' as Step)).rejects.toThrow(
		'There is no step',
	);
	await expect(
		service.standIn.queueFaults([{ kind: 'nothing' } as unknown as Fault]),
	).rejects.toThrow('There is no fault');
});
