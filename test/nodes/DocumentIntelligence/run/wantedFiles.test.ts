import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { storeFile } from '../../../n8n-core/runNode';
import { filesIn, itemOf, storedSample } from '../../samples';
import { goOn, useService } from '../../service';

const service = useService();

/** A mail with an invoice, if it has one, and so many calendar files. */
async function mail(calendars: number, hasInvoice = true): Promise<INodeExecutionData> {
	const binary: INodeExecutionData['binary'] = {};
	if (hasInvoice) binary.invoice = await storedSample('invoice-us.pdf');
	for (let number = 1; number <= calendars; number++)
		binary[`calendar_${number}`] = await storeFile(
			Buffer.from('BEGIN:VCALENDAR'),
			`invite-${number}.ics`,
			'text/calendar',
		);
	return { json: {}, binary };
}

const run = async (items: INodeExecutionData[], options: IDataObject = {}, fields = '*') => {
	const parameters = { operation: 'extract', binaryPropertyName: fields, options };
	const { items: results, hints } = await service.run(parameters, items, goOn);
	return {
		results: results.map(({ json, pairedItem }) => [
			json.fileName,
			(json.error as IDataObject | undefined)?.message,
			(pairedItem as { item: number }).item,
		]),
		hints: hints.map(({ message }) => message),
	};
};

const ignoring = { ignoreUnsupportedFiles: true };
const unsupported = (number: number) => `"invite-${number}.ics" has an unsupported file type`;
const skipped = (number: number) => `"invite-${number}.ics" (unsupported file type)`;

describe('Files of an unsupported type', () => {
	test('are skipped with a hint if * stands for them and a supported file', async () => {
		expect(await run([await mail(1), await mail(2)])).toEqual({
			results: [
				['invoice-us.pdf', undefined, 0],
				['invoice-us.pdf', undefined, 1],
			],
			hints: [`3 files skipped: ${skipped(1)} (2 times); ${skipped(2)}`],
		});
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual([
			'invoice-us.pdf',
			'invoice-us.pdf',
		]);
	});

	test('fail if the item has no other file, or if their fields are named', async () => {
		const { results } = await run([await mail(1, false), await mail(0)]);
		expect(results).toEqual([
			['invite-1.ics', unsupported(1), 0],
			['invoice-us.pdf', undefined, 1],
		]);
		const named = await run([await mail(1)], {}, 'invoice, calendar_1');
		expect(named.results).toEqual([
			['invoice-us.pdf', undefined, 0],
			['invite-1.ics', unsupported(1), 0],
		]);
	});

	test('are skipped with Ignore Unsupported Files, which is read for each item', async () => {
		const items = [await mail(1, false), { json: {} }, await mail(1)];
		expect(await run(items, ignoring, 'calendar_1, invoice')).toEqual({
			results: [
				[undefined, 'No file in the field "invoice"', 0],
				['invoice-us.pdf', undefined, 2],
			],
			hints: [expect.stringMatching(/^1 item failed/), expect.stringMatching(/^4 files skipped/)],
		});
		const byItem = { ignoreUnsupportedFiles: '={{ $itemIndex === 0 }}' };
		const { results } = await run([await mail(1, false), await mail(1, false)], byItem);
		expect(results).toEqual([['invite-1.ics', unsupported(1), 1]]);
	});

	// With one of its documents, it compares the others: operations/document/faceMatch.test.ts.
	test.each([
		['the selfie', { selfie: 'notes.txt', front: 'id-card.png' }],
		['every document', { selfie: 'portrait.png', front: 'notes.txt' }],
	])('Match Faces without %s sends nothing', async (_, fields) => {
		const binary = await filesIn(fields);
		const parameters = { operation: 'faceMatch', documentsField: '*', options: ignoring };
		const { items, hints } = await service.run(parameters, [{ json: {}, binary }]);
		expect(items).toEqual([]);
		expect(hints.map(({ message }) => message)).toContain(
			'1 file skipped: "notes.txt" (unsupported file type)',
		);
		expect(await service.calls()).toEqual([]);
	});
});

test('empty files are not skipped in silence', async () => {
	const { results } = await run([await itemOf(Buffer.alloc(0), 'empty.pdf')], ignoring);
	expect(results).toEqual([['empty.pdf', '"empty.pdf" is empty', 0]]);
});

describe('File Names', () => {
	test.each<[string, string[], string[]]>([
		['*.pdf', ['invoice-us.pdf'], ['invite-1.ics']],
		['scan*', [], ['invoice-us.pdf', 'invite-1.ics']],
	])('%j sends %j and lists %j', async (fileNames, sent, listed) => {
		const { hints } = await run([await mail(1)], { fileNames });
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual(sent);
		const [hint] = hints.filter((message) => message.includes('skipped'));
		for (const name of listed) expect(hint).toContain(`"${name}" (not in 'File Names')`);
	});

	test('an empty pattern is refused before anything is sent', async () => {
		const { results } = await run([await mail(1)], { fileNames: '' });
		expect(results).toEqual([[expect.anything(), expect.stringContaining("'File Names'"), 0]]);
		expect(await service.calls()).toEqual([]);
	});

	test('leaves a selfie to its field, whatever its name', async () => {
		const binary = await filesIn({ selfie: 'portrait.png', front: 'id-card.png' });
		const parameters = { operation: 'faceMatch', options: { fileNames: 'id-*' } };
		// Looks at no picture, which takes long.
		const data = { matches: [{ score: 0.9, matched: true }] };
		await service.standIn.queueFaults([{ kind: 'answer', data }]);
		const { items } = await service.run(parameters, [{ json: {}, binary }]);
		expect(items).toHaveLength(1);
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual([
			'portrait.png',
			'id-card.png',
		]);
	});

	test('an item without a file has no output and is listed', async () => {
		const { results, hints } = await run([{ json: {} }, await mail(0)], { fileNames: '*.pdf' });
		expect(results).toEqual([['invoice-us.pdf', undefined, 1]]);
		expect(hints.join()).toContain('an item (no file)');
	});
});
