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

/** Sends a form with the file, by a request helper that does this. */
async function sent(file: StreamedFile, request: (this: IExecuteFunctions) => Promise<unknown>) {
	const body = new FormData();
	body.append('file', file);
	const requester = { helpers: { httpRequestWithAuthentication: request } } as unknown as Requester;
	const { account, signal } = simulatedSession(() => ({})).session;
	const what = { subject: '"a.pdf"', processes: 'document' } as const;
	const form = { method: 'POST', path: '/', ...what, timeoutSeconds: 60, body } as const;
	return await sendRequest(requester, account, form, signal);
}

test('a file is closed when its request is over, although the response came before the end of the upload', async () => {
	const counts = { opened: 0, closed: 0 };
	const file = new StreamedFile('a.pdf', 'application/pdf', 6, async function* () {
		counts.opened++;
		try {
			yield await Promise.resolve(Buffer.from('abc'));
			yield Buffer.from('def');
		} finally {
			counts.closed++;
			// Nothing that the store does now matters: an unhandled rejection would end the process.
			throw new Error('gone');
		}
	});
	let reading: Promise<unknown> | undefined;
	const response = await sent(file, async () => {
		reading = file.stream().getReader().read();
		await new Promise(setImmediate);
		return { statusCode: 429, headers: {}, body: [] };
	});
	expect(response).toMatchObject({ status: 429 });
	await reading?.catch(() => undefined);
	expect(counts).toEqual({ opened: 1, closed: 1 });
	// A retry with the same file is not ended by it.
	expect(file.changed.aborted).toBe(false);
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
	const failure = await sent(file, async function () {
		const reading = file.stream().getReader().read();
		await reading.catch(() => undefined);
		const never = new Promise<never>(() => undefined);
		return await unlessAborted(never, this.getExecutionCancelSignal()!);
	});
	expect(failure).toMatchObject({
		message: expect.stringMatching(/^"a\.pdf" is no longer in n8n's file storage/) as string,
		retryKind: 'never',
	});
});

describe('A file that the store loses while it is sent', () => {
	const service = useService();
	const SIZE = 2 * MB;

	afterEach(() => jest.restoreAllMocks());

	/** What happens to a file when it is read to be sent; a stream is what the store returns in its place. */
	type Loss = (path: string) => Promise<Readable | void>;

	async function fileThatIs(lose: Loss) {
		const item = await itemOf(pdfOfSize(SIZE), 'scan.pdf');
		const { id = '' } = item.binary?.data ?? {};
		const path = join(userFolder, 'binary', id.replace(/^[\w-]+:/, ''));
		const store = Container.get(BinaryDataService);
		const read = store.getAsStream.bind(store);
		let times = 0;
		jest.spyOn(store, 'getAsStream').mockImplementation(async (...file) => {
			// At first, its type is looked at.
			const other = file[0] === id && ++times > 1 ? await lose(path) : undefined;
			return other ?? (await read(...file));
		});
		return item;
	}

	const cutToHalf: Loss = async (path) => await truncate(path, SIZE / 2);

	/** It begins, or not even that, and never ends. */
	const hangingAfter =
		(bytes: number): Loss =>
		async () => {
			const stream = new PassThrough();
			if (bytes > 0) stream.write(Buffer.alloc(bytes));
			return await Promise.resolve(stream);
		};

	const LOST =
		/^"scan.pdf" is no longer in n8n's file storage as n8n stored it, so Cogneris did not receive it When n8n deletes/;
	const LATE =
		/^"scan.pdf" could not be sent within 1 second Cogneris did not receive the whole request, so it was not proc/;

	test.each([
		['cut to half', {}, LOST, cutToHalf],
		['deleted', {}, LOST, unlink],
		['cut to half', { processing: 'job' }, LOST, cutToHalf],
		['not read', { timeout: 1 }, LATE, hangingAfter(0)],
		['read to its half', { timeout: 1 }, LATE, hangingAfter(SIZE / 2)],
	])('%s, %j: the request is aborted, and costs nothing', async (_, options, expected, lose) => {
		const startedAt = Date.now();
		const parameters = { operation: 'extract', options };
		const { items } = await service.run(parameters, [await fileThatIs(lose)], goOn);
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

	test('the other files of its request are sent alone', async () => {
		const files = [itemWith('contract.pdf', 'a.pdf'), itemWith('contract.pdf', 'b.pdf')];
		const [a, b] = await Promise.all(files);
		const options = { filesPerRequest: 3, includeInputFile: false };
		const input = [a!, await fileThatIs(cutToHalf), b!];
		const { items } = await service.run({ operation: 'classify', options }, input, goOn);
		expect(items.map(({ json, pairedItem }) => [json.documentType, pairedItem])).toEqual([
			['Contract', { item: 0 }],
			[undefined, { item: 1 }],
			['Contract', { item: 2 }],
		]);
		expect(failureOf(items[1])).toMatchObject({
			message: expect.stringMatching(/^"scan\.pdf" is no longer/) as string,
			description: expect.not.stringMatching(/billed/) as string,
		});
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual(['a.pdf', 'b.pdf']);
	});
});
