import type { IDataObject } from 'n8n-workflow';

import { useStoredHistory } from '../../../n8n-core/history';
import { searchList } from '../../../n8n-core/runNode';
import { until } from '../../clock';
import { comparable, failureOf, goOn, thrownBy, useJobs } from '../../service';
import { invoiceItems, itemOf, itemsWith, itemWith, MB, pdfOfSize } from '../../samples';

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
		const items = await itemsWith(...files);
		const more = { ...goOn, credential: { ...service.credential, concurrentRequests: 1 } };
		const fail = async (status: number) => {
			await service.standIn.configure({ jobQueueMs: 600_000 });
			await service.standIn.queueFaults([{ kind: 'problem', status, match: '-de' }], 'store');
		};
		await fail(401);
		const first = await run({ operation: 'extract', options }, items, more);
		expect(failureOf(first.items[0]).description).toMatch(/Get Result/);
		await fail(415);
		const others = await itemsWith('invoice-uk.pdf', 'invoice-de.pdf');
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

	const notTemplates = ['nope', '00000000-0000-0000-0000-000000000000', `${'0'.repeat(36)}`];
	test.each([[['a']], [[]], [true], ['a b'], ['x'.repeat(1001)], ...notTemplates])(
		'the template %j is refused before anything is sent, also by Submit',
		async (given) => {
			const template = { __rl: true, mode: 'id', value: `={{ ${JSON.stringify(given)} }}` };
			const submit = { resource: 'job', operation: 'submit' };
			for (const parameters of [{ operation: 'extract' }, submit]) {
				const chosen = { ...parameters, templateId: template };
				const { items } = await run(chosen, await itemsWith('invoice-us.pdf'), goOn);
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
		const item = await itemOf(pdfOfSize(10 * MB + 1), 'big.pdf');
		const { items } = await run({ operation: 'split', ...asJob() }, [item], goOn);
		expect(failureOf(items[0]).message).toContain('"big.pdf" is too large');
		expect(await service.calls()).toEqual([]);
	});
});

describe('Many jobs', () => {
	test('hold no upload slot while they run, and uploads keep to Concurrent Requests', async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		const items = await invoiceItems(6);
		const running = run({ operation: 'extract', ...asJob({ concurrency: 1 }) }, items);
		// All are submitted, one after the other, before the first has its result.
		const uploads = items.flatMap(() => ['store', 'submit']);
		const made = async () =>
			(await steps()).filter((step) => step === 'store' || step === 'submit');
		await until(async () => (await made()).length === uploads.length);
		expect(await made()).toEqual(uploads);
		await service.standIn.advanceClock(600_000);
		expect((await running).items.map(({ json }) => json.fileName)).toEqual(
			items.map((_, number) => `${number}.pdf`),
		);
		expect((await steps()).filter((step) => step === 'fetch')).toHaveLength(items.length);
		expect(await service.standIn.charges()).toHaveLength(items.length);
	});
});

test.each<[string, (id: string) => unknown]>([
	['by ID', (id) => ({ __rl: true, mode: 'id', value: ` ${id} ` })],
	['by an expression', (id) => id],
])('a template that is chosen %s makes it a job with that template', async (_, chosen) => {
	const id = await templateId();
	const parameters = { operation: 'extract', templateId: chosen(id) as IDataObject };
	await run(parameters, await itemsWith('invoice-us.pdf'), goOn);
	const submit = (await service.calls()).find(({ step }) => step === 'submit');
	expect(JSON.parse(submit?.body ?? '')).toMatchObject({ operation: 'Extraction', templateId: id });
});

/** Of the account. */
async function templateId(): Promise<string> {
	const { results } = await searchList('searchTemplates', service.credential);
	return results.find(({ value }) => value !== '')?.value as string;
}
