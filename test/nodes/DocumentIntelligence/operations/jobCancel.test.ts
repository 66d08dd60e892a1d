import { failureOf } from '../../service';
import { itemWith, NOT_IDENTIFIERS, useJobs } from '../../jobs';

const { service, job, goOn, steps, sandbox } = useJobs();

const byItem = { jobId: '={{ $json.jobId }}' };

test('a job that has not finished', async () => {
	await service.standIn.configure({ jobRunMs: 600_000 });
	const { items: submitted } = await job('submit', [await itemWith('invoice-us.pdf')]);
	const { items } = await job('cancel', submitted, byItem);
	const { jobId } = submitted[0]!.json;
	expect(items).toEqual([
		{ json: { jobId, cancellationRequested: true }, pairedItem: { item: 0 } },
	]);
	expect(await steps()).toEqual(['store', 'submit', 'cancel']);
});

test('a lost answer is asked for again; that it is too late then is no failure', async () => {
	await service.standIn.configure({ jobQueueMs: 600_000 });
	const { items: submitted } = await job('submit', [await itemWith('invoice-us.pdf')]);
	await service.standIn.queueFaults([{ kind: 'reset', afterWork: true }], 'cancel');
	const { items } = await job('cancel', submitted, byItem);
	expect(items[0]?.json).toMatchObject({ cancellationRequested: true });
	expect(await steps()).toEqual(['store', 'submit', 'cancel', 'cancel', 'get']);
});

test('a job that has finished: what it is, and what to do', async () => {
	const { items: submitted } = await job('submit', [await itemWith('invoice-us.pdf')]);
	const { items, hints } = await job('cancel', submitted, byItem, goOn);
	const jobId = submitted[0]?.json.jobId as string;
	expect(failureOf(items[0])).toMatchObject({
		message: `Job ${jobId} can no longer be cancelled: its status is Succeeded`,
		description: expect.stringContaining('Get Result') as string,
		details: { httpCode: 409, jobId },
	});
	expect(hints.map(({ message }) => message)).toEqual([
		`1 item failed: Job ${jobId} can no longer be cancelled: its status is Succeeded`,
	]);
});

test('an unknown job', async () => {
	const { items } = await job('cancel', [{ json: {} }], { jobId: 'unknown' }, goOn);
	expect(failureOf(items[0]).message).toBe('Cogneris cannot find job unknown');
});

test.each(NOT_IDENTIFIERS)('%j is refused before anything is sent', async (value, message) => {
	const items = [{ json: { jobId: value as string } }];
	const result = await job('cancel', items, byItem, goOn);
	expect(failureOf(result.items[0]).message).toMatch(message);
	expect(await service.calls()).toEqual([]);
});

test('a sandbox key may cancel', async () => {
	await service.standIn.configure({ jobRunMs: 600_000 });
	const { items } = await job('submit', [await itemWith('invoice-us.pdf')], {}, sandbox());
	const cancelled = await job('cancel', items, byItem, sandbox());
	expect(cancelled.items[0]?.json).toMatchObject({ cancellationRequested: true });
});
