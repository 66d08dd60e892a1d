import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';

import { until } from '../../../clock';
import { distinctInvoices } from '../../../samples';
import { thrownBy } from '../../../service';
import { inTurn, late, messagesOf, skip, useRuns } from './runs';

const { service, extract, sentFiles, reject, hasArrived, haveAllEnded, stopped, whileLate } =
	useRuns();

test('Of a request for several files, the part of each is kept', async () => {
	const items = await distinctInvoices(5);
	const options = { filesPerRequest: 2, concurrency: 1 };
	await reject('4.pdf');
	const { description } = await thrownBy(extract(items, { operation: 'classify', options }));
	// What the files of a request cost counts once.
	expect(description).toContain('4 results (4 credits) are kept');
	expect(await sentFiles()).toHaveLength(5);
	const later = await extract(items.slice(1, 4), { operation: 'classify', options });
	expect(await sentFiles()).toEqual([]);
	expect(later.items.map(({ json }) => [json.fileName, typeof json.documentType])).toEqual([
		['1.pdf', 'string'],
		['2.pdf', 'string'],
		['3.pdf', 'string'],
	]);
});

describe('After a stop', () => {
	test('a request that was sent completely goes on, and each file gets its own part of the answer', async () => {
		const items = await distinctInvoices(3);
		await service.standIn.queueFaults([late]);
		const parameters = { operation: 'classify', options: { filesPerRequest: 3 } };
		await stopped(hasArrived, items, parameters);
		expect(await haveAllEnded()).toBe(false);
		await service.standIn.answerNow();
		await until(haveAllEnded);
		expect((await service.calls()).map(({ aborted }) => aborted)).toEqual([false]);
		await sentFiles();
		const { items: types } = await extract(items.slice(1), parameters);
		expect(types.map(({ json }) => [json.fileName, json.documentType])).toEqual([
			['1.pdf', 'Invoice'],
			['2.pdf', 'Invoice'],
		]);
		expect(await sentFiles()).toEqual([]);
	});

	test('Skip waits for a request in flight, and skips its document if the response is lost', async () => {
		const items = await distinctInvoices(1);
		await service.standIn.configure({ latencyMs: late.ms });
		await service.standIn.queueFaults([{ kind: 'reset', afterWork: true }]);
		await stopped(hasArrived, items, skip);
		const later = await whileLate(items, skip);
		expect(later.items).toEqual([]);
		expect(messagesOf(later).join()).toContain('may have been billed on an earlier run');
		expect(await sentFiles()).toEqual(['0.pdf']);
	});

	test('what an earlier run has lost stays so, although a request in flight is rejected then', async () => {
		const items = await distinctInvoices(1);
		await service.standIn.queueFaults([{ kind: 'reset' }]);
		await thrownBy(extract(items));
		await service.standIn.configure({ latencyMs: late.ms });
		await service.standIn.queueFaults([{ kind: 'envelopeError', status: 422 }]);
		await stopped(async () => (await service.calls()).length === 2, items);
		const later = await whileLate(items, skip);
		expect(messagesOf(later).join()).toContain('may have been billed on an earlier run');
		expect(await sentFiles()).toEqual(['0.pdf', '0.pdf']);
	});

	test('no file is read of documents that have no result', async () => {
		const items = await distinctInvoices(5);
		await service.standIn.queueFaults([late]);
		const stop = new AbortController();
		const running = thrownBy(extract(items, inTurn, { signal: stop.signal }));
		await until(hasArrived);
		await sleep(200);
		const spy = jest.spyOn(Container.get(BinaryDataService), 'getAsStream');
		stop.abort();
		await running;
		expect(spy).not.toHaveBeenCalled();
		spy.mockRestore();
	});

	test('a store that hangs while files are looked at is not waited for', async () => {
		const items = await distinctInvoices(1);
		const spy = jest.spyOn(Container.get(BinaryDataService), 'getAsStream');
		spy.mockReturnValue(new Promise(() => undefined));
		await stopped(() => spy.mock.calls.length > 0, items);
		spy.mockRestore();
		expect(await service.calls()).toEqual([]);
	});

	test('a request that is still being uploaded is aborted', async () => {
		const items = await distinctInvoices(1);
		const store = Container.get(BinaryDataService);
		const stalled = Readable.from(
			(async function* () {
				yield Buffer.alloc(100);
				await new Promise(() => undefined);
			})(),
		);
		const first = await store.getAsStream(items[0]?.binary?.data?.id ?? '');
		const spy = jest.spyOn(store, 'getAsStream').mockResolvedValue(stalled);
		// The first bytes are read before anything is sent.
		spy.mockResolvedValueOnce(first);
		await stopped(() => spy.mock.calls.length > 1, items);
		spy.mockRestore();
		await until(haveAllEnded);
		expect((await service.calls()).map(({ aborted }) => aborted)).toEqual([true]);
		await extract(items);
		expect(await service.calls()).toHaveLength(2);
	});
});
