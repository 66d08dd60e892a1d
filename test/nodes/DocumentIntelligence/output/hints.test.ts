import type { INodeExecutionData } from 'n8n-workflow';

import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes, storedSample } from '../../samples';
import { failureOf, useService } from '../../service';

const service = useService();
const goOn = { onError: 'continueRegularOutput' as const };

beforeAll(async () => await useBinaryMode('filesystem'));

/** A mail with an invoice and so many calendar files. */
async function mail(calendars: number): Promise<INodeExecutionData> {
	const binary: INodeExecutionData['binary'] = { attachment_0: await storedSample('invoice-us.pdf') };
	for (let index = 1; index <= calendars; index++) {
		binary[`attachment_${index}`] = await storeFile(Buffer.from('BEGIN:VCALENDAR'), `invite-${index}.ics`, 'text/calendar');
	}
	return { json: {}, binary };
}

describe('Ignore Unsupported Files', () => {
	const leaveOut = { operation: 'extract', binaryPropertyName: '*', options: { ignoreUnsupportedFiles: true } };

	test('leaves them out with a hint that names them, once for the run', async () => {
		const { items, hints } = await service.run(leaveOut, [await mail(1), await mail(0), await mail(2)]);
		expect(items.map(({ json, pairedItem }) => [json.fileName, pairedItem])).toEqual([
			['invoice-us.pdf', { item: 0 }],
			['invoice-us.pdf', { item: 1 }],
			['invoice-us.pdf', { item: 2 }],
		]);
		expect(hints).toEqual([
			{
				message: expect.stringMatching(/^3 files .*left out.*: "invite-1.ics", "invite-1.ics", "invite-2.ics"$/) as string,
				type: 'info',
				location: 'outputPane',
			},
		]);
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual(Array(3).fill('invoice-us.pdf'));
	});

	test('one file is one file', async () => {
		const { hints } = await service.run(leaveOut, [await mail(1)]);
		expect(hints.map(({ message }) => message)).toEqual([expect.stringMatching(/^1 file .*left out.*: "invite-1.ics"$/)]);
	});

	test('many files are counted, not listed', async () => {
		const { hints } = await service.run(leaveOut, [await mail(40)]);
		expect(hints).toHaveLength(1);
		expect(hints[0]?.message).toMatch(/^40 files .*left out.*: ("invite-\d\.ics", ){5}and 35 more$/);
	});

	test('nothing left out, no hint', async () => {
		expect((await service.run(leaveOut, [await mail(0)])).hints).toEqual([]);
	});

	test('off, they are failed items', async () => {
		const { items, hints } = await service.run({ ...leaveOut, options: {} }, [await mail(1)], goOn);
		expect(items).toHaveLength(2);
		expect(failureOf(items[1]).message).toMatch(/"invite-1.ics" is not a kind of file/);
		expect(hints.map(({ message }) => message)).toEqual([expect.stringMatching(/^\d documents? gave no result: /)]);
	});

	test('files that are empty or too large are not left out in silence', async () => {
		const item = {
			json: {},
			binary: { a: await storeFile(Buffer.alloc(0), 'empty.pdf', 'application/pdf'), b: await storedSample('contract.pdf') },
		};
		const { items, hints } = await service.run(leaveOut, [item], goOn);
		expect(failureOf(items[0]).message).toBe('"empty.pdf" is empty');
		expect(items[1]?.json.documentType).toBe('Contract');
		expect(hints.map(({ message }) => message)).toEqual([expect.stringMatching(/^\d documents? gave no result: /)]);
	});

	test('an item of which nothing is left is no result, and is not lost in silence', async () => {
		const item = { json: {}, binary: { data: await storeFile(sampleBytes('notes.txt'), 'notes.txt', 'text/plain') } };
		const { items, hints } = await service.run(leaveOut, [item, await mail(0)], goOn);
		expect(items.map(({ pairedItem, error }) => [pairedItem, error === undefined])).toContainEqual([{ item: 1 }, true]);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^\d documents? gave no result: /),
			expect.stringMatching(/^1 file .*left out.*: "notes.txt"$/),
		]);
	});

	test('is read for each item', async () => {
		const parameters = { ...leaveOut, options: { ignoreUnsupportedFiles: '={{ $json.leaveOut }}' } };
		const items = [
			{ ...(await mail(1)), json: { leaveOut: false } },
			{ ...(await mail(1)), json: { leaveOut: true } },
		];
		const { items: results } = await service.run(parameters, items, goOn);
		expect(results.map(({ pairedItem, json }) => [pairedItem, json.error === undefined])).toEqual([
			[{ item: 0 }, true],
			[{ item: 0 }, false],
			[{ item: 1 }, true],
		]);
	});
});

test('remarks on quality are one hint for the run', async () => {
	await service.standIn.queueFaults([{ kind: 'qualityWarn', times: 2 }]);
	const { items, hints } = await service.run({ operation: 'extract' }, [await mail(0), await mail(0), await mail(0)].map(({ json, binary }) => ({
		json,
		binary: { data: binary?.attachment_0 ?? { data: '', mimeType: '' } },
	})));
	expect(items).toHaveLength(3);
	expect(hints).toEqual([
		{
			message: expect.stringMatching(/2 documents.*"invoice-us.pdf".*not sharp/) as string,
			type: 'warning',
			location: 'outputPane',
		},
	]);
});
