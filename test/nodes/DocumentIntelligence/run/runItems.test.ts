import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INodeExecutionData,
} from 'n8n-workflow';

import { Notes } from '../../../../nodes/DocumentIntelligence/text/notes';
import { useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import {
	distinctInvoices,
	itemOf,
	itemsWith,
	itemWith,
	sampleBytes,
	sha256,
	storedSample,
} from '../../samples';
import { failureOf, goOn, thrownBy, useService } from '../../service';

const service = useService();

describe.each<BinaryMode>(['filesystem', 'default'])('Files kept in n8n’s mode "%s"', (mode) => {
	beforeAll(async () => await useBinaryMode(mode));
	afterAll(async () => await useBinaryMode('filesystem'));

	test('give results in order; what cannot be right never reaches the service', async () => {
		const rejected = expect.stringMatching(/^Cogneris rejected "form\.pdf": No template/) as string;
		const files: Array<[name: string, content: Buffer, shown: string, isSent: boolean]> = [
			['good.pdf', sampleBytes('invoice-us.pdf'), 'INV-2026-0117', true],
			['empty.pdf', Buffer.alloc(0), '"empty.pdf" is empty', false],
			['notes.txt', sampleBytes('notes.txt'), '"notes.txt" has an unsupported file type', false],
			['INVOICE.PDF', sampleBytes('invoice-uk.pdf'), '0004021', true],
			['Übersicht "№ 5"; חשבונית 🧾.pdf', sampleBytes('invoice-de.pdf'), 'RE-2026-1148', true],
			['form.pdf', sampleBytes('form.pdf'), rejected, true],
		];
		const items = await Promise.all(
			files.map(async ([name, content]) => await itemOf(content, name)),
		);
		const { items: results } = await service.run({ operation: 'extract' }, items, goOn);
		const shown = results.map(({ json, pairedItem }) => {
			const { invoiceNumber } = (json.fields ?? {}) as IDataObject;
			return [json.fileName, invoiceNumber ?? failureOf({ json }).message, pairedItem];
		});
		expect(shown).toEqual(files.map(([name, , text], item) => [name, text, { item }]));
		const arrived = (await service.files()).map((file) => file.sha256);
		const sent = files.flatMap(([, content, , isSent]) => (isSent ? sha256(content) : []));
		expect(arrived.sort()).toEqual(sent.sort());
		expect(await service.calls()).toHaveLength(4);
	});
});

test('output order is item order, then file order, whatever is answered first', async () => {
	const [us, uk, contract] = [
		await storedSample('invoice-us.pdf'),
		await storedSample('invoice-uk.pdf'),
		await storedSample('contract.pdf'),
	];
	const named = async (name: string) => await storedSample('invoice-us.pdf', name);
	const items: INodeExecutionData[] = [
		{ json: {}, binary: { a: await named('slow.pdf'), b: uk } },
		{ json: {}, binary: {} },
		{ json: {}, binary: { a: contract, b: await named('slower.pdf'), c: us } },
	];
	await service.standIn.queueFaults([
		{ kind: 'late', ms: 250, match: 'slow.pdf' },
		{ kind: 'late', ms: 400, match: 'slower.pdf' },
	]);
	const parameters = { operation: 'classify', options: { includeInputFile: false } };
	const { items: results } = await service.run(parameters, items, goOn);
	expect(
		results.map(({ json, pairedItem }) => [
			json.fileName ?? (json.error as IDataObject).message,
			pairedItem,
		]),
	).toEqual([
		['slow.pdf', { item: 0 }],
		['invoice-uk.pdf', { item: 0 }],
		['The item has no file', { item: 1 }],
		['contract.pdf', { item: 2 }],
		['slower.pdf', { item: 2 }],
		['invoice-us.pdf', { item: 2 }],
	]);
});

describe('A document that cannot be processed', () => {
	test.each([
		['refused before it is sent', 'notes.txt', undefined, NodeOperationError],
		['rejected by the service', 'form.pdf', '422', NodeApiError],
	])('%s: an item of this form', async (_, name, httpCode, errorClass) => {
		const items = await itemsWith('invoice-us.pdf', name);
		const [, result] = (await service.run({ operation: 'extract' }, items, goOn)).items;
		expect(Object.keys(result ?? {}).sort()).toEqual(['json', 'pairedItem']);
		expect(Object.keys(result?.json ?? {}).sort()).toEqual(['error', 'fileName']);
		expect(result?.json.fileName).toBe(name);
		expect(result?.pairedItem).toEqual({ item: 1 });
		const { message, description, details } = failureOf(result);
		expect(details.fileName).toBe(name);
		// The same, where it ends the run.
		const error = await thrownBy(service.run({ operation: 'extract' }, [await itemWith(name)]));
		expect(error).toBeInstanceOf(errorClass);
		expect(error).toMatchObject({ message, context: { itemIndex: 0 } });
		expect(error.description?.replaceAll('<br>', ' ')).toContain(description);
		expect((error as NodeApiError).httpCode ?? undefined).toBe(httpCode);
		expect((error as NodeApiError).node.name).toBe('Document Intelligence');
	});

	test('is found before the first request is made: a run that stops has cost nothing', async () => {
		const items = await itemsWith('invoice-us.pdf', 'contract.pdf', 'notes.txt');
		const error = (await thrownBy(
			service.run({ operation: 'extract' }, items),
		)) as NodeOperationError;
		expect(error.message).toBe('"notes.txt" has an unsupported file type');
		expect(error.context.itemIndex).toBe(2);
		expect(error.description).toMatch(/ Nothing was sent\.$/);
		expect(await service.calls()).toEqual([]);
	});

	test.each([{}, goOn])(
		'because of the credential is told that nothing was sent: %j',
		async (onError) => {
			const items = await itemsWith('invoice-us.pdf');
			const credential = { ...service.credential, apiKey: 'abc' };
			const running = service.run({ operation: 'extract' }, items, { credential, ...onError });
			const { description } = await running.then(
				({ items: [failedItem] }) => failureOf(failedItem),
				(thrown: Error & { description?: string }) => thrown,
			);
			expect(description).toMatch(/^Enter the key .* Nothing was sent\.$/);
		},
	);

	test('that an earlier attempt may have paid for is not told so', async () => {
		const extract = { operation: 'extract', options: { concurrency: 1 } };
		const more = { node: { retryOnFail: true }, executionId: 'one' };
		const [good, bad] = await distinctInvoices(2);
		await service.standIn.queueFaults([{ kind: 'reset', afterWork: true, match: '1.pdf' }]);
		for (const attempt of ['first', 'second']) {
			const error = await thrownBy(service.run(extract, [good!, bad!], more));
			expect([attempt, error.description]).toEqual([
				attempt,
				expect.stringMatching(/may be billed twice\./),
			]);
			expect(error.description).not.toContain('Nothing was sent');
		}
		expect(await service.calls()).toHaveLength(2);
	});
});

describe('An operation that the node does not have', () => {
	const message = `Unknown value for 'Operation': "fromTheFuture"`;

	test.each<[string, unknown, string]>([
		['saved by a newer version', 'fromTheFuture', message],
		// n8n does not evaluate expressions here.
		['an expression', '={{ $json.wanted }}', `Unknown value for 'Operation': "{{ $json.wanted }}"`],
		[
			'that is the name of another thing',
			'constructor',
			`Unknown value for 'Operation': "constructor"`,
		],
	])('is refused before anything is sent: %s', async (_, operation, expected) => {
		const error = await thrownBy(
			service.run({ operation } as IDataObject, [await itemWith('invoice-us.pdf')]),
		);
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error.message).toBe(expected);
		expect(error.description).toMatch(
			/^Nothing was sent\. Choose from the list\. Possible values: classify, .*extract/,
		);
		expect(await service.calls()).toEqual([]);
	});

	test('is a failed item for each item under On Error: Continue, so that the input is not passed on as a result', async () => {
		const input = await itemsWith('invoice-us.pdf', 'contract.pdf');
		const { items, hints } = await service.run({ operation: 'fromTheFuture' }, input, goOn);
		expect(items.map((item) => [failureOf(item).message, item.pairedItem])).toEqual([
			[message, { item: 0 }],
			[message, { item: 1 }],
		]);
		expect(items.map(({ json, binary }) => [Object.keys(json), binary])).toEqual([
			[['error'], undefined],
			[['error'], undefined],
		]);
		expect(hints.map((hint) => hint.message)).toEqual([`2 items failed: ${message} (2 times)`]);
		expect(await service.calls()).toEqual([]);
	});
});

describe('A mistake in this node after the last response', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	test('is told, and keeps the results for the next run', async () => {
		const items = [await itemWith('invoice-us.pdf'), await itemWith('notes.txt')];
		const add = jest.spyOn(Notes.prototype, 'add').mockImplementationOnce(() => {
			throw new Error('unforeseen');
		});
		const error = await thrownBy(service.run({ operation: 'extract' }, items, goOn));
		add.mockRestore();
		expect(error.message).toBe('unforeseen');
		expect(error.description).toMatch(/1 result .* is kept/);
		const { items: rows } = await service.run({ operation: 'extract' }, items, goOn);
		expect(rows[0]?.json.documentType).toBe('Invoice');
		expect(await service.calls()).toHaveLength(1);
	});
});
