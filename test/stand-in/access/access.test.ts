import { keys } from './keys';
import { useStandIn } from '../useStandIn';

const service = useStandIn();

describe('A sandbox key', () => {
	beforeEach(() => {
		service.key = keys.sandbox;
	});

	test.each(['Extraction', 'Classification', 'ZeroShot', 'Split'])(
		'runs %s as a job that is not billed',
		async (operation) => {
			const jobId = await service.start(operation);
			expect(await service.job(jobId)).toMatchObject({
				status: 'Succeeded',
				creditsConsumed: null,
			});
			expect((await service.jobs()).map((job) => job.jobId)).toEqual([jobId]);
			expect(await service.result(jobId)).not.toEqual({});
			expect(await service.standIn.charges()).toEqual([]);
		},
	);

	test.each(['extraction', 'classifier', 'zero-shot', 'crop', 'split', 'facematch'])(
		'cannot use /Document/%s',
		async (operation) => {
			const field = operation === 'classifier' ? 'files' : 'file';
			const path = `/Document/${operation}`;
			const refused = await service.upload(path, 'invoice-us.pdf', 'invoice-us.pdf', field);
			expect([refused.status, refused.code]).toEqual([
				403,
				'environment.sandbox_route_unavailable',
			]);
			expect(refused.headers.get('content-type')).toBe('application/problem+json');
		},
	);

	test('cannot list templates, choose one, or match faces', async () => {
		const inputReference = await service.store();
		const refused = [
			await service.send('GET', '/api/v1/templates'),
			await service.submit({ inputReference, templateId: 'any' }),
			await service.submit({ operation: 'Facematch', inputReference }),
		];
		expect(refused.map(({ status, code }) => [status, code])).toEqual(
			refused.map(() => [403, 'environment.sandbox_route_unavailable']),
		);
	});
});

test.each([
	['GET', '/api/v1/document-jobs'],
	['GET', '/api/v1/templates'],
	['GET', '/api/v1/artifacts/content?reference=x'],
	['POST', '/api/v1/artifacts'],
	['POST', '/api/v1/document-jobs'],
	['POST', '/api/v1/document-jobs/x/cancel'],
])('a revoked key is unknown at %s %s', async (method, path) => {
	service.key = keys.revoked;
	expect((await service.send(method, path)).status).toBe(401);
});

test('an address has its own methods', async () => {
	const refused = await service.send('DELETE', '/api/v1/document-jobs');
	expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, GET']);
	expect((await service.send('GET', '/api/v1/document-jobs/a/b')).status).toBe(404);
});

test('requests of every route count towards one rate limit', async () => {
	await service.standIn.configure({ requestsPerWindow: 6, windowMs: 3_600_000 });
	const inputReference = await service.store();
	const { data } = await service.submit({ inputReference });
	const statuses = [
		await service.jobs(),
		await service.job(data.jobId as string),
		await service.fetchFile(inputReference),
		await service.send('GET', '/api/v1/templates'),
	];
	expect(statuses).toHaveLength(4);
	for (const path of ['/api/v1/document-jobs', '/api/v1/templates']) {
		const refused = await service.send('GET', path);
		expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
		expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
	}
	const direct = await service.upload('/Document/extraction', 'invoice-us.pdf');
	expect(direct.status).toBe(429);
	expect(
		(await service.standIn.requests()).map(({ step, status, refused }) => [step, status, refused]),
	).toEqual([
		['store', 201, false],
		['submit', 202, false],
		['list', 200, false],
		['get', 200, false],
		['fetch', 200, false],
		['templates', 200, false],
		['list', 429, true],
		['templates', 429, true],
		['process', 429, true],
	]);
	await service.standIn.advanceClock(3_600_000);
	expect((await service.send('GET', '/api/v1/document-jobs')).status).toBe(200);
});

test('only what is billed counts towards the quota', async () => {
	await service.standIn.configure({ quota: 1 });
	const inputReference = await service.store();
	expect((await service.submit({ inputReference })).status).toBe(202);
	const refused = await service.submit({ inputReference });
	expect([refused.status, refused.code]).toEqual([429, 'ADMISSION_QUOTA_EXCEEDED']);
	expect(await service.jobs()).toHaveLength(1);
});
