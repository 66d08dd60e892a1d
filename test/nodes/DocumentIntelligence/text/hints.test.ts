import type { INodeExecutionData } from 'n8n-workflow';

import { Hints } from '../../../../nodes/DocumentIntelligence/text/hints';
import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sampleBytes, storedSample } from '../../samples';
import { failureOf, useService } from '../../service';

const service = useService();
const goOn = { onError: 'continueRegularOutput' as const };

beforeAll(async () => await useBinaryMode('filesystem'));

/** A mail with an invoice and so many calendar files. */
async function mail(calendars: number): Promise<INodeExecutionData> {
	const binary: INodeExecutionData['binary'] = {
		attachment_0: await storedSample('invoice-us.pdf'),
	};
	for (let index = 1; index <= calendars; index++) {
		binary[`attachment_${index}`] = await storeFile(
			Buffer.from('BEGIN:VCALENDAR'),
			`invite-${index}.ics`,
			'text/calendar',
		);
	}
	return { json: {}, binary };
}

describe('Ignore Unsupported Files', () => {
	const leaveOut = {
		operation: 'extract',
		binaryPropertyName: '*',
		options: { ignoreUnsupportedFiles: true },
	};

	test('skips them with a hint that names them, once for the run', async () => {
		const { items, hints } = await service.run(leaveOut, [
			await mail(1),
			await mail(0),
			await mail(2),
		]);
		expect(items.map(({ json, pairedItem }) => [json.fileName, pairedItem])).toEqual([
			['invoice-us.pdf', { item: 0 }],
			['invoice-us.pdf', { item: 1 }],
			['invoice-us.pdf', { item: 2 }],
		]);
		expect(hints).toEqual([
			{
				message: expect.stringMatching(
					/^3 files skipped: "invite-1.ics" \(unsupported file type\) \(2 times\), "invite-2.ics" \(unsupported file type\)$/,
				) as string,
				type: 'info',
				location: 'outputPane',
			},
		]);
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual(
			Array(3).fill('invoice-us.pdf'),
		);
	});

	test('one file is one file', async () => {
		const { hints } = await service.run(leaveOut, [await mail(1)]);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^1 file skipped: "invite-1.ics" \(unsupported file type\)$/),
		]);
	});

	test('many files are counted, not listed', async () => {
		const { hints } = await service.run(leaveOut, [await mail(40)]);
		expect(hints).toHaveLength(1);
		expect(hints[0]?.message).toMatch(
			/^40 files skipped: ("invite-\d\.ics" \(unsupported file type\), ){5}and 35 more$/,
		);
	});

	test('nothing skipped, no hint', async () => {
		expect((await service.run(leaveOut, [await mail(0)])).hints).toEqual([]);
	});

	test('off, they are failed items', async () => {
		const { items, hints } = await service.run({ ...leaveOut, options: {} }, [await mail(1)], goOn);
		expect(items).toHaveLength(2);
		expect(failureOf(items[1]).message).toMatch(/"invite-1.ics" has an unsupported file type/);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^\d items? failed: /),
		]);
	});

	test('files that are empty or too large are not skipped in silence', async () => {
		const item = {
			json: {},
			binary: {
				a: await storeFile(Buffer.alloc(0), 'empty.pdf', 'application/pdf'),
				b: await storedSample('contract.pdf'),
			},
		};
		const { items, hints } = await service.run(leaveOut, [item], goOn);
		expect(failureOf(items[0]).message).toBe('"empty.pdf" is empty');
		expect(items[1]?.json.documentType).toBe('Contract');
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^\d items? failed: /),
		]);
	});

	/** An item whose only file is unsupported. */
	const onlyNotes = async (field = 'data'): Promise<INodeExecutionData> => ({
		json: {},
		binary: { [field]: await storeFile(sampleBytes('notes.txt'), 'notes.txt', 'text/plain') },
	});

	test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'an item of which nothing is left gives no item, and is named once (On Error: %s)',
		async (onError) => {
			const items = [await onlyNotes(), await mail(0), await onlyNotes()];
			const { items: results, hints } = await service.run(leaveOut, items, { onError });
			expect(results.map(({ json, pairedItem }) => [json.fileName, pairedItem])).toEqual([
				['invoice-us.pdf', { item: 1 }],
			]);
			expect(hints.map(({ message }) => message)).toEqual([
				expect.stringMatching(
					/^2 files skipped: "notes.txt" \(unsupported file type\) \(2 times\)$/,
				),
			]);
			expect(await service.calls()).toHaveLength(1);
		},
	);

	test('an item without any file is a failed item all the same', async () => {
		const { items, hints } = await service.run(leaveOut, [await onlyNotes(), { json: {} }], goOn);
		expect(items.map((item) => [failureOf(item).message, item.pairedItem])).toEqual([
			['The item has no file', { item: 1 }],
		]);
		expect(hints.map(({ message }) => message)).toEqual([
			'1 item failed: The item has no file',
			expect.stringMatching(/^1 file skipped: "notes.txt"/),
		]);
		expect(await service.calls()).toEqual([]);
	});

	test('a field that is not there is a failed item beside a file that is skipped', async () => {
		const { items } = await service.run(
			{ ...leaveOut, binaryPropertyName: 'data, invoice' },
			[await onlyNotes()],
			goOn,
		);
		expect(items.map((item) => failureOf(item).message)).toEqual([
			'No file in the field "invoice"',
		]);
	});

	test.each<[string, Record<string, string>, string[]]>([
		['the selfie', { selfie: 'notes.txt', front: 'id-card.png' }, []],
		['every document', { selfie: 'portrait.png', front: 'notes.txt' }, []],
		['every file', { selfie: 'notes.txt' }, []],
		[
			'one document of two',
			{ selfie: 'portrait.png', front: 'id-card.png', back: 'notes.txt' },
			['portrait.png', 'id-card.png'],
		],
	])('Match Faces without %s', async (_, fields, sent) => {
		const item: INodeExecutionData = { json: {}, binary: {} };
		for (const [field, name] of Object.entries(fields))
			item.binary = { ...item.binary, [field]: await storedSample(name) };
		const { items, hints } = await service.run(
			{
				operation: 'faceMatch',
				documentsField: '*',
				options: { ignoreUnsupportedFiles: true },
			},
			[item],
		);
		expect(items).toHaveLength(sent.length > 0 ? 1 : 0);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^1 file skipped: "notes.txt"/),
		]);
		expect((await service.files()).map(({ fileName }) => fileName)).toEqual(sent);
	});

	test('is read for each item', async () => {
		const parameters = {
			...leaveOut,
			options: { ignoreUnsupportedFiles: '={{ $json.leaveOut }}' },
		};
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
	const { items, hints } = await service.run(
		{ operation: 'extract' },
		[await mail(0), await mail(0), await mail(0)].map(({ json, binary }) => ({
			json,
			binary: { data: binary?.attachment_0 ?? { data: '', mimeType: '' } },
		})),
	);
	expect(items).toHaveLength(3);
	expect(hints).toEqual([
		{
			message: expect.stringMatching(/2 documents.*"invoice-us.pdf".*not sharp/) as string,
			type: 'warning',
			location: 'outputPane',
		},
	]);
});

describe('The hints of a run', () => {
	const calm = { waitedMs: 0, rejections: 0, retries: 0 };

	function said(
		fill: (hints: Hints) => void,
		requests: Partial<typeof calm> = {},
	): Array<[string | undefined, string]> {
		const hints = new Hints();
		fill(hints);
		return hints.all({ ...calm, ...requests }).map(({ type, message, location }) => {
			expect(location).toBe('outputPane');
			return [type, message];
		});
	}
	const nothing = () => undefined;

	test('nothing to say, none', () => {
		expect(said(nothing)).toEqual([]);
		expect(said(nothing, { waitedMs: 999, rejections: 3 })).toEqual([]);
	});

	test('one of a kind, with the reason of each entry once and at most five of them', () => {
		expect(
			said((hints) => {
				for (const entry of ['"a.pdf" is empty', 'The item has no file', '"a.pdf" is empty'])
					hints.add('failed', entry);
				for (let number = 1; number <= 7; number++) hints.add('nothingFound', `"${number}.png"`);
			}),
		).toEqual([
			['warning', '3 items failed: "a.pdf" is empty (2 times), The item has no file'],
			[
				'warning',
				'No document was found in 7 files, so they have no output: "1.png", "2.png", "3.png", "4.png", "5.png", and 2 more',
			],
		]);
	});

	test('at most three, the worst first', () => {
		const kinds = ['service', 'skipped', 'tables', 'pages', 'failed'] as const;
		const shown = said((hints) => kinds.forEach((kind) => hints.add(kind, '"a.pdf"')));
		expect(shown).toEqual([
			['warning', '1 item failed: "a.pdf"'],
			['warning', 'Check the documents of 1 file: "a.pdf"'],
			['info', 'About the rows: "a.pdf"'],
		]);
	});

	test('entries are short and on one line', () => {
		const [[, message] = []] = said((hints) =>
			hints.add('quality', `"a\n\u2028${'b'.repeat(5000)}"`),
		);
		expect(message).toMatch(/^Cogneris reported low quality for 1 document: "a b+…$/);
		expect(message?.length).toBeLessThan(400);
	});

	test('a field name is listed if no document has it', () => {
		expect(
			said((hints) => {
				hints.addNames('Required Fields', ['totl', 'date'], ['totl']);
				hints.addNames('Required Fields', ['totl', 'date'], ['totl', 'date']);
				hints.addNames('Keep as Text', ['totl'], []);
			}),
		).toEqual([
			[
				'warning',
				'Values and field names to check: "totl" in \'Required Fields\' is in no document',
			],
		]);
	});

	test.each<[Array<number | undefined>, string[]]>([
		[[], []],
		[[undefined], []],
		[[0], ['0 credits']],
		[[1, undefined], ['1 credit']],
		[[0.1, 0.2], ['0.3 credits']],
	])('credits %j: %j', (credits, sums) => {
		expect(said((hints) => credits.forEach((each) => hints.addCredits(each)))).toEqual(
			sums.map((sum) => ['info', `Cogneris reported ${sum} for this run.`]),
		);
	});

	test('credits, waiting, retries and other sentences are one hint', () => {
		const requests = { waitedMs: 61_400, rejections: 2, retries: 1 };
		expect(
			said((hints) => {
				hints.addCredits(2);
				hints.add('service', 'Older jobs are not shown.');
				hints.add('service', 'Older jobs are not shown.');
			}, requests),
		).toEqual([
			[
				'info',
				'Cogneris reported 2 credits for this run. Waited 61 seconds in total because of the rate limit of the API key. Cogneris rejected 2 requests, which were retried at no cost: other programs may be using the same key. 1 request was retried because the connection or Cogneris was briefly unavailable. Older jobs are not shown.',
			],
		]);
	});
});
