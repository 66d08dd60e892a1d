import type { IDataObject } from 'n8n-workflow';

import { runNode, storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes } from '../../samples';
import { useService } from '../../service';

const service = useService({ requestsPerWindow: 100_000 });

/** Rows of documents with these fields, with this beside each; the time of the processor and the memory that they take. */
async function measured(documents: object[], json: IDataObject) {
	await useBinaryMode('filesystem');
	const data = await storeFile(sampleBytes('invoice-us.pdf'), 'a.pdf', 'application/pdf');
	await service.standIn.queueFaults(
		documents.map((metadata) => ({ kind: 'answer', data: { metadata }, creditsConsumed: null })),
	);
	const items = documents.map(() => ({ json, binary: { data } }));
	const [memory, cpu] = [process.memoryUsage().rss, process.cpuUsage()];
	// Not by way of the service's run, which searches all that is given out for keys: 2 GB of text here.
	const result = await runNode({
		parameters: { operation: 'extract', output: 'rows', options: { includeInputFields: true } },
		items,
		credential: { ...service.credential, concurrentRequests: 1, requestsPerMinute: 100_000 },
	});
	// Not the time on the clock, which tells more of what else the machine has to do.
	const { user, system } = process.cpuUsage(cpu);
	expect((user + system) / 1000).toBeLessThan(20_000);
	expect((process.memoryUsage().rss - memory) / 2 ** 20).toBeLessThan(300);
	return result.items.map((item) => item.json);
}

const fields = (document: number, count: number) =>
	Object.fromEntries(
		Array.from({ length: count }, (_, number) => [`field ${document} ${number}`, number]),
	);

test('10,000 rows beside a mail hold it once', async () => {
	const lines = Array.from({ length: 10_000 }, (_, amount) => ({ amount }));
	const text = 'A line of a mail. '.repeat(1700);
	const rows = await measured([{ lines }], { text });
	expect(rows).toHaveLength(10_000);
	expect(rows.at(-1)).toMatchObject({ rowNumber: 10_000, amount: 9999, input_text: text });
});

test('100,000 input fields are all in the row', async () => {
	const [row] = await measured([{ total: 1 }], fields(0, 100_000));
	expect(row?.['input_field 0 99999']).toBe(99_999);
});

test('all columns of 150 documents of 300 fields each are in the first row', async () => {
	const documents = Array.from({ length: 150 }, (_, number) => ({ fields: fields(number, 300) }));
	const [first] = await measured(documents, {});
	expect(Object.keys(first ?? {})).toHaveLength(150 * 300 + 5);
	expect(first).toMatchObject({ ...fields(0, 300), 'field 149 299': null, rowNumber: 1 });
});
