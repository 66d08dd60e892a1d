import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { distinctInvoices, itemsWith, sampleBytes } from '../../../samples';
import { startScriptedServer } from '../../../scriptedServer';
import { failureOf, goOn, thrownBy } from '../../../service';
import {
	asJob,
	asLongJob,
	combined,
	inTurn,
	late,
	messagesOf,
	namesIn,
	reuse,
	skip,
	useRuns,
} from './runs';

const {
	service,
	extract,
	attempt,
	sentFiles,
	submitted,
	requests,
	hasArrived,
	stopped,
	whileLate,
} = useRuns();

test('A document that is sent anew, because the images of its earlier result are gone, counts for Concurrent Requests', async () => {
	const items = await itemsWith(...Array<string>(6).fill('two-cards.jpg'));
	const twoAtATime = { operation: 'crop', options: { concurrency: 2 } };
	const crop = async () => await extract(items, combined(twoAtATime, reuse));
	await crop();
	await service.standIn.advanceClock(120_000);
	await service.standIn.configure({ latencyMs: 100 });
	const before = await sentFiles();
	await crop();
	expect(await sentFiles()).toEqual(before);
	const again = (await service.calls()).slice(before.length);
	const atOnce = again.map(
		({ startedAt: at }) =>
			again.filter(({ startedAt, endedAt }) => startedAt <= at && at < (endedAt ?? Infinity))
				.length,
	);
	expect(Math.max(...atOnce)).toBe(2);
});

test('the images of earlier results are fetched for as many documents at once as Concurrent Requests allows', async () => {
	const images = await startScriptedServer();
	let open = 0;
	let most = 0;
	const imageUrl = images.serve('/image', async (response) => {
		most = Math.max(most, ++open);
		await sleep(50);
		open -= 1;
		response.writeHead(200, { 'content-type': 'image/png' }).end(sampleBytes('two-cards.jpg'));
	});
	const documents = [{ type: 'card', imageUrl }];
	await service.standIn.queueFaults([{ kind: 'answer', data: { documents }, times: 6 }]);
	const items = await itemsWith(...Array<string>(6).fill('two-cards.jpg'));
	const twoAtATime = { operation: 'crop', options: { concurrency: 2 } };
	await extract(items, combined(twoAtATime, reuse));
	most = 0;
	expect((await extract(items, combined(twoAtATime, reuse))).items).toHaveLength(6);
	expect(most).toBe(2);
	images.close();
});

describe('Jobs that were submitted and not collected', () => {
	/** A job of one file that a stop leaves behind, and its ID. */
	async function jobLeftBehind(items: INodeExecutionData[], queueMs = 0): Promise<string> {
		await service.standIn.configure({ jobQueueMs: queueMs, jobRunMs: 60_000 });
		const isWaitedFor = async () => (await requests('list')) > 0;
		const { description = '' } = await stopped(isWaitedFor, items, asJob);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 0 });
		return /job ID (\S+?)\.?( |$)/.exec(description)?.[1] ?? '';
	}

	const end = async (jobId: string, status?: 'Failed' | 'Cancelled') =>
		await service.standIn.endJobs(service.credential.apiKey, [jobId], { status });

	test.each<[string, (jobId: string) => Promise<void>]>([
		['failed', async (jobId) => await end(jobId, 'Failed')],
		['was canceled', async (jobId) => await end(jobId, 'Cancelled')],
		[
			'is unknown',
			async (match) => await service.standIn.queueFaults([{ kind: 'problem', status: 404, match }]),
		],
	])('are submitted anew if the job %s', async (_, change) => {
		const items = await distinctInvoices(1);
		await change(await jobLeftBehind(items));
		const later = await extract(items, asJob);
		expect(namesIn(later)).toEqual(['0.pdf']);
		expect(await submitted()).toBe(2);
		expect([later.hints, later.credits.length]).toEqual([[], 1]);
	});

	describe.each([404, 410])('and that Cogneris no longer has (%d)', (status) => {
		/** The job of a run that waited too long for it. */
		async function loseJob(run: () => ReturnType<typeof extract>) {
			await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 600_000 });
			const { details } = failureOf((await run()).items[0]);
			const match = details.jobId as string;
			await service.standIn.queueFaults([{ kind: 'problem', status, match, times: 'always' }]);
			await service.standIn.configure({ jobRunMs: 0 });
		}

		async function goneWith(parameters: IDataObject) {
			const items = await distinctInvoices(1);
			await loseJob(async () => await extract(items, combined(asLongJob, parameters), goOn));
			const next = async () => await extract(items, combined(asJob, parameters), goOn);
			return { next, again: await next() };
		}

		test('may be billed: Skip skips them, lists them first and remembers them', async () => {
			const { next, again } = await goneWith(skip);
			for (const later of [again, await next()]) {
				expect(later.items).toEqual([]);
				expect(messagesOf(later)[0]).toContain('"0.pdf" (may have been billed on an earlier run');
			}
			expect(await submitted()).toBe(1);
		});

		test('are submitted anew without Skip', async () => {
			const { again } = await goneWith({});
			expect(namesIn(again)).toEqual(['0.pdf']);
			expect(await submitted()).toBe(2);
		});

		test('fail all attempts of the run that submitted them', async () => {
			const items = await distinctInvoices(1);
			await loseJob(async () => await attempt(items, asLongJob, goOn));
			for (const later of [await attempt(items, asJob, goOn), await attempt(items, asJob, goOn)])
				expect(failureOf(later.items[0]).message).toContain('could not be fetched');
			expect(await submitted()).toBe(1);
		});
	});

	test('are collected by the next run, and not submitted anew because a gateway does not find them', async () => {
		const items = await distinctInvoices(1);
		const match = await jobLeftBehind(items);
		await service.standIn.queueFaults([
			{ kind: 'status', status: 404, body: '<html>Not Found</html>', match },
		]);
		const error = await thrownBy(extract(items, asJob));
		expect(error.message).toContain(`${match} for "0.pdf" could not be fetched`);
		await end(match);
		const later = await extract(items, asJob);
		expect(namesIn(later)).toEqual(['0.pdf']);
		expect(messagesOf(later)).toEqual([expect.stringMatching(/^1 result was paid for by/)]);
		expect(await submitted()).toBe(1);
	});

	test('are asked to be canceled while they are queued, and then submitted anew', async () => {
		const items = await distinctInvoices(1);
		await jobLeftBehind(items, 60_000);
		expect(await requests('cancel')).toBe(1);
		await extract(items, asJob);
		expect(await submitted()).toBe(2);
	});

	test('are kept if their submission is answered after the stop', async () => {
		const items = await distinctInvoices(1);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 0 });
		await service.standIn.queueFaults([late], 'submit');
		await stopped(async () => (await submitted()) > 0, items, asJob);
		expect(namesIn(await whileLate(items, asJob))).toEqual(['0.pdf']);
		expect(await submitted()).toBe(1);
	});
});

describe('What an earlier run has paid for is returned although the quota allows no more documents', () => {
	const exhaust = async (step: 'store' | 'process') =>
		await service.standIn.queueFaults(
			[{ kind: 'quotaExceeded', retryAfterSeconds: 120, match: '0.pdf', times: 'always' }],
			step,
		);

	test('if its answer is still on its way', async () => {
		const items = await distinctInvoices(2);
		await service.standIn.queueFaults([{ ...late, match: '1.pdf' }]);
		await stopped(hasArrived, items.slice(1));
		await exhaust('process');
		const result = await whileLate(items, {}, goOn);
		expect(failureOf(result.items[0]).message).toContain('quota');
		expect(namesIn(result)).toEqual(['failed', '1.pdf']);
	});

	test('if it is a job', async () => {
		const items = await distinctInvoices(4);
		await service.standIn.configure({ jobQueueMs: 0, jobRunMs: 600_000 });
		await extract(items.slice(1), combined(asLongJob, inTurn), goOn);
		await service.standIn.advanceClock(700_000);
		await exhaust('store');
		const result = await extract(items, combined(asJob, inTurn), goOn);
		expect(failureOf(result.items[0]).message).toContain('quota');
		expect(namesIn(result)).toEqual(['failed', '1.pdf', '2.pdf', '3.pdf']);
	});
});
