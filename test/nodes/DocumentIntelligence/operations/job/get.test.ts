import { failureOf, goOn, thrownBy, useJobs } from '../../../service';
import { itemWith } from '../../../samples';

const { service, run, job, storedFile, steps } = useJobs();

const DAY_MS = 24 * 60 * 60_000;

/** References and IDs that cannot be ones of the service: blank, of another type, or damaged. */
const NOT_IDENTIFIERS: Array<[value: unknown, message: RegExp]> = [
	['', /is empty$/],
	[null, /is empty$/],
	[{ id: 1 }, /is not a valid ID or reference$/],
	['a b', /is not a valid ID or reference$/],
	['a\u200bb', /is not a valid ID or reference$/],
	['..', /is not a valid ID or reference$/],
	['https://ann:p4ss@example.com/a?sig=p4ss', /is not a valid ID or reference$/],
	['xtkt_live_p4ss', /is not a valid ID or reference$/],
	['Data:text/plain,p4ss', /is not a valid ID or reference$/],
	['x'.repeat(1001), /is not a valid ID or reference$/],
];

test('one item for each job, simplified unless Simplify is off, paired', async () => {
	const submitted = await job('submit', [
		await itemWith('invoice-us.pdf'),
		await itemWith('invoice-de.pdf'),
	]);
	const ids = submitted.items.map(({ json }) => json.jobId);
	const { items } = await job('get', submitted.items, { jobId: '={{ $json.jobId }}' });
	expect(items.map(({ json, pairedItem }) => [json.jobId, pairedItem])).toEqual(
		ids.map((id, item) => [id, { item }]),
	);
	const simple = {
		jobId: ids[0],
		operation: 'Extraction',
		status: 'Succeeded',
		failureCode: null,
		outputReference: expect.stringMatching(/^artifact:/) as string,
		processedPages: 1,
		totalPages: 1,
		completedAt: expect.any(String) as string,
		expiresAt: expect.any(String) as string,
		creditsConsumed: expect.any(Number) as number,
	};
	expect(items[0]?.json).toEqual(simple);
	expect((await steps()).filter((step) => step === 'get')).toHaveLength(2);
	const whole = await job('get', submitted.items, { jobId: '={{ $json.jobId }}', simplify: false });
	expect(whole.items[0]?.json).toEqual({
		...simple,
		templateId: null,
		retryable: false,
		stage: 'completed',
		attemptCount: 1,
		startedAt: expect.any(String) as string,
		cancellationRequestedAt: null,
	});
});

test.each(NOT_IDENTIFIERS)('%j is refused before anything is sent', async (value, message) => {
	const items = [{ json: { id: value as string } }];
	const [jobId, reference] = ['={{ $json.id }}', '={{ $json.id }}'];
	const results = await Promise.all([
		...['get', 'getResult', 'cancel'].map((operation) => job(operation, items, { jobId }, goOn)),
		storedFile('download', items, { reference }, goOn),
		run({ operation: 'extract', inputSource: 'storedFile', reference }, items, goOn),
	]);
	for (const result of results) {
		const failure = failureOf(result.items[0]);
		expect(failure.message).toMatch(message);
		expect(failure.description).toMatch(/\{\{ \$json\.(jobId|reference) \}\}/);
		expect(result.items[0]?.pairedItem).toEqual({ item: 0 });
	}
	expect(await service.calls()).toEqual([]);
});

test('a number is asked for with whatever characters it has, and nothing else is', async () => {
	for (const jobId of ['../artifacts/content', 'a?b=c#d', 'a%2Fb', 'ü/ñ', '0x1']) {
		const { items } = await job('get', [{ json: {} }], { jobId }, goOn);
		expect(failureOf(items[0]).message).toBe(`Cogneris cannot find job ${jobId}`);
	}
	const asked = (await service.calls()).map(({ path, step }) => [step, decodeURIComponent(path)]);
	expect(asked.map(([step]) => step)).toEqual(['get', 'get', 'get', 'get', 'get']);
});

test('an unknown and an expired job: what to do; the others are there', async () => {
	const { items: submitted } = await job('submit', [await itemWith('invoice-us.pdf')]);
	const input = [{ json: { jobId: 'unknown' } }, ...submitted];
	const first = await job('get', input, { jobId: '={{ $json.jobId }}' }, goOn);
	expect(failureOf(first.items[0])).toMatchObject({
		message: 'Cogneris cannot find job unknown',
		details: { httpCode: 404 },
		description: expect.stringContaining('kept for 7 days') as string,
	});
	expect(first.items[1]?.json).toMatchObject({ status: 'Succeeded' });
	expect(first.hints).toHaveLength(1);
	await service.standIn.advanceClock(7 * DAY_MS);
	const later = await job('get', submitted, { jobId: '={{ $json.jobId }}' }, goOn);
	expect(failureOf(later.items[0]).details).toMatchObject({ httpCode: 404 });
});

test('On Error: Stop speaks of no document that is lost or billed', async () => {
	const { items: submitted } = await job('submit', [await itemWith('invoice-us.pdf')]);
	const input = [...submitted, { json: { jobId: 'unknown' } }];
	const parameters = { jobId: '={{ $json.jobId }}', options: { concurrency: 1 } };
	const thrown = await thrownBy(job('get', input, parameters));
	expect(thrown.message).toBe('Cogneris cannot find job unknown');
	expect(thrown.description).not.toMatch(/billed|lost/);
});
