import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Limiters } from '../../../../nodes/DocumentIntelligence/service/limiter';
import { useBinaryMode } from '../../../n8n-core/runNode';
import { keys, type RecordedRequest } from '../../../stand-in/startStandIn';
import { startFileServer } from '../../fileServer';
import { sampleBytes, storedSample } from '../../samples';
import { AVOIDED_WORDS, failureOf, thrownBy, useService } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

async function documents(count: number): Promise<INodeExecutionData[]> {
	return await Promise.all(
		Array.from({ length: count }, async (_, number) => ({
			json: {},
			binary: { data: await storedSample('invoice-us.pdf', `${number}.pdf`) },
		})),
	);
}

const extract = async (
	items: INodeExecutionData[],
	options: IDataObject = {},
	more: Parameters<typeof service.run>[2] = {},
) => await service.run({ operation: 'extract', options }, items, more);

const fileNames = (calls: RecordedRequest[]) =>
	calls.flatMap(({ parts }) => parts.map((part) => ('fileName' in part ? part.fileName : '')));

const goOn = { onError: 'continueRegularOutput' as const };

/** Long enough for whatever had been about to start. */
const WATCHED_MS = 2500;

const lost = (others: string) =>
	`The results of ${others} are lost and may be billed: to keep them next time, set 'On Error' to Continue (using error output).`;

describe('On Error: Stop', () => {
	test('what is in flight comes to its answer, and nothing new starts', async () => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 422, match: '1.pdf' },
			{ kind: 'late', ms: 800, match: '0.pdf' },
			{ kind: 'late', ms: 400, match: '2.pdf' },
			{ kind: 'gatewayTimeout504', match: '3.pdf' },
		]);
		await service.standIn.configure({ latencyMs: 300 });
		const error = await thrownBy(extract(await documents(10), { concurrency: 4 }));
		await sleep(500);
		const calls = await service.calls();
		expect(fileNames(calls).sort()).toEqual(['0.pdf', '1.pdf', '2.pdf', '3.pdf']);
		expect(calls.map(({ aborted, endedAt }) => aborted || endedAt === null)).toEqual([
			false,
			false,
			false,
			false,
		]);
		expect(error).toMatchObject({ message: expect.stringMatching(/"[13]\.pdf"/) as string });
	});

	test('the message counts the others that may be billed', async () => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 422, match: '1.pdf' },
			// Answered after the first failure.
			{ kind: 'late', ms: 500, match: '0.pdf' },
			{ kind: 'late', ms: 500, match: '2.pdf' },
			{ kind: 'truncatedBody', match: '3.pdf' },
			{ kind: 'envelopeError', status: 422, match: '4.pdf' },
		]);
		const error = await thrownBy(extract(await documents(9), { concurrency: 5 }));
		const own = /"(\d)\.pdf"/.exec(error.message)?.[1];
		// The one that ends the run speaks for itself.
		expect(error.description).toContain(lost(`${own === '3' ? 2 : 3} other documents`));
		expect(error.description?.replaceAll(/On Error|error output/g, '')).not.toMatch(AVOIDED_WORDS);
		expect(await service.calls()).toHaveLength(5);
	});

	test('no retry starts after the first failure', async () => {
		await service.standIn.queueFaults([
			{ kind: 'retryable503', match: '0.pdf', times: 5 },
			{ kind: 'late', ms: 300, match: '1.pdf' },
			{ kind: 'envelopeError', status: 422, match: '2.pdf' },
		]);
		await service.standIn.configure({ latencyMs: 200 });
		const startedAt = Date.now();
		const error = await thrownBy(extract(await documents(3), { concurrency: 3 }));
		expect(Date.now() - startedAt).toBeLessThan(5000);
		expect(error.message).toContain('"2.pdf"');
		// The one that was to be retried was rejected before it was processed.
		expect(error.description).toContain(lost('1 other document'));
		await sleep(WATCHED_MS);
		expect(await service.calls()).toHaveLength(3);
	});

	test('nobody who waits for the rate limit starts after the first failure', async () => {
		await service.standIn.queueFaults([
			{ kind: 'late', ms: 600, match: '0.pdf' },
			{ kind: 'envelopeError', status: 422, match: '1.pdf' },
		]);
		const windowMs = 2000;
		// So that the failure and the waiting are in the same window.
		await sleep(windowMs - (Date.now() % windowMs) + 20);
		const error = await thrownBy(
			extract(
				await documents(8),
				{ concurrency: 8 },
				{
					credential: { ...service.credential, requestsPerMinute: 2 },
					limiters: new Limiters(undefined, windowMs),
				},
			),
		);
		expect(error.message).toContain('"1.pdf"');
		expect(error.description).toContain(lost('1 other document'));
		await sleep(windowMs + 500);
		expect(fileNames(await service.calls()).sort()).toEqual(['0.pdf', '1.pdf']);
	});

	test('no half of a rejected request starts after the first failure', async () => {
		await service.standIn.queueFaults([
			{ kind: 'gatewayTimeout504', match: '0.pdf' },
			{ kind: 'retryable503', match: '2.pdf' },
			{ kind: 'envelopeError', status: 422, match: '2.pdf', times: 4 },
		]);
		await service.standIn.configure({ latencyMs: 100 });
		const error = await thrownBy(
			service.run(
				{ operation: 'classify', options: { filesPerRequest: 2, concurrency: 2 } },
				await documents(4),
			),
		);
		expect(error.message).toContain('"0.pdf"');
		// The other file of the same request.
		expect(error.description).toContain(lost('1 other document'));
		await sleep(WATCHED_MS);
		expect(await service.calls()).toHaveLength(2);
	});

	test('a rejected request is not halved: the results of its other files would be paid for and lost', async () => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 422, match: '0.pdf', times: 9 },
		]);
		const error = await thrownBy(
			service.run(
				{ operation: 'classify', options: { filesPerRequest: 8, concurrency: 1 } },
				await documents(8),
			),
		);
		expect(error.message).toContain('"0.pdf"');
		expect(await service.calls()).toHaveLength(1);
	});

	test('a stop by the user ends the wait for what is in flight within a second', async () => {
		await service.standIn.queueFaults([
			{ kind: 'hang', match: '0.pdf' },
			{ kind: 'envelopeError', status: 422, match: '1.pdf' },
		]);
		const stop = new AbortController();
		let ended = false;
		const running = thrownBy(
			extract(await documents(4), { concurrency: 2 }, { signal: stop.signal }),
		).finally(() => (ended = true));
		while ((await service.calls()).filter(({ endedAt }) => endedAt !== null).length < 1)
			await sleep(20);
		await sleep(500);
		expect(ended).toBe(false);
		const stoppedAt = Date.now();
		stop.abort();
		await running;
		expect(Date.now() - stoppedAt).toBeLessThan(5000);
		await sleep(200);
		const calls = await service.calls();
		expect(calls).toHaveLength(2);
		expect(calls.find(({ fault }) => fault === 'hang')?.aborted).toBe(true);
	});

	test('what could not be sent is not counted', async () => {
		const { port } = new URL(service.standIn.url);
		const error = await thrownBy(
			extract(
				await documents(6),
				{ concurrency: 6 },
				{ credential: { ...service.credential, baseUrl: `https://localhost:${port}` } },
			),
		);
		expect(error.message).toMatch(/was not sent$/);
		expect(error.description).not.toContain('other document');
		expect(await service.calls()).toEqual([]);
	});

	test('a refusal before anything is sent loses nothing, and says nothing of others', async () => {
		const items = [
			...(await documents(2)),
			{ json: {}, binary: { data: await storedSample('notes.txt') } },
		];
		const error = await thrownBy(extract(items));
		expect(error).toMatchObject({ context: { itemIndex: 2 } });
		expect(error.description).not.toMatch(/lost|billed|On Error/);
		expect(await service.calls()).toEqual([]);
	});
});

describe('A stop by the user with ten thousand documents to go', () => {
	test('ends within a second', async () => {
		const [first] = await documents(1);
		await service.standIn.queueFaults([{ kind: 'hang' }]);
		const stop = new AbortController();
		const running = thrownBy(
			extract(
				Array.from({ length: 10_000 }, () => first ?? { json: {} }),
				{ concurrency: 1 },
				{ signal: stop.signal, ...goOn },
			),
		);
		while ((await service.calls()).length < 1) await sleep(50);
		const stoppedAt = Date.now();
		stop.abort();
		await running;
		expect(Date.now() - stoppedAt).toBeLessThan(5000);
		expect(await service.calls()).toHaveLength(1);
	}, 60_000);
});

test('A stop by the user while ten thousand items are looked at ends that within a second', async () => {
	const [first] = await documents(1);
	const data = first?.binary?.data;
	// Its type has to be read from its first bytes, each time.
	const nameless = { json: {}, binary: { data: { ...data, fileName: 'a', mimeType: '' } } };
	const stop = new AbortController();
	const running = extract(
		Array.from({ length: 10_000 }, () => nameless as INodeExecutionData),
		{},
		{ signal: stop.signal, ...goOn },
	).catch(() => undefined);
	await sleep(300);
	const stoppedAt = Date.now();
	stop.abort();
	await running;
	expect(Date.now() - stoppedAt).toBeLessThan(5000);
	expect(await service.calls()).toEqual([]);
}, 60_000);

describe('A key that the service rejects', () => {
	const rejection = (name: string) => `Cogneris rejected the API key in the request for "${name}"`;

	test.each([1, 3])('%i at a time: the rest fail without a request', async (concurrency) => {
		const count = 40;
		const { items, hints } = await extract(
			await documents(count),
			{ concurrency },
			{ ...goOn, credential: { ...service.credential, apiKey: keys.revoked } },
		);
		expect(await service.calls()).toHaveLength(concurrency);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: count }, (_, item) => ({ item })),
		);
		for (const [number, item] of items.entries()) {
			const { message, description, details } = failureOf(item);
			expect(message).toBe(rejection(`${number}.pdf`));
			expect(details).toMatchObject({ httpCode: 401, fileName: `${number}.pdf` });
			expect(description).toMatch(/^Check in the credential/);
		}
		expect(hints[0]?.message).toContain('40 items failed');
	});

	test('those in flight finish', async () => {
		await service.standIn.queueFaults([
			{ kind: 'late', ms: 700, match: '0.pdf' },
			{ kind: 'problem', status: 401, match: '1.pdf' },
			{ kind: 'late', ms: 700, match: '2.pdf' },
		]);
		const { items } = await extract(await documents(10), { concurrency: 3 }, goOn);
		expect(fileNames(await service.calls()).sort()).toEqual(['0.pdf', '1.pdf', '2.pdf']);
		expect(
			items.map(({ json }) => json.documentType ?? (json.error as IDataObject).message),
		).toEqual([
			'Invoice',
			rejection('1.pdf'),
			'Invoice',
			...[3, 4, 5, 6, 7, 8, 9].map((number) => rejection(`${number}.pdf`)),
		]);
	});

	test('who waits for the rate limit fails at once, and so does who waits for a retry', async () => {
		await service.standIn.queueFaults([
			{ kind: 'retryable503', match: '0.pdf', times: 5 },
			{ kind: 'problem', status: 401, match: '1.pdf' },
		]);
		const startedAt = Date.now();
		const { items } = await extract(
			await documents(6),
			{ concurrency: 6 },
			{
				...goOn,
				credential: { ...service.credential, requestsPerMinute: 2 },
				limiters: new Limiters(undefined, 60_000),
			},
		);
		expect(Date.now() - startedAt).toBeLessThan(5000);
		expect(items.map((item) => failureOf(item).message)).toEqual(
			[0, 1, 2, 3, 4, 5].map((number) => rejection(`${number}.pdf`)),
		);
		expect(await service.calls()).toHaveLength(2);
	});

	test('with several files per request, each document is named', async () => {
		const { items } = await service.run(
			{ operation: 'classify', options: { filesPerRequest: 5, concurrency: 1 } },
			await documents(15),
			{ ...goOn, credential: { ...service.credential, apiKey: keys.revoked } },
		);
		expect(await service.calls()).toHaveLength(1);
		expect(items.slice(5).map((item) => failureOf(item).message)).toEqual(
			Array.from({ length: 10 }, (_, number) => rejection(`${number + 5}.pdf`)),
		);
	});

	test('links are not fetched any more, and are named', async () => {
		const files = await startFileServer();
		try {
			const links = Array.from({ length: 20 }, (_, number) =>
				files.serve(`/${number}.pdf`, {
					headers: { 'content-type': 'application/pdf' },
					body: sampleBytes('invoice-us.pdf'),
				}),
			);
			const { items } = await service.run(
				{
					operation: 'extract',
					inputSource: 'fileUrl',
					fileUrl: `${links.join(' ')}?signature=s3cr3t`,
					options: { concurrency: 1 },
				},
				[{ json: {} }],
				{ ...goOn, credential: { ...service.credential, apiKey: keys.revoked } },
			);
			expect(files.seen.map(({ url }) => url)).toEqual(['/0.pdf']);
			expect(await service.calls()).toHaveLength(1);
			expect(items.map((item) => failureOf(item).message)).toEqual([
				rejection('0.pdf'),
				...links.slice(1).map(rejection),
			]);
		} finally {
			files.close();
		}
	});

	test('images of a document that was answered are still fetched', async () => {
		const files = await startFileServer();
		try {
			const image = files.serve('/image.png', async (response) => {
				await sleep(1000);
				response.writeHead(200, { 'content-type': 'image/png' });
				response.end(sampleBytes('id-card.png'));
			});
			await service.standIn.queueFaults([
				{ kind: 'answer', match: '0.pdf', data: { imageUrls: [image], documents: [] } },
				{ kind: 'problem', status: 401, match: '1.pdf' },
			]);
			const { items } = await service.run(
				{ operation: 'crop', options: { concurrency: 2 } },
				await documents(3),
				goOn,
			);
			expect(await service.calls()).toHaveLength(2);
			expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'image/png' });
			expect(items.slice(1).map((item) => failureOf(item).message)).toEqual(
				['1.pdf', '2.pdf'].map(rejection),
			);
		} finally {
			files.close();
		}
	});

	test('On Error: Stop: one request in flight, one request', async () => {
		const error = await thrownBy(
			extract(
				await documents(10),
				{ concurrency: 1 },
				{ credential: { ...service.credential, apiKey: keys.revoked } },
			),
		);
		expect(error.message).toBe(rejection('0.pdf'));
		expect(error.description).not.toContain('other document');
		expect(await service.calls()).toHaveLength(1);
	});

	test('holds for its run alone', async () => {
		await service.standIn.queueFaults([{ kind: 'problem', status: 401 }]);
		const limiters = new Limiters();
		const first = await extract(await documents(2), { concurrency: 1 }, { ...goOn, limiters });
		const second = await extract(await documents(2), { concurrency: 1 }, { ...goOn, limiters });
		expect(first.items.map(({ json }) => json.error !== undefined)).toEqual([true, true]);
		expect(second.items.map(({ json }) => json.documentType)).toEqual(['Invoice', 'Invoice']);
	});
});
