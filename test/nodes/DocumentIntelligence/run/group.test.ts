import { classify as classifier } from '../../../../nodes/DocumentIntelligence/operations/document/classify';
import { useStoredHistory } from '../../../n8n-core/history';
import { readFileOf } from '../../../n8n-core/runNode';
import type { Fault } from '../../../stand-in/startStandIn';
import { sampleBytes, sha256 } from '../../samples';
import { useClassify, type Sample } from '../../classifyRuns';
import { failureOf, goOn, thrownBy } from '../../service';

const { service, classify, itemWith, itemsOf } = useClassify();

const requests = async () => (await service.calls()).map(({ parts }) => parts.length);

describe('Files per Request', () => {
	/** The type of each, which has to be that of this very file. */
	const TYPES: Record<string, string> = {
		'invoice-us.pdf': 'Invoice',
		'contract.pdf': 'Contract',
		'letter.docx': 'Invoice',
		'id-card.png': 'Identity Card',
	};
	const mixed: Sample[][] = [
		[
			['contract.pdf', 'ä.pdf'],
			['invoice-us.pdf', 'ö.pdf'],
		],
		[['id-card.png', 'c.png']],
		[
			['letter.docx', 'd.docx'],
			['invoice-us.pdf', 'ä.pdf'],
		],
	];
	test('the results of files go back to item and file, in any order, and also if two share a name or are written alike', async () => {
		await service.standIn.queueFaults([{ kind: 'reorderedResults' }]);
		const items = await Promise.all(mixed.map(async (own) => await itemWith(...own)));
		const { items: results } = await classify(items);
		const names = (await service.files()).map(({ fileName }) => fileName);
		expect(names).toEqual(['ä.pdf', 'ö (2).pdf', 'c.png', 'd.docx', 'ä (3).pdf']);
		expect(await requests()).toEqual([5]);
		const found = results.map(async ({ json, binary, pairedItem }) => [
			json.fileName,
			json.documentType,
			binary?.data === undefined ? undefined : sha256(await readFileOf(binary.data)),
			pairedItem,
		]);
		expect(await Promise.all(found)).toEqual(
			mixed.flatMap((own, item) =>
				own.map(([sample, name]) => [name, TYPES[sample], sha256(sampleBytes(sample)), { item }]),
			),
		);
	});

	test.each([
		[1, [1, 1, 1, 1, 1]],
		[2, [1, 2, 2]],
		[20, [5]],
	])('%d: requests of %j files', async (filesPerRequest, expected) => {
		const items = await Promise.all(mixed.map(async (own) => await itemWith(...own)));
		await classify(items, { filesPerRequest });
		expect((await requests()).sort()).toEqual(expected);
	});

	test('above 1 is refused with Raw before anything is sent, unless a document is processed as a job', async () => {
		const items = await itemsOf('a.pdf', 'b.pdf');
		const error = await thrownBy(classify(items, {}, {}, { output: 'raw' }));
		expect(error.message).toBe("With 'Files per Request' above 1, 'Output' cannot be Raw");
		expect(await service.calls()).toEqual([]);
		const { items: raw } = await classify(
			items,
			{ processing: 'job', includeInputFile: false },
			{},
			{ output: 'raw' },
		);
		expect(raw).toHaveLength(2);
	});

	test('each file is read as if it had been sent alone, and items that differ are not mixed', async () => {
		const items = (await itemsOf('a.pdf', 'b.pdf', 'c.pdf')).map((item, place) => ({
			...item,
			json: { size: place === 1 ? 1 : 20 },
		}));
		const { items: results } = await classify(items, { filesPerRequest: '={{ $json.size }}' });
		expect(await requests()).toEqual(expect.arrayContaining([2, 1]));
		expect(results.map(({ json }) => [json.fileName, json.documentType])).toEqual(
			['a.pdf', 'b.pdf', 'c.pdf'].map((name) => [name, 'Contract']),
		);
	});
});

test('a mistake of this node with one part of an answer costs the others nothing, and the part may be billed', async () => {
	const divide = jest.spyOn(classifier, 'answerFor').mockImplementationOnce(() => {
		throw new Error('results is undefined');
	});
	const skip = { processedBefore: 'skip' };
	await useStoredHistory();
	const items = await Promise.all(
		['invoice-us.pdf', 'contract.pdf'].map(async (name) => await itemWith([name, name])),
	);
	const { items: results } = await classify(items, skip, goOn);
	divide.mockRestore();
	expect(failureOf(results[0])).toMatchObject({
		message: 'The response for "invoice-us.pdf" could not be read: results is undefined',
		description: expect.stringContaining('may already be billed, so Skip will skip') as string,
	});
	expect(results[1]?.json.documentType).toBe('Contract');
	expect((await classify(items, skip, goOn)).items).toEqual([]);
	expect(await requests()).toEqual([2]);
});

describe('A request rejected because of one of its files', () => {
	const names = Array.from({ length: 20 }, (_, at) => (at === 13 ? 'broken.pdf' : `${at}.pdf`));
	const paired = names.map((_, item) => ({ item }));
	const twenty = async () => await itemsOf(...names);

	test.each([400, 413, 415, 422])('status %d: the others have their result', async (status) => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status, match: 'broken', times: 99 },
		]);
		const { items } = await classify(await twenty(), {}, goOn);
		expect(items.map(({ json }) => json.documentType)).toEqual(
			items.map((_, position) => (position === 13 ? undefined : 'Contract')),
		);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(paired);
		expect(failureOf(items[13]).message).toContain('"broken.pdf"');
		expect(failureOf(items[13]).details.fileName).toBe('broken.pdf');
		expect(await requests()).toEqual([20, ...paired.map(() => 1)]);
	});

	test.each<Fault>([
		{ kind: 'charged422', match: 'broken', times: 99 },
		{ kind: 'envelopeError', status: 400, creditsConsumed: 16, match: 'broken', times: 99 },
		{ kind: 'charged503', match: 'broken', times: 99 },
	])('one that was billed is sent once: %j', async (fault) => {
		await service.standIn.queueFaults([fault]);
		const { items, credits } = await classify(await twenty(), {}, goOn);
		expect(await requests()).toEqual([20]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(paired);
		const failures = items.map(failureOf);
		// What it cost counts once.
		const billed = 'creditsConsumed' in fault ? fault.creditsConsumed : 2;
		expect(failures.map(({ details }) => details.creditsConsumed)).toEqual(
			paired.map((_, number) => (number === 0 ? billed : 0)),
		);
		expect(failures[0]?.description).toMatch(/billed \d+ credits/);
		for (const { description } of failures.slice(1))
			expect(description).toContain('may already be billed, and processing it again');
		expect(credits).toEqual([`Cogneris reported ${billed} credits for this run.`]);
	});

	test('with On Error: Stop, too: the message names the file, and what was answered before it is kept', async () => {
		await service.standIn.queueFaults([
			{ kind: 'envelopeError', status: 400, match: 'broken', times: 99 },
		]);
		const error = await thrownBy(classify(await twenty()));
		expect(error.message).toBe('Cogneris rejected "broken.pdf"');
		expect(error.description).toContain('13 results');
		expect(await requests()).toEqual([20, ...Array.from({ length: 14 }, () => 1)]);
	});

	test.each([401, 403, 500])(
		'what is not about a file, such as status %d, is not tried file by file',
		async (status) => {
			await service.standIn.queueFaults([{ kind: 'envelopeError', status }]);
			const { items } = await classify(await twenty(), {}, goOn);
			expect(items.map((item) => failureOf(item).details.httpCode)).toEqual(
				names.map(() => status),
			);
			expect(await service.calls()).toHaveLength(1);
		},
	);
});
