import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import type { Account } from '../../../../nodes/DocumentIntelligence/service/account';
import { send, type Requester } from '../../../../nodes/DocumentIntelligence/service/client';
import { storeFile, useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import type { Fault } from '../../../stand-in/startStandIn';
import { captureServer } from '../../captureServer';
import { instantLimiters } from '../../instantLimiters';
import { itemWith, MB, pdfOfSize, sha256 } from '../../samples';
import { failureOf, thrownBy, useService } from '../../service';

const service = useService();

describe.each<BinaryMode>(['filesystem', 'default'])(
	'A request, with files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		test.each([
			['many chunks', pdfOfSize(3 * 196_608 + 4)],
			['a single byte', Buffer.from('x')],
		])('of %s arrives whole, with its length told beforehand', async (_, content) => {
			const data = await storeFile(content, 'a.pdf', 'application/pdf');
			await service.run({ operation: 'classify' }, [{ json: {}, binary: { data } }], {
				onError: 'continueRegularOutput',
			});
			const [call] = await service.calls();
			const bytes = content.length;
			const file = { fileName: 'a.pdf', contentType: 'application/pdf', bytes };
			expect(call).toMatchObject({
				method: 'POST',
				path: '/Document/classifier',
				key: 'valid',
				keyEnding: service.credential.apiKey.slice(-4),
				contentLength: call?.receivedBytes,
				parts: [{ name: 'files', ...file, sha256: sha256(content) }],
			});
			expect(call?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=\S+$/);
			expect(call?.headers.accept).toBe('application/json, application/problem+json');
			expect(call?.headers['transfer-encoding']).toBeUndefined();
		});
	},
);

describe('What can go wrong on the way', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	const run = async (options: IDataObject = {}, credential = service.credential) =>
		await service.run({ operation: 'extract', options }, [await itemWith('invoice-us.pdf')], {
			credential,
			onError: 'continueRegularOutput',
		});

	async function failedBy(fault: Fault, options?: IDataObject) {
		await service.standIn.queueFaults([fault]);
		const { items } = await run(options);
		expect(items).toHaveLength(1);
		expect(items[0]?.pairedItem).toEqual({ item: 0 });
		return failureOf(items[0]);
	}

	test('the time-out is for the whole exchange, and the request is given up', async () => {
		const startedAt = Date.now();
		const failure = await failedBy({ kind: 'slowBody', everyMs: 200 }, { timeout: 1 });
		expect(Date.now() - startedAt).toBeLessThan(5000);
		expect(failure.message).toMatch(/^No response for "invoice-us.pdf" arrived within 1 second$/);
		expect(failure.description).toMatch(/Timeout.*billed/);
		await expectSoon(async () =>
			expect((await service.calls()).map(({ aborted }) => aborted)).toEqual([true]),
		);
	});

	describe('a connection that ends', () => {
		/** Does this to every socket that is opened to the stand-in while the test runs. */
		function onSocket(act: (socket: Socket) => void) {
			const listener = (message: unknown) => {
				const { socket } = message as { socket: Socket };
				// Before it is published, the socket does not know whereto it will connect.
				process.nextTick(act, socket);
			};
			subscribe('net.client.socket', listener);
			return () => unsubscribe('net.client.socket', listener);
		}

		/** What the system tells Node.js, as Node.js tells it. */
		function systemError(syscall: string, code: string) {
			return Object.assign(new Error(`${syscall} ${code}`), { syscall, code });
		}

		test('while it is made was not used: it is retried', async () => {
			const credential = { ...service.credential, baseUrl: 'http://127.0.0.1:9' };
			let connects = 0;
			const end = onSocket((socket) => {
				connects += 1;
				socket.destroy(systemError('connect', 'ETIMEDOUT'));
			});
			try {
				const { message, description } = failureOf((await run({}, credential)).items[0]);
				expect(message).toBe('Cogneris cannot be reached, so "invoice-us.pdf" was not sent');
				expect(description).toMatch(/^Check .* tried 4 times\. Code: ETIMEDOUT\.$/);
				expect(connects).toBe(4);
			} finally {
				end();
			}
		});

		test('after the whole upload may have been billed: it is not retried', async () => {
			await service.standIn.queueFaults([{ kind: 'hang', times: 5 }]);
			const sockets: Socket[] = [];
			const end = onSocket((socket) => sockets.push(socket));
			try {
				const running = run({});
				await expectSoon(async () => {
					const [call] = await service.calls();
					expect(call?.receivedBytes).toBe(call?.contentLength);
					expect(call?.fault).toBe('hang');
				});
				for (const socket of sockets) socket.destroy(systemError('read', 'ETIMEDOUT'));
				const { message, description, details } = failureOf((await running).items[0]);
				expect(message).toMatch(/was lost before a response for "invoice-us.pdf" arrived/);
				expect(description).toMatch(/may already be billed, so it was not retried/);
				expect(details.code).toBe('ETIMEDOUT');
				expect(await service.calls()).toHaveLength(1);
			} finally {
				end();
			}
		});
	});

	test('an answer may take as long as the Timeout option allows: n8n’s own limit of silence is off', async () => {
		let asked: IHttpRequestOptions | undefined;
		const httpRequestWithAuthentication = async (_: string, options: IHttpRequestOptions) => {
			asked = options;
			return await Promise.resolve({ statusCode: 200, headers: {}, body: [Buffer.from('{}')] });
		};
		const requester = { helpers: { httpRequestWithAuthentication } } as unknown as Requester;
		const request = {
			method: 'GET',
			path: '/x',
			timeoutSeconds: 1,
			subject: 'x',
			processes: 'nothing',
		} as const;
		const account = { baseUrl: 'https://example.com' } as Account;
		const response = await send(requester, account, request, new AbortController().signal);
		expect(response).toMatchObject({ status: 200 });
		expect(asked).toMatchObject({ url: 'https://example.com/x', timeout: 0 });
	});

	test('a rejected key: the document is uploaded once', async () => {
		const { unknown } = service.standIn.keys;
		const { items } = await run({}, { ...service.credential, apiKey: unknown });
		expect(failureOf(items[0]).message).toMatch(/API key/);
		await expectSoon(async () =>
			expect((await service.calls()).map((call) => call.status)).toEqual([401]),
		);
	});

	test.each([302, 308])('a %i leads the key and the document nowhere', async (status) => {
		const elsewhere = await captureServer();
		try {
			await failedBy({ kind: 'redirect', status, location: `${elsewhere.url}/stolen` });
			expect(elsewhere.captured).toEqual([]);
			expect(await service.calls()).toHaveLength(1);
		} finally {
			elsewhere.close();
		}
	});

	describe('cancelled by the user', () => {
		test.each<[string, Fault]>([
			['while the service works', { kind: 'hang' }],
			['while the answer arrives', { kind: 'slowBody', everyMs: 200 }],
		])('%s, the run ends soon and the request with it', async (_, fault) => {
			await service.standIn.queueFaults([fault]);
			const cancel = new AbortController();
			const items = [await itemWith('invoice-us.pdf'), await itemWith('contract.pdf')];
			// Also with "continue": a cancelled run has no further items to give out.
			const more = { signal: cancel.signal, onError: 'continueRegularOutput' } as const;
			// The answers of Crop are not kept.
			const stopped = thrownBy(service.run({ operation: 'crop' }, items, more));
			await expectSoon(async () =>
				expect((await service.calls()).map((call) => call.fault)).toContain(fault.kind),
			);
			// For the first bytes of the answer.
			await new Promise((go) => setTimeout(go, 300));
			const cancelledAt = Date.now();
			cancel.abort();
			await stopped;
			// Neither the answer nor the Timeout comes within a minute.
			expect(Date.now() - cancelledAt).toBeLessThan(10_000);
			await expectSoon(async () =>
				expect((await service.calls()).every(({ endedAt }) => endedAt !== null)).toBe(true),
			);
			const calls = await service.calls();
			expect(calls.filter(({ aborted }) => aborted).length).toBeGreaterThanOrEqual(1);
			expect(calls.length).toBeLessThanOrEqual(2);
		});
	});
});

/** The service records the end of a connection a moment after the client has its answer, or has gone. */
async function expectSoon(check: () => Promise<void>) {
	for (let tries = 0; tries < 100; tries++) {
		const passed = await check().then(
			() => true,
			() => false,
		);
		if (passed) return;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	await check();
}

describe('Files that are being sent', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

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

	(existsSync(OPEN) ? test : test.skip).each<[string, Fault]>([
		['rejected for the rate', { kind: 'rateLimit', retryAfterSeconds: 1 }],
		['never answered', { kind: 'hang' }],
	])('are closed when the request is over, also when it is %s', async (_, fault) => {
		const data = await storeFile(pdfOfSize(10 * MB), 'large.pdf', 'application/pdf');
		const stored = (data.id ?? '').split('/').at(-1) ?? '';
		expect(stored).not.toBe('');
		await service.standIn.queueFaults(Array.from({ length: 5 }, () => fault));
		await service.run(
			{ operation: 'extract', options: { timeout: 1 } },
			Array.from({ length: 5 }, () => ({ json: {}, binary: { data } })),
			{ onError: 'continueRegularOutput', limiters: instantLimiters().limiters },
		);
		// Closing takes a turn or two.
		await wait(100);
		expect(openFiles(stored)).toEqual([]);
	});
});
