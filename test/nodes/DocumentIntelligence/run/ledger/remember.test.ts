import type { IDataObject } from 'n8n-workflow';

import { StorageFailure } from '../../../../../nodes/DocumentIntelligence/files/content';
import { extract as extractOperation } from '../../../../../nodes/DocumentIntelligence/operations/document/extract';
import { LedgerMemory } from '../../../../../nodes/DocumentIntelligence/run/ledger/memory';
import type { NodeRun } from '../../../../n8n-core/runNode';
import { distinctInvoices, filesForAnyOperation, storedSample } from '../../../samples';
import { failureOf, goOn, thrownBy } from '../../../service';
import { asLongJob, combined, inTurn, messagesOf, namesIn, reuse, useRuns } from './runs';

const { service, extract, sentFiles, requests, reject, failingRun } = useRuns();

describe('A run that fails at its last file', () => {
	test('keeps the other results for the next run, which passes them on once, copies included', async () => {
		const items = await distinctInvoices(4);
		await failingRun(items);
		expect(await sentFiles()).toHaveLength(4);

		const [first, ...others] = items.slice(0, 3);
		const second = await extract([first!, ...others, first!]);
		expect(await sentFiles()).toEqual([]);
		expect(namesIn(second)).toEqual(['0.pdf', '1.pdf', '2.pdf', '0.pdf']);
		expect(second.items.every(({ json }) => Number(json.creditsConsumed) > 0)).toBe(true);
		expect(messagesOf(second)).toEqual([expect.stringMatching(/^4 results were paid for by/)]);
		expect(second.credits).toEqual([]);

		await extract([first!, ...others]);
		expect(await sentFiles()).toHaveLength(3);
	});

	test('keeps nothing for another node, workflow, key, operation, instructions or content', async () => {
		const items = await distinctInvoices(2);
		await failingRun(items);
		const [first] = items;
		const others: Array<[IDataObject, Partial<NodeRun>]> = [
			[{}, { node: { id: 'another' } }],
			[{}, { workflowId: 'another' }],
			[{}, { credential: { ...service.credential, apiKey: `${service.credential.apiKey}2` } }],
			[{ operation: 'zeroShot' }, {}],
			[{ options: { complementaryPrompt: 'Read the footer' } }, {}],
		];
		await sentFiles();
		for (const [parameters, more] of others) await extract([first!], parameters, more);
		await extract((await distinctInvoices(3)).slice(2));
		expect(await sentFiles()).toHaveLength(others.length + 1);
		await extract([first!]);
		expect(await sentFiles()).toEqual([]);
	});

	test('of a workflow without an ID keeps nothing for another execution', async () => {
		const items = await distinctInvoices(2);
		const more = { workflowId: null, node: { retryOnFail: true, maxTries: 3 } };
		await reject('1.pdf');
		await thrownBy(extract(items, inTurn, { ...more, executionId: 'one' }));
		await extract(items, inTurn, { ...more, executionId: 'other' });
		expect(await sentFiles()).toEqual(['0.pdf', '0.pdf', '1.pdf', '1.pdf']);
	});

	test('of a workflow without an ID promises nothing to another execution', async () => {
		const items = await distinctInvoices(1);
		const unsaved = { workflowId: null };
		await service.standIn.configure({ jobRunMs: 600_000 });
		const late = await thrownBy(extract(items, asLongJob, unsaved));
		expect(late.description).toMatch(/^Fetch the result within 7 days with Job: Get Result/);
		const spy = jest.spyOn(extractOperation, 'toOutputs').mockImplementationOnce(() => {
			throw new StorageFailure('No space is left');
		});
		const notStored = await thrownBy(extract(items, {}, unsaved)).finally(() => spy.mockRestore());
		expect(notStored.description).toMatch(/free space\. The document may already be billed, /);
	});

	test('of a workflow without an ID, the last attempt does not promise what earlier ones have kept', async () => {
		const items = await distinctInvoices(2);
		const node = { retryOnFail: true, maxTries: 2 };
		const more = { workflowId: null, executionId: 'unsaved', node };
		await reject('1.pdf', 2);
		expect((await thrownBy(extract(items, inTurn, more))).description).toContain('1 result (');
		expect((await thrownBy(extract(items, inTurn, more))).description).toContain(
			'1 that may be billed is lost',
		);
		expect(await sentFiles()).toEqual(['0.pdf', '1.pdf', '1.pdf']);
	});
});

test('Of Match Faces, too, a decision that no run has passed on is returned by the next run', async () => {
	const parameters = { operation: 'faceMatch', documentsField: 'documents' };
	const binary = await filesForAnyOperation();
	const documents = await storedSample('two-cards.jpg', 'other.jpg');
	const items = [
		{ json: {}, binary },
		{ json: {}, binary: { ...binary, documents } },
	];
	await reject('other.jpg');
	await thrownBy(extract(items, combined(parameters, inTurn)));
	expect(await requests('process')).toBe(2);
	const { items: decisions } = await extract(items.slice(0, 1), parameters);
	expect(decisions).toHaveLength(1);
	expect(decisions[0]?.json).toMatchObject({ matched: true });
	expect(await requests('process')).toBe(2);
});

describe('A result that n8n could not store', () => {
	const KEPT =
		"Check that n8n's storage for files has free space. Then execute again: the result is kept, and not paid for twice.";

	async function withoutSpace<Result>(run: () => Promise<Result>): Promise<Result> {
		const spy = jest.spyOn(extractOperation, 'toOutputs').mockImplementationOnce(() => {
			throw new StorageFailure('No space is left');
		});
		return await run().finally(() => spy.mockRestore());
	}

	test.each([
		['process', ['0.pdf', '1.pdf'], ['1.pdf']],
		['skip', ['0.pdf'], []],
	])('is kept under On Error: Continue, %s', async (processedBefore, returned, sentAgain) => {
		const items = await distinctInvoices(2);
		const parameters = combined(inTurn, { options: { processedBefore } });
		const run = async () => await extract(items, parameters, goOn);
		const { items: first } = await withoutSpace(run);
		expect(failureOf(first[0]).description).toBe(KEPT);
		await sentFiles();
		expect(namesIn(await run())).toEqual(returned);
		expect(await sentFiles()).toEqual(sentAgain);
	});

	test('and has no room is skipped by Skip, and its message says so', async () => {
		const items = await distinctInvoices(1);
		const memory = new LedgerMemory(Date.now, 2000);
		const parameters = { options: { processedBefore: 'skip' } };
		const run = async () => await extract(items, parameters, { ...goOn, memory });
		const { items: first } = await withoutSpace(run);
		expect(failureOf(first[0]).description).toMatch(/billed, so Skip will skip the document/);
		expect(messagesOf(await run()).join()).toMatch(/may have been billed on an earlier run/);
		expect(await sentFiles()).toEqual(['0.pdf']);
	});

	test('blames no file under On Error: Stop', async () => {
		const items = await distinctInvoices(2);
		await service.standIn.queueFaults([{ kind: 'late', ms: 300, match: '1.pdf' }]);
		const { description } = await withoutSpace(async () => await thrownBy(extract(items)));
		expect(description).toBe(
			`${KEPT}<br>Of the other documents, 1 result (1 credit) is kept in the memory of this n8n process for a day at most: execute again.`,
		);
		await extract(items);
		expect(await sentFiles()).toEqual(['0.pdf', '1.pdf']);
	});
});

describe('Return Earlier Result', () => {
	const reused = (count: number) =>
		`${count} results from an earlier run were reused. To process the same files anew, execute again with Process Again in 'Files Processed Before'.`;

	test('returns what a run has passed on, without its credits, and reads it anew with all options', async () => {
		const items = await distinctInvoices(2);
		const first = await extract(items, reuse);
		expect(first.items.every(({ json }) => Number(json.creditsConsumed) > 0)).toBe(true);
		await sentFiles();
		for (const [output, options, expected] of [
			['fields', { values: 'typed' }, { fields: { total: 110 } }],
			['fields', { values: 'printed' }, { fields: { total: '110.00 USD' } }],
			['fields', { confidenceThreshold: 100 }, { needsReview: true }],
			['fields', { confidenceThreshold: 10 }, { needsReview: false }],
			['documentRows', {}, { total: 110 }],
			['raw', {}, { metadata: {} }],
		] as const) {
			const again = await extract(items, combined(reuse, { output, options }));
			expect(again.items[0]?.json).toMatchObject(expected);
			expect(messagesOf(again)).toContain(reused(2));
			expect(again.credits).toEqual([]);
			expect(again.items.map(({ json }) => 'creditsConsumed' in json)).toEqual([false, false]);
		}
		expect(await sentFiles()).toEqual([]);
		// It is returned to nobody who has not asked for it.
		for (const mode of ['trigger', 'manual'] as const) {
			await extract(items, {}, { mode });
			expect(await sentFiles()).toEqual(['0.pdf', '1.pdf']);
		}
	});

	test('returns the newer answer after it was off for one run', async () => {
		const items = await distinctInvoices(1);
		const answerWith = async (documentType: string) =>
			await service.standIn.queueFaults([
				{ kind: 'answer', match: '0.pdf', data: { metadata: { documentType, fields: {} } } },
			]);
		await answerWith('Old');
		await extract(items, reuse);
		await answerWith('New');
		await extract(items);
		const { items: rows } = await extract(items, reuse);
		expect(rows[0]?.json.documentType).toBe('New');
		expect(await sentFiles()).toHaveLength(2);
	});

	test('is free again after a run that failed with it', async () => {
		const items = await distinctInvoices(2);
		await extract(items.slice(0, 1), reuse);
		// It is not lost, either.
		expect((await failingRun(items, reuse)).description).not.toContain('Of the other documents');
		const again = await extract(items.slice(0, 1), reuse);
		expect(messagesOf(again)).toEqual([expect.stringContaining('an earlier run was reused')]);
		expect(again.items.map(({ json }) => 'creditsConsumed' in json)).toEqual([false]);
		expect(await sentFiles()).toEqual(['0.pdf', '1.pdf']);
	});
});

test('Test runs of a job that was submitted ask for it once; as the tool of an agent, each call submits', async () => {
	const byHand: Partial<NodeRun> = { mode: 'manual' };
	const tool = { type: 'n8n-nodes-document-intelligence.documentIntelligenceTool' };
	const items = await distinctInvoices(1);
	const submit = { resource: 'job', operation: 'submit' };
	const { items: first } = await service.run(submit, items, byHand);
	const { items: second, hints } = await service.run(submit, items, byHand);
	expect(second[0]?.json.jobId).toBe(first[0]?.json.jobId);
	expect(hints[0]?.message).toMatch(/^1 result from earlier test runs was reused/);
	const methods = async () => (await service.calls()).map(({ method }) => method);
	expect(await methods()).toEqual(['POST', 'POST', 'GET']);
	await service.run(submit, items, { ...byHand, node: tool });
	expect(await methods()).toEqual(['POST', 'POST', 'GET', 'POST', 'POST']);
});
