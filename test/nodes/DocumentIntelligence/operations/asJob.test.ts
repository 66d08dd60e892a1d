import type { IDataObject } from 'n8n-workflow';

import { useStoredHistory } from '../../../n8n-core/history';
import { storeFile } from '../../../n8n-core/runNode';
import { comparable, failureOf, goOn, thrownBy, useJobs } from '../../service';
import { itemWith, MB, pdfOfSize } from '../../samples';

const { service, run, steps } = useJobs({ jobRunMs: 20 });

const asJob = (options: IDataObject = {}) => ({ options: { processing: 'job', ...options } });

describe('As a job', () => {
	test.each([
		['extract', 'fields', 'invoice-us.pdf'],
		['classify', 'fields', 'invoice-uk.pdf'],
		['split', 'documents', 'bundle.pdf'],
	])('%s, %s: the items of a direct answer', async (operation, output, name) => {
		const item = await itemWith(name);
		const direct = await run({ operation, output }, [item]);
		const { items, credits } = await run({ operation, output, ...asJob() }, [item]);
		expect(items.map(comparable)).toEqual(direct.items.map(comparable));
		expect(credits).toEqual(direct.credits);
	});

	test('a queued job is not canceled by a run that fails or whose key is rejected, and the next run collects it, also with Skip', async () => {
		await useStoredHistory();
		const options = { processing: 'job', processedBefore: 'skip' };
		const files = ['invoice-us.pdf', 'invoice-de.pdf'];
		const items = await Promise.all(files.map(async (name) => await itemWith(name)));
		const more = { ...goOn, credential: { ...service.credential, concurrentRequests: 1 } };
		const fail = async (status: number) => {
			await service.standIn.configure({ jobQueueMs: 600_000 });
			await service.standIn.queueFaults([{ kind: 'problem', status, match: '-de' }], 'store');
		};
		await fail(401);
		const first = await run({ operation: 'extract', options }, items, more);
		expect(failureOf(first.items[0]).description).toMatch(/Get Result/);
		await fail(415);
		const others = [await itemWith('invoice-uk.pdf'), await itemWith('invoice-de.pdf')];
		const stopped = run({ operation: 'extract', ...asJob() }, others, {
			credential: more.credential,
		});
		expect((await thrownBy(stopped)).description).toMatch(/Of the other documents, 1 job is kept/);
		expect(await service.standIn.charges()).toEqual([]);
		expect(await steps()).not.toContain('cancel');
		await service.standIn.configure({ jobQueueMs: 0 });
		await service.standIn.advanceClock(600_000);
		const second = await run({ operation: 'extract', options }, items, more);
		expect(second.items.map(({ json }) => json.fileName)).toEqual(files);
		// Of the first run, the run that failed, and "invoice-de.pdf".
		expect((await steps()).filter((step) => step === 'submit')).toHaveLength(3);
	});

	test.each([400, 404])(
		'the advice for an upload with status %i names no job ID',
		async (status) => {
			await service.standIn.queueFaults([{ kind: 'envelopeError', status }], 'store');
			const item = await itemWith('invoice-us.pdf');
			const { items } = await run({ operation: 'extract', ...asJob() }, [item], goOn);
			expect(failureOf(items[0]).description).not.toMatch(/\b(ID|reference)\b/);
		},
	);

	test.each([400, 404])(
		'a result that is answered with %i is asked for again, and its job is never submitted twice',
		async (status) => {
			const item = await itemWith('invoice-us.pdf');
			const fault = { kind: 'envelopeError', status } as const;
			await service.standIn.queueFaults([{ ...fault, times: 2 }], 'fetch');
			const { items } = await run({ operation: 'extract', ...asJob() }, [item]);
			expect(items).toMatchObject([{ json: { documentType: 'Invoice' }, pairedItem: { item: 0 } }]);
			await service.standIn.queueFaults([{ ...fault, times: 'always' }], 'fetch');
			const parameters = { operation: 'extract', ...asJob({ timeout: 10 }) };
			const { description } = await thrownBy(run(parameters, [item]));
			expect(description).toMatch(/within 7 days with Job: Get Result and the job ID/);
			await service.standIn.clearFaults('fetch');
			const next = await run({ operation: 'extract', ...asJob() }, [item]);
			expect(next.items).toMatchObject([{ json: { documentType: 'Invoice' } }]);
			const submits = (await steps()).filter((step) => step === 'submit');
			expect(submits).toHaveLength(2);
		},
	);

	const notTemplates = ['nope', '00000000-0000-0000-0000-000000000000', `${'0'.repeat(36)}`];
	test.each([[['a']], [[]], [true], ['a b'], ['x'.repeat(1001)], ...notTemplates])(
		'the template %j is refused before anything is sent, also by Submit',
		async (given) => {
			const templateId = { __rl: true, mode: 'id', value: `={{ ${JSON.stringify(given)} }}` };
			const submit = { resource: 'job', operation: 'submit', templateId };
			for (const parameters of [{ operation: 'extract', templateId }, submit]) {
				const { items } = await run(parameters, [await itemWith('invoice-us.pdf')], goOn);
				const { message, description } = failureOf(items[0]);
				expect(message).toMatch(
					/^'Template' is not the ID of a template: (".*"|\(\d+ characters of text\))$/,
				);
				expect(description).toMatch(/from the list.* Nothing was sent\.$/);
			}
			expect(await service.calls()).toEqual([]);
		},
	);

	test('more than 10 MB are refused before anything is sent', async () => {
		const data = await storeFile(pdfOfSize(10 * MB + 1), 'big.pdf', 'application/pdf');
		const item = { json: {}, binary: { data } };
		const { items } = await run({ operation: 'split', ...asJob() }, [item], goOn);
		expect(failureOf(items[0]).message).toContain('"big.pdf" is too large');
		expect(await service.calls()).toEqual([]);
	});
});

describe('Many jobs', () => {
	test('hold no upload slot while they run, and uploads keep to Concurrent Requests', async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		const names = Array.from({ length: 6 }, (_, index) => `invoice-${index}.pdf`);
		const items = await Promise.all(names.map(async (name) => itemWith('invoice-us.pdf', name)));
		const running = run({ operation: 'extract', ...asJob({ concurrency: 1 }) }, items);
		// All are submitted, one after the other, before the first has its result.
		const uploads = names.flatMap(() => ['store', 'submit']);
		const made = async () =>
			(await steps()).filter((step) => step === 'store' || step === 'submit');
		const until = Date.now() + 10_000;
		while ((await made()).length < uploads.length && Date.now() < until)
			await new Promise((go) => setTimeout(go, 20));
		expect(await made()).toEqual(uploads);
		await service.standIn.advanceClock(600_000);
		expect((await running).items.map(({ json }) => json.fileName)).toEqual(names);
		expect((await steps()).filter((step) => step === 'fetch')).toHaveLength(names.length);
		expect(await service.standIn.charges()).toHaveLength(names.length);
	});

	test('On Error: Stop ends the waits of the others, and says how to fetch their results', async () => {
		await service.standIn.configure({
			jobRules: [
				{ match: 'bad', failureCode: 'input_unreadable', runMs: 300 },
				{ match: 'slow', runMs: 600_000 },
			],
		});
		const items = [
			await itemWith('invoice-us.pdf', 'slow.pdf'),
			await itemWith('invoice-us.pdf', 'bad.pdf'),
			await itemWith('invoice-us.pdf', 'slow-too.pdf'),
		];
		const began = Date.now();
		const thrown = await thrownBy(run({ operation: 'extract', ...asJob() }, items));
		expect(Date.now() - began).toBeLessThan(10_000);
		expect(thrown.message).toMatch(/^Job \S+ for "bad.pdf" returned no result: input_unreadable$/);
		const submits = (await service.calls()).filter(({ step }) => step === 'submit');
		expect(submits).toHaveLength(3);
		expect(thrown.description).toContain('Of the other documents, 2 jobs are kept');
	});

	test('a key that is revoked meanwhile: documents that were not sent are not told of the jobs of others', async () => {
		await service.standIn.configure({ latencyMs: 50, jobRunMs: 60_000 });
		for (const step of ['list', 'get'] as const)
			await service.standIn.queueFaults([{ kind: 'problem', status: 401, times: 9 }], step);
		const names = ['1.pdf', '2.pdf', '3.pdf', '4.pdf', '5.pdf'];
		const items = await Promise.all(names.map(async (name) => itemWith('invoice-us.pdf', name)));
		const options = { operation: 'extract', ...asJob({ concurrency: 1 }) };
		const result = await run(options, items, goOn);
		const failures = result.items.map(failureOf);
		expect(failures[0]?.message).toMatch(/^The result of job \S+ for "1.pdf" could not be fetched/);
		expect(failures[4]?.message).toBe(
			'Cogneris rejected the API key, so the request for "5.pdf" was not sent',
		);
		expect(failures[4]?.description).not.toContain('Get Result');
		expect(failures[4]?.details).not.toHaveProperty('jobId');
	});

	test('beside documents without a template, which keep to Concurrent Requests', async () => {
		await service.standIn.configure({ latencyMs: 50 });
		const { templates } = await templateList();
		const id = templates[0]?.id ?? '';
		const items = await Promise.all(
			Array.from({ length: 8 }, async (_, index) => ({
				...(await itemWith('invoice-us.pdf', `${index}.pdf`)),
				json: { template: index === 0 ? id : '' },
			})),
		);
		const templateId = { __rl: true, mode: 'id', value: '={{ $json.template }}' };
		const options = { concurrency: 2 };
		const result = await run({ operation: 'extract', templateId, options }, items, goOn);
		expect(result.items).toHaveLength(8);
		expect((await service.calls()).filter(({ step }) => step === 'submit')).toHaveLength(1);
		// Two direct requests, and one of the job.
		expect((await service.standIn.figures()).maxConcurrent).toBeLessThanOrEqual(3);
	});
});

describe('A chosen template', () => {
	test.each<[string, unknown]>([
		['by ID', { __rl: true, mode: 'id', value: ' ID ' }],
		['by an expression', 'ID'],
	])('%s makes it a job with that template', async (_, given) => {
		const { templates } = await templateList();
		const id = templates[0]?.id ?? '';
		const templateId = JSON.parse(JSON.stringify(given).replace('ID', id)) as IDataObject;
		await run({ operation: 'extract', templateId }, [await itemWith('invoice-us.pdf')], goOn);
		const submit = (await service.calls()).find(({ step }) => step === 'submit');
		expect(JSON.parse(submit?.body ?? '')).toMatchObject({
			operation: 'Extraction',
			templateId: id,
		});
	});
});

test('a job that stored nothing has no result, which may be billed', async () => {
	const [jobId = ''] = await service.standIn.addJobs(service.credential.apiKey, [
		{ operation: 'Extraction', result: null },
	]);
	const getResult = { resource: 'job', operation: 'getResult', jobId };
	const { items } = await run(getResult, [{ json: {} }], goOn);
	expect(items.map((item) => failureOf(item))).toEqual([
		expect.objectContaining({
			message: `Cogneris returned no result for job ${jobId}`,
			description: expect.stringContaining('may already be billed') as string,
		}),
	]);
});

async function templateList(): Promise<{ templates: Array<{ id: string }> }> {
	const response = await fetch(`${service.standIn.url}/api/v1/templates`, {
		headers: { Authorization: `Bearer ${service.credential.apiKey}` },
	});
	return ((await response.json()) as { data: { templates: Array<{ id: string }> } }).data;
}
