import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { readAccount } from '../../../../nodes/DocumentIntelligence/service/account';
import { sendRequest, type Requester } from '../../../../nodes/DocumentIntelligence/service/client';
import type { Fault } from '../../../stand-in/startStandIn';
import { fastLimiters, until } from '../../clock';
import { startScriptedServer } from '../../scriptedServer';
import { goOn, thrownBy, useService } from '../../service';
import { itemOf, itemsWith, itemWith, MB, pdfOfSize } from '../../samples';

// That the bytes of a request are those of an independent client is in run/uploadedBytes.test.ts.

const service = useService();

test('a response that does not end is read up to 32 MB, and treated as empty', async () => {
	let megabytes = 0;
	async function* body() {
		while (++megabytes < 64) yield await Promise.resolve(Buffer.alloc(MB));
	}
	const httpRequestWithAuthentication = async () =>
		await Promise.resolve({ statusCode: 200, headers: {}, body: body() });
	const requester = { helpers: { httpRequestWithAuthentication } } as unknown as Requester;
	const account = readAccount(service.credential);
	const request = {
		method: 'GET' as const,
		path: '/',
		timeoutSeconds: 60,
		subject: 'a list',
		processes: 'nothing' as const,
	};
	const response = await sendRequest(requester, account, request, new AbortController().signal);
	expect(response).toMatchObject({ status: 200, body: Buffer.alloc(0) });
	expect(megabytes).toBe(33);
});

describe('What can go wrong on the way', () => {
	test('a request that takes longer than Timeout is given up', async () => {
		await service.standIn.queueFaults([{ kind: 'hang' }]);
		const parameters = { operation: 'extract', options: { timeout: 1 } };
		await service.run(parameters, [await itemWith('invoice-us.pdf')], goOn);
		await until(async () => (await service.calls()).some(({ aborted }) => aborted));
		expect(await service.calls()).toHaveLength(1);
	});

	test.each([302, 308])('a %i leads the key and the document nowhere', async (status) => {
		const elsewhere = await startScriptedServer();
		try {
			const location = `${elsewhere.url}/stolen`;
			await service.standIn.queueFaults([{ kind: 'redirect', status, location }]);
			await service.run({ operation: 'extract' }, [await itemWith('invoice-us.pdf')], goOn);
			expect(elsewhere.received).toEqual([]);
			expect(await service.calls()).toHaveLength(1);
		} finally {
			elsewhere.close();
		}
	});

	describe('cancelled by the user', () => {
		test.each<[string, Fault]>([
			['while the service works', { kind: 'hang' }],
			['while the answer arrives', { kind: 'slowBody', everyMs: 200 }],
		])(
			'%s, the run ends soon; the request, whose result is kept, by its Timeout',
			async (_, fault) => {
				await service.standIn.queueFaults([fault]);
				const cancel = new AbortController();
				const items = await itemsWith('invoice-us.pdf', 'contract.pdf');
				// Also with "continue": a cancelled run has no further items to give out.
				const more = { signal: cancel.signal, ...goOn } as const;
				const parameters = { operation: 'crop', options: { timeout: 3 } };
				const stopped = thrownBy(service.run(parameters, items, more));
				await until(async () => (await service.calls()).some((call) => call.fault === fault.kind));
				// For the first bytes of the answer.
				await wait(300);
				const cancelledAt = Date.now();
				cancel.abort();
				await stopped;
				expect(Date.now() - cancelledAt).toBeLessThan(1500);
				await until(async () => (await service.calls()).every(({ endedAt }) => endedAt !== null));
				const calls = await service.calls();
				expect(calls.filter(({ aborted }) => aborted).length).toBeGreaterThanOrEqual(1);
				expect(calls.length).toBeLessThanOrEqual(2);
			},
		);
	});
});

describe('Files that are being sent', () => {
	/** Where the system tells which files a process has open. */
	const OPEN = '/proc/self/fd';

	function openFiles(name: string): string[] {
		return readdirSync(OPEN).flatMap((descriptor) => {
			const target = readlinkOf(join(OPEN, descriptor));
			return target.includes(name) ? [target] : [];
		});
	}

	/** Some are closed before they are looked at. */
	function readlinkOf(path: string): string {
		try {
			return readlinkSync(path);
		} catch {
			return '';
		}
	}

	(existsSync(OPEN) ? test : test.skip)('are closed when the request is over', async () => {
		// The answer comes before the end of the upload.
		const fault: Fault = { kind: 'rateLimit', retryAfterSeconds: 1 };
		const item = await itemOf(pdfOfSize(10 * MB), 'large.pdf');
		const stored = item.binary?.data?.id?.split('/').at(-1) ?? '';
		expect(stored).not.toBe('');
		await service.standIn.queueFaults([{ ...fault, times: 5 }]);
		await service.run(
			{ operation: 'extract', options: { timeout: 1 } },
			Array.from({ length: 5 }, () => item),
			{ ...goOn, limiters: fastLimiters() },
		);
		// Closing takes a turn or two.
		await until(() => openFiles(stored).length === 0);
	});
});
