import { setTimeout as sleep } from 'node:timers/promises';

import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Limiters } from '../../../../nodes/DocumentIntelligence/service/limiter';
import { keys, type RecordedRequest } from '../../../stand-in/startStandIn';
import { fastLimiters } from '../../clock';
import { startScriptedServer } from '../../scriptedServer';
import { failureOf, goOn, thrownBy, useService } from '../../service';
import { invoiceItems, sampleBytes } from '../../samples';

const service = useService();

const extract = async (
	items: INodeExecutionData[],
	options: IDataObject = {},
	more: Parameters<typeof service.run>[2] = {},
) => await service.run({ operation: 'extract', options }, items, more);

const fileNames = (calls: RecordedRequest[]) =>
	calls.flatMap(({ parts }) => parts.map((part) => ('fileName' in part ? part.fileName : '')));

// What the message says of the others is in text/failures.test.ts.
describe('On Error: Stop', () => {
	test('what is in flight comes to its answer, and nothing new starts', async () => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 422, match: '1.pdf' },
			{ kind: 'late', ms: 400, match: '0.pdf' },
			{ kind: 'late', ms: 200, match: '2.pdf' },
			{ kind: 'gatewayTimeout504', match: '3.pdf' },
		]);
		await service.standIn.configure({ latencyMs: 100 });
		const error = await thrownBy(extract(await invoiceItems(10), { concurrency: 4 }));
		const calls = await service.calls();
		expect(fileNames(calls).sort()).toEqual(['0.pdf', '1.pdf', '2.pdf', '3.pdf']);
		expect(calls.filter(({ aborted, endedAt }) => aborted || endedAt === null)).toEqual([]);
		expect(error).toMatchObject({ message: expect.stringMatching(/"[13]\.pdf"/) as string });
	});

	test('no retry starts after the first failure', async () => {
		await service.standIn.queueFaults([
			{ kind: 'retryable503', match: '0.pdf', times: 5 },
			{ kind: 'late', ms: 300, match: '1.pdf' },
			{ kind: 'envelopeError', status: 422, match: '2.pdf' },
		]);
		await service.standIn.configure({ latencyMs: 200 });
		// As slow as they are, so that the retry is due long after the failure.
		const limiters = new Limiters();
		const error = await thrownBy(extract(await invoiceItems(3), {}, { limiters }));
		expect(error.message).toContain('"2.pdf"');
		// The one that was to be retried was rejected before it was processed.
		expect(error.description).toContain('Of the other documents, 1 result (1 credit) is kept');
		expect(await service.calls()).toHaveLength(3);
	});
});

test.each<[string, Partial<IBinaryData>]>([
	['to send', {}],
	// The type has to be read from the first bytes, each time.
	['to read', { fileName: 'a', mimeType: '' }],
])(
	'A stop by the user with thousands of documents %s ends within a second',
	async (_, change) => {
		const [first] = await invoiceItems(1);
		const data = { ...first!.binary!.data!, ...change };
		await service.standIn.queueFaults([{ kind: 'hang' }]);
		const stop = new AbortController();
		const items = Array.from({ length: 2000 }, () => ({ json: {}, binary: { data } }));
		const running = extract(items, { concurrency: 1 }, { signal: stop.signal, ...goOn }).catch(
			() => undefined,
		);
		await sleep(300);
		const stoppedAt = Date.now();
		stop.abort();
		await running;
		expect(Date.now() - stoppedAt).toBeLessThan(3000);
		expect((await service.calls()).length).toBeLessThan(2);
	},
	60_000,
);

describe('A key that the service rejects', () => {
	const rejection = (name: string) => `Cogneris rejected the API key in the request for "${name}"`;
	const unsent = (name: string) =>
		`Cogneris rejected the API key, so the request for "${name}" was not sent`;

	test('with three at a time, the rest fail without a request', async () => {
		const concurrency = 3;
		const count = 10;
		const { items, hints } = await extract(
			await invoiceItems(count),
			{ concurrency },
			{ ...goOn, credential: { ...service.credential, apiKey: keys.revoked } },
		);
		expect(await service.calls()).toHaveLength(concurrency);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: count }, (_, item) => ({ item })),
		);
		for (const [number, item] of items.entries()) {
			const { message, description, details } = failureOf(item);
			expect(message).toBe((number < concurrency ? rejection : unsent)(`${number}.pdf`));
			expect(details).toMatchObject({ httpCode: 401, fileName: `${number}.pdf` });
			expect(description).toMatch(/^In the credential, check/);
		}
		expect(hints[0]?.message).toContain('10 items failed');
	});

	test('those in flight finish', async () => {
		await service.standIn.queueFaults([
			{ kind: 'late', ms: 200, match: '0.pdf' },
			{ kind: 'problem', status: 401, match: '1.pdf' },
			{ kind: 'late', ms: 200, match: '2.pdf' },
		]);
		const { items } = await extract(await invoiceItems(10), { concurrency: 3 }, goOn);
		expect(fileNames(await service.calls()).sort()).toEqual(['0.pdf', '1.pdf', '2.pdf']);
		expect(
			items.map(({ json }) => json.documentType ?? (json.error as IDataObject).message),
		).toEqual([
			'Invoice',
			rejection('1.pdf'),
			'Invoice',
			...[3, 4, 5, 6, 7, 8, 9].map((number) => unsent(`${number}.pdf`)),
		]);
	});

	test('who waits for the rate limit fails at once, and so does who waits for a retry', async () => {
		await service.standIn.queueFaults([
			{ kind: 'retryable503', match: '0.pdf', times: 5 },
			{ kind: 'problem', status: 401, match: '1.pdf' },
		]);
		const startedAt = Date.now();
		const { items } = await extract(
			await invoiceItems(6),
			{ concurrency: 6 },
			{
				...goOn,
				credential: { ...service.credential, requestsPerMinute: 2 },
				limiters: new Limiters(undefined, 60_000),
			},
		);
		expect(Date.now() - startedAt).toBeLessThan(5000);
		expect(items.map((item) => failureOf(item).message)).toEqual(
			[0, 1, 2, 3, 4, 5].map((number) => (number === 1 ? rejection : unsent)(`${number}.pdf`)),
		);
		expect(await service.calls()).toHaveLength(2);
	});

	test('links are not fetched any more, and are named', async () => {
		const files = await startScriptedServer();
		try {
			const links = Array.from({ length: 5 }, (_, number) =>
				files.serve(`/${number}.pdf`, {
					headers: { 'content-type': 'application/pdf' },
					body: sampleBytes('invoice-us.pdf'),
				}),
			);
			const fileUrl = `${links.join(' ')}?signature=s3cr3t`;
			const parameters = { operation: 'extract', inputSource: 'fileUrl', fileUrl };
			const credential = { ...service.credential, apiKey: keys.revoked, concurrentRequests: 1 };
			const { items } = await service.run(parameters, [{ json: {} }], { ...goOn, credential });
			expect(files.received.map(({ url }) => url)).toEqual(['/0.pdf']);
			expect(await service.calls()).toHaveLength(1);
			expect(items.map((item) => failureOf(item).message)).toEqual([
				rejection('0.pdf'),
				...links.slice(1).map(unsent),
			]);
		} finally {
			files.close();
		}
	});

	test('a quota that is used up ends no job that is in progress', async () => {
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 1500 });
		await service.standIn.queueFaults(
			[{ kind: 'quotaExceeded', retryAfterSeconds: 120, match: '1.pdf', times: 'always' }],
			'store',
		);
		const options = { concurrency: 1, processing: 'job', timeout: 3600 };
		const { items } = await extract(await invoiceItems(3), options, goOn);
		expect(items.map(({ json }) => json.documentType ?? failureOf({ json }).message)).toEqual([
			'Invoice',
			'The document quota of the account is exhausted, so "1.pdf" was not processed',
			'The document quota of the account is exhausted, so the request for "2.pdf" was not sent',
		]);
	});

	test('so does a quota that stays used up', async () => {
		await service.standIn.queueFaults([{ kind: 'quotaExceeded', times: 'always' }]);
		const { items } = await extract(
			await invoiceItems(5),
			{ concurrency: 1 },
			{ ...goOn, limiters: fastLimiters() },
		);
		// Of the first document, for up to two minutes.
		expect((await service.calls()).length).toBeLessThanOrEqual(12);
		expect(items.map((item) => failureOf(item).message)).toEqual(
			items.map(
				(_, number) =>
					`The document quota of the account is exhausted, so ${number === 0 ? '"0.pdf" was not processed' : `the request for "${number}.pdf" was not sent`}`,
			),
		);
	});
});
