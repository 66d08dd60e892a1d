import type { Fault, Step } from '../startStandIn';
import { useStandIn, type Seen } from '../useStandIn';

const service = useStandIn();

const list = async () => await service.send('GET', '/api/v1/document-jobs?limit=100');

const get = async (path: string) => await service.send('GET', path);
const upload = async (path: string) => await service.upload(path, 'invoice-us.pdf');

interface Prepared {
	inputReference: string;
	jobId: string;
}

/** A good request of each step, with a file that is stored and a job that has ended. */
const requests: Record<Exclude<Step, 'cancel'>, (prepared: Prepared) => Promise<Seen>> = {
	process: async () => await upload('/Document/extraction'),
	store: async () => await upload('/api/v1/artifacts'),
	submit: async ({ inputReference }) => await service.submit({ inputReference }, 'the-same-key'),
	list,
	get: async ({ jobId }) => await get(`/api/v1/document-jobs/${jobId}`),
	fetch: async ({ jobId }) => await service.fetchFile((await service.job(jobId)).outputReference),
	templates: async () => await get('/api/v1/templates'),
};

describe.each(Object.entries(requests))('At the step %s', (step, request) => {
	let send: () => Promise<Seen>;
	beforeEach(async () => {
		const prepared = { inputReference: await service.store(), jobId: await service.start() };
		send = async () => await request(prepared);
	});

	test('faults reach the next request, and no other step', async () => {
		const bystander = step === 'list' ? '/api/v1/templates' : '/api/v1/document-jobs';
		const faults: Array<[Fault, number]> = [
			[{ kind: 'rateLimit' }, 429],
			[{ kind: 'html502' }, 502],
			[{ kind: 'gatewayTimeout504', afterWork: true }, 504],
			[{ kind: 'envelopeError', status: 409, code: 'idempotency_replay_unavailable' }, 409],
		];
		await service.standIn.queueFaults(
			faults.map(([fault]) => fault),
			step as Step,
		);
		expect((await service.send('GET', bystander)).status).toBe(200);
		for (const [, status] of faults) expect((await send()).status).toBe(status);
		expect((await send()).status).toBeLessThan(300);
	});

	test('a response is lost, whether the request was served or not, or late', async () => {
		const lost: Fault[] = [
			{ kind: 'refuse' },
			{ kind: 'reset', afterWork: true },
			{ kind: 'truncatedBody' },
			{ kind: 'truncatedJson' },
		];
		for (const fault of lost) {
			await service.standIn.queueFaults([fault], step as Step);
			await expect(send()).rejects.toThrow();
		}
		await service.standIn.queueFaults([{ kind: 'late', ms: 100 }], step as Step);
		const startedAt = Date.now();
		expect((await send()).status).toBeLessThan(300);
		expect(Date.now() - startedAt).toBeGreaterThanOrEqual(99);
	});
});

test('null lets a request through, and a fault that is always there lasts until it is removed', async () => {
	await service.standIn.queueFaults([null, { kind: 'html502', times: 'always' }], 'list');
	await service.standIn.queueFaults([{ kind: 'internal500' }], 'templates');
	const statuses = [await list(), await list(), await list()].map(({ status }) => status);
	expect(statuses).toEqual([200, 502, 502]);
	await service.standIn.clearFaults('list');
	expect((await list()).status).toBe(200);
	expect((await service.send('GET', '/api/v1/templates')).status).toBe(500);
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
	await service.standIn.configure({ faultAfterWork: 0 });
	expect((await service.submit({ inputReference })).status).toBe(502);
	expect(await service.jobs()).toHaveLength(1);
});

test('what is billed is recorded, whether the response was received or not', async () => {
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
	expect(new Set(charges.map(({ files }) => files[0]?.sha256)).size).toBe(1);
});

test('a reset ends requests that hang, whose client could not end otherwise', async () => {
	await service.standIn.queueFaults([{ kind: 'hang' }]);
	const ended = list().then(
		() => 'answered',
		() => 'cut',
	);
	while ((await service.standIn.requests()).length === 0);
	await service.standIn.reset();
	expect(await ended).toBe('cut');
	expect(await service.standIn.figures()).toMatchObject({ requests: 0, maxConcurrent: 0 });
});
