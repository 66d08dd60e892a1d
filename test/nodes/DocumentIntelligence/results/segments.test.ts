import * as fc from 'fast-check';

import { readSegments, remarksOn } from '../../../../nodes/DocumentIntelligence/results/segments';

/** The only document of an answer that holds it in a list. */
function read(segment: object) {
	const segments = readSegments({ segments: [segment] });
	if (segments?.length !== 1) throw new Error('There is not one document.');
	return segments[0]!;
}

describe('The pages of a document', () => {
	test.each<[string, object, number[]]>([
		['first and last', { firstPage: 2, lastPage: 4 }, [2, 3, 4]],
		['start and end', { startPage: 2, endPage: 4 }, [2, 3, 4]],
		['start and end as text', { start_page: '2', end_page: ' 4 ' }, [2, 3, 4]],
		['from and to', { from: 2, to: 4 }, [2, 3, 4]],
		['words joined by a dash', { 'page-from': 2, 'page-to': 2 }, [2]],
		['first and how many', { startPage: 4, pageCount: 2 }, [4, 5]],
		['first and a number named pages', { startPage: 4, pages: 2 }, [4, 5]],
		['a text', { pages: '1-3' }, [1, 2, 3]],
		['a text of one page', { pages: '3' }, [3]],
		['a text of several ranges', { pages: '1,3,5-7' }, [1, 3, 5, 6, 7]],
		['a text with spaces and a dash', { pageRange: ' 1 – 3 ; 5 ' }, [1, 2, 3, 5]],
		['a text of several words', { range: 'pages 1 to 3 and 5' }, [1, 2, 3, 5]],
		['a short form', { range: 'p. 7' }, [7]],
		['a list', { pages: [5, 4, 4] }, [4, 5]],
		['a list of texts', { pages: ['1', '3-4'] }, [1, 3, 4]],
		['a list as text', { pages: '[1, 2]' }, [1, 2]],
		['a list of objects', { pages: [{ page: 1 }, { pageNumber: 2, width: 600 }] }, [1, 2]],
		['the ends of a range', { pageRange: [2, 5] }, [2, 3, 4, 5]],
		['two pages', { pages: [2, 5] }, [2, 5]],
		[
			'ranges as lists',
			{
				pageRanges: [
					[1, 3],
					[5, 5],
				],
			},
			[1, 2, 3, 5],
		],
		[
			'ranges as objects',
			{
				ranges: [
					{ from: 1, to: 2 },
					{ from: 4, to: 4 },
				],
			},
			[1, 2, 4],
		],
		['a range inside', { pages: { from: 1, to: 3 } }, [1, 2, 3]],
		['a range elsewhere inside', { location: { startPage: 1, endPage: 3 } }, [1, 2, 3]],
		['one page', { page: 6 }, [6]],
		['the wrong way round', { firstPage: 4, lastPage: 2 }, [2, 3, 4]],
		['a list beside its ends', { pages: [2, 4], firstPage: 2, lastPage: 4 }, [2, 4]],
		['a first page that is none beside one', { from: 'ACME', to: 'Bob', page: 3 }, [3]],
		['one end', { startPage: 3 }, []],
		['how many alone', { pages: 3 }, []],
		['words', { pages: 'the first' }, []],
		['a fraction', { firstPage: 1.5, lastPage: 2 }, []],
		['less than none', { firstPage: -1, lastPage: 2 }, []],
		['more than any file has', { firstPage: 1, lastPage: 1e9 }, []],
		['times', { period: { from: 1, to: 12 } }, []],
		['nothing', { pages: null }, []],
	])('%s', (_, said, pages) => {
		expect(read({ type: 'invoice', ...said })).toMatchObject({
			documentType: 'invoice',
			firstPage: pages[0] ?? null,
			lastPage: pages.at(-1) ?? null,
			pages,
		});
	});

	test('a number is that of a page where other documents say theirs in another form', () => {
		const segments = readSegments([{ pages: '1-3' }, { pages: 4 }]);
		expect(segments?.map(({ pages }) => pages)).toEqual([[1, 2, 3], [4]]);
	});

	test('millions are not listed, and their ends are kept', () => {
		const segments = readSegments(
			Array.from({ length: 2000 }, () => ({ firstPage: 1, lastPage: 100_000 })),
		);
		const sizes = segments?.map(({ pages }) => pages.length) ?? [];
		expect(sizes.reduce((sum, size) => sum + size)).toBe(1_000_000);
		expect(segments?.at(-1)).toMatchObject({ firstPage: 1, lastPage: 100_000, pages: [] });
	});

	const document = fc.record({
		type: fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
		first: fc.integer({ min: 1, max: 500 }),
		count: fc.integer({ min: 1, max: 20 }),
		confidence: fc.integer({ min: 0, max: 100 }),
	});
	const forms: Array<(first: number, last: number) => object> = [
		(firstPage, lastPage) => ({ firstPage, lastPage }),
		(start_page, end_page) => ({ start_page, end_page }),
		(from, to) => ({ pages: { from: String(from), to: String(to) } }),
		(first, last) => ({ pages: `${first}-${last}` }),
		(first, last) => ({ pageRange: [first, last] }),
		(first, last) => ({ pages: upTo(first, last) }),
		(first, last) => ({ pages: upTo(first, last).join(', ') }),
		(first, last) => ({
			ranges: [
				{ from: first, to: first },
				{ from: first, to: last },
			],
		}),
		(startPage, endPage) => ({ location: { startPage, endPage } }),
	];
	const upTo = (first: number, last: number) =>
		Array.from({ length: last - first + 1 }, (_, index) => first + index);

	test('are the same in every form, with whatever else is said', () => {
		fc.assert(
			fc.property(fc.array(document, { minLength: 1 }), fc.constantFrom(...forms), (all, form) => {
				const entries = all.map(({ type, first, count, confidence }) => ({
					confidence,
					label: type,
					...form(first, first + count - 1),
				}));
				expect(readSegments({ any: { list: entries } })).toEqual(
					all.map(({ type, first, count, confidence }) => ({
						documentType: type.trim(),
						firstPage: first,
						lastPage: first + count - 1,
						pages: upTo(first, first + count - 1),
						isReversed: false,
						rest: expect.objectContaining({ confidence }) as object,
					})),
				);
			}),
		);
	});

	test('are in ascending order, each once, and never end in an exception', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (pages, range) => {
				const segment = read({ type: 'x', pages, range });
				expect(segment.pages).toEqual([...new Set(segment.pages)].sort((a, b) => a - b));
				for (const page of segment.pages) expect(Number.isInteger(page)).toBe(true);
			}),
		);
	});
});

describe('The type of a document', () => {
	test.each<[object, string | null]>([
		[{ type: 'segment', documentType: 'Invoice' }, 'Invoice'],
		[{ documentType: null, detected_type: ' Invoice ' }, 'Invoice'],
		[{ classification: { type: 'Invoice', confidence: 90 } }, 'Invoice'],
		[{ documentType: { name: 'Invoice' } }, 'Invoice'],
		[{ label: '' }, null],
		[{}, null],
	])('of %j is %j', (said, documentType) => {
		expect(read({ page: 1, ...said }).documentType).toBe(documentType);
	});
});

describe('What else is said', () => {
	test('is kept, what was read is not repeated', () => {
		const said = { id: 'x', label: 'Invoice', pages: '1-2', confidence: 0.9, nested: { a: 1 } };
		expect(read(said).rest).toEqual({ id: 'x', confidence: 0.9, nested: { a: 1 } });
	});

	test('is kept where it could not be read', () => {
		expect(read({ type: 'a', pages: 'all' }).rest).toEqual({ pages: 'all' });
		expect(read({ type: 'a', pages: 3 }).rest).toEqual({ pages: 3 });
	});
});

describe('The list of documents', () => {
	test('is the one that says types and pages', () => {
		const data = {
			pages: [{ page: 1 }, { page: 2 }],
			found: [{ type: 'a', from: 1, to: 2 }],
		};
		expect(readSegments(data)).toHaveLength(1);
	});

	test.each([[null], ['x'], [{}], [{ segments: [] }], [{ names: ['a'] }], [[1, 2]]])(
		'is not in %j',
		(data) => {
			expect(readSegments(data)).toBeUndefined();
		},
	);
});

describe('What does not fit together', () => {
	const remarks = (pages: unknown[], pageCount?: number) =>
		remarksOn(readSegments(pages.map((entry) => ({ type: 'x', pages: entry }))) ?? [], pageCount);

	test.each<[unknown[], number | undefined, string[]]>([
		[['1-2', '3'], 3, []],
		[['1-2', '4-9'], 6, ['pages 7-9 past the end: the file has 6 pages', 'page 3 in no document']],
		[['1-3', '3-4'], 4, ['page 3 in several documents']],
		[['3-1'], 3, ['a range from last to first']],
		[['1', 'all'], 3, []],
		[['1-3', '3-4', '9'], undefined, ['page 3 in several documents']],
		[['1', '3', '5', '7', '9', '11'], 12, ['pages 2, 4, 6, 8, 10, … in no document']],
	])('%j in a file of %j pages: %j', (pages, pageCount, expected) => {
		expect(remarks(pages, pageCount)).toEqual(expected);
	});
});
