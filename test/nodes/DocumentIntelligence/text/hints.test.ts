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
					/^3 files .*skipped.*: "invite-1.ics", "invite-1.ics", "invite-2.ics"$/,
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
			expect.stringMatching(/^1 file .*skipped.*: "invite-1.ics"$/),
		]);
	});

	test('many files are counted, not listed', async () => {
		const { hints } = await service.run(leaveOut, [await mail(40)]);
		expect(hints).toHaveLength(1);
		expect(hints[0]?.message).toMatch(/^40 files .*skipped.*: ("invite-\d\.ics", ){5}and 35 more$/);
	});

	test('nothing skipped, no hint', async () => {
		expect((await service.run(leaveOut, [await mail(0)])).hints).toEqual([]);
	});

	test('off, they are failed items', async () => {
		const { items, hints } = await service.run({ ...leaveOut, options: {} }, [await mail(1)], goOn);
		expect(items).toHaveLength(2);
		expect(failureOf(items[1]).message).toMatch(/"invite-1.ics" has an unsupported file type/);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^\d documents? gave no result: /),
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
			expect.stringMatching(/^\d documents? gave no result: /),
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
				expect.stringMatching(/^2 files .*skipped.*: "notes.txt", "notes.txt"$/),
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
			'1 document gave no result: The item has no file',
			expect.stringMatching(/^1 file .*skipped.*: "notes.txt"$/),
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
		expect(hints.map(({ message }) => message)).toContainEqual(
			expect.stringMatching(/^1 file .*skipped.*: "notes.txt"$/),
		);
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
		traffic: Partial<typeof calm>,
		fill: (hints: Hints) => void = () => undefined,
	): Array<[string | undefined, string]> {
		const hints = new Hints();
		fill(hints);
		return hints.all({ ...calm, ...traffic }).map(({ type, message, location }) => {
			expect(location).toBe('outputPane');
			return [type, message];
		});
	}

	test('nothing to say, none', () => {
		expect(said({})).toEqual([]);
		expect(said({ waitedMs: 999 })).toEqual([]);
		expect(said({ rejections: 3 })).toEqual([]);
	});

	test.each<[Partial<typeof calm>, string]>([
		[{ waitedMs: 1000 }, 'Waited 1 second in total because of the rate limit of the API key.'],
		[{ waitedMs: 61_400 }, 'Waited 61 seconds in total because of the rate limit of the API key.'],
		[
			{ waitedMs: 2000, rejections: 1 },
			'Waited 2 seconds in total because of the rate limit of the API key. The service rejected 1 request, which was retried at no cost: other programs may be using the same key.',
		],
		[
			{ waitedMs: 2000, rejections: 2 },
			'Waited 2 seconds in total because of the rate limit of the API key. The service rejected 2 requests, which were retried at no cost: other programs may be using the same key.',
		],
		[
			{ retries: 1 },
			'1 request was retried because the connection or the service was briefly unavailable.',
		],
		[
			{ retries: 2 },
			'2 requests were retried because the connection or the service was briefly unavailable.',
		],
	])('%j', (traffic, message) => {
		expect(said(traffic)).toEqual([['info', message]]);
	});

	describe('about uncertain values', () => {
		type Uncertain = Parameters<Hints['addUncertain']>[1];
		const date = (name: string): Uncertain[0] => ({
			path: ['fields', name],
			text: '05/06/2026',
			decides: 'dateOrder',
		});
		const amount = (row: number): Uncertain[0] => ({
			path: ['fields', 'lines', row, 'amount'],
			text: '1.234',
			decides: 'decimalMark',
		});
		const year: Uncertain[0] = { path: ['due'], text: '05.06.26' };
		const start = (what: string) => `Values of ${what} can be read in two ways and stayed text.`;
		const ORDER = 'If all dates are printed in the same order, set Date Order in the options:';
		const MARK = 'If all amounts are printed in the same way, set Decimal Mark in the options:';
		const NONE =
			'No option decides years of two digits and numbers in brackets; correct them, or name their fields in Keep as Text:';

		test.each<[string, Array<[string, Uncertain]>, string]>([
			[
				'one file, one value',
				[['"a.pdf"', [date('due')]]],
				`${start('"a.pdf"')} ${ORDER} "05/06/2026" (due).`,
			],
			[
				'one file, one setting, more values than are named',
				[['"a.pdf"', [amount(0), amount(1), amount(2), amount(3), amount(4)]]],
				`${start('"a.pdf"')} ${MARK} "1.234" (lines[0].amount), "1.234" (lines[1].amount), "1.234" (lines[2].amount), and 2 more.`,
			],
			[
				'one file, two settings and what no setting decides',
				[['"a.pdf"', [amount(0), year, date('due')]]],
				`${start('"a.pdf"')} ${ORDER} "05/06/2026" (due). ${MARK} "1.234" (lines[0].amount). ${NONE} "05.06.26" (due).`,
			],
			[
				'several files, one setting: a value of each',
				['a', 'b', 'c', 'd'].map((name): [string, Uncertain] => [
					`"${name}.pdf"`,
					[date('date'), date('due')],
				]),
				`${start('4 documents')} ${ORDER} "05/06/2026" (date in "a.pdf"), "05/06/2026" (date in "b.pdf"), "05/06/2026" (date in "c.pdf"), and 5 more.`,
			],
			[
				'two files, a setting each',
				[
					['"a.pdf"', [date('date'), date('due')]],
					['"b.pdf"', [amount(0)]],
				],
				`${start('2 documents')} ${ORDER} "05/06/2026" (date in "a.pdf"), "05/06/2026" (due in "a.pdf"). ${MARK} "1.234" (lines[0].amount in "b.pdf").`,
			],
			[
				'two files of one name',
				[
					['"a.pdf"', [date('due')]],
					['"a.pdf"', [date('due')]],
				],
				`${start('2 documents')} ${ORDER} "05/06/2026" (due in "a.pdf"), "05/06/2026" (due in "a.pdf").`,
			],
		])('%s', (_, documents, message) => {
			expect(
				said({}, (hints) => {
					for (const [subject, values] of documents) hints.addUncertain(subject, values);
				}),
			).toEqual([['warning', message]]);
		});

		test('names are short and on one line', () => {
			const path = ['fields', `a\n\u2028b${'x'.repeat(5000)}`, 'total'];
			const [[, message] = []] = said({}, (hints) =>
				hints.addUncertain('"a.pdf"', [{ path, text: '1.234', decides: 'decimalMark' }]),
			);
			expect(message).toBe(`${start('"a.pdf"')} ${MARK} "1.234" (a b${'x'.repeat(97)}…).`);
		});

		test('none where there are none', () => {
			expect(said({}, (hints) => hints.addUncertain('"a.pdf"', []))).toEqual([]);
		});
	});

	describe('about names that no document has', () => {
		const option = 'Required Fields';

		test('short and on one line', () => {
			const name = `a\nb${'x'.repeat(3000)}`;
			const short = `a b${'x'.repeat(97)}…`;
			expect(said({}, (hints) => hints.addNames(option, [name], [name]))).toEqual([
				[
					'warning',
					`No document has the field "${short}" in Required Fields. Check its name in the Fields or Simplified output.`,
				],
			]);
		});

		test('one, and several with the nearest names', () => {
			expect(said({}, (hints) => hints.addNames(option, ['a'], ['a']))).toEqual([
				[
					'warning',
					'No document has the field "a" in Required Fields. Check its name in the Fields or Simplified output.',
				],
			]);
			expect(
				said({}, (hints) => {
					hints.addNames(option, ['totl', 'b'], ['totl', 'b']);
					hints.addNames(option, ['totl', 'b'], ['totl']);
					hints.addNames('Keep as Text', ['b'], ['b']);
				}),
			).toEqual([
				[
					'warning',
					'No document has the fields "totl" in Required Fields, "b" in Keep as Text. Check their names in the Fields or Simplified output.',
				],
			]);
		});
	});

	test('a name that an earlier document has is known', () => {
		expect(
			said({}, (hints) => {
				hints.addNames('Required Fields', ['total'], []);
				hints.addNames('Required Fields', ['total'], ['total']);
			}),
		).toEqual([]);
	});

	describe('about the credits of a run', () => {
		test.each<[Array<number | undefined>, string]>([
			[[0], '0 credits'],
			[[1, undefined], '1 credit'],
			[[undefined, 2, 3], '5 credits'],
			[[0.1, 0.2], '0.3 credits'],
		])('%j: %s', (credits, sum) => {
			expect(said({}, (hints) => credits.forEach((each) => hints.addCredits(each)))).toEqual([
				['info', `The service reported ${sum} for this run.`],
			]);
		});

		test('none where the service says nothing of them', () => {
			expect(said({}, (hints) => hints.addCredits(undefined))).toEqual([]);
		});
	});

	const FORGET =
		'To process files again, add a Remove Duplicates node that is connected to nothing, choose the operation Clear Deduplication History and, under Options, the Scope Workflow, and click Execute step. While you build a workflow, you can turn Skip Processed Files off.';

	test.each<['info' | 'warning', string, (hints: Hints) => void]>([
		[
			'info',
			`1 file skipped because this workflow has already processed it: "a.pdf". ${FORGET}`,
			(hints) => hints.processedFiles.push('"a.pdf"'),
		],
		[
			'info',
			`2 files skipped because this workflow has already processed them: "a.pdf", "b.pdf". The run has no output because nothing else was there to process. ${FORGET}`,
			(hints) => {
				hints.processedFiles.push('"a.pdf"', '"b.pdf"');
				hints.isAllProcessed = true;
			},
		],
		[
			'info',
			'1 file skipped because it is a copy of another file in this run: "a.pdf"',
			(hints) => hints.copiedFiles.push('"a.pdf"'),
		],
		[
			'info',
			'2 files skipped because they are copies of other files in this run: "a.pdf", "b.pdf"',
			(hints) => hints.copiedFiles.push('"a.pdf"', '"b.pdf"'),
		],
		[
			'warning',
			"1 document could not be marked as processed in n8n's deduplication history. Skip Processed Files will not skip it next time.",
			(hints) => (hints.notRemembered = 1),
		],
		[
			'warning',
			"2 documents could not be marked as processed in n8n's deduplication history. Skip Processed Files will not skip them next time.",
			(hints) => (hints.notRemembered = 2),
		],
		[
			'warning',
			'No document was found in 1 file, so it has no output: "a.png"',
			(hints) => hints.nothingCropped.push('"a.png"'),
		],
		['info', 'About the rows: "taxes"', (hints) => hints.tableRemarks.push('"taxes"')],
		[
			'warning',
			'A person should look at 1 decision: "a.png": 1 document shows no face',
			(hints) => hints.add('decision', '"a.png": 1 document shows no face'),
		],
		[
			'warning',
			'Check the documents of 1 file: "a.pdf" (not cut: it needs a password)',
			(hints) => hints.add('pages', '"a.pdf" (not cut: it needs a password)'),
		],
		[
			'info',
			'Older jobs are not shown. Limit can be raised to 100, which is how many jobs the service lists; others can be read by their ID.',
			(hints) => (hints.hasOlderJobs = true),
		],
		[
			'warning',
			'3 documents gave no result: "a.pdf" is empty (2 times), The item has no file',
			(hints) =>
				hints.failures.push('"a.pdf" is empty', 'The item has no file', '"a.pdf" is empty'),
		],
	])('%s: %s', (type, message, fill) => {
		expect(said({}, fill)).toEqual([[type, message]]);
	});

	test('each kind once, what is lost first, names up to five', () => {
		const names = (count: number) =>
			Array.from({ length: count }, (_, number) => `"${number}.pdf"`);
		expect(
			said({ waitedMs: 5000, retries: 1 }, (hints) => {
				hints.failures.push('One', 'Two');
				hints.skippedFiles.push(...names(5));
				hints.qualityRemarks.push(...names(6));
				hints.nothingCropped.push(...names(7));
			}),
		).toEqual([
			['warning', '2 documents gave no result: One, Two'],
			[
				'info',
				'5 files skipped because the file type is not supported: "0.pdf", "1.pdf", "2.pdf", "3.pdf", "4.pdf"',
			],
			[
				'warning',
				'The service reported low quality for 6 documents: "0.pdf", "1.pdf", "2.pdf", "3.pdf", "4.pdf", and 1 more',
			],
			[
				'warning',
				'No document was found in 7 files, so they have no output: "0.pdf", "1.pdf", "2.pdf", "3.pdf", "4.pdf", and 2 more',
			],
			['info', 'Waited 5 seconds in total because of the rate limit of the API key.'],
			[
				'info',
				'1 request was retried because the connection or the service was briefly unavailable.',
			],
		]);
	});
});
