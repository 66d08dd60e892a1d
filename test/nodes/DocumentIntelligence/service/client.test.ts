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
import { MB, pdfOfSize, sampleBytes, sha256, storedSample } from '../../samples';
import { AVOIDED_WORDS, failureOf, thrownBy, useService } from '../../service';
import { untrustedServer } from '../../untrustedServer';

const service = useService();

const itemWith = async (name = 'invoice-us.pdf') => ({
	json: {},
	binary: { data: await storedSample(name) },
});

describe.each<BinaryMode>(['filesystem', 'default'])(
	'A request, with files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		test.each([
			['a document', sampleBytes('invoice-us.pdf')],
			['a document of many chunks', pdfOfSize(3 * 196_608 + 4)],
			['a single byte', Buffer.from('x')],
		])('%s arrives whole, with its length told beforehand', async (_, content) => {
			const binary = await storeFile(content, 'a.pdf', 'application/pdf');
			await service.run({ operation: 'classify' }, [{ json: {}, binary: { data: binary } }], {
				onError: 'continueRegularOutput',
			});
			const [call] = await service.calls();
			expect(call?.parts).toEqual([
				{
					name: 'files',
					fileName: 'a.pdf',
					contentType: 'application/pdf',
					bytes: content.length,
					sha256: sha256(content),
				},
			]);
			expect(call?.contentLength).toBe(call?.receivedBytes);
			expect(call?.headers['transfer-encoding']).toBeUndefined();
		});

		test('carries the key, and says what it sends and takes', async () => {
			await service.run({ operation: 'extract' }, [await itemWith()]);
			expect(await service.calls()).toEqual([
				expect.objectContaining({
					method: 'POST',
					path: '/Document/extraction',
					key: 'valid',
					keyEnding: service.credential.apiKey.slice(-4),
					headers: expect.objectContaining({
						accept: 'application/json',
						'content-type': expect.stringMatching(/^multipart\/form-data; boundary=\S+$/) as string,
					}) as object,
				}),
			]);
		});
	},
);

describe('What can go wrong on the way', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	async function failedBy(fault: Fault, options: IDataObject = {}, operation = 'extract') {
		await service.standIn.queueFaults([fault]);
		const { items } = await service.run(
			{ operation, options: { ...options } },
			[await itemWith()],
			{ onError: 'continueRegularOutput' },
		);
		expect(items).toHaveLength(1);
		expect(items[0]?.pairedItem).toEqual({ item: 0 });
		return failureOf(items[0]);
	}

	test.each<Fault>([{ kind: 'hang' }, { kind: 'slowBody', everyMs: 200 }])(
		'%j: the time-out is for the whole exchange, and the request is given up',
		async (fault) => {
			const startedAt = Date.now();
			const failure = await failedBy(fault, { timeout: 1 });
			expect(Date.now() - startedAt).toBeLessThan(5000);
			expect(failure.message).toMatch(/^"invoice-us.pdf" was not answered within 1 second$/);
			expect(failure.description).toMatch(/billed.*Timeout/);
			await expectSoon(async () =>
				expect((await service.calls()).map(({ aborted }) => aborted)).toEqual([true]),
			);
		},
	);

	test.each<Fault>([
		{ kind: 'slowBody', everyMs: 0 },
		{ kind: 'wrongContentType' },
		{ kind: 'byteOrderMark' },
		{ kind: 'qualityWarn' },
	])('%j keeps nothing from its result', async (fault) => {
		await service.standIn.queueFaults([fault]);
		const { items } = await service.run({ operation: 'extract' }, [await itemWith('contract.pdf')]);
		expect(items).toEqual([
			{
				json: expect.objectContaining({
					documentType: 'Contract',
					fileName: 'contract.pdf',
				}) as object,
				pairedItem: { item: 0 },
			},
		]);
		expect(await service.calls()).toHaveLength(1);
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

		const run = async (options: IDataObject, credential = service.credential) =>
			await service.run({ operation: 'extract', options }, [await itemWith()], {
				credential,
				onError: 'continueRegularOutput',
			});

		test.each([
			['ETIMEDOUT', 'Cogneris cannot be reached'],
			['EHOSTUNREACH', 'Cogneris cannot be reached'],
		])('while it is made, with %s, was not used: it is retried', async (code, message) => {
			const credential = { ...service.credential, baseUrl: 'http://127.0.0.1:9' };
			let connects = 0;
			const end = onSocket((socket) => {
				connects += 1;
				socket.destroy(systemError('connect', code));
			});
			try {
				const failure = failureOf((await run({}, credential)).items[0]);
				expect(failure.message).toBe(`${message}, so "invoice-us.pdf" was not sent`);
				expect(failure.description).toMatch(new RegExp(`Code: ${code}\\. It was tried 4 times`));
				expect(failure.description).toMatch(/^Nothing was billed\./);
				expect(connects).toBe(4);
			} finally {
				end();
			}
		});

		test.each(['ETIMEDOUT', 'ECONNRESET'])(
			'after the whole upload, with %s, may have been billed: it is not retried',
			async (code) => {
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
					for (const socket of sockets) socket.destroy(systemError('read', code));
					const failure = failureOf((await running).items[0]);
					expect(failure.message).toMatch(/was lost before "invoice-us.pdf" was answered/);
					expect(failure.description).toMatch(/may already be billed, so it was not retried/);
					expect(failure.details.code).toBe(code);
					expect(await service.calls()).toHaveLength(1);
				} finally {
					end();
				}
			},
		);

		test('for its certificate: nothing is sent, so it is retried', async () => {
			const server = await untrustedServer();
			try {
				const credential = { ...service.credential, baseUrl: server.url };
				const failure = failureOf((await run({}, credential)).items[0]);
				expect(failure.message).toBe(
					'The certificate of Cogneris is not trusted, so "invoice-us.pdf" was not sent',
				);
				expect(failure.description).toMatch(
					/^Nothing was billed\. .*Code: DEPTH_ZERO_SELF_SIGNED_CERT\. It was tried 4 times/,
				);
				expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
				expect([server.connections(), server.requests()]).toEqual([4, 0]);
			} finally {
				server.close();
			}
		});

		test('for its protocol: https at a port that takes http sends nothing', async () => {
			const baseUrl = service.standIn.url.replace('http:', 'https:');
			const failure = failureOf((await run({}, { ...service.credential, baseUrl })).items[0]);
			expect(failure.message).toBe('Cogneris cannot be reached, so "invoice-us.pdf" was not sent');
			expect(failure.description).toMatch(
				/^Nothing was billed\. .*Code: EPROTO\. It was tried 4 times/,
			);
			expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
			expect(await service.calls()).toEqual([]);
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
			statusMessages: {},
		} as const;
		const account = { baseUrl: 'https://example.com' } as Account;
		const response = await send(requester, account, request, new AbortController().signal);
		expect(response).toMatchObject({ status: 200 });
		expect(asked).toMatchObject({ url: 'https://example.com/x', timeout: 0 });
	});

	test.each([
		[
			'a key that is not known',
			(standIn: typeof service.standIn) => standIn.keys.unknown,
			401,
			/API key/,
		],
		[
			'a key without a subscription',
			(standIn: typeof service.standIn) => standIn.keys.unsubscribed,
			403,
			/subscription/,
		],
	])('%s: the document is uploaded once', async (_, keyOf, status, message) => {
		const { items } = await service.run({ operation: 'extract' }, [await itemWith()], {
			credential: { ...service.credential, apiKey: keyOf(service.standIn) },
			onError: 'continueRegularOutput',
		});
		expect(failureOf(items[0]).message).toMatch(message);
		await expectSoon(async () =>
			expect((await service.calls()).map((call) => call.status)).toEqual([status]),
		);
		expect(JSON.stringify(items)).not.toContain(keyOf(service.standIn));
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
			// Also with "continue": a cancelled run has no further items to give out.
			const stopped = thrownBy(
				service.run({ operation: 'extract' }, [await itemWith(), await itemWith('contract.pdf')], {
					signal: cancel.signal,
					onError: 'continueRegularOutput',
				}),
			);
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

		test('before it began, nothing is sent', async () => {
			await thrownBy(
				service.run({ operation: 'extract' }, [await itemWith()], {
					signal: AbortSignal.abort(),
					onError: 'continueRegularOutput',
				}),
			);
			expect(await service.calls()).toEqual([]);
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
		['redirected to another address', { kind: 'redirect' }],
		['never answered', { kind: 'hang' }],
	])('are closed when the request is over, also when it is %s', async (_, fault) => {
		const data = await storeFile(pdfOfSize(10 * MB), 'large.pdf', 'application/pdf');
		const stored = (data.id ?? '').split('/').at(-1) ?? '';
		expect(stored).not.toBe('');
		await service.standIn.queueFaults(Array.from({ length: 5 }, () => fault));
		await service.run(
			{ operation: 'extract', options: { timeout: 1 } },
			Array.from({ length: 5 }, () => ({ json: {}, binary: { data } })),
			{ onError: 'continueRegularOutput' },
		);
		// Closing takes a turn or two.
		await wait(100);
		expect(openFiles(stored)).toEqual([]);
	});
});
