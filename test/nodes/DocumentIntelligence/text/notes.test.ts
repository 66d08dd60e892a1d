import { hintsOf, Notes, type Totals } from '../../../../nodes/DocumentIntelligence/text/notes';

/** Types and messages of the hints of a run with these notes. */
function said(fill: (notes: Notes) => void, totals: Partial<Totals> = {}) {
	const notes = new Notes();
	fill(notes);
	const hints = hintsOf(notes.list, { waitedMs: 0, rejections: 0, retries: 0, ...totals });
	for (const { location } of hints) expect(location).toBe('outputPane');
	return hints.map(({ type, message }) => [type, message]);
}

const nothing = () => undefined;

test.each<[Partial<Totals>, string[]]>([
	[{}, []],
	[{ waitedMs: 999, rejections: 3 }, []],
	[{ withoutCredits: 2, failedAtUnknownCost: 2 }, []],
	[{ credits: 0 }, ['Cogneris reported 0 credits for this run.']],
	[{ credits: 1 }, ['Cogneris reported 1 credit for this run.']],
	[{ credits: 0.1 + 0.2 }, ['Cogneris reported 0.3 credits for this run.']],
	[
		{ credits: 3, withoutCredits: 1 },
		[
			'Cogneris reported 3 credits for this run. For 1 document it reported none, so this is only a part.',
		],
	],
	[
		{ credits: 2, failedAtUnknownCost: 1 },
		['Cogneris reported 2 credits for this run. 1 failed document may be billed as well.'],
	],
])('of a run with %j, %j is said', (totals, messages) => {
	expect(said(nothing, totals)).toEqual(messages.map((message) => ['info', message]));
});

test('credits come first; waiting, retries and other sentences are one hint', () => {
	const totals = { credits: 2, waitedMs: 61_400, rejections: 2, retries: 1 };
	const twice = (notes: Notes) =>
		[1, 2].forEach(() => notes.add('service', 'Older jobs are not shown.'));
	expect(said(twice, totals)).toEqual([
		['info', 'Cogneris reported 2 credits for this run.'],
		[
			'info',
			'Waited up to 61 seconds for the rate limit of the API key. Cogneris rejected 2 requests, and the node retried. Retried 1 time because the connection or Cogneris was unavailable. Older jobs are not shown.',
		],
	]);
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

test.each([
	['Invoice', '1 document: Invoice (99)'],
	['Letter, Invoice, Invoice', '3 documents: Invoice 2, Letter 1'],
	['A, B, C, D, E, F', '6 documents: A 1, B 1, C 1, D 1, E 1, and 1 more'],
])('types are counted, the most frequent first: %s', (types, message) => {
	const classified = (notes: Notes) =>
		types.split(', ').forEach((type) => notes.add('classified', `${type} (99)`, type));
	expect(said(classified)).toEqual([['info', message]]);
});

test('at most three, the worst first, and always what links the run to others', () => {
	const kinds = ['earlier', 'service', 'skipped', 'tables', 'pages', 'failed', 'testRuns'] as const;
	const all = (notes: Notes) => kinds.forEach((kind) => notes.add(kind, '"a.pdf"'));
	expect(said(all, { credits: 1 })).toEqual([
		['info', 'Cogneris reported 1 credit for this run.'],
		['info', '"a.pdf"'],
		['warning', '1 item failed: "a.pdf"'],
		['warning', 'Check the documents in 1 file: "a.pdf"'],
		['info', 'Rows: "a.pdf"'],
		['info', '"a.pdf"'],
	]);
});

test('entries are short and on one line', () => {
	const entry = `"a\n\u2028${'b'.repeat(5000)}"`;
	const [[, message] = []] = said((notes) => notes.add('quality', entry));
	expect(message).toMatch(/^Cogneris reported low quality for 1 document: "a b+…$/);
	expect(message?.length).toBeLessThan(400);
});
