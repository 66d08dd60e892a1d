import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { runItems } from '../../../nodes/DocumentIntelligence/run/runItems';
import { useBinaryMode } from '../../n8n-core/runNode';
import { errorEnvelope } from '../../stand-in/http/responses';
import type { RecordedRequest } from '../../stand-in/startStandIn';
import { fastLimiters } from '../fastLimiters';
import { invoiceItems } from '../samples';
import { useService } from '../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

/** How much faster the node's clock is than real time. */
const SPEED = 100;

async function run(items: INodeExecutionData[], concurrentRequests = 10, more = {}) {
	const credential = { ...service.credential, concurrentRequests };
	const limiters = fastLimiters(SPEED);
	return await service.run({ operation: 'extract' }, items, { credential, limiters, ...more });
}

const namesOf = (items: INodeExecutionData[]) => items.map(({ json }) => json.fileName);
const names = (count: number) => Array.from({ length: count }, (_, number) => `${number}.pdf`);

describe('A rejection for the rate', () => {
	test('closes the window for a minute or so whatever Retry-After says, and the document goes first', async () => {
		await service.standIn.queueFaults([{ kind: 'rateLimit', retryAfterSeconds: 86_400 }]);
		const { items, hints } = await run(await invoiceItems(4), 1);
		expect(namesOf(items)).toEqual(names(4));
		const calls = await service.calls();
		expect(
			calls.map(({ parts }) => parts.map((part) => 'fileName' in part && part.fileName)[0]),
		).toEqual([undefined, ...names(4)]);
		const waited = (calls[1]?.startedAt ?? 0) - (calls[0]?.startedAt ?? 0);
		expect(waited).toBeGreaterThan(60_000 / SPEED);
		expect(waited).toBeLessThan(120_000 / SPEED);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^Waited up to \d+ seconds for the rate limit/),
		]);
	});
});

describe('A stop by the user', () => {
	/** Stops the run when the service has seen what `reached` describes, and looks what starts afterwards. */
	async function stopWhen(
		reached: (calls: RecordedRequest[]) => boolean,
		items: INodeExecutionData[],
		concurrentRequests: number,
		watchMs: number,
	) {
		const stop = new AbortController();
		const running = run(items, concurrentRequests, {
			signal: stop.signal,
			onError: 'continueRegularOutput',
		}).then(
			() => 'ended',
			() => 'ended',
		);
		while (!reached(await service.calls())) await new Promise((go) => setTimeout(go, 20));
		// The node reads its answers and begins to wait.
		await new Promise((go) => setTimeout(go, 50));
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
		const { took, calls } = await stopWhen(answered(1), await invoiceItems(3), 1, 500);
		expect(took).toBeLessThan(20_000);
		expect(calls).toHaveLength(1);
	});

	test('ends a wait before a retry, and nothing starts afterwards', async () => {
		const body = errorEnvelope(503, 'UPSTREAM_UNAVAILABLE', 'Not now.', {
			retryable: true,
		}).body.toString();
		await service.standIn.queueFaults([
			{ kind: 'status', status: 503, body, headers: { 'retry-after': '10' }, times: 3 },
		]);
		const { took, calls } = await stopWhen(answered(3), await invoiceItems(3), 3, 500);
		expect(took).toBeLessThan(3000);
		expect(calls).toHaveLength(3);
	});
});

describe('Documents side by side', () => {
	test.each([1, 4])('%i at a time, and results in the order of the input', async (concurrency) => {
		await service.standIn.configure({ latencyMs: [20, 150] });
		const { items } = await run(await invoiceItems(8), concurrency);
		expect(namesOf(items)).toEqual(names(8));
		expect((await service.standIn.figures()).maxConcurrent).toBe(concurrency);
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
	const limiters = fastLimiters(SPEED);
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
	await service.run({ operation: 'extract' }, await invoiceItems(2), {
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
