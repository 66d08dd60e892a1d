import { truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IExecuteFunctions } from 'n8n-workflow';

import {
	sendRequest,
	StreamedFile,
	type Requester,
} from '../../../../nodes/DocumentIntelligence/service/client';
import { unlessAborted } from '../../../../nodes/DocumentIntelligence/waiting/waiting';
import { userFolder } from '../../../n8n-core/userFolder';
import { until } from '../../clock';
import { itemOf, itemWith, MB, pdfOfSize } from '../../samples';
import { failureOf, goOn, useService } from '../../service';
import { simulatedSession } from './simulatedSession';

test('closing it ends what still reads, and a store that breaks off then does not matter', async () => {
	const counts = { opened: 0, closed: 0 };
	const streamed = new StreamedFile('a.pdf', 'application/pdf', 6, async function* () {
		counts.opened++;
		try {
			yield await Promise.resolve(Buffer.from('abc'));
			yield Buffer.from('def');
		} finally {
			counts.closed++;
			throw new Error('gone');
		}
	});
	const reader = streamed.stream().getReader();
	const first = reader.read();
	await new Promise(setImmediate);
	streamed.close();
	// An unhandled rejection would end the process.
	await new Promise(setImmediate);
	await first.catch(() => undefined);
	expect(counts).toEqual({ opened: 1, closed: 1 });
	// A retry with the same file is not ended by it.
	expect(streamed.changed.aborted).toBe(false);
});

test.each([
	['has grown', ['ab', 'cd', 'ef']],
	['has become shorter', ['ab']],
	['has become empty', []],
])(
	'of a file that %s, less is sent than was announced, so the request is never complete',
	async (_, chunks) => {
		const streamed = new StreamedFile('a.pdf', 'application/pdf', 3, async function* () {
			for (const text of chunks) yield await Promise.resolve(Buffer.from(text));
		});
		let sent = 0;
		const sending = async () => {
			for await (const chunk of streamed.stream()) sent += (chunk as Uint8Array).length;
		};
		await expect(sending()).rejects.toThrow('The size has changed');
		expect(sent).toBeLessThan(3);
		expect([streamed.isRead, streamed.changed.aborted]).toEqual([false, true]);
	},
);

test('a request whose file has changed ends, even if n8n does not see that its upload failed', async () => {
	const file = new StreamedFile('a.pdf', 'application/pdf', 3, async function* () {
		yield await Promise.resolve(Buffer.from('ab'));
	});
	const body = new FormData();
	body.append('file', file);
	async function httpRequestWithAuthentication(this: IExecuteFunctions) {
		const reading = file.stream().getReader().read();
		await reading.catch(() => undefined);
		const never = new Promise<never>(() => undefined);
		return await unlessAborted(never, this.getExecutionCancelSignal()!);
	}
	const requester = { helpers: { httpRequestWithAuthentication } } as unknown as Requester;
	const { account, signal } = simulatedSession(() => ({})).session;
	const document = {
		method: 'POST',
		path: '/',
		subject: '"a.pdf"',
		processes: 'document',
	} as const;
	const request = { ...document, timeoutSeconds: 60, body };
	expect(await sendRequest(requester, account, request, signal)).toMatchObject({
		message: expect.stringMatching(/^"a\.pdf" is no longer in n8n's file storage/) as string,
		retryKind: 'never',
	});
});

describe('A file that the store loses while it is sent', () => {
	const service = useService();
	const SIZE = 2 * MB;

	afterEach(() => jest.restoreAllMocks());

	/** A file of which the store makes this when it is read to be sent, after its first bytes have been read. */
	async function fileThatBecomes(
		open: (path: string, reading: () => Promise<Readable>) => Promise<Readable>,
	) {
		const item = await itemOf(pdfOfSize(SIZE), 'scan.pdf');
		const { id = '' } = item.binary?.data ?? {};
		const path = join(userFolder, 'binary', id.replace(/^[\w-]+:/, ''));
		const store = Container.get(BinaryDataService);
		const read = store.getAsStream.bind(store);
		let times = 0;
		jest
			.spyOn(store, 'getAsStream')
			.mockImplementation(async (...file) =>
				file[0] !== id || ++times === 1
					? await read(...file)
					: await open(path, async () => await read(...file)),
			);
		return item;
	}

	type Loss = (path: string) => Promise<void>;

	const lostBy = (lose: Loss) => async () => {
		let losing: Promise<void> | undefined;
		return await fileThatBecomes(async (path, reading) => {
			await (losing ??= lose(path));
			return await reading();
		});
	};

	const cutToHalf = lostBy(async (path) => await truncate(path, SIZE / 2));

	/** One that the store begins to return, or not even that, and never ends. */
	const hangingAfter = (bytes: number) => async () =>
		await fileThatBecomes(async () => {
			const stream = new PassThrough();
			if (bytes > 0) stream.write(Buffer.alloc(bytes));
			return await Promise.resolve(stream);
		});

	const LOST =
		/^"scan.pdf" is no longer in n8n's file storage as n8n stored it, so Cogneris did not receive it When n8n deletes/;
	const LATE =
		/^"scan.pdf" could not be sent within 1 second Cogneris did not receive the whole request, so it was not proc/;

	test.each([
		['cut to half', {}, LOST, cutToHalf],
		['deleted', {}, LOST, lostBy(unlink)],
		['cut to half', { processing: 'job' }, LOST, cutToHalf],
		['not read', { timeout: 1 }, LATE, hangingAfter(0)],
		['read to its half', { timeout: 1 }, LATE, hangingAfter(SIZE / 2)],
	])('%s, %j: the request is aborted, and costs nothing', async (_, options, expected, fileOf) => {
		const startedAt = Date.now();
		const parameters = { operation: 'extract', options };
		const { items } = await service.run(parameters, [await fileOf()], goOn);
		expect(Date.now() - startedAt).toBeLessThan(20_000);
		const { message, description, details } = failureOf(items[0]);
		expect(`${message} ${description}`).toMatch(expected);
		expect(description).not.toMatch(/billed|retried|tried/);
		expect(details.fileName).toBe('scan.pdf');
		expect(await service.files()).toEqual([]);
		await until(async () => (await service.calls()).every(({ endedAt }) => endedAt !== null));
		const calls = await service.calls();
		expect(calls.length).toBeLessThanOrEqual(1);
		expect(calls.every(({ aborted }) => aborted)).toBe(true);
	});

	test.each([
		['lost', 60, cutToHalf],
		['hanging', 10, hangingAfter(SIZE / 2)],
	])('%s: the other files of its request are sent alone', async (_, timeout, fileOf) => {
		const timeoutIn = AbortSignal.timeout.bind(AbortSignal);
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeoutIn(ms / 8));
		const [a, b] = [
			await itemWith('contract.pdf', 'a.pdf'),
			await itemWith('contract.pdf', 'b.pdf'),
		];
		const options = { filesPerRequest: 3, timeout, includeInputFile: false };
		const { items } = await service.run(
			{ operation: 'classify', options },
			[a, await fileOf(), b],
			goOn,
		);
		expect(items.map(({ json, pairedItem }) => [json.documentType, pairedItem])).toEqual([
			['Contract', { item: 0 }],
			[undefined, { item: 1 }],
			['Contract', { item: 2 }],
		]);
		expect(failureOf(items[1])).toMatchObject({
			message: expect.stringMatching(/^"scan\.pdf" (is no longer|could not be sent)/) as string,
			description: expect.not.stringMatching(/billed/) as string,
		});
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual(['a.pdf', 'b.pdf']);
	});
});
