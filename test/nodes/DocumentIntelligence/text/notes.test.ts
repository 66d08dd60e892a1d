import { hintsOf, Notes, type Totals } from '../../../../nodes/DocumentIntelligence/text/notes';

describe('The hints of a run', () => {
	const calm: Totals = { waitedMs: 0, rejections: 0, retries: 0 };

	function said(
		fill: (notes: Notes) => void,
		totals: Partial<Totals> = {},
	): Array<[string | undefined, string]> {
		const notes = new Notes();
		fill(notes);
		return hintsOf(notes.list, { ...calm, ...totals }).map(({ type, message, location }) => {
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
			said((notes) => {
				for (const entry of ['"a.pdf" is empty', 'The item has no file', '"a.pdf" is empty'])
					notes.add('failed', entry);
				for (let number = 1; number <= 7; number++) notes.add('nothingFound', `"${number}.png"`);
			}),
		).toEqual([
			['warning', '3 items failed: "a.pdf" is empty (2 times); The item has no file'],
			[
				'warning',
				'No document was found in 7 files, so they have no output: "1.png"; "2.png"; "3.png"; "4.png"; "5.png"; and 2 more',
			],
		]);
	});

	test('types are counted, the most frequent first', () => {
		const classified = (...types: string[]) =>
			said((notes) => types.forEach((type) => notes.add('classified', `${type} (99)`, type)));
		expect(classified('Invoice')).toEqual([['info', '1 document: Invoice (99)']]);
		expect(classified('Letter', 'Invoice', 'Invoice')).toEqual([
			['info', '3 documents: Invoice 2, Letter 1'],
		]);
		expect(classified('A', 'B', 'C', 'D', 'E', 'F')).toEqual([
			['info', '6 documents: A 1, B 1, C 1, D 1, E 1, and 1 more'],
		]);
	});

	test('at most three, the worst first, and always what links the run to others', () => {
		const kinds = ['earlier', 'service', 'skipped', 'tables', 'pages', 'failed'] as const;
		const shown = said(
			(notes) => [...kinds, 'testRuns' as const].forEach((kind) => notes.add(kind, '"a.pdf"')),
			{ credits: 1 },
		);
		expect(shown).toEqual([
			['info', 'Cogneris reported 1 credit for this run.'],
			['info', '"a.pdf"'],
			['warning', '1 item failed: "a.pdf"'],
			['warning', 'Check the documents in 1 file: "a.pdf"'],
			['info', 'Rows: "a.pdf"'],
			['info', '"a.pdf"'],
		]);
	});

	test('entries are short and on one line', () => {
		const [[, message] = []] = said((notes) =>
			notes.add('quality', `"a\n\u2028${'b'.repeat(5000)}"`),
		);
		expect(message).toMatch(/^Cogneris reported low quality for 1 document: "a b+…$/);
		expect(message?.length).toBeLessThan(400);
	});

	test.each<[number | undefined, string[]]>([
		[undefined, []],
		[0, ['0 credits']],
		[1, ['1 credit']],
		[0.1 + 0.2, ['0.3 credits']],
	])('credits %j: %j', (credits, sums) => {
		expect(said(nothing, { credits })).toEqual(
			sums.map((sum) => ['info', `Cogneris reported ${sum} for this run.`]),
		);
	});

	test('a sum that is only a part says so', () => {
		const [[, message] = []] = said(nothing, { credits: 3, withoutCredits: 1 });
		expect(message).toBe(
			'Cogneris reported 3 credits for this run. For 1 document it reported none, so this is only a part.',
		);
		expect(said(nothing, { withoutCredits: 2 })).toEqual([]);
	});

	test('credits come first; waiting, retries and other sentences are one hint', () => {
		const requests = { credits: 2, waitedMs: 61_400, rejections: 2, retries: 1 };
		expect(
			said((notes) => {
				notes.add('service', 'Older jobs are not shown.');
				notes.add('service', 'Older jobs are not shown.');
			}, requests),
		).toEqual([
			['info', 'Cogneris reported 2 credits for this run.'],
			[
				'info',
				'Waited up to 61 seconds for the rate limit of the API key. Cogneris rejected 2 requests, and the node retried. Retried 1 time because the connection or Cogneris was unavailable. Older jobs are not shown.',
			],
		]);
	});
});
