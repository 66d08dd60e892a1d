import { randomUUID } from 'node:crypto';
import { keys } from './keys';
import { useStandIn } from '../useStandIn';

const service = useStandIn();

test('a sandbox key runs jobs that are not billed, and nothing else', async () => {
	service.key = keys.sandbox;
	const jobId = await service.start();
	expect(await service.job(jobId)).toMatchObject({ status: 'Succeeded', creditsConsumed: null });
	expect(await service.standIn.charges()).toEqual([]);
	const inputReference = await service.store();
	const refused = [
		await service.upload('/Document/extraction', 'invoice-us.pdf'),
		await service.send('GET', '/api/v1/templates'),
		await service.submit({ inputReference, templateId: randomUUID() }),
		await service.submit({ operation: 'Facematch', inputReference }),
	];
	for (const { status, code, headers } of refused) {
		expect([status, code]).toEqual([403, 'environment.sandbox_route_unavailable']);
		expect(headers.get('content-type')).toBe('application/problem+json');
	}
});

test.each<[string, extraction: string, others?: string]>([
	[keys.revoked, '401 API_KEY_REVOKED'],
	[keys.unknown, '401 API_KEY_INVALID'],
	['xtkt_test_', '401 API_KEY_INVALID'],
	['xtkt_live_', '401 API_KEY_INVALID'],
	[keys.unsubscribed, '403 SUBSCRIPTION_REQUIRED', '403 request_not_allowed'],
])('the key %s is refused everywhere', async (key, extraction, others = extraction) => {
	service.key = key;
	const answers = [
		await service.send('POST', '/Document/extraction'),
		await service.send('GET', '/api/v1/document-jobs'),
		await service.send('GET', '/api/v1/templates'),
		await service.send('POST', '/api/v1/artifacts'),
		await service.send('POST', '/api/v1/document-jobs/x/cancel'),
	];
	expect(answers.map(({ status, code }) => `${status} ${code}`)).toEqual([
		...[extraction, others, others, others, others],
	]);
});

test('requests of every route count towards one rate limit, until the next window', async () => {
	await service.standIn.configure({ requestsPerWindow: 3, windowMs: 3_600_000 });
	const inputReference = await service.store();
	await service.submit({ inputReference });
	await service.jobs();
	for (const path of ['/api/v1/document-jobs', '/api/v1/templates']) {
		const refused = await service.send('GET', path);
		expect([refused.status, refused.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
		expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
	}
	const rows = await service.standIn.requests();
	expect(rows.map(({ step, status, refused }) => [step, status, refused])).toEqual([
		['store', 201, false],
		['submit', 202, false],
		['list', 200, false],
		['list', 429, true],
		['templates', 429, true],
	]);
	await service.standIn.advanceClock(3_600_000);
	expect((await service.send('GET', '/api/v1/document-jobs')).status).toBe(200);
});
