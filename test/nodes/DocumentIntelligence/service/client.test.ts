import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import axios from 'axios';
import type { IDataObject } from 'n8n-workflow';

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
			// 4, 5 and 6 bytes beyond a slice of base64.
			['a document of many chunks', pdfOfSize(3 * 196_608 + 4)],
			['a document of many chunks and a byte', pdfOfSize(3 * 196_608 + 5)],
			['a document of many chunks and two bytes', pdfOfSize(3 * 196_608 + 6)],
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

	const BILLED = /billed/;

	// Each of these is one request: what may have been billed is not retried, and the options forbid the rest.
	test.each<[Fault, RegExp, RegExp, number | undefined]>([
		[{ kind: 'refuse' }, /connection .* was lost/, BILLED, undefined],
		[{ kind: 'reset' }, /connection .* was lost/, BILLED, undefined],
		[{ kind: 'truncatedBody' }, /connection .* was lost/, BILLED, undefined],
		[{ kind: 'rateLimit' }, /rate limit/, /minute/, 429],
		[{ kind: 'rateLimit', form: 'envelope' }, /rate limit/, /minute/, 429],
		[{ kind: 'rateLimit', retryAfterSeconds: null }, /rate limit/, /minute/, 429],
		[{ kind: 'rateLimit', retryAfterSeconds: 'soon' }, /rate limit/, /minute/, 429],
		[{ kind: 'quotaExceeded' }, /not processed/, /quota/, 429],
		[{ kind: 'redirect' }, /redirected the request/, /key is not sent/, 307],
		[{ kind: 'redirect', status: 302 }, /redirected the request/, /key is not sent/, 302],
		[{ kind: 'truncatedJson' }, /could not be read/, BILLED, 200],
		[{ kind: 'html200' }, /could not be read/, BILLED, 200],
		[{ kind: 'html502' }, /gateway/, BILLED, 502],
		[{ kind: 'emptyBody' }, /empty response/, BILLED, 200],
		[{ kind: 'emptyBody', status: 503 }, /not available/, BILLED, 503],
		[{ kind: 'status', status: 500 }, /could not/, BILLED, 500],
		[{ kind: 'envelopeError', status: 422 }, /"invoice-us.pdf"/, /could not be processed/, 422],
		[{ kind: 'problem' }, /could not/, BILLED, 500],
		[{ kind: 'internal500' }, /could not/, /quote [0-9a-f-]{36}/, 500],
		[{ kind: 'retryable500' }, /could not/, /The request can be /, 500],
		[{ kind: 'retryable503' }, /not available/, /not available for a moment/, 503],
		[{ kind: 'gatewayTimeout504' }, /too long/, BILLED, 504],
		[{ kind: 'contradictory503' }, /not available/, BILLED, 503],
		[{ kind: 'charged503' }, /not available/, /billed 2 credits, so the document was not/, 503],
		[{ kind: 'charged422' }, /No template fits/, /billed 2 credits, so the document was not/, 422],
		[
			{ kind: 'charged422', creditsConsumed: 1 },
			/No template fits/,
			/billed 1 credit, so the document was not/,
			422,
		],
		[{ kind: 'qualityBlock' }, /quality .* too low.*: The image is not sharp\./, /again/, 200],
		[{ kind: 'hugeBody', megabytes: 65 }, /too large/, /rest was not read/, 200],
		[{ kind: 'gzipBomb', megabytes: 256 }, /too large/, /rest was not read/, 200],
		[{ kind: 'endlessBody' }, /too large/, /rest was not read/, 200],
	])('%j', async (fault, message, description, httpCode) => {
		const failure = await failedBy(fault);
		expect(failure.message).toMatch(message);
		expect(failure.message).toContain('"invoice-us.pdf"');
		expect(failure.description).toMatch(description);
		expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
		expect(failure.details.httpCode).toBe(httpCode);
		const calls = await service.calls();
		expect(calls.map(({ path, fault: met }) => [path, met])).toEqual([
			['/Document/extraction', fault.kind],
		]);
	});

	test.each<Fault>([
		{ kind: 'hang' },
		{ kind: 'late', ms: 20_000 },
		{ kind: 'slowBody', everyMs: 200 },
	])('%j: the time-out is for the whole exchange, and the request is given up', async (fault) => {
		const startedAt = Date.now();
		const failure = await failedBy(fault, { timeout: 1 });
		expect(Date.now() - startedAt).toBeLessThan(5000);
		expect(failure.message).toMatch(/^"invoice-us.pdf" was not answered within 1 second$/);
		expect(failure.description).toMatch(/billed.*Timeout/);
		await expectSoon(async () =>
			expect((await service.calls()).map(({ aborted }) => aborted)).toEqual([true]),
		);
	});

	test.each<Fault>([
		{ kind: 'late', ms: 300 },
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

	test('a service that is not there', async () => {
		const server = createServer();
		await once(server.listen(0, '127.0.0.1'), 'listening');
		const { port } = server.address() as AddressInfo;
		await new Promise((closed) => server.close(closed));

		const { items } = await service.run({ operation: 'extract' }, [await itemWith()], {
			credential: { ...service.credential, baseUrl: `http://127.0.0.1:${port}` },
			onError: 'continueRegularOutput',
		});
		const { message, description, details } = failureOf(items[0]);
		expect(message).toBe(
			'The document service cannot be reached, so "invoice-us.pdf" was not sent',
		);
		expect(description).toMatch(/ECONNREFUSED/);
		expect(details.code).toBe('ECONNREFUSED');
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
			['ETIMEDOUT', 'Connecting to the document service timed out'],
			['EHOSTUNREACH', 'The document service cannot be reached'],
			['ENETUNREACH', 'The document service cannot be reached'],
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
				expect(failure.description).toMatch(new RegExp(`\\(${code}\\)\\. It was tried 4 times`));
				expect(failure.description).not.toMatch(/billed/);
				expect(connects).toBe(2);
			} finally {
				end();
			}
		});

		test.each(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET'])(
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
					'The certificate of the document service is not trusted, so "invoice-us.pdf" was not sent',
				);
				expect(failure.description).toMatch(
					/^Nothing was billed\. .*\(DEPTH_ZERO_SELF_SIGNED_CERT\)\. It was tried 4 times/,
				);
				expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
				expect([server.connections(), server.requests()]).toEqual([2, 0]);
			} finally {
				server.close();
			}
		});

		test('for its protocol: https at a port that takes http sends nothing', async () => {
			const baseUrl = service.standIn.url.replace('http:', 'https:');
			const failure = failureOf((await run({}, { ...service.credential, baseUrl })).items[0]);
			expect(failure.message).toBe(
				'The address in the credential does not answer in the https protocol, so "invoice-us.pdf" was not sent',
			);
			expect(failure.description).toMatch(
				/^Nothing was billed\. .*\(EPROTO\)\. It was tried 4 times/,
			);
			expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);
			expect(await service.calls()).toEqual([]);
		});

		test('during the handshake was not used: it is retried', async () => {
			let connections = 0;
			const server = createTcpServer((socket) => {
				connections += 1;
				socket.on('error', () => undefined).once('data', () => socket.end());
			});
			await once(server.listen(0, '127.0.0.1'), 'listening');
			try {
				const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
				const failure = failureOf((await run({}, { ...service.credential, baseUrl })).items[0]);
				expect(failure.message).toBe(
					'The document service cannot be reached, so "invoice-us.pdf" was not sent',
				);
				expect(connections).toBe(2);
			} finally {
				server.close();
			}
		});
	});

	test('an answer may take as long as the Timeout option allows, whatever n8n’s own limit is', async () => {
		await service.run({ operation: 'extract' }, [await itemWith()]);
		await service.standIn.reset();
		// Set by n8n with its first request: 5 minutes without a byte, shortened here.
		const shipped = axios.defaults.timeout;
		expect(shipped).toBe(300_000);
		axios.defaults.timeout = 300;
		try {
			await service.standIn.queueFaults([{ kind: 'late', ms: 1200 }]);
			const { items } = await service.run({ operation: 'extract' }, [await itemWith()]);
			expect(items[0]?.json.fileName).toBe('invoice-us.pdf');
			expect(await service.calls()).toHaveLength(1);
		} finally {
			axios.defaults.timeout = shipped;
		}
	});

	test.each([
		[
			'a key that is not known',
			(standIn: typeof service.standIn) => standIn.keys.unknown,
			401,
			/API key/,
		],
		['a revoked key', (standIn: typeof service.standIn) => standIn.keys.revoked, 401, /API key/],
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

	test.each([301, 302, 303, 307, 308])(
		'a %i leads the key and the document nowhere',
		async (status) => {
			const elsewhere = await captureServer();
			try {
				await failedBy({ kind: 'redirect', status, location: `${elsewhere.url}/stolen` });
				expect(elsewhere.captured).toEqual([]);
				expect(await service.calls()).toHaveLength(1);
			} finally {
				elsewhere.close();
			}
		},
	);

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
		['cut off', { kind: 'refuse' }],
		['never answered', { kind: 'hang' }],
	])('are closed when the request is over, also when it is %s', async (_, fault) => {
		const data = await storeFile(pdfOfSize(10 * MB), 'large.pdf', 'application/pdf');
		const stored = (data.id ?? '').split('/').at(-1) ?? '';
		expect(stored).not.toBe('');
		await service.standIn.queueFaults(Array.from({ length: 5 }, () => fault));
		await service.run(
			{ operation: 'extract', options: { timeout: 2 } },
			Array.from({ length: 5 }, () => ({ json: {}, binary: { data } })),
			{ onError: 'continueRegularOutput' },
		);
		// Closing takes a turn or two.
		await wait(100);
		expect(openFiles(stored)).toEqual([]);
	});
});
