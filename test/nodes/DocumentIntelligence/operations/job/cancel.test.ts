import { failureOf, goOn, useJobs } from '../../../service';
import { itemWith } from '../../../samples';

const { service, job, steps } = useJobs();

const byItem = { jobId: '={{ $json.jobId }}' };

const submitted = async () => (await job('submit', [await itemWith('invoice-us.pdf')])).items;

test('a job that has not finished', async () => {
	await service.standIn.configure({ jobRunMs: 600_000 });
	const input = await submitted();
	const { items } = await job('cancel', input, byItem);
	const { jobId } = input[0]!.json;
	expect(items).toEqual([
		{ json: { jobId, cancellationRequested: true }, pairedItem: { item: 0 } },
	]);
	expect(await steps()).toEqual(['store', 'submit', 'cancel']);
});

test('a lost answer is asked for again; that it is too late then is no failure', async () => {
	await service.standIn.configure({ jobQueueMs: 600_000 });
	const input = await submitted();
	await service.standIn.queueFaults([{ kind: 'reset', afterWork: true }], 'cancel');
	const { items } = await job('cancel', input, byItem);
	expect(items[0]?.json).toMatchObject({ cancellationRequested: true });
	expect(await steps()).toEqual(['store', 'submit', 'cancel', 'cancel', 'get']);
});

test.each([null, '2026-01-01T00:00:00Z'])(
	'a job that has succeeded, with cancellation requested at %j: what it is, and what to do',
	async (cancellationRequestedAt) => {
		const input = await submitted();
		const jobId = input[0]?.json.jobId as string;
		const data = { jobId, status: 'Succeeded', cancellationRequestedAt };
		await service.standIn.queueFaults([{ kind: 'envelopeError', status: 409 }], 'cancel');
		await service.standIn.queueFaults([{ kind: 'answer', data }], 'get');
		const { items, hints } = await job('cancel', input, byItem, goOn);
		const message = `Job ${jobId} can no longer be canceled: its status is Succeeded`;
		expect(failureOf(items[0])).toMatchObject({
			message,
			description: expect.stringContaining('Get Result') as string,
			details: { httpCode: 409, jobId },
		});
		expect(hints).toMatchObject([{ message: `1 item failed: ${message}` }]);
	},
);

test('a request that is not allowed: its own failure, and no look at the job', async () => {
	await service.standIn.queueFaults([{ kind: 'envelopeError', status: 403 }], 'cancel');
	const { items } = await job('cancel', [{ json: { jobId: 'some-job' } }], byItem, goOn);
	expect(failureOf(items[0])).toMatchObject({
		message: 'Cogneris does not allow the request for job some-job',
		details: { httpCode: 403 },
	});
	expect(await steps()).toEqual(['cancel']);
});
