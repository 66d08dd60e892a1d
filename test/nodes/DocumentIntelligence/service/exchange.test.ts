import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { Limiters } from '../../../../nodes/DocumentIntelligence/service/limiter';
import { useBinaryMode } from '../../../n8n-core/runNode';
import type { Fault } from '../../../stand-in/control';
import { storedSample } from '../../samples';
import { AVOIDED_WORDS, failureOf, useService } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

/** So many times faster than the wall clock: what is tested is how often, not how long. */
const HASTE = 100;

function hastyLimiters(): Limiters {
	const began = Date.now();
	return new Limiters({
		now: () => began + (Date.now() - began) * HASTE,
		sleep: async (ms) => await sleep(ms / HASTE),
	});
}

async function runOnce(options: IDataObject = {}, more = {}) {
	const item = { json: {}, binary: { data: await storedSample('invoice-us.pdf') } };
	return await service.run({ operation: 'extract', options }, [item], {
		onError: 'continueRegularOutput',
		limiters: hastyLimiters(),
		...more,
	});
}

describe('What is sent again', () => {
	// Each fault is met by every request, so the count is 1, or 1 and the retries.
	test.each<[Fault, number]>([
		[{ kind: 'retryable500' }, 4],
		[{ kind: 'retryable503' }, 4],
		[{ kind: 'problem', status: 503, retryable: true }, 4],
		[{ kind: 'envelopeError', status: 200, retryable: true }, 4],
		[{ kind: 'envelopeError', status: 502, retryable: true }, 4],
		[{ kind: 'quotaExceeded' }, 4],
		// Refusals for the rate have a bound of their own.
		[{ kind: 'rateLimit', retryAfterSeconds: 1 }, 11],
		[{ kind: 'rateLimit', retryAfterSeconds: 0 }, 11],
		[{ kind: 'rateLimit', retryAfterSeconds: 1, form: 'envelope' }, 11],
		// What may have been processed, and so billed.
		[{ kind: 'refuse' }, 1],
		[{ kind: 'reset' }, 1],
		[{ kind: 'hang' }, 1],
		[{ kind: 'late', ms: 5000 }, 1],
		[{ kind: 'slowBody', everyMs: 100 }, 1],
		[{ kind: 'truncatedBody' }, 1],
		[{ kind: 'truncatedJson' }, 1],
		[{ kind: 'html502' }, 1],
		[{ kind: 'html200' }, 1],
		[{ kind: 'emptyBody' }, 1],
		[{ kind: 'emptyBody', status: 503 }, 1],
		[{ kind: 'status', status: 500 }, 1],
		[{ kind: 'status', status: 502 }, 1],
		[{ kind: 'status', status: 503 }, 1],
		[{ kind: 'status', status: 503, headers: { 'retry-after': '1' } }, 1],
		[{ kind: 'status', status: 504 }, 1],
		[{ kind: 'internal500' }, 1],
		[{ kind: 'gatewayTimeout504' }, 1],
		[{ kind: 'problem', status: 500, retryable: false }, 1],
		[{ kind: 'hugeBody', megabytes: 65 }, 1],
		// What would go wrong in the same way.
		[{ kind: 'redirect' }, 1],
		[{ kind: 'envelopeError', status: 200 }, 1],
		[{ kind: 'envelopeError', status: 422, retryable: false }, 1],
		[{ kind: 'status', status: 400 }, 1],
		[{ kind: 'status', status: 401 }, 1],
		[{ kind: 'status', status: 403 }, 1],
		[{ kind: 'status', status: 413 }, 1],
		[{ kind: 'qualityBlock' }, 1],
	])('%j: %i requests', async (fault, requests) => {
		await service.standIn.queueFaults([{ ...fault, times: 20 }]);
		const { items } = await runOnce({ timeout: 1 });
		const { message, description } = failureOf(items[0]);
		// The message tells what ended it, should the number be another.
		expect([(await service.calls()).length, message]).toEqual([requests, message]);
		expect(message).toContain('"invoice-us.pdf"');
		expect(`${message} ${description}`).not.toMatch(AVOIDED_WORDS);
		if (requests === 4) expect(description).toMatch(/It was tried 4 times\.$/);
		if (requests === 11) expect(description).toMatch(/It was refused 11 times in a row: other programs seem to use the same key\.$/);
	});

	test.each<Fault>([
		{ kind: 'reset' },
		{ kind: 'hang' },
		{ kind: 'truncatedBody' },
		{ kind: 'html502' },
		{ kind: 'status', status: 500 },
		{ kind: 'emptyBody', status: 503 },
		{ kind: 'gatewayTimeout504' },
	])('%j: the message says that the document may be billed', async (fault) => {
		await service.standIn.queueFaults([fault]);
		const { items } = await runOnce({ timeout: 1 });
		expect(failureOf(items[0]).description).toMatch(/may (still )?have been processed and billed/);
	});

	test.each<Fault>([{ kind: 'retryable500' }, { kind: 'retryable503' }, { kind: 'quotaExceeded' }, { kind: 'rateLimit', retryAfterSeconds: 1 }])(
		'%j: what passes leaves a result, and one hint',
		async (fault) => {
			await service.standIn.queueFaults([fault, fault]);
			const { items, hints } = await runOnce();
			expect(items).toEqual([{ json: expect.objectContaining({ fileName: 'invoice-us.pdf' }) as object, pairedItem: { item: 0 } }]);
			expect(await service.calls()).toHaveLength(3);
			expect(hints).toHaveLength(1);
		},
	);

	test('the whole document is sent each time', async () => {
		await service.standIn.queueFaults([{ kind: 'retryable503' }, { kind: 'retryable503' }]);
		await runOnce();
		const files = await service.files();
		expect(files).toHaveLength(3);
		expect(new Set(files.map(({ sha256 }) => sha256)).size).toBe(1);
	});

	test.each([0, 1, 10])('%i retries are that many', async (maxRetries) => {
		await service.standIn.queueFaults([{ kind: 'retryable503', times: 20 }]);
		await runOnce({ maxRetries });
		expect(await service.calls()).toHaveLength(maxRetries + 1);
	});

	test('the quota of the plan is explained', async () => {
		await service.standIn.configure({ quota: 0 });
		const { items } = await runOnce();
		const { message, description, details } = failureOf(items[0]);
		expect(message).toBe('The quota of the plan is used up, so "invoice-us.pdf" was not processed');
		expect(description).toMatch(/longer time than .* minute/);
		expect(details.code).toBe('ADMISSION_QUOTA_EXCEEDED');
	});

	test.each([
		['refuses connections', '127.0.0.1'],
		['has no address', 'no-such-host.invalid'],
	])('a service that %s is tried again: nothing was sent', async (_, host) => {
		const server = createServer();
		await once(server.listen(0, '127.0.0.1'), 'listening');
		const { port } = server.address() as AddressInfo;
		await new Promise((closed) => server.close(closed));
		const { items } = await runOnce(
			{ maxRetries: 2 },
			{ credential: { ...service.credential, baseUrl: `${host === '127.0.0.1' ? 'http' : 'https'}://${host}:${port}` } },
		);
		const { message, description } = failureOf(items[0]);
		expect(message).toBe('The document service cannot be reached, so "invoice-us.pdf" was not sent');
		expect(description).toMatch(/It was sent 3 times\.$|It was tried 3 times\.$/);
	});
});
