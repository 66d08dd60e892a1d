import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Locks } from '../../../../../nodes/DocumentIntelligence/waiting/waiting';
import { useStoredHistory } from '../../../../n8n-core/history';
import { thrownBy } from '../../../service';
import { distinctItems, until, useRuns } from './runs';

const { service, extract, sentFiles, reject, hasArrived, haveAllEnded, stopped } = useRuns();

test('Of a request for several files, the part of each is kept', async () => {
	const items = await distinctItems(5);
	const options = { filesPerRequest: 2, concurrency: 1 };
	await reject('4.pdf');
	await thrownBy(service.run({ operation: 'classify', options }, items));
	expect(await sentFiles()).toHaveLength(5);
	const { items: types } = await service.run({ operation: 'classify', options }, items.slice(1, 4));
	expect(await sentFiles()).toEqual([]);
	expect(types.map(({ json }) => [json.fileName, typeof json.documentType])).toEqual([
		['1.pdf', 'string'],
		['2.pdf', 'string'],
		['3.pdf', 'string'],
	]);
});

describe('After a stop', () => {
	test('the answer of a request that was sent completely is kept', async () => {
		const items = await distinctItems(1);
		await service.standIn.queueFaults([{ kind: 'late', ms: 600 }]);
		await stopped(hasArrived, items);
		expect(await haveAllEnded()).toBe(false);
		await until(haveAllEnded);
		expect((await service.calls()).map(({ aborted }) => aborted)).toEqual([false]);
		await sentFiles();
		const { items: rows } = await extract(items);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await sentFiles()).toEqual([]);
	});

	test('files that shared a request each get their own part of the answer', async () => {
		const items = await distinctItems(3);
		await service.standIn.queueFaults([{ kind: 'late', ms: 600 }]);
		const parameters = { operation: 'classify', options: { filesPerRequest: 3 } };
		const stop = new AbortController();
		const running = thrownBy(service.run(parameters, items, { signal: stop.signal }));
		await until(hasArrived);
		await sleep(200);
		stop.abort();
		await running;
		await sentFiles();
		// The answer is still on its way.
		const { items: types } = await service.run(parameters, items.slice(1));
		expect(types.map(({ json }) => [json.fileName, json.documentType])).toEqual([
			['1.pdf', 'Invoice'],
			['2.pdf', 'Invoice'],
		]);
		expect(await sentFiles()).toEqual([]);
	});

	test('what files that shared a request cost counts once', async () => {
		const items = await distinctItems(4);
		await service.standIn.queueFaults([
			{
				...{ kind: 'answer', creditsConsumed: 3, match: '0.pdf' },
				data: {
					results: ['0.pdf', '1.pdf', '2.pdf'].map((fileName) => ({
						...{ fileName, documentType: 'Invoice', confidence: 99 },
						...{ pages: 1, templateId: null, templateMetadata: null },
					})),
				},
			},
		]);
		await service.standIn.configure({ latencyMs: 600 });
		const classify = async (files: INodeExecutionData[], options: IDataObject, more = {}) =>
			await thrownBy(service.run({ operation: 'classify', options }, files, more));
		const stop = new AbortController();
		const running = classify(items.slice(0, 3), { filesPerRequest: 3 }, { signal: stop.signal });
		await until(hasArrived);
		await sleep(200);
		stop.abort();
		await running;
		await until(haveAllEnded);
		await service.standIn.configure({ latencyMs: 0 });
		await reject('3.pdf');
		const { description } = await classify(items, {});
		expect(description).toContain('3 results (3 credits) are kept');
	});

	test('no file is read of documents that have no result', async () => {
		const items = await distinctItems(5);
		await service.standIn.queueFaults([{ kind: 'late', ms: 600 }]);
		const stop = new AbortController();
		const options = { concurrency: 1 };
		const running = thrownBy(extract(items, { options }, { signal: stop.signal }));
		await until(hasArrived);
		await sleep(200);
		const spy = jest.spyOn(Container.get(BinaryDataService), 'getAsStream');
		stop.abort();
		await running;
		expect(spy).not.toHaveBeenCalled();
		spy.mockRestore();
	});

	test('while n8n records the processed files, their results are kept', async () => {
		const history = await useStoredHistory();
		const items = await distinctItems(1);
		const parameters = { options: { processedBefore: 'skip' } };
		const stop = new AbortController();
		let calls = 0;
		history.interrupt = async () => {
			if ((calls += 1) <= 2) return;
			stop.abort();
			await new Promise(() => undefined);
		};
		await extract(items, parameters, { signal: stop.signal, locks: new Locks() });
		expect(stop.signal.aborted).toBe(true);
		history.interrupt = () => undefined;
		await sentFiles();
		await extract(items, parameters, { locks: new Locks() });
		expect(await sentFiles()).toEqual([]);
	});

	test('a request that is still being uploaded is aborted', async () => {
		const items = await distinctItems(1);
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
