import { failureOf, goOn, useJobs } from '../../../service';
import { itemsWith, itemWith, sampleBytes, sha256 } from '../../../samples';

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
		const json = { jobId, status: 'Queued', operation, reference, fileName };
		expect(items).toEqual([{ json, pairedItem: { item: 0 } }]);
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
	const names = ['invoice-us.pdf', 'invoice-de.pdf', 'notes.txt'];
	const options = { includeInputFields: true, includeInputFile: true };
	const { items } = await job('submit', await itemsWith(...names), {
		options: { ...options, ignoreUnsupportedFiles: true },
	});
	expect(items).toMatchObject(
		names.slice(0, 2).map((fileName, item) => ({
			json: { fileName, input: {} },
			binary: { data: { fileName } },
			pairedItem: { item },
		})),
	);
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
