import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { runItems } from '../../../nodes/DocumentIntelligence/run/runItems';
import { Limiters } from '../../../nodes/DocumentIntelligence/service/limiter';
import { useBinaryMode } from '../../n8n-core/runNode';
import { errorEnvelope } from '../../stand-in/http/responses';
import type { RecordedRequest, Settings } from '../../stand-in/startStandIn';
import { storedSample } from '../samples';
import { AVOIDED_WORDS, failureOf, thrownBy, useService } from '../service';

/** As the minute of the service, but short. */
const WINDOW_MS = 2000;

const PER_WINDOW = 10;

const service = useService({ windowMs: WINDOW_MS, requestsPerWindow: PER_WINDOW });

beforeAll(async () => await useBinaryMode('filesystem'));

const limitersOfAnotherProcess = () => new Limiters(undefined, WINDOW_MS);

const credential = () => ({ ...service.credential, requestsPerMinute: PER_WINDOW });

async function documents(count: number): Promise<INodeExecutionData[]> {
	return await Promise.all(
		Array.from({ length: count }, async (_, number) => ({
			json: {},
			binary: { data: await storedSample('invoice-us.pdf', `${number}.pdf`) },
		})),
	);
}

async function run(
	items: INodeExecutionData[],
	limiters: Limiters,
	options: IDataObject = {},
	more = {},
) {
	return await service.run({ operation: 'extract', options }, items, {
		credential: credential(),
		limiters,
		...more,
	});
}

const namesOf = (items: INodeExecutionData[]) => items.map(({ json }) => json.fileName);
const names = (count: number) => Array.from({ length: count }, (_, number) => `${number}.pdf`);

/** How many arrived in each window of the service, the rejected ones with them. */
function arrivalsByWindow(calls: RecordedRequest[]): number[] {
	const counts = new Map<number, number>();
	for (const { startedAt } of calls) {
		const window = Math.floor(startedAt / WINDOW_MS);
		counts.set(window, (counts.get(window) ?? 0) + 1);
	}
	return [...counts.values()];
}

const rejectedOf = (calls: RecordedRequest[]) => calls.filter(({ refused }) => refused).length;

/** Waits for the beginning of a window of the service, so that a run begins with all of it. */
async function atReset(skewMs = 0): Promise<void> {
	await new Promise((go) => setTimeout(go, WINDOW_MS - ((Date.now() + skewMs) % WINDOW_MS) + 20));
}

describe('Forty documents, ten in a window', () => {
	test.each<[string, Partial<Settings>]>([
		['with the clock of the service', {}],
		['the service’s clock ahead by 1.4 s', { clockSkewMs: 1400 }],
		['the service’s clock behind by half a minute', { clockSkewMs: -31_300 }],
		['no Retry-After', { retryAfter: false }],
		['answers that take their time', { latencyMs: [100, 400] }],
	])('%s: all arrive in order, and two are rejected at most', async (_, settings) => {
		await service.standIn.configure(settings);
		const { items, hints } = await run(await documents(40), limitersOfAnotherProcess());
		expect(namesOf(items)).toEqual(names(40));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[...names(40).keys()].map((item) => ({ item })),
		);
		expect(rejectedOf(await service.calls())).toBeLessThanOrEqual(2);
		expect(hints).toEqual([
			{
				type: 'info',
				location: 'outputPane',
				message: expect.stringMatching(
					/^Waited \d+ seconds in total because of the rate limit of the API key\./,
				) as string,
			},
		]);
	});

	test('two executions of a process share its windows, and the shorter one does not wait for the longer', async () => {
		const limiters = limitersOfAnotherProcess();
		await atReset();
		const ends: string[] = [];
		const [long, short] = await Promise.all([
			run(await documents(30), limiters).finally(() => ends.push('long')),
			run(await documents(5), limiters).finally(() => ends.push('short')),
		]);
		expect(namesOf(long.items)).toEqual(names(30));
		expect(namesOf(short.items)).toEqual(names(5));
		expect(ends).toEqual(['short', 'long']);
		expect(rejectedOf(await service.calls())).toBeLessThanOrEqual(2);
	});

	test('two processes that know nothing of each other: all arrive, and each holds back for itself', async () => {
		const [one, other] = await Promise.all([
			run(await documents(20), limitersOfAnotherProcess()),
			run(await documents(20), limitersOfAnotherProcess()),
		]);
		expect([namesOf(one.items), namesOf(other.items)]).toEqual([names(20), names(20)]);
		const calls = await service.calls();
		// A window's worth from each, and a probe; a start may arrive in the window after its own.
		expect(Math.max(...arrivalsByWindow(calls))).toBeLessThanOrEqual(2 * PER_WINDOW + 4);
		expect(rejectedOf(calls)).toBeLessThan(40);
	});
});

describe('Two credentials with the same key', () => {
	/** The files of a run by the window of the service in which they arrived. */
	const mostInAWindow = (calls: RecordedRequest[], prefix: string) =>
		Math.max(
			0,
			...arrivalsByWindow(
				calls.filter(({ parts }) =>
					parts.some((part) => 'fileName' in part && part.fileName?.startsWith(prefix)),
				),
			),
		);

	async function named(prefix: string, count: number): Promise<INodeExecutionData[]> {
		return await Promise.all(
			Array.from({ length: count }, async (_, number) => ({
				json: {},
				binary: { data: await storedSample('invoice-us.pdf', `${prefix}${number}.pdf`) },
			})),
		);
	}

	test('each keeps to its own Requests per Minute, whichever was read last', async () => {
		const limiters = limitersOfAnotherProcess();
		await atReset();
		const low = run(
			await named('low', 9),
			limiters,
			{},
			{
				credential: { ...credential(), requestsPerMinute: 3 },
			},
		);
		const high = run(await named('high', 30), limiters);
		await Promise.all([low, high]);
		const calls = await service.calls();
		expect(rejectedOf(calls)).toBeLessThanOrEqual(2);
		expect(mostInAWindow(calls, 'low')).toBeLessThanOrEqual(3);
		// A window's worth; a start may arrive in the window after its own.
		expect(mostInAWindow(calls, 'high')).toBeGreaterThan(3);
	});
});

describe('A computer whose clock is set', () => {
	afterEach(() => jest.restoreAllMocks());

	const HOUR = 3_600_000;

	/** Limiters as n8n loads them, on a computer whose clock can be set. */
	function onComputer() {
		const clock = { setByMs: 0 };
		const now = Date.now.bind(Date);
		jest.spyOn(Date, 'now').mockImplementation(() => now() + clock.setByMs);
		let limiters = limitersOfAnotherProcess();
		jest.isolateModules(() => {
			const loaded = jest.requireActual<{ Limiters: typeof Limiters }>(
				'../../../nodes/DocumentIntelligence/service/limiter',
			);
			limiters = new loaded.Limiters(undefined, WINDOW_MS);
		});
		return { clock, limiters, now };
	}

	test.each([
		['back', -HOUR],
		['forward', HOUR],
	])('%s by an hour: the queue goes on at its pace', async (_, setByMs) => {
		const { clock, limiters, now } = onComputer();
		await atReset();
		await run(await documents(PER_WINDOW), limiters);
		clock.setByMs = setByMs;
		const startedAt = now();
		const { items } = await run(await documents(15), limiters);
		expect(namesOf(items)).toEqual(names(15));
		expect(now() - startedAt).toBeLessThan(4 * WINDOW_MS);
		expect(rejectedOf(await service.calls())).toBeLessThanOrEqual(2);
	});

	test.each([
		['back', -HOUR],
		['forward', HOUR],
	])('%s by an hour after a rejection: Retry-After still counts', async (_, setByMs) => {
		const { clock, limiters } = onComputer();
		await service.standIn.queueFaults([{ kind: 'rateLimit', retryAfterSeconds: 2 }]);
		const running = run(await documents(1), limiters);
		while ((await service.calls()).length === 0) await new Promise((go) => setTimeout(go, 20));
		await new Promise((go) => setTimeout(go, 200));
		clock.setByMs = setByMs;
		await running;
		const [first, second] = await service.calls();
		const waited = (second?.startedAt ?? 0) - (first?.startedAt ?? 0);
		expect(waited).toBeGreaterThanOrEqual(1990);
		expect(waited).toBeLessThan(3500);
	});
});

describe('A rejection for the rate', () => {
	test('closes the gate for a window or so, whatever Retry-After says', async () => {
		await service.standIn.queueFaults([{ kind: 'rateLimit', retryAfterSeconds: 86_400 }]);
		const startedAt = Date.now();
		const { items } = await run(await documents(3), limitersOfAnotherProcess());
		expect(namesOf(items)).toEqual(names(3));
		expect(Date.now() - startedAt).toBeLessThan(4 * WINDOW_MS);
		expect(await service.calls()).toHaveLength(4);
	}, 20_000);

	test('puts the document first in line, and holds back every other', async () => {
		await service.standIn.queueFaults([{ kind: 'rateLimit', retryAfterSeconds: 2 }]);
		await run(await documents(4), limitersOfAnotherProcess(), { concurrency: 1 });
		const calls = await service.calls();
		expect(
			calls.map(({ parts }) => parts.map((part) => 'fileName' in part && part.fileName)[0]),
		).toEqual([undefined, ...names(4)]);
		expect((calls[1]?.startedAt ?? 0) - (calls[0]?.startedAt ?? 0)).toBeGreaterThanOrEqual(1990);
	});

	test('is named in the hint with the wait, once for all documents', async () => {
		await service.standIn.queueFaults([{ kind: 'rateLimit', retryAfterSeconds: 1, times: 2 }]);
		const { hints } = await run(await documents(4), limitersOfAnotherProcess());
		expect(hints).toHaveLength(1);
		expect(hints[0]?.message).toMatch(
			/^Waited \d+ seconds? in total .* The service rejected 2 requests, which were retried at no cost: other programs may be using the same key\.$/,
		);
	});

	test('leaves no hint where nobody waited', async () => {
		const { hints } = await run(await documents(3), limitersOfAnotherProcess());
		expect(hints).toEqual([]);
	});
});

test('retries leave one hint with their number', async () => {
	await service.standIn.queueFaults([{ kind: 'retryable503' }, { kind: 'retryable503' }]);
	const { hints, items } = await run(await documents(2), limitersOfAnotherProcess());
	expect(items).toHaveLength(2);
	expect(hints).toEqual([
		{
			type: 'info',
			location: 'outputPane',
			message:
				'2 requests were retried because the connection or the service was briefly unavailable.',
		},
	]);
});

describe('A stop by the user', () => {
	/** Stops the run when the service has seen what `reached` describes, and looks what starts afterwards. */
	async function stopWhen(
		reached: (calls: RecordedRequest[]) => boolean,
		items: INodeExecutionData[],
		options: IDataObject,
		watchMs: number,
	) {
		const stop = new AbortController();
		const running = run(items, limitersOfAnotherProcess(), options, {
			signal: stop.signal,
			onError: 'continueRegularOutput',
		}).then(
			() => 'ended',
			() => 'ended',
		);
		while (!reached(await service.calls())) await new Promise((go) => setTimeout(go, 20));
		// The node reads its answers and begins to wait.
		await new Promise((go) => setTimeout(go, 300));
		const stoppedAt = Date.now();
		stop.abort();
		await running;
		const took = Date.now() - stoppedAt;
		// Long enough for whatever had been about to start.
		await new Promise((go) => setTimeout(go, watchMs));
		return { took, calls: await service.calls() };
	}

	const answered = (count: number) => (calls: RecordedRequest[]) =>
		calls.filter(({ endedAt }) => endedAt !== null).length === count;

	test('ends a wait for the rate limit, and nothing starts afterwards', async () => {
		await service.standIn.queueFaults([{ kind: 'rateLimit', retryAfterSeconds: 60 }]);
		const { took, calls } = await stopWhen(
			answered(1),
			await documents(3),
			{ concurrency: 1 },
			WINDOW_MS + 500,
		);
		expect(took).toBeLessThan(20_000);
		expect(calls).toHaveLength(1);
	});

	test('ends a wait before a retry, and nothing starts afterwards', async () => {
		const body = errorEnvelope(503, 'UPSTREAM_UNAVAILABLE', 'Not now.', {
			retryable: true,
		}).body.toString();
		await service.standIn.queueFaults([
			{ kind: 'status', status: 503, body, headers: { 'retry-after': '4' }, times: 3 },
		]);
		const { took, calls } = await stopWhen(
			answered(3),
			await documents(3),
			{ concurrency: 3 },
			5000,
		);
		expect(took).toBeLessThan(3000);
		expect(calls).toHaveLength(3);
	});

	test('ends the requests in flight, and nothing starts afterwards', async () => {
		await service.standIn.queueFaults([{ kind: 'hang' }, { kind: 'hang' }]);
		const hanging = (calls: RecordedRequest[]) =>
			calls.filter(({ fault }) => fault === 'hang').length === 2;
		const { took, calls } = await stopWhen(hanging, await documents(5), { concurrency: 2 }, 1000);
		expect(took).toBeLessThan(20_000);
		expect(calls.map(({ aborted }) => aborted)).toEqual([true, true]);
	});
});

describe('Documents side by side', () => {
	test.each([1, 4])('%i at a time, and results in the order of the input', async (concurrency) => {
		await service.standIn.configure({ requestsPerWindow: 50, latencyMs: [20, 300] });
		const { items } = await run(
			await documents(12),
			limitersOfAnotherProcess(),
			{ concurrency },
			{ credential: service.credential },
		);
		expect(namesOf(items)).toEqual(names(12));
		expect((await service.standIn.figures()).maxConcurrent).toBe(concurrency);
	});

	test('the first failure ends the run: no further request, those in flight are answered, and what is lost is told', async () => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 422, match: '3.pdf' },
			{ kind: 'late', match: '2.pdf' },
		]);
		await service.standIn.configure({ requestsPerWindow: 50, latencyMs: 200 });
		const thrown = await thrownBy(
			run(
				await documents(10),
				limitersOfAnotherProcess(),
				{ concurrency: 2 },
				{ credential: service.credential },
			),
		);
		expect(thrown.message).toContain('"3.pdf"');
		expect(thrown.description).toMatch(
			/3 other documents were processed, and their results are lost because the node stopped; they may already be billed\. To keep the results next time, set On Error in the node's settings to Continue\.$/,
		);
		expect(`${thrown.message} ${thrown.description?.replace('On Error', '')}`).not.toMatch(
			AVOIDED_WORDS,
		);
		await new Promise((go) => setTimeout(go, 500));
		const calls = await service.calls();
		expect(calls).toHaveLength(4);
		expect(calls.filter(({ aborted }) => aborted)).toEqual([]);
	});

	test('a failure that goes on costs only its own document', async () => {
		await service.standIn.configure({ requestsPerWindow: 50 });
		await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422, match: '3.pdf' }]);
		const { items } = await run(
			await documents(6),
			limitersOfAnotherProcess(),
			{},
			{ onError: 'continueRegularOutput', credential: service.credential },
		);
		expect(namesOf(items)).toEqual(['0.pdf', '1.pdf', '2.pdf', undefined, '4.pdf', '5.pdf']);
		expect(failureOf(items[3]).message).toContain('"3.pdf"');
	});
});

test('the log has counts, and no name or content of a document', async () => {
	const logged: Array<[level: string, message: string, counts?: object]> = [];
	const logger = Object.fromEntries(
		['error', 'warn', 'info', 'debug'].map((level) => [
			level,
			(...line: [string, object]) => logged.push([level, ...line]),
		]),
	);
	const limiters = limitersOfAnotherProcess();
	const node: INodeType = {
		description: new DocumentIntelligence().description,
		async execute() {
			return await runItems(
				Object.create(this, { logger: { value: logger } }) as IExecuteFunctions,
				limiters,
			);
		},
	};
	await service.standIn.queueFaults([{ kind: 'retryable503' }]);
	await service.run({ operation: 'extract' }, await documents(2), {
		credential: credential(),
		types: { node, credential: new DocumentIntelligenceApi() },
	});

	expect(logged).toEqual([['debug', 'Document Intelligence finished', expect.any(Object)]]);
	const [, , counts = {}] = logged[0] ?? [];
	expect(counts).toMatchObject({
		operation: 'extract',
		documents: 2,
		processed: 2,
		failed: 0,
		requests: 3,
		retries: 1,
		rejections: 0,
	});
	const others = Object.entries(counts).filter(
		([name, value]) => name !== 'operation' && typeof value !== 'number',
	);
	expect(others).toEqual([]);
	expect(JSON.stringify(logged)).not.toMatch(/\d\.pdf|xtkt_/);
});
