import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestHandler } from '../http/requestHandler';
import { successEnvelope, type ServiceResponse } from '../http/responses';
import type { Route, Step } from '../http/route';
import { defaultSettings, type Settings } from '../settings';
import { Service } from '../state/service';
import { useStandIn, type Seen } from '../useStandIn';
import { answersByStep } from './answers';
import { violationsIn } from './checkAnswer';
import { resultsByPath } from './results';

const service = useStandIn();

const LIST = '/api/v1/document-jobs';

const upload = (path: string, name: string, field?: string) => async () =>
	await service.upload(path, name, name, field);

/** A good request of every route that answers with JSON, and what makes its answer say more than usual. */
const walk: Array<
	[step: Step, path: string, request: () => Promise<Seen>, settings?: Partial<Settings>]
> = [
	['process', '/Document/extraction', upload('/Document/extraction', 'invoice-us.pdf')],
	['process', '/Document/classifier', upload('/Document/classifier', 'invoice-us.pdf', 'files')],
	['process', '/Document/zero-shot', upload('/Document/zero-shot', 'invoice-us.pdf')],
	['process', '/Document/crop', upload('/Document/crop', 'two-cards.jpg')],
	['process', '/Document/split', upload('/Document/split', 'bundle.pdf')],
	['process', '/Document/facematch', async () => await service.compareFaces(), { faceCrops: true }],
	['store', '/api/v1/artifacts', upload('/api/v1/artifacts', 'invoice-us.pdf')],
	['submit', LIST, async () => await service.submit({ inputReference: await service.store() })],
	['get', `${LIST}/x`, async () => await service.send('GET', `${LIST}/${await service.start()}`)],
	[
		'list',
		LIST,
		async () => {
			await service.start();
			return await service.send('GET', LIST);
		},
	],
	[
		'cancel',
		`${LIST}/x/cancel`,
		async () => {
			const jobId = await service.start();
			return await service.send('POST', `${LIST}/${jobId}/cancel`);
		},
		{ jobQueueMs: 60_000 },
	],
	['templates', '/api/v1/templates', async () => await service.send('GET', '/api/v1/templates')],
];

test('the walk has every route that answers with JSON', () => {
	const walked = walk.map(([step, path]) => (step === 'process' ? path : step));
	const steps = Object.entries(answersByStep).flatMap(([step, { body }]) =>
		body === undefined ? [] : [step],
	);
	const paths = Object.keys(resultsByPath).filter((path) => resultsByPath[path] !== undefined);
	expect(walked.sort()).toEqual([...paths, ...steps].sort());
});

describe.each(walk)('An answer to %s %s', (step, path, request, settings = {}) => {
	test('keeps to the contract, and would be caught if any part of it were wrong', async () => {
		await service.standIn.configure(settings);
		const seen = await request();
		const violationsOf = (json: unknown) => violationsIn(step, path, answerLike(seen, json));
		expect(violationsOf(seen.json)).toEqual([]);

		const places = placesIn(seen.json);
		expect(places.length).toBeGreaterThan(7);
		for (const place of places) {
			expect([place, violationsOf(changed(seen.json, place, 'type'))]).not.toEqual([place, []]);
			expect([place, violationsOf(changed(seen.json, place, 'name'))]).not.toEqual([place, []]);
		}
	});
});

/** Data that no answer has, with what is good about it from an answer. */
test.each<[step: Step, path: string, request: () => Promise<Seen>, wrong: object[]]>([
	[
		'get',
		LIST,
		async () => await service.send('GET', `${LIST}/${await service.start()}`),
		[
			{ status: 'Paused' },
			{ status: 'Processing' },
			{ operation: 'Redaction' },
			{ creditsConsumed: '1' },
			{ completedAt: 'yesterday' },
			{ jobId: 7 },
		],
	],
	[
		'process',
		'/Document/extraction',
		upload('/Document/extraction', 'invoice-us.pdf'),
		[
			{ fraudBlocked: true },
			{ fraudRequestId: 'high' },
			{ quality: { overall: 2, findings: [] } },
			{ quality: { overall: 3, findings: [] } },
			...[{ confidence: 101 }, { value: 1 }, { page: 1 }, { confidence: -1 }].map((part) => ({
				metadata: { fields: { lines: [{ total: { value: '1', confidence: 9, ...part } }] } },
			})),
		],
	],
])(
	'so would data of %s %s in which parts contradict each other',
	async (step, path, request, wrong) => {
		const seen = await request();
		for (const part of wrong) {
			const json = { ...seen.json, data: { ...seen.data, ...part } };
			expect([part, violationsIn(step, path, answerLike(seen, json))]).not.toEqual([part, []]);
		}
	},
);

test('so would a rejection', async () => {
	const seen = await service.fetchFile('artifact://stored/nothing');
	expect(seen.status).toBe(404);
	for (const place of placesIn(seen.json)) {
		const json = changed(seen.json, place, 'type');
		expect([place, violationsIn('fetch', '', answerLike(seen, json))]).not.toEqual([place, []]);
	}
});

test('an answer that breaks the contract is a 500 with its reasons, and is recorded', async () => {
	const path = '/api/v1/templates';
	const route: Route = {
		method: 'GET',
		path,
		step: 'templates',
		body: 'none',
		sandbox: false,
		fileNames: () => [],
		respond: () => Promise.resolve(successEnvelope({ templates: 'none' }, null)),
	};
	const folder = await mkdtemp(join(tmpdir(), 'contract-test-'));
	const wrong = new Service(defaultSettings, folder, () => '');
	const handler = new RequestHandler(wrong, [route]);
	const server = createServer((request, response) => {
		void handler.handle(new URL(request.url ?? '', 'http://localhost'), request, response);
	});
	await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
	const logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
	try {
		const { port } = server.address() as AddressInfo;
		const response = await fetch(`http://127.0.0.1:${port}${path}`, {
			headers: { authorization: `Bearer ${service.key}` },
		});
		expect(response.status).toBe(500);
		expect(await response.json()).toMatchObject({
			code: 'STAND_IN_BROKE_CONTRACT',
			detail: expect.stringContaining('/data') as string,
		});
		expect(wrong.violations.all()).toMatchObject([{ sequence: 1, path, fault: null }]);
		expect(logged).toHaveBeenCalledTimes(1);
	} finally {
		logged.mockRestore();
		server.closeAllConnections();
		server.close();
		await rm(folder, { recursive: true, force: true });
	}
});

test.each<[string, () => Promise<Seen>, string]>([
	['a form field', upload('/Document/extraction', 'invoice-us.pdf', 'document'), 'FILE_REQUIRED'],
	[
		'a second file',
		async () =>
			await service.uploadAll('/Document/crop', [
				['file', 'form.pdf'],
				['file', 'form.pdf'],
			]),
		'TOO_MANY_FILES',
	],
	[
		'an extension',
		async () => await service.upload('/Document/crop', 'form.pdf', 'a.txt'),
		'FILE_EXTENSION_NOT_ALLOWED',
	],
	[
		'a parameter',
		async () => await service.send('GET', `${LIST}?status=Failed`),
		'parameter_unknown',
	],
	['no reference', async () => await service.fetchFile(''), 'reference_required'],
	...[
		{ templateId: 'invoice' },
		{ operation: 'Redaction' },
		{ inputReference: 'invoice' },
		{ prompt: 'y' },
	].map((part): [string, () => Promise<Seen>, string] => [
		JSON.stringify(part),
		async () => await service.submit({ inputReference: 'artifact://x', ...part }),
		'invalid_request',
	]),
	['a body', async () => await service.submitText('{'), 'MALFORMED_REQUEST'],
])('a request is refused for %s that the contract does not have', async (_, request, code) => {
	const refused = await request();
	expect([refused.status, refused.code]).toEqual([400, code]);
});

test('an answer that a fault has it give is recorded if it breaks the contract without saying so', async () => {
	const { standIn } = service;
	const extract = upload('/Document/extraction', 'invoice-us.pdf');
	await standIn.queueFaults([
		{ kind: 'answer', data: { metadata: { total: '5.00' }, note: 'more' } },
		{ kind: 'answer', data: { fraudBlocked: true }, offContract: true },
		{ kind: 'html502' },
		{ kind: 'answer', data: { fraudBlocked: true } },
	]);
	for (let request = 0; request < 4; request++) await extract();
	expect(await standIn.violations()).toMatchObject([
		{ fault: 'answer', path: '/Document/extraction', sequence: 4 },
	]);
	await standIn.reset();
});

type Place = Array<string | number>;

function answerLike({ status, headers }: Seen, json: unknown): ServiceResponse {
	return {
		status,
		headers: Object.fromEntries(headers.entries()),
		body: Buffer.from(JSON.stringify(json)),
	};
}

/** Of every value outside `metadata`, whose names are the template's, and of the first of each list. */
function placesIn(value: unknown, at: Place = []): Place[] {
	if (typeof value !== 'object' || value === null || at.at(-1) === 'metadata') return [];
	if (Array.isArray(value)) return value.length === 0 ? [] : placesIn(value[0], [...at, 0]);
	return Object.entries(value).flatMap(([name, inner]) => [
		[...at, name],
		...placesIn(inner, [...at, name]),
	]);
}

/** A copy in which one value is of a type that nothing has, or has a name that nothing has. */
function changed(value: unknown, [first, ...rest]: Place, how: 'type' | 'name'): unknown {
	if (first === undefined) return [{ wrong: true }];
	if (Array.isArray(value))
		return (value as unknown[]).map((inner, index) =>
			index === first ? changed(inner, rest, how) : inner,
		);
	const entries = Object.entries(value as Record<string, unknown>).map(([name, inner]) => {
		if (name !== first) return [name, inner] as const;
		if (rest.length === 0 && how === 'name') return [`${name}X`, inner] as const;
		return [name, changed(inner, rest, how)] as const;
	});
	return Object.fromEntries(entries);
}
