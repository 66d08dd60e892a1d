import * as fc from 'fast-check';

import {
	readSegments as readSegmentsOf,
	remarksOn,
} from '../../../../nodes/DocumentIntelligence/results/segments';
import { numRuns } from '../../numRuns';

/** The documents that an answer about `bundle.pdf` lists. */
function readSegments(data: unknown) {
	return readSegmentsOf(data, 'bundle.pdf');
}

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
		['a page beside places in its text', { page: 1, start: 1, end: 3 }, [1]],
		[
			'objects with places in the text',
			{
				pages: [
					{ pageNumber: 1, start: 2, end: 9 },
					{ pageNumber: 2, start: 10, end: 15 },
				],
			},
			[1, 2],
		],
		[
			'a list of places in the text',
			{
				pages: [
					{ text: 'a', start: 2, end: 9 },
					{ text: 'b', start: 10, end: 15 },
				],
			},
			[],
		],
		['a list of two texts', { pageRanges: ['1', '6'] }, [1, 6]],
		['a list of two texts as a range', { pageRange: ['1', '6'] }, [1, 6]],
		['a list of two numbers', { pageRanges: [1, 6] }, [1, 6]],
		['a list of ranges as texts', { pageRanges: ['1-2', '4'] }, [1, 2, 4]],
		['lists of texts that may be ranges', { pageRanges: [['1', '3']] }, []],
		['lists that may be ranges', { pages: [[1, 3]] }, []],
		['no list beside a range', { pages: null, pageRange: '1-3' }, [1, 2, 3]],
		['an empty list beside a list', { pages: [], pageNumbers: [1, 2] }, [1, 2]],
		[
			'what the pages hold beside a range',
			{ pages: [{ text: 'a' }, { text: 'b' }], pageRange: '1-2' },
			[1, 2],
		],
		['texts of pages beside a range', { pages: ['Dear', 'Yours'], pageRange: '1-2' }, [1, 2]],
		[
			'what the pages hold beside the ends',
			{ pages: [{ text: 'a' }], startPage: 1, endPage: 2 },
			[1, 2],
		],
		['what the pages hold beside the first', { pages: [{ text: 'a' }, {}], page: 1 }, []],
		['a page and the last', { page: 1, lastPage: 3 }, [1, 2, 3]],
		['a page and how many', { pageNumber: 1, pageCount: 3 }, [1, 2, 3]],
		['a page and a number named pages', { page: 1, pages: 2 }, [1, 2]],
		['a page and a last that is none', { page: 1, lastPage: -1 }, []],
		[
			'a first page, a last that is none, and how many',
			{ page: 1, lastPage: -1, pageCount: 9 },
			[],
		],
		[
			'what the pages hold beside how many',
			{ page: 1, pageCount: 2, pages: [{ text: 'a' }] },
			[1, 2],
		],
		['a page of a list that counts them all', { pages: [{ page: 1, pageCount: 3 }] }, []],
		['years beside the ends', { range: '2023-2024', startPage: 1, endPage: 2 }, [1, 2]],
		['a range of something beside the ends', { range: [1, 5], startPage: 2, endPage: 3 }, [2, 3]],
		['a start in another unit', { startPage: 2, end: 900 }, []],
		['ends that a list contradicts', { firstPage: 1, lastPage: 5, pages: [2, 3] }, []],
		['ends that a number contradicts', { firstPage: 1, lastPage: 5, pageCount: 2 }, []],
		['two first pages', { firstPage: 1, startPage: 2, lastPage: 5 }, []],
		['a range as the page', { page: '1-3' }, [1, 2, 3]],
		['pages of its fields', { fields: { total: { value: '9.00', page: 2 } } }, []],
		[
			'contradictions inside',
			{ a: { firstPage: 1, lastPage: 2 }, b: { firstPage: 3, lastPage: 4 } },
			[],
		],
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

	test('a number is how many, unless another document says its pages under that name', () => {
		const segments = readSegments([{ pages: 3 }, { startPage: 4, endPage: 6 }]);
		expect(segments?.map(({ pages }) => pages)).toEqual([[], [4, 5, 6]]);
	});

	test('a number of pages that each document repeats is not its own', () => {
		const said = [1, 2, 3].map((pageNumber) => ({ type: 'x', pageNumber, pageCount: 3 }));
		expect(readSegments(said)?.map(({ pages }) => pages)).toEqual([[], [], []]);
		const own = [
			{ type: 'x', page: 1, pages: 2 },
			{ type: 'y', page: 3, pages: 1 },
		];
		expect(readSegments(own)?.map(({ pages }) => pages)).toEqual([[1, 2], [3]]);
	});

	test.each<[string, object[], number[][]]>([
		[
			'that fit together, in any order',
			[
				{ page: 4, pages: 2 },
				{ page: 1, pages: 3 },
			],
			[
				[4, 5],
				[1, 2, 3],
			],
		],
		[
			'that overlap in a page',
			[
				{ page: 1, pageCount: 2 },
				{ page: 2, pageCount: 2 },
			],
			[[], []],
		],
		['that reach into a range', [{ page: 1, pageCount: 3 }, { pages: '2' }], [[], [2]]],
		[
			'after a range that begins with the file',
			[{ pages: '1' }, { page: 2, pageCount: 1 }],
			[[1], [2]],
		],
		[
			'beside ranges that overlap',
			[{ pages: '1-3' }, { pages: '2-3' }, { page: 9, pageCount: 1 }],
			[[1, 2, 3], [2, 3], [9]],
		],
	])('numbers of pages %s', (_, said, pages) => {
		expect(
			readSegments(said.map((entry) => ({ type: 'x', ...entry })))?.map((one) => one.pages),
		).toEqual(pages);
	});

	test('numbers of pages that say none are kept as they were said', () => {
		const said = [1, 2].map((page) => ({ type: 'x', page, pageCount: 2 }));
		expect(readSegments(said)).toEqual(
			said.map(({ page, pageCount }) => ({
				documentType: 'x',
				firstPage: null,
				lastPage: null,
				pages: [],
				isReversed: false,
				rest: { page, pageCount },
			})),
		);
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
				// A set makes -0 a 0, as JSON does.
				const asSaved = segment.pages.map((page) => page + 0);
				expect(asSaved).toEqual([...new Set(segment.pages)].sort((a, b) => a - b));
				for (const page of segment.pages) expect(Number.isInteger(page)).toBe(true);
			}),
		);
	});
});

describe('Several names for the pages of a document', () => {
	/** Each says the pages from first to last, under a name that speaks of pages. */
	const specific: Array<(first: number, last: number) => object> = [
		(firstPage, lastPage) => ({ firstPage, lastPage }),
		(startPage, endPage) => ({ startPage: String(startPage), endPage: String(endPage) }),
		(page, lastPageNumber) => ({ page, lastPageNumber }),
		(fromPage, last) => ({ fromPage, pageCount: last - fromPage + 1 }),
		(pageNumber, last) => ({ pageNumber, numPages: last - pageNumber + 1 }),
		(first, last) => ({ pages: `${first}-${last}` }),
		(first, last) => ({ pageNumbers: upTo(first, last) }),
		(first, last) => ({ pageList: upTo(first, last).map((page) => ({ page, start: 1, end: 9 })) }),
		(first, last) => ({ pageRange: [first, last] }),
		(first, last) => ({ pageRanges: [{ from: first, to: last }] }),
	];
	/** The same under names that may be of something else. */
	const general: Array<(first: number, last: number) => object> = [
		(from, to) => ({ from, to }),
		(start, end) => ({ start, end }),
		(first, last) => ({ range: `${first}-${last}` }),
		(first, last) => ({ ranges: [[first, last]] }),
		(first, last) => ({ range: [first, last] }),
	];
	const upTo = (first: number, last: number) =>
		Array.from({ length: last - first + 1 }, (_, index) => first + index);
	const ends = fc
		.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 9 }))
		.map(([first, count]): [number, number] => [first, first + count - 1]);
	const shuffled = (said: object[]) =>
		fc
			.shuffledSubarray(Object.entries(Object.assign({}, ...said) as object), {
				minLength: Object.keys(Object.assign({}, ...said) as object).length,
			})
			.map((entries) => ({ ...Object.fromEntries(entries), type: 'x' }));
	const some = <T>(list: T[], minLength = 1) => fc.subarray(list, { minLength });

	test('which agree give these pages, in any order', () => {
		const said = fc
			.tuple(ends, some(specific), some(general, 0))
			.chain(([[first, last], names, others]) =>
				shuffled([...names, ...others].map((say) => say(first, last))).map((segment) => ({
					segment,
					pages: upTo(first, last),
				})),
			);
		fc.assert(
			fc.property(said, ({ segment, pages }) => {
				expect(read(segment).pages).toEqual(pages);
			}),
			numRuns(1000),
		);
	});

	test('which speak of pages count before others', () => {
		fc.assert(
			fc.property(
				ends,
				ends,
				fc.constantFrom(...specific),
				some(general),
				([first, last], other, say, others) => {
					const segment = Object.assign({}, ...others.map((name) => name(...other))) as object;
					expect(read({ ...segment, ...say(first, last) }).pages).toEqual(upTo(first, last));
				},
			),
		);
	});

	test.each([
		['that speak of pages', specific],
		['that do not', general],
	])('which contradict each other give no pages (%s)', (_, names) => {
		const said = fc
			.tuple(ends, ends, some(names, 2), fc.nat())
			.filter(([one, other]) => String(one) !== String(other))
			.chain(([one, other, chosen, seed]) => {
				const odd = seed % chosen.length;
				const segments = chosen.map((say, index) => say(...(index === odd ? other : one)));
				// Ends and number of one range under one name each: where both use a name, one replaces the other.
				const all = segments.flatMap((segment) => Object.keys(segment));
				return new Set(all).size < all.length ? fc.constant(undefined) : shuffled(segments);
			});
		fc.assert(
			fc.property(said, (segment) => {
				if (segment !== undefined) expect(read(segment).pages).toEqual([]);
			}),
			numRuns(1000),
		);
	});

	test('never give a page that none of them says', () => {
		const value = fc.oneof(
			fc.integer({ min: -1, max: 9 }),
			fc.integer({ min: 1, max: 9 }).map(String),
			fc.constantFrom<unknown>(null, [], 'all', [{ text: 'a' }], '2-4', [2, 4], ['2', '4']),
		);
		const names = [
			...['pages', 'pageNumbers', 'pageRange', 'pageRanges', 'range', 'page', 'pageNumber'],
			...[
				'firstPage',
				'startPage',
				'lastPage',
				'endPage',
				'pageCount',
				'from',
				'to',
				'start',
				'end',
			],
		];
		fc.assert(
			fc.property(fc.dictionary(fc.constantFrom(...names), value), (said) => {
				const { pages } = read({ ...said, type: 'x' });
				const numbers = Object.values(said).flatMap((entry) =>
					(JSON.stringify(entry).match(/\d+/g) ?? []).map(Number),
				);
				const counts = [said.pageCount, said.pages].map((count) => Number(count) || 0);
				const highest = Math.max(...numbers) + Math.max(0, ...counts);
				for (const page of pages) {
					expect(page).toBeGreaterThanOrEqual(Math.min(...numbers));
					expect(page).toBeLessThanOrEqual(highest);
				}
				// A single one of these names that gives pages gives the same beside any others, or none.
				for (const [name, entry] of Object.entries(said)) {
					if (!name.startsWith('page')) continue;
					const alone = read({ type: 'x', [name]: entry }).pages;
					if (alone.length === 0 || pages.length === 0 || name === 'page' || name === 'pageNumber')
						continue;
					expect([alone[0], alone.at(-1)]).toEqual([pages[0], pages.at(-1)]);
				}
			}),
			numRuns(2000),
		);
	});
});

describe('The type of a document', () => {
	test.each<[object, string | null]>([
		[{ type: 'segment', documentType: 'Invoice' }, 'Invoice'],
		[{ documentType: null, detected_type: ' Invoice ' }, 'Invoice'],
		[{ classification: { type: 'Invoice', confidence: 90 } }, 'Invoice'],
		[{ documentType: { name: ' Invoice ' } }, 'Invoice'],
		[{ documentType: { value: 'Invoice' } }, 'Invoice'],
		[{ documentType: 'Invoice', type: 'segment' }, 'Invoice'],
		[{ documentType: 'Invoice', document_type: 'Bill' }, 'Invoice'],
		[{ kind: ' ', label: 'Invoice' }, 'Invoice'],
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

	test('is not what is known from elsewhere too', () => {
		const location = { startPage: 1, endPage: 2 };
		expect(read({ type: 'a', location, firstPage: 1, pages: null }).rest).toEqual({
			location,
			pages: null,
		});
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

	const two = [
		{ type: 'a', startPage: 1, endPage: 2 },
		{ type: 'b', startPage: 3, endPage: 6 },
	];
	const single = [1, 2, 3, 4, 5, 6].map((pageNumber) => ({ pageNumber, type: 'a' }));
	const [a, b] = [[two[0]], [two[1]]];

	test.each<[string, unknown]>([
		['one that says so, before pages', { pages: single, segments: two }],
		['another list, before pages', { pages: single, found: two }],
		['in the entry of the file', { documents: [{ fileName: 'bundle.pdf', segments: two }] }],
		['in the only entry', { documents: [{ id: 1, type: 'bundle', pages: 6, segments: two }] }],
		[
			'in the entry of the file, which has pages itself',
			{ results: [{ fileName: 'bundle.pdf', type: 'x', pages: '1-6', segments: two }] },
		],
		[
			'in the entry of the file among others',
			{
				results: [
					{ fileName: 'other.pdf', segments: single },
					{ fileName: 'bundle.pdf', segments: two },
				],
			},
		],
		['under the name of the file', { files: { 'other.pdf': single, 'bundle.pdf': two } }],
		[
			'under its name rewritten',
			{ 'other.pdf': { segments: single }, 'BUNDLE.PDF': { segments: two } },
		],
		['of the file', { fileName: '/in/bundle.pdf', segments: two }],
		[
			'with what is said of other files',
			[
				{ fileName: 'bundle.pdf', ...two[0] },
				{ fileName: 'other.pdf', type: 'c', startPage: 1, endPage: 1 },
				{ fileName: 'bundle.pdf', ...two[1] },
			],
		],
		[
			'with names for its documents',
			two.map((entry, index) => ({ ...entry, file: `${index}.pdf` })),
		],
		[
			'with documents in documents',
			two.map((entry) => ({ ...entry, parts: [{ type: 'c', page: 1 }] })),
		],
		[
			'in the entry of the file, under any name',
			{ results: [{ fileName: 'bundle.pdf', found: two, notes: [{ text: 'x' }] }] },
		],
		[
			'in the entry of the file among others which have pages themselves',
			{
				results: [
					{ fileName: 'other.pdf', type: 'x', pages: '1-6', segments: single },
					{ fileName: 'bundle.pdf', type: 'x', pages: '1-6', segments: two },
				],
			},
		],
		[
			'with what else is listed in its entries',
			two.map((entry) => ({ ...entry, fileName: 'bundle.pdf', notes: [{ text: 'x' }] })),
		],
		[
			'with names for its documents, and documents in them',
			two.map((entry, index) => ({
				...entry,
				file: `${index}.pdf`,
				parts: [{ type: 'c', page: 1 }],
			})),
		],
		['with entries that are null', [two[0], null, two[1]]],
		['in objects', { a: { b: { segments: two } } }],
	])('is %s', (_, data) => {
		expect(readSegments(data)?.map(({ documentType, pages }) => [documentType, pages])).toEqual([
			['a', [1, 2]],
			['b', [3, 4, 5, 6]],
		]);
	});

	test.each<[string, Record<string, object>]>([
		['with types and pages', { documents: { page: 1 }, segments: { type: 'a', page: 1 } }],
		['with pages', { documents: { type: 'a' }, segments: { page: 1 } }],
		['with types, before another one', { found: { type: 'a', page: 1 }, segments: { type: 'a' } }],
		[
			'with types and pages, before other ones',
			{ any: { type: 'a' }, chosen: { type: 'a', page: 1 } },
		],
		[
			'with ranges, before one with types',
			{ any: { type: 'a' }, chosen: { firstPage: 1, lastPage: 2 } },
		],
		['without anything, before one of ranges', { pages: { firstPage: 1 }, segments: { id: 1 } }],
	])('is the one %s', (_, lists) => {
		const data = Object.fromEntries(
			Object.entries(lists).map(([name, entry]) => [name, [{ ...entry, in: name }]]),
		);
		const chosen = Object.keys(lists).includes('segments') ? 'segments' : 'chosen';
		expect(readSegments(data)?.map(({ rest }) => rest.in)).toEqual([chosen]);
		const others = Object.fromEntries(Object.entries(data).reverse());
		expect(readSegments(others)?.map(({ rest }) => rest.in)).toEqual([chosen]);
	});

	test('is any, where it is not known which file was sent', () => {
		for (const data of [
			{ files: { 'other.pdf': two } },
			two.map((entry) => ({ ...entry, fileName: 'other.pdf' })),
		])
			expect(readSegmentsOf(data, undefined)).toHaveLength(2);
	});

	test('has documents with names of their own, of which not all are the same', () => {
		for (const names of [['letter.pdf'], ['1.pdf', '2.pdf', '1.pdf']]) {
			const entries = names.map((file, index) => ({ file, type: 'a', page: index + 1 }));
			expect(readSegments(entries)?.map(({ pages }) => pages)).toEqual(
				names.map((__, index) => [index + 1]),
			);
		}
	});

	test('is not one in its only document, unless that is called so', () => {
		for (const [said, pages] of [
			[{ page: 1 }, [1]],
			[{}, []],
		] as const) {
			const [document] = readSegments([{ type: 'letter', ...said, lines: two }]) ?? [];
			expect(document).toMatchObject({ documentType: 'letter', pages, rest: { lines: two } });
		}
	});

	test.each<[string, unknown]>([
		['of another file', { files: { 'other.pdf': two } }],
		['of an entry of another file', { documents: [{ fileName: 'other.pdf', segments: two }] }],
		['of an answer about another file', { fileName: 'other.pdf', segments: two }],
		['of entries of another file', two.map((entry) => ({ ...entry, fileName: 'other.pdf' }))],
		[
			'of files of which none is this one',
			[
				{ file: '0.pdf', ...two[0], parts: [{ type: 'c', page: 1 }] },
				{ file: '1.pdf', type: 'b', parts: [{ type: 'c', page: 1 }] },
			],
		],
		['of single pages', { pages: single }],
		['of which only some are documents', { found: [{ type: 'a' }, { id: 1 }] }],
		['of objects and others', { segments: [...two, 'and more'] }],
		['too deep in the answer', { a: { b: { c: { segments: two } } } }],
	])('is none: %s', (_, data) => {
		expect(readSegments(data)).toBeUndefined();
	});

	test('is not chosen among entries of which none is named', () => {
		const segments = readSegments({ documents: [{ segments: a }, { segments: b }] });
		expect(segments?.map(({ pages, rest }) => [pages, rest])).toEqual([
			[[], { segments: a }],
			[[], { segments: b }],
		]);
	});

	test('is not chosen where only some entries are named, or have one', () => {
		for (const entries of [
			[{ fileName: 'bundle.pdf', segments: a }, { segments: b }],
			[{ segments: a }, { id: 1 }],
		])
			expect(readSegments({ documents: entries })?.map(({ pages }) => pages)).toEqual([[], []]);
	});

	test('whose pages are not certain is not replaced by one of single pages', () => {
		const segments = readSegments({ pages: single, segments: [{ type: 'a' }, { type: 'b' }] });
		expect(segments?.map(({ pages }) => pages)).toEqual([[], []]);
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
		[['3-1'], 3, ['a range in reverse order']],
		[['3-1', '4'], 4, ['a range in reverse order']],
		[['1', 'all'], 3, []],
		[['1-3', '3-4', '9'], undefined, ['page 3 in several documents']],
		[['1', '3', '5', '7', '9', '11'], 12, ['pages 2, 4, 6, 8, 10, … in no document']],
	])('%j in a file of %j pages: %j', (pages, pageCount, expected) => {
		expect(remarks(pages, pageCount)).toEqual(expected);
	});
});
