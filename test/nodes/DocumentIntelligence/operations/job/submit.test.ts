import { failureOf, goOn, thrownBy, useJobs } from '../../../service';
import { filesIn, itemWith, sampleBytes, sha256 } from '../../../samples';

const { service, job } = useJobs();

const OPERATIONS = {
	classify: 'Classification',
	crop: 'Crop',
	zeroShot: 'ZeroShot',
	extract: 'Extraction',
	split: 'Split',
};

test.each(Object.entries(OPERATIONS))(
	'%s is submitted as %s, without waiting for the result',
	async (jobOperation, operation) => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		const fileName = 'invoice-us.pdf';
		const { items, credits } = await job('submit', [await itemWith(fileName)], { jobOperation });
		const [store, submit, ...others] = await service.calls();
		expect([store?.step, submit?.step, others]).toEqual(['store', 'submit', []]);
		const { jobId } = submit!;
		const reference = expect.stringMatching(/^artifact:/) as string;
		expect(items).toEqual([
			{
				json: { jobId, status: 'Queued', operation, reference, fileName },
				pairedItem: { item: 0 },
			},
		]);
		expect(JSON.parse(submit?.body ?? '')).toEqual({
			operation,
			inputReference: items[0]?.json.reference,
		});
		expect(credits).toEqual([]);
		const sent = sha256(sampleBytes(fileName));
		expect(await service.files()).toMatchObject([{ sha256: sent }]);
	},
);

test('every file is a job, paired with its item; the options of files are there', async () => {
	const [first, second] = ['invoice-us.pdf', 'invoice-de.pdf'];
	const both = await filesIn({ data: first, other: 'notes.txt' });
	const items = [{ json: { mail: 7 }, binary: both }, await itemWith(second)];
	const options = { ignoreUnsupportedFiles: true, includeInputFields: true };
	const result = await job('submit', items, { options: { ...options, includeInputFile: true } });
	expect(result.items).toMatchObject([
		{
			json: { fileName: first, input: { mail: 7 } },
			binary: { data: { fileName: first } },
			pairedItem: { item: 0 },
		},
		{
			json: { fileName: second, input: {} },
			binary: { data: { fileName: second } },
			pairedItem: { item: 1 },
		},
	]);
	expect(result.hints).toHaveLength(1);
});

test('a template is chosen for Extract only', async () => {
	const unknown = '5f0c2a1e-6f0b-4a59-9a63-6a1f0c8f9d21';
	const chosen = { templateId: { __rl: true, mode: 'id', value: unknown } };
	const { items } = await job('submit', [await itemWith('invoice-us.pdf')], chosen, goOn);
	expect(failureOf(items[0])).toMatchObject({
		message: `Cogneris cannot find the template for "invoice-us.pdf" (${unknown})`,
		details: { fileName: 'invoice-us.pdf', code: 'template_unknown' },
	});
	for (const jobOperation of ['classify', "={{ 'classify' }}"]) {
		const given = { ...chosen, jobOperation };
		const classified = await job('submit', [await itemWith('invoice-us.pdf')], given);
		expect(classified.items[0]?.json).toMatchObject({ operation: 'Classification' });
	}
	expect((await service.calls()).at(-1)?.body).not.toContain(unknown);
});

test('a template that cannot be read is found before the first job is submitted', async () => {
	const items = [await itemWith('invoice-us.pdf'), await itemWith('invoice-de.pdf')];
	const parameters = { templateId: '={{ $itemIndex === 0 ? "" : "nope" }}' };
	const thrown = await thrownBy(job('submit', items, parameters));
	expect(thrown.message).toBe(`'Template' is not the ID of a template: "nope"`);
	expect(await service.calls()).toEqual([]);
});

test.each(['facematch', null])(
	'the operation %j is refused before anything is sent',
	async (jobOperation) => {
		const parameters = { jobOperation: `={{ ${JSON.stringify(jobOperation)} }}` };
		const { items } = await job('submit', [await itemWith('invoice-us.pdf')], parameters, goOn);
		const { message, description } = failureOf(items[0]);
		expect(message).toMatch(/^Unknown value for 'Job Operation': "/);
		expect(description).toContain('Nothing was sent.');
		expect(await service.calls()).toEqual([]);
	},
);
