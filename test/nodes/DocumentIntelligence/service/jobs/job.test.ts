import { hasEnded, readJob } from '../../../../../nodes/DocumentIntelligence/service/jobs/job';

const read = (status: unknown) => readJob({ jobId: '1', status });

test('a job is read as the service describes it, and what is missing is null', () => {
	const described = {
		jobId: 'j-1',
		operation: 'Extraction',
		status: 'Succeeded',
		outputReference: 'artifact://1',
		failureCode: null,
		retryable: false,
		stage: 'done',
		processedPages: 2,
		totalPages: 3,
		completedAt: '2026-01-01T00:00:01Z',
		cancellationRequestedAt: null,
		expiresAt: '2026-01-08T00:00:00Z',
		creditsConsumed: 0.5,
	};
	expect(readJob({ ...described, unknown: 1 })).toEqual({ ...described, unknown: 1 });
	const nothing = Object.fromEntries(Object.keys(described).map((name) => [name, null]));
	expect(readJob({ jobId: 12 })).toEqual({ ...nothing, jobId: '12' });
});

test('its texts are short, without keys, and what is no ID counts as missing', () => {
	const long = `xtkt_live_secret ${'x'.repeat(5_000_000)}`;
	const texts = { stage: long, failureCode: long, outputReference: long, note: long };
	const job = readJob({ jobId: 'j-1', status: 'Succeeded', ...texts, small: { a: 1 } });
	expect(JSON.stringify(job).length).toBeLessThan(2000);
	expect(job).toMatchObject({ status: 'Succeeded', outputReference: null, small: { a: 1 } });
	expect(job?.failureCode).toMatch(/^xtkt_live_… x+…$/);
	expect(readJob({ jobId: '1', stage: 'xtkt_live_secret' })?.stage).toBe('xtkt_live_…');
	expect(readJob({ jobId: long })).toBeUndefined();
});

test.each([[null], ['j-1'], [{ jobId: '' }], [{ jobId: {} }]])('%j is no job', (value) =>
	expect(readJob(value)).toBeUndefined(),
);

test.each([
	['Queued', 'Queued', false],
	['FAILED', 'Failed', true],
	['cancelled', 'Cancelled', true],
	['Paused', 'Paused', false],
	[{ a: 1 }, null, false],
])('the status %s is read as %s, ended: %s', (given, status, ended) => {
	const job = read(given);
	expect(job?.status).toBe(status);
	expect(job && hasEnded(job)).toBe(ended);
});
