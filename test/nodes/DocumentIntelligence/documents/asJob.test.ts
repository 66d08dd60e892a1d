import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { sampleBytes, sha256, storedSample } from '../../samples';
import { AVOIDED_WORDS, useService } from '../../service';
import type { FaultKind } from '../../../stand-in/startStandIn';

const service = useService({ jobRunMs: 300, jobQueueMs: 0, jobRetryAfterSeconds: 1 });

jest.setTimeout(120_000);

const INVOICES = ['invoice-us.pdf', 'invoice-uk.pdf', 'invoice-de.pdf', 'invoice-fr.pdf'];

const itemWith = async (name: string, as = name): Promise<INodeExecutionData> => ({
	json: {},
	binary: { data: await storedSample(name, as) },
});

const asJob = (options: IDataObject = {}) => ({ options: { processing: 'job', ...options } });

async function steps(): Promise<Array<string | null>> {
	return (await service.calls()).map(({ step }) => step);
}

const goOn = { onError: 'continueRegularOutput' as const };

describe('As a job', () => {
	test.each([
		['extract', 'fields', 'invoice-us.pdf'],
		['extract', 'rows', 'invoice-de.pdf'],
		['zeroShot', 'fields', 'invoice-uk.pdf'],
		['classify', 'fields', 'invoice-uk.pdf'],
		['split', 'documents', 'bundle.pdf'],
		['crop', 'fields', 'two-cards.jpg'],
	])('%s, %s: the items of a direct answer', async (operation, output, name) => {
		const item = await itemWith(name);
		const direct = await service.run({ operation, output }, [item]);
		for (const jobResultCase of ['pascal', 'camel'] as const) {
			await service.standIn.configure({ jobResultCase });
			const { items, credits } = await service.run({ operation, output, ...asJob() }, [item]);
			expect(items.map(({ json }) => withoutOwn(json))).toEqual(
				direct.items.map(({ json }) => withoutOwn(json)),
			);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
				direct.items.map(({ pairedItem }) => pairedItem),
			);
			expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toEqual(
				direct.items.map(({ binary }) => Object.keys(binary ?? {})),
			);
			expect(credits).toEqual(direct.credits);
		}
	});

	test('is stored, submitted, waited for and fetched, once each', async () => {
		const { items } = await service.run({ operation: 'extract', ...asJob() }, [
			await itemWith('invoice-us.pdf'),
		]);
		expect(items).toHaveLength(1);
		const made = await steps();
		expect(made.filter((step) => step !== 'list')).toEqual(['store', 'submit', 'fetch']);
		const [charge, ...more] = await service.standIn.charges();
		expect(more).toEqual([]);
		expect(charge?.files).toEqual([
			expect.objectContaining({ sha256: sha256(sampleBytes('invoice-us.pdf')) }),
		]);
	});

	test('20 jobs of some seconds take at most 72 requests, in the order of the input', async () => {
		await service.standIn.configure({ jobRunMs: [2000, 4000] });
		const items = await Promise.all(
			Array.from({ length: 20 }, async (_, index) =>
				itemWith(INVOICES[index % INVOICES.length] ?? '', `invoice-${index}.pdf`),
			),
		);
		await service.standIn.configure({ requestsPerWindow: 1000 });
		const result = await service.run({ operation: 'extract', ...asJob() }, items, {
			credential: { ...service.credential, requestsPerMinute: 1000 },
		});
		expect(result.items.map(({ json }) => json.fileName)).toEqual(
			items.map((_, index) => `invoice-${index}.pdf`),
		);
		expect((await service.calls()).length).toBeLessThanOrEqual(72);
		expect(await service.standIn.charges()).toHaveLength(20);
	});

	const LOST: FaultKind[] = [
		'reset',
		'truncatedBody',
		'html502',
		'gatewayTimeout504',
		'emptyBody',
		'retryable503',
		'truncatedJson',
		'rateLimit',
	];

	test.each(
		(['store', 'submit', 'list', 'fetch'] as const).flatMap((step) =>
			LOST.map((kind) => [step, kind] as const),
		),
	)(
		'an answer that is lost at %s (%s) loses nothing, and nothing is billed twice',
		async (step, kind) => {
			await service.standIn.queueFaults([{ kind, afterWork: kind !== 'rateLimit' } as never], step);
			const { items } = await service.run({ operation: 'extract', ...asJob() }, [
				await itemWith('invoice-us.pdf'),
			]);
			expect(items[0]?.json).toMatchObject({ fileName: 'invoice-us.pdf' });
			expect(items[0]?.json.error).toBeUndefined();
			expect(await service.standIn.charges()).toHaveLength(1);
			const submits = (await service.calls()).filter((call) => call.step === 'submit');
			expect(new Set(submits.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
		},
	);

	test.each([
		['template_unresolved', 'No template fits "invoice-us.pdf"'],
		['input_unreadable', 'gave no result: input_unreadable'],
	])('that fails with %s says so, with its number', async (failureCode, message) => {
		await service.standIn.configure({ jobRules: [{ match: 'invoice-us', failureCode }] });
		const { items } = await service.run(
			{ operation: 'extract', ...asJob() },
			[await itemWith('invoice-us.pdf')],
			goOn,
		);
		const error = items[0]?.json.error as unknown as IDataObject;
		expect(error.message).toContain(message);
		expect(error).toMatchObject({
			fileName: 'invoice-us.pdf',
			code: failureCode,
			jobId: expect.any(String) as string,
		});
		expect(`${String(error.message)} ${String(error.description)}`).not.toMatch(AVOIDED_WORDS);
	});

	test('that takes too long: the number of the job, and how to fetch its result later', async () => {
		await service.standIn.configure({ jobRunMs: 60_000 });
		const { items } = await service.run(
			{ operation: 'extract', ...asJob({ timeout: 2 }) },
			[await itemWith('invoice-us.pdf')],
			goOn,
		);
		const [charge] = (await service.calls()).flatMap(({ jobId }) => jobId ?? []);
		expect(items[0]?.json.error).toMatchObject({
			message: `Job ${charge} for "invoice-us.pdf" has not finished within 2 seconds`,
			description: expect.stringContaining(`Get Result, job ID ${charge}`) as string,
			jobId: charge,
		});
	});

	test('a stop by the user ends the wait within a second, and cancels what has not begun', async () => {
		await service.standIn.configure({ jobQueueMs: 60_000 });
		const stop = new AbortController();
		const running = service
			.run({ operation: 'extract', ...asJob() }, [await itemWith('invoice-us.pdf')], {
				signal: stop.signal,
			})
			.catch((thrown: unknown) => thrown as Error);
		while (!(await steps()).includes('list')) await new Promise((go) => setTimeout(go, 50));
		const stoppedAt = Date.now();
		stop.abort();
		const error = await running;
		expect(Date.now() - stoppedAt).toBeLessThan(1500);
		expect(error).toMatchObject({
			message: expect.stringMatching(
				/^The execution was stopped while job \S+ for "invoice-us.pdf" was running$/,
			) as string,
		});
		expect(await steps()).toContain('cancel');
	});

	test('instructions and a job exclude each other, before anything is sent', async () => {
		const { items } = await service.run(
			{ operation: 'extract', complementaryPrompt: 'Read the seal', ...asJob() },
			[await itemWith('invoice-us.pdf')],
			goOn,
		);
		expect(items[0]?.json.error).toMatchObject({
			message: 'A job takes no Additional Instructions',
		});
		expect(await service.calls()).toEqual([]);
	});

	test('more than 10 MB are refused before anything is sent', async () => {
		const bytes = Buffer.concat([sampleBytes('bundle.pdf'), Buffer.alloc(11 * 1024 * 1024)]);
		const item = {
			json: {},
			binary: {
				data: { mimeType: 'application/pdf', fileName: 'big.pdf', data: bytes.toString('base64') },
			},
		};
		const { items } = await service.run({ operation: 'split', ...asJob() }, [item], goOn);
		expect(items[0]?.json.error).toMatchObject({
			message: expect.stringContaining('"big.pdf" is too large') as string,
		});
		expect(await service.calls()).toEqual([]);
	});

	test('a job that the list does not show is asked for by its number', async () => {
		await service.standIn.configure({ jobListLagMs: 3_600_000 });
		const { items } = await service.run({ operation: 'extract', ...asJob() }, [
			await itemWith('invoice-us.pdf'),
		]);
		expect(items[0]?.json.error).toBeUndefined();
		expect(await steps()).toContain('get');
	});
});

describe('A chosen template', () => {
	test.each<[string, unknown]>([
		['from the list', { __rl: true, mode: 'list', value: 'ID', cachedResultName: 'Name' }],
		['by ID', { __rl: true, mode: 'id', value: ' ID ' }],
		['by an expression', 'ID'],
	])('%s makes it a job with that template', async (_, given) => {
		const { templates } = await templateList();
		const id = templates[0]?.id ?? '';
		const templateId = JSON.parse(JSON.stringify(given).replace('ID', id)) as IDataObject;
		await service.run(
			{ operation: 'extract', templateId },
			[await itemWith('invoice-us.pdf')],
			goOn,
		);
		const submit = (await service.calls()).find(({ step }) => step === 'submit');
		expect(JSON.parse(submit?.body ?? '')).toMatchObject({
			operation: 'Extraction',
			templateId: id,
		});
	});

	test('that the service does not know: what to do', async () => {
		const { items } = await service.run(
			{ operation: 'extract', templateId: { __rl: true, mode: 'id', value: 'nope' } },
			[await itemWith('invoice-us.pdf')],
			goOn,
		);
		expect(items[0]?.json.error).toMatchObject({
			message: 'The service does not know the template for "invoice-us.pdf"',
			code: 'template_unknown',
		});
		expect(await service.standIn.charges()).toEqual([]);
	});

	async function templateList(): Promise<{ templates: Array<{ id: string }> }> {
		const response = await fetch(`${service.standIn.url}/api/v1/templates`, {
			headers: { Authorization: `Bearer ${service.credential.apiKey}` },
		});
		return ((await response.json()) as { data: { templates: Array<{ id: string }> } }).data;
	}
});

describe('A sandbox key', () => {
	const sandbox = () => ({
		credential: { ...service.credential, apiKey: 'xtkt_test_0001_sandbox_key' },
		...goOn,
	});

	test('works as a job, and costs nothing', async () => {
		const { items } = await service.run(
			{ operation: 'extract', ...asJob() },
			[await itemWith('invoice-us.pdf')],
			sandbox(),
		);
		expect(items[0]?.json).toMatchObject({ fileName: 'invoice-us.pdf' });
		expect(items[0]?.json.error).toBeUndefined();
		expect(await service.standIn.charges()).toEqual([]);
	});

	test.each([
		['extract', {}, 'Set the option Processing to As a Job'],
		['extract', { templateId: { __rl: true, mode: 'id', value: 'x' } }, 'Clear Template'],
	])('%s %j is refused before anything is sent', async (operation, parameters, advice) => {
		const { items } = await service.run(
			{ operation, ...parameters },
			[await itemWith('invoice-us.pdf')],
			sandbox(),
		);
		expect(items[0]?.json.error).toMatchObject({
			description: expect.stringContaining(advice) as string,
		});
		expect(await service.calls()).toEqual([]);
	});
});

/** Without what each answer has of its own. */
function withoutOwn(json: IDataObject): IDataObject {
	const { extractionId, createdDate, imageUrl, ...rest } = json;
	void extractionId;
	void createdDate;
	void imageUrl;
	return rest;
}
