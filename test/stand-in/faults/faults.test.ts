import type { Fault, Step } from '../startStandIn';
import { useStandIn, type Seen } from '../useStandIn';

const service = useStandIn();

const get = async (path: string) => await service.send('GET', path);
const list = async () => await get('/api/v1/document-jobs?limit=100');
const upload = async (path: string) => await service.upload(path, 'invoice-us.pdf');
const extract = async () => await upload('/Document/extraction');

interface Prepared {
	inputReference: string;
	jobId: string;
}

/** A good request of each step, with a file that is stored and a job that has ended. */
const requests: Record<Exclude<Step, 'cancel'>, (prepared: Prepared) => Promise<Seen>> = {
	process: extract,
	store: async () => await upload('/api/v1/artifacts'),
	submit: async ({ inputReference }) => await service.submit({ inputReference }, 'the-same-key'),
	list,
	get: async ({ jobId }) => await get(`/api/v1/document-jobs/${jobId}`),
	fetch: async ({ jobId }) => await service.fetchFile((await service.job(jobId)).outputReference),
	templates: async () => await get('/api/v1/templates'),
};

/** Of the response to a request, or that there is none. */
const statusOf = async (request: Promise<Seen>) =>
	await request.then(
		({ status }) => status,
		() => 'lost',
	);

test.each(Object.entries(requests))(
	'faults of the step %s reach its requests one by one, and no other step',
	async (step, request) => {
		const prepared = { inputReference: await service.store(), jobId: await service.start() };
		const faults: Array<[Fault, number | 'lost']> = [
			[{ kind: 'rateLimit' }, 429],
			[{ kind: 'html502' }, 502],
			[{ kind: 'gatewayTimeout504', afterWork: true }, 504],
			[{ kind: 'envelopeError', status: 409, code: 'idempotency_replay_unavailable' }, 409],
			[{ kind: 'refuse' }, 'lost'],
			[{ kind: 'reset', afterWork: true }, 'lost'],
			[{ kind: 'truncatedBody' }, 'lost'],
			[{ kind: 'truncatedJson' }, 'lost'],
		];
		await service.standIn.queueFaults(
			faults.map(([fault]) => fault),
			step as Step,
		);
		const bystander = step === 'list' ? '/api/v1/templates' : '/api/v1/document-jobs';
		expect((await get(bystander)).status).toBe(200);
		for (const [{ kind }, expected] of faults)
			expect([kind, await statusOf(request(prepared))]).toEqual([kind, expected]);
		expect((await request(prepared)).status).toBeLessThan(300);
	},
);

test('null lets a request through, and a fault that is always there lasts until it is removed', async () => {
	await service.standIn.queueFaults([null, { kind: 'html502', times: 'always' }], 'list');
	await service.standIn.queueFaults([{ kind: 'internal500' }], 'templates');
	const statuses = [await list(), await list(), await list()].map(({ status }) => status);
	expect(statuses).toEqual([200, 502, 502]);
	await service.standIn.clearFaults('list');
	expect((await list()).status).toBe(200);
	expect((await get('/api/v1/templates')).status).toBe(500);
});

test('chance reaches only the steps that are set, and can come after the work', async () => {
	const faultSettings = { faultRate: 1, faultKinds: ['html502' as const] };
	await service.standIn.configure({ ...faultSettings, faultSteps: ['submit'], faultAfterWork: 1 });
	const inputReference = await service.store();
	expect((await service.submit({ inputReference })).status).toBe(502);
	await service.standIn.configure({ faultAfterWork: 0 });
	expect((await service.submit({ inputReference })).status).toBe(502);
	expect(await service.jobs()).toHaveLength(1);
});

test('what is billed is recorded, whether the response was received or not', async () => {
	await service.standIn.queueFaults([
		null,
		{ kind: 'reset', afterWork: true },
		{ kind: 'internal500' },
		{ kind: 'charged503' },
		{ kind: 'rateLimit' },
	]);
	for (let request = 0; request < 5; request++) await statusOf(extract());
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
	const ended = statusOf(list());
	while ((await service.standIn.requests()).length === 0);
	await service.standIn.reset();
	expect(await ended).toBe('lost');
	expect(await service.standIn.figures()).toMatchObject({ requests: 0, maxConcurrent: 0 });
});
