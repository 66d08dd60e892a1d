import { failureOf, goOn, useJobs } from '../../../service';
import { itemWith, sampleBytes, sha256 } from '../../../samples';

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
		const { items, credits } = await job('submit', [await itemWith('invoice-us.pdf')], {
			jobOperation,
		});
		const [store, submit, ...others] = await service.calls();
		expect(others).toEqual([]);
		expect([store?.step, submit?.step]).toEqual(['store', 'submit']);
		expect(items).toEqual([
			{
				json: {
					jobId: submit?.jobId,
					status: 'Queued',
					operation,
					reference: expect.stringMatching(/^artifact:/) as string,
					fileName: 'invoice-us.pdf',
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(JSON.parse(submit?.body ?? '')).toEqual({
			operation,
			inputReference: items[0]?.json.reference,
		});
		expect(credits).toEqual([]);
		expect((await service.files()).map((file) => file.sha256)).toEqual([
			sha256(sampleBytes('invoice-us.pdf')),
		]);
	},
);

test('every file is a job, paired with its item; the options of files are there', async () => {
	const both = await itemWith('invoice-us.pdf');
	both.binary = { ...both.binary, other: (await itemWith('notes.txt')).binary!.data! };
	both.json = { mail: 7 };
	const items = [both, await itemWith('invoice-de.pdf')];
	const result = await job('submit', items, {
		options: { ignoreUnsupportedFiles: true, includeInputFields: true, includeInputFile: true },
	});
	expect(
		result.items.map(({ json, pairedItem, binary }) => [
			json.fileName,
			json.input,
			pairedItem,
			binary?.data?.fileName,
		]),
	).toEqual([
		['invoice-us.pdf', { mail: 7 }, { item: 0 }, 'invoice-us.pdf'],
		['invoice-de.pdf', {}, { item: 1 }, 'invoice-de.pdf'],
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
