import { failureOf, goOn, thrownBy, useJobs } from '../../../service';
import { itemsWith } from '../../../samples';

const { service, run, job, storedFile, steps } = useJobs();

const byItem = { jobId: '={{ $json.jobId }}' };

test('one item for each job, simplified unless Simplify is off, paired', async () => {
	const submitted = await job('submit', await itemsWith('invoice-us.pdf', 'invoice-de.pdf'));
	const ids = submitted.items.map(({ json }) => json.jobId);
	const { items } = await job('get', submitted.items, byItem);
	expect(items.map(({ json, pairedItem }) => [json.jobId, pairedItem])).toEqual(
		ids.map((id, item) => [id, { item }]),
	);
	const text = expect.any(String) as string;
	const simple = {
		...{ jobId: ids[0], operation: 'Extraction', status: 'Succeeded', failureCode: null },
		outputReference: expect.stringMatching(/^artifact:/) as string,
		...{ processedPages: 1, totalPages: 1, completedAt: text, expiresAt: text },
		creditsConsumed: expect.any(Number) as number,
	};
	expect(items[0]?.json).toEqual(simple);
	const whole = await job('get', submitted.items, { ...byItem, simplify: false });
	expect(whole.items[0]?.json).toMatchObject({ ...simple, retryable: false, attemptCount: 1 });
});

// Blank, of another type, damaged, or something that is no reference.
test.each([
	['empty', ''],
	['empty', null],
	['not a valid ID or reference', { id: 1 }],
	['not a valid ID or reference', 'a b'],
	['not a valid ID or reference', 'a\u200bb'],
	['not a valid ID or reference', '..'],
	['not a valid ID or reference', 'https://ann:p4ss@example.com/a?sig=p4ss'],
	['not a valid ID or reference', 'xtkt_live_p4ss'],
	['not a valid ID or reference', 'Data:text/plain,p4ss'],
	['not a valid ID or reference', 'x'.repeat(1001)],
])('it is %s, so nothing is sent: %j', async (reason, value) => {
	const items = [{ json: { id: value as string } }];
	const [jobId, reference] = ['={{ $json.id }}', '={{ $json.id }}'];
	const results = await Promise.all([
		...['get', 'getResult', 'cancel'].map((operation) => job(operation, items, { jobId }, goOn)),
		storedFile('download', items, { reference }, goOn),
		run({ operation: 'extract', inputSource: 'storedFile', reference }, items, goOn),
	]);
	for (const result of results) {
		const { message, description } = failureOf(result.items[0]);
		expect(message).toMatch(new RegExp(`^'(Job ID|File Reference)' is ${reason}$`));
		expect(description).toMatch(/\{\{ \$json\.(jobId|reference) \}\}/);
		expect(result.items[0]?.pairedItem).toEqual({ item: 0 });
	}
	expect(await service.calls()).toEqual([]);
});

test.each(['../artifacts/content', 'a?b=c#d', 'a%2Fb', 'ü/ñ', '0x1'])(
	'the ID %s is asked for with whatever characters it has, and nothing else is',
	async (jobId) => {
		const { items } = await job('get', [{ json: {} }], { jobId }, goOn);
		expect(failureOf(items[0]).message).toBe(`Cogneris cannot find job ${jobId}`);
		expect(await steps()).toEqual(['get']);
	},
);

test('an unknown job: what to do, and no word of a document that is lost or billed; the others are there', async () => {
	const { items: submitted } = await job('submit', await itemsWith('invoice-us.pdf'));
	const input = [...submitted, { json: { jobId: 'unknown' } }];
	const { items, hints } = await job('get', input, byItem, goOn);
	expect(items[0]?.json).toMatchObject({ status: 'Succeeded' });
	expect(failureOf(items[1]).description).toContain('kept for 7 days');
	expect(hints).toHaveLength(1);
	const thrown = await thrownBy(job('get', input, { ...byItem, options: { concurrency: 1 } }));
	expect(thrown.message).toBe('Cogneris cannot find job unknown');
	expect(thrown.description).not.toMatch(/billed|lost/);
});
